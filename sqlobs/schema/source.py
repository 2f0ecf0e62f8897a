"""A schema that follows its database: refreshed in the background, without blocking callers."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING
from weakref import WeakSet

from sqlobs.errors import SchemaUnavailableError
from sqlobs.fork_guard import ForkGuard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlobs.schema.model import Schema

_ABANDONED_LOADS = 3
"""So many loads may hang at once; after that none is started until one of them comes back."""


@dataclass(slots=True)
class _Load:
    """One call of the loader on its own thread."""

    started_s: float
    is_current: bool = True
    turn: ForkGuard = field(default_factory=ForkGuard)


class SchemaSource:
    """Returns the newest loaded schema at once and refreshes it in the background.

    The loader runs on a daemon thread. A failed load is retried with exponential backoff; one
    that hangs is abandoned after `timeout_s`. In both cases the last good schema stays in effect.

    >>> from sqlobs import Schema
    >>> source = SchemaSource(lambda: Schema.from_mapping({"orders": ["id"]}))
    >>> source.wait(5)
    True
    >>> source.get().tables[0].name
    'orders'
    """

    def __init__(
        self,
        load: Callable[[], Schema],
        *,
        ttl_s: float = 300.0,
        max_age_s: float | None = None,
        timeout_s: float = 30.0,
        initial: Schema | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Start the first load.

        Args:
            load: Returns the schema; may do I/O, fail and hang.
            ttl_s: Age in seconds at which a newer schema is fetched.
            max_age_s: Age in seconds beyond which the schema is stale: an unknown name is then no
                verdict. Four times `ttl_s` if not given.
            timeout_s: Time in seconds after which a load counts as hung.
            initial: A schema to give until the first load is done; counts as loaded now.
            clock: Seconds that never go back.
        """
        self._load = load
        self.ttl_s = ttl_s
        self.max_age_s = 4 * ttl_s if max_age_s is None else max_age_s
        self._timeout_s = timeout_s
        self._clock = clock
        self._schema = initial
        self._loaded_s = clock()
        self._error: Exception | None = None
        self._failures = 0
        self._next_s = clock() + (ttl_s if initial is not None else 0.0)
        self._reset_after_fork()
        _SOURCES.add(self)
        self._refresh_if_due()

    @classmethod
    def from_database(
        cls,
        url: str,
        *,
        namespaces: Iterable[str] | None = None,
        ttl_s: float = 300.0,
        connect_args: Mapping[str, object] | None = None,
    ) -> SchemaSource:
        """Follow the system catalog of a live database.

        Args:
            url: SQLAlchemy's URL.
            namespaces: The namespaces to read; the default one if not given.
            ttl_s: Age in seconds at which a newer schema is fetched.
            connect_args: Arguments of the driver's connection, such as credentials.
        """
        from sqlobs.schema.model import Schema

        names = None if namespaces is None else tuple(namespaces)

        def load() -> Schema:
            return Schema.from_database(url, namespaces=names, connect_args=connect_args)

        return cls(load, ttl_s=ttl_s)

    def get(self) -> Schema:
        """Return the newest loaded schema without waiting; start a refresh if it is due.

        Raises:
            SchemaUnavailableError: No load has succeeded yet.
        """
        self._refresh_if_due()
        if self._schema is None:
            cause = f": {self._error}" if self._error else ": the first load has not finished."
            raise SchemaUnavailableError(f"the schema source has not loaded a schema yet{cause}")
        return self._schema

    @property
    def age_s(self) -> float | None:
        """Seconds since the schema was loaded; None while there is none."""
        return None if self._schema is None else self._clock() - self._loaded_s

    @property
    def is_stale(self) -> bool:
        """The schema is older than `max_age_s`: what it lacks may exist by now."""
        age_s = self.age_s
        return age_s is None or age_s > self.max_age_s

    @property
    def error(self) -> Exception | None:
        """Why the last load failed; None when it did not."""
        return self._error

    def refresh(self) -> None:
        """Fetch a newer schema in the background now, unless a load is in progress."""
        self._next_s = self._clock()
        self._refresh_if_due()

    def wait(self, timeout_s: float) -> bool:
        """Wait until there is a schema; for start-up and tests, not for requests.

        Returns:
            Whether there is one.
        """
        self._refresh_if_due()  # in a forked child no load is in progress
        self._arrived.wait(timeout_s)
        return self._schema is not None

    def _refresh_if_due(self) -> None:
        # Never waits for the lock: who holds it is starting the load we want.
        if self._clock() < self._next_s or not self._lock.acquire(blocking=False):
            return
        try:
            self._start_load()
        finally:
            self._lock.release()

    def _start_load(self) -> None:
        now_s = self._clock()
        current = next((load for load in self._loads if load.is_current), None)
        if current is not None and now_s - current.started_s < self._timeout_s:
            return
        if current is not None:
            current.is_current = False
            self._error = SchemaUnavailableError("the schema loader does not return.")
        if len(self._loads) > _ABANDONED_LOADS:
            return
        load = _Load(now_s)
        self._loads.append(load)
        threading.Thread(target=self._run, args=(load,), name="sqlobs-schema", daemon=True).start()

    def _run(self, load: _Load) -> None:
        with load.turn:
            try:
                schema, error = self._load(), None
            except Exception as failure:  # noqa: BLE001 - the loader is the user's; kept as `error`
                schema, error = None, failure
            with self._lock:
                self._loads.remove(load)
                if load.is_current:
                    self._take(schema, error)

    def _take(self, schema: Schema | None, error: Exception | None) -> None:
        now_s = self._clock()
        self._error = error
        if schema is None:
            self._failures += 1
            self._next_s = now_s + min(self.ttl_s, 2.0 ** min(self._failures - 1, 16))
            return
        self._failures = 0
        self._schema, self._loaded_s = schema, now_s
        self._next_s = now_s + self.ttl_s
        self._arrived.set()

    def _reset_after_fork(self) -> None:
        """Forget loads of the parent process: their threads do not exist in the child."""
        self._lock = threading.Lock()
        self._loads: list[_Load] = []
        self._arrived = threading.Event()
        if getattr(self, "_schema", None) is not None:
            self._arrived.set()


_SOURCES: WeakSet[SchemaSource] = WeakSet()


def _after_fork() -> None:
    for source in list(_SOURCES):
        source._reset_after_fork()  # noqa: SLF001 - the module's own class


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
