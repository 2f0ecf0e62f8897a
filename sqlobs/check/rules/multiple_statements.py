"""The rule for texts that hold more than one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.parsing.parser import is_sql_to_its_end
from sqlobs.check.report.model import Finding
from sqlobs.check.rules.rule import FURTHER_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.rules.rule import Case


class MultipleStatements:
    """Several statements where one is expected.

    What it finds: a second statement, or prose, behind a semicolon.
    Why it matters: drivers reject it, or run what nobody asked for.
    Known limits: DuckDB and SQL Server run all of them; there it is a warning.
    Example: `SELECT 1; SELECT 2`
    Instead: `SELECT 1`
    """

    code = "syntax.parse_error"
    name = "multiple-statements"
    triggers = frozenset({FURTHER_TEXT})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding at the second statement."""
        if case.statement.count < 2 or case.is_unread:  # noqa: PLR2004 - the second is the flaw
            return
        start = case.statement.tokens[-1].end + 2
        runs = case.traits.takes_several_statements and is_sql_to_its_end(case.statement)
        yield Finding(
            self.code,
            "warning" if runs else "error",
            f"The text contains {case.statement.count} statements; expected one.",
            start=start,
            end=len(case.statement.sql.rstrip()),
            detail="multi",
        )
