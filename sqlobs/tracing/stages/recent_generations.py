"""The generations of late, for executions outside any `context`: found by their trace."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.tracing.requests.request import Request

RECENT: Final = 1024
"""Generations that are remembered."""


class RecentGenerations:
    """A bounded memory of generations, sorted by trace only when somebody looks for one."""

    def __init__(self) -> None:
        self._new: deque[Request] = deque(maxlen=RECENT)
        """Not sorted yet: a request pays for an append alone."""
        self._sorted: deque[Request] = deque()
        self._by_trace: dict[int, deque[Request]] = {}
        self._lock = threading.Lock()  # guards the sorted ones

    def append(self, request: Request) -> None:
        """Remember a generation that starts."""
        self._new.append(request)

    def of_trace(self, trace_id: int) -> Iterable[Request]:
        """Return the generations of a trace, the last one first."""
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
