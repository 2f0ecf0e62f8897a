"""The rule for statements that the dialect's grammar refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.report.model import Finding
from sqlobs.check.rules.rule import FAULT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.rules.rule import Case


class ParseError:
    """A statement that does not parse in the declared dialect.

    What it finds: text that the grammar of the dialect refuses.
    Why it matters: the database answers with a syntax error, never with rows.
    Known limits: only the first place is told; of warehouses a few constructs are not read, and
    undecided.
    Example: `SELECT name FROM`
    Instead: `SELECT name FROM customers`
    """

    code = "syntax.parse_error"
    name = "parse-error"
    triggers = frozenset({FAULT})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield the place where the parser stopped."""
        fault = case.statement.fault
        if case.profile is None and case.statement.foreign_dialect is not None:
            return  # no dialect was given, and there is one that reads it
        if fault is not None and not case.is_unread:
            yield Finding(
                self.code, "error", _sentence(fault.message), start=fault.start, end=fault.end
            )


def _sentence(message: str) -> str:
    return f"{message[:1].upper()}{message[1:]}."
