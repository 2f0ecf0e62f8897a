"""Types as a dialect writes them."""

from __future__ import annotations

from sqlglot import exp


def written(kind: exp.Expr, dialect: str) -> str:
    """Return the text of a type; empty where a call stands in it, which no type has.

    sqlglot writes some calls at length, parses what it has written, and may refuse that.
    """
    if kind.expressions and kind.find(exp.Func) is not None:
        return ""
    return kind.sql(dialect)
