"""The review queue of a workspace, as page, API and command show it."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from sqlobs.judge.trust.labels import (
    CONSENSUS,
    agreement_before,
    by_item,
    disputed,
    raters,
    settled,
)
from sqlobs.judge.verdicts.rendering import render
from sqlobs_collector.curation.review_queue import annotator
from sqlobs_collector.store.question import unpack_question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.judge.item import JudgeItem, Result
    from sqlobs.judge.trust.labels import Label
    from sqlobs.metrics.agreement import Kappa
    from sqlobs_collector.curation.desk import Desk
    from sqlobs_collector.curation.review_queue import Task
    from sqlobs_collector.store.review import ReviewItem


class KappaView(BaseModel):
    """Agreement beyond chance."""

    items: int
    """Requests that all of these annotators labeled."""
    agreed: int
    kappa: float | None
    low: float | None
    high: float | None


class RaterView(BaseModel):
    """An annotator."""

    name: str
    labels: int


class PairView(KappaView):
    """The agreement of two annotators."""

    first: str
    second: str


class VoteView(BaseModel):
    """One annotator's label in a disagreement."""

    rater: str
    is_correct: bool
    critique: str


class DisputeView(BaseModel):
    """A request on which annotators disagree."""

    item_id: int
    generation_id: str
    question: str | None
    sql: str | None
    reference: str | None
    votes: list[VoteView]


class ReviewView(BaseModel):
    """The state of the queue for one judge."""

    judge: str
    items: int
    complete: int
    """Requests with as many labels as they want."""
    labels: int
    raters: list[RaterView]
    agreement: KappaView | None
    """Of all annotators together (Fleiss), on the requests that all of them labeled."""
    pairs: list[PairView]
    correct: int
    """Requests that annotators agree are correct."""
    incorrect: int
    disputes: list[DisputeView]


class TaskView(BaseModel):
    """A request to label: nothing in it tells what a judge or other annotators say of it."""

    item_id: int
    question: str | None
    hints: str | None
    dialect: str | None
    sql: str
    reference: str | None
    schema_text: str | None
    predicted_result: str | None
    """Both results: only for those who may read rows."""
    reference_result: str | None


class NextTask(BaseModel):
    """The next request for an annotator, if there is one."""

    task: TaskView | None
    labeled: int
    """By this annotator."""
    items: int


class ReviewExport(BaseModel):
    """The files of `sqlobs judge calibrate` and `tune`: items, and labels of people."""

    items: list[dict[str, Any]]
    labels: list[dict[str, Any]]


def review_view(desk: Desk, workspace: str, judge: str) -> ReviewView:
    """Return the state of the queue for a judge."""
    items = [one for one in desk.reviews.items(workspace, judge) if one.origin == "sample"]
    labels = desk.queue.labels(workspace, judge)
    held = by_item(labels)
    own = {case_id: sum(name != CONSENSUS for name in given) for case_id, given in held.items()}
    agreed = settled(labels)
    names = raters(labels)
    return ReviewView(
        judge=judge,
        items=len(items),
        complete=sum(own.get(one.case_id, 0) >= one.wanted for one in items),
        labels=sum(own.values()),
        raters=[RaterView(name=name, labels=_given(labels, name)) for name in names],
        agreement=None if len(names) < 2 else _kappa(labels, names),  # noqa: PLR2004 - nobody agrees alone
        pairs=[
            PairView(first=one, second=other, **_kappa(labels, (one, other)).model_dump())
            for one, other in combinations(names, 2)
        ],
        correct=sum(label.correct for label in agreed.values()),
        incorrect=sum(not label.correct for label in agreed.values()),
        disputes=_disputes(items, labels),
    )


