"""Views whose columns nobody could tell: nothing about them is a finding, and nothing is a pass."""

from __future__ import annotations

import pytest

from sqlobs import Schema, check_sql

DDL = "CREATE TABLE t (a int, b text); CREATE VIEW v AS SELECT count(*) FROM t;"


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb"])
@pytest.mark.parametrize(
    "sql", ["SELECT x FROM v", "SELECT v.y, t.a FROM v JOIN t ON true", "SELECT z FROM t, v"]
)
def test_a_column_of_an_open_view_is_undecided(sql, dialect):
    """It may be there or not."""
    report = check_sql(sql, schema=Schema.from_ddl(DDL, dialect=dialect))
    assert (report.syntactic, report.schematic) == (True, None)
    assert report.reasons == {"schematic": "undecided"}
    assert report.errors == ()


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb"])
def test_a_wrong_name_beside_an_open_view_is_still_found(dialect):
    """A qualified name of a known table, and a table that is not there."""
    schema = Schema.from_ddl(DDL, dialect=dialect)
    for sql, code in (
        ("SELECT t.c, v.x FROM t, v", "schema.unknown_column"),
        ("SELECT v.x FROM v JOIN w ON true", "schema.unknown_table"),
    ):
        report = check_sql(sql, schema=schema)
        assert (report.schematic, report.failure_codes) == (False, (code,))
