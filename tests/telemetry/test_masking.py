from __future__ import annotations

import logging

import pytest

import sqlobs
from sqlobs import Column, Schema, Table
from sqlobs.tracing.instance import Sqlobs

CANARY = "zanary4711"
STATEMENTS = (
    f"SELECT total FROM orders WHERE region = '{CANARY}' -- {CANARY}",
    f"SELECT totl /* {CANARY} */ FROM orders WHERE region = $x${CANARY}$x$ AND a = E'{CANARY}'",
    f'SELECT total FROM orders WHERE region = "North {CANARY}"',
    f"SELECT total FROM orders WHERE region = '{CANARY}",
    f"Here is {CANARY}: ```sql\nSELECT FROM WHERE '{CANARY}'\n```",
)
SCHEMA = Schema(
    tables=(
        Table(
            "orders",
            (
                Column("total", type="numeric", description=f"in {CANARY}"),
                Column("region", type="text", sample_values=(CANARY,)),
            ),
            description=CANARY,
        ),
    ),
    dialect="postgres",
)


class FailedError(Exception):
    """What the user's function raises; the message quotes a value."""


def work(instance: Sqlobs) -> None:
    """Answer, attempt, execute, fail and comment, with the canary wherever a value may be."""

    @instance.trace_generation(reference=f"SELECT '{CANARY}'", hints=CANARY)
    def generate(question: str, sql: str) -> str:
        sqlobs.current_generation().attempt(f"{sql} ")
        return sql

    @instance.trace_generation
    def fail(question: str) -> str:
        raise FailedError(CANARY)

    @instance.trace_execution(sql="sql", target="warehouse")
    def run(sql: str) -> list[object]:
        raise FailedError(CANARY)

    for sql in STATEMENTS:
        with instance.context() as ctx:
            generate(f"What of {CANARY}?", sql)
            with pytest.raises(FailedError):
                run(sql)
        instance.record_feedback(
            ctx.generation.id, kind="thumb", value="down", corrected_sql=sql, reason=CANARY
        )
    with pytest.raises(FailedError):
        fail(CANARY)
    assert instance.shutdown(20)


@pytest.mark.parametrize("mode", ["inline", "deferred"])
def test_no_value_is_in_any_byte_that_a_backend_receives(
    vendor, collector, monkeypatch, caplog, mode
):
    """Spans, metrics and logs of the backend are free of it; units, by consent, are not."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", vendor.endpoint)
    work(Sqlobs(schema=SCHEMA, collector=collector.endpoint, mode=mode))
    assert len(vendor.spans) >= 3 * len(STATEMENTS) + 1
    assert vendor.metrics
    assert CANARY.encode() not in vendor.raw
    assert CANARY not in caplog.text
    assert CANARY.encode() in collector.raw


def test_without_a_collector_late_results_are_masked_too(vendor, monkeypatch):
    """Feedback goes to the backend's logs: corrected SQL without values, no words."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", vendor.endpoint)
    work(Sqlobs(schema=SCHEMA))
    assert len(vendor.logs) == len(STATEMENTS)
    assert CANARY.encode() not in vendor.raw


@pytest.mark.parametrize("capture", ["masked", "none"])
def test_a_collector_without_raw_capture_receives_no_value(collector, monkeypatch, capture):
    """The collector's bytes are free of it as well, the schema included."""
    monkeypatch.setenv("SQLOBS_COLLECTOR_CAPTURE", capture)
    work(Sqlobs(schema=SCHEMA, collector=collector.endpoint))
    assert {log.event_name for log in collector.logs} >= {"sqlobs.unit"}
    assert CANARY.encode() not in collector.raw


def test_redact_runs_before_anything_leaves(vendor, collector, monkeypatch):
    """What the user's `redact` takes out is in no byte, units included."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", vendor.endpoint)
    bare = Schema.from_mapping({"orders": ["total", "region"]}, dialect="postgres")
    work(
        Sqlobs(
            schema=bare,
            collector=collector.endpoint,
            redact=lambda _, text: text.replace(CANARY, "***"),
        )
    )
    units = [log for log in collector.logs if log.event_name == "sqlobs.unit"]
    assert len(units) == len(STATEMENTS) + 1
    assert CANARY.encode() not in collector.raw + vendor.raw
