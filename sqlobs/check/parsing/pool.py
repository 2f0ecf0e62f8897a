"""Tokenizers and parsers that are used again: making one costs as much as some rules together."""

from __future__ import annotations

import logging
import threading
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot.dialects.dialect import Dialect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlglot import exp
    from sqlglot.parser import Parser
    from sqlglot.tokenizer_core import Token
    from sqlglot.tokens import Tokenizer


@lru_cache(maxsize=64)
def dialect_of(name: str) -> Dialect:
    """Return sqlglot's dialect of a name; kept, since looking it up costs as much as a rule."""
    return Dialect.get_or_raise(name)


class Pool:
    """What one dialect has to spare. One thread at a time has a tokenizer or a parser."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._tokenizers: list[Tokenizer] = []
        self._parsers: list[Parser] = []

    def tokens(self, sql: str) -> list[Token]:
        """Cut a text into tokens.

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
            ParseError: the grammar refuses them.
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
    """Return the tokenizers and parsers of a dialect by its name."""
    return Pool(dialect_of(dialect))


class _Parsing(threading.local):
    """Whether this thread is parsing for us."""

    is_ours = False


_parsing = _Parsing()
# sqlglot writes what it keeps as text, literals and all, into the host's log
logging.getLogger("sqlglot").addFilter(lambda _: not _parsing.is_ours)
