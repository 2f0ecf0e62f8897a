"""Metrics read at each collection: queue depths, ages, versions, and zeros of what never happened.

Tests: `tests/telemetry/test_instruments.py` and `tests/tracing/test_series.py`.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from opentelemetry import metrics as metrics_api
from opentelemetry.metrics import CallbackOptions, Meter, MeterProvider, Observation

from sqlobs import semconv
from sqlobs._version import __version__
from sqlobs.dialects.catalog import checker_version
from sqlobs.dialects.documents import data_version
from sqlobs.semconv import evaluations, metrics
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.sending.adaptive_counts import AdaptiveCounts

if TYPE_CHECKING:
    from sqlobs.semconv.metrics import Metric
    from sqlobs.types import Label

    Identity = Callable[[], dict[str, str | bool]]
    Labels = dict[str, str | bool]
    Read = Callable[[], float | None]

_ON_METERS: Final[weakref.WeakKeyDictionary[Meter, ObservableMetrics]] = weakref.WeakKeyDictionary()
_LOCK: Final = threading.Lock()


def observable_metrics_on(meter: Meter, identity: Labels) -> ObservableMetrics:
    """Return the observable metrics of a meter, made with the labels of every series.

    An SDK keeps only the callbacks of the first instrument of a name, so two instances in a
    process, which get the same meter, share them.
    """
    with _LOCK:
        if meter not in _ON_METERS:
            _ON_METERS[meter] = ObservableMetrics(meter, identity)
        return _ON_METERS[meter]


def build_info(identity: Labels) -> Iterable[Observation]:
    """Return the running versions, as labels of a 1."""
    labels = {
        **identity,
        semconv.SQLOBS_BUILD_VERSION: __version__,
        semconv.SQLOBS_CHECKER_VERSION: checker_version(),
        semconv.SQLOBS_CATALOG_VERSION: data_version(),
    }
    return [Observation(1, labels)]


class ObservableMetrics:
    """The sources of the observed metrics of one meter."""

    def __init__(self, meter: Meter, identity: Labels) -> None:
        self._meter = meter
        self._sources: dict[object, tuple[Metric, Labels, Read]] = {}
        self._counts: dict[tuple[object, ...], tuple[Labels, AdaptiveCounts]] = {}
        self._pages: Counter[str] = Counter()
        self._starts: dict[tuple[object, ...], tuple[Labels, float]] = {}
        self._gathering: dict[object, Callable[[], None]] = {}
        self._lock = threading.Lock()
        for metric, create in (
            (metrics.SERIES_FOLDED, meter.create_observable_counter),
            (metrics.QUEUE_SIZE, meter.create_observable_up_down_counter),
            (metrics.SCHEMA_AGE, meter.create_observable_gauge),
            (metrics.SCHEMA_STALE, meter.create_observable_gauge),
            (metrics.SCHEMA_DRIFT, meter.create_observable_gauge),
        ):
            create(**metric.described, callbacks=[self._reader(metric)])
        for metric, read in (
            (metrics.BUILD_INFO, lambda _: build_info(identity)),
            (metrics.START_TIME, self._observe_starts),
        ):
            meter.create_observable_gauge(**metric.described, callbacks=[read])

    def add(
        self, metric: Metric, labels: Mapping[str, str | bool], read: Read
    ) -> Callable[[], object]:
        """Report a value from now on; returns a function that stops it."""
        handle = object()
        self._sources[handle] = (metric, dict(labels), read)
        return lambda: self._sources.pop(handle, None)

    def before_collection(self, call: Callable[[], None]) -> Callable[[], object]:
        """Call a function whenever metrics are collected; returns a function that stops it.

        An SDK asks all callbacks before it reads what synchronous instruments have counted.
        """
        handle = object()
        self._gathering[handle] = call
        return lambda: self._gathering.pop(handle, None)

    def started(self, identity: Labels) -> None:
        """Report from when on this process counts; a later call changes nothing."""
        key = (os.getpid(), *sorted(identity.items()))
        self._starts.setdefault(key, (dict(identity), time.time_ns() / 1e9))

    def counts(self, metric: Metric, identity: Labels) -> AdaptiveCounts:
        """Return the counts of a metric with open names, in this process and of one service.

        They outlive the instance that asked, as an SDK's own counters do.
        """
        pid = os.getpid()
        key = (metric.name, pid, *sorted(identity.items()))
        if key not in self._counts:
            made = AdaptiveCounts(metric.folds)
            _, counts = self._counts.setdefault(key, (dict(identity), made))
            named = {**identity, semconv.SQLOBS_METRIC_NAME: metric.name}
            self.add(
                metrics.SERIES_FOLDED,
                named,
                lambda: counts.folded or None if os.getpid() == pid else None,
            )
            self.show_pages(metric, counts, lambda _: self._meter)
        return self._counts[key][1]

    def show_pages(
        self, metric: Metric, counts: AdaptiveCounts, meter: Callable[[int], Meter]
    ) -> None:
        """Make the instruments that are missing: an SDK's holds a limited number of series."""
        if self._pages[metric.name] >= counts.pages:
            return
        with self._lock:
            for page in range(self._pages[metric.name], counts.pages):
                callbacks = [self._counter(metric, page)]
                meter(page).create_observable_counter(**metric.described, callbacks=callbacks)
                self._pages[metric.name] = page + 1

    def _counter(
        self, metric: Metric, page: int
    ) -> Callable[[CallbackOptions], Iterable[Observation]]:
        def observe(_: CallbackOptions) -> Iterable[Observation]:
            for (name, pid, *_of), (identity, counts) in tuple(self._counts.items()):
                if name == metric.name and pid == os.getpid():  # else of the process that forked
                    for names, rest, value in counts.collected(page):
                        labels = zip(metric.attributes, (*names, *rest), strict=True)
                        known = {label: text for label, text in labels if text is not None}
                        yield Observation(value, {**identity, **known})

        return observe

    def _observe_starts(self, _: CallbackOptions) -> Iterable[Observation]:
        for call in tuple(self._gathering.values()):
            call()
        for (pid, *_of), (identity, started_s) in tuple(self._starts.items()):
            if pid == os.getpid():
                yield Observation(started_s, identity)

    def _reader(self, metric: Metric) -> Callable[[CallbackOptions], Iterable[Observation]]:
        def observe(_: CallbackOptions) -> Iterable[Observation]:
            totals: dict[frozenset[tuple[str, str | bool]], float] = {}
            for shown, labels, read in tuple(self._sources.values()):
                if shown is metric and (value := read()) is not None:
                    key = frozenset(labels.items())
                    totals[key] = (
                        totals.get(key, 0) + value
                        if metric.kind in {"updown", "counter"}
                        else max(totals.get(key, value), value)
                    )
            return [Observation(value, dict(key)) for key, value in totals.items()]

        return observe


