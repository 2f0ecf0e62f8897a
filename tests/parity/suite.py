"""Test-suite accuracy of Spider files on SQLite databases, as its evaluation script counts it."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.errors import InputError
from sqlobs.metrics.execution_accuracy import ex_testsuite
from sqlobs.metrics.order_by import mentions_order_by
from sqlobs.metrics.spider.suite import plugged_statements, suite_statement
from sqlobs.types import ResultTable

if TYPE_CHECKING:
    from pathlib import Path

TIMEOUT_S = 60.0
_STEPS = 10_000
"""Steps of SQLite's machine between two looks at the clock."""


@dataclass(frozen=True)
class Suite:
    """The databases that a statement is run on, and the script's two switches."""

    paths: list[Path]
    plugs_values: bool = False
    keeps_distinct: bool = False

    @classmethod
    def of(cls, folder: Path, **switches: bool) -> Suite:
        """Find the databases of one `db_id`: every file of its folder named `*.sqlite*`."""
        paths = sorted(path for path in folder.glob("*.sqlite*") if path.is_file())
        if not paths:
            raise InputError(f"{folder} contains no database.")
        return cls(paths, **switches)

    def passes(self, gold: str, guess: str) -> bool:
        """Return whether the prediction returns what the reference does on every database."""
        gold, guess = (
            suite_statement(sql, keeps_distinct=self.keeps_distinct) for sql in (gold, guess)
        )
        statements = plugged_statements(gold, guess) if self.plugs_values else [guess]
        expected = [_reference(path, gold) for path in self.paths]
        is_ordered = mentions_order_by(gold)
        return any(
            all(
                _matches(table, path, sql, is_ordered=is_ordered)
                for path, table in zip(self.paths, expected, strict=True)
            )
            for sql in statements
        )


def _reference(path: Path, sql: str) -> ResultTable:
    try:
        return _run(path, sql)
    except sqlite3.Error as error:
        raise InputError(f"The reference {sql!r} fails on {path}: {error}.") from error


def _matches(expected: ResultTable, path: Path, sql: str, *, is_ordered: bool) -> bool:
    try:
        return bool(ex_testsuite(expected, _run(path, sql), is_ordered=is_ordered).equal)
    except (sqlite3.Error, sqlite3.Warning):
        return False


def _run(path: Path, sql: str) -> ResultTable:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = lambda octets: octets.decode(errors="ignore")
        end = time.monotonic() + TIMEOUT_S
        connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
        cursor = connection.execute(sql)
        names = tuple(column[0] for column in cursor.description or ())
        return ResultTable(names, tuple(cursor.fetchall()))
