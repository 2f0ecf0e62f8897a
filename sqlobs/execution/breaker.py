"""Holds targets on whose servers a statement still runs that could not be terminated.

A function of PostgreSQL or MariaDB cannot be interrupted while it runs, so its backend may outlive
the worker that waited for it. Another statement would only add load.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlobs.execution.messages import Backend
    from sqlobs.execution.target import Target

_log = logging.getLogger("sqlobs.execution")

_RECHECK_S: Final = 5.0
"""Interval between checks of whether a backend still runs on the server, while requests arrive."""
HELD: Final = "a statement that could not be terminated is still running on the server"


@dataclass(slots=True)
class _State:
    """The state of one target."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    survivors: tuple[Backend, ...] = ()
    checked_s: float = 0.0


class Breaker:
    """Tracks the backends that outlived their worker, by target. Thread-safe."""

    def __init__(
        self,
        targets: Iterable[Target],
        survivors: Callable[[Target, Sequence[Backend]], tuple[Backend, ...]],
    ) -> None:
        """Start with no target held.

        Args:
            targets: The targets.
            survivors: Terminates backends of a target and returns those still running.
        """
        self._survivors = survivors
        self._states = {target.alias: _State() for target in targets}

    @property
    def held(self) -> dict[str, int]:
        """The number of backends left behind, for each target that is held for them."""
        left = {alias: len(state.survivors) for alias, state in self._states.items()}
        return {alias: count for alias, count in left.items() if count}

    def holds(self, target: Target) -> bool:
        """Return whether nothing may be sent to a target now; waits for a check in progress."""
        state = self._states[target.alias]
        with state.lock:
            if state.survivors and monotonic() - state.checked_s > _RECHECK_S:
                self._check(target, state, state.survivors)
            return bool(state.survivors)

    def left_behind(self, target: Target, backend: Backend) -> None:
        """Record a backend whose worker has ended, and end it where that is possible."""
        state = self._states[target.alias]
        with state.lock:
            self._check(target, state, (*state.survivors, backend))

    def _check(self, target: Target, state: _State, backends: tuple[Backend, ...]) -> None:
        was_held = bool(state.survivors)
        state.survivors = self._survivors(target, backends)
        state.checked_s = monotonic()
        if state.survivors and not was_held:
            _log.error(
                "target %s is held: %s (backends %s). No statement is sent until it has ended;"
                " you may have to terminate it on the server",
                *(target.alias, HELD, ", ".join(map(str, state.survivors))),
            )
        elif was_held and not state.survivors:
            _log.warning("target %s is released: no backend is still running", target.alias)


@lru_cache(maxsize=1024)
def warn_once(alias: str, warnings: tuple[str, ...]) -> None:
    """Log missing restrictions of a target's role, each only once."""
    for warning in warnings:
        _log.warning("target %s: %s", alias, warning)
