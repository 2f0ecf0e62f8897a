"""A request costs what its bytes suggest: what would cost more is rejected before it is built."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import socket
import threading
import time
from contextlib import suppress

import grpc
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from prometheus_client import CollectorRegistry

from sqlobs_collector import webserver
from sqlobs_collector.errors import RetryableError, TooLargeError
from sqlobs_collector.otlp import elements
from sqlobs_collector.otlp.signals import LOGS, METRICS, TRACES
from sqlobs_collector.pipeline_metrics import PipelineMetrics
from sqlobs_collector.quotas import Unlimited
from sqlobs_collector.receiver import intake
from sqlobs_collector.receiver.credentials import Credentials
from sqlobs_collector.receiver.gate import ByteGate
from sqlobs_collector.receiver.intake import Intake, IntakeLimits, Upload
from sqlobs_collector.sdkmetrics import SdkMetrics
from tests.collector import hostile_bodies, records
from tests.collector.bombs import BEARABLE, BOMBS, JSON, JSON_BOMBS, PROTOBUF
from tests.collector.test_units import UNMASKED


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        *(pytest.param(PROTOBUF, body, id=name) for name, body in BOMBS.items()),
        *(pytest.param(JSON, body, id=f"JSON {name}") for name, body in JSON_BOMBS.items()),
    ],
)
def test_a_body_of_very_many_elements_is_refused(collector, headers, body, encoding):
    """413 for good, whether it is small on the wire or not; the next request is taken."""
    content = gzip.compress(body) if encoding == "gzip" else body
    sent = {**headers, "Content-Encoding": encoding}
    answer = httpx.post(f"{collector.http}/v1/logs", content=content, headers=sent, timeout=30)
    assert answer.status_code == 413
    good = records.logs(records.log(1)).SerializeToString()
    assert httpx.post(f"{collector.http}/v1/logs", content=good, headers=PROTOBUF).is_success


@pytest.mark.parametrize("name", BEARABLE)
def test_an_unusual_body_of_low_cost_is_accepted(collector, name):
    """It is counted by what it costs, not by how it looks."""
    headers, body = BEARABLE[name]
    answer = httpx.post(f"{collector.http}/v1/logs", content=body, headers=headers, timeout=30)
    assert answer.status_code == 200


def test_the_sentence_says_what_to_do(collector):
    """The client's log shows it."""
    answer = httpx.post(f"{collector.http}/v1/logs", content=BOMBS["records"], headers=PROTOBUF)
    assert b"elements: send fewer in one request" in answer.content


@pytest.mark.parametrize("signal", [LOGS, TRACES, METRICS], ids=lambda signal: signal.name)
def test_a_bomb_over_grpc_is_refused_too(collector, signal):
    """The status of what must not be sent again."""
    with grpc.insecure_channel(collector.grpc.removeprefix("http://")) as channel:
        send = channel.unary_unary(signal.method)
        with pytest.raises(grpc.RpcError) as refused:
            send(BOMBS["resources"], timeout=30)
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


ATTRIBUTES = {f"a{number}": number for number in range(30)}
REAL = {
    "small records": records.logs(*(records.log(number) for number in range(3000))),
    "attributes": records.logs(*(records.log(number, **ATTRIBUTES) for number in range(500))),
    "a long text": records.logs(records.log(1, body={"sqlobs.query.text": "1, 2 " * 100_000})),
    "spans": records.spans(*(records.span(number) for number in range(3000))),
    "metrics": records.metrics(*(f"name.{number}" for number in range(10_000))),
}


@pytest.mark.parametrize("name", REAL)
def test_real_requests_are_within_the_limits(name):
    """As SDKs send them, many small records or few large ones; also in JSON, full of commas."""
    request_ = REAL[name]
    from google.protobuf.json_format import MessageToJson

    elements.limit_protobuf(request_.SerializeToString(), type(request_), limit=500_000)
    elements.limit_json(MessageToJson(request_, indent=None).encode(), limit=500_000)


def _count(message) -> int:
    """The messages inside a message, the slow way."""
    found = 0
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            values = value if descriptor.is_repeated else [value]
            found += sum(1 + _count(one) for one in values)
    return found


_VALUES = st.recursive(
    st.one_of(
        st.text(max_size=3).map(lambda text: AnyValue(string_value=text)),
        st.integers(-(2**63), 2**63 - 1).map(lambda number: AnyValue(int_value=number)),
        st.floats(width=64).map(lambda number: AnyValue(double_value=number)),
        st.just(AnyValue()),
    ),
    lambda inner: st.lists(inner, max_size=4).map(
        lambda values: AnyValue(array_value={"values": values})
    ),
    max_leaves=30,
)


