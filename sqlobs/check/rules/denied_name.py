"""The rule of tables and columns that the user's policy denies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.analysis.selection import sources
from sqlobs.check.rules.rule import POLICY, finding_at, finding_at_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlobs.check.analysis.facts import SelectUse, TableUse
    from sqlobs.check.analysis.scope import Relation
    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case


class DeniedName:
    """A table or column that the user's policy denies.

    What it finds: a reference to a name in `Policy.denied_tables` or `denied_columns`; `*`, the
    name of a whole row and USING where they stand for a denied column.
    Why it matters: the user said that no answer may read it.
    Known limits: a column whose table is not known is denied where any table's column of that name
    is; what a view reads is not seen.
    Example: `SELECT salary FROM employees` under `denied_columns={"employees.salary"}`
    Instead: ask the owner of the data
    """

    code = "safety.unsafe_statement"
    name = "denied-name"
    concerns = frozenset({POLICY})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each denied reference."""
        policy = case.policy
        if policy is None:
            return
        tables = {name.lower() for name in policy.denied_tables}
        for use in case.facts.tables:
            if not tables.isdisjoint(spellings(use)):
                message = f"The policy denies the table {use.name.name}."
                yield self._finding(use.name, message)
        if policy.denied_columns:
            denied = _Denied(case, {name.lower() for name in policy.denied_columns})
            for node, column in denied.references():
                yield self._finding(node, f"The policy denies the column {column}.", column)

    def _finding(self, node: exp.Expr, message: str, name: str | None = None) -> Finding:
        place = finding_at if "start" in node.meta else finding_at_node
        return place(
            node, code=self.code, message=message, identifier=name or node.name, detail="policy"
        )


def spellings(use: TableUse) -> set[str]:
    """Return the ways in which a policy may write a table: alone, with its namespace."""
    names = {use.name.name.lower()}
    namespace = use.node.db or (use.table.db if use.table is not None else None)
    if use.table is not None:
        names.add(use.table.name.lower())
    return names | {f"{namespace}.{name}".lower() for name in names} if namespace else names


class _Denied:
    """The denied columns, looked for in one statement."""

    def __init__(self, case: Case, columns: set[str]) -> None:
        self._case = case
        self._columns = columns
        self._last_parts = {name.rpartition(".")[2] for name in columns}

    def references(self) -> Iterator[tuple[exp.Expr, str]]:
        """Yield the node and the name of every denied column that the statement reads."""
        for node in self._case.nodes.get(exp.Column, ()):
            if self._is_denied(node):
                yield node.this, node.name
        for join in self._case.nodes.get(exp.Join, ()):
            for identifier in join.args.get("using") or ():
                if identifier.name.lower() in self._last_parts:
                    yield identifier, identifier.name
        for select in self._case.facts.selects:
            yield from self._by_star(select)

    def _is_denied(self, node: exp.Expr) -> bool:
        name = node.name.lower()
        if name not in self._last_parts:
            return False
        use = self._case.uses.get(id(node))
        if use is None:
            return True
        return use.relation.table is not None and self._denies(use.relation, name)

    def _denies(self, relation: Relation, column: str) -> bool:
        table = relation.table
        owners = [] if table is None else [table.name, f"{table.db}.{table.name}"]
        return column in self._columns or any(
            f"{owner}.{column}".lower() in self._columns for owner in owners
        )

    def _by_star(self, select: SelectUse) -> Iterator[tuple[exp.Expr, str]]:
        """Yield the stars and whole rows of a SELECT that hold a denied column."""
        items = sources(select.node)
        relations = list(select.scope.relations.values())
        if len(items) != len(relations):
            return
        for source, relation in zip(items, relations, strict=True):
            column = next(filter(lambda name: self._denies(relation, name), relation.columns), None)
            if column is not None and relation.table is not None:
                for node in _whole_rows(select.node, source.alias_or_name.lower()):
                    yield node, relation.columns[column].name


def _whole_rows(select: exp.Select, name: str) -> Iterator[exp.Expr]:
    """Yield `*`, `name.*` and `name` itself where they stand for all columns of a source."""
    for item in select.expressions:
        if isinstance(item, exp.Star):
            yield item
    for column in select.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            if column.table.lower() == name:
                yield column
        elif not column.table and column.name.lower() == name:
            yield column
