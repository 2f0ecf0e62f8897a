"""The boundary where failures inside sqlobs stop: counted, logged once per kind, never raised."""

from __future__ import annotations

import logging
import threading
from collections import Counter

_log = logging.getLogger("sqlobs")


class Faults:
    """Failures of our own code by kind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    @property
    def counts(self) -> dict[str, int]:
        """How often each kind occurred in this process."""
        with self._lock:
            return dict(self._counts)

    def caught(self, kind: str, error: Exception) -> None:
        """Count a failure; log the first of its kind, without the message: it may quote values."""
        with self._lock:
            self._counts[kind] += 1
            is_first = self._counts[kind] == 1
        if is_first:
            _log.warning(
                "sqlobs failed inside (%s: %s at %s); the application is not affected, further "
                "failures of this kind are only counted",
                kind,
                type(error).__qualname__,
                _place_of(error),
            )


def _place_of(error: Exception) -> str:
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None:
        return "unknown"
    code = frame.tb_frame.f_code
    return f"{code.co_qualname}:{frame.tb_lineno}"


FAULTS = Faults()
"""Those of this process."""
