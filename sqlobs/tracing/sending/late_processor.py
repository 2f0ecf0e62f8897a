"""Keeps spans until exporters are made, which is slow: they import much and start threads.

Tests: `tests/tracing/test_warm_up.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from opentelemetry.sdk.trace import SpanProcessor

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan, Span

_MOST_SPANS: Final = 512
"""Limit of kept spans; the next span makes the processors."""


class LateProcessor(SpanProcessor):
    """Keeps ended spans until the real processors are made, off the caller's thread."""

    def __init__(self, make: Callable[[], Sequence[SpanProcessor]]) -> None:
        self._make = make
        self._made: Sequence[SpanProcessor] | None = None
        self._kept: list[ReadableSpan] = []
        self._making = threading.Lock()
        self._lock = threading.Lock()  # never held for long: request threads wait for it

    def attach(self) -> None:
        """Make the real processors, once."""
        with self._making:
            if self._made is not None:
                return
            made = self._make()
            with self._lock:
                self._made = made
                kept, self._kept = self._kept, []
        for span in kept:
            self.on_end(span)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Forward to the real processors, if they exist."""
        for processor in self._made or ():
            processor.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        """Forward a span to the real processors, or keep it."""
        if self._made is None and self._is_kept(span):
            return
        self.attach()
        for processor in self._made or ():
            processor.on_end(span)

    def _is_kept(self, span: ReadableSpan) -> bool:
        with self._lock:
            if self._made is None and len(self._kept) < _MOST_SPANS:
                self._kept.append(span)
                return True
        return False

    def shutdown(self) -> None:
        """Export the kept spans, and stop."""
        self.attach()
        for processor in self._made or ():
            processor.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Export the kept spans."""
        self.attach()
        done = [processor.force_flush(timeout_millis) for processor in self._made or ()]
        return all(done)
