from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, NumberDataPoint
from prometheus_client import REGISTRY

from sqlobs import Schema, semconv
from sqlobs.schema.source import SchemaSource
from sqlobs.semconv import metrics
from sqlobs.semconv.labels import model_label
from sqlobs.tracing.records.record import (
    AttemptRecord,
    CallContext,
    ExecutionRecord,
    FeedbackRecord,
    StageTimes,
    Usage,
)
from sqlobs.tracing.sending.adaptive_counts import NAMES_LIMIT
from sqlobs.tracing.sending.instruments import BudgetedLabels, Instruments
from sqlobs.tracing.sending.schema_drift import WatchedSchema
from tests.telemetry.records import GROUNDED, INVENTED, SPAN, START, record

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOP = {
    "service.name": "shop",
    "service.instance.id": "pod-1",
    "service.version": "7",
    "deployment.environment.name": "prod",
}
PYTHON_TYPES = {"str": str, "bool": bool, "int": str}
FAILED = ExecutionRecord(
    status="error",
    start_ns=START,
    end_ns=START + 10**9,
    span=SPAN,
    workflow="generate_sql",
    target="warehouse",
    sqlstate_class="42",
    static_label="fail",
    engine_label="fail",
)


@pytest.fixture
def reader() -> Iterator[InMemoryMetricReader]:
    """Collects on demand."""
    made = InMemoryMetricReader()
    yield made
    made.shutdown()


@pytest.fixture
def instruments(reader) -> Instruments:
    """Instruments on a private SDK provider."""
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    return instruments_on(provider)


def instruments_on(provider: MeterProvider) -> Instruments:
    """Return instruments whose series are those of one service."""
    return Instruments(
        lambda number: provider.get_meter("sqlobs", attributes={"n": number} if number else None),
        identity=lambda: dict(SHOP),
    )


def series(reader: InMemoryMetricReader) -> dict[str, dict[tuple[object, ...], float]]:
    """Return value (of histograms the sum) by label values in declared order, by metric."""
    shown: dict[str, dict[tuple[object, ...], float]] = {}
    data = reader.get_metrics_data()
    for family in data.resource_metrics[0].scope_metrics[0].metrics if data else ():
        declared = metrics.METRICS[family.name]
        for point in family.data.data_points:
            own = {name: v for name, v in point.attributes.items() if name not in SHOP}
            assert dict(point.attributes) == {**SHOP, **own}, family.name
            assert set(own) <= set(declared.attributes), family.name
            key = tuple(point.attributes.get(name) for name in declared.attributes)
            value = point.value if isinstance(point, NumberDataPoint) else point.sum
            shown.setdefault(family.name, {})[key] = value
    return shown


OLD = Schema.from_mapping(
    {"orders": {"id": "int", "total": "int", "region": "text"}, "legacy": ["id"]},
    dialect="postgres",
)
NEW = Schema.from_mapping(
    {"orders": {"id": "int", "total": "numeric", "a": "text", "b": "text"}, "returns": ["id"]},
    dialect="postgres",
)


def source_of(schema: Schema | None, **options: object) -> SchemaSource:
    """Return a source that has a schema, or that never gets one."""

    def load() -> Schema:
        if schema is None:
            raise OSError("no database")
        return schema

    return SchemaSource(load, initial=schema, **options)


def everything() -> tuple[object, ...]:
    """Return records that together touch every metric of a request."""
    return (
        record(
            INVENTED,
            attempts=(
                AttemptRecord(1, GROUNDED),
                *(AttemptRecord(n, INVENTED) for n in (2, 3, 4, 5)),
            ),
            stages=StageTimes(llm_s=1.5, retrieval_s=0.25, execution_s=0.125),
            usage=Usage(input_tokens=100, output_tokens=20, cost_usd=0.5),
            context=CallContext(
                dialect="postgres", model="openai/gpt-4o-2024-08-06", prompt_version="v1"
            ),
        ),
        record(None, outcome="error", error_type="ValueError"),
    )


def overcrowd(instruments: Instruments) -> None:
    """Ask more prompt versions than have series of their own."""
    for number in range(NAMES_LIMIT + 1):
        context = CallContext(dialect="postgres", prompt_version=f"v{number}")
        instruments.record_generation(record(INVENTED, context=context))


