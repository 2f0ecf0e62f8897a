"""Journal entries to the records inside: attributes and bodies as Python values."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from sqlobs import semconv
from sqlobs_collector.otlp.inflate import inflate
from sqlobs_collector.otlp.signals import LOGS, TRACES
from sqlobs_collector.otlp.triage import one_by_one, service_of
from sqlobs_collector.store.payload import pack, values_of
from sqlobs_collector.subjects import About, pseudonym

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from opentelemetry.proto.common.v1.common_pb2 import KeyValue
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from sqlobs_collector.journal.entry import Entry, EntryKind, Recorded
    from sqlobs_collector.otlp.signals import Signal
    from sqlobs_collector.otlp.triage import Service
    from sqlobs_collector.store.payload import Value
    from sqlobs_collector.subjects import SubjectDigests

UNIT_TEXTS: Final = frozenset(
    {
        semconv.SQLOBS_QUERY_TEXT,
        semconv.SQLOBS_QUESTION_TEXT,
        semconv.SQLOBS_REFERENCE_QUERY_TEXT,
        semconv.SQLOBS_HINT_TEXT,
    }
)
"""What a unit says in its body, and a span, if at all, in its attributes."""

SEARCHED: Final = frozenset({semconv.SQLOBS_QUERY_TEXT, semconv.SQLOBS_QUESTION_TEXT})
"""The texts that requests are searched by."""

PROMOTED: Final = frozenset(
    {
        semconv.GEN_AI_CONVERSATION_ID,
        semconv.GEN_AI_EVALUATION_NAME,
        semconv.GEN_AI_PROMPT_VERSION,
        semconv.GEN_AI_REQUEST_MODEL,
        semconv.SQLOBS_WORKFLOW,
        semconv.SQLOBS_DIALECT,
        semconv.SQLOBS_FAILURE_CODE,
        semconv.SQLOBS_FAILURE_CODES,
        semconv.SQLOBS_FEEDBACK_KIND,
        semconv.SQLOBS_FEEDBACK_VALUE,
        semconv.SQLOBS_FIRST_ATTEMPT_HALLUCINATED,
        semconv.SQLOBS_FIRST_ATTEMPT_VERDICT,
        semconv.SQLOBS_HALLUCINATED_COLUMNS,
        semconv.SQLOBS_HALLUCINATED_TABLES,
        semconv.SQLOBS_OUTCOME,
        semconv.SQLOBS_GENERATION_DURATION,
        semconv.SQLOBS_USAGE_COST,
        semconv.SQLOBS_QUERY_CAPTURE,
        semconv.SQLOBS_QUERY_FINGERPRINT,
        semconv.SQLOBS_QUESTION_DIGEST,
        semconv.SQLOBS_SAMPLING_PROBABILITY,
        semconv.SQLOBS_SCHEMA_VERSION,
        semconv.SQLOBS_SCHEMATIC,
        semconv.SQLOBS_SUGGESTIONS,
        semconv.SQLOBS_SYNTACTIC,
        semconv.SQLOBS_TARGET_NAME,
        semconv.SQLOBS_TENANT,
        semconv.SQLOBS_TRACE_SAMPLED,
        semconv.SQLOBS_VERDICT,
        semconv.USER_ID,
    }
)
"""The attributes that columns and decisions are made from; walking all would cost twice as much."""

CLOCK_SKEW_NS: Final = 300 * 10**9
"""How far an application's clock may be ahead of the collector's."""

_SIGNALS: Final[dict[EntryKind, Signal]] = {"logs": LOGS, "traces": TRACES}


@dataclass(frozen=True, slots=True)
class Record:
    """One log record or span that is ours."""

    workspace: str
    trace_id: str
    """32 hex digits."""
    span_id: str
    """16 hex digits."""
    event: str
    """The event's name; empty for a span."""
    service: Service
    service_version: str | None
    """The release of the service, if its resource names one."""
    occurred_ns: int
    """When the request ended; when it was received, if its clock is further ahead than
    `CLOCK_SKEW_NS`: a time in the future would count in every window forever."""
    received_ns: int
    attributes: dict[str, Value]
    """Those of `PROMOTED`."""
    payload: bytes
    """All that it said, as the store keeps it: with a pseudonym in place of the user's id."""
    texts: dict[str, Value] = field(default_factory=dict)
    """Those of `SEARCHED`."""
    tracestate: str = ""
    digest: str = ""
    """A hash of the record and its workspace, but for units: a repeated one has the same."""
    user_digest: str | None = None
    conversation_digest: str | None = None

    @property
    def about(self) -> About:
        """Whom it is about."""
        return About(
            self.workspace,
            self.trace_id,
            self.span_id,
            user=_text(self.attributes, semconv.USER_ID),
            conversation=_text(self.attributes, semconv.GEN_AI_CONVERSATION_ID),
            tenant=_text(self.attributes, semconv.SQLOBS_TENANT),
            at_ns=min(self.occurred_ns, self.received_ns),
        )


class _Maker(NamedTuple):
    """What a resource says of the application behind its records."""

    service: Service
    version: str | None

    @classmethod
    def of(cls, attributes: Sequence[KeyValue]) -> _Maker:
        """Read a resource's attributes."""
        named = {one.key: one.value.string_value for one in attributes}
        return cls(service_of(attributes), named.get(semconv.SERVICE_VERSION) or None)


