"""Draws cases for human labels: the same number from each stratum, with a seed."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SampledBy: TypeAlias = Literal["execution", "verdict"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Generic[T]):
    """A case that may be drawn."""

    case: T
    results_equal: bool
    judged_correct: bool | None = None
    """None = there is no verdict."""

    @property
    def stratum(self) -> str:
        """The name of its stratum by execution and verdict."""
        words = {True: "judged correct", False: "judged incorrect", None: "not judged"}
        return f"{_half(self.results_equal)}, {words[self.judged_correct]}"


@dataclass(frozen=True, slots=True)
class Stratum:
    """How many cases a stratum has, and how many of them were drawn."""

    name: str
    size: int
    drawn: int


def drawn_cases(
    candidates: Sequence[Candidate[T]], *, count: int, by: SampledBy, seed: int
) -> tuple[list[Candidate[T]], list[Stratum]]:
    """Draw cases, half with equal results and half with different ones, shuffled.

    This is the sample of the FLEX study: 100 pairs with equal results and 100 with different ones.
    If one half is too small, both halves have its size.

    Args:
        candidates: Cases that ran on both sides.
        count: How many to draw at most.
        by: `execution`: at random within each half. `verdict`: half of each half is judged correct
            and half judged incorrect, as far as there are as many, so that verdicts that dispute
            the execution are not rare.
        seed: Decides the sample and its order.

    Raises:
        InputError: a half is empty, or `verdict` is asked for and no case has one.
    """
    halves = [
        [each for each in candidates if each.results_equal is equal] for equal in (True, False)
    ]
    size = min(count // 2, *map(len, halves))
    if size == 0:
        raise InputError(
            "a sample needs cases with equal results and cases with different results: there are"
            f" {len(halves[0])} and {len(halves[1])}"
        )
    if by == "verdict" and all(each.judged_correct is None for each in candidates):
        raise InputError("--by verdict needs a judged run: evaluate it with --judge")
    drawing = random.Random(seed)  # noqa: S311 - a sample that everybody can repeat
    pick = _by_verdict if by == "verdict" else _at_random
    drawn = [each for half in halves for each in pick(half, size, drawing)]
    drawing.shuffle(drawn)
    return drawn, _strata(candidates, drawn, by)


def _at_random(
    half: Sequence[Candidate[T]], size: int, drawing: random.Random
) -> list[Candidate[T]]:
    return drawing.sample(half, size)


def _by_verdict(
    half: Sequence[Candidate[T]], size: int, drawing: random.Random
) -> list[Candidate[T]]:
    """Draw from the kinds of verdicts in turn, as long as each has cases."""
    kinds: dict[bool | None, list[Candidate[T]]] = defaultdict(list)
    for each in drawing.sample(half, len(half)):
        kinds[each.judged_correct].append(each)
    drawn: list[Candidate[T]] = []
    order = [kind for kind in (True, False, None) if kinds[kind]]
    while len(drawn) < size:
        order = [kind for kind in order if kinds[kind]]
        drawn += [kinds[kind].pop() for kind in order]
    return drawn[:size]


def _strata(
    candidates: Iterable[Candidate[T]], drawn: Sequence[Candidate[T]], by: SampledBy
) -> list[Stratum]:
    def name(each: Candidate[T]) -> str:
        return each.stratum if by == "verdict" else _half(each.results_equal)

    there, taken = [name(each) for each in candidates], [name(each) for each in drawn]
    return [Stratum(each, there.count(each), taken.count(each)) for each in sorted(set(there))]


def _half(results_equal: bool) -> str:  # noqa: FBT001 - the half itself
    return "equal results" if results_equal else "different results"
