from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from sqlobs import semconv
from sqlobs.dialects.catalog import checker_version
from sqlobs.tracing.description.attribute_set import LIST_CAP, SQL_CAP, cut_text
from sqlobs.tracing.description.attributes import (
    Capture,
    attempt_attributes,
    execution_attributes,
    generation_attributes,
)
from sqlobs.tracing.description.late_evaluations import evaluation_attributes
from sqlobs.tracing.description.names import shown_name
from sqlobs.tracing.records.record import (
    AttemptRecord,
    CallContext,
    EvaluationRecord,
    ExecutionRecord,
    StageTimes,
    Texts,
    Usage,
)
from tests.telemetry.records import BROKEN, GROUNDED, INVENTED, SPAN, START, record

PYTHON_TYPES = {"str": str, "bool": bool, "int": int, "double": float, "str[]": tuple}


def test_a_grounded_statement_is_described_name_by_name():
    """The whole set of attributes of the plain case, with their values."""
    assert generation_attributes(record()) == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.agent.name": "generate_sql",
        "openinference.span.kind": "CHAIN",
        "output.value": "SELECT total FROM orders WHERE region = ?",
        "sqlobs.workflow": "generate_sql",
        "gen_ai.request.model": "gpt-4o-2024-08-06",
        "sqlobs.dialect": "postgres",
        "sqlobs.generation.duration": 2.0,
        "sqlobs.query.text": "SELECT total FROM orders WHERE region = ?",
        "sqlobs.query.capture": "masked",
        "sqlobs.query.truncated": False,
        "sqlobs.query.summary": "SELECT orders",
        "sqlobs.query.fingerprint": "1:00ff",
        "sqlobs.query.statement": "select",
        "sqlobs.query.tables": ("orders",),
        "sqlobs.schema.version": "5e884898da280471",
        "sqlobs.checker.version": checker_version(),
        "sqlobs.check.status": "complete",
        "sqlobs.check.method": "static",
        "sqlobs.check.duration": 0.0006,
        "sqlobs.hallucinated.count": 0,
        "sqlobs.attempts": 1,
        "sqlobs.first_attempt.hallucinated": False,
        "sqlobs.first_attempt.verdict": "ok",
        "sqlobs.syntactic": True,
        "sqlobs.schematic": True,
        "sqlobs.correctness.labels": ("syntactic", "schematic"),
        "sqlobs.outcome": "answered",
        "sqlobs.verdict": "ok",
    }


def test_invented_names_are_listed_and_values_among_them_are_not():
    """Names that look like identifiers are recorded, `"North West"` is not."""
    shown = generation_attributes(record(INVENTED))
    assert shown["sqlobs.hallucinated.tables"] == ("client_orders",)
    assert shown["sqlobs.hallucinated.columns"] == ("customer_revenue", "<quoted>")
    assert shown["sqlobs.hallucinated.first"] == "client_orders"
    assert shown["sqlobs.hallucinated.count"] == 3
    assert shown["sqlobs.suggestions"] == ("customer_revenue -> total_revenue",)
    assert shown["sqlobs.failure.code"] == "schema.unknown_column"
    assert shown["sqlobs.failure.group"] == "schema"
    assert shown["sqlobs.failure.codes"] == ("schema.unknown_column", "schema.unknown_table")
    assert shown["sqlobs.warning.codes"] == ("semantics.join",)
    assert shown["sqlobs.repairable"] is False
    assert shown["sqlobs.correctness.labels"] == ("syntactic",)
    assert shown["sqlobs.schematic"] is False
    assert "North West" not in str(shown)


def test_a_syntax_error_has_its_place_and_a_masked_message():
    """The message comes from the masked texts, never from the finding."""
    texts = Texts(sql=BROKEN.sql, masked_sql="SELECT (?", syntax_message="expecting ) at ?")
    shown = generation_attributes(record(BROKEN, texts=texts))
    assert shown["sqlobs.syntax_error.message"] == "expecting ) at ?"
    assert (shown["sqlobs.syntax_error.line"], shown["sqlobs.syntax_error.column"]) == (1, 10)
    assert shown["sqlobs.syntactic"] is False
    assert "sqlobs.schematic" not in shown
    assert shown["sqlobs.schematic_reason"] == "undecided"
    assert "sqlobs.hallucinated.count" not in shown


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ("abstained", "abstained"),
        ("clarified", "clarified"),
        ("cancelled", "cancelled"),
        ("error", "call_failed"),
    ],
)
def test_a_request_without_an_answer_is_not_evaluated(outcome, reason):
    """No label, no finding, and the reason for both labels."""
    shown = generation_attributes(record(INVENTED, outcome=outcome, attempts=()))
    assert shown["sqlobs.verdict"] == "not_evaluated"
    assert shown["sqlobs.outcome"] == outcome
    assert shown["sqlobs.syntactic_reason"] == shown["sqlobs.schematic_reason"] == reason
    absent = {"sqlobs.syntactic", "sqlobs.schematic", "sqlobs.failure.code"}
    assert absent.isdisjoint(shown)
    assert shown["sqlobs.correctness.labels"] == ()


