from __future__ import annotations

import gzip
import socket
import threading
import time

import grpc
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import (
    OTLPMetricExporter as GrpcMetrics,
)
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs
from opentelemetry.exporter.otlp.proto.http.metric_exporter import (
    OTLPMetricExporter as HttpMetrics,
)
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from tests.collector import records

LOGS_EXPORT = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
RESOURCE = Resource({"service.name": "sales", "deployment.environment.name": "prod"})


def http_exporters(collector):
    url = collector.http
    return (
        HttpLogs(endpoint=f"{url}/v1/logs", compression=Compression.Gzip),
        HttpSpans(endpoint=f"{url}/v1/traces"),
        HttpMetrics(endpoint=f"{url}/v1/metrics"),
    )


def grpc_exporters(collector):
    url = collector.grpc
    return (
        GrpcLogs(endpoint=url, insecure=True, compression=grpc.Compression.Gzip),
        GrpcSpans(endpoint=url, insecure=True),
        GrpcMetrics(endpoint=url, insecure=True),
    )


@pytest.mark.parametrize("exporters", [http_exporters, grpc_exporters], ids=["http", "grpc"])
def test_the_python_sdk_delivers_all_three_signals(collector, exporters):
    """Units and generation spans of the real exporters are in the journal, word for word."""
    logs, spans, metrics = exporters(collector)
    loggers = LoggerProvider(resource=RESOURCE)
    loggers.add_log_record_processor(BatchLogRecordProcessor(logs))
    tracers = TracerProvider(resource=RESOURCE)
    tracers.add_span_processor(BatchSpanProcessor(spans))
    meters = MeterProvider([PeriodicExportingMetricReader(metrics)], resource=RESOURCE)

    tracer = tracers.get_tracer("sqlobs")
    with tracer.start_as_current_span("GET /"):
        generation = tracer.start_span("invoke_workflow answer")
        generation.set_attribute("gen_ai.operation.name", "invoke_workflow")
        generation.set_attribute("sqlobs.verdict", "ok")
        generation.end()
    identity = generation.get_span_context()
    loggers.get_logger("sqlobs").emit(
        LogRecord(
            event_name="sqlobs.unit",
            trace_id=identity.trace_id,
            span_id=identity.span_id,
            body={"sqlobs.query.text": "SELECT 'é'"},
            attributes={"sqlobs.verdict": "ok"},
        )
    )
    meters.get_meter("app").create_counter("orders").add(1)
    for provider in (loggers, tracers, meters):
        assert provider.force_flush()
        provider.shutdown()

    kept = {entry.kind: entry for entry in collector.journaled()}
    assert {kind: entry.record_count for kind, entry in kept.items()} == {"logs": 1, "traces": 1}
    unit = ExportLogsServiceRequest.FromString(content(kept["logs"]))
    [record] = unit.resource_logs[0].scope_logs[0].log_records
    assert record.event_name == "sqlobs.unit"
    assert record.trace_id == identity.trace_id.to_bytes(16, "big")
    assert record.body.kvlist_value.values[0].value.string_value == "SELECT 'é'"
    kept_spans = ExportTraceServiceRequest.FromString(content(kept["traces"]))
    [span] = kept_spans.resource_spans[0].scope_spans[0].spans
    assert span.span_id == identity.span_id.to_bytes(8, "big")
    page = collector.metrics()
    assert (
        'sqlobs_collector_received_total{deployment_environment_name="prod",kind="foreign",'
        'service_name="sales",signal="metrics",workspace="default"}'
    ) in page


def content(entry) -> bytes:
    return gzip.decompress(entry.body) if entry.encoding == "gzip" else entry.body


@pytest.mark.parametrize("exporters", [http_exporters, grpc_exporters], ids=["http", "grpc"])
def test_the_python_sdk_tries_again_after_overload(launch, exporters):
    """A journal that is full for a moment costs nothing: the exporter comes back in time."""
    collector = launch(journal__max_bytes=1)
    loggers = LoggerProvider(resource=RESOURCE)
    loggers.add_log_record_processor(SimpleLogRecordProcessor(exporters(collector)[0]))
    logger = loggers.get_logger("sqlobs")
    unit = {"event_name": "sqlobs.unit", "body": {"a": "b"}}
    logger.emit(LogRecord(trace_id=1, span_id=1, **unit))
    room = threading.Thread(target=make_room_after_a_refusal, args=[collector])
    room.start()
    logger.emit(LogRecord(trace_id=2, span_id=2, **unit))
    room.join()
    loggers.shutdown()
    assert [entry.record_count for entry in collector.journaled()] == [1, 1]


def make_room_after_a_refusal(collector):
    while 'reason="journal_full"' not in collector.metrics():
        time.sleep(0.01)
    room = collector.service._journaling.journal._room
    limits = room._limits
    room._limits = type(limits)(10**9, limits.min_free_bytes)


def call(collector, message: bytes, **options):
    """Call `Export` with bytes; returns the answer and the trailers, or the error."""
    with grpc.insecure_channel(str(collector.addresses.grpc)) as channel:
        export = channel.unary_unary(LOGS_EXPORT)
        return export.with_call(message, timeout=50, **options)


def test_grpc_answers_partial_success(collector):
    """A bad record is counted in the answer, the rest is durable."""
    request = records.logs(records.log(1), records.log(2) | {"trace_id": b""})
    answer, _ = call(collector, request.SerializeToString())
    partial = ExportLogsServiceResponse.FromString(answer).partial_success
    assert partial.rejected_log_records == 1
    assert [entry.record_count for entry in collector.journaled()] == [1]


