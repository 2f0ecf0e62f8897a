"""The rule of calls with a number of arguments that the function does not take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.rules.rule import finding_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case


class WrongArgumentCount:
    """A call with a number of arguments that the function does not take.

    What it finds: more or fewer arguments than any signature of the name has.
    Why it matters: the model remembers the function of another dialect.
    Example: `SELECT ifnull(name)` in SQLite
    Instead: `SELECT ifnull(name, '')`
    """

    code = "syntax.dialect_mismatch"
    name = "wrong-argument-count"
    concerns = frozenset({"calls"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such call."""
        if case.catalogue is None:
            return
        for call in case.facts.calls:
            name = call.name.lower()
            if call.qualified or name in case.grounds.declared_functions:
                continue
            if name in case.catalogue.functions and not case.catalogue.kinds(name, call.arguments):
                yield finding_at(
                    call.node,
                    code=self.code,
                    message=f"The function {call.name} does not take {call.arguments} arguments.",
                    identifier=call.name,
                    detail="arity",
                )
