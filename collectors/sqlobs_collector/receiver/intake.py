"""The intake behind both transports: authenticate, inflate, decode, journal, acknowledge."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)

from sqlobs.errors import SchemaError
from sqlobs.schema.model import Schema
from sqlobs_collector.errors import IntakeError, PermanentError, RetryableError, TooLargeError
from sqlobs_collector.journal.entry import Entry
from sqlobs_collector.origin import Origin
from sqlobs_collector.otlp import elements, jsonform
from sqlobs_collector.otlp.inflate import inflate
from sqlobs_collector.otlp.signals import LOGS, TRACES
from sqlobs_collector.otlp.triage import triage

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs_collector.journal.entry import Encoding
    from sqlobs_collector.masking import Masker
    from sqlobs_collector.otlp.answers import Form
    from sqlobs_collector.otlp.signals import Signal
    from sqlobs_collector.otlp.triage import Triage
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.receiver.credentials import Credentials
    from sqlobs_collector.receiver.gate import Passage

Result = TypeVar("Result")

_SMALL_BYTES: Final = 64 * 1024
"""A request up to this size, decompressed, is decoded at once. Larger ones are decoded on a thread,
one after the other: they neither delay small ones nor fill the memory together."""


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """Size limits in bytes."""

    max_body_bytes: int
    max_record_bytes: int
    max_elements: int
    """How many messages, or objects and arrays of JSON, a request may be made of."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A request as it came over the wire."""

    body: bytes
    encoding: Encoding
    form: Form
    authorization: str | None


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The result of an accepted request."""

    rejected: int = 0
    """Number of rejected records in it."""
    message: str = ""


class Appendable(Protocol):
    """Protocol: makes entries durable."""

    async def append(self, entry: Entry) -> None:
        """Store an entry; return when it is durable."""


class Consumer(Protocol):
    """Protocol: receives records for the backend."""

    def consume(self, signal: str, body: bytes) -> None:
        """Take a serialized request without waiting."""


class Admission(Protocol):
    """Protocol: knows the quotas of workspaces."""

    def admit(self, workspace: str, count: int) -> bool:
        """Count new requests; return False if the quota is spent."""
        ...

    def is_spent(self, workspace: str) -> bool:
        """Return whether the quota is spent."""
        ...


class MetricsConsumer(Protocol):
    """Protocol: receives metrics sent by applications."""

    def consume(self, request: ExportMetricsServiceRequest, *, workspace: str) -> None:
        """Take over what a request says."""


@dataclass(frozen=True, slots=True)
class _Decoded:
    triage: Triage
    is_untouched: bool
    """All of it is kept, and in protobuf: the body can be, as it came."""
    metrics: ExportMetricsServiceRequest | None


class Intake:
    """Accepts requests; when `export` returns, what is ours is durable."""

    def __init__(
        self,
        *,
        credentials: Credentials,
        limits: IntakeLimits,
        masker: Masker,
        journal: Appendable,
        relay: Consumer | None,
        metrics: MetricsConsumer,
        flow: PipelineMetrics,
        quotas: Admission,
    ) -> None:
        self._quotas = quotas
        self._credentials = credentials
        self._limits = limits
        self._masker = masker
        self._journal = journal
        self._relay = relay
        self._metrics = metrics
        self._flow = flow
        self._large = ThreadPoolExecutor(1, "sqlobs-decode")

    def close(self) -> None:
        """Give up the thread that decodes; requests that come later are rejected."""
        self._large.shutdown(wait=False)

    def authenticate(self, authorization: str | None) -> None:
        """Check the credential before the body.

        Raises:
            UnauthenticatedError: It is missing or unknown.
            ForbiddenError: It may not ingest.
        """
        self._credentials.ingesting(authorization)

    def refused(self, signal: str, error: IntakeError) -> None:
        """Count a rejected request."""
        self._flow.rejected(signal=signal, reason=error.reason)

    async def export(self, signal: Signal, upload: Upload, passage: Passage) -> Acceptance:
        """Accept one OTLP request.

        Args:
            signal: What it carries.
            upload: The request.
            passage: What its bytes were counted by; what it becomes is counted on top.

        Raises:
            PermanentError: The request is invalid; the client must not retry.
            RetryableError: It cannot be stored now.
        """
        try:
            return await self._export(signal, upload, passage)
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

    async def _export(self, signal: Signal, upload: Upload, passage: Passage) -> Acceptance:
        workspace = self._credentials.ingesting(upload.authorization)
        spent = f"quota: the workspace {workspace} has spent its requests of this hour"
        # A span stands for its unit, which may have been rejected.
        is_spent = signal is TRACES and self._quotas.is_spent(workspace)
        decoded = await self._decoded(signal, upload, workspace, quota=spent if is_spent else "")
        if not self._quotas.admit(workspace, decoded.triage.units):
            decoded = await self._decoded(signal, upload, workspace, quota=spent)
        found = decoded.triage
        if decoded.metrics is not None:
            await self._show(decoded.metrics, workspace)
        passage.take(sum(len(part) for part in (found.journaled, found.forwarded) if part))
        await self._keep(signal, upload, decoded, workspace)
        if found.forwarded is not None and self._relay is not None:
            self._relay.consume(signal.name, found.forwarded)
        self._count(signal, found, workspace)
        return Acceptance(found.rejected, found.message)

    async def _show(self, request: ExportMetricsServiceRequest, workspace: str) -> None:
        if request.ByteSize() <= _SMALL_BYTES:
            self._metrics.consume(request, workspace=workspace)
        else:
            await self._off_loop(lambda: self._metrics.consume(request, workspace=workspace))

    async def _decoded(
        self, signal: Signal, upload: Upload, workspace: str, *, quota: str = ""
    ) -> _Decoded:
        def decode(content: bytes) -> _Decoded:
            decoded = self._decode(signal, upload, content, quota=quota)
            return self._masked(signal, decoded, workspace)

        small = self._content_if_small(upload)
        if small is not None:
            return decode(small)
        return await self._off_loop(lambda: decode(self._content(upload)))

    def _masked(self, signal: Signal, decoded: _Decoded, workspace: str) -> _Decoded:
        """Return a request whose kept records are masked; what is relayed stays as it is."""
        kept = decoded.triage.journaled
        if kept is None or not self._masker.is_active:
            return decoded
        request = signal.request.FromString(kept)
        self._masker.request(request, workspace)
        found = replace(decoded.triage, journaled=request.SerializeToString())
        return replace(decoded, triage=found, is_untouched=False)

    async def _off_loop(self, work: Callable[[], Result]) -> Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._large, work)
        except RuntimeError as error:  # the executor is shut down
            raise RetryableError("the collector is stopping", reason="stopping") from error

    def _decode(self, signal: Signal, upload: Upload, content: bytes, *, quota: str) -> _Decoded:
        limits = self._limits
        if upload.form == "json":
            elements.limit_json(content, limit=limits.max_elements)
            request = jsonform.parse(content or b"{}", into=signal.request)
            content = request.SerializeToString()
        else:
            request = _parse(signal, content, max_elements=limits.max_elements)
        found = triage(
            signal,
            request,
            content=content,
            max_record_bytes=limits.max_record_bytes,
            quota=quota,
        )
        return _Decoded(
            triage=found,
            is_untouched=found.journaled is content and upload.form == "protobuf",
            metrics=request if isinstance(request, ExportMetricsServiceRequest) else None,
        )

    def _content_if_small(self, upload: Upload) -> bytes | None:
        """Return what is decoded at once; None if it is large."""
        if len(upload.body) > _SMALL_BYTES:
            return None
        try:
            return self._content(upload, limit=_SMALL_BYTES)
        except TooLargeError:
            return None

    def _content(self, upload: Upload, *, limit: int | None = None) -> bytes:
        """Return a body, decompressed.

        Raises:
            TooLargeError: It would have more bytes than the limit, by default that of all bodies.
        """
        if upload.encoding == "gzip":
            return inflate(upload.body, limit=limit or self._limits.max_body_bytes)
        return upload.body

    async def _keep(
        self, signal: Signal, upload: Upload, decoded: _Decoded, workspace: str
    ) -> None:
        kept = decoded.triage.journaled
        if kept is None or signal not in {LOGS, TRACES}:
            return
        await self._journal.append(
            Entry(
                workspace=workspace,
                kind="logs" if signal is LOGS else "traces",
                subject="",
                encoding=upload.encoding if decoded.is_untouched else "identity",
                record_count=decoded.triage.journaled_count,
                body=upload.body if decoded.is_untouched else kept,
            )
        )

    async def _schema(self, version: str, upload: Upload) -> None:
        workspace = self._credentials.ingesting(upload.authorization)
        await self._off_loop(lambda: self._check_schema(version, upload))
        await self._journal.append(
            Entry(workspace, "schema", version, upload.encoding, 1, upload.body)
        )

    def _check_schema(self, version: str, upload: Upload) -> None:
        document = self._content(upload)
        elements.limit_json(document, limit=self._limits.max_elements)
        _check_version(version, document)

    def _count(self, signal: Signal, found: Triage, workspace: str) -> None:
        for (service, kind), count in found.accepted.items():
            origin = Origin(workspace, *service)
            self._flow.received(signal=signal.name, kind=kind, origin=origin, count=count)
        for reason, count in (
            ("quota", found.over_quota),
            ("bad_record", found.rejected - found.over_quota),
        ):
            if count:
                self._flow.rejected(signal=signal.name, reason=reason, count=count)


def _check_version(version: str, document: bytes) -> None:
    """Reject a document that does not match its version: versions are content hashes."""
    try:
        found = Schema.from_json(document).version
    except SchemaError as error:
        raise PermanentError(str(error)) from error
    if found != version:
        raise PermanentError(f"the schema's version is {found}, not {version[:80]}")


def _parse(signal: Signal, content: bytes, *, max_elements: int) -> Message:
    request = signal.request()
    elements.limit_protobuf(content, signal.request, limit=max_elements)
    try:
        request.ParseFromString(content)
    except DecodeError as error:
        raise PermanentError(
            f"the body is not a valid protobuf {request.DESCRIPTOR.name}"
        ) from error
    return request
