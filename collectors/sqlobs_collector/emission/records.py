"""Evaluations as OTLP: an event each, plus a span for sampled traces; pure.

Jaeger and Tempo do not show logs, hence the spans. A span is the root of a separate trace, linked
to the evaluated span: a child would stretch the trace of a 63 ms request to seconds, and wake tail
samplers. IDs are hashes of their content, so that a repeated emission is the same span.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from sqlobs import semconv
from sqlobs._version import __version__
from sqlobs.semconv.evaluations import EXECUTION
from sqlobs_collector.otlp.triage import COLLECTOR_SCOPE
from sqlobs_collector.store.rows import WAIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlobs_collector.store.rows import Unemitted

_EVALUATOR: Final = "EVALUATOR"
_PERSON: Final = "user"
_RECORDED: Final = 0x01
_SCOPE: Final = {"name": COLLECTOR_SCOPE, "version": __version__}


def events_of(evaluations: Sequence[Unemitted]) -> ExportLogsServiceRequest:
    """Return the `gen_ai.evaluation.result` events of evaluations, by service."""
    request = ExportLogsServiceRequest()
    for resource, group in _by_service(evaluations):
        request.resource_logs.add(
            resource={"attributes": _attributes(resource)},
            scope_logs=[
                {
                    "scope": _SCOPE,
                    "log_records": [_event(one) for one in group],
                    "schema_url": semconv.SCHEMA_URL,
                }
            ],
        )
    return request


def spans_of(evaluations: Sequence[Unemitted]) -> ExportTraceServiceRequest:
    """Return the `sqlobs.evaluate` spans of the evaluations whose traces were sampled."""
    request = ExportTraceServiceRequest()
    sampled = [one for one in evaluations if one.trace_sampled]
    for resource, group in _by_service(sampled):
        request.resource_spans.add(
            resource={"attributes": _attributes(resource)},
            scope_spans=[
                {
                    "scope": _SCOPE,
                    "spans": [_span(one) for one in group],
                    "schema_url": semconv.SCHEMA_URL,
                }
            ],
        )
    return request


def _by_service(
    evaluations: Iterable[Unemitted],
) -> Iterator[tuple[dict[str, object], list[Unemitted]]]:
    groups: dict[tuple[str, str], list[Unemitted]] = {}
    for one in evaluations:
        groups.setdefault((one.service_name, one.environment), []).append(one)
    for (service, environment), group in groups.items():
        named: dict[str, object] = {
            semconv.SERVICE_NAME: service or None,
            semconv.DEPLOYMENT_ENVIRONMENT_NAME: environment or None,
        }
        yield named, group


def _event(one: Unemitted) -> LogRecord:
    return LogRecord(
        event_name=semconv.EVENT_EVALUATION,
        time_unix_nano=one.created_ns,
        observed_time_unix_nano=one.created_ns,
        trace_id=bytes.fromhex(one.trace_id),
        span_id=bytes.fromhex(one.span_id),
        flags=_RECORDED if one.trace_sampled else 0,
        attributes=_attributes(_said(one)),
    )


def _span(one: Unemitted) -> Span:
    duration_ns = int((one.duration_s or 0) * 10**9)
    span = Span(
        name=semconv.SPAN_EVALUATE.format(evaluation=one.metric, label=one.label),
        kind=Span.SPAN_KIND_INTERNAL,
        trace_id=identity_of(one, size=16),
        span_id=identity_of(one, size=8),
        flags=_RECORDED,
        start_time_unix_nano=one.created_ns - duration_ns,
        end_time_unix_nano=one.created_ns,
        attributes=_attributes(
            {
                **_said(one),
                semconv.OPENINFERENCE_SPAN_KIND: _EVALUATOR,
                semconv.SQLOBS_EVALUATED_TRACE_ID: one.trace_id,
            }
        ),
    )
    span.links.add(
        trace_id=bytes.fromhex(one.trace_id), span_id=bytes.fromhex(one.span_id), flags=_RECORDED
    )
    if one.reason == "error":
        span.status.code = Status.STATUS_CODE_ERROR
    return span


def _said(one: Unemitted) -> dict[str, object]:
    """Return the attributes common to event and span."""
    is_human = one.kind == "human"
    return {
        semconv.SQLOBS_GENERATION_ID: (
            f"00-{one.trace_id}-{one.span_id}-{_RECORDED if one.trace_sampled else 0:02x}"
        ),
        semconv.SQLOBS_WORKFLOW: one.workflow or None,
        semconv.SQLOBS_EVALUATOR_NAME: _PERSON if is_human else COLLECTOR_SCOPE,
        semconv.SQLOBS_EVALUATOR_VERSION: one.version,
        semconv.SQLOBS_EVALUATOR_KIND: one.kind,
        semconv.SQLOBS_SAMPLING_PROBABILITY: one.probability,
        semconv.SQLOBS_REASON: one.reason,
        **_times(one),
        semconv.ERROR_TYPE: one.reason if one.reason == "error" else None,
        semconv.GEN_AI_EVALUATION_EXPLANATION: one.explanation,
        semconv.GEN_AI_EVALUATION_SCORE_VALUE: one.value,
        semconv.GEN_AI_EVALUATION_SCORE_LABEL: one.label,
        semconv.GEN_AI_EVALUATION_NAME: one.metric,
    }


def _times(one: Unemitted) -> dict[str, object]:
    """Return the run time of the SQL, and the wait for a worker, apart from each other."""
    if one.metric != EXECUTION:
        return {}
    detail = json.loads(one.detail) if one.detail else {}
    return {
        semconv.SQLOBS_EXECUTION_DURATION: one.duration_s,
        semconv.SQLOBS_EXECUTION_WAIT: detail.get(WAIT),
    }


def _attributes(named: Mapping[str, object]) -> list[KeyValue]:
    """Return the known values as OTLP attributes."""
    return [
        KeyValue(key=name, value=_value(value))
        for name, value in named.items()
        if value is not None
    ]


def _value(value: object) -> AnyValue:
    if isinstance(value, float):
        return AnyValue(double_value=value)
    return AnyValue(string_value=str(value))


def identity_of(one: Unemitted, *, size: int) -> bytes:
    """Return an ID that is stable for the same evaluation."""
    identity = f"{one.workspace}/{one.trace_id}/{one.span_id}/{one.metric}/{one.version}"
    return hashlib.blake2b(identity.encode(), digest_size=size).digest()
