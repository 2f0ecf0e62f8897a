"""Reuses tokenizers and parsers: creating one costs as much as several rules together."""

from __future__ import annotations

import logging
import re
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.token_pattern import CLOSE, OPEN, any_of, kept_by_shape, letter_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlglot import exp
    from sqlglot.parser import Parser
    from sqlglot.tokenizer_core import Token
    from sqlglot.tokens import Tokenizer


class Pool:
    """The idle tokenizers and parsers of one dialect; each is used by one thread at a time."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        grammar = dialect.parser_class
        self.own_calls: Final = frozenset(grammar.FUNCTION_PARSERS) | {"IF", "MAP"}
        """Calls that sqlglot reads with a grammar of their own."""
        self.words_as_calls: Final = frozenset(grammar.NO_PAREN_FUNCTION_PARSERS)
        """Words that sqlglot reads as calls without parentheses."""
        self.calls: Final = _finder_of_calls(any_of(*grammar.FUNC_TOKENS))
        """Returns the calls in a shape: the name of each, and the parenthesis that ends it."""
        self._tokenizers: list[Tokenizer] = []
        self._parsers: list[Parser] = []

    def tokens(self, sql: str) -> list[Token]:
        """Tokenize a text.

        Raises:
            TokenError: a quote or comment is not closed.
        """
        try:
            tokenizer = self._tokenizers.pop()
        except IndexError:
            tokenizer = self._dialect.tokenizer()
        try:
            return tokenizer.tokenize(sql)
        finally:
            tokenizer.tokenize("")  # forgets the text
            self._tokenizers.append(tokenizer)

    def trees(self, tokens: Iterable[Token], sql: str) -> list[exp.Expr | None]:
        """Parse tokens.

        Raises:
            ParseError: the grammar rejects them.
            Exception: whatever the builder of a malformed call raises.
        """
        try:
            parser = self._parsers.pop()
        except IndexError:
            parser = self._dialect.parser()
        _parsing.is_ours = True
        try:
            return parser.parse([*tokens], sql)
        finally:
            _parsing.is_ours = False
            parser.reset()
            self._parsers.append(parser)


@lru_cache(maxsize=64)
def pool_of(dialect: str) -> Pool:
    """Return the pool of a dialect by sqlglot's name."""
    return Pool(Dialect.get_or_raise(dialect))


_EXISTS: Final = f"{letter_of(TokenType.EXISTS)}{OPEN}" + any_of(
    TokenType.TABLE, TokenType.VALUES, TokenType.L_PAREN
)
"""EXISTS before a query without SELECT (`EXISTS (TABLE t)`), which sqlglot reads as a call."""
_BEFORE_TYPES: Final = any_of(TokenType.ALIAS, TokenType.DCOLON)
"""Tokens before the name of a type: `CAST(x AS char(3))`, `x::char(3)`."""


def _finder_of_calls(names: str) -> Callable[[str], tuple[tuple[int, int], ...]]:
    calls_and_parentheses = re.compile(
        f"(?<!{_BEFORE_TYPES})(?!{_EXISTS}){names}{OPEN}|{OPEN}|{CLOSE}"
    )

    @kept_by_shape
    def calls(shape: str) -> tuple[tuple[int, int], ...]:
        opened: list[int | None] = []
        found: list[tuple[int, int]] = []
        for match in calls_and_parentheses.finditer(shape):
            begin, end = match.span()
            if shape[begin] != CLOSE:
                opened.append(begin if end - begin > 1 else None)
            elif opened and (name := opened.pop()) is not None:
                found.append((name, begin))
        return tuple(found)

    return calls


class _Parsing(threading.local):
    """Whether this thread is parsing for us."""

    is_ours = False


_parsing = _Parsing()
# sqlglot logs statements that it keeps as text, literals included, to the application's log
logging.getLogger("sqlglot").addFilter(lambda _: not _parsing.is_ours)
