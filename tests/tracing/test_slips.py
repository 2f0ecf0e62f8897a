"""Slips in what users write: refused where they are written, else said once."""

from __future__ import annotations

import logging

import pytest

from sqlobs import Schema, check_sql, trace_execution, trace_generation, trace_llm
from sqlobs.errors import ConfigError, InputError, SchemaError
from tests.tracing.rig import GOOD, Rig


@pytest.fixture
def said(monkeypatch, caplog):
    """What is logged, by a process that has logged nothing yet."""
    from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

    monkeypatch.setattr(INTERNAL_ERRORS, "_counts", type(INTERNAL_ERRORS._counts)())
    with caplog.at_level(logging.WARNING, "sqlobs"):
        yield lambda: [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize("decorate", [trace_generation, trace_execution, trace_llm])
def test_a_text_is_not_decorated(decorate):
    """`@trace_generation("ask")` means a name."""
    with pytest.raises(ConfigError, match="a function is decorated, not 'ask'"):
        decorate("ask")


def test_redact_is_a_function():
    """Refused at once: it decides what leaves the process."""
    with Rig() as rig, pytest.raises(ConfigError, match="argument redact: is a str"):
        rig.sqlobs.configure(redact="sql")


def test_a_field_that_no_answer_has_is_said_once(said):
    """The verdict is open, and why is in the log."""
    with Rig() as rig:
        ask = rig.sqlobs.trace_generation(sql="query")(lambda question: {"sql": GOOD})
        for _ in range(2):
            ask("how many?")
        assert [span["sqlobs.verdict"] for span in attributes(rig)] == ["not_evaluated"] * 2
    assert said() == [
        "sqlobs: sql='query': the answer has no such field (sql; the application goes on, said once)"
    ]


def test_a_question_that_is_no_argument_is_said_once(said, monkeypatch):
    """Without a question no judge can be asked."""
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "span_only")
    with Rig() as rig:
        ask = rig.sqlobs.trace_generation(question="text")(lambda question: GOOD)
        for _ in range(2):
            ask("how many?")
        plain = rig.sqlobs.trace_generation(lambda text: GOOD)  # nobody said where it is
        plain("how many?")
    assert said() == [
        (
            "sqlobs: question='text': the function has no such argument "
            "(question; the application goes on, said once)"
        )
    ]


@pytest.mark.parametrize("statement", [None, 5])
def test_what_is_no_text_is_not_checked(statement):
    """As a client gives for a refusal: one sentence, and no word of a failure inside."""
    with pytest.raises(InputError, match=f"the statement is a {type(statement).__name__}"):
        check_sql(statement, dialect="sqlite")


def test_a_schema_of_names_alone_is_refused():
    """Columns are what is judged."""
    with pytest.raises(SchemaError, match="must be a mapping of tables"):
        Schema.from_mapping(["orders"], dialect="sqlite")


def attributes(rig):
    """Those of each finished span."""
    rig.sqlobs.flush(5)
    return [span.attributes for span in rig.exporter.get_finished_spans()]
