"""The rule of values with nothing between them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.rules.rule import finding_at_token
from sqlobs.check.token_kinds import table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case

_VALUES: Final = table_of({TokenType.STRING, TokenType.NUMBER})


class AdjacentValues:
    """Two literals with nothing between them.

    What it finds: `IN ('a' 'b')`, `BETWEEN 1 2`, `'a' 5`.
    Why it matters: sqlglot glues or fills, engines answer with a syntax error.
    Known limits: MySQL joins adjacent strings, PostgreSQL and DuckDB do across lines; a string
    behind a value may be an alias in SQLite and MySQL.
    Example: `SELECT name FROM customers WHERE city IN ('Oslo' 'Bergen')`
    Instead: `SELECT name FROM customers WHERE city IN ('Oslo', 'Bergen')`
    """

    code = "syntax.parse_error"
    name = "adjacent-values"

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield the second of two such values."""
        if case.catalogue is None or not _may_be_wrong(case.statement.tokens):
            return
        levels, before = [TokenType.SELECT], None
        for token, after in pairwise(case.statement.tokens):
            kind = token.token_type
            if kind is TokenType.L_PAREN:
                levels.append(after.token_type)
            elif kind is TokenType.R_PAREN and len(levels) > 1:
                levels.pop()
            elif _VALUES[kind] and _VALUES[after.token_type]:
                in_list = levels[-1] is not TokenType.SELECT
                bound = before is not None and before.token_type is TokenType.BETWEEN
                if _is_wrong(case, token, after, certain=in_list or bound):
                    message = "There is nothing between two values."
                    yield finding_at_token(after, code=self.code, message=message)
            before = token


def _may_be_wrong(tokens: Sequence[Token]) -> bool:
    before = False
    for token in tokens:
        is_value = _VALUES[token.token_type]
        if is_value and before:
            return True
        before = is_value
    return False


def _is_wrong(case: Case, token: Token, after: Token, *, certain: bool) -> bool:
    """Say whether two values may not follow each other; `certain`: the second is no alias."""
    if after.token_type is TokenType.NUMBER:
        return True
    if token.token_type is TokenType.STRING:
        if case.takes("adjacent_strings"):
            return False
        if case.takes("adjacent_strings_on_lines") and after.line > token.line:
            return False
    return certain or not case.takes("bare_string_alias")
