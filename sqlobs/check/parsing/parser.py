"""Makes trees of tokens, calls kept as they were written; in another dialect where need be."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.engine.catalog import catalogue_of
from sqlobs.check.parsing.clause_precheck import is_orderly
from sqlobs.check.parsing.input_limits import INLINE_DEPTH, nesting
from sqlobs.check.parsing.pool import dialect_of, pool_of
from sqlobs.check.parsing.reparse import reread
from sqlobs.check.parsing.statement import LITERALS, SEMICOLON, Statement, SyntaxFault
from sqlobs.check.parsing.token_pattern import (
    CLOSE,
    OPEN,
    any_of,
    kept_by_shape,
    letter_of,
    none_of,
    shape_of,
)
from sqlobs.check.parsing.tokens import token_as, tokenize, with_replace_as_insert
from sqlobs.check.parsing.workarounds.duckdb import without_brackets_of_inserted
from sqlobs.check.parsing.workarounds.mysql import CHANGES, with_join_as_alias, without_modifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot.tokenizer_core import Token


def parse(sql: str, *, dialect: str, tokens: tuple[Token, ...], shape: str = "") -> Statement:
    """Parse the tokens of one text.

    Calls are kept as written: a comment `sqlglot.anonymous` behind a call keeps the parser from
    turning it into a node of its own, which would lose the name and the order of arguments.

    Args:
        sql: the text.
        dialect: sqlglot's name.
        tokens: all tokens of the text.
        shape: the shape of these tokens, where it is at hand.
    """
    shape = shape or shape_of(tokens)
    first, own_shape = tokens, shape
    if SEMICOLON in shape:
        first, own_shape = _first_statement(tokens, shape)
    if dialect == "mysql" and (named := with_join_as_alias(first, own_shape)) is not None:
        first, own_shape = named
    if _KEYWORD_BEHIND_DOT.search(own_shape):
        first, own_shape = _with_names_behind_dots(first, own_shape, dialect)
    own_calls = _mark_calls(first, own_shape, dialect)
    tree, fault = _tree(sql, first, own_shape, dialect)
    if not isinstance(tree, exp.Query):
        further = _freed(tokens, shape, dialect) if tree is None else None
        if isinstance(tree, exp.Command):
            further = with_replace_as_insert(sql, dialect, tokens)
        again = parse(sql, dialect=dialect, tokens=further) if further is not None else None
        if again is not None and again.tree is not None:
            return again
    in_order, words = is_orderly(own_shape), frozenset([token.text.upper() for token in first])
    has_more = len(tokens) > len(first) + 1
    return Statement(
        *(sql, dialect, first, tree, own_shape, tokens, shape),
        *(words, in_order, own_calls, fault, has_more),
    )


_COMMON: Final = ("postgres", "mysql", "sqlite")
"""Dialects to read a statement in when its own refuses it: its names are still checked."""
_MARKED: Final = {
    "tsql": ("[", "TOP", "@", "#"),
    "snowflake": (":", "QUALIFY", "FLATTEN", "$"),
    "bigquery": ("`", "UNNEST", "STRUCT", "SAFE_", "@"),
    "duckdb": ("{", "[", "QUALIFY", "PIVOT"),
    "oracle": ("(+)", "CONNECT", "ROWNUM", "MINUS", "DUAL"),
}
"""Less common ones, read where something in the text may be theirs: reading is what costs."""


def parse_elsewhere(statement: Statement) -> Statement:
    """Take the tree of another dialect that reads the statement; its own fault stays.

    None is asked twice: what is refused as it stands is most often refused by all of them.
    """
    text = statement.sql.upper()
    marked = (name for name, marks in _MARKED.items() if any(mark in text for mark in marks))
    for dialect in (*_COMMON, *marked):
        if dialect == statement.dialect:
            continue
        tokens = tokenize(statement.sql, dialect)
        if isinstance(tokens, SyntaxFault):
            continue
        first, shape = _first_statement(tokens, shape_of(tokens))
        if nesting(first, statement.sql, shape) > INLINE_DEPTH:
            continue  # `[` quotes a name in one dialect, and nests in another
        _mark_calls(first, shape, dialect)
        try:
            trees = pool_of(dialect).trees(first, statement.sql)
        except Exception:  # noqa: BLE001, S112 - as in `_tree`; the next dialect is asked
            continue
        tree, _ = _first_tree(trees, first)
        if tree is not None and not isinstance(tree, exp.Command):
            words = frozenset([token.text.upper() for token in first])
            return replace(statement, tree=tree, words=words, foreign_dialect=dialect)
    return statement


def further_statements(statement: Statement) -> list[tuple[exp.Expr, Token]]:
    """Return the statements behind the first one that can be parsed, each with its first token."""
    found: list[tuple[exp.Expr, Token]] = []
    begin = 0
    for part in statement.whole_shape.split(SEMICOLON):
        tokens = statement.all_tokens[begin : begin + len(part)]
        begin += len(part) + 1
        tokens = tuple(token for token in tokens if not _ends_batch(token, statement.dialect))
        if tokens and tokens[0] is not statement.tokens[0]:
            shape = shape_of(tokens)
            _mark_calls(tokens, shape, statement.dialect)
            tree, _ = _tree(statement.sql, tokens, shape, statement.dialect)
            if tree is not None:
                found.append((tree, tokens[0]))
    return found


def _ends_batch(token: Token, dialect: str) -> bool:
    """Say whether a word is the mark that the tools of SQL Server have between batches."""
    return dialect == "tsql" and token.text.upper() == "GO"


def is_sql_to_its_end(statement: Statement) -> bool:
    """Say whether what follows the first statement is SQL too."""
    rest = statement.all_tokens[len(statement.tokens) :]
    rest = tuple(token for token in rest if not _ends_batch(token, statement.dialect))
    try:
        trees = pool_of(statement.dialect).trees(rest, statement.sql)
    except Exception:  # noqa: BLE001 - whatever the parser raises, it is no SQL
        return False
    return all(_is_statement(tree) and not isinstance(tree, exp.Command) for tree in trees)


def _tree(
    sql: str, tokens: tuple[Token, ...], shape: str, dialect: str
) -> tuple[exp.Expr | None, SyntaxFault | None]:
    """Return the tree, or where the parser stopped; both for what is no statement."""
    try:
        trees = _trees(sql, tokens, shape, dialect)
    except ParseError as error:
        return None, _fault(error, tokens)
    except Exception:  # noqa: BLE001 - builders of malformed calls raise TypeError and others
        return None, SyntaxFault("the statement cannot be parsed")
    return _first_tree(trees, tokens)


def _first_tree(
    trees: Sequence[exp.Expr | None], tokens: tuple[Token, ...]
) -> tuple[exp.Expr | None, SyntaxFault | None]:
    """Return the tree of the first statement, with the fault of what is no statement."""
    tree = trees[0] if trees else None
    if isinstance(tree, exp.Query):
        return tree, None
    if isinstance(tree, exp.Block):
        tree = next(iter(tree.expressions), None)
    return tree, None if _is_statement(tree) else _no_statement(tokens)


def _trees(sql: str, tokens: Sequence[Token], shape: str, dialect: str) -> list[exp.Expr | None]:
    """Parse; what sqlglot refuses in a dialect although the engine takes it, in another way.

    In MySQL a VALUES list that stands for a query is read with the parser of no dialect.
    """
    if dialect == "mysql" and shape[:1] in CHANGES:
        tokens = without_modifiers(tokens)
    elif dialect == "duckdb" and shape[:1] in CHANGES:
        tokens = without_brackets_of_inserted(tokens, shape)
    try:
        return pool_of(dialect).trees(tokens, sql)
    except ParseError:
        if dialect == "mysql" and _VALUES_QUERY.search(shape):
            return pool_of("").trees(tokens, sql)
        again = reread(tokens, dialect)
        if again is None:
            raise
        return pool_of(dialect).trees(again, sql)


def _with_names_behind_dots(
    tokens: tuple[Token, ...], shape: str, dialect: str
) -> tuple[tuple[Token, ...], str]:
    """Return tokens and shape with names for the keywords behind dots that the engine takes there.

    What reads the shape takes `t.from` for no clause then.
    """
    if (catalogue := catalogue_of(dialect)) is None:
        return tokens, shape
    again, letters = [*tokens], [*shape]
    for found in _KEYWORD_BEHIND_DOT.finditer(shape):
        place = found.end() - 1
        token = tokens[place]
        if token.text.isidentifier() and token.text.upper() not in catalogue.reserved["qualified"]:
            again[place] = token_as(TokenType.VAR, token.text, token)
            letters[place] = letter_of(TokenType.VAR)
    return tuple(again), "".join(letters)


def _freed(tokens: Sequence[Token], shape: str, dialect: str) -> tuple[Token, ...] | None:
    """Make names of words where a value stands that sqlglot keeps for itself, the engine not.

    None: there are no such words.
    """
    catalogue = catalogue_of(dialect)
    if catalogue is None:
        return None
    reserved, behind_dot = catalogue.reserved["column"], catalogue.reserved["qualified"]
    own = dialect_of(dialect).parser_class.NO_PAREN_FUNCTION_PARSERS
    again, changed = [*tokens], False
    for found in _WORD_AS_VALUE.finditer(shape):
        place = found.start()
        token = tokens[place]
        word = token.text.upper()
        if token.token_type is TokenType.VAR and word not in own:
            continue
        refused = behind_dot if shape[place - 1] == _DOT else reserved
        if token.text.isidentifier() and word not in refused:
            kind = TokenType.IDENTIFIER if word in own else TokenType.VAR
            again[place] = token_as(kind, token.text, token)
            changed = True
    return tuple(again) if changed else None


_WORD_AS_VALUE: Final = re.compile(
    "(?<="
    + any_of(
        *(TokenType.SELECT, TokenType.DISTINCT, TokenType.COMMA, TokenType.DOT),
        *(
            TokenType.ALIAS,
            TokenType.L_PAREN,
            TokenType.WHERE,
            TokenType.AND,
            TokenType.OR,
            TokenType.NOT,
        ),
        *(TokenType.ON, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.HAVING),
        *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE),
        *(TokenType.PLUS, TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.CASE),
        *(TokenType.WHEN, TokenType.THEN, TokenType.ELSE, TokenType.BETWEEN),
    )
    + ")"
    + none_of(TokenType.IDENTIFIER, *LITERALS)
    + f"(?!{any_of(TokenType.L_PAREN, TokenType.STRING, TokenType.NUMBER)})"
)
"""A word where a value stands, with nothing behind it that would make it more than a name."""
_DOT: Final = letter_of(TokenType.DOT)
_KEYWORD_BEHIND_DOT: Final = re.compile(
    _DOT
    + none_of(TokenType.VAR, TokenType.IDENTIFIER, TokenType.STAR, TokenType.L_PAREN, *LITERALS)
    + f"(?!{OPEN})"
)
_VALUES_QUERY: Final = re.compile(rf"(?:\A|{OPEN}){letter_of(TokenType.VALUES)}{OPEN}")
_EXISTS: Final = f"{letter_of(TokenType.EXISTS)}{OPEN}" + any_of(
    TokenType.TABLE, TokenType.VALUES, TokenType.L_PAREN
)
"""EXISTS before a query that begins with no SELECT, which the parser would take for a call."""
_BEFORE_TYPES: Final = any_of(TokenType.ALIAS, TokenType.DCOLON)
"""Tokens before the name of a type: `CAST(x AS char(3))`, `x::char(3)`."""


def _first_statement(tokens: tuple[Token, ...], shape: str) -> tuple[tuple[Token, ...], str]:
    """Return the first statement, without the semicolons around it, and its shape."""
    begin = len(shape) - len(shape.lstrip(SEMICOLON))
    end = shape.find(SEMICOLON, begin)
    own = slice(begin, None if end < 0 else end)
    return tokens[own], shape[own]


@lru_cache(maxsize=64)
def _own_grammar(dialect: str) -> frozenset[str]:
    """Return the calls that sqlglot reads its own way."""
    return frozenset(dialect_of(dialect).parser_class.FUNCTION_PARSERS) | {"IF", "MAP"}


def _mark_calls(tokens: Sequence[Token], shape: str, dialect: str) -> tuple[Token, ...]:
    """Mark the end of each call; return the names of those that sqlglot reads its own way."""
    own = _own_grammar(dialect)
    read_apart: list[Token] = []
    for name, end in _calls_in(dialect)(shape):
        if tokens[name].text.upper() in own:
            read_apart.append(tokens[name])
        else:
            tokens[end].comments.append(exp.SQLGLOT_ANONYMOUS)
    return tuple(read_apart)


@lru_cache(maxsize=64)
def _calls_in(dialect: str) -> Callable[[str], tuple[tuple[int, int], ...]]:
    """Return what finds the calls in a shape: the name of each, and the bracket that ends it."""
    names = any_of(*dialect_of(dialect).parser_class.FUNC_TOKENS)
    calls_and_brackets = re.compile(
        f"(?<!{_BEFORE_TYPES})(?!{_EXISTS}){names}{OPEN}|{OPEN}|{CLOSE}"
    )

    @kept_by_shape
    def calls(shape: str) -> tuple[tuple[int, int], ...]:
        opened: list[int | None] = []
        found: list[tuple[int, int]] = []
        for match in calls_and_brackets.finditer(shape):
            begin, end = match.span()
            if shape[begin] != CLOSE:
                opened.append(begin if end - begin > 1 else None)
            elif opened and (name := opened.pop()) is not None:
                found.append((name, begin))
        return tuple(found)

    return calls


def _is_statement(tree: exp.Expr | None) -> bool:
    """Say whether a tree is a statement: sqlglot also reads a bare expression."""
    if tree is None or isinstance(tree, exp.Query):
        return True
    return not isinstance(tree, (exp.Condition, exp.Alias, exp.Aliases, exp.Tuple, exp.Identifier))


def _no_statement(tokens: Sequence[Token]) -> SyntaxFault:
    return SyntaxFault(
        f"this is no statement {_near(tokens[0])}", tokens[0].start, tokens[0].end + 1
    )


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