def next_task(
    desk: Desk,
    workspace: str,
    judge: str,
    rater: str,
    *,
    has_results: bool,
    after: int | None = None,
) -> NextTask:
    """Reserve the next request for an annotator.

    Args:
        desk: The queue.
        workspace: Whose.
        judge: The judge that is calibrated.
        rater: The annotator.
        has_results: Whether they may read rows.
        after: A request that they skipped.
    """
    task = desk.queue.next(workspace, judge, rater, after=after)
    items, labeled = desk.reviews.progress(workspace, judge, annotator(rater))
    return NextTask(
        task=None if task is None else _task(task, has_results=has_results),
        labeled=labeled,
        items=items,
    )


def review_export(desk: Desk, workspace: str, judge: str, *, has_findings: bool) -> ReviewExport:
    """Return items and labels as files have them.

    Args:
        desk: Reads them.
        workspace: Whose.
        judge: The evaluation.
        has_findings: Whether verdicts that people call wrong go along: they are examples for
            tuning, but would distort a calibration.
    """
    labels = desk.queue.labels(workspace, judge)
    if has_findings:
        sampled = {label.case_id for label in labels}
        labels += [one for one in desk.wrong.labels(workspace, judge) if one.case_id not in sampled]
    known = {label.case_id for label in labels}
    return ReviewExport(
        items=[
            _record(one, unpack_question(one.document)[0])
            for one in desk.reviews.items(workspace, judge)
            if one.document is not None and one.case_id in known
        ],
        labels=[label.as_record() for label in labels],
    )


def _kappa(labels: Sequence[Label], names: Sequence[str]) -> KappaView:
    theirs = [label for label in labels if label.rater in names]
    complete = [
        {given[name].correct for name in names}
        for given in by_item(theirs).values()
        if all(name in given for name in names)
    ]
    found: Kappa | None = agreement_before(theirs) if complete else None
    interval = None if found is None else found.interval
    return KappaView(
        items=len(complete),
        agreed=sum(len(votes) == 1 for votes in complete),
        kappa=None if found is None else found.value,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
    )


def _given(labels: Sequence[Label], rater: str) -> int:
    return len({label.case_id for label in labels if label.rater == rater})


def _disputes(items: Sequence[ReviewItem], labels: Sequence[Label]) -> list[DisputeView]:
    held, open_cases = by_item(labels), set(disputed(labels))
    return [_dispute(one, held[one.case_id]) for one in items if one.case_id in open_cases]


def _dispute(item: ReviewItem, given: dict[str, Label]) -> DisputeView:
    shown = None if item.document is None else unpack_question(item.document)[0]
    return DisputeView(
        item_id=item.item_id,
        generation_id=item.case_id,
        question=None if shown is None else shown.question,
        sql=None if shown is None else shown.sql,
        reference=None if shown is None else shown.reference,
        votes=[
            VoteView(rater=name, is_correct=label.correct, critique=label.critique)
            for name, label in given.items()
        ],
    )


def _task(task: Task, *, has_results: bool) -> TaskView:
    item = task.item
    return TaskView(
        item_id=task.item_id,
        question=item.question,
        hints=item.hints,
        dialect=item.dialect,
        sql=item.sql,
        reference=item.reference,
        schema_text=item.schema,
        predicted_result=_shown(item.predicted_result) if has_results else None,
        reference_result=_shown(item.reference_result) if has_results else None,
    )


def _shown(result: Result | None) -> str | None:
    return None if result is None else render(result)


def _record(item: ReviewItem, shown: JudgeItem) -> dict[str, Any]:
    """Return an item as a judge is asked about it: without results that are equal."""
    has_results = item.results_equal is not True
    record = {
        "id": item.case_id,
        "question": shown.question,
        "predicted_sql": shown.sql,
        "reference_sql": shown.reference,
        "dialect": shown.dialect,
        "schema": shown.schema,
        "hints": shown.hints,
        "results_equal": item.results_equal,
        "predicted_result": shown.predicted_result if has_results else None,
        "reference_result": shown.reference_result if has_results else None,
        "predicted_error": shown.predicted_error,
    }
    return {name: value for name, value in record.items() if value is not None}
