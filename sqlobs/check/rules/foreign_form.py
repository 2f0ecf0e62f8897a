"""The rule of forms that belong to other dialects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms import Joins
from sqlobs.check.forms.form import FOREIGN
from sqlobs.check.parsing.token_pattern import letter_of
from sqlobs.check.rules.form_rule import FormRule, says

if TYPE_CHECKING:
    from sqlobs.check.rules.rule import Case, Findings

_NAME_BEFORE_JOIN: Final = re.compile(f"{letter_of(TokenType.VAR)}(?={letter_of(TokenType.JOIN)})")
"""`t FULL JOIN u`, where FULL is read as an alias of t."""


class ForeignForm(FormRule, code=FOREIGN):
    """A form of another dialect.

    What it finds: clauses, operators and calls that the engine rejected when it was asked, or that
    its manual excludes.
    Why it matters: sqlglot parses them in every dialect, the engine answers with an error.
    Example: `SELECT name FROM customers WHERE name ILIKE 'a%'` in SQLite
    Instead: `SELECT name FROM customers WHERE name LIKE 'a%'`
    """

    def findings(self, case: Case) -> Findings:
        yield from super().findings(case)
        is_parsed = case.statement.fault is None
        if is_parsed and "FULL" in case.statement.words and case.refuses(Joins.full_join):
            for found in _NAME_BEFORE_JOIN.finditer(case.statement.shape):
                token = case.statement.tokens[found.start()]
                if token.text.upper() == "FULL":
                    message = f"`FULL` is read as an alias. {says(Joins.full_join, case)}"
                    yield self.at(token, message, severity="warning")
