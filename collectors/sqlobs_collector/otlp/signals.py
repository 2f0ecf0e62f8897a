"""The three OTLP signals: their messages, and where their records lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message

SignalName = Literal["logs", "traces", "metrics"]


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal of OTLP."""

    name: SignalName
    request: type[Message]
    response: type[Message]
    service: str
    """The gRPC service, whose method is `Export`."""
    resources: str
    """The field of the request that holds one message per resource."""
    scopes: str
    """The field of that message that holds one message per instrumentation scope."""
    records: str
    """The field of that message that holds the records."""
    rejected: str
    """The field of `partial_success` that counts what was refused."""

    @property
    def path(self) -> str:
        """The path of the signal on OTLP/HTTP."""
        return f"/v1/{self.name}"

    @property
    def method(self) -> str:
        """The full name of the signal's gRPC method."""
        return f"/{self.service}/Export"


LOGS: Final = Signal(
    name="logs",
    request=logs_service_pb2.ExportLogsServiceRequest,
    response=logs_service_pb2.ExportLogsServiceResponse,
    service="opentelemetry.proto.collector.logs.v1.LogsService",
    resources="resource_logs",
    scopes="scope_logs",
    records="log_records",
    rejected="rejected_log_records",
)
TRACES: Final = Signal(
    name="traces",
    request=trace_service_pb2.ExportTraceServiceRequest,
    response=trace_service_pb2.ExportTraceServiceResponse,
    service="opentelemetry.proto.collector.trace.v1.TraceService",
    resources="resource_spans",
    scopes="scope_spans",
    records="spans",
    rejected="rejected_spans",
)
METRICS: Final = Signal(
    name="metrics",
    request=metrics_service_pb2.ExportMetricsServiceRequest,
    response=metrics_service_pb2.ExportMetricsServiceResponse,
    service="opentelemetry.proto.collector.metrics.v1.MetricsService",
    resources="resource_metrics",
    scopes="scope_metrics",
    records="metrics",
    rejected="rejected_data_points",
)

SIGNALS: Final = (LOGS, TRACES, METRICS)
