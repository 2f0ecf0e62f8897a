"""A small OTLP receiver: writes what it is sent as JSON lines, one file per kind of record."""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from collections import defaultdict
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import httpx
from google.protobuf.message import DecodeError

from sqlobs.demo.loopback import LoopbackHandler, LoopbackServer, serving
from sqlobs.demo.otlp import EMPTY_ANSWERS, log_records, metric_records, span_records
from sqlobs.semconv import EVENT_EXECUTION, EVENT_UNIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from sqlobs.demo.otlp import Record

FILES: Final = ("spans.jsonl", "metrics.jsonl", "units.jsonl", "logs.jsonl")
"""The files that a receiver writes into its directory."""

_UNIT_EVENTS: Final = frozenset({EVENT_UNIT, EVENT_EXECUTION})
_DECODERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "identity": bytes,
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
}
"""How a body is read, by its Content-Encoding: what the SDK's exporters can send."""
_NOT_SERVED: Final = frozenset({404, 405, 501})
_SCHEMAS: Final = "/v1/schemas/"


class Receiver(LoopbackServer):
    """Takes OTLP/HTTP in protobuf, packed or plain.

    A request is answered after its records are written: what was acknowledged is in the files.
    With `forward` (an OTLP/HTTP endpoint) traces and metrics are then sent on as they came.
    """

    def __init__(
        self,
        directory: Path,
        *,
        forward: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._directory = directory
        self._forward = forward.rstrip("/") if forward else None
        self._headers = dict(headers or {})
        self.refusals: list[str] = []
        """What the other endpoint said, or why it could not be reached, once per failed request."""
        self.unserved: set[str] = set()
        """Paths that the other endpoint does not have: Phoenix takes traces only."""
        # Held while a batch is appended, so that lines of two requests do not mix.
        self._writing = threading.Lock()
        for name in FILES:
            (directory / name).write_text("")
        super().__init__(_Handler)

    @property
    def endpoint(self) -> str:
        """The value for OTEL_EXPORTER_OTLP_ENDPOINT."""
        return self.url

    def take(self, path: str, body: bytes) -> bool:
        """Write the records of one export request; False where the body is no such request.

        Args:
            path: One of `EMPTY_ANSWERS`.
            body: The request in protobuf, unpacked.
        """
        records, file_of = _READERS[path]
        lines: dict[str, str] = defaultdict(str)
        try:
            for record in records(body):
                lines[file_of(record)] += json.dumps(record) + "\n"
        except DecodeError:
            return False
        with self._writing:
            for name, text in lines.items():
                with (self._directory / name).open("a", encoding="utf-8") as file:
                    file.write(text)
        return True

    def send_on(self, path: str, body: bytes, *, encoding: str) -> None:
        """Send a copy of an export request to the other endpoint, if there is one."""
        if self._forward is None or path == "/v1/logs" or path in self.unserved:
            return
        sent = {"Content-Type": "application/x-protobuf"}
        if encoding != "identity":  # which is no coding: Phoenix answers 415 if it is named
            sent["Content-Encoding"] = encoding
        try:
            with httpx.stream(
                "POST", self._forward + path, content=body, headers={**self._headers, **sent}
            ) as answer:
                if path != "/v1/traces" and answer.status_code in _NOT_SERVED:
                    self.unserved.add(path)
                    return
                answer.raise_for_status()  # the status is sufficient; the body is not read
        except httpx.HTTPError as error:
            self.refusals.append(f"{path}: {error}".splitlines()[0])

    def keep_schema(self, version: str, body: bytes) -> None:
        """Write a schema document that an SDK sends for its units."""
        name = "".join(letter for letter in version if letter.isalnum())
        (self._directory / f"schema-{name}.json").write_bytes(body)


@contextmanager
def receive(
    directory: Path, *, forward: str | None = None, headers: Mapping[str, str] | None = None
) -> Iterator[Receiver]:
    """Receive into `directory` until the block ends; copies go to `forward` with the headers."""
    receiver = Receiver(directory, forward=forward, headers=headers)
    with serving(receiver):
        yield receiver


def _log_file(record: Record) -> str:
    return "units.jsonl" if record["event_name"] in _UNIT_EVENTS else "logs.jsonl"


_READERS: Final[dict[str, tuple[Callable[[bytes], Iterator[Record]], Callable[[Record], str]]]] = {
    "/v1/traces": (span_records, lambda _: "spans.jsonl"),
    "/v1/metrics": (metric_records, lambda _: "metrics.jsonl"),
    "/v1/logs": (log_records, _log_file),
}


class _Handler(LoopbackHandler):
    server: Receiver

    def do_POST(self) -> None:  # noqa: N802 - the name the base calls
        sent = self._sent()
        body = self._unpacked(sent)
        if self.path not in EMPTY_ANSWERS:
            self._answer(HTTPStatus.NOT_FOUND)
            return
        if body is None or not self.server.take(self.path, body):
            self._answer(HTTPStatus.BAD_REQUEST)
            return
        self.server.send_on(self.path, sent, encoding=self._encoding)
        self._answer(HTTPStatus.OK, EMPTY_ANSWERS[self.path].SerializeToString())

    def do_PUT(self) -> None:  # noqa: N802 - the name the base calls
        body = self._unpacked(self._sent())
        if body is None or not self.path.startswith(_SCHEMAS):
            self._answer(HTTPStatus.NOT_FOUND)
            return
        self.server.keep_schema(self.path.removeprefix(_SCHEMAS), body)
        self._answer(HTTPStatus.NO_CONTENT)

    @property
    def _encoding(self) -> str:
        return str(self.headers.get("Content-Encoding", "identity"))

    def _sent(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _unpacked(self, sent: bytes) -> bytes | None:
        """Return the decompressed body; None if it does not have its declared encoding."""
        try:
            return _DECODERS[self._encoding](sent)
        except (KeyError, OSError, EOFError, zlib.error):
            return None

    def _answer(self, status: HTTPStatus, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
