"""The rule of tables and columns that the user's policy denies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.rules.rule import finding_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlglot import exp

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case


class DeniedName:
    """A table or column that the user's policy denies.

    What it finds: a resolved reference to a name in `Policy.denied_tables` or `denied_columns`.
    Why it matters: the user said that no answer may read it.
    Known limits: what `*` stands for is not compared.
    Example: `SELECT salary FROM employees` under `denied_columns={"employees.salary"}`
    Instead: ask the owner of the data
    """

    code = "safety.unsafe_statement"
    name = "denied-name"

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each denied reference."""
        if case.policy is None:
            return
        tables = {name.lower() for name in case.policy.denied_tables}
        columns = {name.lower() for name in case.policy.denied_columns}
        for use in case.facts.tables:
            if use.name.name.lower() in tables:
                yield self._finding(use.name, f"The policy denies the table {use.name.name}.")
        for column in case.facts.columns:
            if not columns.isdisjoint(_spellings(column.column.owner, column.column.name)):
                yield self._finding(
                    column.node.this, f"The policy denies the column {column.column.name}."
                )

    def _finding(self, node: exp.Expr, message: str) -> Finding:
        return finding_at(
            node, code=self.code, message=message, identifier=node.name, detail="policy"
        )


def _spellings(owner: str | None, name: str) -> Iterator[str]:
    yield name.lower()
    if owner is not None:
        yield f"{owner}.{name}".lower()
