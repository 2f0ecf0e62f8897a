"""Statements as trees, without what sqlglot writes into the host's log about them."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

if TYPE_CHECKING:
    from collections.abc import Iterator


def tree_of(sql: str, *, dialect: str | None = None) -> exp.Expr | None:
    """Return a statement's tree; None if it does not parse.

    Args:
        sql: The statement.
        dialect: sqlglot's name of its dialect.
    """
    with quiet():
        try:
            return parse_one(sql, read=dialect)
        except (SqlglotError, RecursionError):
            return None


@contextmanager
def quiet() -> Iterator[None]:
    """Keep sqlglot silent in this thread: it quotes statements, literals and all."""
    before, _parsing.is_ours = _parsing.is_ours, True
    try:
        yield
    finally:
        _parsing.is_ours = before


class _Parsing(threading.local):
    """Whether this thread is parsing for us."""

    is_ours = False


_parsing = _Parsing()
logging.getLogger("sqlglot").addFilter(lambda _: not _parsing.is_ours)
