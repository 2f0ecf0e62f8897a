"""The review queue: sample requests, label them blind, settle disagreements, calibrate, export."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from sqlobs_collector.admin.access import CanAdmin, CanLabel, CanRead, Known, Reader
from sqlobs_collector.curation.review_sampling import ReviewedJudge
from sqlobs_collector.views.judges import CalibrationView, calibration_view
from sqlobs_collector.views.review import (
    NextTask,
    ReviewExport,
    ReviewView,
    next_task,
    review_export,
    review_view,
)

router = APIRouter()

WhichJudge = Annotated[ReviewedJudge, Query(description="The judge to calibrate.")]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SampleForm(_Form):
    """How many requests to add to the queue."""

    judge: ReviewedJudge = "flex"
    count: int = 60
    labels: int = Field(
        default=2, description="Labels that each request wants, by different people."
    )
    days: float = Field(default=7, gt=0, le=3660, description="Only requests of the last days.")


class NextForm(_Form):
    """Who labels."""

    judge: ReviewedJudge = "flex"
    rater: str
    after: int | None = Field(default=None, description="A request that they skipped.")


class LabelForm(_Form):
    """A label of a request."""

    rater: str
    is_correct: bool
    critique: str = ""
    categories: list[str] | None = None


class SkipForm(_Form):
    """Who gives a request back."""

    rater: str


class SettleForm(_Form):
    """The consensus about a request."""

    is_correct: bool
    critique: str = ""


class CalibrateForm(_Form):
    """Which judge to calibrate."""

    judge: ReviewedJudge = "flex"
    author: str


class WrongForm(_Form):
    """A verdict that is wrong, and why."""

    generation_id: str
    evaluation: str = Field(description="`verdict` for the checker's, else the evaluation's name.")
    critique: str
    author: str


class Sampled(BaseModel):
    """The number of requests that were added."""

    added: int


class Stored(BaseModel):
    """A decision is stored."""

    stored: bool = True


@router.get("/v1/review")
def review(reader: CanRead, sources: Known, judge: WhichJudge = "flex") -> ReviewView:
    """Return the state of the queue, the agreement of its annotators, and their disagreements."""
    return review_view(sources.desk, reader.workspace, judge)


@router.post("/v1/review/sample")
def sample(reader: CanAdmin, sources: Known, form: SampleForm) -> Sampled:
    """Add requests at random to the queue."""
    added = sources.desk.sampler.sample(
        reader.workspace,
        form.judge,
        count=form.count,
        wanted=form.labels,
        since_ns=time.time_ns() - int(form.days * 86_400 * 10**9),
    )
    return Sampled(added=added)


@router.post("/v1/review/next")
def following(reader: CanLabel, sources: Known, form: NextForm) -> NextTask:
    """Reserve the next request for an annotator."""
    return next_task(
        sources.desk,
        reader.workspace,
        form.judge,
        form.rater,
        has_results=may_read_rows(reader),
        after=form.after,
    )


def may_read_rows(reader: Reader) -> bool:
    """Return whether an annotator may see results: those who can export them."""
    return "admin" in reader.rights


@router.post("/v1/review/calibrate")
def calibrate(reader: CanAdmin, sources: Known, form: CalibrateForm) -> CalibrationView | None:
    """Calibrate a judge by the labels; its rates are corrected from now on."""
    sources.desk.calibrator.calibrate(reader.workspace, form.judge, author=form.author)
    return calibration_view(sources.desk, reader.workspace, form.judge)


@router.get("/v1/review/export")
def export(
    reader: CanAdmin,
    sources: Known,
    judge: WhichJudge = "flex",
    findings: Annotated[bool, Query(description="Include verdicts called wrong.")] = False,  # noqa: FBT002 - a query parameter
) -> ReviewExport:
    """Return items with rows, and labels, for `sqlobs judge calibrate` and `tune`."""
    return review_export(sources.desk, reader.workspace, judge, has_findings=findings)


@router.post("/v1/review/wrong")
def call_wrong(reader: CanLabel, sources: Known, form: WrongForm) -> Stored:
    """Store that a verdict is wrong, with the reason."""
    sources.desk.wrong.call_wrong(
        reader.workspace,
        form.generation_id,
        form.evaluation,
        critique=form.critique,
        author=form.author,
    )
    return Stored()


@router.post("/v1/review/{item_id}/label")
def label(reader: CanLabel, sources: Known, item_id: int, form: LabelForm) -> Stored:
    """Store an annotator's label, in place of an earlier one."""
    sources.desk.queue.label(reader.workspace, item_id, **form.model_dump())
    return Stored()


@router.post("/v1/review/{item_id}/skip")
def skip(reader: CanLabel, sources: Known, item_id: int, form: SkipForm) -> Stored:
    """Give a request back without a label."""
    sources.desk.queue.skip(reader.workspace, item_id, form.rater)
    return Stored()


@router.post("/v1/review/{item_id}/settle")
def settle(reader: CanLabel, sources: Known, item_id: int, form: SettleForm) -> Stored:
    """Store the consensus about a request on which annotators disagree."""
    sources.desk.queue.settle(reader.workspace, item_id, **form.model_dump())
    return Stored()
