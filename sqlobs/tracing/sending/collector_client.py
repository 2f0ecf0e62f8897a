"""Delivery to the collector over HTTP, with the collector's headers only.

OTLP exporters add the headers of `OTEL_EXPORTER_OTLP_HEADERS`, such as the API key of the user's
vendor, to all requests. Requests to the collector therefore use this client.
Tests: `tests/telemetry/test_unit_sender.py` and `test_responses.py`.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import Event, Lock
from typing import Final, Literal, Protocol

import httpx
from opentelemetry import context as context_api

from sqlobs._version import __version__
from sqlobs.client_tls import client_context
from sqlobs.errors import ResponseError
from sqlobs.responses import body_of

Fate = Literal["accepted", "rejected", "unreachable"]
"""`rejected`: do not retry; `unreachable`: retry later."""

_RETRYABLE: Final = frozenset({408, 429, 502, 503, 504})
_FIRST_WAIT_S: Final = 0.5
_LONGEST_WAIT_S: Final = 8.0
_MOST_BYTES: Final = 256 * 1024
"""Limit of a response; the collector sends a few dozen bytes."""
_COMPRESSION_LEVEL: Final = 1
"""The fastest level: it shrinks repetitive OTLP to a tenth, and level 9 to little less."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of one request."""

    fate: Fate
    status: int | None = None
    """HTTP status; None without a response."""
    content: bytes = b""
    retry_after_s: float | None = None

    @property
    def is_accepted(self) -> bool:
        """The collector accepted the request."""
        return self.fate == "accepted"


_tls_context = cache(client_context)


class Collector(Protocol):
    """Accepts OTLP requests and schemas."""

    @property
    def endpoint(self) -> str:
        """The URL, for messages."""

    def deliver(
        self, path: str, payload: bytes, *, within_s: float, is_repeated: bool = True
    ) -> Reply:
        """Deliver an OTLP request, with retries if `is_repeated`."""

    def put_document(self, path: str, document: bytes, *, within_s: float) -> Reply:
        """Store a JSON document at a path."""

    def close(self) -> None:
        """Close; safe to call twice."""


class CollectorClient:
    """One connection pool to one collector. Safe to use from several threads."""

    def __init__(
        self, endpoint: str, *, headers: Mapping[str, str] | None = None, timeout_s: float = 10.0
    ) -> None:
        self.endpoint = endpoint
        self._headers = {"user-agent": f"sqlobs/{__version__}", **(headers or {})}
        self._timeout_s = timeout_s
        # Made here, not with the first request: reading all certificates holds the GIL
        self._tls = _tls_context() if endpoint.startswith("https:") else None
        self._transport: httpx.HTTPTransport | None = None
        self._closing = Event()
        self._users = 0
        self._lock = Lock()  # guards the transport and the number of its users

    def deliver(
        self, path: str, payload: bytes, *, within_s: float, is_repeated: bool = True
    ) -> Reply:
        """Post an OTLP request; retry if `is_repeated` while it may succeed within the time."""
        content = gzip.compress(payload, _COMPRESSION_LEVEL)
        deadline = time.monotonic() + within_s
        wait = _FIRST_WAIT_S
        while True:
            left_s = deadline - time.monotonic()
            reply = self._send("POST", path, content, _OTLP, min(self._timeout_s, left_s))
            if not is_repeated or reply.fate != "unreachable":
                return reply
            pause = wait if reply.retry_after_s is None else reply.retry_after_s
            if time.monotonic() + pause >= deadline or self._closing.wait(pause):
                return reply
            wait = min(wait * 2, _LONGEST_WAIT_S)

    def put_document(self, path: str, document: bytes, *, within_s: float) -> Reply:
        """Put a JSON document at a path, without retries."""
        content = gzip.compress(document, _COMPRESSION_LEVEL)
        return self._send("PUT", path, content, _JSON, within_s)

    def close(self) -> None:
        """End the backoff and close the connections, one in use after its request; idempotent."""
        self._closing.set()
        self._close_unused()

    def _send(
        self, method: str, path: str, content: bytes, kind: Mapping[str, str], within_s: float
    ) -> Reply:
        if self._closing.is_set():
            return Reply("unreachable")
        within_s = max(0.1, within_s)
        request = httpx.Request(
            method,
            self.endpoint + path,
            headers={**self._headers, **kind},
            content=content,
            extensions={"timeout": httpx.Timeout(within_s).as_dict()},
        )
        token = context_api.attach(_unobserved())
        try:
            with self._transport_in_use() as transport:
                response = transport.handle_request(request)
                try:
                    content = body_of(response, most_bytes=_MOST_BYTES, within_s=within_s)
                finally:
                    response.close()
        except (httpx.TransportError, OSError, ResponseError):
            return Reply("unreachable")
        finally:
            context_api.detach(token)
        return _reply_of(response, content)

    @contextmanager
    def _transport_in_use(self) -> Iterator[httpx.HTTPTransport]:
        # The transport, not `httpx.Client`: a client logs every request at INFO into the host's log
        with self._lock:
            if self._closing.is_set():
                raise ConnectionAbortedError
            self._transport = transport = self._transport or httpx.HTTPTransport(
                verify=self._tls or False
            )
            self._users += 1
        try:
            yield transport
        finally:
            with self._lock:
                self._users -= 1
            self._close_unused()

    def _close_unused(self) -> None:
        """Close the transport after `close` and the last request: a pool forgets what connects."""
        with self._lock:
            if self._users or not self._closing.is_set():
                return
            transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()


_OTLP: Final = {"content-type": "application/x-protobuf", "content-encoding": "gzip"}
_JSON: Final = {"content-type": "application/json", "content-encoding": "gzip"}


def _unobserved() -> context_api.Context:
    """Return a context that suppresses HTTP instrumentations for our own requests."""
    return context_api.set_value(
        context_api._SUPPRESS_INSTRUMENTATION_KEY,  # noqa: SLF001 - the key has no public name
        value=True,
        context=context_api.Context(),
    )


def _reply_of(response: httpx.Response, content: bytes) -> Reply:
    if response.is_success:
        return Reply("accepted", response.status_code, content)
    if response.status_code not in _RETRYABLE:
        return Reply("rejected", response.status_code, content)
    return Reply("unreachable", response.status_code, retry_after_s=_retry_after(response))


def _retry_after(response: httpx.Response) -> float | None:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isdecimal() else None
