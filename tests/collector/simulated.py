"""Windows of simulated requests, sampled by the collector's rules, and its rates over them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sqlalchemy import insert

from sqlobs_collector.quality.figures import tally_of
from sqlobs_collector.sampling import (
    SamplingFacts,
    SamplingRules,
    decide,
    randomness,
    threshold,
    within_quota,
)
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.tables import EVALUATION, UNIT

HOUR_NS = 3600 * 10**9
START_NS = 1_800_000_000 * 10**9
ALWAYS = ("failed", "feedback")
CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class Request:
    """A request as its user has it, whether or not anything of it arrives."""

    is_wrong: bool
    """Its evaluation fails."""
    verdict: str = "ok"
    head: float = 1.0
    """The probability that it is sent at all."""
    rate: float = 1.0
    """The collector's own, at that moment."""
    always_rate: float = 1.0
    has_complaint: bool = False
    judge: float = 1.0
    """The probability of the evaluation, once its request is sampled."""
    late: bool = False


Design = Callable[[random.Random], list[Request]]


def sizes(source: random.Random) -> tuple[int, float]:
    """Requests of a window, and the share that is wrong."""
    return source.choice([300, 1000, 3000]), source.choice([0.005, 0.02, 0.05, 0.2])


def by_rate(source: random.Random) -> list[Request]:
    count, share = sizes(source)
    rate = source.choice([0.05, 0.1, 0.5])
    return [Request(source.random() < share, rate=rate) for _ in range(count)]


def failures_always(source: random.Random) -> list[Request]:
    """What is wrong is what the check fails: always kept."""
    count, share = sizes(source)
    rate = source.choice([0.05, 0.1, 0.5])
    wrong = (source.random() < share for _ in range(count))
    return [Request(one, "failed" if one else "ok", rate=rate) for one in wrong]


def head_and_tail(source: random.Random) -> list[Request]:
    """A consistent head sampler before it."""
    head = source.choice([0.2, 0.5])
    return [replaced(one, head=head) for one in failures_always(source)]


def two_services(source: random.Random) -> list[Request]:
    """Half of the requests come from a service that sends a tenth of them."""
    count, share = sizes(source)
    heads = (source.choice([1.0, 0.1]) for _ in range(count))
    return [Request(source.random() < share, head=head) for head in heads]


def wrong_answers_too(source: random.Random) -> list[Request]:
    """Besides the failures of the check, answers that only execution finds to be wrong."""
    count, share = sizes(source)
    rate = source.choice([0.05, 0.1, 0.5])
    return [
        Request(True, "failed", rate=rate)
        if source.random() < 0.03
        else Request(source.random() < share, rate=rate)
        for _ in range(count)
    ]


