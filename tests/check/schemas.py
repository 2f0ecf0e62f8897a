"""The schemas that the checker's tests share."""

from __future__ import annotations

from sqlobs.schema.model import Schema

SHOP_DDL = """
CREATE TABLE customers (id integer PRIMARY KEY, name varchar(80), city varchar(80), born date);
CREATE TABLE orders (
  id integer PRIMARY KEY, customer_id integer, total_revenue numeric(10,2), placed_at timestamp,
  status varchar(20)
);
CREATE TABLE items (order_id integer, product varchar(80), quantity integer, price numeric(10,2));
"""


ENGINES = {"mysql": "mariadb:10.11", "postgres": "postgres:15"}
"""The versions that the tests' servers have."""


def shop(dialect: str) -> Schema:
    """Return the shop in a dialect, as the engine of the tests has it."""
    return Schema.from_ddl(SHOP_DDL, dialect=ENGINES.get(dialect, dialect))
