from __future__ import annotations

from typing import get_args

import pytest

from sqlobs import semconv
from sqlobs.scores.registry import SCORES
from sqlobs.semconv import evaluations, metrics, systems

PYTHON_TYPES = {"str": str, "bool": bool, "int": int, "double": float, "str[]": tuple}


def test_every_attribute_has_the_constant_its_name_asks_for():
    """`sqlobs.query.text` is `SQLOBS_QUERY_TEXT`, and no constant is left over."""
    constants = {
        value: name
        for name, value in vars(semconv).items()
        if name.isupper() and isinstance(value, str) and value in semconv.ATTRIBUTES
    }
    assert constants == {name: attribute.constant for name, attribute in semconv.ATTRIBUTES.items()}


def test_no_attribute_name_is_also_a_namespace():
    """A name that is a namespace too cannot be stored as a tree by backends."""
    names = set(semconv.ATTRIBUTES)
    assert [a for a in names for b in names if b.startswith(f"{a}.")] == []


def test_no_attribute_of_sqlobs_is_in_a_registered_namespace():
    """What is not registered by others begins with `sqlobs.`."""
    registered = {"gen_ai", "user", "session", "error", "exception", "db", "service", "deployment"}
    others = {name.split(".")[0] for name in semconv.ATTRIBUTES} - {"sqlobs"}
    assert others == registered | {"openinference", "input", "output"}


@pytest.mark.parametrize("attribute", semconv.ATTRIBUTES.values(), ids=lambda a: a.name)
def test_the_example_of_an_attribute_has_its_type(attribute: semconv.Attribute):
    """An example shows the type, and a value of the closed list where there is one."""
    assert type(attribute.example) is PYTHON_TYPES[attribute.type]
    if attribute.values:
        shown = attribute.example if isinstance(attribute.example, tuple) else (attribute.example,)
        assert set(shown) <= set(attribute.values)


def test_every_type_of_attribute_is_used():
    """The list of types holds what is needed and nothing else."""
    assert {entry.type for entry in semconv.ATTRIBUTES.values()} == set(
        get_args(semconv.AttributeType)
    )


@pytest.mark.parametrize("metric", metrics.METRICS.values(), ids=lambda m: m.name)
def test_a_metric_carries_declared_attributes_and_none_of_high_cardinality(metric: metrics.Metric):
    """Never question, SQL, table, column, tenant or user on a metric."""
    assert set(metric.attributes) <= set(semconv.ATTRIBUTES)
    forbidden = ("question", "query", "hallucinated", "tenant", "user", "session", "conversation")
    assert [a for a in metric.attributes if any(word in a.split(".") for word in forbidden)] == []
    assert bool(metric.buckets) is (metric.kind == "histogram")
    assert list(metric.buckets) == sorted(set(metric.buckets))


def test_the_metrics_are_those_of_the_contract():
    """A metric that appears or goes is a change of the public contract."""
    assert {name: (m.kind, m.unit) for name, m in metrics.METRICS.items()} == {
        "sqlobs.generations": ("counter", "{generation}"),
        "sqlobs.evaluations": ("counter", "{evaluation}"),
        "sqlobs.failures": ("counter", "{failure}"),
        "sqlobs.version.generations": ("counter", "{generation}"),
        "sqlobs.attempts": ("counter", "{attempt}"),
        "sqlobs.executions": ("counter", "{execution}"),
        "sqlobs.comparisons": ("counter", "{comparison}"),
        "sqlobs.repairable": ("counter", "{failure}"),
        "sqlobs.stage.duration": ("histogram", "s"),
        "sqlobs.check.duration": ("histogram", "s"),
        "sqlobs.overhead.duration": ("histogram", "s"),
        "sqlobs.check.dropped": ("counter", "{check}"),
        "sqlobs.usage.tokens": ("counter", "{token}"),
        "sqlobs.usage.cost": ("counter", "{USD}"),
        "sqlobs.feedback": ("counter", "{feedback}"),
        "sqlobs.queue.size": ("updown", "{item}"),
        "sqlobs.export.failures": ("counter", "{failure}"),
        "sqlobs.schema.age": ("gauge", "s"),
        "sqlobs.schema.stale": ("gauge", ""),
        "sqlobs.schema.drift": ("gauge", "{change}"),
        "sqlobs.series.folded": ("counter", "{item}"),
        "sqlobs.start_time": ("gauge", "s"),
        "sqlobs.build.info": ("gauge", ""),
    }


def test_the_evaluations_are_those_of_the_contract_in_its_order():
    """Names, ranges and directions of evaluations are public."""
    names = (
        "syntactic schematic schema_hallucination sql_correctness execution ex ex_set ex_testsuite "
        "ex_subset exp exr f1 soft_f1 results_match subset overlap same_row_count bird_f1 "
        "ves_reward time_ratio median_ratio flex flex_noref rubric equivalence "
        "adherence efficiency injection correction feedback"
    )
    assert [name for name in SCORES if name in names.split()] == names.split()
    assert {score.better for score in SCORES.values()} == {"higher"}
    assert {*evaluations.CHECKED, evaluations.FEEDBACK, evaluations.CORRECTION} <= set(SCORES)


@pytest.mark.parametrize(
    ("dialect", "system"),
    [
        ("postgres", "postgresql"),
        ("tsql", "microsoft.sql_server"),
        ("oracle", "oracle.db"),
        ("redshift", "aws.redshift"),
        ("sqlite", "sqlite"),
        ("duckdb", "duckdb"),
        ("snowflake", "snowflake"),
    ],
)
def test_a_dialect_has_the_registered_name_of_its_system(dialect: str, system: str):
    """Registered names where there are any, the dialect's own name elsewhere."""
    assert systems.system_of(dialect) == system


def test_the_system_of_no_dialect_is_the_last_resort():
    """OpenTelemetry names a SQL system without a name of its own so."""
    assert systems.system_of(None) == systems.OTHER
