"""The rule for statements that the dialect's grammar refuses."""

from __future__ import annotations

from sqlobs.check.rules.rule import FAULT, Case, Findings, Rule


class ParseError(Rule, code="syntax.parse_error", triggers={FAULT}):
    """A statement that does not parse in the declared dialect.

    What it finds: text that the grammar of the dialect refuses.
    Why it matters: the database answers with a syntax error, never with rows.
    Known limits: only the first place is told; of warehouses a few constructs are not read, and
    undecided.
    Example: `SELECT name FROM`
    Instead: `SELECT name FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        fault = case.statement.fault
        if case.profile is None and case.statement.foreign_dialect is not None:
            return  # no dialect was given, and there is one that reads it
        if fault is not None and not case.is_unread:
            message = f"{fault.message[:1].upper()}{fault.message[1:]}."
            yield self.at((fault.start, fault.end), message)
