"""One statement read once: its tokens and its tree, calls kept as they were written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.token_kinds import table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.parser import Parser
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
    """Of the first statement. Empty where the text cannot be cut into tokens."""
    tree: exp.Expr | None
    """The first statement; None when nothing parses."""
    all_tokens: tuple[Token, ...]
    """Of the whole text: several statements, where it holds several."""
    own_calls: tuple[Token, ...] = ()
    """Names of calls that have a grammar of their own, so that the tree does not keep them."""
    fault: SyntaxFault | None = None
    foreign_dialect: str | None = None
    """The dialect that the tree was read in, where its own refuses the statement."""

    @property
    def count(self) -> int:
        """How many statements the text holds."""
        return _count(self.all_tokens)

    @property
    def rest_parses(self) -> bool:
        """Say whether what follows the first statement is SQL too."""
        rest = self.all_tokens[len(self.tokens) :]
        try:
            trees = dialect_of(self.dialect).parser().parse(list(rest), self.sql)
        except Exception:  # noqa: BLE001 - whatever the parser raises, it is no SQL
            return False
        return all(_is_statement(tree) and not isinstance(tree, exp.Command) for tree in trees)

    @property
    def is_opaque(self) -> bool:
        """True for what sqlglot keeps as text only (SHOW, EXPLAIN, odd DDL)."""
        return isinstance(self.tree, exp.Command)


@lru_cache(maxsize=64)
def dialect_of(name: str) -> Dialect:
    """Return sqlglot's dialect of a name; kept, since looking it up costs as much as a rule."""
    return Dialect.get_or_raise(name)


def tokenize(sql: str, dialect: str) -> tuple[Token, ...] | SyntaxFault:
    """Cut a text into tokens, or say where that failed."""
    if dialect == "duckdb" and "`" in sql:
        sql = _BACKTICKED.sub(_requoted, sql)
    try:
        return tuple(dialect_of(dialect).tokenize(sql))
    except TokenError:
        return SyntaxFault("the text cannot be cut into tokens: a quote or comment is not closed")


_BACKTICKED: Final = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|(?P<quoted>`[^`"]*`)""", re.DOTALL
)


def _requoted(found: re.Match[str]) -> str:
    """DuckDB takes backticks as quotes of names, sqlglot's tokeniser of DuckDB does not."""
    quoted = found["quoted"]
    return found[0] if quoted is None else f'"{quoted[1:-1]}"'


def parse(sql: str, *, dialect: str, tokens: tuple[Token, ...]) -> Statement:
    """Parse the tokens of one text.

    Calls are kept as written: a comment `sqlglot.anonymous` behind a call keeps the parser from
    turning it into a node of its own, which would lose the name and the order of arguments.
    """
    parser = dialect_of(dialect).parser()
    first = _first_statement(tokens)
    own_calls = _mark_calls(first, parser, dialect)
    try:
        trees = parser.parse(list(first), sql)
    except ParseError as error:
        where = _fault(error, tokens)
        return Statement(sql, dialect, first, None, tokens, own_calls, where)
    except Exception:  # noqa: BLE001 - builders of malformed calls raise TypeError and others
        fault = SyntaxFault("the statement cannot be parsed")
        return Statement(sql, dialect, first, None, tokens, own_calls, fault)
    tree = next((tree for tree in trees if tree is not None), None)
    if isinstance(tree, exp.Block):
        tree = next(iter(tree.expressions), None)
    strange = None if _is_statement(tree) else _no_statement(first)
    return Statement(sql, dialect, first, tree, tokens, own_calls, strange)


_BEFORE_TYPES: Final = table_of({TokenType.ALIAS, TokenType.DCOLON})
"""Tokens before the name of a type: `CAST(x AS char(3))`, `x::char(3)`."""


@lru_cache(maxsize=64)
def _call_names(dialect: str) -> tuple[bool, ...]:
    return table_of(dialect_of(dialect).parser().FUNC_TOKENS)


def _mark_calls(tokens: Sequence[Token], parser: Parser, dialect: str) -> tuple[Token, ...]:
    """Mark the end of each call; return the names of those that sqlglot reads its own way."""
    functions = _call_names(dialect)
    own = parser.FUNCTION_PARSERS.keys() | {"IF", "MAP"}
    opened: list[Token | None] = []
    read_apart: list[Token] = []
    before: Token | None = None
    is_type = False
    for token in tokens:
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            is_call = before is not None and functions[before.token_type]
            opened.append(before if is_call and not is_type else None)
        elif kind is TokenType.R_PAREN and opened:
            name = opened.pop()
            if name is None:
                pass
            elif name.text.upper() in own:
                read_apart.append(name)
            else:
                token.comments.append(exp.SQLGLOT_ANONYMOUS)
        is_type = before is not None and _BEFORE_TYPES[before.token_type]
        before = token
    return tuple(read_apart)


def _first_statement(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    begun = None
    for place, token in enumerate(tokens):
        if token.token_type is not TokenType.SEMICOLON:
            begun = place if begun is None else begun
        elif begun is not None:
            return tokens[begun:place]
    return tokens[begun or 0 :]


def _is_statement(tree: exp.Expr | None) -> bool:
    """Say whether a tree is a statement: sqlglot also reads a bare expression."""
    if tree is None or isinstance(tree, exp.Query):
        return True
    return not isinstance(tree, (exp.Condition, exp.Alias, exp.Aliases, exp.Tuple, exp.Identifier))


def _no_statement(tokens: Sequence[Token]) -> SyntaxFault:
    return SyntaxFault(
        f"this is no statement {_near(tokens[0])}", tokens[0].start, tokens[0].end + 1
    )


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
