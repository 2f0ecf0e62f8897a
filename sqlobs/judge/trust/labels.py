"""Human labels: blind labels by several annotators, their agreement and consensus."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import InputError
from sqlobs.judge.verdicts.categories import DIFFERENCES, INTERNAL_ERRORS
from sqlobs.metrics.agreement import fleiss_kappa

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlobs.judge.verdicts.records import Source
    from sqlobs.metrics.agreement import Kappa

CONSENSUS: Final = "consensus"
"""The annotator name of consensus labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One annotator's label of one item."""

    case_id: str
    rater: str
    correct: bool
    critique: str = ""
    """The annotator's reason."""
    categories: tuple[str, ...] | None = None
    """Faults of an incorrect statement, or acceptable differences of a correct one; None = not
    given.
    """

    @classmethod
    def from_record(cls, record: Mapping[str, Any], *, place: str) -> Label:
        """Parse the label of a line. Raises: InputError: It is not a label."""
        correct = record.get("correct")
        if not isinstance(correct, bool) or not record.get("id") or not record.get("rater"):
            raise InputError(f"{place}: no label: it needs id, rater, and correct (true or false)")
        categories = record.get("categories")
        if categories is not None and not _are_of_menu(categories, menu_of(correct)):
            raise InputError(f"{place}: categories must be of {', '.join(menu_of(correct))}")
        return cls(
            case_id=str(record["id"]),
            rater=str(record["rater"]),
            correct=correct,
            critique=str(record.get("critique") or ""),
            categories=None if categories is None else tuple(categories),
        )

    def as_record(self) -> dict[str, object]:
        """Return the label as a JSON record."""
        record: dict[str, object] = {
            "id": self.case_id,
            "rater": self.rater,
            "correct": self.correct,
        }
        if self.categories is not None:
            record["categories"] = list(self.categories)
        return {**record, "critique": self.critique} if self.critique else record


def menu_of(correct: bool) -> tuple[str, ...]:  # noqa: FBT001 - the label itself
    """Return the categories that a statement with this label may have."""
    return DIFFERENCES if correct else INTERNAL_ERRORS


def stratified(sources: Sequence[Source], *, count: int | None, seed: int) -> list[Source]:
    """Sample items for labeling: half with equal results, half with different ones, shuffled.

    The same seed gives all annotators the same items in the same order, and the order does not
    reveal the execution result.

    Args:
        sources: Executed items; others are ignored.
        count: Number of items; None = as many as possible.
        seed: Random seed.

    Raises:
        InputError: A half has too few items.
    """
    halves = [
        [source for source in sources if source.item.results_equal is equal]
        for equal in (True, False)
    ]
    size = min(map(len, halves)) if count is None else count // 2
    if size == 0 or min(map(len, halves)) < size:
        raise InputError(
            f"half of the items must have equal results, half different ones: there are"
            f" {len(halves[0])} and {len(halves[1])}"
        )
    drawing = random.Random(seed)  # noqa: S311 - a sample that everybody can repeat
    drawn = [source for half in halves for source in drawing.sample(half, size)]
    drawing.shuffle(drawn)
    return drawn


def by_item(labels: Iterable[Label]) -> dict[str, dict[str, Label]]:
    """Return the labels of each item by annotator; a later label replaces an earlier one."""
    found: dict[str, dict[str, Label]] = defaultdict(dict)
    for label in labels:
        found[label.case_id][label.rater] = label
    return dict(found)


def raters(labels: Iterable[Label]) -> list[str]:
    """Return the annotators in order of first appearance, without the consensus."""
    return list(dict.fromkeys(label.rater for label in labels if label.rater != CONSENSUS))


def agreement_before(labels: Sequence[Label]) -> Kappa | None:
    """Return Fleiss' kappa of the annotators over the items that all of them labeled."""
    names = raters(labels)
    complete = [
        [held[name].correct for name in names]
        for held in by_item(labels).values()
        if all(name in held for name in names)
    ]
    if len(names) < 2:  # noqa: PLR2004 - nobody agrees alone
        return None
    return fleiss_kappa([[votes.count(False), votes.count(True)] for votes in complete])


def disputed(labels: Sequence[Label]) -> list[str]:
    """Return the items on which annotators disagree and that have no consensus yet."""
    return [
        case_id
        for case_id, held in by_item(labels).items()
        if CONSENSUS not in held and len({label.correct for label in held.values()}) > 1
    ]


def settled(labels: Sequence[Label]) -> dict[str, Label]:
    """Return one label per item: the consensus, else the unanimous label.

    Items in dispute are omitted.
    """
    found = {}
    for case_id, held in by_item(labels).items():
        if CONSENSUS in held:
            found[case_id] = held[CONSENSUS]
        elif len({label.correct for label in held.values()}) == 1:
            explained = [label for label in held.values() if label.critique]
            spokesman = (explained or list(held.values()))[0]
            found[case_id] = replace(spokesman, categories=_majority(held.values()))
    return found


def _majority(labels: Iterable[Label]) -> tuple[str, ...] | None:
    """Return the categories chosen by the majority of those who chose any; None if nobody did."""
    named = [label.categories for label in labels if label.categories is not None]
    if not named:
        return None
    counts = Counter(key for categories in named for key in set(categories))
    return tuple(sorted(key for key, count in counts.items() if 2 * count > len(named)))


def _are_of_menu(categories: object, menu: Sequence[str]) -> bool:
    return isinstance(categories, list) and all(entry in menu for entry in categories)