def test_the_whole_exposition_of_two_requests(instruments, reader):
    """Every series with its labels and value, for one failed and one raised request."""
    for request in everything():
        instruments.record_generation(request)
    instruments.record_execution(FAILED)
    shown = series(reader)
    assert shown.pop("sqlobs.build.info") != {}
    assert shown.pop("sqlobs.start_time") == {(): pytest.approx(time.time_ns() / 1e9, abs=60)}
    w = "generate_sql"
    assert shown == {
        "sqlobs.generations": {
            (w, "failed", "answered"): 1,
            (w, "not_evaluated", "error"): 1,
        },
        "sqlobs.evaluations": {
            (w, "syntactic", "pass"): 1,
            (w, "schematic", "fail"): 1,
            (w, "schema_hallucination", "fail"): 1,
            (w, "syntactic", "not_evaluated"): 1,
            (w, "schematic", "not_evaluated"): 1,
            (w, "schema_hallucination", "not_evaluated"): 1,
        },
        "sqlobs.failures": {(w, "schema.unknown_column", "schema"): 1},
        "sqlobs.version.generations": {
            (w, "postgres", "gpt-4o", "v1", "failed", "schema", "fail"): 1,
            (w, "postgres", "gpt-4o", None, "not_evaluated", None, "not_evaluated"): 1,
        },
        "sqlobs.attempts": {
            (w, "1", "ok", "pass"): 1,
            (w, "2", "failed", "fail"): 1,
            (w, "3", "failed", "fail"): 1,
            (w, "4+", "failed", "fail"): 2,
            (w, "1", "not_evaluated", "not_evaluated"): 1,
        },
        "sqlobs.executions": {(w, "warehouse", "error", "42", None): 1},
        "sqlobs.comparisons": {(w, "fail", "fail"): 1},
        "sqlobs.repairable": {(w, False): 1},
        "sqlobs.stage.duration": {
            (w, "total", None): 2.0,
            (w, "llm", None): 1.5,
            (w, "retrieval", None): 0.25,
            (w, "execution", None): 0.125,
            (w, "total", "ValueError"): 2.0,
        },
        "sqlobs.check.duration": {(w, "static"): 0.0006},
        "sqlobs.overhead.duration": {(w,): pytest.approx(0.00008)},
        "sqlobs.usage.tokens": {
            (w, "gpt-4o", "v1", "input"): 100,
            (w, "gpt-4o", "v1", "output"): 20,
        },
        "sqlobs.usage.cost": {(w, "gpt-4o", "v1"): 0.5},
    }


def test_the_series_that_alerts_read_start_at_zero(instruments, reader):
    """Before the first request every label of every online evaluation is there, at 0."""
    instruments.start_at_zero("generate_sql")
    assert series(reader)["sqlobs.evaluations"] == {
        ("generate_sql", name, label): 0
        for name in ("syntactic", "schematic", "schema_hallucination")
        for label in ("pass", "fail", "not_evaluated")
    }


def test_nothing_is_made_before_the_first_record(reader):
    """A meter asked for before a fork would be counted in parent and child."""
    asked = []
    Instruments(asked.append)
    assert asked == []


def test_the_label_types_are_those_of_the_contract(instruments, reader):
    """Labels are texts, but for the two that are true or false."""
    for request in everything():
        instruments.record_generation(request)
    instruments.record_execution(replace(FAILED, status="ok", is_empty=True))
    instruments.record_feedback(FeedbackRecord(SPAN.traceparent, "thumb", START, "down"))
    instruments.record_generation(record(None, check_status="dropped", reason="queue_full"))
    instruments.count_export_failure("unit")
    instruments.watch_queue("check", lambda: 3)
    instruments.watch_schema(WatchedSchema(source_of(OLD)), target="warehouse")
    overcrowd(instruments)
    data = reader.get_metrics_data()
    families = {f.name: f for f in data.resource_metrics[0].scope_metrics[0].metrics}
    assert set(families) == set(metrics.METRICS)
    for name, family in families.items():
        assert (family.unit, family.description) == (
            metrics.METRICS[name].unit,
            metrics.METRICS[name].brief,
        )
        for point in family.data.data_points:
            for label, value in point.attributes.items():
                assert type(value) is PYTHON_TYPES[semconv.ATTRIBUTES[label].type], label


def test_histograms_have_the_declared_buckets(instruments, reader):
    """Boundaries are advised by the instrument, so that users need no view."""
    instruments.record_generation(record())
    data = reader.get_metrics_data()
    found = {
        family.name: tuple(family.data.data_points[0].explicit_bounds)
        for family in data.resource_metrics[0].scope_metrics[0].metrics
        if metrics.METRICS[family.name].kind == "histogram"
    }
    assert found == {
        name: metric.buckets for name, metric in metrics.METRICS.items() if metric.buckets
    }


@pytest.mark.parametrize("sampled", [True, False])
def test_failures_have_exemplars_that_name_the_sampled_trace(instruments, reader, sampled):
    """From the panel to the trace: one click, where the trace was kept."""
    span = replace(SPAN, sampled=sampled)
    instruments.record_generation(record(INVENTED, span=span))
    data = reader.get_metrics_data()
    families = {f.name: f for f in data.resource_metrics[0].scope_metrics[0].metrics}
    exemplars = [
        (e.trace_id, e.span_id) for e in families["sqlobs.failures"].data.data_points[0].exemplars
    ]
    assert exemplars == ([(SPAN.trace_id, SPAN.span_id)] if sampled else [])


