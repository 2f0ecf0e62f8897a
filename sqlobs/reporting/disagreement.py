"""How often judge and execution disagree over several systems, by their type and by difficulty.

Source: FLEX (NAACL 2025), figures 5 and 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.reporting.judged import side_of
from sqlobs.reporting.slices import ordered_levels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.reporting.judged import Side
    from sqlobs.runs.case import CaseResult
    from sqlobs.runs.run import Run

Grouping = Literal["type", "difficulty"]
GROUPING_TITLES: Final[dict[Grouping, str]] = {"type": "Type", "difficulty": "Difficulty"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRates:
    """False positives and negatives of execution accuracy, out of the cases with a verdict.

    Each system has one rate; mean and deviation are those of the systems.
    """

    by: Grouping
    name: str
    systems: int
    cases: int
    """All systems' cases with a verdict."""
    false_positives: float
    """Equal results, judged incorrect: the mean, in [0, 1]."""
    false_positives_deviation: float
    """Standard deviation of the population of systems."""
    false_negatives: float
    """Different results, judged correct."""
    false_negatives_deviation: float


def error_rates(runs: Sequence[Run]) -> list[ErrorRates]:
    """Return the rates by type of system, then by difficulty; types and levels as far as known."""
    return [*_by_type(runs), *_by_difficulty(runs)]


def _by_type(runs: Sequence[Run]) -> Iterator[ErrorRates]:
    kinds = dict.fromkeys(run.settings.get("model_type") for run in runs)
    for kind in filter(None, kinds):
        own = [run.cases for run in runs if run.settings.get("model_type") == kind]
        yield from _rates("type", str(kind), own)


def _by_difficulty(runs: Sequence[Run]) -> Iterator[ErrorRates]:
    levels = {case.difficulty for run in runs for case in run.cases} - {None}
    for level in ordered_levels(name for name in levels if name is not None):
        own = [[case for case in run.cases if case.difficulty == level] for run in runs]
        yield from _rates("difficulty", level, own)


def _rates(
    by: Grouping, name: str, systems: Sequence[Sequence[CaseResult]]
) -> Iterator[ErrorRates]:
    sides = [[side for case in cases if (side := side_of(case))] for cases in systems]
    decided = [found for found in sides if found]
    if not decided:
        return
    positives, negatives = (_shares(decided, side) for side in ("false_positive", "false_negative"))
    yield ErrorRates(
        by=by,
        name=name,
        systems=len(decided),
        cases=sum(map(len, decided)),
        false_positives=fmean(positives),
        false_positives_deviation=pstdev(positives),
        false_negatives=fmean(negatives),
        false_negatives_deviation=pstdev(negatives),
    )


def _shares(sides: Sequence[Sequence[Side]], side: str) -> list[float]:
    return [sum(found == side for found in own) / len(own) for own in sides]
