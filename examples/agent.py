"""Trace an agent that writes and runs SQL itself: what it executes is what is judged."""

from __future__ import annotations

import sqlite3

import sqlobs
from sqlobs.testing import capture_spans

DDL = "CREATE TABLE products (product_id INTEGER PRIMARY KEY, name TEXT, list_price NUMERIC)"
SCHEMA = sqlobs.Schema.from_ddl(DDL, dialect="sqlite")
DATABASE = sqlite3.connect(":memory:")
DATABASE.execute(DDL)
DATABASE.executemany(
    "INSERT INTO products VALUES (?, ?, ?)", [(1, "Moka Pot", 32.9), (2, "Tea Strainer", 9.9)]
)


@sqlobs.trace_execution(sql="sql", target="shop")
def run_sql(sql: str) -> list[tuple[object, ...]]:
    """Run SQL: the agent's tool. An error goes back to the agent."""
    return DATABASE.execute(sql).fetchall()


@sqlobs.trace_generation(schema=SCHEMA, sql=None)
def agent(question: str) -> str:
    """Answer in words; the SQL is inside, in the calls of the tool."""
    for sql in ("SELECT MAX(price) FROM products", "SELECT MAX(list_price) FROM products"):
        try:
            ((highest,),) = run_sql(sql)
        except sqlite3.Error as error:
            print(f"tool: {error}")
        else:
            return f"The most expensive product costs {highest} euros."
    return "I do not know."


def main() -> None:
    """Ask once and show the spans, and what they say."""
    with capture_spans() as spans:
        print(agent("What does the most expensive product cost?"))
    print(spans.tree)
    for name in ("sqlobs.verdict", "sqlobs.attempts", "sqlobs.first_attempt.verdict"):
        print(name, "=", (spans.generation.attributes or {})[name])
    refused = spans.counter("sqlobs.executions", sqlobs_execution_status="error")
    print(f"executions that failed: {refused:g}")


if __name__ == "__main__":
    main()
