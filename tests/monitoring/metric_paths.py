"""The same traffic over four paths to Prometheus: do rules and panels read the same rates?

    python -m tests.monitoring.metric_paths

Ten processes of one service, one of which invents names in all of its answers, for 40 minutes. What
each path shows is taken from the SDK once a minute and put into a database of its own, which a real
Prometheus serves:

- `collector`: the SDK exports OTLP to our collector, Prometheus scrapes its `/metrics`;
- `direct`: Prometheus scrapes each process, with OpenTelemetry's exporter for Python;
- `otlp_receiver`: the SDK exports to Prometheus, as its documentation maps names and labels by default:
  job and instance are service.name and service.instance.id, no other resource attribute is a label;
- `opentelemetry_collector`: the SDK exports to the OpenTelemetry Collector, whose `prometheus` exporter
  has the labels of its scope beside them, scraped without `honor_labels`.

The first two are the programs themselves; the labels of the last two are made here.
"""

from __future__ import annotations

import math
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import httpx
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, Sum
from opentelemetry.sdk.resources import Resource
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from sqlobs.monitoring.files import rules_document
from sqlobs.monitoring.settings import RuleSettings
from sqlobs.semconv.metrics import METRICS
from sqlobs.tracing.records.record import CallContext
from sqlobs.tracing.sending.instruments import Instruments
from sqlobs.tracing.sending.service_resource import identity_labels
from tests.collector.damage import Process
from tests.monitoring.replay import backfill
from tests.monitoring.running import Prometheus, process
from tests.servers import free_port
from tests.telemetry.records import GROUNDED, INVENTED, record

if TYPE_CHECKING:
    from collections.abc import Iterator

PODS = 10
MINUTES = 40
PER_MINUTE = 6
TRUE_RATE = 1 / PODS
PATHS = ("collector", "direct", "otlp_receiver", "opentelemetry_collector")
WINDOW = "30m"

Labels = tuple[tuple[str, str], ...]
Series = tuple[str, Labels]


class Pod:
    """One process of the application."""

    def __init__(self, number: int) -> None:
        identity = {"service.name": "shop", "service.instance.id": f"pod-{number}"}
        resource = Resource({**identity, "deployment.environment.name": "prod"})
        self._otlp, self._registry = InMemoryMetricReader(), CollectorRegistry()
        readers = [self._otlp, PrometheusMetricReader(registry=self._registry)]
        self._provider = MeterProvider(readers, resource=resource, shutdown_on_exit=False)
        self._instruments = Instruments(
            lambda page: self._provider.get_meter(
                "sqlobs", "0.1.0", attributes={"page": page} if page else None
            ),
            identity=lambda: identity_labels(resource),
        )
        self._report = GROUNDED if number else INVENTED
        self._scraped = {"job": "shop", "instance": f"10.0.0.{number}:9464"}

    def answer(self) -> None:
        """Answer the requests of a minute."""
        context = CallContext(dialect="postgres", model="gpt-4o", prompt_version="v14")
        for _ in range(PER_MINUTE):
            self._instruments.record_generation(record(self._report, context=context))

    def collect(self):
        """Return what the SDK exports now."""
        return self._otlp.get_metrics_data()

    def scraped(self) -> Iterator[tuple[Series, float]]:
        """Yield what a scrape of this process gives."""
        yield from parsed(generate_latest(self._registry).decode(), self._scraped)

    def shutdown(self) -> None:
        """End the readers."""
        self._provider.shutdown()


def parsed(text: str, target: dict[str, str]) -> Iterator[tuple[Series, float]]:
    """Yield the samples of a page with the labels of its target."""
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            yield (sample.name, labels_of({**sample.labels, **target})), sample.value


def labels_of(named: dict[str, str]) -> Labels:
    """Return labels in one order; an empty one is none."""
    return tuple(sorted((name, value) for name, value in named.items() if value))


def translated(data, more) -> Iterator[tuple[Series, float]]:
    """Yield counters and gauges by the names and labels that OTLP is translated to."""
    for resource in data.resource_metrics:
        identity = {
            "job": resource.resource.attributes["service.name"],
            "instance": resource.resource.attributes["service.instance.id"],
        }
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                name = METRICS[metric.name].prometheus_name
                points = metric.data.data_points
                is_number = isinstance(metric.data, Sum) or hasattr(points[0], "value")
                for point in points if is_number else ():
                    said = {
                        key.replace(".", "_"): str(value).lower() if value is True else str(value)
                        for key, value in point.attributes.items()
                    }
                    yield (name, labels_of({**said, **more(identity)})), point.value


def of_receiver(identity: dict[str, str]) -> dict[str, str]:
    """Return the labels that Prometheus' OTLP receiver adds by default."""
    return identity


