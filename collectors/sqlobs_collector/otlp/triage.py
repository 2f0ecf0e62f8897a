"""Sorts the records of a request: kept by the collector, relayed to the backend, invalid."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from sqlobs import semconv
from sqlobs_collector.otlp.signals import LOGS, METRICS, TRACES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from google.protobuf.message import Message
    from opentelemetry.proto.common.v1.common_pb2 import KeyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from sqlobs_collector.otlp.signals import Signal, SignalName

Kind = Literal["unit", "execution", "evaluation", "generation_span", "foreign", "loop"]
"""What a record is to the collector; `loop` is what a collector emitted itself."""

Service = tuple[str, str]
"""The service that made a record: its name and deployment environment, empty if not told."""

SDK_SCOPE: Final = semconv.SCOPE
COLLECTOR_SCOPE: Final = "sqlobs.collector"

_EVENTS: Final[dict[str, Kind]] = {
    semconv.EVENT_UNIT: "unit",
    semconv.EVENT_EXECUTION: "execution",
    semconv.EVENT_EVALUATION: "evaluation",
}
_WORKFLOW: Final = b"invoke_workflow"
_TRACE_ID_BYTES: Final = 16
_SPAN_ID_BYTES: Final = 8
MOST_BUCKETS: Final = 200
"""Those of the contract have 14; views of the SDK may change them."""
_NO_TRACE: Final = bytes(_TRACE_ID_BYTES)
_NO_SPAN: Final = bytes(_SPAN_ID_BYTES)

JOURNALED: Final[frozenset[Kind]] = frozenset(
    {"unit", "execution", "evaluation", "generation_span"}
)
"""Kinds that are stored; the durability guarantee covers these."""

FORWARDED: Final[frozenset[Kind]] = frozenset({"foreign", "generation_span"})
"""Kinds that are relayed to the backend; units never leave the collector."""


@dataclass(frozen=True, slots=True)
class Triage:
    """The result of triage for one request."""

    accepted: Counter[tuple[Service, Kind]]
    """The number of accepted records by service and kind."""
    journaled_count: int
    """How many of them are kept."""
    journaled: bytes | None
    """The request with only what is kept, serialized; `None` when nothing is."""
    forwarded: bytes | None
    """The request with only what the backend gets; `None` when nothing is."""
    rejected: int
    """How many records were bad."""
    message: str
    """What was wrong with the last bad one."""
    over_quota: int = 0
    """How many of the rejected ones are units beyond a quota."""

    @property
    def units(self) -> int:
        """The number of accepted units."""
        return sum(count for (_, kind), count in self.accepted.items() if kind == "unit")


@dataclass(slots=True)
class _Marks:
    kinds: list[Kind | None] = field(default_factory=list)
    """One mark per record in the order of the request; `None`: rejected."""
    accepted: Counter[tuple[Service, Kind]] = field(default_factory=Counter)
    message: str = ""
    over_quota: int = 0


def triage(
    signal: Signal, request: Message, *, content: bytes, max_record_bytes: int, quota: str = ""
) -> Triage:
    """Take a request apart.

    Args:
        signal: What the request carries.
        request: The request, decoded.
        content: Its serialized form, used as it is when nothing has to be taken out.
        max_record_bytes: The size beyond which a record is rejected.
        quota: Why units are rejected, and spans only relayed; empty: they are not.
    """
    marks = _mark(signal, request, content=content, max_record_bytes=max_record_bytes, quota=quota)
    journaled = [kind in JOURNALED for kind in marks.kinds]
    forwarded = [kind in FORWARDED for kind in marks.kinds]
    return Triage(
        accepted=marks.accepted,
        journaled_count=sum(journaled),
        journaled=keep(signal, request, content, journaled),
        forwarded=keep(signal, request, content, forwarded),
        rejected=marks.kinds.count(None),
        message=marks.message,
        over_quota=marks.over_quota,
    )


def _mark(
    signal: Signal, request: Message, *, content: bytes, max_record_bytes: int, quota: str
) -> _Marks:
    marks = _Marks()
    classify = _CLASSIFY[signal.name]
    check_size = len(content) > max_record_bytes
    has_workflow = _WORKFLOW in content
    for resource in getattr(request, signal.resources):
        service = service_of(resource.resource.attributes)
        for scope in getattr(resource, signal.scopes):
            name = scope.scope.name
            for record in getattr(scope, signal.records):
                kind = classify(name, record, has_workflow)
                flaw = _oversize(record, max_record_bytes) if check_size else None
                flaw = flaw or _flaw(signal, name, record, kind)
                if quota and kind == "unit" and flaw is None:
                    flaw, marks.over_quota = quota, marks.over_quota + 1
                if quota and kind == "generation_span":
                    kind = "foreign"
                marks.kinds.append(None if flaw else kind)
                marks.message = flaw or marks.message
                if flaw is None:
                    marks.accepted[service, kind] += 1
    return marks


def one_by_one(signal: Signal, request: Message) -> Iterator[bytes]:
    """Yield each record of a request as a serialized request of its own."""
    for resource in getattr(request, signal.resources):
        for scope in getattr(resource, signal.scopes):
            for record in getattr(scope, signal.records):
                alone = signal.request()
                of_resource = getattr(alone, signal.resources).add(resource=resource.resource)
                of_scope = getattr(of_resource, signal.scopes).add(scope=scope.scope)
                getattr(of_scope, signal.records).append(record)
                yield alone.SerializeToString()


def service_of(attributes: Iterable[KeyValue]) -> Service:
    """Return the service that a resource's attributes name."""
    named = {attribute.key: attribute.value.string_value for attribute in attributes}
    environment = named.get(semconv.DEPLOYMENT_ENVIRONMENT_NAME)
    return named.get(semconv.SERVICE_NAME, ""), environment or ""


