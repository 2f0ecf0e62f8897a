"""Invalid arguments: rejected where they are given, else logged once."""

from __future__ import annotations

import logging

import pytest

from sqlobs import Schema, Sqlobs, check_sql, trace_execution, trace_generation, trace_llm
from sqlobs.errors import ConfigError, DialectError, InputError, SchemaError
from tests.tracing.rig import GOOD, SCHEMA, Rig


@pytest.fixture
def logged(monkeypatch, caplog):
    """The log messages of a process that has logged nothing yet."""
    from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

    monkeypatch.setattr(INTERNAL_ERRORS, "_counts", type(INTERNAL_ERRORS._counts)())
    with caplog.at_level(logging.WARNING, "sqlobs"):
        yield lambda: [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize("decorate", [trace_generation, trace_execution, trace_llm])
def test_a_decorator_rejects_a_text(decorate):
    """`@trace_generation("ask")` means a name."""
    with pytest.raises(ConfigError, match="Cannot decorate 'ask': it is not a function"):
        decorate("ask")


def test_redact_must_be_a_function():
    """Rejected at once: it decides what leaves the process."""
    with Rig() as rig, pytest.raises(ConfigError, match="argument redact: is a str"):
        rig.sqlobs.configure(redact="sql")


def test_a_field_that_no_answer_has_is_logged_once(logged):
    """The request is not evaluated, and the log says why."""
    with Rig() as rig:
        ask = rig.sqlobs.trace_generation(sql="query")(lambda question: {"sql": GOOD})
        for _ in range(2):
            ask("how many?")
        assert [span["sqlobs.verdict"] for span in attributes(rig)] == ["not_evaluated"] * 2
    assert logged() == [
        (
            "sqlobs: Unknown field sql='query' in the answer. Use one of its fields, or a callable "
            "(sql; logged once, your application is not affected)"
        )
    ]


def test_a_question_that_is_not_an_argument_is_logged_once(logged, monkeypatch):
    """Without a question a judge has nothing to compare with."""
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "span_only")
    with Rig() as rig:
        ask = rig.sqlobs.trace_generation(question="text")(lambda question: GOOD)
        for _ in range(2):
            ask("how many?")
        plain = rig.sqlobs.trace_generation(lambda text: GOOD)  # no option names a parameter
        plain("how many?")
    assert logged() == [
        (
            "sqlobs: Unknown argument question='text'. Name a parameter of the function "
            "(question; logged once, your application is not affected)"
        )
    ]


@pytest.mark.parametrize("statement", [None, 5])
def test_a_statement_must_be_a_text(statement):
    """Such as None, which a client returns for a refusal: one sentence, no internal error."""
    with pytest.raises(InputError, match=f"the statement is a {type(statement).__name__}"):
        check_sql(statement, dialect="sqlite")


def test_a_schema_without_columns_is_rejected():
    """Columns are what the checker compares with."""
    with pytest.raises(SchemaError, match="must be a mapping of tables"):
        Schema.from_mapping(["orders"], dialect="sqlite")


def test_an_invalid_configuration_is_one_clear_sentence():
    """Unknown and conflicting dialects are rejected where they are given."""
    instance = Sqlobs()
    with pytest.raises(DialectError, match="nosuch"):
        instance.trace_generation(dialect="nosuch")
    with pytest.raises(DialectError, match="sqlite"):
        instance.configure(schema=SCHEMA, dialect="mysql")
    with pytest.raises(ConfigError, match="mode"):
        instance.configure(mode="sometimes")


def attributes(rig):
    """Those of each finished span."""
    rig.sqlobs.flush(5)
    return [span.attributes for span in rig.exporter.get_finished_spans()]
