"""The boundary where failures inside sqlobs stop: counted, logged once per kind, never raised."""

from __future__ import annotations

import logging
import threading
from collections import Counter

from sqlobs.errors import SchemaError, SqlobsError

_log = logging.getLogger("sqlobs")


class InternalErrors:
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
        """Count a failure and log the first of its kind.

        The sentence of an error of ours says what to mend; the message of any other may quote
        values and is left out.
        """
        with self._lock:
            self._counts[kind] += 1
            is_first = self._counts[kind] == 1
        if is_first and isinstance(error, SqlobsError):
            _log.warning("sqlobs: %s (%s; the application goes on, said once)", _said(error), kind)
        elif is_first:
            _log.warning(
                "sqlobs failed inside (%s: %s at %s); the application is not affected, further "
                "failures of this kind are only counted",
                kind,
                type(error).__qualname__,
                _place_of(error),
            )


def _said(error: SqlobsError) -> str:
    """Return the sentence of an error, without what a driver has said."""
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
"""Those of this process."""
