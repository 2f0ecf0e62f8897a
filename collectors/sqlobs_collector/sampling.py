"""Sampling: which units are evaluated, and with what probability; pure and reproducible.

The decision uses the trace's own randomness: the `rv` of its tracestate, else the last 56 bits of
its id. Decisions are therefore consistent across rules, restarts, replicas and a consistent head
sampler: a unit kept at the head with probability p and here with q is kept with min(p, q), not p*q.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

RANDOMNESS_BITS: Final = 56
_RANDOMNESS_RANGE: Final = 2**RANDOMNESS_BITS
LEAST_PROBABILITY: Final = 1 / _RANDOMNESS_RANGE
"""The smallest sampling probability that 56 bits can express."""
_ALWAYS_SHARE: Final = 0.9
"""Of a quota, at most, for what is selected regardless of the rate."""
_THRESHOLD_DIGITS: Final = 14
_HEX: Final = re.compile(rf"[0-9a-fA-F]{{1,{_THRESHOLD_DIGITS}}}")

BY_RATE: Final = "rate"
"""The rule that leaves it to the trace's randomness."""

AlwaysRule = Literal["failed", "suspect", "error", "feedback"]
"""Rules that select a unit regardless of the rate: verdict, outcome, or negative feedback."""


@dataclass(frozen=True, slots=True)
class SamplingFacts:
    """The unit's own facts, on which alone a decision may depend."""

    trace_id: str
    """32 hex digits."""
    verdict: str | None
    outcome: str | None
    head_probability: float | None
    """The probability that the unit arrived at all; `None` = unknown."""
    has_complaint: bool = False
    randomness: int | None = None
    """56 bits that the trace's first sampler drew; `None`: it used those of the trace id."""


@dataclass(frozen=True, slots=True)
class SamplingRules:
    """The configuration that a decision depends on."""

    rate: float
    """The share of all traces that is evaluated."""
    always: Sequence[AlwaysRule]
    always_rate: float = 1.0
    """The share of what these rules select that is evaluated: below 1 only under a quota."""


RulesOf = Callable[[str], SamplingRules]
"""The rules of a workspace, as they are now."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a unit is evaluated."""

    is_kept: bool
    probability: float | None
    """The sampling probability for this unit's facts; its weight is the inverse."""
    rule: str
    """The rule that decided: `always:failed`, …, or `rate`."""


def decide(facts: SamplingFacts, rules: SamplingRules) -> Decision:
    """Decide about one unit; the rule with the highest probability wins."""
    matching = next((rule for rule in rules.always if _matches(rule, facts)), None)
    rate = rules.rate if matching is None else rules.always_rate
    drawn = randomness(facts.trace_id) if facts.randomness is None else facts.randomness
    is_kept = drawn >= threshold(rate)
    head = facts.head_probability
    return Decision(
        is_kept=is_kept,
        probability=None if head is None else min(head, rate),
        rule=BY_RATE if matching is None else f"always:{matching}",
    )


def within_quota(rules: SamplingRules, quota: int, *, others: int, always: int) -> SamplingRules:
    """Return the rules with probabilities that keep a window like the last one within a quota.

    The rate is lowered first; what is always selected is sampled, too, where it alone would take
    more than nine tenths of the quota, so that the others do not disappear.

    Args:
        rules: As they are configured.
        quota: Evaluations of a window.
        others: Units of the last window that the rate decided about.
        always: Units of it that the other rules selected.
    """
    if always + rules.rate * others <= quota:
        return rules
    always_rate = 1.0
    if always:
        always_rate = min(1.0, (_ALWAYS_SHARE if others else 1.0) * quota / always)
    left = quota - always_rate * always
    rate = min(rules.rate, left / others) if others else rules.rate * always_rate
    return replace(rules, rate=max(rate, LEAST_PROBABILITY), always_rate=always_rate)


def randomness(trace_id: str) -> int:
    """Return the 56 random bits of a trace id (W3C trace context, level 2)."""
    return int(trace_id[-_THRESHOLD_DIGITS:], 16)


def threshold(probability: float) -> int:
    """Return the least randomness that is kept with a probability; 0 keeps everything."""
    return round((1 - probability) * _RANDOMNESS_RANGE)


def head_probability(tracestate: str) -> float | None:
    """Return the sampling probability in a tracestate (`ot=th:...`); `None` if absent."""
    digits = _member(tracestate, "th")
    if digits is None or not _HEX.fullmatch(digits):
        return None
    return (_RANDOMNESS_RANGE - int(digits.ljust(_THRESHOLD_DIGITS, "0"), 16)) / _RANDOMNESS_RANGE


def explicit_randomness(tracestate: str) -> int | None:
    """Return the randomness in a tracestate (`ot=rv:...`); `None` if absent."""
    digits = _member(tracestate, "rv")
    is_whole = digits is not None and len(digits) == _THRESHOLD_DIGITS and _HEX.fullmatch(digits)
    return int(digits, 16) if digits is not None and is_whole else None


def _member(tracestate: str, name: str) -> str | None:
    """Return a field of OpenTelemetry's member of a tracestate."""
    members = (member.strip().partition("=") for member in tracestate.split(","))
    fields = next((fields for vendor, _, fields in members if vendor == "ot"), "")
    members = (field.partition(":") for field in fields.split(";"))
    return next((text for key, _, text in members if key == name), None)


def _matches(rule: AlwaysRule, facts: SamplingFacts) -> bool:
    if rule == "feedback":
        return facts.has_complaint
    if rule == "error":
        return facts.outcome == "error"
    return facts.verdict == rule
