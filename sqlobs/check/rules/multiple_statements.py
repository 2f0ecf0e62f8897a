from __future__ import annotations

from sqlobs.check.forms import Statements
from sqlobs.check.parsing.reparse import is_sql_to_its_end
from sqlobs.check.rules.rule import FURTHER_TEXT, Case, Findings, Rule


class MultipleStatements(Rule, code="syntax.parse_error", triggers={FURTHER_TEXT}):
    """Several statements where one is expected.

    What it finds: a second statement, or prose, after a semicolon.
    Why it matters: drivers reject it, or run a statement that the user did not ask for.
    Known limits: DuckDB and SQL Server run all of them; there, it is a warning.
    Example: `SELECT 1; SELECT 2`
    Instead: `SELECT 1`
    """

    def findings(self, case: Case) -> Findings:
        if case.statement.count < 2:  # noqa: PLR2004 - the second is the flaw
            if case.rejects(Statements.empty_statement):
                at = case.statement.tokens[-1].end + 2
                yield self.at((at, at + 1), Statements.empty_statement.message)
            return
        if case.is_unread:
            return
        start = case.statement.tokens[-1].end + 2
        runs = case.traits.takes_several_statements and is_sql_to_its_end(case.statement)
        yield self.at(
            (start, len(case.statement.sql.rstrip())),
            f"The text contains {case.statement.count} statements; expected one.",
            severity="warning" if runs else "error",
            detail="multi",
        )
