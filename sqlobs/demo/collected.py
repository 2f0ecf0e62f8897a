"""What the collector found, read from its `/metrics`: the figures that the dashboard shows."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.demo.summary import Rate
from sqlobs.metrics.intervals import Interval, wilson_interval
from sqlobs.monitoring.exposition import counts, picked, read_metrics
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlobs.monitoring.exposition import Sample
    from sqlobs.semconv.collector import CollectorMetric

RATES: Final = ("execution", "ex", "flex", "flex_noref")
"""Evaluations that pass or fail, in the order of the report."""
SCORES: Final = ("f1",)
ENDED: Final = frozenset(
    {"done", "sampled_out", "refused", "truncated", "nondeterministic", "error", "expired"}
)
"""States in which nothing more becomes of a unit."""

_WINDOW: Final = "1h"
_SETTLES_WITHIN_S: Final = 60.0
_POLL_S: Final = 0.5
_LATE: Final = (
    f"The collector did not finish within {_SETTLES_WITHIN_S:.0f} s: its figures may be incomplete."
)


@dataclass(frozen=True, slots=True)
class Score:
    """A mean of scores in [0, 1] with the number of cases."""

    mean: float
    of: int

    @property
    def interval(self) -> Interval:
        """The 95 % interval: Wilson's, as of a rate, at worst too wide."""
        return wilson_interval(self.mean * self.of, self.of) or Interval(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Collected:
    """What became of the units, and how good they were."""

    requests: int
    """Requests counted by the service's own metrics, as the collector shows them."""
    units: int
    """Units received."""
    states: Mapping[str, int]
    """Units by the state that they ended in."""
    pass_rates: Mapping[str, Rate]
    """Passed of evaluated, by evaluation."""
    scores: Mapping[str, Score]
    judge_calls: int
    judge_tokens: int
    judge_cost_usd: float
    schema_hallucination_rate: Rate
    """Requests with invented names, by the counters that the alert reads."""
    first_attempt_pass_rate: Rate


def wait_for(admin: str, *, units: int) -> Collected:
    """Return the collector's figures once all is evaluated and its gauges say so.

    If that takes too long, standard error says that they may be incomplete.

    Args:
        admin: Base URL of the admin port.
        units: How many units were sent.
    """
    deadline_s = time.monotonic() + _SETTLES_WITHIN_S
    before: Collected | None = None
    while True:
        samples = read_metrics(admin)
        found = collected(samples)
        if _is_settled(samples, found, units=units) and found == before:
            return found
        if time.monotonic() > deadline_s:
            print(_LATE, file=sys.stderr)
            return found
        before = found
        time.sleep(_POLL_S)


def collected(samples: Sequence[Sample]) -> Collected:
    """Compute the figures over all workflows."""
    states = counts(picked(samples, collector.UNITS.name), by="state")
    received = picked(samples, collector.RECEIVED.name, kind="unit")
    llm = picked(samples, collector.EVALUATIONS.name, kind="llm")
    return Collected(
        requests=sum(_whole(picked(samples, metrics.GENERATIONS.prometheus_name))),
        units=sum(_whole(received)),
        states={state: states[state] for state in sorted(ENDED & states.keys())},
        pass_rates={name: rate for name in RATES if (rate := _rate(samples, name)).of},
        scores={name: score for name in SCORES if (score := _score(samples, name)) is not None},
        judge_calls=sum(_whole(llm)),
        judge_tokens=sum(_whole(picked(samples, collector.JUDGE_TOKENS.name))),
        judge_cost_usd=sum(each.value for each in picked(samples, collector.JUDGE_COST.name)),
        schema_hallucination_rate=_hallucinated(samples),
        first_attempt_pass_rate=_first_attempt(samples),
    )


def _is_settled(samples: Sequence[Sample], found: Collected, *, units: int) -> bool:
    """Return whether every unit has ended and the gauges have taken in what was evaluated."""
    waiting = picked(samples, collector.QUEUE_SIZE.name) + picked(
        samples, collector.JOURNAL_LAG.name
    )
    if sum(found.states.values()) < units or any(each.value for each in waiting):
        return False
    counted = Counter[str]()
    for each in picked(samples, collector.EVALUATIONS.name):
        if each.labels["label"] != "not_evaluated":
            counted[each.labels["evaluation"]] += round(each.value)
    return all(rate.of == counted[name] for name, rate in found.pass_rates.items()) and all(
        name in found.pass_rates for name in RATES if counted[name]
    )


def _rate(samples: Iterable[Sample], evaluation: str) -> Rate:
    values = _by_workflow(samples, collector.QUALITY_PASS_RATE, evaluation)
    sizes = _by_workflow(samples, collector.QUALITY_SAMPLES, evaluation)
    passed = sum(value * sizes[workflow] for workflow, value in values.items())
    return Rate(round(passed), round(sum(sizes.values())))


def _score(samples: Iterable[Sample], evaluation: str) -> Score | None:
    values = _by_workflow(samples, collector.QUALITY_SCORE, evaluation)
    sizes = _by_workflow(samples, collector.QUALITY_SAMPLES, evaluation)
    count = sum(sizes.values())
    if not count:
        return None
    total = sum(value * sizes[workflow] for workflow, value in values.items())
    return Score(total / count, round(count))


def _by_workflow(
    samples: Iterable[Sample], metric: CollectorMetric, evaluation: str
) -> dict[str, float]:
    where = {"evaluation": evaluation, "window": _WINDOW}
    stat = {"stat": "weighted"} if "stat" in metric.labels else {}
    found = picked(samples, metric.name, **where, **stat)
    return {each.labels["sqlobs_workflow"]: each.value for each in found}


def _hallucinated(samples: Sequence[Sample]) -> Rate:
    name = semconv.GEN_AI_EVALUATION_NAME.replace(".", "_")
    label = semconv.GEN_AI_EVALUATION_SCORE_LABEL.replace(".", "_")
    found = picked(samples, metrics.EVALUATIONS.prometheus_name, **{name: "schema_hallucination"})
    labels = counts(found, by=label)
    return Rate(labels["fail"], labels["fail"] + labels["pass"])


def _first_attempt(samples: Sequence[Sample]) -> Rate:
    number = semconv.SQLOBS_ATTEMPT_NUMBER.replace(".", "_")
    found = picked(samples, metrics.ATTEMPTS.prometheus_name, **{number: "1"})
    verdicts = counts(found, by=semconv.SQLOBS_VERDICT.replace(".", "_"))
    passed = verdicts["ok"] + verdicts["suspect"]
    return Rate(passed, passed + verdicts["failed"])


def _whole(samples: Iterable[Sample]) -> list[int]:
    return [round(each.value) for each in samples]
