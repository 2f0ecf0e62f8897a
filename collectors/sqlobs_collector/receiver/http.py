"""OTLP over HTTP, as one raw ASGI application: protobuf and JSON on the same paths."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.semconv.collector import OTLP_PORT
from sqlobs_collector.errors import (
    BurstError,
    ForbiddenError,
    IntakeError,
    LateBodyError,
    RetryableError,
    TooLargeError,
    UnauthenticatedError,
    UnsupportedError,
)
from sqlobs_collector.otlp import answers
from sqlobs_collector.otlp.signals import SIGNALS
from sqlobs_collector.receiver.intake import Upload

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from sqlobs_collector.journal.entry import Encoding
    from sqlobs_collector.otlp.answers import Form
    from sqlobs_collector.receiver.gate import ByteGate, Passage
    from sqlobs_collector.receiver.intake import Intake

_MEDIA_TYPES: Final[dict[Form, bytes]] = {
    "protobuf": b"application/x-protobuf",
    "json": b"application/json",
}
_FORMS: Final[dict[bytes, Form]] = {media: form for form, media in _MEDIA_TYPES.items()}
_ENCODINGS: Final[dict[bytes, Encoding]] = {
    b"": "identity",
    b"identity": "identity",
    b"gzip": "gzip",
}
_SIGNALS: Final = {signal.path: signal for signal in SIGNALS}
_SCHEMA_PATH: Final = re.compile(r"/v1/schemas/([0-9A-Za-z._-]{1,128})")
_METHOD_NOT_ALLOWED: Final = 405
_NOT_FOUND: Final = 404


class _ClientGoneError(Exception):
    """The client closed the connection before its request was complete."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    form: Form
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)


class HttpReceiver:
    """The ASGI application of the OTLP port."""

    def __init__(
        self, intake: Intake, *, gate: ByteGate, max_body_bytes: int, body_timeout_s: float
    ) -> None:
        self._intake = intake
        self._gate = gate
        self._max_body_bytes = max_body_bytes
        self._body_timeout_s = body_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        form = _FORMS.get(_media_type(headers), "json")
        try:
            with self._gate.passage() as passage:
                answer = await self._respond(scope, receive, headers, passage)
        except _ClientGoneError:
            return
        except IntakeError as error:
            answer = _refusal(error, form=form)
        await _send(send, answer)

    async def _respond(
        self, scope: Scope, receive: Receive, headers: dict[bytes, bytes], passage: Passage
    ) -> _Answer:
        path: str = scope["path"]
        signal = _SIGNALS.get(path)
        schema = _SCHEMA_PATH.fullmatch(path)
        if signal is None and schema is None:
            return _plain(_NOT_FOUND, OTLP_PORT)
        if scope["method"] != ("PUT" if signal is None else "POST"):
            return _plain(_METHOD_NOT_ALLOWED, "send records with POST, schemas with PUT")
        try:
            upload = await self._upload(receive, headers, passage)
        except IntakeError as error:
            self._intake.refused("schema" if signal is None else signal.name, error)
            raise
        if signal is not None:
            acceptance = await self._intake.export(signal, upload, passage)
            body = answers.accepted(
                signal,
                rejected=acceptance.rejected,
                message=acceptance.message,
                form=upload.form,
            )
            return _Answer(200, body, upload.form)
        if schema is not None:
            await self._intake.schema(schema[1], upload)
        return _Answer(200, b"{}", "json")

    async def _upload(
        self, receive: Receive, headers: dict[bytes, bytes], passage: Passage
    ) -> Upload:
        form = _FORMS.get(_media_type(headers))
        encoding = _ENCODINGS.get(headers.get(b"content-encoding", b"").strip().lower())
        if form is None:
            raise UnsupportedError(
                "the content type must be application/x-protobuf or application/json"
            )
        if encoding is None:
            raise UnsupportedError("the content encoding must be gzip or absent")
        sent = headers.get(b"authorization")
        authorization = sent.decode("latin-1") if sent else None
        self._intake.authenticate(authorization)  # do not wait for other bodies
        try:
            async with asyncio.timeout(self._body_timeout_s):
                body = await self._body(receive, headers, passage)
        except TimeoutError:
            raise LateBodyError(self._body_timeout_s) from None
        return Upload(body=body, encoding=encoding, form=form, authorization=authorization)

    async def _body(self, receive: Receive, headers: dict[bytes, bytes], passage: Passage) -> bytes:
        declared = headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > self._max_body_bytes:
            raise self._too_large()
        chunks: list[bytes] = []
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _ClientGoneError
            chunk: bytes = message.get("body", b"")
            passage.take(len(chunk))
            chunks.append(chunk)
            if passage.bytes_held > self._max_body_bytes:
                raise self._too_large()
            if not message.get("more_body", False):
                return b"".join(chunks)

    def _too_large(self) -> TooLargeError:
        return TooLargeError(f"the body is larger than {self._max_body_bytes} bytes")


def _media_type(headers: dict[bytes, bytes]) -> bytes:
    return headers.get(b"content-type", b"").split(b";", 1)[0].strip().lower()


def _plain(status: int, message: str) -> _Answer:
    return _Answer(status, answers.refused(UnsupportedError(message), form="json"), "json")


def _refusal(error: IntakeError, *, form: Form) -> _Answer:
    headers: list[tuple[bytes, bytes]] = []
    if isinstance(error, RetryableError):
        headers.append((b"retry-after", str(error.retry_after_s).encode()))
    if isinstance(error, UnauthenticatedError):
        headers.append((b"www-authenticate", b"Bearer"))
    return _Answer(_status(error), answers.refused(error, form=form), form, headers)


def _status(error: IntakeError) -> int:
    if isinstance(error, BurstError):
        return 429
    if isinstance(error, RetryableError):
        return 503
    if isinstance(error, UnauthenticatedError):
        return 401
    if isinstance(error, ForbiddenError):
        return 403
    if isinstance(error, TooLargeError):
        return 413
    return 415 if isinstance(error, UnsupportedError) else 400


async def _send(send: Send, answer: _Answer) -> None:
    headers = [
        (b"content-type", _MEDIA_TYPES[answer.form]),
        (b"content-length", str(len(answer.body)).encode()),
        *answer.headers,
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})
