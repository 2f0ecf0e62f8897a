"""An answer given before ends its request as that was ended, without another check."""

from __future__ import annotations

import pytest

from sqlobs import SchemaSource
from tests.tracing.rig import BAD, GOOD, SCHEMA, Rig


def checks_of(rig):
    """The texts the checker is asked about from now on."""
    asked, check = [], rig.sqlobs.runtime.checker.check

    def note(sql, resolved):
        asked.append(sql)
        return check(sql, resolved)

    rig.sqlobs.runtime.checker.check = note
    return asked


def without_times(span):
    """The attributes of a span but the durations."""
    return {name: value for name, value in span.attributes.items() if "duration" not in name}


@pytest.mark.parametrize("is_fetched", [False, True])
@pytest.mark.parametrize("sql", [GOOD, BAD])
def test_the_same_answer_is_checked_once_and_looks_the_same(sql, is_fetched):
    """Whether the schema is given or fetched."""
    schema = SchemaSource(lambda: SCHEMA, initial=SCHEMA) if is_fetched else SCHEMA
    with Rig(mode="inline") as rig:
        rig.sqlobs.configure(schema=schema, mode="inline")
        asked = checks_of(rig)
        generate = rig.sqlobs.trace_generation(lambda question: sql)
        for _ in range(3):
            generate("q")
        first, *others = map(without_times, rig.generations)
        assert others == [first, first]
        assert asked.count(sql) == 1
        verdict = "ok" if sql is GOOD else "failed"
        assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {verdict: 3}


def test_other_conditions_are_another_answer(rig):
    """A tenant's requests carry that tenant, whatever was answered before."""
    generate = rig.sqlobs.trace_generation(lambda question: GOOD)
    for tenant in ("a", "b", "a", None):
        with rig.sqlobs.context(tenant=tenant):
            generate("q")
    assert [span.attributes.get("sqlobs.tenant") for span in rig.generations] == [
        "a",
        "b",
        "a",
        None,
    ]


def test_an_execution_inside_makes_a_request_its_own(rig):
    """Inner calls are recorded, although the answer is cached."""
    run = rig.sqlobs.trace_execution(lambda sql: [(1,)], sql="sql")

    @rig.sqlobs.trace_generation
    def generate(question):
        if question == "run":
            run(GOOD)
        return GOOD

    for question in ("q", "run", "q"):
        generate(question)
    shown = ["sqlobs.execution.duration" in span.attributes for span in rig.generations]
    assert shown == [False, True, False]
