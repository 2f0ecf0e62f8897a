"""Parses what the first parse leaves over: other dialects' grammars, and further statements.

Valid SQL that sqlglot cannot parse is recognized here, too: a statement with one of the `gaps` of
its dialect that does not parse is undecided. The vendors' manuals document them: Microsoft's
(`OUTPUT`), Oracle's (`MODEL`, `WITH FUNCTION`, `VERSIONS BETWEEN`, XML's calls), ClickHouse's
(`LIMIT BY` with a computed `LIMIT`), Snowflake's (`->>`), Spark's (`window`, `|>`), Databricks' and
Amazon's (`MERGE`), Google's (procedural language, `|>`, tables as arguments), Trino's (`TABLE t`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from sqlobs.check.parsing.input_limits import nesting
from sqlobs.check.parsing.stack import INLINE_DEPTH
from sqlobs.check.parsing.statement import (
    Statement,
    first_statement,
    first_tree,
    grammar_of,
    is_statement,
    mark_calls,
    parsed,
)
from sqlobs.check.parsing.tokens import (
    CLOSE,
    LITERALS,
    OPEN,
    SEMICOLON,
    shape_of,
    spelled,
    tokenize,
)
from sqlobs.dialects.registry import FALLBACKS, dialect_of

_EXPECTS_MORE: Final = re.compile(
    spelled(
        "[DOT EQ NEQ LTE GTE PLUS DASH SLASH DPIPE AND OR NOT LIKE ILIKE BETWEEN IS FROM JOIN"
        r" WHERE HAVING ORDER_BY LIMIT DISTINCT CASE WHEN THEN ELSE UNION INTERSECT EXCEPT]\Z"
    )
)
"""The last token of a statement that is cut off: nothing ends with it in any dialect."""
LONGEST_FOREIGN: Final = 8192
"""Longest statement of a known dialect, in characters, that is tried in other dialects. They take
as long as all else, and change only whether its names are looked up, not that it does not parse."""
_READ_APART: Final = re.compile(r"[`\\#$\[{]|--|/\*")
"""Where one dialect begins a quotation or a comment, and another does not."""


def parse_in_other_dialects(statement: Statement) -> Statement:
    """Take the tree of another dialect that can parse the statement; its own fault stays.

    What the parser itself cannot read is no fault of the statement, and is left alone.
    """
    if is_unread(statement):
        return statement
    if statement.dialect and len(statement.sql) > LONGEST_FOREIGN:
        return statement
    if is_cut_off(statement.shape) and not _READ_APART.search(statement.sql):
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
    first, shape = first_statement(text.tokens, text.shape)
    if not first or is_cut_off(shape) or nesting(first, sql, shape) > INLINE_DEPTH:
        return None, ()  # `[` quotes a name in one dialect, and nests in another
    mark_calls(first, shape, dialect)
    try:
        trees = grammar_of(dialect).trees(first, sql)
    except Exception:  # noqa: BLE001 - as in `parsed`; the next dialect is tried
        return None, ()
    return first_tree(trees, first)[0], first


def is_cut_off(shape: str) -> bool:
    """Return whether a statement goes on in every grammar, as one does that reached a token limit.

    Parsers read most of it before they notice, and sqlglot accepts some calls that do not end.
    """
    return shape.count(OPEN) > shape.count(CLOSE) or _EXPECTS_MORE.search(shape) is not None


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
            mark_calls(tokens, shape, statement.dialect)
            tree, _ = parsed(statement.sql, tokens, shape, statement.dialect)
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
        trees = grammar_of(statement.dialect).trees(rest, statement.sql)
    except Exception:  # noqa: BLE001 - whatever the parser raises, it is no SQL
        return False
    return all(is_statement(tree) and not isinstance(tree, exp.Command) for tree in trees)


@cache
def _gaps(dialect: str) -> re.Pattern[str] | None:
    pattern = dialect_of(dialect).parsing.gaps
    return re.compile(pattern) if pattern else None


def is_unread(statement: Statement) -> bool:
    """Return whether a text that does not parse as one statement contains such a construct."""
    if statement.fault is None and not statement.has_further_text:
        return False
    pattern = _gaps(statement.dialect)
    return pattern is not None and pattern.search(_plain(statement)) is not None


def _plain(statement: Statement) -> str:
    words = (
        "?" if one.token_type in LITERALS else one.text.upper() for one in statement.all_tokens
    )
    return " ".join(words)
