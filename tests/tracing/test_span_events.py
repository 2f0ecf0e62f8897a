"""Spans that explain themselves: status, findings, exceptions, what Phoenix needs."""

from __future__ import annotations

import sqlite3
from contextlib import suppress

import pytest

import sqlobs
from tests.tracing.rig import BAD, GOOD, Rig


def events(span):
    return [(event.name, dict(event.attributes)) for event in span.events]


def test_a_finding_is_an_event_with_its_message():
    """What was found, where, and what was meant; the same for a repeated answer."""
    with Rig(mode="inline") as rig:
        generate = rig.sqlobs.trace_generation(lambda question: BAD)
        generate("q"), generate("q")
        found = [events(span) for span in rig.generations]
    assert (
        found[0]
        == found[1]
        == [
            (
                "sqlobs.finding",
                {
                    "sqlobs.finding.code": "schema.unknown_column",
                    "sqlobs.finding.severity": "error",
                    "sqlobs.finding.message": "Unknown column totl.",
                    "sqlobs.finding.suggestion": "total",
                    "sqlobs.finding.line": 1,
                    "sqlobs.finding.column": 8,
                },
            )
        ]
    )


def test_redact_sees_the_message_of_a_finding():
    """None withholds it; code and place stay."""
    with Rig(mode="inline", redact=lambda kind, text: None) as rig:
        rig.sqlobs.trace_generation(lambda question: BAD)("q")
        ((_, attributes),) = events(rig.generation)
    assert "sqlobs.finding.message" not in attributes
    assert attributes["sqlobs.finding.code"] == "schema.unknown_column"


@pytest.mark.parametrize("is_error", [True, False])
def test_a_failed_attempt_is_an_error_inside_a_successful_request(is_error):
    """As a retried call is: the request was repaired."""
    with Rig(mode="inline", mark_failures_as_errors=is_error) as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            sqlobs.current_generation().attempt(BAD)
            return GOOD

        generate("q")
        first, second = [span for span in rig.spans if span.name == "sqlobs.attempt"]
        statuses = [span.status.status_code.name for span in (first, second, rig.generation)]
    assert statuses == ["ERROR" if is_error else "UNSET", "UNSET", "UNSET"]
    assert first.attributes["input.value"] == BAD
    assert [name for name, _ in events(first)] == ["sqlobs.finding"]


@pytest.mark.parametrize("content", [None, "span_only"])
def test_an_exception_is_an_event_whose_message_needs_consent(monkeypatch, content):
    """The class and the place always; source lines, which may hold values, never."""
    if content is not None:
        monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", content)
    with Rig(mode="inline") as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            raise ValueError("no model for Ada")  # canary

        with pytest.raises(ValueError, match="Ada"):
            generate("q")
        span = rig.generation
    ((name, attributes),) = events(span)
    assert (name, attributes["exception.type"]) == ("exception", "ValueError")
    assert attributes.get("exception.message") == (content and "no model for Ada")
    assert "generate" in attributes["exception.stacktrace"]
    assert "canary" not in attributes["exception.stacktrace"]
    assert (span.status.status_code.name, span.status.description) == ("ERROR", "ValueError")


@pytest.mark.parametrize(
    ("capture", "text", "message"),
    [
        ("masked", "SELECT totl FROM orders WHERE customer = ?", "no such column: totl"),
        ("raw", "SELECT totl FROM orders WHERE customer = 'Ada'", "no such column: totl"),
        ("none", None, None),
    ],
)
def test_an_execution_has_its_sql_and_the_engine_s_message(monkeypatch, capture, text, message):
    """By the capture of SQL, on spans of both kinds."""
    monkeypatch.setenv("SQLOBS_CAPTURE_SQL", capture)
    with Rig(mode="inline") as rig, sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE orders (customer, total)")
        run = rig.sqlobs.trace_execution(lambda sql: list(connection.execute(sql)))
        with suppress(sqlite3.Error):
            run("SELECT totl FROM orders WHERE customer = 'Ada'")
        (span,) = rig.spans
    assert span.attributes.get("sqlobs.query.text") == text
    assert span.attributes.get("input.value") == text
    assert span.status.description == (message or "sqlite3.OperationalError")
    ((_, attributes),) = events(span)
    assert attributes.get("exception.message") == message


def test_a_value_that_an_engine_quotes_is_masked(monkeypatch):
    """A row's value, the statement's value, and what SQL itself raised."""
    with Rig(mode="inline") as rig, sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer, total)")
        run = rig.sqlobs.trace_execution(lambda sql: list(connection.execute(sql)))
        with suppress(sqlite3.Error):
            run("SELECT 'Ada Lovelace' FROM orders WHERE nosuch('Ada') = 47110815")
        with suppress(sqlite3.Error):
            run("SELECT json_extract('{Ada', '$.x')")
    said = "".join(span.to_json() for span in rig.spans)
    assert [word for word in ("Ada", "47110815") if word in said] == []


def test_a_message_that_no_engine_wrote_is_not_recorded():
    """A class of the application: its message may hold values anywhere."""
    with Rig(mode="inline") as rig:

        @rig.sqlobs.trace_execution
        def run(sql):
            raise ValueError("Ada must not read this")

        with suppress(ValueError):
            run(GOOD)
        (span,) = rig.spans
    assert span.status.description == "ValueError"
    assert "Ada" not in span.to_json()


def test_phoenix_knows_the_kind_the_input_and_the_output_of_every_span(monkeypatch):
    """If capture allows; no span of sqlobs has an unknown kind."""
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "span_only")
    with Rig(mode="inline") as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            with rig.sqlobs.trace_retrieval(query=question), rig.sqlobs.trace_llm(model="m"):
                sqlobs.current_generation().attempt(BAD)
            return GOOD

        with rig.sqlobs.context():
            rig.sqlobs.trace_execution(lambda sql: [])(generate("How much?"))
        kinds = {span.name: span.attributes["openinference.span.kind"] for span in rig.spans}
        attributes = rig.generation.attributes
    assert kinds == {
        "sqlobs.context": "CHAIN",
        "invoke_workflow generate": "CHAIN",
        "retrieval schema": "RETRIEVER",
        "chat m": "LLM",
        "sqlobs.attempt": "CHAIN",
        "sqlobs.execute": "TOOL",
    }
    assert (attributes["input.value"], attributes["output.value"]) == ("How much?", GOOD)
