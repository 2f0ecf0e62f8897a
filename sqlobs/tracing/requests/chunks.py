"""Collects the chunks of a stream: text, finish reason, time of the first chunk.

Tests: `tests/tracing/test_streams.py` and `test_clients.py`.
"""

from __future__ import annotations

from codecs import IncrementalDecoder, getincrementaldecoder
from time import time_ns
from typing import TYPE_CHECKING, Final

from sqlobs.tracing.requests.answer import NOT_UNDERSTOOD
from sqlobs.tracing.requests.model_response import (
    arguments_of,
    delta_of,
    finish_reason_of,
    id_of,
    model_of,
    usage_of,
)

if TYPE_CHECKING:
    from sqlobs.tracing.records.record import Usage

TEXT_CAP: Final = 256 * 1024
"""Characters kept of a stream's text: four times the limit of the checker."""
ITEM_CAP: Final = 20_000
"""Chunks kept for the user's `collect`."""


class Chunks:
    """Collects the chunks that the user reads; never iterates the stream itself."""

    def __init__(self, *, keeps_all: bool = False) -> None:
        self.items: list[object] = []
        """All chunks, for `collect`."""
        self.finish_reason: str | None = None
        """Why the model stopped; None until a chunk contains it."""
        self.id: str | None = None
        self.model: str | None = None
        self.usage: Usage | None = None
        self.first_ns = time_ns()
        """Time of the first chunk, for which this object is made."""
        self._keeps_all = keeps_all
        self._parts: list[str] = []
        self._arguments: list[str] = []
        self._size = 0
        self._decoder: IncrementalDecoder | None = None
        self._unknown = 0
        self._last: object = None
        """The last chunk of an unknown type."""

    @property
    def answer(self) -> object:
        """The joined text, else the arguments of a tool call, else the last object with an answer.

        Several chunks of an unknown type are `NOT_UNDERSTOOD`.
        """
        text = "".join(self._parts)
        if self._unknown == 0 or text.strip():
            return text if text.strip() else "".join(self._arguments) or text
        from sqlobs.check.llm_output.answer_text import names_sql

        is_whole = self._unknown == 1 or names_sql(self._last)
        return self._last if is_whole else NOT_UNDERSTOOD

    def add(self, chunk: object) -> None:
        """Collect one chunk."""
        if self._keeps_all and len(self.items) < ITEM_CAP:
            self.items.append(chunk)
        if isinstance(chunk, str):
            self._keep(str.__str__(chunk))
        elif isinstance(chunk, bytes | bytearray):
            self._decoder = self._decoder or getincrementaldecoder("utf-8")("replace")
            self._keep(self._decoder.decode(chunk))
        elif chunk is not None:
            self._read(chunk)

    def add_unknown(self) -> None:
        """Count a chunk that could not be read."""
        self._unknown += 1
        self._last = NOT_UNDERSTOOD

    def _read(self, chunk: object) -> None:
        text = delta_of(chunk)
        if text is None:
            self._unknown += 1
            self._last = chunk
        else:
            self._keep(text)
        self._keep(arguments_of(chunk), to=self._arguments)
        self.finish_reason = finish_reason_of(chunk) or self.finish_reason
        self.id = self.id or id_of(chunk)
        self.model = model_of(chunk) or self.model
        if (usage := usage_of(chunk)) is not None:
            self.usage = usage if self.usage is None else self.usage.updated(usage)

    def _keep(self, text: str, *, to: list[str] | None = None) -> None:
        if text and self._size < TEXT_CAP:
            (self._parts if to is None else to).append(text)
            self._size += len(text)