@pytest.mark.parametrize(
    ("settings", "message", "options", "code"),
    [
        ({}, b"\xff", {}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"auth__tokens": {"a": {"ingest": ["t"]}}}, b"", {}, grpc.StatusCode.UNAUTHENTICATED),
        (
            {"auth__tokens": {"a": {"read": ["t"]}}},
            b"",
            {"metadata": (("authorization", "Bearer t"),)},
            grpc.StatusCode.PERMISSION_DENIED,
        ),
        (
            {"receive__max_body_bytes": "1MiB"},
            bytes(64 * 2**20),
            {"compression": grpc.Compression.Gzip},
            grpc.StatusCode.RESOURCE_EXHAUSTED,
        ),
    ],
    ids=["rubbish", "no token", "no right", "zip bomb"],
)
def test_a_permanent_grpc_rejection_has_no_retry_delay(launch, settings, message, options, code):
    """Exporters must not come back: no RetryInfo in any trailer."""
    collector = launch(**settings)
    with pytest.raises(grpc.RpcError) as caught:
        call(collector, message, **options)
    assert caught.value.code() is code
    trailers = dict(caught.value.trailing_metadata())
    assert "google.rpc.retryinfo-bin" not in trailers
    status = Status.FromString(trailers.get("grpc-status-details-bin", b""))
    assert list(status.details) == []


def test_grpc_takes_a_known_token(launch):
    """The credential travels in the metadata key `authorization`."""
    collector = launch(auth__tokens={"sales": {"ingest": ["t"]}})
    metadata = (("authorization", "Bearer t"),)
    call(collector, records.logs(records.log(1)).SerializeToString(), metadata=metadata)
    assert [entry.workspace for entry in collector.journaled()] == ["sales"]


def test_grpc_overload_carries_the_time_to_retry_in_both_trailers(launch):
    """The standard's trailer, and the one that the Python exporter reads."""
    collector = launch(journal__max_bytes=1)
    body = records.logs(records.log(1)).SerializeToString()
    call(collector, body)
    with pytest.raises(grpc.RpcError) as caught:
        call(collector, body)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    trailers = dict(caught.value.trailing_metadata())
    expected = RetryInfo.FromString(trailers["google.rpc.retryinfo-bin"])
    assert 1 <= expected.retry_delay.seconds <= 5
    unpacked = RetryInfo()
    Status.FromString(trailers["grpc-status-details-bin"]).details[0].Unpack(unpacked)
    assert unpacked == expected


def test_grpc_takes_batches_beyond_its_default_limit(collector):
    """gRPC refuses 4 MiB by default: one batch of long prompts would be lost."""
    big = records.logs(*(records.log(number, body="x" * 900_000) for number in range(6)))
    message = big.SerializeToString()
    assert len(message) > 5 * 2**20
    call(collector, message)
    assert [entry.record_count for entry in collector.journaled()] == [6]


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """One frame of HTTP/2 (RFC 9113, 4.1)."""
    return (
        len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload
    )


def begin_call(collector, **metadata: str) -> socket.socket:
    """A gRPC call whose message is announced with 100 bytes, of which ten come."""
    address = collector.addresses.grpc
    client = socket.create_connection((address.host, address.port), timeout=20)
    known = {
        ":method": "POST",
        ":scheme": "http",
        ":path": LOGS_EXPORT,
        ":authority": "x",
        "content-type": "application/grpc",
        "te": "trailers",
        **metadata,
    }
    pairs = [(name.encode(), text.encode()) for name, text in known.items()]
    headers = b"".join(  # literals that are not indexed (RFC 7541, 6.2.2)
        b"\0" + bytes([len(name)]) + name + bytes([len(text)]) + text for name, text in pairs
    )
    announced = b"\0" + (100).to_bytes(4, "big") + bytes(10)
    client.sendall(
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        + frame(SETTINGS, 0, 0, b"")
        + frame(HEADERS, END_HEADERS, 1, headers)
        + frame(DATA, 0, 1, announced)
    )
    return client


def end_of_call(client: socket.socket) -> bytes:
    """The header block that ends the call, as it came."""
    stream = client.makefile("rb")
    while True:
        head = stream.read(9)
        payload = stream.read(int.from_bytes(head[:3], "big"))
        if head[3] == HEADERS and head[4] & END_STREAM:
            return payload


DATA, HEADERS, SETTINGS = 0, 1, 4
END_STREAM, END_HEADERS = 0x1, 0x4


def test_a_grpc_message_that_does_not_arrive_ends_its_call(launch):
    """A slow client gets a retry status and is counted; others are served meanwhile."""
    collector = launch(receive__body_timeout_s=4)  # a busy machine reads whole messages in time
    with begin_call(collector) as first, begin_call(collector) as second:
        call(collector, records.logs(records.log(1)).SerializeToString())
        for client in (first, second):
            assert b"grpc-status\x0214" in end_of_call(client)
    assert 'reason="slow"' in collector.metrics()


def test_an_unauthenticated_grpc_message_is_not_awaited(launch):
    """The credential comes first, as over HTTP."""
    collector = launch(auth__tokens={"sales": {"ingest": ["t"]}})
    with begin_call(collector, authorization="Bearer wrong") as client:
        assert b"grpc-status\x0216" in end_of_call(client)


def test_grpc_does_not_know_other_methods(collector):
    """UNIMPLEMENTED, as for any service that is not there."""
    with (
        grpc.insecure_channel(str(collector.addresses.grpc)) as channel,
        pytest.raises(grpc.RpcError) as caught,
    ):
        channel.unary_unary("/other.Service/Call")(b"", timeout=20)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
