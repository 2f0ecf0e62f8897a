from __future__ import annotations

import pytest
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExplicitBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from prometheus_client.parser import text_string_to_metric_families

from sqlobs.semconv import metrics as names
from sqlobs_collector.sdkmetrics import SILENCE_S, SdkMetrics
from tests.collector import records


def shown(page: str, prefix: str) -> list[str]:
    return sorted(line for line in page.splitlines() if line.startswith(prefix))


@pytest.mark.parametrize("temporality", list(AggregationTemporality)[1:])
def test_the_sdk_s_metrics_are_shown_under_their_prometheus_names(collector, temporality):
    """Cumulative or delta, over several exports: the totals that the application has."""
    exporter = OTLPMetricExporter(
        endpoint=f"{collector.http}/v1/metrics",
        preferred_temporality={Counter: temporality, Histogram: temporality},
    )
    provider = MeterProvider(
        [PeriodicExportingMetricReader(exporter)],
        resource=Resource(
            {
                "service.name": "sales",
                "deployment.environment.name": "prod",
                "service.instance.id": "one",
            }
        ),
        views=[
            View(
                instrument_name="sqlobs.check.duration",
                aggregation=ExplicitBucketHistogramAggregation([1, 2]),
            )
        ],
    )
    meter = provider.get_meter("sqlobs")
    failures = meter.create_counter("sqlobs.failures")
    durations = meter.create_histogram("sqlobs.check.duration", unit="s")
    attributes = {
        "sqlobs.workflow": "answer",
        "service.version": "8",  # of the series; what it does not say is of the resource
        "sqlobs.failure.code": "schema.unknown_table",
        "sqlobs.failure.group": "schema",
    }
    with TracerProvider().get_tracer("t").start_as_current_span("s") as span:
        trace_id = format(span.get_span_context().trace_id, "032x")
        failures.add(2, attributes)
    durations.record(0.5, {"sqlobs.check.method": "static", "service.version": "8"})
    provider.force_flush()
    failures.add(3, attributes)
    durations.record(1.5, {"sqlobs.check.method": "static", "service.version": "8"})
    provider.shutdown()

    page = collector.metrics()
    who = 'deployment_environment_name="prod"'
    whom = 'service_instance_id="one",service_name="sales",service_version="8"'
    codes = 'sqlobs_failure_code="schema.unknown_table",sqlobs_failure_group="schema"'
    labels = f'{who},{whom},{codes},sqlobs_workflow="answer",workspace="default"'
    assert shown(page, "sqlobs_failures_total{") == [f"sqlobs_failures_total{{{labels}}} 5.0"]
    prefix = names.CHECK_DURATION.prometheus_name
    tail = f'{whom},sqlobs_check_method="static",workspace="default"'
    assert shown(page, prefix) == sorted(
        [
            f'{prefix}_bucket{{{who},le="1.0",{tail}}} 1.0',
            f'{prefix}_bucket{{{who},le="2.0",{tail}}} 2.0',
            f'{prefix}_bucket{{{who},le="+Inf",{tail}}} 2.0',
            f"{prefix}_count{{{who},{tail}}} 2.0",
            f"{prefix}_sum{{{who},{tail}}} 2.0",
        ]
    )
    accept = {"Accept": "application/openmetrics-text; version=1.0.0"}
    page = collector.metrics(**accept)
    assert f'trace_id="{trace_id}"}} 2.0' in "".join(shown(page, "sqlobs_failures_total{"))


def request(*, value: float, instance: str | None = None, start: int = 1, scope="sqlobs"):
    resource = {"service.name": "sales"} | ({"service.instance.id": instance} if instance else {})
    point = {
        "as_double": value,
        "start_time_unix_nano": start,
        "attributes": records.attributes({"sqlobs.queue.name": "units"}),
    }
    metric = {
        "name": "sqlobs.queue.size",
        "sum": {"data_points": [point], "aggregation_temporality": 2},
    }
    return ExportMetricsServiceRequest(
        resource_metrics=[
            {
                "resource": {"attributes": records.attributes(resource)},
                "scope_metrics": [{"scope": {"name": scope}, "metrics": [metric]}],
            }
        ]
    )


