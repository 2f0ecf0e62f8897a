"""Calls of every function that the checker knows, with arguments that make sense to few of them."""

from __future__ import annotations

import pytest

from sqlobs import Schema, check_sql
from sqlobs.check.engine.engine_context import engine_context_of
from sqlobs.check.engine.profile import profile_of

TABLES = {
    "bigquery": "CREATE TABLE t (a INT64, b STRING, c DATE, d ARRAY<INT64>, e STRUCT<x INT64>)",
    "clickhouse": "CREATE TABLE t (a Int64, b String, c Date, d Array(Int64), e Tuple(x Int64))",
    "spark": "CREATE TABLE t (a INT, b STRING, c DATE, d ARRAY<INT>, e STRUCT<x: INT>)",
}
OTHER_TABLE = "CREATE TABLE t (a INT, b VARCHAR(20), c DATE, d INT, e INT)"
DIALECTS = (
    *("sqlite", "postgres", "mysql", "duckdb", *TABLES),
    *("snowflake", "tsql", "oracle", "trino", "redshift"),
)
FEW = ("", "d, a")
MANY = (
    *("a", "b", "c", "d", "a, b", "b, b", "a, b, c", "e, a", "'x', a, d"),
    *("1, 2, 3, 4", "(SELECT 1)", "x -> x, d"),
)
TOGETHER = 20


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_call_gets_a_verdict(dialect):
    """No argument at all, and an array where most expect something else."""
    assert failed_checks(dialect, FEW) == []


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_call_gets_a_verdict_with_all_kinds_of_arguments(dialect):
    """Each type, rows, literals, a query, a lambda, and more than most functions accept."""
    assert failed_checks(dialect, MANY) == []


def failed_checks(dialect, arguments):
    """Return the statements whose check raised."""
    schema = Schema.from_ddl(TABLES.get(dialect, OTHER_TABLE), dialect=dialect)
    knowledge = engine_context_of(schema, profile_of(schema, None)).knowledge
    names = sorted(knowledge.written_names())
    calls = [f"{name}({one})" for one in arguments for name in names]
    parts = [calls[at : at + TOGETHER] for at in range(0, len(calls), TOGETHER)]
    reports = [check_sql(f"SELECT {', '.join(part)} FROM t", schema=schema) for part in parts]
    return [one.sql for one in reports if "error" in one.reasons.values()]