def test_watched_values_of_two_applications_are_shown_as_one(reader):
    """Two applications in a process share a meter: queues add up, the oldest schema shows."""
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    first, second = (instruments_on(provider) for _ in range(2))
    first.watch_queue("check", lambda: 3)
    second.watch_queue("check", lambda: 4)
    now = [0.0]
    first.watch_schema(WatchedSchema(source_of(OLD, clock=lambda: now[0])))
    second.watch_schema(WatchedSchema(source_of(None)))
    now[0] = 60.0
    assert series(reader)["sqlobs.queue.size"] == {("check",): 7}
    assert series(reader)["sqlobs.schema.age"] == {(None,): 60.0}
    first.close()
    assert series(reader)["sqlobs.queue.size"] == {("check",): 4}


def test_what_a_refresh_changed_is_shown_by_kind(instruments, reader):
    """A migration is seen on a panel before its first wrong verdict."""
    newest = [OLD]
    source = SchemaSource(lambda: newest[0], initial=OLD)
    instruments.watch_schema(WatchedSchema(source), target="warehouse")
    assert set(series(reader)["sqlobs.schema.drift"].values()) == {0}
    newest[0] = NEW
    source.refresh()
    for _ in range(500):
        if source.get() is NEW:
            break
        time.sleep(0.01)
    assert series(reader)["sqlobs.schema.drift"] == {
        ("warehouse", "table_added"): 1,
        ("warehouse", "table_removed"): 1,
        ("warehouse", "column_added"): 2,
        ("warehouse", "column_removed"): 1,
        ("warehouse", "type_changed"): 1,
    }


def test_prometheus_shows_the_promised_names():
    """The generated names are those of the exporter that users run."""
    prometheus = PrometheusMetricReader()
    provider = MeterProvider(metric_readers=[prometheus], shutdown_on_exit=False)
    instruments = instruments_on(provider)
    for request in everything():
        instruments.record_generation(request)
    instruments.record_execution(FAILED)
    instruments.record_feedback(FeedbackRecord(SPAN.traceparent, "thumb", START, "down"))
    instruments.record_generation(record(None, check_status="dropped", reason="queue_full"))
    instruments.count_export_failure("unit")
    instruments.watch_queue("check", lambda: 3)
    instruments.watch_schema(WatchedSchema(source_of(OLD)), target="warehouse")
    overcrowd(instruments)
    families = {
        family.name + ("_total" if family.type == "counter" else ""): family
        for family in REGISTRY.collect()
        if family.name.startswith("sqlobs")
    }
    provider.shutdown()
    promised = {metric.prometheus_name: metric for metric in metrics.METRICS.values()}
    assert set(families) == set(promised)
    identity = {name.replace(".", "_") for name in semconv.IDENTITY}
    scope = {"le", "otel_scope_name", "otel_scope_version", "otel_scope_schema_url"}
    for name, family in families.items():
        labels = {label for sample in family.samples for label in sample.labels} - scope
        assert labels - identity <= set(promised[name].prometheus_labels), name
        assert identity <= labels, name
    assert {s.labels["sqlobs_repairable"] for s in families["sqlobs_repairable_total"].samples} == {
        "false"
    }


@pytest.mark.parametrize(
    ("model", "label"),
    [
        (None, "unknown"),
        ("", "unknown"),
        ("gpt-4o", "gpt-4o"),
        ("GPT-4o", "gpt-4o"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("claude-3-5-sonnet-20241022", "claude-3-5-sonnet"),
        ("openai/gpt-4o", "gpt-4o"),
        ("gpt-4o-mini", "gpt-4o-mini"),
        ("m" * 5000, "m" * 100),
    ],
)
def test_a_model_is_its_name_without_provider_and_release_date(model, label):
    """What instrumentations spell differently is one series, and no setting is needed."""
    assert model_label(model) == label


def test_a_synchronous_instrument_stays_below_the_limit_of_an_sdk():
    """A thousand workflows do not push the series of the first ones into one without labels."""
    labels = BudgetedLabels({"service.name": "shop"}, limit=2)
    asked = [{"sqlobs.workflow": name, "sqlobs.verdict": "ok"} for name in ("a", "b", "c", "a")]
    assert [labels(one)["sqlobs.workflow"] for one in asked] == ["a", "b", "other", "a"]
    assert labels(asked[0]) == {"service.name": "shop", **asked[0]}
    assert labels.folded == 1


def test_a_forked_child_counts_from_zero(reader):
    """The parent's requests are the parent's: its series do not come from the child again."""
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    instruments = instruments_on(provider)
    instruments.record_generation(record())
    read_end, write_end = os.pipe()
    if (child := os.fork()) == 0:
        instruments = instruments_on(provider)
        instruments.record_generation(record(None, outcome="error", error_type="ValueError"))
        os.write(write_end, repr(series(reader)["sqlobs.generations"]).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read_end, 10_000).decode() == repr(
        {("generate_sql", "not_evaluated", "error"): 1}
    )
    assert series(reader)["sqlobs.generations"] == {("generate_sql", "ok", "answered"): 1}
