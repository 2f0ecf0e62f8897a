"""The alerts on what requests take: latency, cost, and whether there are any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring.increments import DAY, HOUR, Window, gained, tiled
from sqlobs.monitoring.objectives import DAYS
from sqlobs.monitoring.promql import WORKFLOW, Selection, block, lines, number
from sqlobs.monitoring.rates import any_of
from sqlobs.monitoring.rules import Alert, Group, Recording
from sqlobs.monitoring.service_rates import matchers
from sqlobs.semconv import metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.monitoring.objectives import Schedule, WorkflowObjectives
    from sqlobs.monitoring.settings import RuleSettings

MINUTES_10: Final = Window("10m", 600)
_LATENCY: Final = "workflow:sqlobs_latency_p95:10m"
_SLOWEST_FIFTH: Final = "workflow:sqlobs_latency_p80:10m"
_REQUESTS: Final = "workflow:sqlobs_requests:increase10m"
_BUCKETS: Final = "workflow:sqlobs_latency_bucket:increase10m"
_COST: Final = "workflow:sqlobs_cost_usd:increase1h"
_DAILY_COST: Final = "workflow:sqlobs_cost_usd:increase1d"

TIMES_USUAL: Final = 3
LEAST_LATENCY_S: Final = 1
LEAST_COST_USD: Final = 1
USUAL_REQUESTS: Final = 30
"""Requests in a window at this time of the day, below which silence may be chance."""
SAME_TIME_S: Final = (86_400, 82_800, 90_000, 604_800)
"""So long ago there must have been traffic: yesterday, an hour after and before, and last week."""


def groups(settings: RuleSettings) -> Iterator[Group]:
    """Yield recordings and alerts."""
    yield Group(
        "sqlobs-usage",
        30,
        (
            *_recordings(settings),
            _latency(settings),
            _no_traffic(settings),
            _cost(settings),
        ),
    )


def _recordings(settings: RuleSettings) -> Iterator[Recording]:
    total = Selection(metrics.STAGE_DURATION, {semconv.SQLOBS_STAGE: "total"}, suffix="_bucket")
    cost, all_requests = Selection(metrics.USAGE_COST), Selection(metrics.GENERATIONS)
    buckets = gained((total,), MINUTES_10, by=(*WORKFLOW, "le"), settings=settings)
    yield Recording(_BUCKETS, buckets)
    yield Recording(_LATENCY, f"histogram_quantile(0.95, {_BUCKETS})")
    yield Recording(_SLOWEST_FIFTH, f"histogram_quantile(0.8, {_BUCKETS})")
    yield Recording(_REQUESTS, gained((all_requests,), MINUTES_10, by=WORKFLOW, settings=settings))
    yield Recording(_COST, gained((cost,), HOUR, by=WORKFLOW, settings=settings))
    yield Recording(_DAILY_COST, tiled(_COST, DAY, tile=HOUR, settings=settings))


def _own(settings: RuleSettings, key: str) -> Iterator[tuple[WorkflowObjectives, float]]:
    for each in settings.objectives.workflows:
        value = getattr(each, key)
        if value is not None:
            yield each, value


def _above(series: str, key: str, settings: RuleSettings, *, usual: str) -> str:
    """Return the condition that a series is above each workflow's objective, else unusual."""
    own = [f"{series}{matchers(each)} > {number(value)}" for each, value in _own(settings, key)]
    others = "".join(f"\nunless {series}{matchers(each)}" for each, _ in _own(settings, key))
    limit = getattr(settings.objectives, key)
    rest = usual if limit is None else f"{series} > {number(limit)}"
    return "\nor\n".join((*own, f"({rest}){others}"))