class Station:
    def __init__(self) -> None:
        self.now_s = 0.0
        self.dropped = 0
        self.metrics = SdkMetrics(
            dropped=self.count_dropped, max_lines=4, clock_s=lambda: self.now_s
        )

    def count_dropped(self, count: int) -> None:
        self.dropped += count

    def values(self) -> dict[str, float]:
        page = self.metrics.text()
        lines = [line for line in page.splitlines() if line.startswith("sqlobs_queue_size")]
        return {
            line.split('instance_id="')[1].split('"')[0]: float(line.split()[-1]) for line in lines
        }


def test_instances_are_distinguished():
    """By their id; those without one by the start of their stream."""
    station = Station()
    for value, instance, start in ((1, "a", 1), (2, "b", 1), (3, None, 7), (4, None, 8)):
        station.metrics.consume(
            request(value=value, instance=instance, start=start), workspace="default"
        )
    assert station.values() == {"a": 1, "b": 2, "start-7": 3, "start-8": 4}


def test_a_silent_instance_disappears():
    """Five minutes without a word; the others stay."""
    station = Station()
    station.metrics.consume(request(value=1, instance="gone"), workspace="default")
    station.now_s = SILENCE_S
    station.metrics.consume(request(value=2, instance="here"), workspace="default")
    assert station.values() == {"gone": 1, "here": 2}
    station.now_s += 1
    assert station.values() == {"here": 2}


def test_metrics_of_others_are_not_shown():
    """Only the names and the scope of the contract: labels stay a closed set."""
    station = Station()
    station.metrics.consume(request(value=1, instance="a", scope="app"), workspace="default")
    assert station.values() == {}


def test_services_of_one_name_in_two_workspaces_are_two():
    """Neither the last one's value nor the sum of both, whatever else they share."""
    station = Station()
    for workspace, value in (("sales", 3), ("hr", 5)):
        station.metrics.consume(request(value=value, instance="a"), workspace=workspace)
    [family] = text_string_to_metric_families(station.metrics.text())
    shown = {sample.labels["workspace"]: sample.value for sample in family.samples}
    assert shown == {"sales": 3, "hr": 5}
    [family] = text_string_to_metric_families(station.metrics.text(workspace="hr", is_named=False))
    assert [(sample.labels.get("workspace"), sample.value) for sample in family.samples] == [
        (None, 5)
    ]


def test_dropped_series_are_counted_and_accepted_later():
    """No series is lost silently; those that are shown go on."""
    station = Station()
    for value, instance in ((1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e"), (6, "a")):
        station.metrics.consume(request(value=value, instance=instance), workspace="default")
    assert station.values() == {"a": 6, "b": 2, "c": 3, "d": 4}
    assert station.dropped == 1
    station.now_s = SILENCE_S + 1
    station.metrics.consume(request(value=7, instance="e"), workspace="default")
    assert station.values() == {"e": 7}


def test_labels_are_escaped_and_buckets_may_change():
    """A quote in a name breaks no page; an upgrade with other buckets doubles no line."""
    station = Station()
    for bounds in ([1.0], [1.0, 2.0]):
        histogram = {
            "aggregation_temporality": 2,
            "data_points": [
                {
                    "explicit_bounds": bounds,
                    "bucket_counts": [1] * (len(bounds) + 1),
                    "sum": 3.5,
                    "attributes": records.attributes({"sqlobs.workflow": 'a "b"\\\nc'}),
                }
            ],
        }
        made = request(value=1, instance="a")
        made.resource_metrics[0].scope_metrics[0].metrics[0].CopyFrom(
            Metric(name="sqlobs.overhead.duration", histogram=histogram)
        )
        station.metrics._max_lines = 100
        station.metrics.consume(made, workspace="default")
    [family] = text_string_to_metric_families(station.metrics.text())
    assert {sample.labels["sqlobs_workflow"] for sample in family.samples} == {'a "b"\\\nc'}
    assert [(s.name.rpartition("_")[2], s.labels.get("le"), s.value) for s in family.samples] == [
        ("bucket", "1.0", 1),
        ("bucket", "2.0", 2),
        ("bucket", "+Inf", 3),
        ("count", None, 3),
        ("sum", None, 3.5),
    ]
