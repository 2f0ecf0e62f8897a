"""Figures of runs in which questions were asked several times: pass@k, majority, consistency."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.repeated_samples import majority_result, pass_at_k

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlobs.runs.case import CaseResult

MAJORITY: Final = "majority"
CONSISTENCY: Final = "self_consistency"
_SHARE: Final = "pass_at_"
_NAME: Final = re.compile(rf"{_SHARE}[1-9]\d*|{MAJORITY}|{CONSISTENCY}")
"""`pass_at_5`."""
_SHOWN: Final = (1, 2, 3, 5, 10, 20, 50, 100)
"""The k that are shown, as far as there are so many samples, and the number of samples itself."""
_ABSTAINED: Final = "abstained"


@dataclass(frozen=True, slots=True)
class SampleFigure:
    """One figure with its value for each question."""

    name: str
    title: str
    about: str
    values: tuple[float, ...]
    """A question each, without those that could not be evaluated."""
    not_evaluated: int


def is_of_samples(name: str) -> bool:
    """Return whether a figure needs several samples of each question: `pass_at_5`."""
    return _NAME.fullmatch(name) is not None


def sample_figures(cases: Iterable[CaseResult]) -> Iterator[SampleFigure]:
    """Yield the figures of questions that were asked several times; nothing for other runs."""
    questions = [*_by_question(cases)]
    decided = [held for held in questions if all(case.esm is not None for case in held)]
    if not decided:
        return
    left_out = len(questions) - len(decided)
    for k in _shown_k(min(map(len, decided))):
        values = tuple(pass_at_k(len(held), _correct(held), k) for held in decided)
        about = f"Probability that one of {k} samples is correct: 1-C(n-c,k)/C(n,k)."
        yield SampleFigure(f"{_SHARE}{k}", f"pass@{k}", about, values, left_out)
    voted = [(held, majority_result([*map(_result, held)])) for held in decided]
    yield SampleFigure(
        MAJORITY,
        "Majority by result",
        "Questions whose most frequent result is correct; without any result, they fail.",
        tuple(float(found is not None and held[found.place].is_match) for held, found in voted),
        left_out,
    )
    yield SampleFigure(
        CONSISTENCY,
        "Self-consistency",
        "Mean share of a question's samples that have its most frequent result.",
        tuple((found.votes if found else 0) / len(held) for held, found in voted),
        left_out,
    )


def _by_question(cases: Iterable[CaseResult]) -> Iterable[Sequence[CaseResult]]:
    held: dict[str, list[CaseResult]] = defaultdict(list)
    for case in cases:
        if case.sample_of is not None:
            held[case.sample_of].append(case)
    return held.values()


def _shown_k(samples: int) -> list[int]:
    return sorted({k for k in _SHOWN if k <= samples} | {samples})


def _correct(cases: Iterable[CaseResult]) -> int:
    return sum(case.esm is True for case in cases)


def _result(case: CaseResult) -> str | None:
    """Return what a sample's result is known by; a failed statement has none and does not vote."""
    if case.outcome == _ABSTAINED:
        return _ABSTAINED
    return None if case.predicted is None else case.predicted.digest
