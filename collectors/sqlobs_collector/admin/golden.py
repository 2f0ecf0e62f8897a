"""The golden set of a workspace: read it, promote requests, edit, run, import and export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field

from sqlobs_collector.admin.access import CanAdmin, CanRead, Known, Reader
from sqlobs_collector.admin.sources import Sources
from sqlobs_collector.curation.decisions import UnknownSubjectError
from sqlobs_collector.curation.golden_editor import Draft, Promotion, PromotionSource
from sqlobs_collector.views.golden import (
    GoldenCaseHistory,
    GoldenCaseView,
    GoldenSetView,
    case_view,
    golden_history,
    golden_lines,
    golden_set_view,
)

if TYPE_CHECKING:
    from sqlobs_collector.store.golden import StoredCase

router = APIRouter()

LINES = "application/x-ndjson"


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")

    author: str = Field(description="Who decides; stands in the history.")


class PromotionForm(_Form):
    """A request that becomes a golden case."""

    generation_id: str
    source: PromotionSource
    sql: str | None = Field(default=None, description="The corrected SQL.")


class CaseForm(_Form):
    """A case without a request."""

    question: str
    sql: str
    target: str | None = Field(default=None, description="Alias; unset: any target.")


class EditForm(_Form):
    """The new SQL and owner of a case."""

    sql: str
    owner: str


class ImportForm(_Form):
    """The content of a golden file."""

    lines: str


class AuthorForm(_Form):
    """Who decides."""


class SavedCase(BaseModel):
    """A case after a change."""

    outcome: str
    """`added`, `edited` or `unchanged`."""
    case: GoldenCaseView


class RunOutcome(BaseModel):
    """What came of running a case now."""

    status: str
    reason: str | None
    rows: str | None
    duration_s: float | None
    target: str | None


@router.get("/v1/golden")
def golden_set(
    reader: CanRead, sources: Known, q: Annotated[str, Query(description="Part of a text.")] = ""
) -> GoldenSetView:
    """Return the cases of the workspace, the latest change first."""
    return golden_set_view(sources.desk.golden, reader.workspace, text=q)


@router.post("/v1/golden")
def write(reader: CanAdmin, sources: Known, form: CaseForm) -> SavedCase:
    """Add a case, or edit the one that the question has on the target."""
    draft = Draft(**form.model_dump(), source="written")
    saved = sources.desk.editor.save(reader.workspace, draft)
    return SavedCase(outcome=saved.outcome, case=case_view(saved.case))


@router.post("/v1/golden/promote")
def promote(reader: CanAdmin, sources: Known, form: PromotionForm) -> SavedCase:
    """Make a case of a request: with its reference, its answer, or corrected SQL."""
    saved = sources.desk.editor.promote(reader.workspace, Promotion(**form.model_dump()))
    return SavedCase(outcome=saved.outcome, case=case_view(saved.case))


@router.get("/v1/golden/export", response_class=PlainTextResponse)
def export(reader: CanRead, sources: Known) -> PlainTextResponse:
    """Return the active cases as JSON Lines, in the format of a golden file."""
    lines = golden_lines(sources.desk.golden, reader.workspace)
    return PlainTextResponse(lines, media_type=LINES)


@router.post("/v1/golden/import")
def import_lines(reader: CanAdmin, sources: Known, form: ImportForm) -> dict[str, int]:
    """Save the cases of a golden file: all of them, or none if a line is invalid."""
    return dict(sources.desk.editor.import_lines(reader.workspace, form.lines, author=form.author))


@router.get("/v1/golden/{case_id}")
def history(reader: CanRead, sources: Known, case_id: int) -> GoldenCaseHistory:
    """Return a case with its history."""
    return golden_history(sources.desk.golden, known_case(reader, sources, case_id))


@router.put("/v1/golden/{case_id}")
def edit(reader: CanAdmin, sources: Known, case_id: int, form: EditForm) -> GoldenCaseView:
    """Change the SQL or the owner of a case."""
    return case_view(sources.desk.editor.edit(reader.workspace, case_id, **form.model_dump()))


@router.post("/v1/golden/{case_id}/retire")
def retire(reader: CanAdmin, sources: Known, case_id: int, form: AuthorForm) -> GoldenCaseView:
    """Take a case out of force."""
    return case_view(sources.desk.editor.retire(reader.workspace, case_id, author=form.author))


@router.post("/v1/golden/{case_id}/restore")
def restore(reader: CanAdmin, sources: Known, case_id: int, form: AuthorForm) -> GoldenCaseView:
    """Reactivate a retired case."""
    return case_view(sources.desk.editor.restore(reader.workspace, case_id, author=form.author))


@router.post("/v1/golden/{case_id}/run")
def run(reader: CanAdmin, sources: Known, case_id: int, form: AuthorForm) -> RunOutcome:
    """Run a case now on its target, within the target's limits."""
    return run_case(reader, sources, case_id, author=form.author)


@router.delete("/v1/golden/{case_id}")
def delete(reader: CanAdmin, sources: Known, case_id: int) -> dict[str, int]:
    """Delete a case with its history."""
    sources.desk.editor.delete(reader.workspace, case_id)
    return {"deleted": case_id}


def run_case(reader: Reader, sources: Sources, case_id: int, *, author: str) -> RunOutcome:
    """Run a case and note the run in its history.

    Raises:
        UnknownSubjectError: The workspace has no such case.
    """
    case = known_case(reader, sources, case_id)
    found = sources.desk.runs.run(case)
    sources.desk.editor.note_run(case, author=author, detail=found.detail)
    return RunOutcome(
        status=found.status,
        reason=found.reason,
        rows=found.rows,
        duration_s=found.duration_s,
        target=found.target,
    )


def known_case(reader: Reader, sources: Sources, case_id: int) -> StoredCase:
    """Return a case of the client's workspace.

    Raises:
        UnknownSubjectError: The workspace has no such case.
    """
    found = sources.desk.golden.case(reader.workspace, case_id)
    if found is None:
        raise UnknownSubjectError("no such golden case in this workspace")
    return found
