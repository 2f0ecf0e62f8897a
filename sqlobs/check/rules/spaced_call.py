from __future__ import annotations

import re
from typing import Final

from sqlobs.check.parsing.tokens import OPEN
from sqlobs.check.rules.rule import Case, Findings, Rule

_BEFORE_BRACKET: Final = re.compile(f".(?={OPEN})", re.DOTALL)


class SpacedCall(Rule, code="syntax.dialect_mismatch", triggers={"("}):
    """A call with a blank between name and parenthesis, in an engine that then sees no call.

    What it finds: `count (*)` in MySQL and MariaDB, for the functions whose names are also words of
    the grammar.
    Why it matters: without the mode IGNORE_SPACE the server looks for a stored function.
    Example: `SELECT count (*) FROM orders` in MariaDB
    Instead: `SELECT count(*) FROM orders`
    Options: `Profile.sql_mode` with `IGNORE_SPACE` turns it off.
    """

    def findings(self, case: Case) -> Findings:
        spaced, profile = case.knowledge.spaced, case.profile
        if not spaced or profile is None:
            return
        if "IGNORE_SPACE" in profile.sql_mode:
            return
        tokens = case.statement.tokens
        for found in _BEFORE_BRACKET.finditer(case.statement.shape):
            name, bracket = tokens[found.start()], tokens[found.end()]
            if bracket.start > name.end + 1 and name.text.lower() in spaced:
                message = (
                    f"A space is not allowed between the function {name.text} and its parenthesis."
                )
                yield self.at(name, message, name.text)
