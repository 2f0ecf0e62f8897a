"""Recent generations by trace, for executions outside any `context` block."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.tracing.requests.request import Request

RECENT: Final = 1024
"""Number of generations kept."""


class RecentGenerations:
    """The last generations, sorted by trace at the first lookup."""

    def __init__(self) -> None:
        self._new: deque[Request] = deque(maxlen=RECENT)
        """Not sorted yet: a request only pays for an append."""
        self._sorted: deque[Request] = deque()
        self._by_trace: dict[int, deque[Request]] = {}
        self._lock = threading.Lock()  # guards the sorted ones

    def append(self, request: Request) -> None:
        """Add a generation that starts."""
        self._new.append(request)

    def of_trace(self, trace_id: int) -> Iterable[Request]:
        """Return the generations of a trace, newest first."""
        with self._lock:
            while self._new:
                self._sort(self._new.popleft())
            return tuple(reversed(self._by_trace.get(trace_id, ())))

    def _sort(self, request: Request) -> None:
        self._sorted.append(request)
        self._by_trace.setdefault(request.identity.trace_id, deque()).append(request)
        if len(self._sorted) > RECENT:
            oldest = self._sorted.popleft().identity.trace_id
            self._by_trace[oldest].popleft()
            if not self._by_trace[oldest]:
                del self._by_trace[oldest]
