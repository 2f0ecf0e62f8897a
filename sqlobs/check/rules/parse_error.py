from __future__ import annotations

from sqlobs.check.rules.rule import FAULT, Case, Findings, Rule


class ParseError(Rule, code="syntax.parse_error", triggers={FAULT}):
    """A statement that does not parse in the declared dialect.

    What it finds: text that the grammar of the dialect rejects.
    Why it matters: the database returns a syntax error, never rows.
    Known limits: only the first position is reported; a few constructs of warehouses that sqlglot
    cannot parse are undecided.
    Example: `SELECT name FROM`
    Instead: `SELECT name FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        fault = case.statement.fault
        if case.profile is None and case.statement.foreign_dialect is not None:
            return  # no dialect was given, and another one parses it
        if fault is not None and not case.is_unread:
            message = f"{fault.message[:1].upper()}{fault.message[1:]}."
            yield self.at((fault.start, fault.end), message)
