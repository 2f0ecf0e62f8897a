"""The conditions of the alerts on latency, traffic and cost, for numbers that come from no rule.

The rules of `usage.py` have the same conditions as PromQL; both read the same constants.

Tests: `tests/collector/test_notifying_usage.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.monitoring.objectives import DAYS
from sqlobs.monitoring.rate_conditions import is_about, objective_of
from sqlobs.monitoring.usage import (
    LEAST_COST_USD,
    LEAST_LATENCY_S,
    MINUTES_10,
    TIMES_USUAL,
    USUAL_REQUESTS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlobs.monitoring.objectives import Objectives, Schedule


@dataclass(frozen=True, slots=True)
class Latency:
    """How long requests of the last ten minutes took, and what is usual."""

    requests: int
    p95_s: float
    p80_s: float
    usual_s: float | None
    """The median of the p95 of ten minutes over the day before; None: nothing is known."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What model calls cost, in USD."""

    hour: float
    day: float
    usual_day: float
    """Of the day that ended an hour ago."""
    is_known: bool
    """Whether there was a cost a day ago."""


def is_slow(found: Latency, labels: Mapping[str, str], chosen: Objectives) -> bool:
    """Return whether SqlobsLatency's condition holds for a workflow."""
    if found.requests < chosen.min_requests:
        return False
    limit: float | None = objective_of("latency_p95_s", labels, chosen)
    if limit is not None:
        return found.p95_s > limit
    usual = found.usual_s
    return usual is not None and (
        found.p95_s > max(TIMES_USUAL * usual, LEAST_LATENCY_S) and found.p80_s > usual
    )


def is_costly(found: Cost, labels: Mapping[str, str], chosen: Objectives) -> bool:
    """Return whether SqlobsCost's condition holds for a workflow."""
    limit: float | None = objective_of("cost_usd_per_day", labels, chosen)
    if limit is not None:
        return found.day > limit
    is_unusual = 24 * found.hour > TIMES_USUAL * found.usual_day
    return is_unusual and found.hour > LEAST_COST_USD and found.is_known


def is_missed(
    earlier: Sequence[int], labels: Mapping[str, str], chosen: Objectives, *, now: datetime
) -> bool:
    """Return whether there should be traffic now.

    Args:
        earlier: Requests of ten minutes at the same time of other days, see `SAME_TIME_S`.
        labels: The workflow.
        chosen: The objectives, with schedules.
        now: In UTC.
    """
    for each in chosen.workflows:
        if each.schedule is not None and is_about(each, labels):
            return _is_within(each.schedule, now)
    return all(count >= USUAL_REQUESTS for count in earlier)


def _is_within(schedule: Schedule, now: datetime) -> bool:
    """Return whether it is at least a window inside a schedule, as `usage.is_within` says."""
    minutes = now.hour * 60 + now.minute
    start = schedule.start.hour * 60 + schedule.start.minute + MINUTES_10.seconds // 60
    end = schedule.end.hour * 60 + schedule.end.minute or 1440
    return start <= minutes < end and DAYS[now.weekday()] in schedule.days
