"""Statements as models write them, each a different one: a third of them are faulty."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from sqlobs import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = ("id", "customer_id", "status", "total_amount", "created_at", "region", "channel", "note")
SHARE_OF_FAULTY = 1 / 3


def schema_of(tables: int) -> Schema:
    """Return a PostgreSQL schema with tables `orders_0`, `orders_1`, … of eight columns each."""
    columns = "id int, customer_id int, status text, total_amount numeric, created_at timestamp"
    return Schema.from_ddl(
        ";".join(
            f"CREATE TABLE orders_{number} ({columns}, region text, channel text, note text)"
            for number in range(tables)
        ),
        dialect="postgres",
    )


def statements(tables: int, seed: int) -> Iterator[str]:
    """Yield statements of 800 characters in the mean, none of them twice."""
    chance = random.Random(seed)
    number = 0
    while True:
        number += 1
        sql = _statement(chance, tables, number)
        yield _with_fault(chance, sql) if chance.random() < SHARE_OF_FAULTY else sql


def _statement(chance: random.Random, tables: int, number: int) -> str:
    first, second = (f"orders_{chance.randrange(tables)}" for _ in range(2))
    text, other = chance.sample(("status", "region", "channel"), 2)
    months = chance.randrange(1, 24)
    measures = ",\n  ".join(
        f"SUM(CASE WHEN o.{text} = 'value {number}-{case}' THEN o.total_amount ELSE 0 END) AS m{case}"
        for case in range(chance.randrange(1, 4))
    )
    return f"""WITH recent AS (
  SELECT o.customer_id, o.{text}, o.{other}, o.total_amount, o.created_at
  FROM {first} AS o
  WHERE o.created_at >= CURRENT_DATE - INTERVAL '{months} months' AND o.{text} <> 'cancelled {number}'
), ranked AS (
  SELECT p.customer_id, p.{other}, COUNT(*) AS orders,
    ROW_NUMBER() OVER (PARTITION BY p.{other} ORDER BY COUNT(*) DESC) AS place
  FROM {second} AS p
  WHERE p.note ILIKE '%{number}%' OR p.total_amount BETWEEN {number} AND {number + months}
  GROUP BY p.customer_id, p.{other}
)
SELECT o.{other}, r.orders,
  {measures}
FROM recent AS o
JOIN ranked AS r ON r.customer_id = o.customer_id AND r.place <= {months}
GROUP BY o.{other}, r.orders
HAVING SUM(o.total_amount) > {number}
ORDER BY r.orders DESC
LIMIT {months}"""


def _with_fault(chance: random.Random, sql: str) -> str:
    """Return the statement with an invented name or a fault of syntax."""
    return chance.choice(
        (
            lambda: sql.replace("o.total_amount ELSE", "o.net_amount ELSE"),
            lambda: sql.replace("FROM orders_", "FROM order_items_", 1),
            lambda: sql.replace("p.note", "p.comment_text"),
            lambda: sql.replace("COUNT(*) DESC", "COUNT_BIG(*) DESC"),
            lambda: sql.replace("GROUP BY o.", "GROUP BY COUNT(*), o."),
            lambda: sql.replace("HAVING", ", HAVING"),
            lambda: sql[: len(sql) * 3 // 4],
        )
    )()
