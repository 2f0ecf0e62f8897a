"""The SDK's metrics, received over OTLP and exposed on `/metrics`, so that one scrape is enough.

Everything in a line except its value is formatted once, when the series appears. Pages are written
on a thread, so that the event loop stays free for intake.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Protocol

from sqlobs import semconv
from sqlobs.semconv.metrics import METRICS
from sqlobs_collector.sdkpoints import points_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
        ExportMetricsServiceRequest,
    )

    from sqlobs.semconv.metrics import Metric
    from sqlobs_collector.series_point import Labels, SeriesPoint

SILENCE_S: Final = 300
"""An instance that sent nothing for this long is removed."""
MAX_LINES: Final = 400_000
"""Lines of all series together; 30 instances with every series they may have stay below it."""
_ESCAPES: Final = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})


@dataclass(slots=True)
class _Series:
    """The last known state of one series."""

    heads: list[str]
    """What precedes the value, workspace and brace, of each line."""
    state: SeriesPoint
    seen_s: float

    @property
    def workspace(self) -> str:
        return self.state.labels[0]


class ShownSeries(Protocol):
    """Protocol: series of the applications, for pages and alerts."""

    def text(
        self, *, workspace: str | None = None, is_named: bool = True, is_openmetrics: bool = False
    ) -> str:
        """Return the series in Prometheus' text format; see `SdkMetrics.text`."""
        ...

    def values(self, names: frozenset[str]) -> dict[str, list[tuple[dict[str, str], float]]]:
        """Return the newest values of some counters and gauges; see `SdkMetrics.values`."""
        ...


class SdkMetrics:
    """The newest state of every series of the contract; safe to use from any thread."""

    def __init__(
        self,
        *,
        dropped: Callable[[int], None],
        max_lines: int = MAX_LINES,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start without series.

        Args:
            dropped: Called with the number of data points beyond `max_lines`.
            max_lines: Lines of all series together.
            clock_s: Seconds that only grow.
        """
        self._dropped = dropped
        self._max_lines = max_lines
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._families: dict[str, dict[Labels, _Series]] = {}
        self._lines = 0

    def consume(self, request: ExportMetricsServiceRequest, *, workspace: str) -> None:
        """Update the series from a request; metrics outside the contract are ignored."""
        with self._lock:
            self._forget()
        for point in points_of(request, workspace=workspace):
            self.put(point)

    def put(self, point: SeriesPoint) -> None:
        """Update a series, or begin it."""
        with self._lock:  # released between points: small requests do not wait
            self._put(point)

    def _put(self, point: SeriesPoint) -> None:
        metric, family = METRICS[point.metric], self._families.setdefault(point.metric, {})
        series = family.get(point.labels)
        if series is None or series.state.bounds != point.bounds:
            self._lines -= len(family.pop(point.labels).heads) if series else 0
            heads = list(_heads(metric, point.labels, point.bounds))
            if self._lines + len(heads) > self._max_lines:
                self._dropped(1)
                return
            self._lines += len(heads)
            family[point.labels] = _Series(heads, point, self._clock_s())
            return
        series.state = point.after(series.state)
        series.seen_s = self._clock_s()

    def text(
        self, *, workspace: str | None = None, is_named: bool = True, is_openmetrics: bool = False
    ) -> str:
        """Return the series in Prometheus' text format, without instances that stopped sending.

        Args:
            workspace: The only workspace to include; None = all.
            is_named: Whether the series have the workspace as a label.
            is_openmetrics: Write OpenMetrics, with exemplars, without its last line.
        """
        with self._lock:
            self._forget()
            families = [
                (METRICS[name], list(series.values()))
                for name, series in sorted(self._families.items())
                if series
            ]
        lines: list[str] = []
        for metric, series in families:
            shown = [one for one in series if workspace in {None, one.workspace}]
            if shown:
                lines += _header(metric, is_openmetrics=is_openmetrics)
            for one in shown:
                tail = f',workspace="{one.workspace.translate(_ESCAPES)}"}} ' if is_named else "} "
                lines += _lines(one, tail, is_openmetrics=is_openmetrics)
        return "".join(lines)

    def values(self, names: frozenset[str]) -> dict[str, list[tuple[dict[str, str], float]]]:
        """Return the newest values of some counters and gauges: labels as Prometheus has them."""
        with self._lock:
            self._forget()
            return {
                name: [
                    (_named(METRICS[name], labels), series.state.values[0])
                    for labels, series in self._families[name].items()
                ]
                for name in names & self._families.keys()
            }

    def _forget(self) -> None:
        oldest_s = self._clock_s() - SILENCE_S
        for family in self._families.values():
            for labels in [one for one, series in family.items() if series.seen_s < oldest_s]:
                self._lines -= len(family.pop(labels).heads)


def _named(metric: Metric, labels: Labels) -> dict[str, str]:
    names = (*semconv.IDENTITY, *metric.attributes)
    own = {name.replace(".", "_"): value for name, value in zip(names, labels[1:], strict=True)}
    return {"workspace": labels[0], **own}


def _heads(metric: Metric, labels: Labels, bounds: tuple[float, ...]) -> Iterator[str]:
    """Yield what precedes the values of a series: one line, or buckets, count and sum."""
    names = (*semconv.IDENTITY, *metric.attributes)
    texts = {
        name.replace(".", "_"): value.translate(_ESCAPES)
        for name, value in zip(names, labels[1:], strict=True)
    }
    name = metric.prometheus_name
    if metric.kind != "histogram":
        yield _head(name, texts)
        return
    for bound in (*map(str, bounds), "+Inf"):
        yield _head(f"{name}_bucket", {**texts, "le": bound})
    yield _head(f"{name}_count", texts)
    yield _head(f"{name}_sum", texts)


def _head(name: str, labels: dict[str, str]) -> str:
    pairs = (f'{key}="{labels[key]}"' for key in sorted(labels) if labels[key])
    return f"{name}{{{','.join(pairs)}"


def _header(metric: Metric, *, is_openmetrics: bool) -> Iterator[str]:
    name = metric.prometheus_name
    if is_openmetrics and metric.kind == "counter":
        name = name.removesuffix("_total")
    kind = "gauge" if metric.kind == "updown" else metric.kind
    text = metric.brief.replace("\\", r"\\")
    yield f"# HELP {name} {text}\n"
    yield f"# TYPE {name} {kind}\n"


def _lines(series: _Series, tail: str, *, is_openmetrics: bool) -> Iterator[str]:
    values = series.state.values
    if len(series.heads) > 1:
        *counts, total = values
        cumulative = list(accumulate(counts))
        values = (*cumulative, cumulative[-1], total)
    exemplars = series.state.exemplars if is_openmetrics else {}
    for index, (head, value) in enumerate(zip(series.heads, values, strict=False)):
        yield f"{head}{tail}{value!r}{exemplars.get(index, '')}\n"
