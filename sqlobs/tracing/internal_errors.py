"""The boundary where errors inside sqlobs stop: counted, logged once per kind, never raised.

Tests: `tests/tracing/test_hosts.py` and `test_host_safety.py`.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from typing import TYPE_CHECKING

from sqlobs.errors import SchemaError, SqlobsError

if TYPE_CHECKING:
    from types import TracebackType

_log = logging.getLogger("sqlobs")


class InternalErrors:
    """Counts internal errors by kind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    @property
    def counts(self) -> dict[str, int]:
        """How often each kind occurred in this process."""
        with self._lock:
            return dict(self._counts)

    def caught(self, kind: str, error: Exception) -> None:
        """Count an error and log the first of its kind.

        Messages of our own errors name the fix; any other message may quote values and is
        omitted.
        """
        with self._lock:
            self._counts[kind] += 1
            is_first = self._counts[kind] == 1
        if is_first and isinstance(error, SqlobsError):
            _log.warning(
                "sqlobs: %s (%s; logged once, your application is not affected)",
                _own_message(error),
                kind,
            )
        elif is_first:
            _log.warning(
                "sqlobs: internal error (%s: %s at %s; logged once, your application is not "
                "affected, further errors of this kind are counted)",
                kind,
                type(error).__qualname__,
                _place_of(error),
            )

    def contained(self, kind: str) -> Contained:
        """Count an exception of a block, which then ends: telemetry never harms the host."""
        return Contained(self, kind)


class Contained:
    """A block whose exceptions are counted and end there; every request enters several.

    A generator as its context manager would execute more instructions.
    """

    __slots__ = ("_errors", "_kind")

    def __init__(self, errors: InternalErrors, kind: str) -> None:
        self._errors = errors
        self._kind = kind

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> bool:
        """End the block; what is no `Exception`, such as Ctrl+C, leaves it."""
        if not isinstance(error, Exception):
            return False
        self._errors.caught(self._kind, error)
        return True


def _own_message(error: SqlobsError) -> str:
    """Return the message of an error, without the part that quotes a driver."""
    text = str(error).removesuffix(".")
    return text.partition(": ")[0] if isinstance(error, SchemaError) else text


def _place_of(error: Exception) -> str:
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None:
        return "unknown"
    code = frame.tb_frame.f_code
    return f"{code.co_qualname}:{frame.tb_lineno}"


INTERNAL_ERRORS = InternalErrors()
"""The internal errors of this process."""
