"""How long the worker waits before it looks at its queue again.

Tests: `tests/tracing/test_pace.py`.
"""

from __future__ import annotations

from typing import Final

SHORT_S: Final = 0.05
"""After tasks that spans waited for, or many tasks: a batch must not keep other threads waiting."""
LONG_S: Final = 0.25
"""After a few tasks that nobody waits for. Each look costs half a millisecond of processor time,
because the worker's code and data have left the caches."""
FEW: Final = 10


class Pace:
    """The pause after a batch of tasks, by what the batch was."""

    def __init__(self) -> None:
        self._done = 0
        self._was_awaited = False

    def did(self, *, is_awaited: bool) -> None:
        """Note a task of the batch."""
        self._done += 1
        self._was_awaited = self._was_awaited or is_awaited

    def pause_s(self) -> float:
        """Return the pause in seconds, and begin the next batch."""
        is_long = self._done <= FEW and not self._was_awaited
        self._done, self._was_awaited = 0, False
        return LONG_S if is_long else SHORT_S
