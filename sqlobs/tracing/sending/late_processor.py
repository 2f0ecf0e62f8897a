"""Keeps spans until exporters are made, which is slow: they import much and start threads.

Tests: `tests/tracing/test_warm_up.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Final

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, SynchronousMultiSpanProcessor

_MOST_SPANS: Final = 512
"""Limit of kept spans; the next span makes the processors."""


class LateProcessor(SynchronousMultiSpanProcessor):
    """Keeps ended spans until the real processors are made, off the caller's thread."""

    def __init__(self, make: Callable[[], Iterable[SpanProcessor]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the SDK's
        self._make = make
        self._is_made = False
        self._kept: list[ReadableSpan] = []
        self._making = threading.Lock()
        self._keeping = threading.Lock()  # never held for long: request threads wait for it

    def attach(self) -> None:
        """Make the real processors, once."""
        with self._making:
            if self._is_made:
                return
            for processor in self._make():
                self.add_span_processor(processor)
            with self._keeping:
                self._is_made = True
                kept, self._kept = self._kept, []
        for span in kept:
            super().on_end(span)

    def on_end(self, span: ReadableSpan) -> None:
        """Forward a span to the real processors, or keep it."""
        if self._is_made or not self._is_kept(span):
            self.attach()
            super().on_end(span)

    def _is_kept(self, span: ReadableSpan) -> bool:
        with self._keeping:
            is_kept = not self._is_made and len(self._kept) < _MOST_SPANS
            if is_kept:
                self._kept.append(span)
        return is_kept

    def shutdown(self) -> None:
        """Export the kept spans, and stop."""
        self.attach()
        super().shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Export the kept spans."""
        self.attach()
        return super().force_flush(timeout_millis)
