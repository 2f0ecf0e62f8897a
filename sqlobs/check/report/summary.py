"""The summary of a statement: operations and targets in order, as in `db.query.summary`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.token_pattern import any_of, kept_by_shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.parsing.statement import Statement
    from sqlobs.check.resolver.model.resolution import TableUse

MAX_LENGTH: Final = 255

_VERB: Final = re.compile(
    any_of(
        TokenType.SELECT,
        TokenType.INSERT,
        TokenType.UPDATE,
        TokenType.DELETE,
        TokenType.MERGE,
        TokenType.CREATE,
        TokenType.DROP,
        TokenType.ALTER,
        TokenType.TRUNCATE,
    )
)


def summary(statement: Statement, tables: Iterable[TableUse]) -> str:
    """Return operations and tables in order of appearance, without literals.

    Subselects repeat the verb: `SELECT SELECT orders customers`. At most 255 characters, cut at
    a word.
    """
    places = _verbs(statement.shape)
    if places == (0,):  # the tables are in order already
        words = [statement.tokens[0].text.upper(), *map(_name, tables)]
    else:
        verbs = [statement.tokens[place] for place in places]
        found = [(verb.start, verb.text.upper()) for verb in verbs]
        found += [(use.name.meta.get("start", 0), _name(use)) for use in tables]
        words = [word for _, word in sorted(found)]
    text = " ".join(words) or _key(statement)
    return (
        text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH + 1].rpartition(" ")[0][:MAX_LENGTH]
    )


@kept_by_shape
def _verbs(shape: str) -> tuple[int, ...]:
    return tuple([match.start() for match in _VERB.finditer(shape)])


def operation(tree: exp.Expr) -> str:
    """Return the kind of a statement in one lower-case word, such as `select`."""
    if isinstance(tree, exp.Query):
        return "select"
    if isinstance(tree, exp.Command):
        return str(tree.this).lower()
    return tree.key


def _key(statement: Statement) -> str:
    return statement.tree.key.upper() if statement.tree is not None else ""


def _name(use: TableUse) -> str:
    if use.node.args.get("db") is None:
        return use.name.name
    return ".".join(part.name for part in use.node.parts)
