"""A nightly job: everything it has measured is delivered before it ends.

The environment sets the endpoint, e.g. OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318.
"""

from __future__ import annotations

import sqlobs

SCHEMA = sqlobs.Schema.from_mapping(
    {"orders": ["order_id", "ordered_at", "total_amount"]}, dialect="sqlite"
)
QUESTIONS = ("Revenue yesterday", "Orders yesterday", "Returns yesterday")
ANSWERS = {
    "Revenue yesterday": "SELECT SUM(total_amount) FROM orders WHERE ordered_at = '2025-09-29'",
    "Orders yesterday": "SELECT COUNT(*) FROM orders WHERE ordered_at = '2025-09-29'",
    "Returns yesterday": "SELECT COUNT(*) FROM returns WHERE returned_at = '2025-09-29'",
}


@sqlobs.trace_generation
def generate_sql(question: str) -> str:
    """Stand for your model."""
    return ANSWERS[question]


def main() -> None:
    """Answer every question of the night, then deliver."""
    # Nobody waits for a job's answers: check where they are made, not on the worker.
    sqlobs.configure(service_name="nightly-report", schema=SCHEMA, mode="inline")
    try:
        for question in QUESTIONS:
            with sqlobs.context(session="night-1") as asked:
                generate_sql(question)
            report = asked.generation.report
            print(f"{question}: {report.verdict if report else 'not checked'}")
    finally:
        # Waits for what is in progress and for the exporters, which send in batches.
        sqlobs.shutdown()


if __name__ == "__main__":
    main()
