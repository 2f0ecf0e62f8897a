"""A real OTLP/HTTP backend on loopback: keeps what it receives, decoded and as raw bytes."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
    from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

MESSAGES = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/metrics": ExportMetricsServiceRequest,
    "/v1/logs": ExportLogsServiceRequest,
}


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    """Inflated."""


@dataclass
class Backend:
    """What a backend received."""

    endpoint: str
    requests: list[Request] = field(default_factory=list)
    status: int = 200
    """What it answers."""
    answer: bytes = b""
    retry_after: str | None = None
    pauses: dict[str, float] = field(default_factory=dict)
    """How long requests take whose path begins so, in seconds."""
    may_answer: threading.Event = field(default_factory=threading.Event)
    """Clear it to keep clients waiting."""
    arrived: threading.Condition = field(default_factory=threading.Condition)

    def wait_for(self, count: int, path: str, *, timeout: float = 10) -> None:
        """Wait until so many requests to a path have come."""
        with self.arrived:
            assert self.arrived.wait_for(
                lambda: sum(r.path == path for r in self.requests) >= count, timeout
            ), f"{path}: fewer than {count} requests came"

    @property
    def raw(self) -> bytes:
        """Every byte received, headers included."""
        return b"\n".join(
            repr(sorted(request.headers.items())).encode() + request.body
            for request in self.requests
        )

    @property
    def spans(self) -> list[Span]:
        """Every span, in order of arrival."""
        return [
            span
            for message in self._messages("/v1/traces")
            for resource in message.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def metrics(self) -> list[Metric]:
        """Every metric, in order of arrival."""
        return [
            metric
            for message in self._messages("/v1/metrics")
            for resource in message.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        ]

    @property
    def logs(self) -> list[LogRecord]:
        """Every log record, in order of arrival."""
        return [
            record
            for message in self._messages("/v1/logs")
            for resource in message.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    def resources(self, path: str) -> list[dict[str, object]]:
        """Return the resources named in the requests to a path, one per request."""
        return [
            values_of(
                getattr(message, f"resource_{path.rpartition('/')[2].replace('traces', 'spans')}")[
                    0
                ].resource.attributes
            )
            for message in self._messages(path)
        ]

    def _messages(self, path: str) -> list[Any]:
        return [MESSAGES[path].FromString(r.body) for r in self.requests if r.path == path]


def counted(received: Backend, metric: str) -> dict[Any, int | float]:
    """Return the last value of each series of a counter, by process and labels; no zeros."""
    last = {}
    for message in received._messages("/v1/metrics"):
        for resource in message.resource_metrics:
            instance = values_of(resource.resource.attributes)["service.instance.id"]
            for found in (one for scope in resource.scope_metrics for one in scope.metrics):
                for point in found.sum.data_points if found.name == metric else ():
                    labels = tuple(sorted(values_of(point.attributes).items()))
                    last[instance, labels] = point.as_int or point.as_double
    return {key: value for key, value in last.items() if value}


def values_of(pairs: Iterator[KeyValue] | Any) -> dict[str, object]:
    """Return OTLP attributes as Python values."""
    return {pair.key: value_of(pair.value) for pair in pairs}


def value_of(value: AnyValue) -> object:
    """Return an OTLP value as a Python value; arrays are lists, maps are dicts."""
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return values_of(value.kvlist_value.values)
    return None if kind is None else getattr(value, kind)


@contextmanager
def backend() -> Iterator[Backend]:
    """Run a backend on a free port of loopback."""
    received = Backend("")
    received.may_answer.set()
    with serving(received):
        yield received


@contextmanager
def serving(received: Backend, port: int = 0) -> Iterator[None]:
    """Answer for a backend, on a free port or a given one; at the end connections are cut."""
    server = _Server(("127.0.0.1", port), _Handler)
    server.received = received
    received.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        received.may_answer.set()
        server.shutdown()
        thread.join()
        server.server_close()
        server.cut()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    received: Backend
    """How a handler finds it."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._connections: list[socket.socket] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.append(request)
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that end in the middle are what some tests are about."""

    def cut(self) -> None:
        """End the connections that clients keep open."""
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5

    def do_POST(self) -> None:
        received: Backend = self.server.received  # type: ignore[attr-defined]  # a `_Server`
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        inflate = {"gzip": gzip.decompress, "deflate": zlib.decompress}
        body = inflate.get(self.headers.get("content-encoding", ""), bytes)(body)
        headers = {name.lower(): value for name, value in self.headers.items()}
        with received.arrived:
            received.requests.append(Request(self.command, self.path, headers, body))
            received.arrived.notify_all()
        received.may_answer.wait(20)
        time.sleep(
            max((s for p, s in received.pauses.items() if self.path.startswith(p)), default=0)
        )
        self.send_response(received.status)
        if received.retry_after is not None:
            self.send_header("Retry-After", received.retry_after)
        self.send_header("Content-Length", str(len(received.answer)))
        self.end_headers()
        self.wfile.write(received.answer)

    do_PUT = do_POST  # noqa: N815 - named by http.server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing: the tests assert on what came."""
