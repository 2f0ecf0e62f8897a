"""The functions that LiveSQLBench's test cases call, under the names of its evaluator.

Each is written anew from its documented behavior: bird-bench/livesqlbench, evaluation/src, and for
SQLite bird-bench/mini_dev, live_sql_bench_sqlite.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from sqlobs.evaluation.tasks.databases import OvertimeError
from sqlobs.metrics.published.livesqlbench import (
    coarse_rows,
    livesqlbench_ex,
    simplified_sql,
    without_comments,
    without_distinct,
    without_round,
)
from sqlobs.types import ResultTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlobs.evaluation.tasks.databases import CopiedDatabase

    Rows = list[tuple[object, ...]]


class TestFunctions:
    """The functions, on one database; `conn` and the database's name are accepted and not used."""

    __test__ = False

    def __init__(self, database: CopiedDatabase) -> None:
        self._database = database

    def names(self, predicted: ResultTable | None) -> dict[str, object]:
        """Return all names that a test case finds.

        Args:
            predicted: The result of the prediction's last statement.
        """
        rewriting = {
            "remove_comments": without_comments,
            "remove_distinct": without_distinct,
            "remove_round": without_round,
        }
        lists = {name: self._of_list(rewrite) for name, rewrite in rewriting.items()}
        return {
            **lists,
            "perform_query_on_sqlite_databases": self.perform_query,
            "perform_query_on_postgresql_databases": self.perform_query,
            "execute_queries": self.execute_queries,
            "ex_base": self.ex_base,
            "performance_compare_by_qep": self.performance_compare_by_qep,
            "check_sql_function_usage": check_sql_function_usage,
            "preprocess_results": preprocess_results,
            "pred_query_result": _rows(predicted),
            "date": dt.date,
            "datetime": dt,
        }

    def perform_query(
        self, query: str, _name: object = None, conn: object = None
    ) -> tuple[Rows | None, object]:
        """Run a statement; return its rows and the connection."""
        return _rows(self._database.run(query)), conn or self._database.connection

    def execute_queries(
        self,
        queries: str | Sequence[str],
        *_unused: object,
        return_error: bool = False,
        **_more: object,
    ) -> tuple[object, ...]:
        """Run statements up to the first that fails.

        Returns the last rows, whether one failed, whether one took too long, and with
        `return_error` the message.
        """
        found, message, is_late = None, "", False
        for query in [queries] if isinstance(queries, str) else queries:
            try:
                found = self._database.run(query)
            except OvertimeError:
                is_late = True
                break
            except Exception as error:  # noqa: BLE001 - a driver's error is the answer
                message = str(error) or type(error).__name__
                break
        outcome = _rows(found), bool(message), is_late
        return (*outcome, message) if return_error else outcome

    def ex_base(
        self,
        pred_sqls: Sequence[str],
        sol_sqls: Sequence[str],
        _name: object = None,
        _conn: object = None,
        conditions: Mapping[str, object] | None = None,
    ) -> int:
        """Return 1 if both sides return the same rows, else 0; no rows are never the same."""
        if not pred_sqls or not sol_sqls:
            return 0
        try:
            tables = [self._last(side) for side in (sol_sqls, pred_sqls)]
        except Exception:  # noqa: BLE001 - what fails is not equal
            return 0
        is_ordered = bool(conditions and conditions.get("order"))
        return int(livesqlbench_ex(*tables, is_ordered=is_ordered))

    def performance_compare_by_qep(
        self, old_sqls: Iterable[str], sol_sqls: Iterable[str], *_unused: object
    ) -> int:
        """Return 1 if the second statements are estimated to cost less than the first, else 0."""
        old, new = (sum(map(self._database.cost, side)) for side in (old_sqls, sol_sqls))
        return int(new < old)

    def default_test(
        self, predicted: Sequence[str], solution: Sequence[str], conditions: Mapping[str, object]
    ) -> None:
        """Compare both results without comments, DISTINCT and ROUND, as tasks without tests do."""
        left, right = (
            [simplified_sql(sql, dialect=self._database.dialect) for sql in side]
            for side in (predicted, solution)
        )
        assert self.ex_base(left, right, conditions=conditions) == 1, "the results differ"  # noqa: S101 - as a test case

    def _last(self, statements: Sequence[str]) -> ResultTable:
        found = None
        for sql in statements:
            found = self._database.run(sql)
        return found or ResultTable((), ())

    def _of_list(self, rewrite: Callable[[str, str], str]) -> Callable[[Iterable[str]], list[str]]:
        return lambda statements: [rewrite(sql, self._database.dialect) for sql in statements]


def check_sql_function_usage(sqls: Sequence[str], required_keywords: Iterable[str]) -> int:
    """Return 1 if the statements contain all of some words, in any case, else 0."""
    text = " ".join(sqls).lower()
    return int(bool(sqls) and all(word.lower() in text for word in required_keywords))


def preprocess_results(results: Sequence[tuple[object, ...]], decimal_places: int = 2) -> Rows:
    """Return rows with rounded numbers, times as days, and JSON as text."""
    table = ResultTable(tuple(map(str, range(len(results[0]) if results else 0))), tuple(results))
    return coarse_rows(table, decimals=decimal_places)


def _rows(table: ResultTable | None) -> Rows | None:
    return None if table is None else [tuple(row) for row in table.rows]
