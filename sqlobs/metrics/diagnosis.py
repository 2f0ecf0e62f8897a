"""The kind of mistake that the scores of one prediction indicate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sqlobs.metrics.credit_score import PartialCredit

Mistake = Literal["perfect", "over_prediction", "under_prediction", "partial", "wrong"]


@dataclass(frozen=True, slots=True)
class DiagnosisThresholds:
    """The thresholds from which a score counts as high, wrong or close."""

    high: float = 0.8
    """Precision or recall from here on is high; the other one below it makes the difference."""
    wrong_below: float = 0.2
    close_above: float = 0.8


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The kind of error, and whether it was a near miss."""

    mistake: Mistake
    is_close: bool
    """EX is 0 but F1 is above the threshold: often one filter or aggregate away."""


DEFAULT_THRESHOLDS = DiagnosisThresholds()


def diagnose(
    credit: PartialCredit, *, thresholds: DiagnosisThresholds = DEFAULT_THRESHOLDS
) -> Diagnosis | None:
    """Classify the error: too much returned, too little, partly correct, or wrong.

    None if only EX was computed and it is not 1, or where EX is undetermined and no partial
    score says more. Source: the SQLMorph documentation, "EX versus EXP/EXR/F1".
    """
    if credit.ex == 1:
        return Diagnosis("perfect", is_close=False)
    if credit.exp is None or credit.exr is None or credit.f1 is None:
        return None
    mistake = _mistake(credit.exp, credit.exr, credit.f1, thresholds)
    return Diagnosis(mistake, is_close=credit.f1 > thresholds.close_above)


def _mistake(exp: float, exr: float, f1: float, thresholds: DiagnosisThresholds) -> Mistake:
    if exr >= thresholds.high > exp:
        return "over_prediction"
    if exp >= thresholds.high > exr:
        return "under_prediction"
    return "wrong" if f1 < thresholds.wrong_below else "partial"
