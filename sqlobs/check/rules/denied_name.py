from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from sqlglot import exp

from sqlobs.check.resolver.model.resolution import TableUse
from sqlobs.check.resolver.model.scope import Relation, Scope
from sqlobs.check.resolver.model.tree import joins, sources
from sqlobs.check.resolver.names.outputs import chooses_columns
from sqlobs.check.rules.rule import POLICY, Case, Findings, Rule


class DeniedName(Rule, code="safety.unsafe_statement", triggers={POLICY}):
    """A table or column that the user's policy denies.

    What it finds: a reference to a name in `Policy.denied_tables` or `denied_columns`; `*`, the
    name of a whole row, `USING`, `NATURAL`, `COLUMNS(…)` and column aliases (`users AS u(a, b)`)
    that include a denied column; a denied name in `EXPLAIN`, `DESCRIBE`, `SHOW` and the like.
    Why it matters: the user decided that no answer may read it.
    Known limits: a column of an unknown table is denied if any table's column of that name is; the
    rule does not look into views.
    Example: `SELECT salary FROM employees` under `denied_columns={"employees.salary"}`
    Instead: ask the owner of the data
    """

    def findings(self, case: Case) -> Findings:
        policy = case.policy
        if policy is None:
            return
        tables = {name.lower() for name in policy.denied_tables}
        for use in case.resolution.tables:
            if not tables.isdisjoint(spellings(use)):
                message = f"The policy denies the table {use.name.name}."
                yield self.at(use.name, message, use.name.name, detail="policy")
        for node, name in _unresolved(case, tables):
            yield self.at(node, f"The policy denies the table {name}.", name, detail="policy")
        columns = {name.lower().rpartition(".")[2] for name in policy.denied_columns}
        for start, word in _words(case, tables | columns):
            place = start, start + len(word)
            yield self.at(place, f"The policy denies {word}.", word, detail="policy")
        if policy.denied_columns:
            denied = _Denied(case, {name.lower() for name in policy.denied_columns})
            for node, column in denied.references():
                message = f"The policy denies the column {column}."
                yield self.at(node, message, column, detail="policy")


def _unresolved(case: Case, denied: AbstractSet[str]) -> Iterator[tuple[exp.Expr, str]]:
    """Yield denied tables that were not resolved: `FINAL`, `IDENTIFIER('users')`, `STREAM(t)`."""
    if not denied:
        return
    resolved = {id(use.node) for use in case.resolution.tables}
    ctes = {cte.alias.lower() for cte in case.nodes.get(exp.CTE, ())}
    for table in case.nodes.get(exp.Table, ()):
        if id(table) in resolved:
            continue
        named = table.this.expressions if isinstance(table.this, exp.Func) else [table]
        for node in named:
            if node.name.lower() in denied and node.name.lower() not in ctes:
                yield node, node.name


def _words(case: Case, denied: AbstractSet[str]) -> Iterator[tuple[int, str]]:
    """Yield the denied words of `EXPLAIN`, `DESCRIBE` and the like, whose parts are not nodes."""
    if isinstance(case.statement.tree, (exp.Command, exp.Describe, exp.Show, exp.Summarize)):
        for found in _WORD.finditer(case.statement.sql):
            if found[0].lower() in denied:
                yield found.start(), found[0]


_WORD: Final = re.compile(r"\w+")


def spellings(use: TableUse) -> set[str]:
    """Return the spellings of a table in a policy: with and without its namespace."""
    names = {use.name.name.lower()}
    namespace = use.node.db or (use.table.db if use.table is not None else None)
    if use.table is not None:
        names.add(use.table.name.lower())
    return names | {f"{namespace}.{name}".lower() for name in names} if namespace else names


class _Denied:
    """The denied columns of one statement."""

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
        for use in self._case.resolution.tables:
            yield from self._renamed(use)
        yield from self._compared()
        for select in self._case.resolution.selects:
            yield from self._by_star(select)

    def _compared(self) -> Iterator[tuple[exp.Expr, str]]:
        """Yield what a NATURAL join compares without naming it: it may confirm a guess."""
        for select in self._case.resolution.selects:
            natural = [join for join in joins(select.node) if join.method == "NATURAL"]
            if not natural:
                continue
            for relation in select.relations.values():
                for name in relation.columns:
                    if relation.table is not None and self._denies(relation, name):
                        yield natural[0].this, name

    def _renamed(self, use: TableUse) -> Iterator[tuple[exp.Expr, str]]:
        """Yield the column aliases of denied columns: `users AS u(a, b)`."""
        alias = use.node.args.get("alias")
        if alias is None or use.table is None:
            return
        owners = (use.table.name, f"{use.table.db}.{use.table.name}")
        for new, column in zip(alias.args.get("columns") or (), use.table.outputs, strict=False):
            names = {column.name.lower(), *(f"{one}.{column.name}".lower() for one in owners)}
            if not names.isdisjoint(self._columns):
                yield new, column.name

    def _is_denied(self, node: exp.Expr) -> bool:
        name = node.name.lower()
        if name not in self._last_parts:
            return False
        use = self._case.uses.get(id(node))
        if use is None:
            return not self._is_elsewhere(node)
        return use.relation.table is not None and self._denies(use.relation, name)

    def _is_elsewhere(self, node: exp.Expr) -> bool:
        """Return whether a qualifier names a table whose columns of that name are not denied."""
        for fault in self._case.resolution.column_faults:
            if fault.identifier is node.this and fault.problem == "misplaced":
                return not any(self._denies(owner, node.name.lower()) for owner in fault.relations)
        return False

    def _denies(self, relation: Relation, column: str) -> bool:
        table = relation.table
        owners = [] if table is None else [table.name, f"{table.db}.{table.name}"]
        return column in self._columns or any(
            f"{owner}.{column}".lower() in self._columns for owner in owners
        )

    def _by_star(self, select: Scope) -> Iterator[tuple[exp.Expr, str]]:
        """Yield the stars and whole rows of a SELECT that include a denied column."""
        relations = select.by_source()
        for source in sources(select.node) if relations else ():
            relation = relations[id(source)]
            column = next(filter(lambda name: self._denies(relation, name), relation.columns), None)
            if column is not None and relation.table is not None:
                for node in _whole_rows(select.node, source.alias_or_name.lower()):
                    yield node, relation.columns[column].name


def _whole_rows(select: exp.Select, name: str) -> Iterator[exp.Expr]:
    """Yield `*`, `name.*` and `name` where they mean all columns of a source."""
    for item in select.expressions:
        if isinstance(item, exp.Star) or any(map(chooses_columns, item.find_all(exp.Anonymous))):
            yield item
    for column in select.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            if column.table.lower() == name:
                yield column
        elif not column.table and column.name.lower() == name:
            yield column