def records(recorded: Recorded, digests: SubjectDigests) -> Iterator[Record]:
    """Yield the records of a journal entry of logs or traces, in order."""
    entry = recorded.entry
    if entry.kind == "logs":
        found = _log_records(recorded, content(entry), digests)
    elif entry.kind == "traces":
        found = _spans(recorded, content(entry), digests)
    else:
        return
    yield from found


def signal_of(entry: Entry) -> Signal | None:
    """Return the signal of an entry; None: it is no OTLP request."""
    return _SIGNALS.get(entry.kind)


def apart(recorded: Recorded) -> Iterator[Recorded]:
    """Yield an entry of logs or traces as entries of one record each, any other as it is.

    Raises:
        DecodeError: The body is no OTLP request.
        PermanentError: The body cannot be decompressed.
    """
    signal = signal_of(recorded.entry)
    if signal is None:
        yield recorded
        return
    request = signal.request.FromString(content(recorded.entry))
    for body in one_by_one(signal, request):
        entry = replace(recorded.entry, encoding="identity", record_count=1, body=body)
        yield replace(recorded, entry=entry)


def content(entry: Entry) -> bytes:
    """Return the body, decompressed; its size was checked when it came."""
    if entry.encoding == "identity":
        return entry.body
    return inflate(entry.body, limit=sys.maxsize - 1)


def _log_records(recorded: Recorded, body: bytes, digests: SubjectDigests) -> Iterator[Record]:
    for resource in ExportLogsServiceRequest.FromString(body).resource_logs:
        made_by = _Maker.of(resource.resource.attributes)
        for scope in resource.scope_logs:
            for record in scope.log_records:
                yield _log_record(record, recorded, made_by, digests)


def _log_record(
    record: LogRecord, recorded: Recorded, made_by: _Maker, digests: SubjectDigests
) -> Record:
    workspace, event = recorded.entry.workspace, record.event_name
    serialised = record.SerializeToString()
    attributes = values_of(record.attributes, named=PROMOTED)
    subjects = _subject_digests(workspace, attributes, digests)
    return Record(
        workspace=workspace,
        trace_id=record.trace_id.hex(),
        span_id=record.span_id.hex(),
        event=event,
        service=made_by.service,
        service_version=made_by.version,
        occurred_ns=_when(
            record.time_unix_nano or record.observed_time_unix_nano, recorded.received_ns
        ),
        received_ns=recorded.received_ns,
        attributes=attributes,
        payload=pack(_pseudonymous(record, serialised, subjects[0])),
        texts=values_of(record.body.kvlist_value.values, named=SEARCHED),
        digest="" if event == semconv.EVENT_UNIT else _digest(workspace, serialised),
        user_digest=subjects[0],
        conversation_digest=subjects[1],
    )


def _spans(recorded: Recorded, body: bytes, digests: SubjectDigests) -> Iterator[Record]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        made_by = _Maker.of(resource.resource.attributes)
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield _span(span, recorded, made_by, digests)


def _span(span: Span, recorded: Recorded, made_by: _Maker, digests: SubjectDigests) -> Record:
    workspace, attributes = recorded.entry.workspace, values_of(span.attributes, named=PROMOTED)
    subjects = _subject_digests(workspace, attributes, digests)
    texts = [pair for pair in span.attributes if pair.key in UNIT_TEXTS]
    unit = LogRecord(attributes=span.attributes)
    unit.body.kvlist_value.values.extend(texts)
    return Record(
        workspace=workspace,
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        event="",
        service=made_by.service,
        service_version=made_by.version,
        occurred_ns=_when(span.end_time_unix_nano, recorded.received_ns),
        received_ns=recorded.received_ns,
        attributes=attributes,
        payload=pack(_pseudonymous(unit, unit.SerializeToString(), subjects[0])),
        texts=values_of(texts, named=SEARCHED),
        tracestate=span.trace_state,
        user_digest=subjects[0],
        conversation_digest=subjects[1],
    )


def _subject_digests(
    workspace: str, attributes: dict[str, Value], digests: SubjectDigests
) -> tuple[str | None, str | None]:
    """Return the digests of user and conversation, those that are known."""
    user = _text(attributes, semconv.USER_ID)
    conversation = _text(attributes, semconv.GEN_AI_CONVERSATION_ID)
    return (
        None if user is None else digests.of("user", workspace, user),
        None if conversation is None else digests.of("conversation", workspace, conversation),
    )


def _pseudonymous(record: LogRecord, serialised: bytes, user_digest: str | None) -> bytes:
    """Return a serialized record with a pseudonym in place of the user's id."""
    if user_digest is None:
        return serialised
    for one in record.attributes:
        if one.key == semconv.USER_ID:
            one.value.string_value = pseudonym(user_digest)
    return record.SerializeToString()


def _text(attributes: dict[str, Value], name: str) -> str | None:
    value = attributes.get(name)
    return value if isinstance(value, str) else None


def _when(told_ns: int, received_ns: int) -> int:
    return told_ns if 0 < told_ns <= received_ns + CLOCK_SKEW_NS else received_ns


def _digest(workspace: str, serialised: bytes) -> str:
    return hashlib.blake2b(workspace.encode() + b"\0" + serialised, digest_size=16).hexdigest()
