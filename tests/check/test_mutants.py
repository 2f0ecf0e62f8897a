"""Single faults in statements: the static verdict is SQLite's, and the wrong name is reported."""

from __future__ import annotations

from random import Random

import pytest

from sqlobs import check_sql
from tests.agreement.engines import SqliteEngine
from tests.agreement.mutation import Mutator
from tests.check.schemas import SHOP_DDL, shop

SQLITE = shop("sqlite")
STATEMENTS = (
    "SELECT name, city FROM customers WHERE born > '2000-01-01' ORDER BY name LIMIT 5",
    (
        "SELECT c.name, count(*) FROM customers AS c JOIN orders AS o ON o.customer_id = c.id"
        " GROUP BY c.name HAVING sum(o.total_revenue) > 100"
    ),
    "SELECT max(price), lower(product) FROM items WHERE quantity BETWEEN 1 AND 5 GROUP BY product",
    "SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'paid')",
    (
        "WITH paid AS (SELECT customer_id, total_revenue FROM orders WHERE status = 'paid')"
        " SELECT c.city, avg(paid.total_revenue) FROM customers AS c"
        " JOIN paid ON paid.customer_id = c.id GROUP BY c.city"
    ),
    "SELECT CASE WHEN quantity > 3 THEN 'many' ELSE 'few' END AS size, round(price) FROM items",
    "SELECT city FROM customers UNION SELECT status FROM orders WHERE id = 1",
    "SELECT o.id FROM orders AS o WHERE EXISTS (SELECT 1 FROM items AS i WHERE i.order_id = o.id)",
)


@pytest.fixture(scope="module")
def engine():
    """SQLite with an empty shop."""
    engine = SqliteEngine()
    engine.prepare("shop", [statement for statement in SHOP_DDL.split(";") if statement.strip()])
    yield engine
    engine.close()


@pytest.mark.parametrize("seed", range(12))
def test_the_static_verdict_on_a_mutant_is_the_engines(seed, engine):
    """Found where SQLite refuses, silent where it accepts, and by name where the fault has one."""
    mutator = Mutator("sqlite", Random(seed))
    for sql in STATEMENTS:
        assert engine.refusal("shop", sql) is None
        for mutant in mutator.mutants(sql, SQLITE):
            report = check_sql(mutant.sql, schema=SQLITE, native=False)
            refused = engine.refusal("shop", mutant.sql) is not None
            assert (False in (report.syntactic, report.schematic)) == refused, mutant
            if refused and mutant.wrong is not None:
                named = {
                    finding.identifier.lower() for finding in report.errors if finding.identifier
                }
                assert mutant.wrong in named, mutant
