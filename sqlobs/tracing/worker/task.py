"""What the worker is given to do."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol

from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.failure_codes import Reason


class Task(Protocol):
    """Something the worker does."""

    @property
    def is_awaited(self) -> bool:
        """A span waits for it: it is done before tasks that nothing waits for."""
        ...

    def work(self) -> None:
        """Do it."""
        ...

    def expire(self) -> None:
        """The deadline has come and it is not done."""
        ...

    def refuse(self, reason: Reason) -> None:
        """It will not be done."""
        ...


class Errand:
    """A task that is one call."""

    is_awaited = False

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def work(self) -> None:
        """Make the call."""
        try:
            self._call()
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("errand", error)

    def expire(self) -> None:
        """Nothing waits for it."""

    def refuse(self, reason: Reason) -> None:
        """It is lost."""


class Barrier:
    """A task that tells when everything before it is done."""

    is_awaited = False

    def __init__(self) -> None:
        self._reached = threading.Event()

    def wait(self, timeout_s: float) -> bool:
        """Wait until the worker has come here; False at the timeout."""
        return self._reached.wait(timeout_s)

    def work(self) -> None:
        """Let the waiting thread go on."""
        self._reached.set()

    def expire(self) -> None:
        """Nothing waits for a barrier but `wait`, which has its own timeout."""

    def refuse(self, reason: Reason) -> None:  # noqa: ARG002 - the protocol's signature
        """Let the waiting thread go on."""
        self._reached.set()
