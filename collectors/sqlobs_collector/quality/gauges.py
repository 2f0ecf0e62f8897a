"""Quality gauges: the last hour, day and week by event time, computed from the store.

They are recomputed, not accumulated: a restart, a repeated batch or a drained backlog does not
distort them.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from sqlobs.scores.registry import SCORES
from sqlobs.semconv import collector as metrics
from sqlobs.semconv.evaluations import (
    CHECKED,
    FIRST_ATTEMPT_RATE,
    FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE,
    SCHEMA_HALLUCINATION_RATE,
)
from sqlobs_collector.origin import Origin
from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.quality.calibrations import Calibrations
from sqlobs_collector.quality.figures import (
    category_shares,
    checker_tallies,
    corrected_figures,
    failure_tallies,
    first_attempt_tallies,
    outcome_tallies,
    score_figures,
    tally_of,
    verdict_tallies,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from prometheus_client import Metric as Family

    from sqlobs.semconv.collector import CollectorMetric, Window
    from sqlobs_collector.quality.figures import Calibration, Figures, Tally
    from sqlobs_collector.store.intake import IntakeReader
    from sqlobs_collector.store.quality import QualityReader
    from sqlobs_collector.store.quality_sums import Evaluations, VerdictCounts, Who

WINDOWS_S: Final[dict[Window, int]] = {"1h": 3600, "24h": 86_400, "7d": 604_800}
REFRESH_S: Final = 10.0
_NAMED: Final = {
    SCHEMA_HALLUCINATION_RATE: metrics.SCHEMA_HALLUCINATION_RATE,
    FIRST_ATTEMPT_RATE: metrics.FIRST_ATTEMPT_PASS_RATE,
    FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE: metrics.FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE,
}
_SHARE_OF_TIME: Final = 0.1
"""Highest share of time spent on computing: a large store is recomputed less often."""


class QualityGauges(Collector):
    """Shows the last computed values; a separate thread computes them."""

    def __init__(
        self,
        reader: QualityReader,
        *,
        intake: IntakeReader | None = None,
        calibrations: Calibrations | None = None,
        while_held: Callable[[Callable[[], float]], Callable[[], float]] = lambda poll: poll,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Set up.

        Args:
            reader: Adds up.
            intake: Knows what quotas kept out.
            calibrations: The judges' confusion matrices.
            while_held: Lets a poll work while this process is the one that shows the gauges.
            clock_ns: Time, for tests.
        """
        self._reader = reader
        self._intake = intake
        self._calibrations = calibrations or Calibrations({})
        self._clock_ns = clock_ns
        self._families: list[Family] = []
        # A week of a large store takes a minute, for which no projection should wait at the stop.
        self._follower = PollingWorker("quality", while_held(self._poll), only_reads=True)

    def start(self) -> None:
        """Start the computing thread."""
        self._follower.start()

    def stop(self) -> None:
        """End; idempotent."""
        self._follower.stop()

    def collect(self) -> Iterator[Family]:
        """Yield the last computed gauges."""
        yield from self._families

    def refresh(self) -> None:
        """Compute the gauges from the store."""
        now_ns = self._clock_ns()
        gauges = _Gauges()
        self._calibrations.refresh()
        for window, seconds in WINDOWS_S.items():
            since_ns = now_ns - seconds * 10**9
            evaluated = self._reader.evaluations(since_ns=since_ns)
            _show(gauges, window, self._reader, evaluated, since_ns=since_ns)
            if self._intake is not None:
                _show_censored(gauges, window, self._intake, (since_ns, now_ns))
            for sums in evaluated:
                if sums.evaluation not in CHECKED:
                    workspace = sums.who.origin.workspace
                    known = self._calibrations.table(workspace, sums.evaluation)
                    _show_evaluation(gauges, sums, window, known)
        _show_week(gauges, self._reader, since_ns=now_ns - WINDOWS_S["7d"] * 10**9)
        self._families = gauges.families

    def _poll(self) -> float:
        started_s = time.monotonic()
        self.refresh()
        return max(REFRESH_S, (time.monotonic() - started_s) / _SHARE_OF_TIME)


class _Gauges:
    """Collects the metric families of one computation."""

    def __init__(self) -> None:
        self._by_name: dict[str, GaugeMetricFamily] = {}
        self._last_ns: dict[tuple[str, Origin], int] = {}

    @property
    def families(self) -> list[Family]:
        """All metric families."""
        for (evaluation, origin), last_ns in self._last_ns.items():
            family = self._family(metrics.LAST_EVALUATION)
            family.add_metric((evaluation, *origin), last_ns / 10**9)
        return list(self._by_name.values())

    def add(
        self, metric: CollectorMetric, values: Sequence[str], origin: Origin, *, shown: float
    ) -> None:
        """Add one sample; `values` are the values of the metric's own labels."""
        self._family(metric).add_metric((*values, *origin), shown)

    def add_figures(
        self, metric: CollectorMetric, values: Sequence[str], who: Who, *, figures: Figures
    ) -> None:
        """Add one sample per statistic of a figure."""
        for stat, shown in figures.items():
            self.add(metric, (*values, stat), who.origin, shown=shown)

    def note(self, evaluation: str, who: Who, last_ns: int) -> None:
        """Keep the time of the latest evaluation."""
        key = (evaluation, who.origin)
        self._last_ns[key] = max(self._last_ns.get(key, 0), last_ns)

    def _family(self, metric: CollectorMetric) -> GaugeMetricFamily:
        if metric.name not in self._by_name:
            family = GaugeMetricFamily(metric.name, metric.brief, labels=metric.labels)
            self._by_name[metric.name] = family
        return self._by_name[metric.name]


