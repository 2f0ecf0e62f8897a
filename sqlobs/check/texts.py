"""Texts about a checked statement, made when somebody asks for them: fingerprint, masked text.

The tokens of the latest checks are at hand for that, since spans ask at once; those of earlier
ones are made again, so that kept reports hold none.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final
from weakref import ref

from sqlobs.check.fingerprint import fingerprint
from sqlobs.check.later import Later
from sqlobs.check.masking import mask_sql
from sqlobs.check.shape import shape_of
from sqlobs.check.statement import SyntaxFault
from sqlobs.check.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.statement import Statement


class _Tokens:
    """The tokens of one check."""

    __slots__ = ("__weakref__", "shape", "tokens")

    def __init__(self, tokens: tuple[Token, ...], shape: str) -> None:
        self.tokens = tokens
        self.shape = shape


_latest: Final[deque[_Tokens]] = deque(maxlen=4)
"""Nothing else holds them."""
_LONG: Final = 4096
"""Tokens of a statement that has no other one kept beside it, for the memory that they take."""


class _Texts:
    """What can be said about a statement from its tokens alone."""

    __slots__ = ("_ansi_quotes", "_at_hand", "_dialect", "_known", "_sql")

    def __init__(
        self, statement: Statement, known: Callable[[str], bool] | None, *, ansi_quotes: bool
    ) -> None:
        """Keep what the texts are made of.

        Args:
            statement: what was checked; the texts are about all of its tokens.
            known: whether the schema has a name.
            ansi_quotes: as its tokens were cut.
        """
        made = _Tokens(statement.all_tokens, statement.whole_shape)
        if len(made.tokens) > _LONG:
            _latest.clear()
        _latest.append(made)
        self._at_hand = ref(made)
        self._sql, self._dialect, self._known = statement.sql, statement.dialect, known
        self._ansi_quotes = ansi_quotes

    def fingerprint(self) -> str | None:
        """Return the fingerprint; None where the text cannot be cut into tokens."""
        found = self._tokens()
        return None if found is None else fingerprint(found.tokens, found.shape)

    def masked(self) -> str | None:
        """Return the statement with its values masked; None as above."""
        found = self._tokens()
        if found is None:
            return None
        return mask_sql(
            self._sql,
            dialect=self._dialect,
            tokens=found.tokens,
            shape=found.shape,
            known=self._known,
        )

    def _tokens(self) -> _Tokens | None:
        found = self._at_hand()
        if found is not None:
            return found
        tokens = tokenize(self._sql, self._dialect, ansi_quotes=self._ansi_quotes)
        return None if isinstance(tokens, SyntaxFault) else _Tokens(tokens, shape_of(tokens))


def texts_later(
    statement: Statement, known: Callable[[str], bool] | None, *, ansi_quotes: bool
) -> tuple[Later[str | None] | None, Later[str | None] | None]:
    """Return the fingerprint and the masked text of a statement, to be made later.

    None where it has no tokens.

    Args:
        statement: what was checked.
        known: whether the schema has a name.
        ansi_quotes: as its tokens were cut.
    """
    if not statement.all_tokens:
        return None, None
    texts = _Texts(statement, known, ansi_quotes=ansi_quotes)
    return Later(texts.fingerprint), Later(texts.masked)
