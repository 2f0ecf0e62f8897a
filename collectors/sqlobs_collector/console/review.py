"""The page of the review queue: label one request after the other, and what came of the labels."""

from __future__ import annotations

import time
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from sqlobs.judge.trust.labels import menu_of
from sqlobs_collector.admin.access import CanAdmin, CanLabel, Known, Reader
from sqlobs_collector.admin.review import may_read_rows
from sqlobs_collector.admin.sources import Sources
from sqlobs_collector.console.author import By
from sqlobs_collector.console.layout import page
from sqlobs_collector.curation.review_sampling import REVIEWED, ReviewedJudge
from sqlobs_collector.views.judges import calibration_view
from sqlobs_collector.views.review import NextTask, next_task, review_view

router = APIRouter()

Text = Annotated[str, Form()]
Judge = Annotated[ReviewedJudge, Form()]
IsCorrect = Annotated[bool, Form()]
Categories = Annotated[list[str] | None, Form()]
_DAY_NS = 86_400 * 10**9


@router.get("/review")
def review(
    request: Request,
    reader: CanLabel,
    sources: Known,
    judge: ReviewedJudge = "flex",
    rater: str = "",
    after: int | None = None,
    done: str = "",
) -> Response:
    """Show the next request to label, and, to those who may read, the agreement."""
    name, desk = rater.strip(), sources.desk
    return page(
        request,
        reader,
        "review.html",
        title="Review",
        judge=judge,
        judges=REVIEWED,
        rater=name,
        done=done,
        next=_next(sources, reader, judge, name, after=after) if name else None,
        menus={"errors": menu_of(False), "differences": menu_of(True)},
        view=review_view(desk, reader.workspace, judge) if "read" in reader.rights else None,
        calibration=calibration_view(desk, reader.workspace, judge),
    )


@router.post("/review/sample")
def sample(
    reader: CanAdmin,
    sources: Known,
    judge: Judge,
    author: By,
    count: Annotated[int, Form()],
    labels: Annotated[int, Form()],
    days: Annotated[int, Form(ge=1, le=3660)],
) -> RedirectResponse:
    """Add requests to the queue."""
    added = sources.desk.sampler.sample(
        reader.workspace,
        judge,
        count=count,
        wanted=labels,
        since_ns=time.time_ns() - days * _DAY_NS,
    )
    return author.leads_to(_place(judge, done=f"{added} requests added"))


@router.post("/review/calibrate")
def calibrate(reader: CanAdmin, sources: Known, judge: Judge, author: By) -> RedirectResponse:
    """Calibrate the judge by the labels."""
    sources.desk.calibrator.calibrate(reader.workspace, judge, author=author.name)
    return author.leads_to(_place(judge, done="calibrated"))


@router.post("/review/wrong")
def call_wrong(
    reader: CanLabel,
    sources: Known,
    generation_id: Text,
    evaluation: Text,
    critique: Text,
    author: By,
) -> RedirectResponse:
    """Store that a verdict is wrong, and lead back to the request."""
    sources.desk.wrong.call_wrong(
        reader.workspace, generation_id, evaluation, critique=critique, author=author.name
    )
    _, trace, span = generation_id.strip().lower().split("-")[:3]
    return author.leads_to(f"/requests/{trace}-{span}")


@router.post("/review/{item_id}/label")
def label(
    reader: CanLabel,
    sources: Known,
    item_id: int,
    judge: Judge,
    author: By,
    is_correct: IsCorrect,
    critique: Text = "",
    errors: Categories = None,
    differences: Categories = None,
) -> RedirectResponse:
    """Store a label, and lead to the next request; without a category, the annotator is unsure."""
    sources.desk.queue.label(
        reader.workspace,
        item_id,
        author.name,
        is_correct=is_correct,
        critique=critique,
        categories=differences if is_correct else errors,
    )
    return author.leads_to(_place(judge, rater=author.name))


@router.post("/review/{item_id}/skip")
def skip(
    reader: CanLabel,
    sources: Known,
    item_id: int,
    judge: Judge,
    author: By,
) -> RedirectResponse:
    """Give a request back, and lead to the next one."""
    sources.desk.queue.skip(reader.workspace, item_id, author.name)
    return author.leads_to(_place(judge, rater=author.name, after=str(item_id)))


@router.post("/review/{item_id}/settle")
def settle(
    reader: CanLabel,
    sources: Known,
    item_id: int,
    judge: Judge,
    author: By,
    is_correct: IsCorrect,
    critique: Text = "",
) -> RedirectResponse:
    """Store the consensus about a request."""
    sources.desk.queue.settle(reader.workspace, item_id, is_correct=is_correct, critique=critique)
    return author.leads_to(_place(judge, done="settled"))


def _next(
    sources: Sources, reader: Reader, judge: str, name: str, *, after: int | None
) -> NextTask:
    return next_task(
        sources.desk,
        reader.workspace,
        judge,
        name,
        has_results=may_read_rows(reader),
        after=after,
    )


def _place(judge: str, **parameters: str) -> str:
    return f"/review?{urlencode({'judge': judge, **parameters})}"
