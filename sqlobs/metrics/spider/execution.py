"""Spider's first execution accuracy, of 2018: columns are known by what they select."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from sqlobs.metrics.match import CUT, DIFFERENT, Match, match_of
from sqlobs.metrics.spider.exact_match import comparable
from sqlobs.metrics.spider.parser import UnsupportedSqlError, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.metrics.spider.database import SpiderDatabase
    from sqlobs.metrics.spider.query import ColumnUnit, Query
    from sqlobs.types import Cell, ResultTable

    Selected: TypeAlias = ColumnUnit | tuple[str, ColumnUnit, ColumnUnit]
    """A column, or two of them with the operator between."""


def ex_spider2018(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    reference_sql: str,
    predicted_sql: str,
    database: SpiderDatabase,
) -> Match:
    """Compare the cells of each selected expression, row by row.

    Range 0 or 1, higher is better; for figures published before the test suite. Columns may be
    exchanged, rows may not, surplus columns fail. Its gaps are kept: the aggregate does not count,
    so that of two aggregates of one column only the last is compared, and of `*` only the first
    column. A prediction outside Spider's grammar gives 0. Cells are compared as Python does; two
    empty tables are equal where the same is selected; tables that are cut and agree as far as
    they go are undetermined. Source: taoyds/spider, evaluation.py (`eval_exec_match`).

    Args:
        reference: What the reference returned.
        predicted: What the prediction returned.
        reference_sql: The correct statement.
        predicted_sql: The statement to judge.
        database: Tables, columns and foreign keys.

    Raises:
        UnsupportedSqlError: the reference is outside Spider's grammar.
    """
    wanted = comparable(parse(reference_sql, database=database), database)
    try:
        given = comparable(parse(predicted_sql, database=database), database)
    except UnsupportedSqlError:
        return DIFFERENT
    at_hand = None
    if reference.truncated or predicted.truncated:
        at_hand = min(len(reference.rows), len(predicted.rows))
    match = match_of(_cells(reference, wanted, at_hand) == _cells(predicted, given, at_hand))
    return match if match == DIFFERENT or at_hand is None else CUT


def _cells(
    table: ResultTable, query: Query, at_hand: int | None
) -> Mapping[Selected, list[Cell]] | None:
    """Return the cells of each selected expression; None if there are fewer columns."""
    if len(query.select) > len(table.columns):
        return None
    return {
        _selected(query, place): table.column(place)[:at_hand] for place in range(len(query.select))
    }


def _selected(query: Query, place: int) -> Selected:
    value = query.select[place].value
    return value.left if value.right is None else (value.operator, value.left, value.right)
