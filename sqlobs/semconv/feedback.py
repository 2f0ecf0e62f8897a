"""What users' feedback means: its closed lists of kinds and values, with scores and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.semconv import FEEDBACK_VALUES

if TYPE_CHECKING:
    from sqlobs.types import Label

OTHER: Final = "other"

_SCORES: Final = {
    ("thumb", "up"): 1.0,
    ("thumb", "down"): 0.0,
    **{("rating", str(stars)): (stars - 1) / 4 for stars in range(1, 6)},
    ("edit", "accepted"): 1.0,
    ("edit", "corrected"): 0.0,
    ("edit", "rejected"): 0.0,
}
"""Implicit feedback (`reasked`, `exported`, …) has no score."""

_GOOD: Final = 0.5
"""The lowest score that passes."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """Kind and value of feedback, both from closed lists."""

    kind: str
    value: str

    @property
    def score(self) -> float | None:
        """Between 0 and 1; None for implicit feedback."""
        return _SCORES.get((self.kind, self.value))

    @property
    def label(self) -> Label:
        """The label of the evaluation `feedback`."""
        if self.score is None:
            return "not_evaluated"
        return "pass" if self.score >= _GOOD else "fail"


def listed_opinion(kind: str, value: str | float | None) -> Opinion:
    """Return kind and value as the lists spell them; unlisted ones become `other`."""
    values, spelled = FEEDBACK_VALUES.get(kind), _spelled(value)
    if values is None:
        return Opinion(OTHER, OTHER)
    return Opinion(kind, spelled if spelled in values else OTHER)


def _spelled(value: str | float | None) -> str:
    """Return a value as the lists spell it; 4.0 stars are `4`."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip().lower()
