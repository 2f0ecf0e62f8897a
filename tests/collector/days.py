"""A simulated day of production: its requests, and how well rates over its windows meet the truth."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from dataclasses import dataclass, field
from statistics import mean, pstdev
from typing import TYPE_CHECKING

from sqlobs_collector.origin import Origin
from sqlobs_collector.quality.figures import Tally, checker_tallies, tally_of
from sqlobs_collector.sampling import randomness, threshold
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.quality_sums import Who
from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.store.selection import RequestFilter
from tests.collector import records

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from sqlalchemy import Engine

DAY_NS = 24 * HOUR_NS
START_NS = (time.time_ns() // DAY_NS - 2) * DAY_NS
WINDOW_NS = HOUR_NS // 6
HEADS = {"web": 1.0, "mobile": 0.2}
"""The share of the traces that each workflow keeps."""
REFERENCE = "SELECT count(*) FROM orders"
ANSWERS = {
    "right": REFERENCE,
    "wrong": "SELECT count(*) + 1 FROM orders",
    "invented": "SELECT revenue FROM orders",
}
FAILED: dict[str, object] = {
    "sqlobs__failure__code": "schema.unknown_column",
    "sqlobs__failure__codes": ["schema.unknown_column"],
    "sqlobs__hallucinated__columns": ["revenue"],
}
SHARES = {"right": 0.88, "wrong": 0.08, "invented": 0.04}
RATES = ("ex", "schema_hallucination", "flex")
ENOUGH = 10
"""Expected events of a window from which on its interval covers in 93 to 97 %."""
_ALL = Who(Origin("", "", ""), "")


@dataclass(frozen=True)
class Request:
    """A request as its user has it, whether or not anything of it is sent."""

    trace_id: str
    at_ns: int
    workflow: str
    kind: str
    is_late: bool

    @property
    def is_sent(self) -> bool:
        return randomness(self.trace_id) >= threshold(HEADS[self.workflow])

    @property
    def window(self) -> tuple[str, int]:
        return self.workflow, (self.at_ns - START_NS) // WINDOW_NS

    def passes(self, rate: str) -> bool:
        return self.kind != "invented" if rate == "schema_hallucination" else self.kind == "right"

    def record(self, number: int) -> dict[str, object]:
        is_valid = self.kind != "invented"
        failed = {} if is_valid else FAILED
        made = records.log(
            number,
            at_ns=self.at_ns,
            body={
                "sqlobs.question.text": "How many orders are there?",
                "sqlobs.query.text": ANSWERS[self.kind],
                "sqlobs.reference.query.text": REFERENCE,
            },
            sqlobs__workflow=self.workflow,
            sqlobs__outcome="answered",
            sqlobs__query__capture="raw",
            sqlobs__verdict="ok" if is_valid else "failed",
            sqlobs__syntactic=True,
            sqlobs__schematic=is_valid,
            sqlobs__sampling__probability=HEADS[self.workflow],
            **failed,
        )
        return made | {"trace_id": bytes.fromhex(self.trace_id)}


def day(source: random.Random, count: int) -> list[Request]:
    """Return requests of a day, in the order of time: few at night."""
    busy = [1 + 4 * math.sin(math.pi * hour / 24) for hour in range(24)]
    found = [
        Request(
            f"{source.getrandbits(128):032x}",
            START_NS + source.choices(range(24), busy)[0] * HOUR_NS + source.randrange(HOUR_NS),
            source.choices(list(HEADS), [0.7, 0.3])[0],
            source.choices(list(SHARES), list(SHARES.values()))[0],
            is_late=source.random() < 0.1,
        )
        for _ in range(count)
    ]
    return sorted(found, key=lambda one: one.at_ns)


def figures(
    engine: Engine, since_ns: int, until_ns: int, **equal: str
) -> dict[str, dict[str, float]]:
    """Return rates and their intervals, as pages read them."""
    chosen = RequestFilter(workspace="default", since_ns=since_ns, until_ns=until_ns, equal=equal)
    reader = QualityReader(engine)
    units = reader.chosen_units(chosen, who=_ALL)
    tallies = {name: tally for (_, name), tally in checker_tallies(units).items()}
    for sums in reader.chosen_evaluations(chosen, who=_ALL):
        tallies.setdefault(sums.evaluation, Tally()).join(tally_of(sums))
    return {name: tallies[name].figures for name in RATES if name in tallies}


def hours(engine: Engine) -> list[dict[str, dict[str, float]]]:
    starts = (START_NS + hour * HOUR_NS for hour in range(24))
    return [figures(engine, start, start + HOUR_NS) for start in starts]


@dataclass(frozen=True)
class Sampled:
    """What is known of a rate's units, by trace."""

    probabilities: Mapping[str, float]
    """Of being counted in the rate, of all units."""
    counted: AbstractSet[str]
    """Those that are."""


