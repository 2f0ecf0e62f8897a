from __future__ import annotations

import ast
from pathlib import Path

import pytest

import sqlobs
from sqlobs import Schema, semconv
from sqlobs.semconv import metrics
from sqlobs.testing import capture_spans
from sqlobs.tracing.instance import Sqlobs

ROOT = Path(__file__).parents[2]
SCHEMA = Schema.from_mapping({"orders": ["id", "total"]}, dialect="sqlite")
PYTHON_TYPES = {"str": str, "bool": bool, "int": int, "double": float, "str[]": tuple}


def everything(instance: Sqlobs) -> None:
    """Use the whole public face once."""

    @instance.trace_llm(model="gpt-4o", provider="openai")
    def ask() -> dict[str, object]:
        return {"model": "gpt-4o-1", "usage": {"prompt_tokens": 5, "completion_tokens": 2}}

    @instance.trace_retrieval(source="schema-index")
    def look_up() -> list[str]:
        return ["orders"]

    @instance.trace_execution(sql="sql", target="warehouse")
    def run(sql: str) -> list[tuple[int, ...]]:
        return [(1,), (2,)]

    @instance.trace_generation
    def generate(question: str) -> str:
        ask()
        look_up()
        sqlobs.current_generation().attempt("SELECT totl FROM ordrs")
        sqlobs.current_generation().attempt("SELECT FROM WHERE (")
        run("SELECT id, total FROM orders")
        return "SELECT id, total FROM orders"

    with instance.context(
        target="warehouse",
        tenant="acme",
        prompt=("sql", "v1"),
        conversation="c",
        user="u",
        session="s",
    ):
        generate("what?")
        run("SELECT id, total FROM orders")


def test_every_attribute_on_a_span_is_declared_with_its_type():
    """Spans of the whole public face: names and value types are those of the contract."""
    instance = Sqlobs(schema=SCHEMA)
    with capture_spans(instance) as spans:
        everything(instance)
        seen = [
            (span.name, name, type(value))
            for span in spans
            for name, value in (span.attributes or {}).items()
        ]
        scopes = {
            (span.instrumentation_scope.name, span.instrumentation_scope.schema_url)
            for span in spans
        }
    wrong = [
        (span, name, kind)
        for span, name, kind in seen
        if name not in semconv.ATTRIBUTES or kind is not PYTHON_TYPES[semconv.ATTRIBUTES[name].type]
    ]
    assert wrong == []
    assert len({name for _, name, _ in seen}) > 50
    assert scopes == {(semconv.SCOPE, semconv.SCHEMA_URL)}


def test_every_attribute_of_a_unit_is_declared():
    """The collector reads the same names; sequences arrive as arrays."""
    instance = Sqlobs(schema=SCHEMA)
    with capture_spans(instance) as spans:
        everything(instance)
        assert len(spans.units) == 1
        records = spans.collector.records
    assert {record.name for record in records} == {semconv.EVENT_UNIT, semconv.EVENT_EXECUTION}
    for record in records:
        for name, value in record.attributes.items():
            assert type(value) is PYTHON_TYPES[semconv.ATTRIBUTES[name].type], name


@pytest.mark.parametrize("package", ["sqlobs", "collectors"])
def test_no_name_is_written_twice(package):
    """A telemetry name stands in `sqlobs.semconv` and nowhere else in the code."""
    names = {*semconv.ATTRIBUTES, *metrics.METRICS, semconv.EVENT_UNIT, semconv.EVENT_EVALUATION}
    found = [
        (path.relative_to(ROOT).as_posix(), node.value)
        for path in sorted((ROOT / package).rglob("*.py"))
        if "semconv" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names
    ]
    assert found == []