@given(st.lists(_VALUES, max_size=8))
def test_as_many_messages_are_counted_as_the_parser_makes(values):
    """Of whatever shape; the limit itself is allowed, one less is not."""
    message = records.logs(records.log(1))
    for value in values:
        message.resource_logs[0].resource.attributes.add(key="k", value=value)
    body, count = message.SerializeToString(), _count(message)
    assert not elements._has_more(body, LOGS.request, count)
    assert elements._has_more(body, LOGS.request, count - 1)


@given(st.binary(max_size=400))
def test_what_is_no_protobuf_is_left_to_the_parser(body):
    """Whatever the bytes are, counting ends and raises nothing else."""
    with suppress(TooLargeError):
        elements.limit_protobuf(body * 20, LOGS.request, limit=1000)


def test_a_connection_without_complete_headers_is_closed(collector, monkeypatch):
    """Slow headers end; a connection that is used continues."""
    monkeypatch.setattr(webserver, "_HEAD_S", 0.3)
    for address in (collector.addresses.http, collector.addresses.admin):
        place = (address.host, address.port)
        with socket.create_connection(place) as slow, socket.create_connection(place) as silent:
            slow.settimeout(10)
            silent.settimeout(10)
            slow.sendall(b"GET / HTTP/1.1\r\n")
            assert _sent_until_closed(slow, b"X-A: b\r\n", most=200, pause_s=0.05) < 200
            assert silent.recv(10) == b""


def _sent_until_closed(connection, line, *, most, pause_s=0.0):
    """Send a line again and again; return how often, until the other side has closed."""
    for count in range(most):
        try:
            connection.sendall(line)
        except OSError:
            return count
        time.sleep(pause_s)
    return most


def test_a_slow_body_and_a_kept_connection_outlive_the_heads_time(collector, monkeypatch):
    """The head's limit is not the body's, nor that of the pause between two requests."""
    monkeypatch.setattr(webserver, "_HEAD_S", 0.2)
    body = records.logs(records.log(1)).SerializeToString()

    def slowly():
        for byte in body:
            yield bytes([byte])
            time.sleep(0.5 / len(body))

    with httpx.Client(base_url=collector.http, headers=PROTOBUF) as client:
        assert client.post("/v1/logs", content=slowly()).is_success
        assert client.post("/v1/logs", content=body).is_success


def test_endless_headers_do_not_fill_the_memory(collector):
    """The connection is closed after 64 KiB of one head."""
    address = collector.addresses.http
    with socket.create_connection((address.host, address.port)) as endless:
        endless.settimeout(10)
        endless.sendall(b"GET / HTTP/1.1\r\n")
        line = b"X-A: " + b"b" * 1017 + b"\r\n"
        # 64 MiB; what the buffers of both sockets hold is sent before the end is seen.
        assert _sent_until_closed(endless, line, most=65_536) < 16_384


@pytest.mark.parametrize("port", ["http", "admin"])
def test_a_request_to_upgrade_is_answered_as_any_other(collector, port):
    """No port speaks WebSocket, and none fails at it."""
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    for path in ("/", "/v1/logs", "/metrics"):
        answer = httpx.get(getattr(collector, port) + path, headers=upgrade)
        assert answer.status_code in {200, 303, 401, 404, 405}  # 303: to the login


def test_a_histogram_with_very_many_buckets_is_rejected_by_itself(collector):
    """The other metrics of the request are shown."""
    point = {"bucket_counts": [1] * 300, "explicit_bounds": [*range(299)], "count": 300}
    fine = {"name": "sqlobs.check.duration", "histogram": {"data_points": [point]}}
    message = METRICS.request(
        resource_metrics=[
            {
                "resource": records.RESOURCE,
                "scope_metrics": [
                    {
                        "scope": {"name": "sqlobs"},
                        "metrics": [
                            fine,
                            {
                                "name": "sqlobs.generations",
                                "sum": {
                                    "data_points": [{"as_int": 7}],
                                    "aggregation_temporality": 2,
                                },
                            },
                        ],
                    }
                ],
            }
        ]
    )
    answer = httpx.post(
        f"{collector.http}/v1/metrics", content=message.SerializeToString(), headers=PROTOBUF
    )
    rejected = METRICS.response.FromString(answer.content).partial_success
    assert rejected.rejected_data_points == 1
    assert rejected.error_message == "a histogram has 299 buckets: at most 200 are allowed"
    shown = httpx.get(f"{collector.admin}/metrics").text
    assert "sqlobs_generations_total{" in shown
    assert "sqlobs_check_duration_seconds_bucket" not in shown