def _log_kind(scope: str, record: LogRecord, _: bool) -> Kind:  # noqa: FBT001 - one form for all
    if scope == COLLECTOR_SCOPE:
        return "loop"
    kind = _EVENTS.get(record.event_name, "foreign")
    return "foreign" if kind == "evaluation" and scope != SDK_SCOPE else kind


def _span_kind(scope: str, span: Span, has_workflow: bool) -> Kind:  # noqa: FBT001 - one form
    if scope == COLLECTOR_SCOPE:
        return "loop"
    return "generation_span" if has_workflow and _is_generation(span.attributes) else "foreign"


def _metric_kind(scope: str, _: Message, __: bool) -> Kind:  # noqa: FBT001 - one form for all
    return "loop" if scope == COLLECTOR_SCOPE else "foreign"


_CLASSIFY: Final[dict[SignalName, Callable[..., Kind]]] = {
    LOGS.name: _log_kind,
    TRACES.name: _span_kind,
    METRICS.name: _metric_kind,
}


def _is_generation(attributes: Iterable[KeyValue]) -> bool:
    """Return whether a span is a text-to-SQL request: a GenAI workflow with sqlobs attributes."""
    keys = {attribute.key: attribute for attribute in attributes}
    operation = keys.get(semconv.GEN_AI_OPERATION_NAME)
    return (
        operation is not None
        and operation.value.string_value == "invoke_workflow"
        and any(key.startswith("sqlobs.") for key in keys)
    )


def _oversize(record: Message, limit: int) -> str | None:
    size = record.ByteSize()
    return f"a record of {size} bytes is larger than {limit}" if size > limit else None


def _flaw(signal: Signal, scope: str, record: Message, kind: Kind) -> str | None:
    """Return what is wrong with a record; None if nothing is."""
    if signal is METRICS:
        return _too_fine(record) if scope == SDK_SCOPE else None
    return _bad_ids(signal, record, kind)


def _too_fine(metric: Message) -> str | None:
    """Reject a histogram with so many buckets that every scrape would become large."""
    points = getattr(metric, "histogram").data_points  # noqa: B009 - `Message` has no such field to type
    widest = max((len(point.explicit_bounds) for point in points), default=0)
    if widest <= MOST_BUCKETS:
        return None
    return f"a histogram has {widest} buckets: at most {MOST_BUCKETS} are allowed"


def _bad_ids(signal: Signal, record: Message, kind: Kind) -> str | None:
    trace_id: bytes = getattr(record, "trace_id")  # noqa: B009 - `Message` has no such field to type
    span_id: bytes = getattr(record, "span_id")  # noqa: B009 - as above
    if signal is LOGS and kind not in JOURNALED and not trace_id and not span_id:
        return None
    if len(trace_id) != _TRACE_ID_BYTES or trace_id == _NO_TRACE:
        return "a trace id must have 16 bytes that are not all zero"
    if signal is LOGS and kind not in JOURNALED and not span_id:
        return None
    if len(span_id) != _SPAN_ID_BYTES or span_id == _NO_SPAN:
        return "a span id must have 8 bytes that are not all zero"
    return None


def keep(signal: Signal, request: Message, content: bytes, wanted: list[bool]) -> bytes | None:
    """Return a request with some of its records, serialized; None: with none of them.

    Args:
        signal: What the request carries.
        request: The request, decoded.
        content: Its serialized form.
        wanted: Whether to keep each record, in their order.
    """
    if all(wanted):
        return content if wanted else None
    if not any(wanted):
        return None
    subset = signal.request()
    subset.CopyFrom(request)
    marks = iter(wanted)
    for resource in getattr(subset, signal.resources):
        for scope in getattr(resource, signal.scopes):
            records = getattr(scope, signal.records)
            kept = list(islice(marks, len(records)))
            for index in reversed(range(len(kept))):
                if not kept[index]:
                    del records[index]
    return subset.SerializeToString()
