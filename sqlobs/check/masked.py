"""The masked text of a checked statement, made when somebody asks for it.

The tokens of the latest checks are at hand for that, since spans ask at once; those of earlier
ones are made again, so that kept reports hold none.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final
from weakref import ref

from sqlobs.check.later import Later
from sqlobs.check.masking import mask_sql
from sqlobs.check.statement import SyntaxFault, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.statement import Statement


class _Tokens:
    """The tokens of one check."""

    __slots__ = ("__weakref__", "shape", "tokens")

    def __init__(self, tokens: tuple[Token, ...], shape: str | None) -> None:
        self.tokens = tokens
        self.shape = shape


_latest: Final[deque[_Tokens]] = deque(maxlen=16)
"""Nothing else holds them."""


def masked_later(
    statement: Statement, known: Callable[[str], bool] | None
) -> Later[str | None] | None:
    """Return the statement with its values masked, to be made later; None: it has no tokens.

    Args:
        statement: what was checked.
        known: whether the schema has a name.
    """
    if not statement.all_tokens:
        return None
    is_all = len(statement.tokens) == len(statement.all_tokens)
    made = _Tokens(statement.all_tokens, statement.shape if is_all else None)
    _latest.append(made)
    at_hand, sql, dialect = ref(made), statement.sql, statement.dialect

    def masked() -> str | None:
        found = at_hand() or _made_again(sql, dialect)
        if found is None:
            return None
        return mask_sql(sql, dialect=dialect, tokens=found.tokens, shape=found.shape, known=known)

    return Later(masked)


def _made_again(sql: str, dialect: str) -> _Tokens | None:
    tokens = tokenize(sql, dialect)
    return None if isinstance(tokens, SyntaxFault) else _Tokens(tokens, None)
