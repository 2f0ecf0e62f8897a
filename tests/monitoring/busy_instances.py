"""Thirty busy instances on one collector: how long `/metrics` takes, and what intake feels of it.

`python -m tests.monitoring.busy_instances [--instances 30] [--rounds 5]` starts a collector, exports
the series of that many processes (workflows by models by prompt versions by verdicts), scrapes it again
and again while small requests are sent, and prints seconds, megabytes, lost series and the p99 of
the small requests.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Self

import httpx
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource

from sqlobs.semconv import metrics
from sqlobs.tracing.records.record import CallContext, StageTimes, Usage
from sqlobs.tracing.sending.instruments import Instruments
from sqlobs.tracing.sending.service_resource import identity_labels
from tests.collector.damage import Process
from tests.telemetry.records import GROUNDED, INVENTED, record

WORKFLOWS: Final = 10
MODELS: Final = 5
PROMPTS: Final = 20
_CONTENT: Final = {"Content-Type": "application/x-protobuf"}


def export_of(instance: int) -> bytes:
    """Return the OTLP request of one process that has served every combination of names."""
    resource = Resource({"service.name": "shop", "service.instance.id": f"pod-{instance}"})
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    instruments = Instruments(
        lambda number: provider.get_meter("sqlobs", attributes={"n": number} if number else None),
        identity=lambda: identity_labels(resource),
    )
    for request in _requests():
        instruments.record_generation(request)
    request = encode_metrics(reader.get_metrics_data()).SerializeToString()
    provider.shutdown()
    return request


def _requests():
    for workflow in range(WORKFLOWS):
        for model in range(MODELS):
            for prompt in range(PROMPTS):
                context = CallContext(
                    dialect="postgres", model=f"model-{model}", prompt_version=f"v{prompt}"
                )
                for report in (GROUNDED, INVENTED):
                    yield record(
                        report,
                        workflow=f"workflow_{workflow}",
                        context=context,
                        stages=StageTimes(llm_s=1.5, retrieval_s=0.25, execution_s=0.125),
                        usage=Usage(input_tokens=100, output_tokens=20, cost_usd=0.5),
                    )


class Probe:
    """Sends a small request every 20 ms and remembers how long each took."""

    def __init__(self, url: str, body: bytes) -> None:
        self.seconds: list[float] = []
        self._url, self._body = url, body
        self._has_sent, self._is_done = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._has_sent.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._is_done.set()
        self._thread.join()

    @property
    def p99_s(self) -> float:
        """The time that one request in a hundred exceeds."""
        return sorted(self.seconds)[int(len(self.seconds) * 0.99)]

    def _send(self) -> None:
        with httpx.Client() as client:
            while not self._is_done.wait(0.02):
                start = time.perf_counter()
                client.post(self._url, content=self._body, headers=_CONTENT).raise_for_status()
                self.seconds.append(time.perf_counter() - start)
                self._has_sent.set()


def small_request() -> bytes:
    """Return the request of a process with one series."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    provider.get_meter("sqlobs").create_counter(metrics.EVALUATIONS.name).add(1)
    request = encode_metrics(reader.get_metrics_data()).SerializeToString()
    provider.shutdown()
    return request


def measure(collector: Process, *, instances: int, rounds: int) -> dict[str, float]:
    """Export, scrape and probe at the same time; return the figures."""
    exports = [export_of(number) for number in range(instances)]
    url, scrapes, size = f"{collector.http}/v1/metrics", [], 0
    with httpx.Client(timeout=60) as client:
        for body in exports:
            client.post(url, content=body, headers=_CONTENT).raise_for_status()
        with Probe(url, small_request()) as probe:
            for number in range(rounds):
                body = exports[number % instances]
                client.post(url, content=body, headers=_CONTENT).raise_for_status()
                start = time.perf_counter()
                page = client.get(f"{collector.admin}/metrics")
                scrapes.append(time.perf_counter() - start)
                size = len(page.content)
    lines = page.text.splitlines()
    (dropped,) = [line for line in lines if line.startswith("sqlobs_collector_series_dropped_t")]
    return {
        "scrape_s": max(scrapes),
        "otlp_p99_s": probe.p99_s,
        "probes": len(probe.seconds),
        "megabytes": size / 1e6,
        "series": sum(not line.startswith("#") for line in lines),
        "instances": len(
            {line.partition('service_instance_id="')[2].partition('"')[0] for line in lines} - {""}
        ),
        "dropped": float(dropped.split()[-1]),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=10)
    asked = parser.parse_args()
    with TemporaryDirectory() as directory:
        collector = Process(Path(directory))
        collector.launch()
        try:
            found = measure(collector, instances=asked.instances, rounds=asked.rounds)
        finally:
            collector.stop()
    for name, value in found.items():
        sys.stdout.write(f"{name:12} {value:,.3f}\n")


if __name__ == "__main__":
    main()
