"""Execution accuracy of LiveSQLBench: coarse cells, statements freed of harmless differences."""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.metrics.cells import json_text
from sqlobs.metrics.parsing import tree_of

if TYPE_CHECKING:
    from sqlobs.types import Cell, ResultTable, Row

_CENTS = Decimal("0.01")


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
    left, right = _coarse(reference), _coarse(predicted)
    if not left or not right:
        return False
    return left == right if is_ordered else set(left) == set(right)


def simplified_sql(sql: str, *, dialect: str | None = None) -> str:
    """Return a statement without comments, DISTINCT and ROUND, as LiveSQLBench executes both sides.

    What does not parse is returned as it is.
    """
    tree = tree_of(sql, dialect=dialect)
    if tree is None:
        return sql
    simple = tree.transform(_simplified)
    return simple.sql(dialect=dialect, comments=False)


def _simplified(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Round):
        return node.this if isinstance(node.this, exp.Column | exp.Func) else exp.paren(node.this)
    if isinstance(node, exp.Select) and node.args.get("distinct"):
        node.set("distinct", None)
    if isinstance(node, exp.AggFunc) and isinstance(node.this, exp.Distinct):
        node.set("this", node.this.expressions[0])
    return node


def _coarse(table: ResultTable) -> list[Row]:
    return [tuple(map(_cell, row)) for row in table.rows]


def _cell(cell: Cell) -> Cell:
    match cell:
        case Decimal():
            return cell.quantize(_CENTS, rounding=ROUND_HALF_UP) if cell.is_finite() else cell
        case float():
            return round(cell, 2)
        case dt.date():
            return cell.strftime("%Y-%m-%d")
        case list() | dict() | tuple():
            return json_text(cell)
        case _:
            return cell
