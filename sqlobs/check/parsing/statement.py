"""One statement as it was read: its tokens, its shape, its tree."""

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
"""What stands between statements, by its letter."""


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """Where reading stopped, and the sentence that says so."""

    message: str
    start: int | None = None
    end: int | None = None


@dataclass(slots=True, eq=False)
class Statement:
    """A statement as the parser sees it. Lives only as long as its check: trees are never kept."""

    sql: str
    dialect: str
    tokens: tuple[Token, ...]
    """Of the first statement. Empty where the text cannot be cut into tokens."""
    tree: exp.Expr | None
    """The first statement; None when nothing parses."""
    shape: str = ""
    """Of these tokens, one letter for each."""
    all_tokens: tuple[Token, ...] = ()
    """Of the whole text: several statements, where it holds several."""
    whole_shape: str = ""
    """Of all tokens."""
    words: frozenset[str] = frozenset()
    """Its tokens in upper case: most rules need only look here."""
    is_orderly: bool = False
    """Clauses, joins and brackets are certainly in order."""
    own_calls: tuple[Token, ...] = ()
    """Names of calls that have a grammar of their own, so that the tree does not keep them."""
    fault: SyntaxFault | None = None
    has_further_text: bool = False
    """There is more behind the first statement than its semicolon."""
    foreign_dialect: str | None = None
    """The dialect that the tree was read in, where its own refuses the statement."""

    @property
    def count(self) -> int:
        """How many statements the text holds."""
        return sum(map(bool, self.whole_shape.split(SEMICOLON)))

    @property
    def is_opaque(self) -> bool:
        """True for what sqlglot keeps as text only (SHOW, EXPLAIN, odd DDL)."""
        return self.tree.__class__ is exp.Command