@pytest.mark.parametrize(
    ("capture", "texts", "text", "says"),
    [
        (Capture("masked"), Texts(sql="raw", masked_sql="masked"), "masked", "masked"),
        (Capture("raw"), Texts(sql="raw", masked_sql="masked"), "raw", "raw"),
        (Capture("none"), Texts(sql="raw", masked_sql="masked"), None, "none"),
        (Capture("masked"), Texts(sql="raw", masked_sql=None), None, "none"),
        (
            Capture("raw"),
            Texts(sql="raw", masked_sql="masked", is_redacted=True),
            "raw",
            "redacted",
        ),
        (Capture("masked"), Texts(), None, "none"),
    ],
)
def test_the_text_is_captured_as_set_and_the_span_says_so(capture, texts, text, says):
    """What cannot be masked is not recorded; what `redact` changed is marked."""
    shown = generation_attributes(record(texts=texts), capture)
    assert shown.get("sqlobs.query.text") == text
    assert shown["sqlobs.query.capture"] == says


def test_the_question_stands_on_the_span_only_by_consent():
    """Question text is personal data: off unless content capture is on."""
    assert "sqlobs.question.text" not in generation_attributes(record())
    shown = generation_attributes(record(), Capture(content=True))
    assert shown["sqlobs.question.text"] == "Which region?"


def test_long_values_are_truncated_and_marked():
    """Caps hold for the text, the question and arrays; what was cut is named."""
    tables = tuple(f"t{number}" for number in range(LIST_CAP + 5))
    texts = Texts(masked_sql="SELECT a, " * 10_000, question="why " * 10_000)
    report = replace(GROUNDED, tables=tables)
    shown = generation_attributes(record(report, texts=texts), Capture(content=True))
    assert len(shown["sqlobs.query.text"]) <= SQL_CAP
    assert shown["sqlobs.query.text"].endswith("SELECT a,")
    assert shown["sqlobs.query.truncated"] is True
    assert len(shown["sqlobs.question.text"].encode()) <= 8 * 1024
    assert shown["sqlobs.query.tables"] == tables[:LIST_CAP]
    assert shown["sqlobs.truncated.attributes"] == (
        "sqlobs.question.text",
        "sqlobs.query.text",
        "sqlobs.query.tables",
    )


@given(st.text(alphabet="ab_1 '\"`é\n,", max_size=60), st.integers(1, 40))
def test_a_truncated_text_is_a_prefix_within_its_limit_that_splits_no_token(text, cap):
    """Bytes are counted, and a literal is kept whole or left out."""
    cut, was_cut = cut_text(text, cap)
    assert len(cut.encode()) <= cap
    assert text.startswith(cut)
    assert was_cut is (cut != text) or not text[len(cut) :].strip()
    if cut[-1:].isalnum() and was_cut:
        assert not text[len(cut) : len(cut) + 1].isalnum()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("customer_revenue", "customer_revenue"),
        ("sales.orders", "sales.orders"),
        ("North West", "<quoted>"),
        ("4711", "<quoted>"),
        ("a" * 64, "<quoted>"),
        ("", "<quoted>"),
        ("o'clock", "<quoted>"),
    ],
)
def test_an_invented_name_is_shown_only_if_it_looks_like_one(name, shown):
    """What a model puts in quotes may be a value."""
    assert shown_name(name) == shown


def test_every_table_is_in_doubt_where_no_schema_was_checked():
    """Without a schema a quoted name may be a value; with one a known name is shown."""
    report = replace(GROUNDED, tables=("Order Details",))
    assert generation_attributes(record(report))["sqlobs.query.tables"] == ("Order Details",)
    unchecked = replace(report, schematic=None, reasons={"schematic": "no_schema"})
    assert generation_attributes(record(unchecked))["sqlobs.query.tables"] == ("<quoted>",)


def test_every_attribute_is_declared_with_the_type_it_has():
    """Names and value types of everything a generation can carry are those of the contract."""
    full = record(
        INVENTED,
        error_type="ValueError",
        is_abandoned=True,
        stages=StageTimes(llm_s=1.0, retrieval_s=0.1, execution_s=0.2, first_token_s=0.3),
        usage=Usage(input_tokens=5, output_tokens=6, cost_usd=0.1),
        context=CallContext(
            dialect="postgres",
            target="warehouse",
            target_system="postgresql",
            tenant="acme",
            prompt_name="sql",
            prompt_version="v1",
            model="m",
            conversation="c",
            user="u",
            session="s",
            case_id="case-1",
        ),
    )
    shown = generation_attributes(full, Capture("raw", content=True))
    shown |= generation_attributes(record(BROKEN, texts=Texts(syntax_message="m")))
    assert [
        name
        for name, value in shown.items()
        if not isinstance(value, PYTHON_TYPES[semconv.ATTRIBUTES[name].type])
    ] == []
    assert len(shown) > 45


def test_the_verdict_survives_a_span_with_too_many_attributes():
    """The SDK drops the oldest attribute beyond 128: verdict attributes are the newest."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    span = provider.get_tracer("test").start_span("invoke_workflow x")
    span.set_attributes({f"user.attribute.{number}": number for number in range(128)})
    span.set_attributes(generation_attributes(record(INVENTED)))
    span.end()
    [ended] = exporter.get_finished_spans()
    provider.shutdown()
    assert ended.attributes is not None
    assert list(ended.attributes)[-2:] == ["sqlobs.outcome", "sqlobs.verdict"]
    assert ended.attributes["sqlobs.failure.code"] == "schema.unknown_column"


def test_an_attempt_has_number_verdict_and_codes():
    """The child span of a repair loop says what was wrong with this attempt."""
    assert attempt_attributes(AttemptRecord(2, INVENTED)) == {
        "sqlobs.warning.codes": ("semantics.join",),
        "sqlobs.failure.codes": ("schema.unknown_column", "schema.unknown_table"),
        "sqlobs.failure.group": "schema",
        "sqlobs.failure.code": "schema.unknown_column",
        "sqlobs.attempt.number": 2,
        "sqlobs.verdict": "failed",
        "openinference.span.kind": "CHAIN",
    }


def test_an_execution_has_the_result_of_the_engine():
    """What is unknown is left out."""
    execution = ExecutionRecord(
        status="error",
        start_ns=START,
        end_ns=START + 1,
        span=SPAN,
        generation_id=SPAN.traceparent,
        error_type="psycopg.errors.UndefinedTable",
        sqlstate_class="42",
    )
    assert execution_attributes(execution) == {
        "sqlobs.generation.id": SPAN.traceparent,
        "error.type": "psycopg.errors.UndefinedTable",
        "sqlobs.execution.sqlstate_class": "42",
        "sqlobs.execution.status": "error",
    }


def test_a_late_evaluation_carries_name_label_and_evaluator():
    """The event is joined by the span's ids and says who evaluated."""
    late = EvaluationRecord(
        span=SPAN,
        name="schematic",
        label="fail",
        kind="llm",
        evaluator="fallback",
        evaluator_version="1",
        score=0.0,
    )
    assert evaluation_attributes(late) == {
        "sqlobs.generation.id": SPAN.traceparent,
        "sqlobs.evaluator.name": "fallback",
        "sqlobs.evaluator.version": "1",
        "sqlobs.evaluator.kind": "llm",
        "gen_ai.evaluation.score.value": 0.0,
        "gen_ai.evaluation.score.label": "fail",
        "gen_ai.evaluation.name": "schematic",
    }


def test_a_suggestion_from_the_statement_reveals_no_value():
    """An alias is a model's text, too; a name that only the schema has is shown as it is."""
    sql = "SELECT sum(total) AS 'Sales of it''s 2024-05-05' FROM orders ORDER BY \"Sales of 2024\""
    finding = replace(INVENTED.findings[0], identifier="Sales of 2024")
    report = replace(
        INVENTED,
        sql=sql,
        findings=(
            replace(finding, suggestion="Sales of it's 2024-05-05"),
            replace(finding, suggestion="Sales of (all)"),
        ),
    )
    shown = generation_attributes(record(report))
    assert shown["sqlobs.suggestions"] == ("<quoted> -> <quoted>", "<quoted> -> Sales of (all)")
