"""Our own statements in every dialect: the static verdict is the engine's."""

from __future__ import annotations

import pytest
import sqlglot

from tests.agreement.own import (
    DIALECTS,
    WAREHOUSES,
    clinic,
    is_refused,
    refusals,
    report_of,
    statements,
)

KNOWN = {
    "sqlite": {
        "SELECT w.id FROM wards w JOIN doctors d JOIN visits v ON v.doctor_id = d.id ON d.ward_id = w.id",
        "SELECT * FROM wards INDEXED BY ghost",
    },
    "postgres": {
        "SELECT nextval('s')",
        "SELECT id AS x, boss_id AS x FROM doctors GROUP BY x",
    },
    "mysql": {
        "SELECT * FROM doctors d WHERE (WITH c AS (SELECT d.id AS x) SELECT x FROM c) = 1",
        "SELECT id FROM wards ORDER BY title COLLATE utf8mb4_bin",
        "SELECT id FROM doctors WHERE id > (SELECT count(*) FROM wards) ORDER BY `count(*)`",
        "SELECT x.`ghost col` FROM (SELECT count(*) FROM doctors) x",
    },
    "duckdb": {
        "SELECT * FROM read_csv('x.csv')",
    },
    "bigquery": {
        "SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT ((SUM(amount)) FOR status IN ('a'))",
        "WITH m AS (SELECT order_id AS m, status FROM orders) SELECT m.m, COUNT(*) FROM m GROUP BY m.m",
        "SELECT ~NULL",
        "SELECT name IN UNNEST(NULL) FROM customers",
    },
    "spark": {
        "SELECT first(d.*) FROM (SELECT driver_id FROM drivers) d",
        "SELECT ms / 0, ms % 2, ms div 2, -page, +day FROM clicks",
        "SELECT sequence(day, current_date(), INTERVAL 1 DAY), sequence(1, 10, 2), sequence('a', 'b') FROM clicks",
        "SELECT members.plan, t.page FROM members CROSS JOIN (SELECT page FROM clicks) t TABLESAMPLE (10 PERCENT)",
        "SELECT default.orders.order_id FROM default.orders",
        "SELECT * FROM spark_catalog.default.orders",
        "SELECT emp_id, ntile('four') OVER (ORDER BY salary) FROM employees",
        "SELECT INTERVAL '1' FORTNIGHT",
        "SELECT * FROM orders WHERE payment = named_struct('method', 'card')",
        "SELECT customer_id COLLATE UTF8_LCASE FROM customers",
        "SELECT name COLLATE UTF8_LCASE = email COLLATE UNICODE FROM customers",
        "SELECT variant_get(payload, '$.a', 'int') FROM events",
        "SELECT name FROM customers CLUSTER BY country ORDER BY name",
        "SELECT collect_set(preferences) FROM customers",
        "SELECT 99999999999999999999999999999999999999999",
        "SELECT 300Y",
        "FROM customers MAP name, country USING 'cat' AS n, c",
        "DESCRIBE TABLE EXTENDED nope",
        "EXPLAIN SELECT nam FROM customers",
        "SELECT mask(name, bigChar => 'Q') FROM customers",
        "CREATE OR REPLACE TEMPORARY VIEW late AS SELECT * FROM shipments WHERE stat = 'late'",
        "SELECT * FROM (SELECT region, month, goal FROM targets) PIVOT (SUM(goal) AS g FOR month IN ('2024-01' AS jan, '2024-02' AS feb)) ORDER BY month",
        "SELECT approx_percentile(cost, array('a')) AS q, approx_top_k(status, 3) FROM shipments",
        "SELECT count_min_sketch(driver_id, 0.1, 0.9, 1), bitmap_construct_agg(driver_id) FROM shipments",
        "SELECT driver_id, window.begin, window.end, AVG(speed) FROM pings GROUP BY driver_id, window(ping_at, '10 minutes')",
        "SELECT driver_id, window.start, window.end, AVG(speed) FROM pings GROUP BY driver_id, window(lat, '10 minutes')",
        "SELECT sequence(DATE'2024-01-01', DATE'2024-12-31', 'month') AS months",
        "SELECT to_timestamp('2024-01-01', 'yyyy-MM-dd'), to_date('01/02/2024', 'dd/MM/yyyy'), unix_timestamp(created_at), from_unixtime(1700000000), from_utc_timestamp(created_at, 'Europe/Berlin'), make_date(2024, 1, 2), make_timestamp(2024, 1, 2, 3, 4, 5.0), trunc(promised, 'MM'), hour(created_at), to_utc_timestamp(created_at, 'UTC'), current_timestamp() - INTERVAL 7 DAYZ FROM shipments",
        "SELECT cost::INT, created_at::DATE, status :: STRING, 'abc' || driver_id, cost % 3, status DIV labels, ~driver_id, driver_id & 1, driver_id << 2 FROM shipments",
        "SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (sum(total) + 1 FOR status IN ('a'))",
        "SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (1 FOR status IN ('a'))",
        "SELECT upper(status) AS u, count(*) AS cnt FROM orders GROUP BY upper(status) HAVING max(total) > 3 ORDER BY upper(status)",
        "SELECT and(true)",
        "SELECT or(true)",
        "SELECT and(true, false, true)",
        "SELECT current_time('a')",
        "SELECT window.foo, count(*) FROM orders GROUP BY window(ordered_at, '1 day')",
        "WITH w AS (TABLE orders) SELECT * FROM w",
        "WITH w AS (TABLE orders) SELECT status FROM w",
        "SELECT * FROM orders WHERE ordered_at LIKE 'a%' >= current_timestamp()",
        "SELECT * EXCEPT (1) FROM customers",
        "SELECT upper(status) u, count(*) c FROM orders GROUP BY upper(status) QUALIFY rank() OVER (ORDER BY upper(status)) = 1",
    },
    "clickhouse": {
        "SELECT note::json->'a' FROM readings",
        "SELECT JSONExtract(note, 'a', 'Array(String)'), JSONExtract(note, 'b', 'Nullable(Float64)'), JSONExtractArrayRaw(note, 'c'), JSONExtractKeysAndValues(note, 'Int64') FROM readings",
        "SELECT arrayZip(tags, levels), arrayReduce('sum', levels), arrayFold(acc, x -> acc + x, levels, toFloat32(0)), arrayCumSum(levels) FROM readings",
        "WITH toDate(at) AS day, busy AS (SELECT user FROM people WHERE day = today()) SELECT count() FROM busy",
        "SELECT arrayAvg(scores), arrayMax(scores), arrayFilter(x -> isNotNull(x), scores) FROM people",
        "SELECT order_id amount, FROM orders",
        "SELECT full_name FROM customers LIMIT 5 BY",
        "SELECT ms FROM hits ARRAY JOIN (SELECT topics FROM hits LIMIT 1) AS _a",
    },
}
"""Where the checker differs from the engine: indexes, elements of arrays, casts of literals, aliases given twice, …"""


def wrong(dialect):
    """Return the statements on which the checker and the engine differ."""
    schema = clinic(dialect)
    return {
        sql
        for sql, refusal in refusals(dialect).items()
        if is_refused(report_of(sql, schema, dialect)) != (refusal is not None)
    }


UNREAD = (
    {
        "postgres": {"TABLE wards", "SELECT 1 WHERE EXISTS (TABLE wards)"},
        "duckdb": {"SELECT 1 WHERE EXISTS (TABLE wards)"},
    }
    if sqlglot.__version__ < "30.30"
    else {}
)
"""Statements that only a newer parser reads."""


@pytest.mark.parametrize("dialect", [*DIALECTS, *WAREHOUSES])
def test_the_static_verdict_equals_the_engine_s(dialect):
    """Refused by the engine, a label fails; taken by the engine, none does."""
    assert wrong(dialect) == KNOWN.get(dialect, set()) | UNREAD.get(dialect, set())


@pytest.mark.parametrize("dialect", [*DIALECTS, *WAREHOUSES])
def test_every_statement_has_a_verdict(dialect):
    """What was recorded is what stands in the files; `python -m tests.agreement.own --record`."""
    assert list(refusals(dialect)) == statements(dialect)
