"""Fills the review queue: requests at random, each with all that a judge is shown."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, get_args

from sqlobs.judge.verdicts.rendering import render
from sqlobs_collector.curation.decisions import DecisionError
from sqlobs_collector.settings.judging import FLEX
from sqlobs_collector.store.question import pack_question
from sqlobs_collector.store.review import ReviewRow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlobs.execution.outcome import Execution, PairOutcome
    from sqlobs.judge.item import JudgeItem
    from sqlobs_collector.evaluation.judge_items import Findings, JudgeItems
    from sqlobs_collector.store.reading import StoreReader
    from sqlobs_collector.store.review import ReviewOrigin, ReviewReader
    from sqlobs_collector.store.rows import Queued
    from sqlobs_collector.store.writing import Store

ReviewedJudge = Literal["flex", "flex_noref"]
"""The judges that can be calibrated: they say whether a statement is correct."""
REVIEWED: Final[tuple[ReviewedJudge, ...]] = get_args(ReviewedJudge)
MOST_SAMPLED: Final = 500
"""Each request is run again with its reference."""
MOST_LABELS: Final = 9
_PLACES: Final = 2**53


class ReviewSampler:
    """Draws requests that a judge gave a verdict on."""

    def __init__(
        self,
        store: Store,
        reader: StoreReader,
        reviews: ReviewReader,
        items: JudgeItems,
        findings: Callable[[Queued], Findings],
        *,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Set up.

        Args:
            store: Stores the items.
            reader: Reads the requests.
            reviews: Draws them.
            items: Builds what a judge is shown.
            findings: Runs a request again.
            clock_ns: Time source, for tests.
        """
        self._store = store
        self._reader = reader
        self._reviews = reviews
        self._items = items
        self._findings = findings
        self._clock_ns = clock_ns

    def sample(
        self, workspace: str, judge: ReviewedJudge, *, count: int, wanted: int, since_ns: int = 0
    ) -> int:
        """Add requests to the queue; returns how many.

        For a judge with references, half of them have equal results and half different ones, as
        far as there are as many.

        Raises:
            DecisionError: A number is out of range.
        """
        if not 1 <= count <= MOST_SAMPLED:
            raise DecisionError(f"count must be from 1 to {MOST_SAMPLED}")
        if not 1 <= wanted <= MOST_LABELS:
            raise DecisionError(f"labels must be from 1 to {MOST_LABELS}")
        drawn = self._drawn(workspace, judge, count=count, since_ns=since_ns)
        rows = [
            self.row(unit, judge, "sample", wanted=wanted) for unit in self._reader.whole(drawn)
        ]
        with self._store.writing() as writer:
            present = writer.stored_units(drawn)
            return writer.review.add([row for row in rows if row and row.unit_id in present])

    def row(
        self, unit: Queued, judge: str, origin: ReviewOrigin, *, wanted: int
    ) -> ReviewRow | None:
        """Return a request as an item; None if its SQL is not kept."""
        findings = self._findings(unit)
        if findings.content.sql is None:
            return None
        item = _with_results(self._items.item(findings, findings.content.sql), findings.pair)
        if judge != FLEX:
            item = replace(item, reference=None, reference_result=None, results_equal=None)
        return ReviewRow(
            unit_id=unit.unit_id,
            judge=judge,
            origin=origin,
            document=pack_question(self._items.storable(item)),
            results_equal=item.results_equal,
            wanted=wanted,
            place=secrets.randbelow(_PLACES),
            added_ns=self._clock_ns(),
        )

    def _drawn(
        self, workspace: str, judge: ReviewedJudge, *, count: int, since_ns: int
    ) -> Sequence[int]:
        if judge != FLEX:
            return self._reviews.judged(
                workspace, judge, results_equal=None, since_ns=since_ns, limit=count
            )
        halves = [
            self._reviews.judged(
                workspace, judge, results_equal=equal, since_ns=since_ns, limit=limit
            )
            for equal, limit in ((True, count - count // 2), (False, count // 2))
        ]
        return [unit_id for half in halves for unit_id in half]


def _with_results(item: JudgeItem, pair: PairOutcome | None) -> JudgeItem:
    """Return the item with the results of what ran.

    Equal ones are among them: an annotator would know by their absence that they are equal.
    """
    reference = None if pair is None else pair.reference
    return replace(
        item,
        predicted_result=None if pair is None else _text(pair.prediction),
        reference_result=None if reference is None else _text(reference),
    )


def _text(execution: Execution) -> str | None:
    outcome = execution.outcome
    return render(outcome.table) if outcome.status == "ok" else None
