"""A join that repeats rows is proved on the data, and only then."""

from __future__ import annotations

import pytest

from sqlobs.execution.executor import Executor
from sqlobs.execution.fan_out import FanOut, fan_out_probes, fan_outs
from sqlobs.execution.target import Target
from sqlobs.schema.model import Schema

DDL = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, note TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total NUMERIC, day DATE);
"""
SCHEMA = Schema.from_ddl(DDL, dialect="sqlite")
JOINED = "FROM customers c JOIN orders o ON o.customer_id = c.id"


@pytest.fixture(scope="module")
def executor(shop_file):
    """Run probes on the shop: Ann has two orders, Bob one, Cleo none."""
    with Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=1) as running:
        yield running


def _proved(executor, sql):
    return fan_outs(executor, sql, schema=SCHEMA, dialect="sqlite", target="shop")


INFLATED = {
    "count": (f"SELECT COUNT(c.id) {JOINED}", "COUNT(c.id)", 3, 2),
    "unqualified": (f"SELECT COUNT(name) {JOINED}", "COUNT(name)", 3, 2),
    "average": (f"SELECT AVG(LENGTH(c.name)) AS n {JOINED}", "AVG(LENGTH(c.name))", 3, 2),
    "filtered": (f"SELECT SUM(c.id) {JOINED} WHERE c.name = 'Ann'", "SUM(c.id)", 2, 1),
    "ordered": (
        f"SELECT c.name, COUNT(c.id) n {JOINED} GROUP BY c.name ORDER BY n LIMIT 1",
        "COUNT(c.id)",
        3,
        2,
    ),
    "by position": (f"SELECT c.name, COUNT(c.id) {JOINED} GROUP BY 1", "COUNT(c.id)", 3, 2),
    "left": (
        "SELECT SUM(c.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id",
        "SUM(c.id)",
        4,
        3,
    ),
    "beside a cte": (
        f"WITH x AS (SELECT 1 AS one) SELECT SUM(c.id) {JOINED} JOIN x ON 1 = 1",
        "SUM(c.id)",
        3,
        2,
    ),
}


@pytest.mark.parametrize(("sql", "aggregate", "rows", "distinct"), INFLATED.values(), ids=INFLATED)
def test_a_repeated_row_is_proved(executor, sql, aggregate, rows, distinct):
    """Rows of the aggregated table as joined, against its keys, within the groups."""
    (found,) = _proved(executor, sql)
    assert found == FanOut(aggregate, "customers", rows, distinct)
    assert found.sentence == (
        f"fan-out: {aggregate} saw {rows} rows of customers, of which only {distinct} are different"
        " rows: a join repeats them"
    )


UNINFLATED = {
    "the many side": f"SELECT SUM(o.total) {JOINED}",
    "distinct": f"SELECT COUNT(DISTINCT c.id) {JOINED}",
    "extreme": f"SELECT MAX(c.id) {JOINED}",
    "grouped by the other key": f"SELECT o.id, COUNT(c.id) {JOINED} GROUP BY o.id",
    "no join": "SELECT COUNT(id) FROM customers",
    "all rows": f"SELECT COUNT(*) {JOINED}",
    "columns of both": f"SELECT SUM(c.id + o.id) {JOINED}",
    "subquery": f"SELECT (SELECT COUNT(c.id) {JOINED}) AS n",
    "not repeated here": f"SELECT COUNT(c.id) {JOINED} WHERE o.day = '2024-02-01'",
    "unknown table": "SELECT SUM(x.id) FROM x JOIN orders o ON o.id = x.id",
    "broken": "SELECT COUNT( FROM",
    "missing column": "SELECT SUM(c.id) FROM customers c JOIN orders o ON o.nothing = c.id",
    "a cte of the name": "WITH customers AS (SELECT 1 AS id) SELECT SUM(c.id) FROM customers c JOIN orders o ON o.customer_id = c.id",
}


@pytest.mark.parametrize("sql", UNINFLATED.values(), ids=UNINFLATED)
def test_nothing_is_claimed_without_a_proof(executor, sql):
    """Repetition that does no harm, that is not there, or that cannot be seen."""
    assert _proved(executor, sql) == ()


def test_tables_without_known_keys_are_not_probed():
    """Without a key it is unknown which rows are the same."""
    keyless = Schema.from_ddl(
        "CREATE TABLE customers (id INTEGER); CREATE TABLE orders (customer_id INTEGER);",
        dialect="sqlite",
    )
    assert fan_out_probes(f"SELECT SUM(c.id) {JOINED}", schema=keyless, dialect="sqlite") == ()


def test_keys_of_several_columns_are_compared_whole():
    """The probe lists all of them, and the groups."""
    schema = Schema.from_ddl(
        "CREATE TABLE a (x INT, y INT, v INT, PRIMARY KEY (x, y)); CREATE TABLE b (x INT, z INT);",
        dialect="postgres",
    )
    sql = "SELECT b.z, SUM(a.v) FROM a JOIN b ON a.x = b.x GROUP BY b.z"
    (probe,) = fan_out_probes(sql, schema=schema, dialect="postgres")
    inner = "SELECT a.x AS k0, a.y AS k1, b.z AS k2 FROM a JOIN b ON a.x = b.x"
    known = f"({inner}) AS joined WHERE k0 IS NOT NULL"
    assert probe.sql == (
        f"SELECT (SELECT COUNT(*) FROM {known}),"
        f" (SELECT COUNT(*) FROM (SELECT DISTINCT k0, k1, k2 FROM {known}) AS different)"
    )
