"""Your own unit tests: `sqlobs_spans` holds what your code has traced, checked at once.

Run it with `pytest examples/test_my_generator.py`: installing sqlobs brings the fixture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlobs

if TYPE_CHECKING:
    from sqlobs.testing import CapturedSpans

SCHEMA = sqlobs.Schema.from_mapping(
    {"orders": {"order_id": "INTEGER", "total_amount": "NUMERIC"}}, dialect="sqlite"
)


@sqlobs.trace_generation(schema=SCHEMA)
def generate_sql(question: str) -> str:
    """Stand for your function under test."""
    return "SELECT SUM(total_amount) FROM orders"


def test_the_sql_is_grounded() -> None:
    """Without any telemetry: check what your function returns."""
    sqlobs.check_sql(generate_sql("Revenue?"), schema=SCHEMA).raise_for_findings()


def test_the_request_is_traced(sqlobs_spans: CapturedSpans) -> None:
    """With the plugin's fixture: one span, with the verdict on it."""
    generate_sql("Revenue?")
    seen = sqlobs_spans.generation.attributes or {}
    assert seen["sqlobs.verdict"] == "ok"
    assert sqlobs_spans.counter("sqlobs.generations", sqlobs_verdict="ok") == 1
