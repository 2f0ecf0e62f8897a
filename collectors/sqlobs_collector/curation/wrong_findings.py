"""Verdicts that people call wrong, with their critique.

They are examples for `sqlobs judge tune`, but never part of a calibration: they were chosen because
somebody found them wrong.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from sqlobs.judge.trust.labels import Label
from sqlobs_collector.curation.decisions import (
    DecisionError,
    UnknownSubjectError,
    bounded,
    person,
    unit_key,
)
from sqlobs_collector.curation.review_sampling import REVIEWED
from sqlobs_collector.store.review import WrongFinding

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs_collector.curation.review_sampling import ReviewSampler
    from sqlobs_collector.store.reading import StoreReader
    from sqlobs_collector.store.review import ReviewReader
    from sqlobs_collector.store.rows import Queued
    from sqlobs_collector.store.writing import Store

CHECKER: Final = "verdict"
"""What stands for the checker's verdict on a request, besides the names of evaluations."""


class WrongFindings:
    """Stores what people say about verdicts."""

    def __init__(
        self,
        store: Store,
        reader: StoreReader,
        reviews: ReviewReader,
        sampler: ReviewSampler,
        *,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._store = store
        self._reader = reader
        self._reviews = reviews
        self._sampler = sampler
        self._clock_ns = clock_ns

    def call_wrong(
        self, workspace: str, generation_id: str, metric: str, *, critique: str, author: str
    ) -> WrongFinding:
        """Store that a verdict is wrong.

        Args:
            workspace: Whose.
            generation_id: The request.
            metric: `CHECKER`, or the evaluation whose verdict is wrong.
            critique: Why.
            author: Who says so.

        Raises:
            UnknownSubjectError: There is no such request, or no such verdict on it.
            DecisionError: The critique is missing.
        """
        unit = self._reader.unit(unit_key(workspace, generation_id))
        verdict = None if unit is None else self._verdict(unit, metric)
        if unit is None or verdict is None:
            raise UnknownSubjectError(f"the verdict {metric[:80]!r} on this request is missing")
        reason = bounded(critique.strip(), name="the critique")
        if not reason:
            raise DecisionError("say why the verdict is wrong")
        row = WrongFinding(
            unit_id=unit.unit_id,
            metric=metric,
            author=person(author),
            verdict=verdict,
            critique=reason,
            said_ns=self._clock_ns(),
        )
        item = self._sampler.row(unit, metric, "finding", wanted=0) if metric in REVIEWED else None
        with self._store.writing() as writer:
            writer.review.call_wrong(row)
            writer.review.add([] if item is None else [item])
        return row

    def labels(self, workspace: str, judge: str) -> list[Label]:
        """Return the labels that contradict a judge's verdicts, with their critiques."""
        return [
            Label(
                case_id=case_id,
                rater=one.author,
                correct=one.verdict == "fail",
                critique=one.critique,
            )
            for case_id, one in self._reviews.wrong_findings(workspace)
            if one.metric == judge
        ]

    def _verdict(self, unit: Queued, metric: str) -> str | None:
        if metric == CHECKER:
            return self._reader.checked(unit.unit_id)
        found = self._reviews.verdict(unit.unit_id, metric)
        return None if found is None or found[0] == "not_evaluated" else found[0]
