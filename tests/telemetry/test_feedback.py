from __future__ import annotations

import pytest
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

from sqlobs.semconv.feedback import Opinion
from sqlobs.tracing.description.late_evaluations import opinion_of
from sqlobs.tracing.instance import Sqlobs
from sqlobs.tracing.records.record import FeedbackRecord
from tests.otlp import values_of
from tests.telemetry.records import SPAN, START

CORRECTED = "SELECT total FROM orders WHERE region = 'canary'"


def give(instance: Sqlobs, **more: object) -> None:
    """Record a thumb down with a correction, and send it."""
    instance.record_feedback(
        SPAN.traceparent,
        kind="thumb",
        value="down",
        corrected_sql=CORRECTED,
        reason="wrong region",
        **more,
    )
    assert instance.flush(10)


@pytest.fixture
def logger_provider(vendor):
    """The application's own logger provider."""
    provider = LoggerProvider(shutdown_on_exit=False)
    exporter = OTLPLogExporter(endpoint=f"{vendor.endpoint}/v1/logs")
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
    yield provider
    provider.shutdown()


def test_feedback_goes_raw_to_the_collector_and_nowhere_else(collector, vendor, logger_provider):
    """The whole event, with the ids of the span it is about."""
    instance = Sqlobs(
        dialect="postgres", collector=collector.endpoint, logger_provider=logger_provider
    )
    give(instance)
    instance.shutdown(10)
    [log] = collector.logs
    assert log.event_name == "gen_ai.evaluation.result"
    assert log.trace_id == SPAN.trace_id.to_bytes(16, "big")
    assert log.span_id == SPAN.span_id.to_bytes(8, "big")
    attributes = values_of(log.attributes)
    assert attributes.pop("sqlobs.evaluator.version")
    assert attributes == {
        "gen_ai.evaluation.name": "feedback",
        "gen_ai.evaluation.score.label": "fail",
        "gen_ai.evaluation.score.value": 0.0,
        "gen_ai.evaluation.explanation": "wrong region",
        "sqlobs.evaluator.name": "user",
        "sqlobs.evaluator.kind": "human",
        "sqlobs.generation.id": SPAN.traceparent,
        "sqlobs.feedback.kind": "thumb",
        "sqlobs.feedback.value": "down",
        "sqlobs.feedback.query.text": CORRECTED,
    }
    assert vendor.logs == []


def test_without_a_collector_it_goes_masked_to_the_logger(vendor, logger_provider):
    """The backend sees the correction without its values, and not the person's words."""
    instance = Sqlobs(dialect="PostgreSQL", logger_provider=logger_provider)
    give(instance)
    instance.shutdown(10)
    [log] = vendor.logs
    attributes = values_of(log.attributes)
    assert attributes["sqlobs.feedback.query.text"] == ("SELECT total FROM orders WHERE region = ?")
    assert log.span_id == SPAN.span_id.to_bytes(8, "big")
    assert b"canary" not in vendor.raw
    assert b"wrong region" not in vendor.raw


def test_without_a_dialect_what_must_be_masked_is_left_out(vendor, logger_provider):
    """Masking in the wrong dialect could take a string for a name."""
    instance = Sqlobs(logger_provider=logger_provider)
    give(instance)
    instance.shutdown(10)
    [log] = vendor.logs
    assert "sqlobs.feedback.query.text" not in values_of(log.attributes)


def test_a_collector_without_raw_capture_gets_no_values(collector, monkeypatch):
    """Consent to raw text is one setting for everything."""
    monkeypatch.setenv("SQLOBS_COLLECTOR_CAPTURE", "masked")
    instance = Sqlobs(dialect="postgres", collector=collector.endpoint)
    give(instance)
    instance.shutdown(10)
    assert len(collector.logs) == 1
    assert b"canary" not in collector.raw
    assert b"wrong region" not in collector.raw


@pytest.mark.parametrize(
    ("kind", "value", "opinion", "score", "label"),
    [
        ("thumb", "up", Opinion("thumb", "up"), 1.0, "pass"),
        ("thumb", "UP ", Opinion("thumb", "up"), 1.0, "pass"),
        ("rating", 4, Opinion("rating", "4"), 0.75, "pass"),
        ("rating", 2.0, Opinion("rating", "2"), 0.25, "fail"),
        ("edit", "corrected", Opinion("edit", "corrected"), 0.0, "fail"),
        ("follow_up", "exported", Opinion("follow_up", "exported"), None, "not_evaluated"),
        ("thumb", "sideways", Opinion("thumb", "other"), None, "not_evaluated"),
        ("mood", "blue", Opinion("other", "other"), None, "not_evaluated"),
    ],
)
def test_kind_and_value_come_from_closed_lists(kind, value, opinion, score, label):
    """A label with free values would be a series per user."""
    found = opinion_of(FeedbackRecord(SPAN.traceparent, kind, START, value))
    assert (found, found.score, found.label) == (opinion, score, label)
