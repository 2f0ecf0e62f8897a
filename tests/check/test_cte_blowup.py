"""Statements of which an engine makes far more than there is: it is not asked about those."""

from __future__ import annotations

import re

import pytest

from sqlobs import Schema, check_sql
from sqlobs.check.engine.profile import Profile
from sqlobs.check.native import expands
from sqlobs.check.native.duckdb import installed_version
from sqlobs.check.parsing.statement import parse
from sqlobs.check.parsing.tokens import tokenize

IS_MEASURED = f"{installed_version()}.".startswith(f"{Profile.named('duckdb').version}.")
DUCKDB = pytest.param(
    "duckdb",
    marks=pytest.mark.skipif(
        not IS_MEASURED, reason="a DuckDB of another version than the catalogue's is not asked"
    ),
)
DIALECTS = ("sqlite", DUCKDB)


def schema(dialect: str, width: int = 1) -> Schema:
    """Return the schema of one table."""
    columns = dict.fromkeys(["a", *(f"c{number}" for number in range(width - 1))], "int")
    return Schema.from_mapping({"t": columns}, dialect=dialect)


def is_asked(sql: str, width: int = 1) -> bool:
    """Return whether an engine is asked about a statement."""
    return not expands(parse(tokenize(sql, "duckdb")), schema("duckdb", width))


def chained(query: str, count: int, cte: str = "c{n} AS ({query})") -> str:
    """Return CTEs, each of which reads the one before, and a query that reads the last."""
    links = [
        cte.format(n=number, query=query.format(before=f"c{number - 1}"))
        for number in range(1, count)
    ]
    ctes = ", ".join(["c0 AS (SELECT a FROM t)", *links])
    return f"WITH {ctes} SELECT a FROM c{count - 1}"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "query",
    [
        "SELECT a + a AS a FROM {before}",
        "SELECT *, * FROM {before}",
        "SELECT x.a FROM {before} x, {before} y",
        "SELECT a FROM {before} UNION SELECT a FROM {before}",
        "SELECT (SELECT max(a) FROM {before}) + (SELECT min(a) FROM {before}) AS a",
    ],
)
def test_statements_that_double_with_each_query_are_checked_statically(dialect, query):
    """Thirty CTEs, 1 KB of text, would take all memory there is."""
    report = check_sql(chained(query, 30), schema=schema(dialect))
    assert report.decided_by != "native"
    assert report.syntactic is True
    assert check_sql(chained(query, 4), schema=schema(dialect)).decided_by == "native"


@pytest.mark.parametrize("cte", ["c{n} (a) AS ({query})", "c{n} AS NOT MATERIALIZED ({query})"])
def test_ctes_are_known_however_they_are_written(cte):
    """With names for their columns, or with a word before their bracket."""
    assert not is_asked(chained("SELECT a + a FROM {before}", 30, cte))


@pytest.mark.parametrize("torn", ["; '", '; "', "; `", "; /* "])
def test_text_without_a_statement_is_not_sent_to_the_fallback(torn):
    """SQLite makes all of a statement that ends before the quote that is not closed."""
    report = check_sql(
        chained("SELECT a + a AS a FROM {before}", 22) + torn, schema=schema("sqlite")
    )
    assert report.decided_by != "native"
    assert check_sql("SELECT a FROM t /* ", schema=schema("sqlite")).decided_by == "native"


@pytest.mark.parametrize("name", ["date", "left", "first", "view", "range", "end"])
def test_columns_may_be_called_like_keywords(name):
    """To SQLite `left` is a name like any other."""
    doubled = chained(f"SELECT {name} + {name} AS {name} FROM {{before}}", 30)
    assert not is_asked(doubled.replace("SELECT a FROM", f"SELECT a AS {name} FROM", 1))


@pytest.mark.parametrize("quoted", ["'c{n}'", '"c{n}"', "`c{n}`"])
def test_ctes_are_known_by_any_quotes(quoted):
    """SQLite takes a string for a name where no string may stand."""
    sql = chained("SELECT x.a FROM {before} x, {before} y", 30)
    assert not is_asked(re.sub(r"\bc(\d+)", lambda found: quoted.format(n=found[1]), sql))


@pytest.mark.parametrize(
    "query",
    [
        "FROM {before} x, {before} y",
        "FROM {before} SELECT *, *",
        "(FROM {before} x, {before} y)",
        "(SELECT *, * FROM {before})",
        "SELECT COLUMNS(*), COLUMNS(*) FROM {before}",
        "VALUES ((SELECT a FROM {before}) + (SELECT a FROM {before}))",
    ],
)
def test_queries_are_known_however_they_are_written(query):
    """Of a few hundred bytes, DuckDB makes a plan for half a minute."""
    assert not is_asked(chained(query, 14))
    assert is_asked(chained(query, 3))


def test_derived_tables_count_as_ctes_do():
    """A query in brackets is a query."""
    assert not is_asked("SELECT a + a AS a FROM (" * 30 + "SELECT a FROM t" + ") x" * 30)


def test_stars_count_by_the_widest_table():
    """Ten CTEs that double a table of a hundred columns make a hundred thousand."""
    sql = chained("SELECT *, * FROM {before}", 10)
    assert is_asked(sql)
    assert not is_asked(sql, width=100)


@pytest.mark.parametrize(
    "sql",
    [
        chained("SELECT a FROM {before} WHERE a > 1", 30),
        chained("SELECT x.a, x.b, x.c FROM {before} AS x", 30),
        " UNION ALL ".join(["SELECT a + a + a AS a FROM t"] * 300),
        "SELECT " + " + ".join(["a"] * 900) + " FROM t",
        "SELECT " + ", ".join(["(SELECT max(a) FROM t WHERE a > 1)"] * 300),
        "SELECT " + ", ".join(["CASE WHEN a = 'x' THEN 1 ELSE 2 END"] * 300) + " FROM (SELECT 1)",
        chained("SELECT extract(year FROM a) AS a FROM {before} WHERE a IS DISTINCT FROM 1", 20),
    ],
)
def test_long_statements_are_sent_to_the_fallback(sql):
    """What stands side by side does not double."""
    assert is_asked(sql)
