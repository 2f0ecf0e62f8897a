from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs_collector.sampling import (
    Decision,
    SamplingFacts,
    SamplingRules,
    decide,
    explicit_randomness,
    head_probability,
    randomness,
    threshold,
)

RATES = st.floats(min_value=1e-6, max_value=1)
TRACES = st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}")


def facts(trace_id="0" * 32, **known) -> SamplingFacts:
    defaults = {"verdict": "ok", "outcome": "answered", "head_probability": 1.0}
    return SamplingFacts(trace_id=trace_id, **{**defaults, **known})


@pytest.mark.parametrize(
    ("known", "rule"),
    [
        ({"verdict": "failed"}, "always:failed"),
        ({"outcome": "error", "verdict": "not_evaluated"}, "always:error"),
        ({"has_complaint": True}, "always:feedback"),
        ({}, "rate"),
        ({"verdict": "suspect"}, "rate"),
    ],
)
def test_failures_errors_and_complaints_are_always_kept(known, rule):
    """A trace with the lowest randomness is kept by an `always` rule alone."""
    rules = SamplingRules(rate=0.01, always=["failed", "error", "feedback"])
    is_always = rule != "rate"
    assert decide(facts(**known), rules) == Decision(is_always, 1.0 if is_always else 0.01, rule)


@given(trace_id=TRACES, low=RATES, high=RATES)
def test_what_a_lower_rate_keeps_a_higher_one_keeps(trace_id, low, high):
    """Decisions nest: the same trace, the same randomness, anyone who asks."""
    low, high = sorted([low, high])
    kept = [decide(facts(trace_id), SamplingRules(rate, [])).is_kept for rate in (low, high)]
    assert kept[1] or not kept[0]


@given(trace_id=TRACES, head=RATES, rate=RATES)
def test_what_a_consistent_head_sampler_kept_is_kept_with_the_lesser_probability(
    trace_id, head, rate
):
    """p = min(head, rate): both used the trace's randomness, so probabilities do not multiply."""
    decision = decide(facts(trace_id, head_probability=head), SamplingRules(rate, []))
    assert decision.probability == min(head, rate)
    came_through_head = randomness(trace_id) >= threshold(head)
    if came_through_head and rate >= head:
        assert decision.is_kept


def test_an_unknown_head_probability_stays_unknown():
    """A guess would bias every weighted rate: such units are counted apart."""
    assert decide(facts(head_probability=None), SamplingRules(1, [])).probability is None


@pytest.mark.parametrize(
    ("tracestate", "probability"),
    [
        ("ot=th:8", 0.5),
        ("ot=th:0", 1.0),
        ("vendor=1,ot=rv:00000000000001;th:c", 0.25),
        (" ot=th:e6666666666668", 0.1),
        ("ot=rv:00000000000001", None),
        ("ot=th:", None),
        ("ot=th:zz", None),
        ("ot=th:000000000000001", None),
        ("", None),
    ],
)
def test_the_head_probability_is_read_from_the_tracestate(tracestate, probability):
    """`th` is the rejection threshold in hex, trailing zeros left out (W3C, OpenTelemetry)."""
    found = head_probability(tracestate)
    assert found == (None if probability is None else pytest.approx(probability))


@pytest.mark.parametrize(
    ("tracestate", "told"),
    [
        ("ot=th:8;rv:00000000000010", 16),
        ("vendor=1, ot=rv:FFFFFFFFFFFFFF", 2**56 - 1),
        ("ot=rv:0000000000001", None),
        ("ot=rv:0000000000000g", None),
        ("rv=00000000000010", None),
        ("ot=th:8", None),
        ("", None),
    ],
)
def test_explicit_randomness_is_read_from_the_tracestate(tracestate, told):
    """`rv` is 14 hex digits, or it is not there (W3C, OpenTelemetry)."""
    assert explicit_randomness(tracestate) == told


@given(trace_id=TRACES, drawn=st.integers(0, 2**56 - 1), head=RATES, rate=RATES)
def test_what_the_first_sampler_drew_goes_before_the_trace_id(trace_id, drawn, head, rate):
    """Decisions share one randomness, so that min(head, rate) is the probability of both."""
    known = facts(trace_id, head_probability=head, randomness=drawn)
    decision = decide(known, SamplingRules(rate, []))
    assert decision.is_kept is (drawn >= threshold(rate))
    assert decision.probability == min(head, rate)


def test_weighting_by_the_probability_gives_the_true_rate():
    """Failures are always kept, so the kept set fails far too often; 1/p puts that right."""
    generator = random.Random(7)
    rules = SamplingRules(rate=0.1, always=["failed"])
    estimates, naive = [], []
    for _ in range(50):
        kept = []
        for _ in range(4000):
            unit = facts(
                f"{generator.getrandbits(128):032x}",
                verdict="failed" if generator.random() < 0.03 else "ok",
            )
            decision = decide(unit, rules)
            if decision.is_kept:
                kept.append((unit.verdict == "failed", 1 / decision.probability))
        weight = sum(weight for _, weight in kept)
        estimates.append(sum(weight for failed, weight in kept if failed) / weight)
        naive.append(sum(failed for failed, _ in kept) / len(kept))
    assert statistics.mean(estimates) == pytest.approx(0.03, rel=0.05)
    assert statistics.mean(naive) > 0.2
