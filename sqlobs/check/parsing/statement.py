"""One parsed statement: its tokens, their shape, its tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.token_pattern import letter_of

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

LITERALS: Final = frozenset(
    {
        TokenType.STRING,
        TokenType.NUMBER,
        TokenType.BIT_STRING,
        TokenType.HEX_STRING,
        TokenType.BYTE_STRING,
        TokenType.NATIONAL_RAW_STRING,
        TokenType.NATIONAL_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.UNICODE_STRING,
    }
)
SEMICOLON: Final = letter_of(TokenType.SEMICOLON)
"""The separator of statements in a shape."""


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """Where parsing stopped, and the message."""

    message: str
    start: int | None = None
    end: int | None = None


@dataclass(slots=True, eq=False)
class Statement:
    """A statement as the parser reads it. It lives as long as its check: trees are never cached."""

    sql: str
    dialect: str
    tokens: tuple[Token, ...]
    """Those of the first statement; empty if the text cannot be tokenized."""
    tree: exp.Expr | None
    """The first statement; None when nothing parses."""
    shape: str = ""
    """One letter for each of `tokens`, see `token_pattern`."""
    all_tokens: tuple[Token, ...] = ()
    """Those of the whole text, which may contain several statements."""
    whole_shape: str = ""
    """One letter for each of `all_tokens`."""
    words: frozenset[str] = frozenset()
    """Its tokens in upper case: enough for most rules."""
    is_orderly: bool = False
    """Clauses, joins and brackets are certainly in order."""
    own_calls: tuple[Token, ...] = ()
    """Names of calls with a special grammar (`EXTRACT(…)`), which the tree does not keep."""
    fault: SyntaxFault | None = None
    has_further_text: bool = False
    """The first statement is followed by more than its semicolon."""
    foreign_dialect: str | None = None
    """The dialect that parsed the tree, if the statement's own could not."""

    @property
    def count(self) -> int:
        """The number of statements in the text."""
        return sum(map(bool, self.whole_shape.split(SEMICOLON)))

    @property
    def is_opaque(self) -> bool:
        """True for statements that sqlglot keeps as text (SHOW, EXPLAIN, rare DDL)."""
        return self.tree.__class__ is exp.Command
