"""One statement read once: its tokens and its tree, calls kept as they were written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

OWN_SYNTAX: Final = frozenset(
    {
        "CAST",
        "TRY_CAST",
        "SAFE_CAST",
        "CONVERT",
        "EXTRACT",
        "TRIM",
        "SUBSTRING",
        "POSITION",
        "OVERLAY",
        "STRING_AGG",
        "GROUP_CONCAT",
        "DECODE",
        "IF",
        "ARRAY",
        "STRUCT",
        "MAP",
        "UNNEST",
        "VALUES",
        "CHAR",
    }
)
"""Calls whose arguments have a grammar of their own; sqlglot's own node keeps what was written."""


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


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """Where reading stopped, and the sentence that says so."""

    message: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as the parser sees it. Lives only as long as its check: trees are never kept."""

    sql: str
    dialect: str
    tokens: tuple[Token, ...]
    """Empty where the text cannot be cut into tokens."""
    tree: exp.Expr | None
    """The first statement; None when nothing parses."""
    count: int
    """How many statements the text holds."""
    fault: SyntaxFault | None = None
    foreign_dialect: str | None = None
    """The dialect that the tree was read in, where its own refuses the statement."""

    @property
    def is_opaque(self) -> bool:
        """True for what sqlglot keeps as text only (SHOW, EXPLAIN, odd DDL)."""
        return isinstance(self.tree, exp.Command)


def tokenize(sql: str, dialect: str) -> tuple[Token, ...] | SyntaxFault:
    """Cut a text into tokens, or say where that failed."""
    try:
        return tuple(Dialect.get_or_raise(dialect).tokenize(sql))
    except TokenError:
        return SyntaxFault("the text cannot be cut into tokens: a quote or comment is not closed")


def parse(sql: str, *, dialect: str, tokens: tuple[Token, ...]) -> Statement:
    """Parse the tokens of one text.

    Calls are kept as written: a comment `sqlglot.anonymous` behind a call keeps the parser from
    turning it into a node of its own, which would lose the name and the order of arguments.
    """
    engine = Dialect.get_or_raise(dialect)
    _mark_calls(tokens)
    try:
        trees = engine.parser().parse(list(tokens), sql)
    except ParseError as error:
        return Statement(sql, dialect, tokens, None, _count(tokens), _fault(error, tokens))
    except Exception:  # noqa: BLE001 - builders of malformed calls raise TypeError and others
        return Statement(
            sql,
            dialect,
            tokens,
            None,
            _count(tokens),
            SyntaxFault("the statement cannot be parsed"),
        )
    tree = next((tree for tree in trees if tree is not None), None)
    if isinstance(tree, exp.Block):
        tree = next(iter(tree.expressions), None)
    return Statement(sql, dialect, tokens, tree, _count(tokens))


def _mark_calls(tokens: Sequence[Token]) -> None:
    opened: list[Token | None] = []
    before: Token | None = None
    for token in tokens:
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            opened.append(before)
        elif kind is TokenType.R_PAREN and opened:
            name = opened.pop()
            if name is not None and name.text.upper() not in OWN_SYNTAX:
                token.comments.append(exp.SQLGLOT_ANONYMOUS)
        before = token


def _count(tokens: Sequence[Token]) -> int:
    statements, empty = 0, True
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            statements += not empty
            empty = True
        else:
            empty = False
    return statements + (not empty)


def _fault(error: ParseError, tokens: Sequence[Token]) -> SyntaxFault:
    place = error.errors[0] if error.errors else {}
    line, column = place.get("line"), place.get("col")
    for token in tokens:
        if token.line == line and token.col == column:
            return SyntaxFault(
                f"the statement cannot be parsed {_near(token)}", token.start, token.end + 1
            )
    return SyntaxFault("the statement cannot be parsed")


def _near(token: Token) -> str:
    """Name a place in the text. Literals are never quoted: they may hold personal data."""
    return f"near {token.text}" if token.token_type not in LITERALS else "near a literal"
