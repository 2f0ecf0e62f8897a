"""Blind labels by several annotators at the same time.

An item is reserved for an annotator while they look at it, so that each item gets the labels that
it wants, by different people, and no work is done twice. A reservation expires; a label that comes
later still counts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.judge.trust.labels import CONSENSUS, Label, menu_of
from sqlobs_collector.curation.decisions import (
    DecisionError,
    UnknownSubjectError,
    bounded,
    person,
)
from sqlobs_collector.store.question import unpack_question
from sqlobs_collector.store.review import LabelRow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlobs.judge.item import JudgeItem
    from sqlobs_collector.store.review import ReviewItem, ReviewReader
    from sqlobs_collector.store.writing import Store

LEASE_S: Final = 1800
"""Time for which an item is reserved for an annotator."""


@dataclass(frozen=True, slots=True)
class Task:
    """An item that an annotator is to label."""

    item_id: int
    item: JudgeItem


class ReviewQueue:
    """Hands out items and takes labels."""

    def __init__(
        self,
        store: Store,
        reviews: ReviewReader,
        *,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._store = store
        self._reviews = reviews
        self._clock_ns = clock_ns

    def next(
        self, workspace: str, judge: str, rater: str, *, after: int | None = None
    ) -> Task | None:
        """Reserve the next item for an annotator; None: there is nothing left for them.

        Args:
            workspace: Whose.
            judge: The judge that is calibrated.
            rater: The annotator.
            after: An item that they skipped: the ones behind it come first.
        """
        name, now_ns = annotator(rater), self._clock_ns()
        with self._store.writing() as writer:
            found = writer.review.lease(
                workspace,
                judge,
                name,
                now_ns=now_ns,
                until_ns=now_ns + LEASE_S * 10**9,
                after=after,
            )
            known = None if found is None else writer.review.item(workspace, found)
        if found is None or known is None or known[1] is None:
            return None
        return Task(found, unpack_question(known[1])[0])

    def label(
        self,
        workspace: str,
        item_id: int,
        rater: str,
        *,
        is_correct: bool,
        critique: str = "",
        categories: Sequence[str] | None = None,
    ) -> None:
        """Store an annotator's label of an item, in place of an earlier one.

        Raises:
            UnknownSubjectError: The workspace has no such item.
            DecisionError: The name or a category is invalid.
        """
        self._store_label(
            workspace,
            item_id,
            annotator(rater),
            is_correct=is_correct,
            critique=critique,
            categories=categories,
        )

    def skip(self, workspace: str, item_id: int, rater: str) -> None:
        """Give an item back without a label."""
        with self._store.writing() as writer:
            if writer.review.item(workspace, item_id) is not None:
                writer.review.release(item_id, annotator(rater))

    def settle(self, workspace: str, item_id: int, *, is_correct: bool, critique: str = "") -> None:
        """Store the consensus about an item on which annotators disagree.

        Raises:
            UnknownSubjectError: The workspace has no such item.
        """
        self._store_label(
            workspace, item_id, CONSENSUS, is_correct=is_correct, critique=critique, categories=None
        )

    def labels(self, workspace: str, judge: str) -> list[Label]:
        """Return the labels of sampled items about a judge, the oldest first."""
        items = {
            one.item_id: one
            for one in self._reviews.items(workspace, judge)
            if one.origin == "sample"
        }
        return [
            label_of(row, items[row.item_id])
            for row in self._reviews.labels(workspace, judge)
            if row.item_id in items
        ]

    def _store_label(
        self,
        workspace: str,
        item_id: int,
        rater: str,
        *,
        is_correct: bool,
        critique: str,
        categories: Sequence[str] | None,
    ) -> None:
        if categories is not None and not set(categories) <= set(menu_of(is_correct)):
            raise DecisionError(f"categories must be of {', '.join(menu_of(is_correct))}")
        row = LabelRow(
            item_id=item_id,
            rater=rater,
            is_correct=is_correct,
            critique=bounded(critique.strip(), name="the critique"),
            categories=None if categories is None else " ".join(categories),
            labeled_ns=self._clock_ns(),
        )
        with self._store.writing() as writer:
            if writer.review.item(workspace, item_id) is None:
                raise UnknownSubjectError("no such request in the review queue of this workspace")
            writer.review.label(row)


def annotator(name: str) -> str:
    """Return the name of an annotator.

    Raises:
        DecisionError: It is empty, too long, or reserved.
    """
    found = person(name)
    if found == CONSENSUS:
        raise DecisionError(f"`{CONSENSUS}` is reserved: give the annotator's name")
    return found


def label_of(row: LabelRow, item: ReviewItem) -> Label:
    """Return a stored label as the statistics take it."""
    return Label(
        case_id=item.case_id,
        rater=row.rater,
        correct=row.is_correct,
        critique=row.critique,
        categories=None if row.categories is None else tuple(row.categories.split()),
    )
