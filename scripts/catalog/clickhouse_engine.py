"""chDB with the tables that the probes of ClickHouse's catalog ask about."""

from __future__ import annotations

import json
import re
import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, TypeVar

import clickhouse_types
from chdb.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Task = TypeVar("Task")
Found = TypeVar("Found")
WORKERS = 4
ERRORS = (RuntimeError, UnicodeDecodeError)
"""Of the engine; the second where it quotes bytes that are no text."""
OF_TYPES = {34, 35, 42, 43, 44, 46, 47, 53, 59, 62, 63, 70, 130, 386}
"""Errors of names, types and numbers of arguments: ILLEGAL_TYPE_OF_ARGUMENT, NO_COMMON_TYPE, …"""
NO_QUERY = 80
"""INCORRECT_QUERY: only queries can be explained."""
DICTIONARIES = tuple(
    f"CREATE DICTIONARY {name} (id UInt64, parent UInt64 DEFAULT 0{more}, first Date, last Date,"
    f" a String) PRIMARY KEY id SOURCE(NULL()) LAYOUT({layout}) LIFETIME(0){span}"
    for name, more, layout, span in (
        ("ranged", "", "RANGE_HASHED()", " RANGE(MIN first MAX last)"),
        ("flat", " HIERARCHICAL", "FLAT()", ""),
    )
)
"""Dictionaries that calls name: one by ranges of days, one with parents."""
TYPED = "x Int32, i Int32, s String, d DateTime, a Array(Int32), m Map(String, Int32)"


class Engine:
    """chDB with the tables of the probes. `implicit_select` would read `1 + 1` as a query."""

    def __init__(self, folder: str) -> None:
        self._session = Session(folder)
        for sql in (
            "SET implicit_select = 0",
            clickhouse_types.TABLE,
            *DICTIONARIES,
            "CREATE TABLE probe (x Int32) ENGINE = MergeTree ORDER BY x",
            "CREATE TABLE keyed (x Int32) ENGINE = MergeTree PRIMARY KEY x ORDER BY x",
            f"CREATE TABLE typed ({TYPED}) ENGINE = MergeTree ORDER BY x",
            "CREATE TABLE sampled (x UInt32) ENGINE = MergeTree ORDER BY x SAMPLE BY x",
        ):
            self._session.query(sql)

    def makes(self, storage: str) -> bool:
        """Return whether a table of this storage can be made; it replaces the last one."""
        try:
            self._session.query("DROP TABLE IF EXISTS stored")
            columns = "x UInt32, sign Int8, ver UInt32"
            self._session.query(f"CREATE TABLE stored ({columns}) {storage}")
        except ERRORS:
            return False
        return not self.code("SELECT x FROM stored")

    def replace_stored(self, made: str) -> None:
        """Make `stored` in another way; it replaces the last one."""
        for kind in ("TABLE", "DICTIONARY"):
            with suppress(*ERRORS):
                self._session.query(f"DROP {kind} IF EXISTS stored")
        self._session.query(f"CREATE {made}")

    def rows(self, sql: str) -> list[list[str]]:
        """Return the rows of a query as texts."""
        text = str(self._session.query(sql, "JSONCompactStringsEachRow").data())
        return [json.loads(line) for line in text.splitlines()]

    def code(self, sql: str, explain: str = "PLAN") -> int:
        """Return the number of the error that explaining a statement ends with; 0: none."""
        said = self.error(sql, explain)
        found = re.search(r"Code: (\d+)", said)
        return int(found[1]) if found else -bool(said)

    def error(self, sql: str, explain: str = "PLAN") -> str:
        """Return the error that explaining a statement ends with; empty: none."""
        try:
            self._session.query(f"EXPLAIN {explain} {sql}")
        except ERRORS as error:
            return str(error)
        return ""

    def described(self, expression: str) -> str | None:
        """Return the type of an expression over the table of kinds, once it is planned."""
        body = expression if expression.startswith("x FROM") else f"{expression} FROM kinds"
        try:
            [row, *_] = self.rows(f"DESCRIBE (SELECT {body})")
        except ERRORS:
            return None
        return row[1]

    def analyzed(self, expression: str) -> str | None:
        """Return the type of an expression by its analysis alone; empty: no type is at fault."""
        try:
            text = self._tree(f"{expression} AS result_")
        except ERRORS as error:
            found = re.search(r"Code: (\d+)", str(error))
            return None if found and int(found[1]) in OF_TYPES else ""
        found = re.search(r"^\s*result_ (.*)$", text, re.MULTILINE)
        return found[1].strip() if found else None

    def all_analyzed(self, expressions: list[str]) -> list[str] | None:
        """Return the types of several expressions by their analysis; None: one is rejected."""
        items = ", ".join(f"{one} AS result_{place}" for place, one in enumerate(expressions))
        try:
            text = self._tree(items)
        except ERRORS:
            return None
        found = re.findall(r"^\s*result_\d+ (.*)$", text, re.MULTILINE)
        return [one.strip() for one in found]

    def _tree(self, items: str) -> str:
        found = self._session.query(f"EXPLAIN QUERY TREE SELECT {items} FROM kinds", "TSVRaw")
        return bytes(found.bytes()).decode("utf-8", "replace")

    def is_refused(self, sql: str) -> bool:
        """Return whether the engine answers with an error; only queries are planned."""
        sql = re.sub(r"\bUNION (?!ALL|DISTINCT)", "UNION ALL ", sql)
        return self.is_syntax_error(sql) or self.code(sql) not in {0, NO_QUERY}

    def is_syntax_error(self, sql: str) -> bool:
        """Return whether the grammar refuses a statement."""
        return bool(self.code(sql, "AST"))


_workers: list[Engine] = []
"""That of this process."""


def each(
    folder: str, measure: Callable[[Engine, Task], Found], tasks: Iterable[Task]
) -> list[Found]:
    """Return what a function measures for each task, in order.

    Each of `WORKERS` processes measures a part: chDB waits for 10 ms after every error.
    """
    with ProcessPoolExecutor(
        WORKERS, mp_context=get_context("spawn"), initializer=_start, initargs=(folder,)
    ) as pool:
        return list(pool.map(partial(_measured, measure), tasks, chunksize=4))


def _start(folder: str) -> None:
    """Start the engine of a process."""
    _workers.append(Engine(tempfile.mkdtemp(dir=folder)))


def _measured(measure: Callable[[Engine, Task], Found], task: Task) -> Found:
    return measure(_workers[0], task)
