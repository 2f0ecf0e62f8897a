"""DuckDB's own verdict: what it is asked, what it answers, and what it must not touch."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sqlobs import Column, Schema, Table, check_sql
from sqlobs.check.engine.profile import Profile
from sqlobs.check.native import is_quick
from sqlobs.check.native.duckdb import DuckdbNative, classify, installed_version
from tests.check.schemas import shop

duckdb = pytest.importorskip("duckdb")
pytestmark = pytest.mark.skipif(
    not f"{installed_version()}.".startswith(f"{Profile.named('duckdb').version}."),
    reason="an engine of another version than the catalogue's is not asked",
)
DUCKDB = shop("duckdb")
NATIVE = DuckdbNative(DUCKDB)


def test_an_accepted_statement_has_no_code():
    """The report has the engine's name and version."""
    verdict = NATIVE.verdict("SELECT name FROM customers")
    assert verdict is not None
    assert (verdict.code, verdict.engine) == (None, f"duckdb {duckdb.__version__}")


@pytest.mark.parametrize(
    ("sql", "code", "identifier"),
    [
        ("SELECT x FROM ghosts", "schema.unknown_table", "ghosts"),
        ("SELECT x FROM main.ghosts", "schema.unknown_table", "ghosts"),
        ("SELECT c.nme FROM customers c", "schema.unknown_column", "nme"),
        ("SELECT nme FROM customers", "schema.unknown_column", "nme"),
        ("SELECT o.name FROM customers c", "schema.wrong_owner", "o"),
        ("SELECT id FROM customers, orders", "schema.ambiguous_ref", "id"),
        ("SELECT strfmt(born) FROM customers", "syntax.dialect_mismatch", "strfmt"),
        ("SELECT abs(1, 2)", "syntax.dialect_mismatch", "abs"),
        ("SELECT avg(name) FROM customers", "schema.type_mismatch", "avg"),
        ("SELECT 1 FROM customers WHERE name > 5", "schema.type_mismatch", None),
        ("SELECT CAST(id AS strng) FROM customers", "schema.unknown_type", "strng"),
        ("SELECT 1 FROM customers WHERE count(id) > 1", "schema.grouping", None),
        ("SELECT name, max(id) FROM customers", "schema.grouping", "name"),
        ("SELECT FROM customers", "syntax.parse_error", None),
    ],
)
def test_errors_become_codes(sql, code, identifier):
    """Each class of DuckDB's messages has its code and names the identifier."""
    verdict = NATIVE.verdict(sql)
    assert verdict is not None
    assert (verdict.code, verdict.identifier) == (code, identifier)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1; DROP TABLE customers",
        "EXPLAIN ANALYZE SELECT 1",
        "INSERT INTO customers VALUES (1)",
        "COPY customers TO 'out.csv'",
        "ATTACH 'x.db' AS x",
        "SET memory_limit = '1GB'",
        "INSTALL httpfs",
        "CALL pragma_version()",
        "PRAGMA database_list",
        "CREATE TABLE t (a integer)",
    ],
)
def test_only_one_query_is_bound(sql):
    """Anything else is left to the static part, and changes nothing."""
    assert NATIVE.verdict(sql) is None
    assert NATIVE.verdict("SELECT count(*) FROM customers").code is None


@pytest.mark.parametrize(
    "source",
    [
        "'{path}'",
        "read_csv('{path}')",
        "read_text('{path}')",
        "read_blob('{path}')",
        "read_json('{path}')",
        "glob('{path}')",
        "'https://127.0.0.1:9/x.parquet'",
    ],
)
def test_no_file_and_no_address_is_opened(source, tmp_path):
    """External access is off: there is no verdict, and no telling whether the file exists."""
    path = tmp_path / "secret.csv"
    path.write_text("a\n1\n")
    there = NATIVE.verdict(f"SELECT * FROM {source.format(path=path)}")
    gone = NATIVE.verdict(f"SELECT * FROM {source.format(path=tmp_path / 'none.csv')}")
    assert there == gone
    assert there is None or there.code is not None


def test_variables_of_python_are_no_tables():
    """DuckDB looks for names in the caller's frames if it may."""
    ghosts = {"a": [1]}
    verdict = NATIVE.verdict("SELECT * FROM ghosts")
    assert ghosts
    assert verdict.code == "schema.unknown_table"


