"""What counters gained in a window, exactly, whatever happened to processes and scrapes.

`increase` extrapolates, starts at a series' first sample, and cannot tell a series that is new from
one that was not scraped. Here a counter's increment is its last value minus its value at the
window's start. A series that had none counts from 0 if it is new: its process started inside the
window (`sqlobs_start_time_seconds`), or has series with more samples in the window. Otherwise it
was there and nobody looked, as with a new Prometheus or after a gap: then it counts from its first
sample. What a process counted before it restarted under its old id is over.

Tests: `tests/monitoring/test_rules.py`, `tests/monitoring/test_twin.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.monitoring.promql import (
    INSTANCE,
    SERVICE,
    Selection,
    aggregated,
    block,
    lines,
    number,
)
from sqlobs.semconv import metrics
from sqlobs.semconv.collector import CollectorMetric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.monitoring.settings import RuleSettings

LOOKBACK_S: Final = 300
"""A sample is a series' value for this long, as in Prometheus."""
_PROCESS: Final = ", ".join((*SERVICE, INSTANCE))


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time that rates are taken over; its name stays whatever the scale."""

    name: str
    seconds: int


MINUTES_5: Final = Window("5m", 300)
MINUTES_13: Final = Window("13m", 780)
MINUTES_15: Final = Window("15m", 900)
MINUTES_30: Final = Window("30m", 1800)
HOUR: Final = Window("1h", 3600)
HOURS_6: Final = Window("6h", 21_600)
DAY: Final = Window("1d", 86_400)
DAYS_3: Final = Window("3d", 259_200)


def gained(
    selections: Sequence[Selection], window: Window, *, by: Sequence[str], settings: RuleSettings
) -> str:
    """Return what counters gained in a window, summed by labels; a second path counts once.

    Args:
        selections: The counters; of several, those that exist are added up.
        window: Up to now.
        by: Labels of the sum.
        settings: Scale, and the job of the collector.
    """
    streams = [
        _gained_by_collector(each, window, settings)
        if isinstance(each.metric, CollectorMetric)
        else _gained_by_processes(each, window, settings)
        for each in selections
    ]
    return aggregated("sum", "\nor\n".join(streams), by=by)


def tiled(recorded: str, window: Window, *, tile: Window, settings: RuleSettings) -> str:
    """Return the sum of a recorded increment over a long window, put together from short ones."""
    span, step = settings.duration(window.seconds), settings.duration(tile.seconds)
    return f"sum_over_time({recorded}[{span}:{step}])"


def _gained_by_processes(selection: Selection, window: Window, settings: RuleSettings) -> str:
    span, look = settings.duration(window.seconds), settings.duration(LOOKBACK_S)
    start = Selection(metrics.START_TIME)
    family = Selection(selection.metric, suffix=selection.suffix and "_count")
    last = _stream(selection, _newest(selection, span))
    before = _stream(selection, f"last_over_time({selection}[{look}] offset {span})")
    first = _stream(selection, f"min_over_time({selection}[{span}])")
    samples = _stream(selection, f"count_over_time({selection}[{span}])")
    of_process = f"count_over_time({start}[{span}]) or count_over_time({family}[{span}])"
    started = (
        f"last_over_time({start}[{span}]) > time() - {number(window.seconds * settings.scale)}"
    )
    is_old = f"{samples} >= on ({_PROCESS}) group_left () max by ({_PROCESS}) ({of_process})"
    base = lines(
        f"{before} unless on ({_PROCESS}) ({started})",
        f"or ({first} and ({is_old}) unless on ({_PROCESS}) ({started}))",
    )
    # Below 0: a counter that began again in a process that does not say when it started.
    return lines(f"(clamp_min({last} - {block((base,))}, 0)", f"or {last})")


def _newest(selection: Selection, span: str) -> str:
    """Return each counter's last value; of a restarted process, only if it is of its new life."""
    start = Selection(metrics.START_TIME)
    began = f"max by ({_PROCESS}) ({start})"
    return lines(
        f"last_over_time({selection}[{span}]) unless on ({_PROCESS}) changes({start}[{span}]) > 0",
        f"or ({selection} and timestamp({selection}) >= on ({_PROCESS}) group_left () {began})",
    )


def _stream(selection: Selection, expression: str) -> str:
    """Return a per-series expression with each process' stream taken once."""
    return f"max by ({', '.join(selection.labels)}) ({expression})"


def _gained_by_collector(selection: Selection, window: Window, settings: RuleSettings) -> str:
    span, look = settings.duration(window.seconds), settings.duration(LOOKBACK_S)
    before = f"last_over_time({selection}[{look}] offset {span})"
    scrapes = f'sum_over_time(up{{job="{settings.job}"}}[{span}])'
    samples = f"count_over_time({selection}[{span}])"
    is_new = f"{samples} < on (job, instance) group_left () {scrapes}"
    return lines(
        f"(last_over_time({selection}[{span}]) unless {before} and ({is_new})",
        f"or increase({selection}[{span}]))",
    )
