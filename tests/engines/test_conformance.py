"""Engines of warehouses on this machine: `make test-integrations` installs them.

One suite for all: what is asked, what becomes of errors, what a statement must not reach, and
agreement with the verdicts that were recorded for our own statements.
"""

from __future__ import annotations

import pytest

from sqlobs import Schema, check_sql
from sqlobs.execution import local_engine
from tests.agreement.own import WAREHOUSES, clinic, refusals

TABLES = {
    "bigquery": """
CREATE TABLE customers (id INT64, name STRING, tags ARRAY<STRING>,
  address STRUCT<city STRING, zip INT64>);
CREATE TABLE orders (id INT64, customer_id INT64, total NUMERIC(10, 2), placed DATE);""",
    "spark": """
CREATE TABLE customers (id BIGINT, name STRING, tags ARRAY<STRING>,
  address STRUCT<city: STRING, zip: BIGINT>);
CREATE TABLE orders (id BIGINT, customer_id BIGINT, total DECIMAL(10, 2), placed DATE);""",
    "clickhouse": """
CREATE TABLE customers (id Int64, name String, tags Array(String),
  address Tuple(city String, zip Int64)) ENGINE = MergeTree ORDER BY id;
CREATE TABLE orders (id Int64, customer_id Int64, total Decimal(10, 2), placed Date)
  ENGINE = MergeTree ORDER BY id;""",
}
SCHEMAS = {name: Schema.from_ddl(text, dialect=name) for name, text in TABLES.items()}
ERRORS = [
    ("SELECT x FROM ghosts", "schema.unknown_table", "ghosts"),
    ("SELECT c.nme FROM customers c", "schema.unknown_column", "nme"),
    ("SELECT nme FROM customers", "schema.unknown_column", "nme"),
    ("SELECT address.cty FROM customers", "schema.unknown_column", "cty"),
    ("SELECT strfmt(name) FROM customers", "syntax.dialect_mismatch", "strfmt"),
    ("SELECT 1 FROM customers WHERE tags > 5", "schema.type_mismatch", None),
    ("SELECT 1 FROM customers WHERE count(id) > 1", "schema.grouping", None),
    ("SELECT (id FROM orders", "syntax.parse_error", None),
    ("SELECT id FROM orders UNION ALL SELECT id, total FROM orders", "syntax.parse_error", None),
]
BY_DIALECT = {
    "bigquery": [
        ("SELECT id FROM customers, orders", "schema.ambiguous_ref", "id"),
        ("SELECT abs(1, 2)", "schema.type_mismatch", "abs"),  # it does not say what is wrong
        ("SELECT avg(name) FROM customers", "schema.type_mismatch", "avg"),
        ("SELECT CAST(id AS strng) FROM customers", "schema.unknown_type", "strng"),
        ("SELECT name, max(id) FROM customers", "schema.grouping", "name"),
        ("SELECT 1; SELECT 2", "syntax.parse_error", None),
    ],
    "spark": [
        ("SELECT id FROM customers, orders", "schema.ambiguous_ref", "id"),
        ("SELECT abs(1, 2)", "syntax.dialect_mismatch", "abs"),
        ("SELECT avg(tags) FROM customers", "schema.type_mismatch", None),
        ("SELECT CAST(id AS strng) FROM customers", "schema.unknown_type", "strng"),
        ("SELECT name, max(id) FROM customers", "schema.grouping", None),
        ("SELECT name, max(id) FROM customers GROUP BY id", "schema.grouping", "name"),
        ("SELECT 1; SELECT 2", "syntax.parse_error", None),
    ],
    "clickhouse": [
        ("SELECT abs(1, 2)", "syntax.dialect_mismatch", "abs"),
        ("SELECT avg(name) FROM customers", "schema.type_mismatch", None),
        ("SELECT CAST(id AS strng) FROM customers", "schema.unknown_type", "strng"),
        ("SELECT name, max(id) FROM customers", "schema.grouping", "name"),
    ],
}
OUTSIDE = {
    "bigquery": [
        "SELECT 1 FROM EXTERNAL_QUERY('c', 'SELECT 1')",
        "SELECT CAST(name AS INTEGER) FROM customers",
        "SELECT MAX_BY(name, id) FROM customers",
        "SELECT IF(id > AVG(id) OVER (), 1, 0) FROM customers",
    ],
    "spark": [
        "SELECT * FROM csv.`{path}`",
        "SELECT * FROM text.`{path}`",
        "SELECT * FROM parquet.`{path}`",
    ],
    "clickhouse": [
        "SELECT * FROM file('{path}')",
        "SELECT * FROM default.`{path}`",
        "SELECT * FROM '{path}'",
        "SELECT (SELECT count() FROM file /* a note */ ('{path}', 'CSV', 'a Int32'))",
        "SELECT * FROM `fil\\x65`('{path}')",
        "SELECT * FROM url('http://127.0.0.1:9/x.csv')",
        "SELECT file('{path}')",
        "SELECT * FROM remote('127.0.0.1:9', system.one)",
        "SELECT * FROM executable('x', 'TSV', 'a Int32', (SELECT 1))",
    ],
}


