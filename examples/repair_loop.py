"""Let the model repair its SQL: the report says what was wrong, and every try is counted."""

from __future__ import annotations

import sqlobs
from sqlobs.testing import capture_spans

SCHEMA = sqlobs.Schema.from_ddl(
    """
    CREATE TABLE customers (customer_id INT PRIMARY KEY, full_name TEXT);
    CREATE TABLE orders (order_id INT PRIMARY KEY, customer_id INT, total_amount NUMERIC);
    """,
    dialect="postgres",
)


def ask_model(question: str, *, hint: str) -> str:
    """Stand in for your model: it invents a column, and corrects it after the feedback."""
    column = "total_amount" if "total_amount" in hint else "order_amount"
    return f"SELECT customer_id, SUM({column}) AS revenue FROM orders GROUP BY customer_id"  # noqa: S608 - the model's text


@sqlobs.trace_generation(schema=SCHEMA)
def generate_sql(question: str) -> str:
    """Return SQL for a question; at most three tries."""
    generation, hint, sql = sqlobs.current_generation(), "", ""
    for _ in range(3):
        sql = ask_model(question, hint=hint)
        report = generation.attempt(sql)
        if report.ok:
            break
        hint = report.explain()
        print(hint)
    return sql


def main() -> None:
    """Ask one question and show what its telemetry says about the tries."""
    with capture_spans() as spans:
        print(generate_sql("What did each customer spend?"))
    print(spans.tree)
    for name in ("sqlobs.verdict", "sqlobs.attempts", "sqlobs.first_attempt.verdict"):
        print(name, "=", (spans.generation.attributes or {})[name])


if __name__ == "__main__":
    main()
