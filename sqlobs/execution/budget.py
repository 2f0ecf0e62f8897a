"""The daily budget of a target: reserved before statements run, settled by what they cost."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.execution.access import CostLimits
    from sqlobs.execution.outcome import Execution
    from sqlobs.execution.target import Limits, Target

USED_UP: Final = "the target's daily budget does not cover this statement"


@dataclass(frozen=True, slots=True)
class Usage:
    """What statements cost: bytes read and seconds run."""

    bytes: int = 0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.bytes + other.bytes, self.seconds + other.seconds)


class UsageLedger(Protocol):
    """Records what was spent on each day and target; a persistent one survives a restart."""

    def used(self, day: str, alias: str) -> Usage:
        """Return what was spent on a target on a day in UTC (`2026-11-28`)."""
        ...

    def add(self, day: str, alias: str, usage: Usage) -> None:
        """Record what was spent."""
        ...


class MemoryUsage:
    """A ledger that ends with the process."""

    def __init__(self) -> None:
        self._used: defaultdict[tuple[str, str], Usage] = defaultdict(Usage)

    def used(self, day: str, alias: str) -> Usage:
        """Return what was spent on a target on a day."""
        return self._used[day, alias]

    def add(self, day: str, alias: str, usage: Usage) -> None:
        """Record what was spent."""
        self._used[day, alias] += usage


class Budget:
    """Admits statements as long as the rest of the day covers the most that they may cost.

    Thread-safe. A daily limit is never exceeded, as far as the warehouse keeps to the limits of
    each statement.
    """

    def __init__(self, ledger: UsageLedger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._reserved: defaultdict[str, Usage] = defaultdict(Usage)

    def reserve(self, target: Target, limits: Sequence[Limits]) -> bool:
        """Reserve the most that statements with these limits may cost; False: it is not left."""
        costs = target.access.cost
        wanted = _sum(most(costs, each) for each in limits)
        with self._lock:
            used = self._ledger.used(today(), target.alias)
            after = used + self._reserved[target.alias] + wanted
            if not _within(after, costs):
                return False
            self._reserved[target.alias] += wanted
        return True

    def settle(
        self, target: Target, limits: Sequence[Limits], executions: Iterable[Execution]
    ) -> None:
        """Replace a reservation by what the statements cost."""
        costs = target.access.cost
        reserved = _sum(most(costs, each) for each in limits)
        spent = _sum(
            cost_of(execution, most(costs, each))
            for execution, each in zip(executions, limits, strict=False)
        )
        with self._lock:
            self._reserved[target.alias] += Usage(-reserved.bytes, -reserved.seconds)
            if spent != Usage():
                self._ledger.add(today(), target.alias, spent)


def remaining(costs: CostLimits, used: Usage, limits: Limits) -> dict[str, float]:
    """Return the rest of a day's limits, by unit; 0 where it does not cover one statement."""
    least = most(costs, limits)
    rest = {
        "bytes": (costs.daily_bytes, used.bytes, least.bytes),
        "seconds": (costs.daily_seconds, used.seconds, least.seconds),
    }
    return {
        unit: daily - spent if daily - spent >= one else 0
        for unit, (daily, spent, one) in rest.items()
        if daily is not None
    }


def most(costs: CostLimits, limits: Limits) -> Usage:
    """Return the most that a statement may cost."""
    return Usage(costs.max_bytes or 0, limits.timeout_s)


def cost_of(execution: Execution, most_usage: Usage) -> Usage:
    """Return what a statement cost; where that is unknown, the most that it may have cost."""
    if execution.usage is not None:
        return execution.usage
    outcome = execution.outcome
    if outcome.status == "refused" or execution.reason not in {None, "error"}:
        return Usage()
    return Usage(most_usage.bytes, outcome.elapsed_s or most_usage.seconds)


def today() -> str:
    """Return the date in UTC."""
    return datetime.now(UTC).date().isoformat()


def _within(usage: Usage, costs: CostLimits) -> bool:
    fits = costs.daily_bytes is None or usage.bytes <= costs.daily_bytes
    return fits and (costs.daily_seconds is None or usage.seconds <= costs.daily_seconds)


def _sum(usages: Iterable[Usage]) -> Usage:
    return sum(usages, start=Usage())
