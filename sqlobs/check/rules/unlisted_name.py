from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from sqlglot import exp

from sqlobs.check.resolver.model.resolution import TableUse
from sqlobs.check.rules.rule import POLICY, Case, Findings, Place, Rule, own_span
from sqlobs.vocabulary import allowed_functions, listed


class UnlistedName(Rule, code="safety.unsafe_statement", triggers={POLICY}):
    """A table or function that the user's policy does not allow.

    What it finds: a table that is not in `Policy.allowed_tables`; a function that is neither in
    `Policy.allowed_functions` nor among the functions of the dialect that only compute.
    Why it matters: execution under the same policy rejects the statement.
    Known limits: the rule does not look into views.
    Example: `SELECT * FROM salaries` under `allowed_tables={"orders"}`
    Instead: read the allowed tables, or ask the owner of the data
    """

    def findings(self, case: Case) -> Findings:
        if case.policy is None:
            return
        if case.policy.allowed_tables is not None:
            for node in _tables(case, case.policy.allowed_tables):
                message = f"The policy does not allow the table {node.name}."
                yield self.at(node, message, node.name, detail="policy")
        if case.policy.allowed_functions is not None:
            yield from self._functions(case, case.policy.allowed_functions)

    def _functions(self, case: Case, allowed: AbstractSet[str]) -> Findings:
        dialect = case.grounds.dialect
        known = allowed_functions(dialect) | listed("keywords") | listed("types")
        known |= {name.lower() for name in allowed}
        calls: list[tuple[Place, str]] = [
            *((own_span(call.node), call.name) for call in case.resolution.calls),
            *((token, token.text) for token in case.statement.own_calls),
        ]
        for place, name in calls:
            if name.lower() not in known:
                message = f"The policy does not allow the function {name}."
                yield self.at(place, message, name, detail="policy")


def _tables(case: Case, allowed: AbstractSet[str]) -> Iterator[exp.Expr]:
    """Yield the names of tables that are not allowed, unresolved ones too."""
    names = frozenset(map(case.grounds.table_folding.quoted, allowed))
    for use in case.resolution.tables:
        if names.isdisjoint(_spellings(case, use)):
            yield use.name
    resolved = {id(use.node) for use in case.resolution.tables}
    ctes = {cte.alias.lower() for cte in case.nodes.get(exp.CTE, ())}
    for table in case.nodes.get(exp.Table, ()):
        if id(table) in resolved or not isinstance(table.this, exp.Identifier):
            continue
        if table.name.lower() not in ctes and table.name.lower() not in names:
            yield table.this


def _spellings(case: Case, use: TableUse) -> Iterator[str]:
    """Yield a table's name as written, and as in the schema."""
    folding = case.grounds.table_folding
    parts = [part for part in (use.node.args.get("db"), use.name) if part is not None]
    yield ".".join(
        (folding.quoted if part.args.get("quoted") else folding.plain)(part.name) for part in parts
    )
    if use.table is not None and use.table.db is not None:
        yield folding.quoted(f"{use.table.db}.{use.table.name}")
