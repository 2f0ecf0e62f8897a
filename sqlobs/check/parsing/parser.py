"""Parses tokens into trees: calls stay as written, other dialects are tried on failure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.clause_precheck import is_orderly
from sqlobs.check.parsing.input_limits import INLINE_DEPTH, nesting
from sqlobs.check.parsing.parser_gaps import is_unread
from sqlobs.check.parsing.pool import pool_of
from sqlobs.check.parsing.reparse import reread
from sqlobs.check.parsing.statement import LITERALS, SEMICOLON, Statement, SyntaxFault
from sqlobs.check.parsing.token_pattern import (
    OPEN,
    any_of,
    letter_of,
    none_of,
    shape_of,
)
from sqlobs.check.parsing.tokens import token_as, tokenize, with_replace_as_insert
from sqlobs.check.parsing.workarounds.duckdb import without_brackets_of_inserted
from sqlobs.check.parsing.workarounds.mysql import CHANGES, with_join_as_alias, without_modifiers
from sqlobs.dialects.catalog import catalog_of
from sqlobs.dialects.registry import FALLBACKS, dialect_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.parsing.tokens import TokenizedText


def parse(text: TokenizedText) -> Statement:
    """Parse the first statement of a text.

    Calls are kept as written: a comment `sqlglot.anonymous` behind a call keeps the parser from
    turning it into a node of its own, which would lose the name and the order of arguments.
    """
    if text.fault is not None:
        return Statement(text.sql, text.dialect, (), None, fault=text.fault)
    sql, dialect, tokens, shape = text.sql, text.dialect, text.tokens, text.shape
    first, own_shape = tokens, shape
    if SEMICOLON in shape:
        first, own_shape = _first_statement(tokens, shape)
    if "join_as_alias" in dialect_of(dialect).parsing.tokens:
        first, own_shape = with_join_as_alias(first, own_shape) or (first, own_shape)
    if _KEYWORD_BEHIND_DOT.search(own_shape):
        first, own_shape = _with_names_behind_dots(first, own_shape, dialect)
    own_calls = _mark_calls(first, own_shape, dialect)
    tree, fault = _tree(sql, first, own_shape, dialect)
    if not isinstance(tree, exp.Query):
        again = _parsed_again(text, tree)
        if again is not None and again.tree is not None:
            return again
    in_order, words = is_orderly(own_shape), frozenset([token.text.upper() for token in first])
    has_more = len(tokens) > len(first) + 1
    return Statement(
        *(sql, dialect, first, tree, own_shape, tokens, shape),
        *(words, in_order, own_calls, fault, has_more),
    )


def _parsed_again(text: TokenizedText, tree: exp.Expr | None) -> Statement | None:
    """Parse with other tokens what is not a query; None where there are none to try."""
    other = _freed(text) if tree is None else None
    if isinstance(tree, exp.Command):
        other = with_replace_as_insert(text)
    return None if other is None else parse(other)


def parse_in_other_dialects(statement: Statement) -> Statement:
    """Take the tree of another dialect that can parse the statement; its own fault stays.

    What the parser itself cannot read is no fault of the statement, and is left alone.
    """
    if is_unread(statement):
        return statement
    text = statement.sql.upper()
    for dialect in FALLBACKS:
        marks = dialect_of(dialect).parsing.marks
        if dialect == statement.dialect or (marks and not any(mark in text for mark in marks)):
            continue
        tree, first = _tree_in(dialect, statement.sql)
        if tree is not None and not isinstance(tree, exp.Command):
            words = frozenset([token.text.upper() for token in first])
            return replace(statement, tree=tree, words=words, foreign_dialect=dialect)
    return statement


def _tree_in(dialect: str, sql: str) -> tuple[exp.Expr | None, tuple[Token, ...]]:
    """Return the tree of the first statement as a dialect reads it, without workarounds.

    They are left out on purpose: what one dialect rejects, most often all of them reject.
    """
    text = tokenize(sql, dialect)
    first, shape = _first_statement(text.tokens, text.shape)
    if not first or nesting(first, sql, shape) > INLINE_DEPTH:
        return None, ()  # `[` quotes a name in one dialect, and nests in another
    _mark_calls(first, shape, dialect)
    try:
        trees = pool_of(dialect).trees(first, sql)
    except Exception:  # noqa: BLE001 - as in `_tree`; the next dialect is tried
        return None, ()
    return _first_tree(trees, first)[0], first


def further_statements(statement: Statement) -> list[tuple[exp.Expr, Token]]:
    """Return the statements after the first one that can be parsed, each with its first token."""
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
    """Return whether a token separates batches, such as `GO` in the tools of SQL Server."""
    return token.text.upper() == dialect_of(dialect).parsing.batch_keyword


def is_sql_to_its_end(statement: Statement) -> bool:
    """Return whether the text after the first statement is SQL too."""
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
    """Return the tree, or where the parser stopped; both if the tree is not a statement."""
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
    """Return the tree of the first statement, with a fault if it is not a statement."""
    tree = trees[0] if trees else None
    if isinstance(tree, exp.Query):
        return tree, None
    if isinstance(tree, exp.Block):
        tree = next(iter(tree.expressions), None)
    return tree, None if _is_statement(tree) else _no_statement(tokens)


def _trees(sql: str, tokens: Sequence[Token], shape: str, dialect: str) -> list[exp.Expr | None]:
    """Parse; on failure parse again with the workarounds for valid SQL that sqlglot rejects.

    A VALUES list used as a query in MySQL is parsed without a dialect.
    """
    quirks = dialect_of(dialect).parsing.tokens
    if "change_modifiers" in quirks and shape[:1] in CHANGES:
        tokens = without_modifiers(tokens)
    elif "bracketed_inserts" in quirks and shape[:1] in CHANGES:
        tokens = without_brackets_of_inserted(tokens, shape)
    try:
        return pool_of(dialect).trees(tokens, sql)
    except ParseError:
        if "values_query" in quirks and _VALUES_QUERY.search(shape):
            return pool_of("").trees(tokens, sql)
        again = reread(tokens, dialect)
        if again is None:
            raise
        return pool_of(dialect).trees(again, sql)


def _with_names_behind_dots(
    tokens: tuple[Token, ...], shape: str, dialect: str
) -> tuple[tuple[Token, ...], str]:
    """Turn keywords after a dot into names where the engine allows it.

    Patterns over the shape then do not mistake `t.from` for a clause.
    """
    if (catalog := catalog_of(dialect)) is None:
        return tokens, shape
    again, letters = [*tokens], [*shape]
    for found in _KEYWORD_BEHIND_DOT.finditer(shape):
        place = found.end() - 1
        token = tokens[place]
        if token.text.isidentifier() and token.text.upper() not in catalog.reserved["qualified"]:
            again[place] = token_as(TokenType.VAR, token.text, token)
            letters[place] = letter_of(TokenType.VAR)
    return tuple(again), "".join(letters)


def _freed(text: TokenizedText) -> TokenizedText | None:
    """Make names of words in the place of a value that sqlglot reserves and the engine does not.

    None: there are no such words.
    """
    catalog = catalog_of(text.dialect)
    if catalog is None:
        return None
    reserved, behind_dot = catalog.reserved["column"], catalog.reserved["qualified"]
    own, shape = pool_of(text.dialect).words_as_calls, text.shape
    again, changed = [*text.tokens], False
    for found in _WORD_AS_VALUE.finditer(shape):
        place = found.start()
        token = again[place]
        word = token.text.upper()
        if token.token_type is TokenType.VAR and word not in own:
            continue
        refused = behind_dot if shape[place - 1] == _DOT else reserved
        if token.text.isidentifier() and word not in refused:
            kind = TokenType.IDENTIFIER if word in own else TokenType.VAR
            again[place] = token_as(kind, token.text, token)
            changed = True
    return text.with_tokens(tuple(again)) if changed else None


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
"""A word in the place of a value that can only be a name: `SELECT percent FROM t`."""
_DOT: Final = letter_of(TokenType.DOT)
_KEYWORD_BEHIND_DOT: Final = re.compile(
    _DOT
    + none_of(TokenType.VAR, TokenType.IDENTIFIER, TokenType.STAR, TokenType.L_PAREN, *LITERALS)
    + f"(?!{OPEN})"
)
_VALUES_QUERY: Final = re.compile(rf"(?:\A|{OPEN}){letter_of(TokenType.VALUES)}{OPEN}")


def _first_statement(tokens: tuple[Token, ...], shape: str) -> tuple[tuple[Token, ...], str]:
    """Return the first statement, without the semicolons around it, and its shape."""
    begin = len(shape) - len(shape.lstrip(SEMICOLON))
    end = shape.find(SEMICOLON, begin)
    own = slice(begin, None if end < 0 else end)
    return tokens[own], shape[own]


def _mark_calls(tokens: Sequence[Token], shape: str, dialect: str) -> tuple[Token, ...]:
    """Mark the end of each call; return the names of those that sqlglot reads its own way."""
    pool = pool_of(dialect)
    read_apart: list[Token] = []
    for name, end in pool.calls(shape):
        if tokens[name].text.upper() in pool.own_calls:
            read_apart.append(tokens[name])
        else:
            tokens[end].comments.append(exp.SQLGLOT_ANONYMOUS)
    return tuple(read_apart)


def _is_statement(tree: exp.Expr | None) -> bool:
    """Return whether a tree is a statement: sqlglot also parses a bare expression."""
    if tree is None or isinstance(tree, exp.Query):
        return True
    return not isinstance(tree, (exp.Condition, exp.Alias, exp.Aliases, exp.Tuple, exp.Identifier))


def _no_statement(tokens: Sequence[Token]) -> SyntaxFault:
    return SyntaxFault(
        f"this is not a statement {_near(tokens[0])}", tokens[0].start, tokens[0].end + 1
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
    """Name a place in the text. Literals are never quoted: they may contain personal data."""
    return f"near {token.text}" if token.token_type not in LITERALS else "near a literal"
