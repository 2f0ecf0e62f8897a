"""No failure of a statement shows what stands in a row, whatever quotes the row has."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import duckdb
import psycopg
import pytest

from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Target
from tests.servers import MariaDbServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.servers import PostgresServer

WORD = "Kanarienvogel"
VALUES = (
    WORD,
    f"it's {WORD}",
    f'say "{WORD}" 5',
    f"{WORD}' : {WORD} (x",
    f'"{WORD}',
    f"`{WORD}` it''s",
    f"“{WORD}” «{WORD}» ?",
    f"({WORD}) {WORD}: 'a' {WORD}",
    f"Referenced column {WORD} not found",
    f"syntax error at or near {WORD}",
)
"""Rows with whatever may end a quotation, and with words of an engine's own messages."""

DUCKDB = (
    *("v::INTEGER", "v::DATE", "v::TIMESTAMP", "v::BOOLEAN", "v::UUID", "v::INTEGER[]", "v::JSON"),
    *("strptime(v, '%Y')", "date_trunc(v, now())", "json_extract('{}', v)", "v::ENUM ('a')"),
    *("regexp_matches('a', v)", "v::DECIMAL(3, 1)", "v::STRUCT(a INT)"),
)
SQLITE = ("json_extract(v, '$.a')", "json_extract('{}', v)", "json(v)", "'a' LIKE 'b' ESCAPE v")
POSTGRES = (
    *("v::int", "v::date", "v::bool", "v::uuid", "v::int[]", "v::json", "v::inet", "v::point"),
    *("v::xml", "v::tsquery", "v::daterange", "v::regclass", "v::regtype", "v::interval"),
    *(
        "to_date(v, 'YYYY-MM')",
        "'a' ~ v",
        "date_trunc(v, now())",
        "jsonb_path_query('{}', v::jsonpath)",
    ),
    *("decode(v, 'hex')", "format(v)", "json_populate_record(NULL::t, v::json)"),
)
MARIADB = (
    *("json_extract('{}', v)", "v REGEXP v", "updatexml(v, v, v)", "st_geomfromtext(v)"),
    *("CAST(v AS SIGNED) + exp(99999)", "extractvalue('<a/>', v)", "regexp_replace('a', v, 'b')"),
)


def shown(target: Target, expressions: Sequence[str]) -> tuple[int, list[str]]:
    """Return how many statements fail, and the failures that show the word."""
    with Executor([target], workers=1) as executor:
        found = [
            executor.run(
                ExecutionRequest(sql=f"SELECT {one} FROM t WHERE i = {i}", target="t")
            ).prediction
            for one in expressions
            for i in range(len(VALUES))
        ]
    failed = [one for one in found if one.outcome.status == "error"]
    return len(failed), [repr(one) for one in failed if WORD.lower() in repr(one).lower()]


def assert_silent(target: Target, expressions: Sequence[str]) -> None:
    """Hold that many statements fail, and that none shows the word."""
    count, leaks = shown(target, expressions)
    assert (count > len(VALUES), leaks) == (True, [])


def test_duckdb_shows_no_row(tmp_path: Path):
    """Messages of conversions quote the value as it is."""
    path = tmp_path / "t.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t (i INT, v VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(VALUES)))
    assert_silent(Target.from_url("t", f"duckdb:///{path}"), DUCKDB)


def test_sqlite_shows_no_row(tmp_path: Path):
    """Messages of JSON functions quote the path."""
    path = tmp_path / "t.db"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE t (i INT, v TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(VALUES)))
    connection.close()
    assert_silent(Target.from_url("t", f"sqlite:///{path}"), SQLITE)


@pytest.mark.postgres
def test_postgresql_shows_no_row(postgres: PostgresServer):
    """Errors of class 42 are about rows, too, once the statement runs: `v::regtype`."""
    with psycopg.connect(postgres.url(), autocommit=True) as admin:
        admin.execute("CREATE DATABASE values_in_messages")
    with psycopg.connect(postgres.url("values_in_messages")) as connection:
        connection.execute("CREATE TABLE t (i int, v text)")
        connection.cursor().executemany("INSERT INTO t VALUES (%s, %s)", list(enumerate(VALUES)))
        connection.execute("GRANT SELECT ON t TO reader")
    url = postgres.url("values_in_messages", user="reader")
    assert_silent(Target.from_url("t", url), POSTGRES)


@pytest.fixture
def mariadb() -> Iterator[MariaDbServer]:
    """A server with the rows."""
    server = MariaDbServer()
    try:
        server.start()
        rows = ", ".join(
            f"({i}, '{value.replace(chr(39), chr(39) * 2)}')" for i, value in enumerate(VALUES)
        )
        server.run(
            "CREATE DATABASE t CHARACTER SET utf8mb4; USE t; CREATE TABLE t (i INT, v TEXT);"
            f"SET NAMES utf8mb4; INSERT INTO t VALUES {rows};"
            "CREATE USER reader; GRANT SELECT ON t.* TO reader"
        )
        yield server
    finally:
        server.stop()


def test_mariadb_shows_no_row(mariadb: MariaDbServer):
    """Messages of numbers, paths and regular expressions quote what they got."""
    url = f"mysql://reader@127.0.0.1:{mariadb.port}/t"
    assert_silent(Target.from_url("t", url), MARIADB)
