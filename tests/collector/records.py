"""OTLP requests for the tests, built from their messages."""

from __future__ import annotations

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

RESOURCE = {
    "attributes": [
        {"key": "service.name", "value": {"string_value": "sales"}},
        {"key": "deployment.environment.name", "value": {"string_value": "prod"}},
        {"key": "service.version", "value": {"string_value": "2.4.1"}},
    ]
}


def value(content: object) -> dict[str, object]:
    """An AnyValue, in the form that messages are built from."""
    if isinstance(content, bool):
        return {"bool_value": content}
    if isinstance(content, int):
        return {"int_value": content}
    if isinstance(content, float):
        return {"double_value": content}
    if isinstance(content, dict):
        return {"kvlist_value": {"values": attributes(content)}}
    if isinstance(content, list | tuple):
        return {"array_value": {"values": [value(one) for one in content]}}
    return {"string_value": content}


def attributes(named: dict[str, object]) -> list[dict[str, object]]:
    return [{"key": name, "value": value(content)} for name, content in named.items()]


def trace_id(number: int) -> bytes:
    """A trace id whose last seven bytes, the randomness, are the number."""
    return b"\x01" * 9 + number.to_bytes(7, "big")


def span_id(number: int) -> bytes:
    return (number + 1).to_bytes(8, "big")


def log(
    number: int,
    *,
    event: str = "sqlobs.unit",
    body: object = None,
    at_ns: int = 1_800_000_000_000_000_000,
    **named: object,
) -> dict[str, object]:
    """One log record; keywords are attributes with `__` for the dots."""
    identity = f"00-{trace_id(number).hex()}-{span_id(number).hex()}-01"
    return {
        "time_unix_nano": at_ns,
        "event_name": event,
        "trace_id": trace_id(number),
        "span_id": span_id(number),
        "body": value({"sqlobs.query.text": "SELECT 1"} if body is None else body),
        "attributes": attributes(
            {
                "sqlobs.generation.id": identity,
                **{name.replace("__", "."): content for name, content in named.items()},
            }
        ),
    }


def logs(*records: dict[str, object], scope: str = "sqlobs") -> ExportLogsServiceRequest:
    return ExportLogsServiceRequest(
        resource_logs=[
            {
                "resource": RESOURCE,
                "scope_logs": [{"scope": {"name": scope}, "log_records": list(records)}],
            }
        ]
    )


def span(number: int, *, name: str = "GET /", **named: object) -> dict[str, object]:
    return {
        "name": name,
        "trace_id": trace_id(number),
        "span_id": span_id(number),
        "start_time_unix_nano": 1_800_000_000_000_000_000,
        "end_time_unix_nano": 1_800_000_001_000_000_000,
        "attributes": attributes(
            {name.replace("__", "."): content for name, content in named.items()}
        ),
    }


def generation_span(number: int, **named: object) -> dict[str, object]:
    return span(
        number,
        name="invoke_workflow answer",
        gen_ai__operation__name="invoke_workflow",
        sqlobs__verdict="ok",
        **named,
    )


def spans(*records: dict[str, object], scope: str = "app") -> ExportTraceServiceRequest:
    return ExportTraceServiceRequest(
        resource_spans=[
            {
                "resource": RESOURCE,
                "scope_spans": [{"scope": {"name": scope}, "spans": list(records)}],
            }
        ]
    )


def metrics(*names: str) -> ExportMetricsServiceRequest:
    return ExportMetricsServiceRequest(
        resource_metrics=[
            {
                "resource": RESOURCE,
                "scope_metrics": [
                    {"scope": {"name": "app"}, "metrics": [{"name": name} for name in names]}
                ],
            }
        ]
    )