def quotas(source: random.Random) -> list[Request]:
    """Each part of a window is sampled as the quota and the part before it ask; the third is busy.

    Failures of the check are half of what is wrong.
    """
    count, share = sizes(source)
    quota, rules, found = source.choice([20, 60]), SamplingRules(0.5, ALWAYS), []
    for times in (1, 1, 3, 1):
        wrong = [source.random() < share for _ in range(count * times // 6)]
        verdicts = ["failed" if one and source.random() < 0.5 else "ok" for one in wrong]
        found += [
            Request(one, verdict, rate=rules.rate, always_rate=rules.always_rate)
            for one, verdict in zip(wrong, verdicts, strict=True)
        ]
        failed = verdicts.count("failed")
        rules = within_quota(
            SamplingRules(0.5, ALWAYS), quota, others=len(verdicts) - failed, always=failed
        )
    return found


def complaints(source: random.Random) -> list[Request]:
    """Users complain about a third of what is wrong, and about some of the rest."""
    count, share = sizes(source)
    rate = source.choice([0.05, 0.1, 0.5])
    wrong = (source.random() < share for _ in range(count))
    return [
        Request(one, rate=rate, has_complaint=source.random() < (1 / 3 if one else 0.01))
        for one in wrong
    ]


def judged(source: random.Random) -> list[Request]:
    """A judge is asked about a part of what is evaluated, some of it an hour late."""
    return [replaced(one, judge=0.3, late=source.random() < 0.1) for one in failures_always(source)]


DESIGNS: dict[str, Design] = {
    one.__name__: one
    for one in (
        *(by_rate, failures_always, head_and_tail, two_services),
        *(wrong_answers_too, quotas, complaints, judged),
    )
}


def replaced(request: Request, **named: object) -> Request:
    known = {name: getattr(request, name) for name in Request.__slots__}
    return Request(**{**known, **named})


@dataclass(slots=True)
class Window:
    """A window: the truth, and what the collector says."""

    requests: int
    wrong: int
    sampled: int = 0
    sampled_wrong: int = 0
    expected: float = 0.0
    """How many requests of a sample are expected, over all samples of this window."""
    expected_wrong: float = 0.0
    weight: float = 0.0
    """Of the sampled requests."""
    weight_wrong: float = 0.0
    figures: dict[str, float] = field(default_factory=dict)

    @property
    def truth(self) -> float:
        return self.wrong / self.requests

    @property
    def events(self) -> int:
        """Sampled requests of the rarer side."""
        return min(self.sampled_wrong, self.sampled - self.sampled_wrong)

    @property
    def expected_events(self) -> float:
        """Expected sampled requests of the rarer side: unlike `events`, no result of chance."""
        return min(self.expected_wrong, self.expected - self.expected_wrong)

    @property
    def chance(self) -> float:
        """The linear part of the estimate's error, whose mean over all samples is 0."""
        return (self.weight_wrong - self.truth * self.weight) / self.requests

    @property
    def is_covered(self) -> bool:
        """Whether the interval covers the truth; the rate passes where a request is right."""
        low, high = self.figures["weighted_lower"], self.figures["weighted_upper"]
        return low - 1e-9 <= 1 - self.truth <= high + 1e-9


def simulate(engine, design: Design, count: int, *, seed: int = 1) -> list[Window]:
    """Sample windows, a workspace each, and have the collector compute the rate of each."""
    source, windows, rows = random.Random(seed), [], []
    for number in range(count):
        requests = design(source)
        window = Window(len(requests), sum(one.is_wrong for one in requests))
        windows.append(window)
        rows += _sampled(source, number, requests, window)
        if len(rows) > CHUNK:
            _store(engine, rows)
            rows.clear()
    _store(engine, rows)
    for sums in QualityReader(engine).evaluations(since_ns=START_NS):
        if sums.evaluation == "ex":
            windows[int(sums.who.origin.workspace)].figures = tally_of(sums).figures
    return [window for window in windows if window.sampled]


def _sampled(
    source: random.Random, number: int, requests: list[Request], window: Window
) -> Iterator[tuple]:
    for place, request in enumerate(requests):
        trace_id = f"{source.getrandbits(128):032x}"
        facts = SamplingFacts(
            trace_id, request.verdict, "answered", request.head, request.has_complaint
        )
        decision = decide(facts, SamplingRules(request.rate, ALWAYS, request.always_rate))
        probability = decision.probability * request.judge
        window.expected += probability
        window.expected_wrong += probability * request.is_wrong
        is_sent = randomness(trace_id) >= threshold(request.head)
        if not (is_sent and decision.is_kept and source.random() < request.judge):
            continue
        window.sampled += 1
        window.sampled_wrong += request.is_wrong
        window.weight += 1 / probability
        window.weight_wrong += request.is_wrong / probability
        yield (
            _unit(number, place, request, trace_id=trace_id, decision=decision),
            trace_id,
            {
                "metric": "ex",
                "label": "fail" if request.is_wrong else "pass",
                "probability": request.judge,
            },
        )


def _unit(window, number, request, *, trace_id, decision):
    occurred_ns = START_NS + number * 10**6
    return {
        "workspace": str(window),
        "trace_id": trace_id,
        "span_id": f"{number:016x}",
        "source": "unit",
        "occurred_ns": occurred_ns,
        "received_ns": occurred_ns + HOUR_NS * request.late,
        "service_name": "shop",
        "environment": "prod",
        "workflow": "answer",
        "verdict": request.verdict,
        "outcome": "answered",
        "head_probability": request.head,
        "probability": decision.probability,
        "rule": decision.rule,
        "state": "done",
        "state_ns": occurred_ns,
    }


def _store(engine, rows: list[tuple]) -> None:
    with engine.begin() as connection:
        [(first,)] = connection.exec_driver_sql("SELECT coalesce(max(id), 0) + 1 FROM unit")
        units = [{"id": first + place, **unit} for place, (unit, _, _) in enumerate(rows)]
        if not units:
            return
        connection.execute(insert(UNIT), units)
        known = {"version": "1", "kind": "engine", "created_ns": START_NS}
        connection.execute(
            insert(EVALUATION),
            [
                {"unit_id": first + place, **known, **evaluation}
                for place, (_, _, evaluation) in enumerate(rows)
            ],
        )
