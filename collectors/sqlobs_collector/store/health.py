"""Whether the store works, and what is wrong while it does not."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, Final

from sqlalchemy import event

from sqlobs_collector.store.database import is_trouble

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine
    from sqlalchemy.engine import ExceptionContext

UNREACHABLE: Final = "unreachable"
_BY_CODE: Final = {
    "25006": "read_only",
    "53100": "disk_full",
    "53300": "out_of_connections",
    "55P03": "locked",
    "57014": "slow",
}
"""Reasons by SQLSTATE."""
_BY_WORDS: Final = {
    "too many clients": "out_of_connections",
    "connection slots are reserved": "out_of_connections",
    "no space left": "disk_full",
    "disk is full": "disk_full",
    "readonly database": "read_only",
    "database is locked": "locked",
    "statement timeout": "slow",
}
"""Reasons by words of the message: a connection that fails has no SQLSTATE, and SQLite has none."""
REASONS: Final = (UNREACHABLE, *sorted({*_BY_CODE.values()}), "error")


RECENT_S: Final = 20.0
"""How long a failure counts. Failed work is repeated within this time, also where connecting takes
`connect_timeout`; and some writes may succeed while others fail, as on a disk that is almost full.
"""


class StoreHealth:
    """What the connections of an engine that writes have met recently.

    Args:
        on_failure: Called with the reason at each failure.
        clock_s: Seconds that only grow.
    """

    def __init__(
        self,
        *,
        on_failure: Callable[[str], None],
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._on_failure = on_failure
        self._clock_s = clock_s
        self._last: tuple[float, str] | None = None

    @property
    def reason(self) -> str | None:
        """Why work on the store failed recently, of `REASONS`; None: it did not."""
        if self._last is None or self._clock_s() - self._last[0] >= RECENT_S:
            return None
        return self._last[1]

    @property
    def is_up(self) -> bool:
        """Whether nothing failed recently."""
        return self.reason is None

    def watch(self, engine: Engine) -> None:
        """Follow what happens on an engine."""
        event.listen(engine, "handle_error", self._fail)

    def _fail(self, context: ExceptionContext) -> None:
        error = context.sqlalchemy_exception
        if error is not None and is_trouble(error):
            reason = reason_of(context.original_exception)
            self._last = self._clock_s(), reason
            self._on_failure(reason)


def reason_of(error: BaseException) -> str:
    """Return why a driver failed, as one of `REASONS`.

    >>> reason_of(OSError("database or disk is full"))
    'disk_full'
    """
    code = getattr(error, "sqlstate", None)
    if code in _BY_CODE:
        return _BY_CODE[code]
    said = str(error).lower()
    for words, reason in _BY_WORDS.items():
        if words in said:
            return reason
    if isinstance(error, sqlite3.Error) or not (code or "08").startswith(("08", "57P")):
        return "error"
    return UNREACHABLE