def of_collector(identity: dict[str, str]) -> dict[str, str]:
    """Return the labels of the OpenTelemetry Collector's page, as a scrape renames them."""
    return {
        "otel_scope_name": "sqlobs",
        "otel_scope_version": "0.1.0",
        "exported_job": identity["job"],
        "exported_instance": identity["instance"],
        "job": "otel-collector",
        "instance": "otelcol:8889",
    }


@dataclass
class Recording:
    """What one path has shown, minute by minute."""

    values: dict[Series, list[tuple[int, float]]]

    def add(self, minute: int, samples: Iterator[tuple[Series, float]]) -> None:
        """Keep the samples of a minute."""
        for series, value in samples:
            self.values.setdefault(series, []).append((minute, value))

    def write(self, path: Path, *, until_s: float) -> None:
        """Write OpenMetrics, the last minute at a Unix time."""
        by_name: dict[str, list[str]] = {}
        for (name, labels), points in self.values.items():
            shown = ",".join(f'{label}="{value}"' for label, value in labels)
            by_name.setdefault(name, []).extend(
                f"{name}{{{shown}}} {value!r} {until_s - 60 * (MINUTES - minute):.3f}\n"
                for minute, value in points
            )
        with path.open("w") as file:
            for name, samples in by_name.items():
                file.write(f"# TYPE {name} unknown\n")
                file.writelines(samples)
            file.write("# EOF\n")


def record_paths(directory: Path) -> dict[str, Recording]:
    """Return what each path shows of the same traffic."""
    directory.mkdir(parents=True, exist_ok=True)
    found = {name: Recording({}) for name in PATHS}
    pods = [Pod(number) for number in range(PODS)]
    collector = Process(directory)
    collector.launch()
    try:
        with httpx.Client(timeout=30) as client:
            for minute in range(MINUTES + 1):
                for pod in pods:
                    pod.answer()
                _record_minute(minute, pods, found, client, collector)
    finally:
        collector.stop()
        for pod in pods:
            pod.shutdown()
    return found


def _record_minute(minute, pods, found, client, collector) -> None:
    for pod in pods:
        data = pod.collect()
        client.post(
            f"{collector.http}/v1/metrics",
            content=encode_metrics(data).SerializeToString(),
            headers={"Content-Type": "application/x-protobuf"},
        ).raise_for_status()
        found["direct"].add(minute, pod.scraped())
        found["otlp_receiver"].add(minute, translated(data, of_receiver))
        found["opentelemetry_collector"].add(minute, translated(data, of_collector))
    page = client.get(f"{collector.admin}/metrics").text
    target = {"job": "sqlobs-collector", "instance": "collector:4319"}
    ours = (one for one in parsed(page, target) if one[0][0].startswith("sqlobs_"))
    found["collector"].add(minute, ours)


@contextmanager
def served(recording: Recording, directory: Path) -> Iterator[Prometheus]:
    """Run a Prometheus that has scraped what a path has shown."""
    directory.mkdir(parents=True, exist_ok=True)
    samples, storage = directory / "samples", directory / "storage"
    recording.write(samples, until_s=float(time.time_ns() // 10**9))
    backfill(samples, storage)
    address = f"127.0.0.1:{free_port()}"
    configuration = directory / "prometheus.yml"
    configuration.write_text("scrape_configs: []\n")
    with process(
        "prometheus",
        f"--config.file={configuration}",
        f"--storage.tsdb.path={storage}",
        f"--web.listen-address={address}",
        ready=f"http://{address}/-/ready",
    ):
        yield Prometheus(f"http://{address}")


def recorded(name: str) -> str:
    """Return the expression of a recording of the generated rules."""
    document = rules_document(RuleSettings())
    [expression] = [
        rule["expr"]
        for group in document["groups"]
        for rule in group["rules"]
        if rule.get("record") == name
    ]
    return expression


def rate(prometheus: Prometheus, subject: str, unit: str = "schema_hallucination") -> float:
    """Return a rate as the rules record it, over 30 minutes."""
    failed, evaluated = (
        sum(float(one["value"][1]) for one in prometheus.query(recorded(name)))
        for name in (
            f"{subject}:sqlobs_{unit}_{part}:increase{WINDOW}" for part in ("failed", "evaluated")
        )
    )
    return failed / evaluated if evaluated else math.nan


def together(found: dict[str, Recording]) -> Recording:
    """Return all paths in one Prometheus: each process still counts once."""
    return Recording(
        {series: points for one in found.values() for series, points in one.values.items()}
    )


def main() -> None:
    """Print the rate that rules read over each path."""
    with TemporaryDirectory() as text:
        directory = Path(text)
        found = record_paths(directory / "collector")
        for name, recording in {**found, "all four": together(found)}.items():
            with served(recording, directory / name) as prometheus:
                by_workflow, by_version = rate(prometheus, "workflow"), rate(prometheus, "version")
            sys.stdout.write(
                f"{name:24} by workflow {by_workflow:.4%}, by version {by_version:.4%},"
                f" true {TRUE_RATE:.4%}\n"
            )


if __name__ == "__main__":
    main()
