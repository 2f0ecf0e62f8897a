"""SQLite's own verdict: what it is asked, what it answers."""

from __future__ import annotations

import sqlite3

import pytest

from sqlobs import Schema, check_sql
from sqlobs.check.native.sqlite import SqliteNative, classify
from sqlobs.check.report.model import NativeVerdict
from tests.check.schemas import shop

SQLITE = shop("sqlite")
NATIVE = SqliteNative(SQLITE)


def test_an_accepted_statement_has_no_code():
    """The report has the engine's name and version."""
    verdict = NATIVE.verdict("SELECT name FROM customers")
    assert verdict is not None
    assert (verdict.code, verdict.engine) == (None, f"sqlite {sqlite3.sqlite_version}")


@pytest.mark.parametrize(
    ("sql", "code", "identifier"),
    [
        ("SELECT x FROM ghosts", "schema.unknown_table", "ghosts"),
        ("SELECT c.nme FROM customers c", "schema.unknown_column", "nme"),
        ("SELECT id FROM customers, orders", "schema.ambiguous_ref", "id"),
        ("SELECT YEAR(born) FROM customers", "syntax.dialect_mismatch", "YEAR"),
        ("SELECT abs(1, 2)", "syntax.dialect_mismatch", "abs"),
        ("SELECT 1 FROM customers WHERE count(id) > 1", "schema.grouping", "count"),
        ("SELECT FROM customers", "syntax.parse_error", None),
        ("SELECT 1; SELECT 2", "syntax.parse_error", None),
    ],
)
def test_errors_become_codes(sql, code, identifier):
    """Each class of SQLite's messages has its code and names the identifier."""
    verdict = NATIVE.verdict(sql)
    assert verdict is not None
    assert (verdict.code, verdict.identifier) == (code, identifier)


@pytest.mark.parametrize(
    "sql",
    [
        "PRAGMA case_sensitive_like = 1",
        "ATTACH 'x.db' AS x",
        "INSERT INTO customers VALUES (1)",
        "WITH a AS (SELECT 1) DELETE FROM customers",
        "-- note\n/* and */ VACUUM",
    ],
)
def test_only_queries_are_compiled(sql):
    """Anything that could act at compile time is rejected by the gate or the authorizer."""
    assert NATIVE.verdict(sql) is None


def test_limits_of_the_engine_are_no_verdict():
    """What another build of SQLite would accept is left to the static part."""
    assert classify("parser stack overflow") is None


def test_declared_functions_exist():
    """UDFs of the schema are known to the engine."""
    schema = Schema(SQLITE.tables, dialect="sqlite", functions=("levenshtein",))
    verdict = SqliteNative(schema).verdict("SELECT levenshtein(name, 'x') FROM customers")
    assert verdict is not None
    assert verdict.code is None


def test_the_engine_wins_over_the_static_part():
    """What SQLite accepts is no error, and what it refuses is one."""
    accepted = "SELECT name FROM customers WHERE rowid = 1 AND [name] = `city`"
    report = check_sql(accepted, schema=SQLITE)
    assert (report.syntactic, report.schematic, report.decided_by) == (True, True, "native")
    assert report.engine == f"sqlite {sqlite3.sqlite_version}"
    refused = check_sql("SELECT YEAR(born) FROM customers", schema=SQLITE)
    assert (refused.syntactic, refused.schematic) == (False, True)
    assert [(f.code, f.identifier, f.start) for f in refused.findings] == [
        ("syntax.dialect_mismatch", "YEAR", 7)
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT value FROM customers, json_each(name)",
        "SELECT t.fullkey FROM customers, json_tree(customers.name) AS t",
        "SELECT name FROM customers WHERE id = ?",
        "SELECT name FROM customers WHERE id = :id AND city = @city OR city = $town",
        "SELECT name FROM customers WHERE id = ?2",
    ],
)
def test_tables_of_the_engine_and_parameters_are_compiled(sql):
    """Neither a table that SQLite makes at its first use nor an unbound parameter is an error."""
    assert NATIVE.verdict(sql) == NativeVerdict(f"sqlite {sqlite3.sqlite_version}")
    report = check_sql(sql, schema=SQLITE)
    assert (report.syntactic, report.schematic, report.decided_by) == (True, True, "native")
    assert check_sql(sql, schema=SQLITE, native=False).verdict == "ok"


def test_an_invented_column_beside_parameters_and_tables_of_the_engine_is_found():
    """Both are still compiled against the schema."""
    verdict = NATIVE.verdict("SELECT ghost FROM customers, json_each(name) WHERE id = ?")
    assert verdict is not None
    assert (verdict.code, verdict.identifier) == ("schema.unknown_column", "ghost")


def test_an_unknown_qualifier_is_reported_once():
    """SQLite says `no such column: t1.name`: what it misses is t1, name exists."""
    report = check_sql("SELECT t1.name FROM customers", schema=SQLITE)
    assert [(f.code, f.identifier) for f in report.findings] == [("schema.wrong_owner", "t1")]
