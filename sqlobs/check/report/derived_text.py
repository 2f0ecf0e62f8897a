"""Texts about a checked statement, computed on first use: fingerprint, masked text.

The tokens of the latest checks are at hand for that, since spans ask at once; those of earlier
ones are made again, so that kept reports hold none.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from sqlobs.check.parsing.statement import SyntaxFault
from sqlobs.check.parsing.token_pattern import shape_of
from sqlobs.check.parsing.tokens import tokenize
from sqlobs.check.report.fingerprint import fingerprint
from sqlobs.check.report.masking import mask_sql

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.parsing.statement import Statement

    _Cut = tuple[tuple[Token, ...], str]
    """The tokens of a statement, with their shape."""


_latest: Final[deque[DerivedText]] = deque()
"""Those that have their tokens at hand."""
_MOST_LATEST: Final = 4
_LONG: Final = 4096
"""Tokens of a statement that has no other one kept beside it, for the memory that they take."""


class DerivedText:
    """What can be said about a statement from its tokens alone."""

    __slots__ = ("_ansi_quotes", "_dialect", "_known", "_sql", "cut")

    def __init__(
        self, statement: Statement, known: Callable[[str], bool] | None, *, ansi_quotes: bool
    ) -> None:
        """Keep what the texts are made of.

        Args:
            statement: what was checked; the texts are about all of its tokens.
            known: whether the schema has a name.
            ansi_quotes: as its tokens were cut.
        """
        self._sql, self._dialect, self._known = statement.sql, statement.dialect, known
        self._ansi_quotes = ansi_quotes
        self.cut: _Cut | None = (statement.all_tokens, statement.whole_shape)
        """None: they were let go."""
        _latest.append(self)
        most = _MOST_LATEST if len(statement.all_tokens) <= _LONG else 1
        while len(_latest) > most:
            try:
                _latest.popleft().cut = None
            except IndexError:  # another thread was faster
                break

    def fingerprint(self) -> str | None:
        """Return the fingerprint; None where the text cannot be cut into tokens."""
        cut = self._tokens()
        return None if cut is None else fingerprint(*cut)

    def masked(self) -> str | None:
        """Return the statement with its values masked; None as above."""
        cut = self._tokens()
        if cut is None:
            return None
        tokens, shape = cut
        return mask_sql(
            self._sql, dialect=self._dialect, tokens=tokens, shape=shape, known=self._known
        )

    def _tokens(self) -> _Cut | None:
        cut = self.cut
        if cut is not None:
            return cut
        tokens = tokenize(self._sql, self._dialect, ansi_quotes=self._ansi_quotes)
        return None if isinstance(tokens, SyntaxFault) else (tokens, shape_of(tokens))