def _latency(settings: RuleSettings) -> Alert:
    day, half_hour = settings.duration(DAY.seconds), settings.duration(1800)
    usual = f"quantile_over_time(0.5, {_LATENCY}[{day}] offset {half_hour})"
    unusual = lines(
        f"{_LATENCY} > {TIMES_USUAL} * {usual} and {_LATENCY} > {LEAST_LATENCY_S}",
        # The p95 of a hundred requests hangs on five; a fifth is not slow by chance.
        f"and {_SLOWEST_FIFTH} > {usual}",
    )
    above = _above(_LATENCY, "latency_p95_s", settings, usual=unusual)
    return Alert(
        name="SqlobsLatency",
        severity="page",
        expr=lines(block((above,)), f"and {_REQUESTS} >= {settings.objectives.min_requests}"),
        hold_s=180,
        scope="workflow",
        summary="p95 of a request is {{ $value | humanizeDuration }}",
        description=(
            "Requests take longer than the objective, or than three times the previous day's p95."
            " The stages of sqlobs_stage_duration_seconds say where: model, retrieval or execution."
        ),
    )


def _no_traffic(settings: RuleSettings) -> Alert:
    scheduled = [
        (each, each.schedule) for each in settings.objectives.workflows if each.schedule is not None
    ]
    usual = "\nand ".join(
        f"{_REQUESTS} offset {settings.duration(seconds)} >= {USUAL_REQUESTS}"
        for seconds in SAME_TIME_S
    )
    # The schedule of a workflow decides alone.
    own = "".join(
        f"\nunless {_REQUESTS}{matchers(each)} offset {settings.duration(DAY.seconds)}"
        for each, _ in scheduled
    )
    expected = [
        f"({usual}){own}",
        *(_expected(each, schedule, settings) for each, schedule in scheduled),
    ]
    up, window = f'up{{job="{settings.job}"}}', settings.duration(MINUTES_10.seconds)
    day = settings.duration(DAY.seconds)
    return Alert(
        name="SqlobsNoTraffic",
        severity="page",
        expr=lines(
            f"0 * {block((any_of(expected),))}",
            f"unless on ({', '.join(WORKFLOW)}) ({_REQUESTS} > 0)",
            f"and on () (absent_over_time({up}[{day}]) or {up} == 1 and {up} offset {window} == 1)",
        ),
        hold_s=120,
        scope="workflow",
        summary="no request arrives, and at this time there are many",
        description=(
            "Callers do not reach the workflow, or the application no longer runs or no longer"
            " exports metrics. Yesterday and a week ago there were requests at this time, or the"
            " schedule says so."
        ),
    )


def _expected(chosen: WorkflowObjectives, schedule: Schedule, settings: RuleSettings) -> str:
    """Return one series for a workflow of the last week while its schedule has traffic."""
    week, step = settings.duration(604_800), settings.duration(3600)
    known = f"max_over_time({_REQUESTS}{matchers(chosen)}[{week}:{step}])"
    return f"({known} and on () ({is_within(schedule)}))"


def is_within(schedule: Schedule) -> str:
    """Return the condition that now, in UTC, is at least a window inside a schedule."""
    minutes = "(hour() * 60 + minute())"
    start = schedule.start.hour * 60 + schedule.start.minute + MINUTES_10.seconds // 60
    end = schedule.end.hour * 60 + schedule.end.minute or 1440
    numbers = sorted((DAYS.index(day) + 1) % 7 for day in schedule.days)
    days = " or ".join(f"day_of_week() == {number}" for number in numbers)
    return f"{minutes} >= {start} and {minutes} < {end} and ({days})"


def _cost(settings: RuleSettings) -> Alert:
    day, hour = settings.duration(DAY.seconds), settings.duration(HOUR.seconds)
    usual = f"{_DAILY_COST} offset {hour}"
    unusual = lines(
        f"24 * {_COST} > {TIMES_USUAL} * ({usual})",
        f"and {_COST} > {LEAST_COST_USD}",
        f"and {_COST} offset {day}",
    )
    above = _above(_DAILY_COST, "cost_usd_per_day", settings, usual=unusual)
    return Alert(
        name="SqlobsCost",
        severity="ticket",
        expr=above,
        hold_s=300,
        scope="workflow",
        summary="model calls cost {{ $value | humanize }} USD a day",
        description=(
            "More than the objective, or at three times the pace of the previous day. Look for a"
            " larger prompt, more attempts, another model, or more traffic."
        ),
        kept_s=3600,
    )
