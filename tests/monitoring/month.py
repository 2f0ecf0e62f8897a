"""Thirty days with 40 incidents, in promtool: `python -m tests.monitoring.month`.

Deploys, a restart under an old id, gaps in all scrapes, a nightly batch and a rare workflow stand
between the incidents. Each incident is one page (or one ticket) within 15 minutes, a canary's within
20, that resolves once; nothing else pages at any evaluation.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from sqlobs import semconv
from sqlobs.monitoring.promql import INSTANCE, Selection
from sqlobs.monitoring.rule_tests import counter, evaluations, generations, of_version, of_workflow
from sqlobs.monitoring.rule_tests import up_series as collector_up
from sqlobs.monitoring.settings import RuleSettings
from sqlobs.semconv import metrics
from tests.monitoring.promtool import History, rules_for

if TYPE_CHECKING:
    from collections.abc import Iterator

STEP_S = 60
EVALUATION_S = 120
DAY_S = 86_400
WITHIN_S = 900
CANARY_WITHIN_S = 1200
RESOLVED_AFTER_S = 5400
"""Windows of half an hour and an hour must pass, then the alert is kept for a while."""
NOISE = 0.003
BUCKETS_S = (0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24)
MEDIAN_S, SPREAD = 0.3, 0.6
PODS_PER_HOUR = 300
LASTS_S = 3600
PAGES = (
    "SqlobsSchemaHallucination",
    "SqlobsSyntaxFailures",
    "SqlobsApplicationErrors",
    "SqlobsLatency",
    "SqlobsNoTraffic",
    "SqlobsSchemaHallucinationInSample",
    "SqlobsCollectorGone",
)
TICKETS = ("SqlobsSchemaHallucinationVersion", "SqlobsSchemaStale", "SqlobsVerdictsMissing")
KINDS = {
    "invented": "SqlobsSchemaHallucination",
    "unparsable": "SqlobsSyntaxFailures",
    "raising": "SqlobsApplicationErrors",
    "slow": "SqlobsLatency",
    "canary": "SqlobsSchemaHallucinationVersion",
    "silent": "SqlobsNoTraffic",
    "gap": "SqlobsCollectorGone",
    "stale": "SqlobsSchemaStale",
}
"""The alert that tells of each kind of incident."""
SHARES = {"invented": 0.4, "unparsable": 1.0, "raising": 1.0}


@dataclass(frozen=True)
class Incident:
    """What happens, and when."""

    kind: str
    start_s: int

    @property
    def end_s(self) -> int:
        """When it is over."""
        return self.start_s + LASTS_S


def incidents(*, days: int, count: int) -> list[Incident]:
    """Return incidents of all kinds at equal distances, the last of each kind not before a week."""
    every_s = (days - 1) * DAY_S // count // STEP_S * STEP_S
    return [
        Incident(kind, DAY_S + number * every_s)
        for number, kind in enumerate(_kinds(count, every_s))
    ]


def _kinds(count: int, every_s: int) -> Iterator[str]:
    """Yield kinds in turn; silence is known only by the traffic of the week before."""
    early = [kind for kind in KINDS if kind != "silent"]
    for number in range(count):
        is_early = DAY_S + number * every_s < 8 * DAY_S
        yield early[number % len(early)] if is_early else [*KINDS][number % len(KINDS)]


@dataclass
class Month:
    """The series of a shop, its collector and its nightly batch."""

    seconds: int
    incidents: list[Incident]
    rng: np.random.Generator
    series: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Simulate."""
        self.times_s = np.arange(0, self.seconds + 1, STEP_S)
        self._is_scraped = ~self._is("gap")
        for name, starts in self._pods():
            self._pod(name, starts)
        self._canary()
        self._batch()
        self._rare()
        self._put(counter(_stale()), np.where(self._is("stale"), 1.0, 0.0))
        self.series[collector_up(RuleSettings())] = self._is_scraped.astype(float)

    def _is(self, kind: str) -> np.ndarray:
        spans = [one for one in self.incidents if one.kind == kind]
        return np.logical_or.reduce(
            [(self.times_s >= one.start_s) & (self.times_s < one.end_s) for one in spans]
            or [np.zeros(self.times_s.shape, bool)]
        )

    def _pods(self) -> Iterator[tuple[str, list[tuple[int, int]]]]:
        """Yield two pods at a time: a deploy every 70 hours, and a restart in between."""
        length_s = 70 * 3600
        for number, start_s in enumerate(range(0, self.seconds, length_s)):
            born_s = start_s if number else -10 * DAY_S
            yield f"a{number}", [(born_s, start_s + length_s)]
            half_s = start_s + length_s // 2
            yield f"b{number}", [(born_s, half_s), (half_s, start_s + length_s)]

    def _pod(self, name: str, lives: list[tuple[int, int]]) -> None:
        """Count the requests of a process, which may start again under its id."""
        place = {INSTANCE: name}
        series: dict[str, np.ndarray] = {}
        for start_s, end_s in lives:
            lives_now = (self.times_s >= start_s) & (self.times_s < end_s)
            counted = self._counted(np.where(lives_now & ~self._is("silent"), PODS_PER_HOUR, 0.0))
            counted[counter(Selection(metrics.START_TIME), **place)] = np.full(
                self.times_s.shape, start_s - 5.0
            )
            counted[counter(Selection(metrics.BUILD_INFO), **place)] = np.ones(self.times_s.shape)
            for key, values in counted.items():
                own = key.replace('service_instance_id="a"', f'service_instance_id="{name}"')
                whole = series.setdefault(own, np.full(self.times_s.shape, np.nan))
                whole[lives_now] = values[lives_now]
        for key, values in series.items():
            self._put(key, values)

    def _counted(self, per_hour: np.ndarray) -> dict[str, np.ndarray]:
        """Return the counters of requests at a rate."""
        asked = self.rng.poisson(per_hour * STEP_S / 3600)
        raising = self._failing("raising", asked)
        unparsable = self._failing("unparsable", asked - raising)
        unchecked = np.where(self._is("stale"), (asked - raising) // 7, 0)
        invented = self._failing("invented", asked - raising - unparsable - unchecked)
        well = asked - raising - unparsable - unchecked - invented
        new = {
            evaluations("pass"): well,
            evaluations("fail"): invented,
            evaluations("pass", "syntactic"): well + invented,
            evaluations("fail", "syntactic"): unparsable,
            generations("ok"): well,
            generations("failed"): invented + unparsable,
            generations("not_evaluated"): unchecked,
            generations("not_evaluated", "error"): raising,
            of_version("v1", "pass"): well,
            of_version("v1", "fail"): invented,
            **self._latencies(asked),
        }
        # A counter is not there before it counts.
        counted = {name: np.cumsum(values).astype(float) for name, values in new.items()}
        return {name: np.where(values > 0, values, np.nan) for name, values in counted.items()}

    def _latencies(self, asked: np.ndarray) -> dict[str, np.ndarray]:
        """Return the buckets of requests that take 0.3 s at the median, else ten times as long."""
        factor = np.where(self._is("slow"), 10, 1)
        below = [_share_within(le / factor) for le in BUCKETS_S]
        counted = [asked]
        for share, wider in zip(below[::-1], [1, *below[:0:-1]], strict=True):
            counted.append(self.rng.binomial(counted[-1], share / wider))
        total = {semconv.SQLOBS_STAGE: "total"}
        names = ["+Inf", *(f"{le:g}" for le in reversed(BUCKETS_S))]
        return {
            of_workflow(metrics.STAGE_DURATION, total, suffix="_bucket", le=le): values
            for le, values in zip(names, counted, strict=True)
        }

    def _failing(self, kind: str, asked: np.ndarray) -> np.ndarray:
        return self.rng.binomial(asked, np.where(self._is(kind), SHARES[kind], NOISE))

    def _canary(self) -> None:
        failed = np.cumsum(self.rng.poisson(np.where(self._is("canary"), 0.5, 0)))
        alone = np.where(failed > 0, failed, np.nan)
        self._put(of_version("v2", "fail", **{INSTANCE: "canary"}), alone)
        started = np.full(self.times_s.shape, -10.0 * DAY_S)
        self._put(counter(Selection(metrics.START_TIME), **{INSTANCE: "canary"}), started)

    def _batch(self) -> None:
        """Count twenty minutes of requests every night, each time in a new process."""
        for day in range(self.seconds // DAY_S):
            start_s = day * DAY_S + 3600
            runs = (self.times_s >= start_s) & (self.times_s < start_s + 1200)
            passed = np.cumsum(np.where(runs, 10, 0)).astype(float)
            place = {INSTANCE: f"batch{day}"}
            for name, values in (
                (evaluations("pass", **place), passed),
                (generations("ok").replace('"a"', f'"batch{day}"'), passed),
                (counter(Selection(metrics.START_TIME), **place), np.full(runs.shape, start_s - 5.0)),
                (counter(Selection(metrics.BUILD_INFO), **place), np.ones(runs.shape)),
            ):  # fmt: skip
                own = name.replace('"shop"', '"batch"').replace('"answer"', '"nightly"')
                self._put(own, np.where(runs, values, np.nan))

    def _rare(self) -> None:
        """Count a workflow with five requests an hour."""
        asked = self.rng.poisson(5 / 60, self.times_s.shape)
        failed = self.rng.binomial(asked, NOISE)
        for name, new in ((evaluations("pass"), asked - failed), (evaluations("fail"), failed)):
            self._put(name.replace('"answer"', '"rare"').replace('"a"', '"a0"'), np.cumsum(new))

    def _put(self, name: str, values: np.ndarray) -> None:
        self.series[name] = np.where(self._is_scraped, values, np.nan)


def _share_within(seconds: np.ndarray) -> np.ndarray:
    """Return the share of healthy requests that take at most so long; their times are log-normal."""
    return np.array([NormalDist(np.log(MEDIAN_S), SPREAD).cdf(each) for each in np.log(seconds)])


def _stale() -> Selection:
    return Selection(metrics.SCHEMA_STALE, {semconv.SQLOBS_TARGET_NAME: "main"})


def history(
    known: list[Incident], *, seconds: int, seed: int, every_s: int = EVALUATION_S
) -> History:
    """Return the series of a time with known incidents, and what fires in it, evaluated so often."""
    month = Month(seconds, known, np.random.default_rng(seed))
    found = History(STEP_S, every_s, month.series)
    for incident in month.incidents:
        _expect_one(found, incident)
    _expect_silence(found, month)
    return found


def _expect_one(found: History, incident: Incident) -> None:
    """Expect the incident's own alert, once, in time and until its end, and no other page."""
    own, every_s = KINDS[incident.kind], found.evaluation_s
    pages = f'alertname=~"{"|".join(PAGES)}", alertstate="firing"'
    within_s = CANARY_WITHIN_S if incident.kind == "canary" else WITHIN_S
    first_s = (incident.start_s + within_s) // every_s * every_s
    for at_s in range(first_s, incident.end_s + 1, every_s):
        found.expect(f'max(ALERTS{{alertname="{own}", alertstate="firing"}})', at_s, 1)
        is_page = own in PAGES
        found.expect(f"count(ALERTS{{{pages}}})", at_s, 1 if is_page else None)
    after_s = (incident.end_s + RESOLVED_AFTER_S) // every_s * every_s
    whole = f"{LASTS_S + RESOLVED_AFTER_S + 600}s:{every_s}s"
    alert = f'max(ALERTS{{alertname="{own}", alertstate="firing"}})'
    begun = f"({alert} unless {alert.replace('})', f'}} offset {every_s}s)')})"
    found.expect(f"count_over_time({begun}[{whole}])", after_s, 1)


def _expect_silence(found: History, month: Month) -> None:
    """Expect no page outside incidents and the time in which their alerts resolve."""
    every_s = found.evaluation_s
    pages = f'count(ALERTS{{alertname=~"{"|".join(PAGES)}", alertstate="firing"}})'
    busy = [(one.start_s, one.end_s + RESOLVED_AFTER_S) for one in month.incidents]
    for at_s in range(0, month.seconds, every_s):
        if not any(start_s <= at_s < end_s for start_s, end_s in busy):
            found.expect(pages, at_s, None)


def differences(found: History) -> str:
    """Return what promtool finds otherwise than expected."""
    with tempfile.TemporaryDirectory() as directory:
        return found.differences(Path(directory), rules_for({*PAGES, *TICKETS}))


def main() -> int:
    """Print how many times were checked, and what fired otherwise; 1 if something did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--incidents", type=int, default=40)
    parser.add_argument("--every", type=int, default=EVALUATION_S, help="evaluations, in seconds")
    parser.add_argument("--seed", type=int, default=20)
    given = parser.parse_args()
    known = incidents(days=given.days, count=given.incidents)
    month = history(known, seconds=given.days * DAY_S, seed=given.seed, every_s=given.every)
    found = differences(month)
    print(
        found
        or f"{given.incidents} incidents in {given.days} days: one alert each, resolved once, and"
        f" no other page; {len(month.expected)} expectations hold"
    )
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
