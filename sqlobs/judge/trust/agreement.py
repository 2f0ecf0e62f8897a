"""A judge's agreement with human labels: kappa first, accuracy only with the class balance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.metrics.agreement import Kappa, binary_agreement, cohen_kappa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.judge.trust.study import CategorizedPair

Word = Literal["correct", "incorrect", "error"]

_WORDS: Final[tuple[Word, ...]] = ("correct", "incorrect", "error")
_MAJORITY: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A judge's agreement with human labels on items of both classes."""

    kappa: Kappa | None
    accuracy: float | None
    """Share of all items on which both agree; a missing verdict counts as disagreement."""
    accuracy_equal: float | None
    """On the items whose results are equal (EQ)."""
    accuracy_different: float | None
    """On the items whose results differ (NEQ)."""
    sensitivity: float | None
    """Share of correct items that the judge accepts."""
    specificity: float | None
    """Share of incorrect items that the judge rejects."""
    pabak: float | None
    """Kappa under a uniform prior: 2 x accuracy - 1, over the judged items."""
    table: tuple[tuple[int, int], tuple[int, int]]
    """Confusion matrix, human x judge, correct before incorrect."""
    errors: int
    """Number of items without a judge verdict."""
    correct_count: int
    incorrect_count: int
    """The class balance of the human labels, needed to interpret an accuracy."""


def agreement(
    human: Sequence[bool], judge: Sequence[bool | None], results_equal: Sequence[bool]
) -> Agreement:
    """Return a judge's agreement with human labels.

    Args:
        human: The human label of each item.
        judge: The judge's verdict; None = no verdict, which is a separate category.
        results_equal: Execution accuracy of each item.
    """
    counts = Counter(zip(map(_word, human), map(_word, judge), strict=True))
    full = [[counts[row, column] for column in _WORDS] for row in _WORDS]
    errors = sum(row[2] for row in full)
    size = 3 if errors else 2
    table = ((full[0][0], full[0][1]), (full[1][0], full[1][1]))
    rates = binary_agreement(table)
    agreed = [own == other for own, other in zip(human, judge, strict=True)]
    return Agreement(
        kappa=cohen_kappa([row[:size] for row in full[:size]]),
        accuracy=_share(agreed),
        accuracy_equal=_share(_where(agreed, results_equal, value=True)),
        accuracy_different=_share(_where(agreed, results_equal, value=False)),
        sensitivity=rates.sensitivity,
        specificity=rates.specificity,
        pabak=rates.pabak,
        table=table,
        errors=errors,
        correct_count=sum(human),
        incorrect_count=len(human) - sum(human),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryAgreement:
    """A judge's categories compared with the majority of the experts."""

    key: str
    """The category, or `all` for a whole menu."""
    kappa: float | None
    accuracy: float | None
    precision: float | None
    recall: float | None
    table: tuple[tuple[int, int], tuple[int, int]]
    """Confusion matrix, experts x judge, chosen before not chosen."""


def category_agreement(
    pairs: Sequence[CategorizedPair], chosen: Sequence[frozenset[str]]
) -> list[CategoryAgreement]:
    """Return the agreement on all categories pooled, then on each.

    Args:
        pairs: Pairs of one menu, with the experts' votes; two of three decide.
        chosen: The categories that the judge chose for each.
    """
    keys = list(pairs[0].expert_votes) if pairs else []
    decisions = {
        key: [
            (pair.expert_votes[key] >= _MAJORITY, key in own)
            for pair, own in zip(pairs, chosen, strict=True)
        ]
        for key in keys
    }
    pooled = [decision for made in decisions.values() for decision in made]
    return [
        _of_decisions("all", pooled),
        *(_of_decisions(k, made) for k, made in decisions.items()),
    ]


def _of_decisions(key: str, decisions: Sequence[tuple[bool, bool]]) -> CategoryAgreement:
    counts = Counter(decisions)
    table = (
        (counts[True, True], counts[True, False]),
        (counts[False, True], counts[False, False]),
    )
    kappa = cohen_kappa(table)
    rates = binary_agreement(table)
    chosen = counts[True, True] + counts[False, True]
    return CategoryAgreement(
        key=key,
        kappa=kappa.value if kappa else None,
        accuracy=rates.accuracy,
        precision=counts[True, True] / chosen if chosen else None,
        recall=rates.sensitivity,
        table=table,
    )


def _word(decided: bool | None) -> Word:  # noqa: FBT001 - a tri-state, not a flag
    return "error" if decided is None else "correct" if decided else "incorrect"


def _where(values: Sequence[bool], keep: Sequence[bool], *, value: bool) -> list[bool]:
    return [own for own, kept in zip(values, keep, strict=True) if kept == value]


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None
