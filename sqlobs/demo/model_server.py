"""A local server of the OpenAI protocol that plays recorded generations, whole or streamed."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from sqlobs.demo.loopback import LoopbackHandler, LoopbackServer, serving
from sqlobs.demo.recordings import RECORDED_MODEL, Completion, ModelError, by_question
from sqlobs.demo.translation import SHOP_DIALECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlobs.demo.recordings import Recording

    Json = dict[str, Any]

CHARACTERS_PER_TOKEN: Final = 4
"""The server counts tokens by length: an estimate, as recorded texts carry no count."""
FIRST_TOKEN_S: Final = 0.04
SECONDS_PER_TOKEN: Final = 0.0012
"""Pace of the recorded model: some ten times that of a hosted one, so that the demo is short."""
_CREATED: Final = 1_750_000_000
_UNKNOWN: Final = ModelError(404, "no_recording", "No recorded generation for this question.")


class ModelServer(LoopbackServer):
    """Answers `POST /v1/chat/completions` and `GET /v1/models`."""

    def __init__(self, recordings: Mapping[str, Recording]) -> None:
        self.recordings = recordings
        super().__init__(_Handler)

    @property
    def base_url(self) -> str:
        """The value for OPENAI_BASE_URL."""
        return f"{self.url}/v1"

    def answer(self, messages: list[Json]) -> Completion:
        """Return the recorded answer to a conversation.

        The user's first message is the question; each answer of the assistant was one attempt.
        """
        questions = [message["content"] for message in messages if message["role"] == "user"]
        recording = self.recordings.get(questions[0]) if questions else None
        if recording is None:
            return Completion("", _UNKNOWN, "error", None)
        return recording.completion(sum(message["role"] == "assistant" for message in messages))


@contextmanager
def serve_recordings(dialect: str = SHOP_DIALECT) -> Iterator[ModelServer]:
    """Serve the packaged recordings, with SQL of a dialect, until the block ends."""
    server = ModelServer(by_question(dialect))
    with serving(server):
        yield server


@dataclass(frozen=True, slots=True)
class _Usage:
    prompt: int
    completion: int

    def as_json(self) -> Json:
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "total_tokens": self.prompt + self.completion,
        }


class _Handler(LoopbackHandler):
    server: ModelServer

    def do_GET(self) -> None:  # noqa: N802 - the name the base calls
        if self.path != "/v1/models":
            self._refuse(ModelError(404, "not_found", f"Unknown path {self.path}."))
            return
        model = {"id": RECORDED_MODEL, "object": "model", "created": _CREATED, "owned_by": "sqlobs"}
        self._send({"object": "list", "data": [model]})

    def do_POST(self) -> None:  # noqa: N802 - the name the base calls
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/v1/chat/completions":
            self._refuse(ModelError(404, "not_found", f"Unknown path {self.path}."))
            return
        request = json.loads(body)
        completion = self.server.answer(request["messages"])
        if completion.error is not None:
            self._refuse(completion.error)
            return
        usage = _usage(request["messages"], completion.content)
        if request.get("stream"):
            self._stream(completion.content, usage, request.get("stream_options") or {})
        else:
            time.sleep(FIRST_TOKEN_S + SECONDS_PER_TOKEN * usage.completion)
            self._send(_completion_json(completion.content, usage))

    def _refuse(self, error: ModelError) -> None:
        details = {"message": error.message, "type": "invalid_request_error", "code": error.code}
        self._send({"error": details}, status=error.status)

    def _send(self, document: Json, *, status: int = HTTPStatus.OK) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, content: str, usage: _Usage, options: Json) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        time.sleep(FIRST_TOKEN_S)
        try:
            for chunk in _chunks(content, usage, wants_usage=bool(options.get("include_usage"))):
                self._write_event(json.dumps(chunk))
                time.sleep(SECONDS_PER_TOKEN)
            self._write_event("[DONE]")
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            # The reader left before the end: what a stream's reader may do.
            self.close_connection = True

    def _write_event(self, event: str) -> None:
        payload = f"data: {event}\n\n".encode()
        self.wfile.write(f"{len(payload):x}\r\n".encode() + payload + b"\r\n")


def _usage(messages: list[Json], content: str) -> _Usage:
    prompt = sum(len(str(message["content"])) for message in messages)
    return _Usage(-(-prompt // CHARACTERS_PER_TOKEN), -(-len(content) // CHARACTERS_PER_TOKEN))


def _completion_json(content: str, usage: _Usage) -> Json:
    message = {"role": "assistant", "content": content}
    return {
        "id": "chatcmpl-recorded",
        "object": "chat.completion",
        "created": _CREATED,
        "model": RECORDED_MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": usage.as_json(),
    }


def _chunks(content: str, usage: _Usage, *, wants_usage: bool) -> Iterator[Json]:
    """Yield the events of a streamed completion: role, pieces of text, end, usage if wanted."""
    yield _chunk({"role": "assistant", "content": ""})
    for start in range(0, len(content), CHARACTERS_PER_TOKEN):
        yield _chunk({"content": content[start : start + CHARACTERS_PER_TOKEN]})
    yield _chunk({}, finish_reason="stop")
    if wants_usage:
        yield {**_chunk({}), "choices": [], "usage": usage.as_json()}


def _chunk(delta: Json, *, finish_reason: str | None = None) -> Json:
    return {
        "id": "chatcmpl-recorded",
        "object": "chat.completion.chunk",
        "created": _CREATED,
        "model": RECORDED_MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }
