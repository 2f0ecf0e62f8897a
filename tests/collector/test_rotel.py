"""A client that is not the Python SDK: rotel's agent, written in Rust, between application and us."""

from __future__ import annotations

import gzip
import os
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from tests.collector import records
from tests.collector.running import wait_until
from tests.servers import free_port

PROTOBUF = {"Content-Type": "application/x-protobuf"}


@pytest.fixture(scope="module")
def agent() -> Path:
    """The agent's program: of the installed package, or where SQLOBS_ROTEL says."""
    spec = find_spec("rotel")
    named = os.environ.get("SQLOBS_ROTEL")
    if named is None and spec is None:
        pytest.skip("rotel is NOT INSTALLED: nothing of this test ran (pip install rotel)")
    return Path(named) if named else Path(spec.origin).with_name("rotel-agent")


@pytest.fixture
def forwarding(agent, collector, tmp_path, request):
    """An agent that sends on what it gets, over HTTP or gRPC; its own address."""
    protocol = request.param
    port, target = free_port(), collector.http if protocol == "http" else collector.grpc
    options = {
        "pid-file": tmp_path / "pid",
        "otlp-http-endpoint": f"127.0.0.1:{port}",
        "otlp-grpc-endpoint": f"127.0.0.1:{free_port()}",
        "exporter": "otlp",
        "otlp-exporter-endpoint": target,
        "otlp-exporter-protocol": protocol,
        "otlp-exporter-compression": "gzip",
        "batch-timeout": "50ms",
    }
    command = [agent, "start", *(f"--{name}={value}" for name, value in options.items())]
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            command, stdout=log, stderr=log, env={"PATH": os.environ["PATH"]}
        ) as process,
    ):
        yield f"http://127.0.0.1:{port}"
        process.terminate()
        process.wait(20)


@pytest.mark.parametrize("forwarding", ["http", "grpc"], indirect=True)
def test_rotel_delivers_all_three_signals(collector, forwarding):
    """Units and generation spans arrive whole, foreign metrics are counted."""
    unit = records.log(1, body={"sqlobs.query.text": "SELECT 'é'"}, sqlobs__verdict="ok")
    sent = {
        "logs": records.logs(unit),
        "traces": records.spans(records.generation_span(1)),
        "metrics": records.metrics("orders"),
    }
    for signal, message in sent.items():
        if signal == "metrics":
            [scope] = message.resource_metrics[0].scope_metrics
            scope.metrics[0].gauge.data_points.add(as_int=1, time_unix_nano=time.time_ns())
        body = message.SerializeToString()
        wait_until(lambda signal=signal, body=body: is_taken(f"{forwarding}/v1/{signal}", body))
    kept = wait_until(lambda: len(found := collector.journaled()) == 2 and found)
    assert {entry.kind: entry.record_count for entry in kept} == {"logs": 1, "traces": 1}
    [entry] = [entry for entry in kept if entry.kind == "logs"]
    content = gzip.decompress(entry.body) if entry.encoding == "gzip" else entry.body
    [resource] = ExportLogsServiceRequest.FromString(content).resource_logs
    [record] = resource.scope_logs[0].log_records
    assert (record.event_name, record.trace_id) == ("sqlobs.unit", records.trace_id(1))
    assert record.body.kvlist_value.values[0].value.string_value == "SELECT 'é'"
    wait_until(lambda: 'kind="foreign"' in collector.metrics())


def is_taken(url: str, body: bytes) -> bool:
    try:
        return httpx.post(url, content=body, headers=PROTOBUF).status_code == 200
    except httpx.TransportError:
        return False
