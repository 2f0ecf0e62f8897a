"""The rule of calls that a blank before the bracket breaks."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.rules.rule import finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case


class SpacedCall:
    """A call with a blank between name and bracket, in an engine that then sees no call.

    What it finds: `count (*)` in MySQL and MariaDB, for the functions whose names are also words
    of the grammar.
    Why it matters: without the mode IGNORE_SPACE the server looks for a stored function.
    Example: `SELECT count (*) FROM orders`
    Instead: `SELECT count(*) FROM orders`
    Options: `Profile.sql_mode` with `IGNORE_SPACE` turns it off.
    """

    code = "syntax.dialect_mismatch"
    name = "spaced-call"

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such call."""
        catalogue, profile = case.catalogue, case.profile
        if catalogue is None or not catalogue.spaced or profile is None:
            return
        if "IGNORE_SPACE" in profile.sql_mode:
            return
        tokens = case.statement.tokens
        for token, after in pairwise(tokens):
            if (
                after.token_type is TokenType.L_PAREN
                and after.start > token.end + 1
                and token.text.lower() in catalogue.spaced
            ):
                yield finding_at_token(
                    token,
                    code=self.code,
                    message=f"{token.text} is no call with a blank before its bracket.",
                    identifier=token.text,
                )
