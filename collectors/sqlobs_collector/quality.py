"""Quality gauges: rates of the last hour, day and week by event time, computed from the store.

They are recomputed, not counted: a restart, a repeated batch or a drained backlog changes nothing.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from sqlobs.metrics.intervals import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from prometheus_client import Metric as Family

    from sqlobs_collector.store.quality import QualityReader, Sums

_log = logging.getLogger(__name__)

WINDOWS_S: Final = {"1h": 3600, "24h": 86_400, "7d": 604_800}
REFRESH_S: Final = 10.0
_GRADED: Final = frozenset({"exp", "exr", "f1"})
"""Evaluations whose score says more than their label."""
_WHO: Final = ("evaluation", "workflow", "window", "service_name", "deployment_environment_name")


class QualityGauges(Collector):
    """Shows what was last computed; a thread of its own computes it."""

    def __init__(
        self, reader: QualityReader, *, clock_ns: Callable[[], int] = time.time_ns
    ) -> None:
        self._reader = reader
        self._clock_ns = clock_ns
        self._families: list[Family] = []
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to compute."""
        self._thread = threading.Thread(target=self._refresh_forever, name="sqlobs-quality")
        self._thread.start()

    def stop(self) -> None:
        """End; idempotent."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stopped.set()
            thread.join()

    def collect(self) -> Iterator[Family]:
        """Yield the gauges as last computed."""
        yield from self._families

    def refresh(self) -> None:
        """Compute the gauges from the store."""
        now_ns = self._clock_ns()
        by_window = {
            window: list(self._reader.sums(since_ns=now_ns - seconds * 10**9))
            for window, seconds in WINDOWS_S.items()
        }
        self._families = _families(by_window)

    def _refresh_forever(self) -> None:
        while not self._stopped.wait(REFRESH_S):
            try:
                self.refresh()
            except Exception:  # noqa: BLE001 - the last figures stay; the store may be busy
                _log.exception("quality gauges cannot be computed")


def _families(by_window: dict[str, list[Sums]]) -> list[Family]:
    rate = GaugeMetricFamily(
        "sqlobs_quality_rate", "Share that passes, of what was evaluated.", labels=(*_WHO, "stat")
    )
    score = GaugeMetricFamily(
        "sqlobs_quality_score", "Mean score of graded evaluations.", labels=(*_WHO, "stat")
    )
    samples = GaugeMetricFamily(
        "sqlobs_quality_effective_samples",
        "Kish's effective sample size of the weighted figures.",
        labels=_WHO,
    )
    for window, found in by_window.items():
        for sums in found:
            who = (
                sums.evaluation,
                sums.workflow,
                window,
                sums.service_name,
                sums.environment,
            )
            samples.add_metric(who, _effective(sums))
            for stat, value in _rates(sums):
                rate.add_metric((*who, stat), value)
            if sums.evaluation in _GRADED:
                for stat, value in _scores(sums):
                    score.add_metric((*who, stat), value)
    return [rate, score, samples, _last(by_window)]


def _rates(sums: Sums) -> Iterator[tuple[str, float]]:
    yield "raw", sums.passed / sums.count
    if not sums.weight or sums.weight_passed is None:
        return
    weighted = sums.weight_passed / sums.weight
    yield "weighted", weighted
    effective = _effective(sums)
    interval = wilson_interval(weighted * effective, effective)
    if interval is not None:
        yield "weighted_lower", interval.low
        yield "weighted_upper", interval.high


def _scores(sums: Sums) -> Iterator[tuple[str, float]]:
    if sums.value_sum is not None:
        yield "raw", sums.value_sum / sums.count
    if sums.weight and sums.weight_value is not None:
        yield "weighted", sums.weight_value / sums.weight


def _effective(sums: Sums) -> float:
    """Return (sum w)^2 / sum w^2 (Kish 1965): how many equally weighted cases are as good."""
    if not sums.weight or not sums.weight_squared:
        return 0.0
    return sums.weight**2 / sums.weight_squared


def _last(by_window: dict[str, list[Sums]]) -> Family:
    newest: dict[tuple[str, str, str], int] = {}
    for sums in (sums for found in by_window.values() for sums in found):
        key = (sums.evaluation, sums.service_name, sums.environment)
        newest[key] = max(newest.get(key, 0), sums.last_ns)
    family = GaugeMetricFamily(
        "sqlobs_last_evaluation_timestamp_seconds",
        "When an evaluation was last made.",
        labels=("evaluation", "service_name", "deployment_environment_name"),
    )
    for key, last_ns in newest.items():
        family.add_metric(key, last_ns / 10**9)
    return family
