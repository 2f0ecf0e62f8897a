"""The rule of forms that belong to other dialects."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms import Joins
from sqlobs.check.forms.form import FOREIGN
from sqlobs.check.parsing.token_pattern import letter_of
from sqlobs.check.rules.form_rule import FormRule, says, triggers_of
from sqlobs.check.rules.rule import finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case

_NAME_BEFORE_JOIN: Final = re.compile(f"{letter_of(TokenType.VAR)}(?={letter_of(TokenType.JOIN)})")
"""`t FULL JOIN u`, where FULL is read as an alias of t."""


class ForeignForm(FormRule):
    """A form of another dialect.

    What it finds: clauses, operators and calls that the engine rejected when it was asked, or that
    its manual excludes.
    Why it matters: sqlglot parses them in every dialect, the engine answers with an error.
    Example: `SELECT name FROM customers WHERE name ILIKE 'a%'` in SQLite
    Instead: `SELECT name FROM customers WHERE name LIKE 'a%'`
    """

    code = FOREIGN
    name = "foreign-form"
    triggers = triggers_of(FOREIGN)

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each use of such a form."""
        yield from super().findings(case)
        is_parsed = case.statement.fault is None
        if is_parsed and "FULL" in case.statement.words and case.refuses(Joins.full_join):
            yield from _aliases(case)


def _aliases(case: Case) -> Iterator[Finding]:
    """Yield a warning for each `t FULL JOIN u` where FULL has become an alias of t."""
    for found in _NAME_BEFORE_JOIN.finditer(case.statement.shape):
        token = case.statement.tokens[found.start()]
        if token.text.upper() == "FULL":
            message = f"`FULL` is read as an alias. {says(Joins.full_join, case)}"
            finding = finding_at_token(token, code=FOREIGN, message=message)
            yield replace(finding, severity="warning")