@dataclass(slots=True)
class Windows:
    """Windows of one rate with enough expected events, with fewer, or with all requests counted."""

    covered: list[bool] = field(default_factory=list)
    truths: list[float] = field(default_factory=list)
    found: list[float] = field(default_factory=list)
    """Shares that fail: in truth, and as estimated without the linear part of the error, whose mean
    over all samples is 0."""

    @property
    def bias(self) -> float:
        """The mean estimate relative to the mean truth, less 1."""
        return mean(self.found) / mean(self.truths) - 1

    @property
    def bias_error(self) -> float:
        """The standard error of the bias."""
        ratio = 1 + self.bias
        errors = [one - ratio * truth for one, truth in zip(self.found, self.truths, strict=True)]
        return pstdev(errors) / math.sqrt(len(errors)) / mean(self.truths)

    @property
    def coverage(self) -> float:
        return mean(self.covered)


def compared(
    engine: Engine, requests: Iterable[Request], sampled: Mapping[str, Sampled]
) -> dict[tuple[str, str], Windows]:
    """Compare rates of ten minutes of a workflow with the truth; by rate, and kind of window.

    Args:
        engine: Of the store.
        requests: All of the day.
        sampled: By rate.
    """
    of_window: dict[tuple[str, int], list[Request]] = defaultdict(list)
    for one in requests:
        of_window[one.window].append(one)
    found: dict[tuple[str, str], Windows] = defaultdict(Windows)
    for (workflow, number), some in of_window.items():
        start_ns = START_NS + number * WINDOW_NS
        shown = figures(engine, start_ns, start_ns + WINDOW_NS, workflow=workflow)
        for rate, one in shown.items():
            known = sampled[rate]
            windows = found[rate, kind_of(some, rate, known)]
            truth = mean(request.passes(rate) for request in some)
            low, high = one["weighted_lower"] - 1e-9, one["weighted_upper"] + 1e-9
            windows.covered.append(low <= truth <= high)
            windows.truths.append(1 - truth)
            windows.found.append(1 - one["weighted"] - chance(some, rate, known))
    return found


def kind_of(requests: Sequence[Request], rate: str, sampled: Sampled) -> str:
    """Return `whole`, where all are counted, or whether `enough` events are expected, or `few`."""
    if all(sampled.probabilities.get(one.trace_id) == 1 for one in requests):
        return "whole"
    sides = {True: 0.0, False: 0.0}
    for one in requests:
        if one.trace_id in sampled.probabilities:  # stands for 1 / head requests
            probability = sampled.probabilities[one.trace_id]
            sides[one.passes(rate)] += probability / HEADS[one.workflow]
    return "enough" if min(sides.values()) >= ENOUGH else "few"


def chance(requests: Sequence[Request], rate: str, sampled: Sampled) -> float:
    """Return the linear part of an estimate's error."""
    truth = mean(not one.passes(rate) for one in requests)
    return sum(
        (not one.passes(rate)) / sampled.probabilities[one.trace_id]
        - truth / sampled.probabilities[one.trace_id]
        for one in requests
        if one.trace_id in sampled.counted
    ) / len(requests)


def told(found: Mapping[tuple[str, str], Windows]) -> Iterator[str]:
    names = {"enough": f"{ENOUGH} and more events", "few": f"fewer than {ENOUGH} events"}
    for (rate, kind), windows in sorted(found.items()):
        name = names.get(kind, "all requests counted")
        line = f"  {rate}, {name}: {windows.coverage:.1%} of {len(windows.covered)} covered"
        if kind == "enough":  # a window with few is only seen if something of it was evaluated
            line += f", bias {windows.bias:+.2%} (standard error {windows.bias_error:.2%})"
        yield line
