"""What counters gained between two points of a graph, exactly, so that bars add up to the count.

`increase` extrapolates: with an export every 60 s and a scrape every 15 s, a window of a minute
shows a third too much in three of four points and nothing in the fourth. Here a point is the last
value minus the last value before the window, so that neighboring windows add up. A series that was
not there before counts from 0 if its process was seen before or has just started; else it was there
and not scraped, after a gap or in a new Prometheus, and counts from its first sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.monitoring.promql import INSTANCE, SERVICE, Selection, aggregated, block, lines
from sqlobs.semconv import metrics
from sqlobs.semconv.collector import CollectorMetric

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOKBACK: Final = "1h"
"""How long a gap may be for a series to count as seen before it."""
_JUST_STARTED_S: Final = 300
"""How long the first export of a process may take, with the scrape behind it."""
_PROCESS: Final = (*SERVICE, INSTANCE)
_SCRAPED: Final = ("job", "instance")


@dataclass(frozen=True, slots=True)
class Span:
    """A window of time as Grafana substitutes it."""

    duration: str
    seconds: str
    """The same as a number."""


RANGE: Final = Span("$__range", "$__range_s")
"""The dashboard's time range."""
POINT: Final = Span("$__interval", "$__interval_ms / 1000")
"""From one point of a graph to the next: bars of it add up."""
STEP: Final = Span("$__rate_interval", "$__rate_interval_ms / 1000")
"""At least four exports: a rate over it does not jump."""
MINUTES_15: Final = Span("15m", "900")
"""Shares over it do not jump where a few requests make a point."""
MINUTES_2: Final = Span("2m", "120")
HOUR: Final = Span("1h", "3600")


def counted(selection: Selection, span: Span, *, by: Sequence[str]) -> str:
    """Return what counters gained, summed by labels; a second path to Prometheus counts once."""
    return aggregated("sum", gained(selection, span), by=by)


def gained(selection: Selection, span: Span) -> str:
    """Return what each stream of a counter gained."""
    window = span.duration
    last = _stream(selection, f"last_over_time({selection}[{window}])")
    before = _stream(selection, f"last_over_time({selection}[{_LOOKBACK}] offset {window})")
    first = _stream(selection, f"min_over_time({selection}[{window}])")
    is_collector = isinstance(selection.metric, CollectorMetric)
    source = ", ".join(_SCRAPED if is_collector else _PROCESS)
    born = _scraped_before(selection, span) if is_collector else _seen_or_started(span)
    unseen = f"{first} unless on ({source}) {block((born,))}"
    base = block((before, f"or ({unseen})"))
    # Below 0: the counter began again in the same series.
    return lines(f"({last} - {base} >= 0)", f"or {last}")


def _seen_or_started(span: Span) -> str:
    start = Selection(metrics.START_TIME)
    return lines(
        f"last_over_time({start}[{_LOOKBACK}] offset {span.duration})",
        f"or last_over_time({start}[{span.duration}])"
        f" > time() - {span.seconds} - {_JUST_STARTED_S}",
    )


def _scraped_before(selection: Selection, span: Span) -> str:
    family = Selection(selection.metric)
    return f"last_over_time({family}[{_LOOKBACK}] offset {span.duration})"


def _stream(selection: Selection, expression: str) -> str:
    return f"max by ({', '.join(selection.labels)}) ({expression})"
