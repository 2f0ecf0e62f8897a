"""A local server of the OpenAI protocol that replays recorded answers of a judge.

    with serving(recorded([Recording(question=..., predicted_sql=..., reply=...)])) as server:
        Endpoint(EndpointConfig(base_url=server.base_url, model="recorded"))

It is a real HTTP server on a free loopback port: a judge's whole path runs, only the model is
missing. Any function from `ChatRequest` to `ChatReply` can replace the recordings.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import defaultdict, deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlobs.judge.envelope import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Respond: TypeAlias = Callable[["ChatRequest"], "ChatReply"]

CHARACTERS_PER_TOKEN: Final = 4
"""The server estimates tokens by length: recordings have no token counts."""
_CREATED: Final = 1_750_000_000
_POLL_S: Final = 0.02
_KEPT_REQUESTS: Final = 10_000
_MATCHED: Final = ("question", "predicted_sql", "reference_sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A client's request."""

    document: Mapping[str, Any]
    """The complete request body."""
    headers: Mapping[str, str]

    @property
    def system(self) -> str:
        """The text of the system message."""
        return "\n".join(self._texts("system"))

    @property
    def user(self) -> str:
        """The texts of the user messages."""
        return "\n".join(self._texts("user"))

    @property
    def fields(self) -> dict[str, str]:
        """The data between the delimiters."""
        return opened(self.user)

    @property
    def form(self) -> str:
        """`json_schema`, `json_object` or `text`."""
        return str(self.document.get("response_format", {}).get("type", "text"))

    def _texts(self, role: str) -> list[str]:
        messages = self.document["messages"]
        return [message["content"] for message in messages if message["role"] == role]


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The server's response: a text, or an error status with its message."""

    content: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    """Sent instead of a completion, such as garbage or an empty body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A recorded answer with its request."""

    predicted_sql: str
    reply: str
    question: str | None = None
    reference_sql: str | None = None
    is_categorization: bool = False
    """Whether it answers the second call, which includes the first one's judgment."""

    def answers(self, fields: Mapping[str, str]) -> bool:
        """Return whether this recording matches a request, ignoring fields that it omits."""
        if self.is_categorization != ("judgement" in fields):
            return False
        return all(
            fields.get(name, getattr(self, name)) == getattr(self, name) for name in _MATCHED
        )


NO_RECORDING: Final = ChatReply("There is no recorded answer to this request.", status=404)


def recorded(recordings: Iterable[Recording]) -> Respond:
    """Return a function that answers with recordings; a request without one gets status 404."""
    by_sql: dict[str, list[Recording]] = defaultdict(list)
    for recording in recordings:
        by_sql[recording.predicted_sql].append(recording)

    def respond(request: ChatRequest) -> ChatReply:
        fields = request.fields
        candidates = by_sql.get(fields.get("predicted_sql", ""), ())
        found = (recording for recording in candidates if recording.answers(fields))
        return next((ChatReply(recording.reply) for recording in found), NO_RECORDING)

    return respond


class ReplayServer(ThreadingHTTPServer):
    """Answers `POST /v1/chat/completions` on a free port of 127.0.0.1."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, respond: Respond) -> None:
        self.respond = respond
        self.requests: deque[ChatRequest] = deque(maxlen=_KEPT_REQUESTS)
        """Received requests, the newest last."""
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def base_url(self) -> str:
        """The base URL for clients."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in the base
        """Ignore clients that disconnected; report other errors as the base class does."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(respond: Respond) -> Iterator[ReplayServer]:
    """Serve from a thread within the block."""
    server = ReplayServer(respond)
    thread = threading.Thread(target=server.serve_forever, args=(_POLL_S,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: ReplayServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base
        """Log nothing."""

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(size)
        if len(body) < size:  # the client was killed while it sent
            self.close_connection = True
            return
        if not self.path.endswith("/chat/completions"):
            self._send(404, b'{"error": {"message": "There is nothing here."}}', {})
            return
        request = ChatRequest(document=json.loads(body), headers=dict(self.headers.items()))
        self.server.requests.append(request)
        reply = self.server.respond(request)
        self._send(
            reply.status,
            reply.raw if reply.raw is not None else _body(request, reply),
            reply.headers,
        )

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response_only(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _body(request: ChatRequest, reply: ChatReply) -> bytes:
    if reply.status >= 400:  # noqa: PLR2004 - errors begin here
        error = {"message": reply.content, "type": "error", "code": reply.status}
        return json.dumps({"error": error}).encode()
    return json.dumps(completion(request.document, reply.content)).encode()


def completion(request: Mapping[str, Any], content: str) -> dict[str, Any]:
    """Return a completion in the protocol's format.

    Args:
        request: The request that it answers.
        content: The text of the answer.
    """
    asked = sum(len(str(message["content"])) for message in request["messages"])
    counts = [-(-size // CHARACTERS_PER_TOKEN) for size in (asked, len(content))]
    message = {"role": "assistant", "content": content}
    return {
        "id": "chatcmpl-recorded",
        "object": "chat.completion",
        "created": _CREATED,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": {
            "prompt_tokens": counts[0],
            "completion_tokens": counts[1],
            "total_tokens": sum(counts),
        },
    }