def test_large_requests_wait_for_each_other_and_small_ones_for_none(collector, monkeypatch):
    """While one is decoded on its thread, a small request is answered."""

    gate, original = threading.Event(), intake.elements.limit_protobuf

    def slow(body, kind, *, limit):
        if len(body) > intake._SMALL_BYTES:
            assert gate.wait(20)
        original(body, kind, limit=limit)

    monkeypatch.setattr(intake.elements, "limit_protobuf", slow)
    large = records.logs(*(records.log(number) for number in range(1000))).SerializeToString()
    small = records.logs(records.log(5000)).SerializeToString()

    async def run():
        async with httpx.AsyncClient(base_url=collector.http, headers=PROTOBUF) as client:
            waiting = [asyncio.create_task(client.post("/v1/logs", content=large)) for _ in "ab"]
            await asyncio.sleep(0.1)
            first = await client.post("/v1/logs", content=small)
            is_waiting = not any(task.done() for task in waiting)
            gate.set()
            return first.status_code, is_waiting, [(await one).status_code for one in waiting]

    assert asyncio.run(run()) == (200, True, [200, 200])


class _Stuck:
    """A journal whose disk does not answer."""

    async def append(self, entry):
        await asyncio.Event().wait()


def test_what_a_body_inflates_to_is_counted_until_it_is_written():
    """Kilobytes that become megabytes wait for the disk as megabytes."""
    gate = ByteGate(2_000_000)
    found = Intake(
        credentials=Credentials({}),
        limits=IntakeLimits(8_000_000, 1_000_000, 100_000),
        masker=UNMASKED,
        journal=_Stuck(),
        relay=None,
        metrics=SdkMetrics(dropped=lambda _: None),
        flow=PipelineMetrics(CollectorRegistry()),
        quotas=Unlimited(),
    )
    record = records.log(1, body={"sqlobs.query.text": "SELECT 1 " * 80_000})
    mixed = records.logs(record, records.log(2, event="foreign"))
    body = gzip.compress(mixed.SerializeToString())
    assert len(body) < 20_000

    async def send():
        upload = Upload(body=body, encoding="gzip", form="protobuf", authorization=None)
        with gate.passage() as passage:
            passage.take(len(body))
            await found.export(LOGS, upload, passage)

    async def run():
        waiting = [asyncio.create_task(send()) for _ in range(2)]
        while gate.bytes_in_flight < 2 * 720_000:  # noqa: ASYNC110 - the gate tells nobody
            await asyncio.sleep(0.01)
        with pytest.raises(RetryableError, match="too many requests"):
            await send()
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return gate.bytes_in_flight

    assert asyncio.run(run()) == 0


def test_json_of_our_own_clients_is_taken(collector):
    """A document as the SDK's JSON exporters write it."""
    document = {
        "resourceLogs": [
            {
                "scopeLogs": [
                    {
                        "scope": {"name": "sqlobs"},
                        "logRecords": [
                            {
                                "eventName": "sqlobs.unit",
                                "traceId": records.trace_id(number).hex(),
                                "spanId": records.span_id(number).hex(),
                                "attributes": [
                                    {"key": f"k{key}", "value": {"intValue": str(key)}}
                                    for key in range(20)
                                ],
                            }
                            for number in range(200)
                        ],
                    }
                ]
            }
        ]
    }
    answer = httpx.post(f"{collector.http}/v1/logs", content=json.dumps(document), headers=JSON)
    assert answer.status_code == 200


@pytest.mark.slow
def test_the_measurement_prints_its_figures(capsys):
    """A run of few requests: every line has its numbers, whatever they are."""
    hostile_bodies.measure(bodies=8, threads=2, idle_s=1.0, seed=3)
    told = capsys.readouterr().out
    assert re.search(r"alone +\d+ acknowledgments: p50 [\d.]+ ms, p99 [\d.]+ ms", told)
    assert re.search(r"p99 beside / alone: [\d.]+\n", told)
    assert re.search(r"peak memory: \d+ MiB alone, \d+ MiB beside", told)
    assert re.search(r"hostile requests: \{'", told)
