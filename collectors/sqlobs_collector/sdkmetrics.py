"""The SDK's metrics, received over OTLP and exposed on `/metrics`, so that one scrape is enough.

Everything in a line except its value is formatted once, when the series appears. Pages are written
on a thread, so that the event loop stays free for intake.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality

from sqlobs import semconv
from sqlobs.semconv.metrics import METRICS
from sqlobs_collector.otlp.triage import MOST_BUCKETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
        ExportMetricsServiceRequest,
    )
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.metrics.v1 import metrics_pb2 as otlp

    from sqlobs.semconv.metrics import Metric

    _Point = otlp.NumberDataPoint | otlp.HistogramDataPoint

SILENCE_S: Final = 300
"""An instance that sent nothing for this long is removed."""
MAX_LINES: Final = 400_000
"""Lines of all series together; 30 instances with every series they may have stay below it."""
_MAX_TEXT: Final = 256
"""Maximum characters of a label's value: names of models, workflows and services are shorter."""
_ESCAPES: Final = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})
_INSTANCE: Final = semconv.IDENTITY.index(semconv.SERVICE_INSTANCE_ID)

_Labels = tuple[str, ...]
"""The workspace, the identity, and the labels of the metric, as declared."""


@dataclass(slots=True)
class _Series:
    """The last known state of one stream, accumulated where it was sent as differences."""

    workspace: str
    heads: list[str]
    """What precedes the value, workspace and brace, of each line."""
    bounds: tuple[float, ...]
    """Of a histogram's buckets."""
    seen_s: float = 0.0
    values: list[float] = field(default_factory=list)
    """One, or the observations per bucket and their sum."""
    exemplars: dict[int, str] = field(default_factory=dict)
    """The newest by line."""


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
        self._families: dict[str, dict[_Labels, _Series]] = {}
        self._lines = 0

    def consume(self, request: ExportMetricsServiceRequest, *, workspace: str) -> None:
        """Update the series from a request; metrics outside the contract are ignored."""
        with self._lock:
            self._forget()
        for resource in request.resource_metrics:
            resource_labels = _texts(resource.resource.attributes)
            for scope in resource.scope_metrics:
                for metric in scope.metrics if scope.scope.name == semconv.SCOPE else ():
                    with self._lock:  # released between metrics: small requests do not wait
                        self._take(metric, workspace, resource_labels)

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
                    (_named(METRICS[name], labels), series.values[0])
                    for labels, series in self._families[name].items()
                    if series.values
                ]
                for name in names & self._families.keys()
            }

    def _take(self, metric: otlp.Metric, workspace: str, resource_labels: dict[str, str]) -> None:
        known, kind = METRICS.get(metric.name), metric.WhichOneof("data")
        if known is None or (known.kind == "histogram") != (kind == "histogram"):
            return
        if kind == "histogram":
            is_delta = _is_delta(metric.histogram.aggregation_temporality)
            for buckets in metric.histogram.data_points:
                if len(buckets.explicit_bounds) <= MOST_BUCKETS:  # else rejected, and counted so
                    series = self._series(known, buckets, workspace, resource_labels)
                    _add_buckets(series, buckets, is_delta=is_delta)
        elif kind in {"sum", "gauge"}:
            is_delta = kind == "sum" and _is_delta(metric.sum.aggregation_temporality)
            for point in (metric.sum if kind == "sum" else metric.gauge).data_points:
                series = self._series(known, point, workspace, resource_labels)
                _add_number(series, point, is_delta=is_delta)

    def _series(
        self, metric: Metric, point: _Point, workspace: str, resource_labels: dict[str, str]
    ) -> _Series:
        labels = _labels(metric, point, workspace, resource_labels)
        bounds = tuple(getattr(point, "explicit_bounds", ()))
        family = self._families.setdefault(metric.name, {})
        series = family.get(labels)
        if series is None or series.bounds != bounds:
            self._lines -= len(family.pop(labels).heads) if series else 0
            series = _Series(workspace, list(_heads(metric, labels, bounds)), bounds)
            if self._lines + len(series.heads) > self._max_lines:
                self._dropped(1)
                return series
            self._lines += len(series.heads)
            family[labels] = series
        series.seen_s = self._clock_s()
        return series

    def _forget(self) -> None:
        oldest_s = self._clock_s() - SILENCE_S
        for family in self._families.values():
            for labels in [one for one, series in family.items() if series.seen_s < oldest_s]:
                self._lines -= len(family.pop(labels).heads)


def _labels(
    metric: Metric, point: _Point, workspace: str, resource_labels: dict[str, str]
) -> _Labels:
    attributes = _texts(point.attributes)
    own = [attributes.get(name) or resource_labels.get(name, "") for name in semconv.IDENTITY]
    own[_INSTANCE] = own[_INSTANCE] or f"start-{point.start_time_unix_nano}"
    return workspace, *own, *(attributes.get(name, "") for name in metric.attributes)


def _named(metric: Metric, labels: _Labels) -> dict[str, str]:
    names = (*semconv.IDENTITY, *metric.attributes)
    own = {name.replace(".", "_"): value for name, value in zip(names, labels[1:], strict=True)}
    return {"workspace": labels[0], **own}


def _heads(metric: Metric, labels: _Labels, bounds: tuple[float, ...]) -> Iterator[str]:
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
    values = series.values
    if len(series.heads) > 1:
        *counts, total = values
        cumulative = list(accumulate(counts))
        values = [*cumulative, cumulative[-1], total]
    exemplars = series.exemplars if is_openmetrics else {}
    for index, (head, value) in enumerate(zip(series.heads, values, strict=False)):
        yield f"{head}{tail}{value!r}{exemplars.get(index, '')}\n"


def _add_number(series: _Series, point: otlp.NumberDataPoint, *, is_delta: bool) -> None:
    before = series.values[0] if is_delta and series.values else 0.0
    series.values = [before + _number(point)]
    for exemplar in point.exemplars:
        series.exemplars[0] = _exemplar(exemplar)


def _add_buckets(series: _Series, point: otlp.HistogramDataPoint, *, is_delta: bool) -> None:
    counts = [float(count) for count in point.bucket_counts][: len(series.bounds) + 1]
    counts += [0.0] * (len(series.bounds) + 1 - len(counts))
    values = [*counts, point.sum]
    if is_delta and series.values:
        values = [before + more for before, more in zip(series.values, values, strict=True)]
    series.values = values
    for exemplar in point.exemplars:
        value = exemplar.as_double or float(exemplar.as_int)
        series.exemplars[sum(bound < value for bound in series.bounds)] = _exemplar(exemplar)


def _is_delta(temporality: int) -> bool:
    return temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA


def _number(point: otlp.NumberDataPoint) -> float:
    return float(point.as_int) if point.WhichOneof("value") == "as_int" else point.as_double


def _exemplar(exemplar: otlp.Exemplar) -> str:
    is_integer = exemplar.WhichOneof("value") == "as_int"
    value = float(exemplar.as_int) if is_integer else exemplar.as_double
    trace, span = exemplar.trace_id[:16].hex(), exemplar.span_id[:8].hex()
    at_s = exemplar.time_unix_nano / 10**9
    return f' # {{span_id="{span}",trace_id="{trace}"}} {value!r} {at_s!r}'


def _texts(attributes: Iterable[KeyValue]) -> dict[str, str]:
    return {attribute.key: _text(attribute.value) for attribute in attributes}


def _text(value: AnyValue) -> str:
    kind = value.WhichOneof("value")
    if kind == "bool_value":
        return "true" if value.bool_value else "false"
    return "" if kind is None else str(getattr(value, kind))[:_MAX_TEXT]
