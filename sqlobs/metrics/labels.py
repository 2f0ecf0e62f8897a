"""The label sets of SQL Correctness, Adherence, Efficiency and Injection, and their rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.types import Outcome

CorrectnessLabel = Literal["syntactic", "schematic"]

CORRECTNESS_LABELS: tuple[CorrectnessLabel, ...] = ("syntactic", "schematic")
"""In the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class SqlCorrectness:
    """Which labels of a statement hold; None = not evaluated: dialect or schema is missing."""

    syntactic: bool | None
    schematic: bool | None

    @property
    def labels(self) -> tuple[CorrectnessLabel, ...]:
        """The labels that hold, in fixed order; none = fails both."""
        held = {"syntactic": self.syntactic, "schematic": self.schematic}
        return tuple(label for label in CORRECTNESS_LABELS if held[label])

    @property
    def not_evaluated(self) -> tuple[CorrectnessLabel, ...]:
        """The labels about which nothing is known; rates leave them out."""
        held = {"syntactic": self.syntactic, "schematic": self.schematic}
        return tuple(label for label in CORRECTNESS_LABELS if held[label] is None)


def is_valid_and_grounded(
    outcome: Outcome | None, *, syntactic: bool | None, schematic: bool | None
) -> bool | None:
    """Return whether a request counts as valid and grounded, the headline rate's rule.

    Every answered request counts that contains SQL or should: without SQL it is not valid, so it
    fails, although its grounding is unknown.

    Args:
        outcome: How the request ended; `None` counts as answered.
        syntactic: The label, None = not evaluated.
        schematic: The label, None = not evaluated.

    Returns:
        None if the request is not in the denominator: it was not answered, or no label fails
        and one is not evaluated.
    """
    if outcome not in {None, "answered"}:
        return None
    labels = (syntactic, schematic)
    if False in labels:
        return False
    return None if None in labels else True


def is_passing(verdict: str | None) -> bool | None:
    """Return whether an attempt with a verdict passes; None = it was not evaluated."""
    return {"ok": True, "suspect": True, "failed": False}.get(verdict or "")


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Multi-label agreement with humans."""

    f1_by_label: dict[CorrectnessLabel, float | None]
    micro_f1: float | None
    macro_f1: float | None


def label_agreement(
    human: Sequence[SqlCorrectness], predicted: Sequence[SqlCorrectness]
) -> LabelAgreement:
    """Compare decided labels with human labels; undecided ones count as absent.

    F1 of a label that neither side ever gives is None and left out of the macro average.
    """
    counts = {label: _counts(human, predicted, label) for label in CORRECTNESS_LABELS}
    by_label = {label: _f1(*count) for label, count in counts.items()}
    known = [f1 for f1 in by_label.values() if f1 is not None]
    hits, wrong = (sum(count[place] for count in counts.values()) for place in (0, 1))
    return LabelAgreement(by_label, _f1(hits, wrong), sum(known) / len(known) if known else None)


def _counts(
    human: Sequence[SqlCorrectness], predicted: Sequence[SqlCorrectness], label: CorrectnessLabel
) -> tuple[int, int]:
    """Return how often both sides give a label and how often one alone does."""
    pairs = [
        (label in one.labels, label in other.labels)
        for one, other in zip(human, predicted, strict=True)
    ]
    return sum(a and b for a, b in pairs), sum(a != b for a, b in pairs)


def _f1(hits: int, wrong: int) -> float | None:
    return 2 * hits / (2 * hits + wrong) if hits or wrong else None
