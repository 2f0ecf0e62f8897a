"""Metrics read at each collection: queue depths, ages, versions.

Tests: `tests/telemetry/test_instruments.py` and `tests/tracing/test_series.py`.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Final

from opentelemetry.metrics import Observation

from sqlobs import semconv
from sqlobs._version import __version__
from sqlobs.dialects.catalog import checker_version
from sqlobs.dialects.documents import data_version
from sqlobs.semconv import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from opentelemetry.metrics import CallbackOptions, Meter

    from sqlobs.semconv.metrics import Metric

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


def show_build(meter: Meter, read: Callable[[CallbackOptions], Iterable[Observation]]) -> None:
    """Report the running versions on a meter; only its first callback is ever used."""
    metric = metrics.BUILD_INFO
    meter.create_observable_gauge(
        metric.name, callbacks=[read], unit=metric.unit, description=metric.brief
    )


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
        self._sources: dict[object, tuple[Metric, Labels, Read]] = {}
        for metric, create in (
            (metrics.QUEUE_SIZE, meter.create_observable_up_down_counter),
            (metrics.SCHEMA_AGE, meter.create_observable_gauge),
            (metrics.SCHEMA_DRIFT, meter.create_observable_gauge),
        ):
            create(
                metric.name,
                callbacks=[self._reader(metric)],
                unit=metric.unit,
                description=metric.brief,
            )
        show_build(meter, lambda _: build_info(identity))

    def add(
        self, metric: Metric, labels: Mapping[str, str | bool], read: Read
    ) -> Callable[[], None]:
        """Report a value from now on; returns a function that stops it."""
        handle = object()
        self._sources[handle] = (metric, dict(labels), read)

        def end() -> None:
            self._sources.pop(handle, None)

        return end

    def _reader(self, metric: Metric) -> Callable[[CallbackOptions], Iterable[Observation]]:
        def observe(_: CallbackOptions) -> Iterable[Observation]:
            totals: dict[frozenset[tuple[str, str | bool]], float] = {}
            for shown, labels, read in tuple(self._sources.values()):
                if shown is metric and (value := read()) is not None:
                    key = frozenset(labels.items())
                    totals[key] = (
                        totals.get(key, 0) + value
                        if metric.kind == "updown"
                        else max(totals.get(key, value), value)
                    )
            return [Observation(value, dict(key)) for key, value in totals.items()]

        return observe
