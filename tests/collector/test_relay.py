from __future__ import annotations

import httpx
import pytest

from tests.collector import records
from tests.collector.backend import Backend
from tests.collector.running import wait_until

PROTOBUF = {"Content-Type": "application/x-protobuf"}


@pytest.fixture
def backend():
    """A backend that records."""
    running = Backend()
    yield running
    running.stop()


def send(collector, signal: str, request) -> None:
    response = httpx.post(
        f"{collector.http}/v1/{signal}", content=request.SerializeToString(), headers=PROTOBUF
    )
    assert response.status_code == 200


def relayed(collector) -> dict[str, float]:
    page = collector.metrics()
    lines = [line for line in page.splitlines() if line.startswith("sqlobs_collector_relayed_to")]
    return {line.split('outcome="')[1].split('"')[0]: float(line.split()[-1]) for line in lines}


def test_everything_but_units_is_relayed_to_the_backend(launch, backend):
    """Foreign records, metrics and generation spans are forwarded; units never leave."""
    collector = launch(forward__url=backend.url, forward__headers={"x-key": "secret"})
    app_log = records.log(2, event="app.event")
    spans = records.spans(records.span(1), records.generation_span(2))
    send(collector, "logs", records.logs(records.log(1), app_log))
    send(collector, "logs", records.logs(records.log(3)))
    send(collector, "traces", spans)
    send(collector, "metrics", records.metrics("orders"))
    collector.stop()
    assert [(path, body) for path, body, _ in backend.received] == [
        ("/v1/logs", records.logs(app_log).SerializeToString()),
        ("/v1/traces", spans.SerializeToString()),
        ("/v1/metrics", records.metrics("orders").SerializeToString()),
    ]
    assert {headers["x-key"] for _, _, headers in backend.received} == {"secret"}


def test_requests_to_a_busy_backend_are_retried(launch, backend):
    """503 and 429 are tried again after the time asked for, with the same bytes."""
    backend.answers = [(503, {"Retry-After": "0"}), (429, {})]
    collector = launch(forward__url=backend.url)
    send(collector, "traces", records.spans(records.span(1)))
    backend.wait_for(3)
    assert len({body for _, body, _ in backend.received}) == 1
    wait_until(lambda: relayed(collector) == {"sent": 1})


def test_what_the_backend_refuses_is_dropped_and_counted(launch, backend):
    """A 400 is final: sending the same bytes again cannot help."""
    backend.answers = [(400, {})]
    collector = launch(forward__url=backend.url)
    send(collector, "traces", records.spans(records.span(1)))
    send(collector, "traces", records.spans(records.span(2)))
    backend.wait_for(2)
    wait_until(lambda: relayed(collector) == {"refused": 1, "sent": 1})


def test_a_full_queue_drops_new_records_and_never_blocks_clients(launch):
    """A backend that is down costs the records meant for it, nothing else."""
    collector = launch(forward__url="http://127.0.0.1:9", forward__queue_bytes=1)
    send(collector, "logs", records.logs(records.log(1), records.log(2, event="app.event")))
    assert relayed(collector) == {"dropped": 1}
    assert [entry.record_count for entry in collector.journaled()] == [1]
