"""Refuse SQL with invented names before it reaches the database.

Run it: `python examples/gate.py`. It makes a small SQLite database in memory, then lets four
answers of a model knock at the gate: what the schema does not have is never executed.
"""

from __future__ import annotations

import sqlite3

from sqlobs import Schema, check_sql
from sqlobs.errors import FindingsError

DDL = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  total_revenue REAL NOT NULL
);
"""
ROWS = """
INSERT INTO customers VALUES (1, 'Ada', 'London'), (2, 'Grace', 'New York');
INSERT INTO orders VALUES (1, 1, 120.0), (2, 1, 30.5), (3, 2, 99.0);
"""
ANSWERS = [
    (
        "SELECT name, sum(total_revenue) FROM customers c JOIN orders o ON o.customer_id = c.id"
        " GROUP BY c.id ORDER BY 2 DESC"
    ),
    "SELECT sum(customer_revenue) FROM orders",
    "SELECT city, count(*) FROM clients GROUP BY city",
    "```sql\nSELECT count(*) FROM orders;\n```\nThis counts the orders.",
]


def run(connection: sqlite3.Connection, schema: Schema, answer: str) -> list[tuple[object, ...]]:
    """Execute a model's answer, if it passes the gate."""
    report = check_sql(answer, schema=schema)
    report.raise_for_findings()
    return connection.execute(report.sql).fetchall()


def main() -> None:
    schema = Schema.from_ddl(DDL, dialect="sqlite")
    connection = sqlite3.connect(":memory:")
    connection.executescript(DDL + ROWS)
    for answer in ANSWERS:
        print(answer.splitlines()[-1] if answer.startswith("SELECT") else repr(answer))
        try:
            print("  executed:", run(connection, schema, answer))
        except FindingsError as refusal:
            for finding in refusal.findings:
                print(f"  refused: {finding.message}")
    connection.close()


if __name__ == "__main__":
    main()
