"""The one way in, behind both transports: authenticate, inflate, decode, journal, acknowledge."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)

from sqlobs.errors import SchemaError
from sqlobs.schema.document import read_json
from sqlobs_collector.errors import IntakeError, PermanentError
from sqlobs_collector.journal.entry import Entry
from sqlobs_collector.origin import Origin
from sqlobs_collector.otlp import jsonform
from sqlobs_collector.otlp.inflate import inflate
from sqlobs_collector.otlp.signals import LOGS, TRACES
from sqlobs_collector.otlp.triage import triage

if TYPE_CHECKING:
    from sqlobs_collector.flow import Flow
    from sqlobs_collector.journal.entry import Encoding
    from sqlobs_collector.otlp.answers import Form
    from sqlobs_collector.otlp.signals import Signal
    from sqlobs_collector.otlp.triage import Triage
    from sqlobs_collector.receiver.credentials import Credentials

_OFF_LOOP_BYTES: Final = 1024**2
"""A request this large is decoded on a thread, so that the others do not wait for it."""
_LIKELY_RATIO: Final = 8


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """How large things may be, in bytes."""

    max_body_bytes: int
    max_record_bytes: int


@dataclass(frozen=True, slots=True)
class Upload:
    """A request as it came over the wire."""

    body: bytes
    encoding: Encoding
    form: Form
    authorization: str | None


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What became of an accepted request."""

    rejected: int = 0
    """Records refused out of it."""
    message: str = ""


class Appendable(Protocol):
    """Where entries become durable."""

    async def append(self, entry: Entry) -> None:
        """Store an entry; return when it is durable."""


class Consumer(Protocol):
    """Who takes what goes on to the backend."""

    def consume(self, signal: str, body: bytes) -> None:
        """Take a serialised request without waiting."""


class MetricsConsumer(Protocol):
    """Who shows the metrics that applications send."""

    def consume(self, request: ExportMetricsServiceRequest, *, workspace: str) -> None:
        """Take over what a request says."""


@dataclass(frozen=True, slots=True)
class _Decoded:
    content: bytes
    request: Message
    triage: Triage


class Intake:
    """Accepts requests; when `export` returns, what is ours is durable."""

    def __init__(
        self,
        *,
        credentials: Credentials,
        limits: IntakeLimits,
        journal: Appendable,
        relay: Consumer | None,
        metrics: MetricsConsumer,
        flow: Flow,
    ) -> None:
        self._credentials = credentials
        self._limits = limits
        self._journal = journal
        self._relay = relay
        self._metrics = metrics
        self._flow = flow

    def authenticate(self, authorization: str | None) -> None:
        """Look at the credential before the body.

        Raises:
            UnauthenticatedError: It is missing or unknown.
            ForbiddenError: It may not ingest.
        """
        self._credentials.ingesting(authorization)

    def refused(self, signal: str, error: IntakeError) -> None:
        """Count a request that was refused."""
        self._flow.rejected(signal=signal, reason=error.reason)

    async def export(self, signal: Signal, upload: Upload) -> Acceptance:
        """Accept one OTLP request.

        Raises:
            PermanentError: The request is wrong; the client must not send it again.
            RetryableError: It cannot be stored now.
        """
        try:
            return await self._export(signal, upload)
        except IntakeError as error:
            self.refused(signal.name, error)
            raise

    async def schema(self, version: str, upload: Upload) -> None:
        """Accept a schema document under its version.

        Raises:
            PermanentError: The document is no schema, or not the one of that version.
            RetryableError: It cannot be stored now.
        """
        try:
            await self._schema(version, upload)
        except IntakeError as error:
            self.refused("schema", error)
            raise

    async def _export(self, signal: Signal, upload: Upload) -> Acceptance:
        workspace = self._credentials.ingesting(upload.authorization)
        weight = len(upload.body) * (_LIKELY_RATIO if upload.encoding == "gzip" else 1)
        if weight > _OFF_LOOP_BYTES:
            decoded = await asyncio.to_thread(self._decode, signal, upload)
        else:
            decoded = self._decode(signal, upload)
        await self._keep(signal, upload, decoded, workspace)
        if decoded.triage.forwarded is not None and self._relay is not None:
            self._relay.consume(signal.name, decoded.triage.forwarded)
        if isinstance(decoded.request, ExportMetricsServiceRequest):
            self._metrics.consume(decoded.request, workspace=workspace)
        self._count(signal, decoded, workspace)
        return Acceptance(decoded.triage.rejected, decoded.triage.message)

    def _decode(self, signal: Signal, upload: Upload) -> _Decoded:
        content = self._content(upload)
        if upload.form == "json":
            request = jsonform.parse(content or b"{}", into=signal.request)
            content = request.SerializeToString()
        else:
            request = _parse(signal, content)
        found = triage(
            signal, request, content=content, max_record_bytes=self._limits.max_record_bytes
        )
        return _Decoded(content, request, found)

    def _content(self, upload: Upload) -> bytes:
        if upload.encoding == "gzip":
            return inflate(upload.body, limit=self._limits.max_body_bytes)
        return upload.body

    async def _keep(
        self, signal: Signal, upload: Upload, decoded: _Decoded, workspace: str
    ) -> None:
        kept = decoded.triage.journaled
        if kept is None or signal not in {LOGS, TRACES}:
            return
        is_untouched = kept is decoded.content and upload.form == "protobuf"
        await self._journal.append(
            Entry(
                workspace=workspace,
                kind="logs" if signal is LOGS else "traces",
                subject="",
                encoding=upload.encoding if is_untouched else "identity",
                record_count=decoded.triage.journaled_count,
                body=upload.body if is_untouched else kept,
            )
        )

    async def _schema(self, version: str, upload: Upload) -> None:
        workspace = self._credentials.ingesting(upload.authorization)
        await asyncio.to_thread(_check_version, version, self._content(upload))
        await self._journal.append(
            Entry(workspace, "schema", version, upload.encoding, 1, upload.body)
        )

    def _count(self, signal: Signal, decoded: _Decoded, workspace: str) -> None:
        for (service, kind), count in decoded.triage.accepted.items():
            origin = Origin(workspace, *service)
            self._flow.received(signal=signal.name, kind=kind, origin=origin, count=count)
        if decoded.triage.rejected:
            self._flow.rejected(
                signal=signal.name, reason="bad_record", count=decoded.triage.rejected
            )


def _check_version(version: str, document: bytes) -> None:
    """Refuse a document that is not what its address says: versions are hashes of the content."""
    try:
        found = read_json(document).version
    except SchemaError as error:
        raise PermanentError(str(error)) from error
    if found != version:
        raise PermanentError(f"the schema's version is {found}, not {version[:80]}")


def _parse(signal: Signal, content: bytes) -> Message:
    request = signal.request()
    try:
        request.ParseFromString(content)
    except DecodeError as error:
        raise PermanentError(f"the body is not a protobuf {request.DESCRIPTOR.name}") from error
    return request
