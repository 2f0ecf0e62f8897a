"""The tasks of the background worker. Tests: `tests/tracing/test_background_worker.py`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

if TYPE_CHECKING:
    from sqlobs.failure_codes import Reason


class Task(Protocol):
    """A task of the worker; each method may be called once, on any thread."""

    @property
    def is_awaited(self) -> bool:
        """A span waits for it: it is done before other tasks."""

    def work(self) -> None:
        """Run the task."""

    def expire(self) -> None:
        """End the span: the deadline has passed and the task has not run."""

    def drop(self, reason: Reason) -> None:
        """End the span: the task will not run."""


class Chore:
    """A task that no span waits for, and that may be left undone."""

    is_awaited = False

    def expire(self) -> None:
        """Do nothing: no span waits."""

    def drop(self, reason: Reason) -> None:
        """Leave it undone."""


class Errand(Chore):
    """A task that is one call."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def work(self) -> None:
        """Make the call."""
        with INTERNAL_ERRORS.contained("errand"):
            self._call()


class Barrier(Chore):
    """A task that signals when all tasks before it are done."""

    def __init__(self) -> None:
        self.reached = threading.Event()

    def work(self) -> None:
        """Wake the waiting thread."""
        self.reached.set()

    def drop(self, reason: Reason) -> None:  # noqa: ARG002 - the protocol's signature
        """Wake the waiting thread."""
        self.reached.set()