def test_limits_and_missing_extensions_are_no_verdict():
    """What another build or setting would accept is left to the static part."""
    assert classify("Out of Memory Error: failed to allocate") is None
    assert classify("Catalog Error: x exists in the spatial extension.") is None
    assert classify("Permission Error: file system operations are disabled") is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + ", ".join(["(SELECT id FROM customers LIMIT 1)"] * 60),
        "SELECT 1 FROM customers " + " ".join(f"JOIN orders o{n} ON TRUE" for n in range(60)),
        "SELECT 1 FROM " + ", ".join(f"orders o{number}" for number in range(200)),
        "SELECT " + "(SELECT " * 40 + "1" + ")" * 40,
    ],
)
def test_what_takes_long_to_plan_is_not_asked(sql):
    """Its time grows with the cube of the queries and relations, and nothing interrupts it."""
    assert NATIVE.verdict(sql) is None


def test_long_chains_are_not_planned():
    """Of 600 powers it makes a plan for half a minute, and nothing interrupts it."""
    assert NATIVE.verdict("SELECT 'x'" + " ^ 'x'" * 100) is None
    assert NATIVE.verdict("SELECT 'x'" + " ^ 'x'" * 30) is not None
    many = " OR ".join(["name = 'x'"] * 100)
    assert NATIVE.verdict(f"SELECT 1 FROM customers WHERE {many}") is not None


def test_declared_functions_and_unreported_types_are_left_to_the_static_part():
    """A UDF of the schema is no unknown function; a table without types cannot be made."""
    declared = Schema(DUCKDB.tables, dialect="duckdb", functions=("levenshtone",))
    sql = "SELECT levenshtone(name) FROM customers"
    assert NATIVE.verdict(sql).code == "syntax.dialect_mismatch"
    assert DuckdbNative(declared).verdict(sql) is None
    untyped = Schema.from_mapping({"boats": ["id"]}, dialect="duckdb")
    assert DuckdbNative(untyped).verdict("SELECT id FROM boats") is None
    enum = Schema.from_mapping({"boats": {"id": "boat_kind"}}, dialect="duckdb")
    assert DuckdbNative(enum).verdict("SELECT id FROM boats") is None


def test_tables_of_namespaces_are_found_as_the_schema_has_them():
    """With their namespace, and without."""
    ddl = "CREATE TABLE sales.orders (id integer)"
    native = DuckdbNative(Schema.from_ddl(ddl, dialect="duckdb"))
    assert native.verdict("SELECT id FROM sales.orders").code is None
    assert native.verdict("SELECT id FROM orders").code is None


def test_the_engine_wins_over_the_static_part():
    """What DuckDB accepts is no error, and what it refuses is one; safety findings stay."""
    accepted = check_sql("SELECT name FROM customers ORDER BY ALL", schema=DUCKDB)
    assert (accepted.syntactic, accepted.schematic, accepted.decided_by) == (True, True, "native")
    assert accepted.engine == f"duckdb {duckdb.__version__}"
    refused = check_sql("SELECT strfmt(born) FROM customers", schema=DUCKDB)
    assert (refused.syntactic, refused.schematic) == (False, True)
    assert [(f.code, f.identifier, f.start) for f in refused.findings] == [
        ("syntax.dialect_mismatch", "strfmt", 7)
    ]
    unsafe = check_sql("SELECT * FROM information_schema.tables", schema=DUCKDB)
    assert (unsafe.schematic, unsafe.verdict) == (True, "failed")


def test_another_version_is_not_asked():
    """The profile says which DuckDB is meant."""
    report = check_sql("SELECT name FROM customers", schema=DUCKDB, dialect="duckdb:1.1")
    assert report.decided_by == "static"
    assert check_sql("SELECT 1", schema=DUCKDB, native=False).decided_by == "static"


def test_duckdb_is_called_off_the_request_path():
    """SQLite is quick, DuckDB is not."""
    assert not is_quick(DUCKDB, Profile.named("duckdb"), True)
    assert is_quick(DUCKDB, Profile.named("duckdb"), False)
    assert is_quick(shop("sqlite"), Profile.named("sqlite"), True)
    assert installed_version() == duckdb.__version__


def test_a_table_outside_the_search_path_needs_its_namespace():
    """As in the database that a schema was read from."""
    columns = (Column("a", "INTEGER"),)
    tables = (Table("t", columns, db="main"), Table("z", columns, db="further"))
    schema = Schema(tables, dialect="duckdb", search_path=("main",))
    found = [check_sql(f"SELECT a FROM {name}", schema=schema) for name in ("t", "z", "further.z")]
    assert [report.schematic for report in found] == [True, False, True]


def test_a_process_exits_without_output_after_a_verdict():
    """DuckDB tells of its objects that are still held then, on standard error, 28 lines of them."""
    script = (
        "from sqlobs import Schema, check_sql\n"
        "schema = Schema.from_mapping({'t': {'a': 'int'}}, dialect='duckdb')\n"
        "print(check_sql('SELECT a FROM t', schema=schema).decided_by)\n"
    )
    ended = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    assert [(one.stdout, one.stderr) for one in ended] == [("native\n", "")] * 3
