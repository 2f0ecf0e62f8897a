"""Reachability of targets: probed at the start, then observed from executed statements."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from sqlobs.dialects.registry import dialect_of
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Limits
from sqlobs_collector.polling_worker import PollingWorker

if TYPE_CHECKING:
    from sqlobs.execution.executor import Executor
    from sqlobs.execution.outcome import Execution
    from sqlobs_collector.evaluation.requests import Targets

_log = logging.getLogger(__name__)

AGAIN_S: Final = 30.0
"""Interval at which an unreachable target is probed again."""
_IDLE_S: Final = 3600.0
_LIMITS: Final = Limits(timeout_s=5.0, max_rows=1)


def probe(executor: Executor, targets: Targets, alias: str) -> str | None:
    """Return why a target cannot be used; None = it is reachable."""
    settings = targets.known[alias]
    request = ExecutionRequest(
        sql=dialect_of(settings.dialect).execution.probe,
        target=alias,
        limits=_LIMITS,
        session=dict.fromkeys(settings.session, ""),
    )
    return obstacle(executor.run(request).prediction)


def obstacle(execution: Execution) -> str | None:
    """Return why a target did not accept a statement; `None` = it did, with any outcome."""
    if execution.reason is None:
        return None
    return execution.outcome.error or execution.reason


class TargetWatch:
    """Tracks which targets are unreachable, and logs each change once."""

    def __init__(self, executor: Executor, targets: Targets) -> None:
        self._executor = executor
        self._targets = targets
        self._unasked = set(targets.known)
        self._down: set[str] = set()
        self._follower = PollingWorker("targets", self._poll)

    def start(self) -> None:
        """Start the worker."""
        self._follower.start()

    def stop(self) -> None:
        """End; idempotent."""
        self._follower.stop()

    def is_up(self, alias: str) -> bool:
        """Return whether a target was reachable last time; True before the first time."""
        return alias not in self._down

    def heard(self, alias: str, execution: Execution) -> None:
        """Record a statement's outcome."""
        if self._note(alias, obstacle(execution)):
            self._follower.notify()

    def _poll(self) -> float:
        for alias in sorted(self._unasked | self._down):
            if self._follower.is_stopping:
                break
            self._note(alias, probe(self._executor, self._targets, alias))
        return AGAIN_S if self._down else _IDLE_S

    def _note(self, alias: str, why_not: str | None) -> bool:
        """Record a target's state; return whether it has just become unusable."""
        has_failed = why_not is not None and alias not in self._down
        self._unasked.discard(alias)
        if why_not is None and alias in self._down:
            self._down.discard(alias)
            _log.info("target %s is available again", alias)
        elif has_failed:
            self._down.add(alias)
            _log.warning(
                "target %s is unavailable (%s): its units are retried for one hour",
                alias,
                why_not,
            )
        return has_failed
