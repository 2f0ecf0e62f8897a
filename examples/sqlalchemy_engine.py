"""Have the engine's verdict on generated SQL without touching the code that runs it."""

from __future__ import annotations

from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

import sqlobs
from sqlobs.integrations.sqlalchemy import trace_engine
from sqlobs.testing import capture_spans

DDL = "CREATE TABLE products (product_id INTEGER PRIMARY KEY, name TEXT, list_price NUMERIC)"
ENGINE = create_engine("sqlite://")
trace_engine(ENGINE, target="shop")


@sqlobs.trace_generation(schema=sqlobs.Schema.from_ddl(DDL, dialect="sqlite"))
def generate_sql(question: str) -> str:
    return "SELECT MAX(price) FROM products"


def main() -> None:
    """Ask once, and show how the database answers."""
    with ENGINE.connect() as connection, capture_spans() as spans, sqlobs.context():
        connection.exec_driver_sql(DDL)  # not generated: not recorded
        try:
            connection.execute(text(generate_sql("What does the most expensive product cost?")))
        except SQLAlchemyError as error:
            print(str(error).partition("\n")[0])
    print(spans.tree)
    agreed = spans.counter(
        "sqlobs.comparisons", sqlobs_static_label="fail", sqlobs_engine_label="fail"
    )
    print(f"the engine agrees with the check: {agreed:g}")


if __name__ == "__main__":
    main()