@pytest.fixture
def engine(dialect):
    """Its engine, over two tables."""
    return local_engine(SCHEMAS[dialect])


def test_an_accepted_statement_has_no_code(dialect, engine):
    """The report has the engine's name and version."""
    report = check_sql("SELECT name FROM customers", schema=SCHEMAS[dialect], native=engine)
    assert (report.ok, report.decided_by) == (True, "native")
    name = {"bigquery": "googlesql "}.get(dialect, f"{dialect} ")
    assert report.engine.startswith(name)


def test_errors_become_codes(dialect, engine):
    """Each class of the engine's messages has its code and names the identifier."""
    cases = ERRORS + BY_DIALECT[dialect]
    found = [engine.verdict(sql) for sql, _, _ in cases]
    said = [one and (one.code, one.identifier and one.identifier.lower()) for one in found]
    wanted = [(code, name) for _, code, name in cases]
    assert [
        pair if name else (pair[0], None) for pair, (_, name) in zip(said, wanted, strict=True)
    ] == wanted


def test_nothing_outside_is_reached(dialect, engine, tmp_path):
    """There is no telling whether a file exists, and none is accepted."""
    path = tmp_path / "secret.csv"
    path.write_text("a\n1\n")
    for source in OUTSIDE[dialect]:
        there = engine.verdict(source.format(path=path))
        gone = engine.verdict(source.format(path=tmp_path / "none.csv"))
        assert [one and one.code for one in (there, gone)] in (
            [None, None],
            [there and there.code] * 2,
        )
        assert there is None or there.code is not None, source


def test_nothing_is_written(dialect, engine, tmp_path):
    """Neither a second statement nor an output file has an effect."""
    path = tmp_path / "out.csv"
    engine.verdict(f"SELECT 1 INTO OUTFILE '{path}'")
    engine.verdict("SELECT 1; DROP TABLE customers")
    engine.verdict("WITH a AS (SELECT 1) INSERT INTO customers SELECT 1, 'a', NULL, NULL")
    assert not path.exists()
    assert engine.verdict("SELECT name FROM customers").code is None


def test_a_changed_table_is_made_again_and_a_lost_one_is_unknown(dialect):
    """In the same process: the other tables stay."""
    text = TABLES[dialect]
    changed = local_engine(Schema.from_ddl(text.replace("customer_id", "buyer"), dialect=dialect))
    first = local_engine(SCHEMAS[dialect])
    orders = text.index("CREATE TABLE orders")
    lost = local_engine(Schema.from_ddl(text[:orders], dialect=dialect))
    sql = "SELECT customer_id FROM orders"
    codes = [one.verdict(sql).code for one in (first, changed, first, lost, first)]
    assert codes == [None, "schema.unknown_column", None, "schema.unknown_table", None]


def test_bigquery_s_backticks_may_enclose_several_names(dialect):
    """In any combination."""
    if dialect != "bigquery":
        pytest.skip("backticks enclose one name")
    made = Schema.from_ddl(
        "CREATE TABLE acme.shop.orders (id INT64, day RANGE<DATE>);", dialect=dialect
    )
    engine = local_engine(made)
    for name in ("`acme.shop.orders`", "`acme.shop`.orders", "`shop.orders`", "shop.`orders`"):
        assert engine.verdict(f"SELECT id FROM {name}").code is None, name
    assert engine.verdict("SELECT id FROM `shop.order`").code == "schema.unknown_table"


def test_declared_functions_and_unknown_types_are_left_to_the_static_part(dialect):
    """A UDF of the schema is no unknown function; a table of unknown types cannot be made."""
    schema = Schema(SCHEMAS[dialect].tables, dialect=dialect, functions=("levenshtone",))
    assert local_engine(schema).verdict("SELECT levenshtone(name) FROM customers") is None
    odd = local_engine(Schema.from_mapping({"boats": {"id": "boat_kind"}}, dialect=dialect))
    assert odd.verdict("SELECT id FROM boats") is None


def test_recorded_verdicts_of_our_own_statements_are_given_again(dialect):
    """By the same engine in the same version; at most one in ten gets no verdict."""
    if dialect not in WAREHOUSES:
        pytest.skip("no verdicts are recorded for it")
    engine = local_engine(clinic(dialect))
    verdicts = {sql: (engine.verdict(sql), said) for sql, said in refusals(dialect).items()}
    other = [sql for sql, (v, said) in verdicts.items() if v and (v.code is None) != (said is None)]
    assert [sql for sql in other if "default.orders" not in sql] == []  # recorded elsewhere
    asked = [sql for sql in verdicts if sql.lstrip("( ").upper().startswith(("SELECT", "WITH"))]
    silent = [sql for sql in asked if verdicts[sql][0] is None]
    assert len(silent) <= len(asked) / 10, silent
