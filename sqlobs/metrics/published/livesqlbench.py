"""Execution accuracy of LiveSQLBench: coarse cells, statements freed of harmless differences."""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.metrics.cells import json_text
from sqlobs.metrics.parsing import tree_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.types import Cell, ResultTable, Row


def livesqlbench_ex(
    reference: ResultTable, predicted: ResultTable, *, is_ordered: bool = False
) -> bool:
    """Compare rows as sets (or in order) after rounding numbers to cents and times to days.

    An empty table on either side never matches. Truncated tables are compared on the rows at
    hand. Source: bird-bench/mini_dev, live_sql_bench_sqlite test_utils.py.

    Args:
        reference: The reference's table.
        predicted: The predicted table.
        is_ordered: Whether the case's conditions ask for an order.
    """
    left, right = coarse_rows(reference), coarse_rows(predicted)
    if not left or not right:
        return False
    return left == right if is_ordered else set(left) == set(right)


def simplified_sql(sql: str, *, dialect: str | None = None) -> str:
    """Return a statement without comments, DISTINCT and ROUND, as LiveSQLBench executes both sides.

    What does not parse is returned as it is.
    """
    return _transformed(sql, dialect, _simplified)


def without_comments(sql: str, dialect: str | None = None) -> str:
    """Return a statement without comments; what does not parse is returned as it is."""
    return _transformed(sql, dialect, lambda node: node)


def without_distinct(sql: str, dialect: str | None = None) -> str:
    """Return a statement without DISTINCT; what does not parse is returned as it is."""
    return _transformed(sql, dialect, _all_rows)


def without_round(sql: str, dialect: str | None = None) -> str:
    """Return a statement without ROUND; what does not parse is returned as it is."""
    return _transformed(sql, dialect, _exact)


def coarse_rows(table: ResultTable, *, decimals: int = 2) -> list[Row]:
    """Return rows with numbers rounded, times as days, and nested values as JSON."""
    cents = Decimal(1).scaleb(-decimals)
    return [tuple(_cell(cell, cents, decimals) for cell in row) for row in table.rows]


def _transformed(sql: str, dialect: str | None, change: Callable[[exp.Expr], exp.Expr]) -> str:
    tree = tree_of(sql, dialect=dialect)
    if tree is None:
        return sql
    return tree.transform(change).sql(dialect=dialect, comments=False)


def _simplified(node: exp.Expr) -> exp.Expr:
    return _all_rows(_exact(node))


def _exact(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Round):
        return node.this if isinstance(node.this, exp.Column | exp.Func) else exp.paren(node.this)
    return node


def _all_rows(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Select) and node.args.get("distinct"):
        node.set("distinct", None)
    if isinstance(node, exp.AggFunc) and isinstance(node.this, exp.Distinct):
        node.set("this", node.this.expressions[0])
    return node


def _cell(cell: Cell, cents: Decimal, decimals: int) -> Cell:
    match cell:
        case Decimal():
            return cell.quantize(cents, rounding=ROUND_HALF_UP) if cell.is_finite() else cell
        case float():
            return round(cell, decimals)
        case dt.date():
            return cell.strftime("%Y-%m-%d")
        case list() | dict() | tuple():
            return json_text(cell)
        case _:
            return cell