def _show(
    gauges: _Gauges,
    window: Window,
    reader: QualityReader,
    evaluated: Iterable[Evaluations],
    *,
    since_ns: int,
) -> None:
    units = reader.units(since_ns=since_ns)
    stand_ins = [sums for sums in evaluated if sums.evaluation in CHECKED]
    for (who, name), tally in checker_tallies(units, stand_ins).items():
        _show_rate(gauges, name, (who, window), tally)
        if name == "schema_hallucination":
            _show_named(gauges, SCHEMA_HALLUCINATION_RATE, (who, window), tally.opposite)
    for (who, name), tally in first_attempt_tallies(units).items():
        _show_named(gauges, name, (who, window), tally)
        _show_size(gauges, _of(name, who, window), who, tally)
    for (who, verdict), tally in verdict_tallies(units).items():
        of = _of(verdict, who, window)
        gauges.add_figures(metrics.VERDICT_SHARE, of, who, figures=tally.figures)
    for (who, code), tally in failure_tallies(units).items():
        of = _of(code, who, window)
        gauges.add_figures(metrics.FAILURE_SHARE, of, who, figures=tally.figures)
    _show_outcomes(gauges, window, units)
    for who, usd in reader.spend(since_ns=since_ns).items():
        gauges.add(metrics.JUDGE_SPEND, (who.workflow, window), who.origin, shown=usd)


def _show_censored(
    gauges: _Gauges, window: Window, intake: IntakeReader, period: tuple[int, int]
) -> None:
    for workspace, counts in intake.within(*period).items():
        if counts.refused:
            origin = Origin(workspace, "", "")
            gauges.add(metrics.QUALITY_CENSORED, (window,), origin, shown=counts.censored)


def _show_outcomes(gauges: _Gauges, window: Window, units: Iterable[VerdictCounts]) -> None:
    requests: dict[Who, int] = {}
    for (who, outcome), tally in outcome_tallies(units).items():
        of = _of(outcome, who, window)
        gauges.add_figures(metrics.OUTCOME_SHARE, of, who, figures=tally.figures)
        requests[who] = tally.count
    for who, count in requests.items():
        gauges.add(metrics.QUALITY_REQUESTS, _of("outcome", who, window), who.origin, shown=count)


def _show_week(gauges: _Gauges, reader: QualityReader, *, since_ns: int) -> None:
    """Add the gauges that are too sparse for windows shorter than a week."""
    shares = category_shares(reader.categories(since_ns=since_ns))
    for (origin, category, side), share in shares.items():
        gauges.add(metrics.CATEGORY_SHARE, (category, side), origin, shown=share)
    for one in reader.golden(since_ns=since_ns):
        ratio = one.weight_passed / one.weight
        gauges.add(metrics.GOLDEN_PASS_RATE, (one.golden_set,), one.origin, shown=ratio)


def _show_evaluation(
    gauges: _Gauges, sums: Evaluations, window: Window, calibration: Calibration | None
) -> None:
    tally, values = tally_of(sums), (sums.evaluation, sums.who.workflow, window)
    _show_rate(gauges, sums.evaluation, (sums.who, window), tally)
    if calibration is not None:
        figures = corrected_figures(tally, calibration)
        gauges.add_figures(metrics.QUALITY_PASS_RATE, values, sums.who, figures=figures)
    score = SCORES.get(sums.evaluation)
    if score is not None and metrics.QUALITY_SCORE in score.gauges:
        gauges.add_figures(metrics.QUALITY_SCORE, values, sums.who, figures=score_figures(sums))


def _show_named(gauges: _Gauges, name: str, where: tuple[Who, Window], tally: Tally) -> None:
    """Add a rate that has its own gauge."""
    who, window = where
    gauges.add_figures(_NAMED[name], (who.workflow, window), who, figures=tally.figures)


def _show_size(gauges: _Gauges, values: Sequence[str], who: Who, tally: Tally) -> None:
    gauges.add(metrics.QUALITY_SAMPLES, values, who.origin, shown=tally.effective)
    gauges.add(metrics.QUALITY_REQUESTS, values, who.origin, shown=tally.count)


def _of(name: str, who: Who, window: Window) -> tuple[str, str, str]:
    return name, who.workflow, window


def _show_rate(gauges: _Gauges, name: str, where: tuple[Who, Window], tally: Tally) -> None:
    who, window = where
    values = (name, who.workflow, window)
    gauges.add_figures(metrics.QUALITY_PASS_RATE, values, who, figures=tally.figures)
    _show_size(gauges, values, who, tally)
    gauges.note(name, who, tally.last_ns)
