"""The rule of types that CAST does not take."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.rules.rule import finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case


class RefusedCast:
    """A type that CAST does not take, though columns may have it.

    What it finds: `CAST(x AS REAL)` in MySQL and MariaDB.
    Why it matters: the grammar lists the types of CAST; another one is a syntax error.
    Example: `SELECT CAST(total_revenue AS REAL) FROM orders` in MariaDB
    Instead: `SELECT CAST(total_revenue AS DOUBLE) FROM orders`
    """

    code = "syntax.parse_error"
    name = "refused-cast"

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such type."""
        if case.catalogue is None or not case.catalogue.cast_types:
            return
        for token in _cast_types(case.statement.tokens):
            if token.text.lower() not in case.catalogue.cast_types:
                yield finding_at_token(
                    token,
                    code=self.code,
                    message=f"CAST does not take the type {token.text}.",
                    identifier=token.text,
                )


def _cast_types(tokens: tuple[Token, ...]) -> Iterator[Token]:
    """Yield the first word of the type of each CAST."""
    casts: list[bool] = []
    before: Token | None = None
    for token, after in pairwise(tokens):
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            casts.append(before is not None and before.text.upper() == "CAST")
        elif kind is TokenType.R_PAREN and casts:
            casts.pop()
        elif kind is TokenType.ALIAS and casts and casts[-1]:
            yield after
        before = token