WORKFLOW_LIMIT: Final = 100
"""Workflows with a label of their own; later ones are `other`."""

_LABELS: Final[tuple[Label, ...]] = ("pass", "fail", "not_evaluated")


def zero_series_on(provider: MeterProvider | None) -> ZeroSeries:
    """Return the zero series of a provider, by default the global one."""
    return _on_global() if provider is None else ZeroSeries(_meter_of(provider))


@cache
def _on_global() -> ZeroSeries:
    return ZeroSeries(_meter_of(metrics_api.get_meter_provider()))


def _meter_of(provider: MeterProvider) -> Meter:
    return provider.get_meter(semconv.SCOPE, __version__, schema_url=semconv.SCHEMA_URL)


class ZeroSeries:
    """Initializes the series of alerts to 0, so that `rate()` sees the first failure.

    The zeros are written when metrics are collected for the first time after a function was
    decorated, called or not: an observable instrument is registered on the application's meter
    provider, even before that exists, and its callback runs in the process that collects. Without
    a provider of the application the runtime writes the zeros, on ours.
    """

    def __init__(self, meter: Meter) -> None:
        self._evaluations = meter.create_counter(**metrics.EVALUATIONS.described)
        self._waiting: list[tuple[str, Identity]] = []
        self._known: set[str] = set()
        self._identity: Identity = dict
        meter.create_observable_gauge(**metrics.BUILD_INFO.described, callbacks=[self._collected])

    def declare(self, workflow: str, identity: Identity) -> None:
        """Write the zeros of a workflow at the next collection.

        Args:
            workflow: Its name.
            identity: Returns the labels of every series, in the process that collects.
        """
        if workflow not in self._known and len(self._known) < WORKFLOW_LIMIT:
            self._known.add(workflow)
            self._waiting.append((workflow, identity))
            self._identity = identity

    def _collected(self, _: CallbackOptions) -> Iterable[Observation]:
        with INTERNAL_ERRORS.contained("metrics"):
            while self._waiting:
                workflow, identity = self._waiting.pop()
                of = identity()
                for labels in evaluation_labels(workflow):
                    self._evaluations.add(0, {**of, **labels})
            return build_info(self._identity())
        return ()


def evaluation_labels(workflow: str) -> Iterator[dict[str, str | bool]]:
    """Yield the labels of each series of a workflow that alerts use."""
    for name in evaluations.ONLINE:
        for label in _LABELS:
            yield {
                semconv.SQLOBS_WORKFLOW: workflow,
                semconv.GEN_AI_EVALUATION_NAME: name,
                semconv.GEN_AI_EVALUATION_SCORE_LABEL: label,
            }
