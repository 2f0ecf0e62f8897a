"""What a stream has given so far: its text, its finish reason, the time of its first chunk."""

from __future__ import annotations

from time import time_ns
from typing import TYPE_CHECKING, Final

from sqlobs.tracing.requests.completion import delta_of, finish_reason_of, model_of, usage_of

if TYPE_CHECKING:
    from sqlobs.tracing.records.record import Usage

TEXT_CAP: Final = 256 * 1024
"""Characters kept of a stream's text: four times what the checker takes."""
ITEM_CAP: Final = 20_000
"""Chunks kept for the user's `collect`."""


class Chunks:
    """Collects a stream's chunks, without ever iterating or changing what the user gets."""

    def __init__(self, *, keeps_all: bool = False) -> None:
        self.items: list[object] = []
        """All chunks, where `collect` wants them."""
        self.finish_reason: str | None = None
        """Why the model stopped, once a chunk has said so."""
        self.model: str | None = None
        self.usage: Usage | None = None
        self.first_ns = time_ns()
        """When the first chunk came: the collector of a stream is made for it."""
        self._keeps_all = keeps_all
        self._parts: list[str] = []
        self._size = 0
        self._last: object = None

    @property
    def answer(self) -> object:
        """The joined text, or the last object where no chunk was text; "" of an empty stream."""
        return "".join(self._parts) if self._parts or self._last is None else self._last

    def add(self, chunk: object) -> None:
        """Take over one chunk."""
        if self._keeps_all and len(self.items) < ITEM_CAP:
            self.items.append(chunk)
        if isinstance(chunk, str):
            self._keep(chunk)
            return
        text = delta_of(chunk)
        if text is not None:
            self._keep(text)
        elif chunk is not None:
            self._last = chunk
        self._note(chunk)

    def _keep(self, text: str) -> None:
        if self._size < TEXT_CAP:
            self._parts.append(text)
            self._size += len(text)

    def _note(self, chunk: object) -> None:
        self.finish_reason = finish_reason_of(chunk) or self.finish_reason
        self.model = model_of(chunk) or self.model
        self.usage = usage_of(chunk) or self.usage
