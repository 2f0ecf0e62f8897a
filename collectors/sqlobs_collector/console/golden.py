"""The pages of the golden set: the cases, one case with its history, and their forms."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from sqlobs_collector.admin.access import CanAdmin, CanRead, Known
from sqlobs_collector.admin.golden import known_case, run_case
from sqlobs_collector.console.author import By
from sqlobs_collector.console.layout import page
from sqlobs_collector.curation.decisions import DecisionError
from sqlobs_collector.curation.golden_editor import Draft, Promotion, PromotionSource
from sqlobs_collector.views.golden import golden_history, golden_set_view

router = APIRouter()

Text = Annotated[str, Form()]


@router.get("/golden")
def golden(request: Request, reader: CanRead, sources: Known, q: str = "") -> Response:
    """Show the cases of the workspace."""
    view = golden_set_view(sources.desk.golden, reader.workspace, text=q)
    return page(request, reader, "golden.html", title="Golden set", view=view, q=q)


@router.get("/golden/{case_id}")
def case(
    request: Request, reader: CanRead, sources: Known, case_id: int, done: str = ""
) -> Response:
    """Show one case with its history."""
    view = golden_history(sources.desk.golden, known_case(reader, sources, case_id))
    return page(
        request, reader, "golden_case.html", title=f"Golden case {case_id}", view=view, done=done
    )


@router.post("/golden")
def write(
    reader: CanAdmin,
    sources: Known,
    question: Text,
    sql: Text,
    author: By,
    target: Text = "",
) -> RedirectResponse:
    """Add a case."""
    draft = Draft(
        question=question, sql=sql, target=target or None, author=author.name, source="written"
    )
    saved = sources.desk.editor.save(reader.workspace, draft)
    return author.leads_to(f"/golden/{saved.case.case_id}?done={saved.outcome}")


@router.post("/golden/promote")
def promote(
    reader: CanAdmin,
    sources: Known,
    generation_id: Text,
    source: Annotated[PromotionSource, Form()],
    author: By,
    sql: Text = "",
) -> RedirectResponse:
    """Make a case of a request."""
    promotion = Promotion(generation_id=generation_id, source=source, author=author.name, sql=sql)
    saved = sources.desk.editor.promote(reader.workspace, promotion)
    return author.leads_to(f"/golden/{saved.case.case_id}?done={saved.outcome}")


@router.post("/golden/import")
async def import_file(
    reader: CanAdmin, sources: Known, file: UploadFile, author: By
) -> RedirectResponse:
    """Save the cases of a golden file."""
    try:
        text = (await file.read()).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DecisionError("the file is not UTF-8 text") from error
    sources.desk.editor.import_lines(reader.workspace, text, author=author.name)
    return author.leads_to("/golden")


@router.post("/golden/{case_id}/edit")
def edit(
    reader: CanAdmin,
    sources: Known,
    case_id: int,
    sql: Text,
    owner: Text,
    author: By,
) -> RedirectResponse:
    """Change a case."""
    sources.desk.editor.edit(reader.workspace, case_id, sql=sql, owner=owner, author=author.name)
    return author.leads_to(f"/golden/{case_id}?done=edited")


@router.post("/golden/{case_id}/retire")
def retire(reader: CanAdmin, sources: Known, case_id: int, author: By) -> RedirectResponse:
    """Take a case out of force."""
    sources.desk.editor.retire(reader.workspace, case_id, author=author.name)
    return author.leads_to(f"/golden/{case_id}?done=retired")


@router.post("/golden/{case_id}/restore")
def restore(reader: CanAdmin, sources: Known, case_id: int, author: By) -> RedirectResponse:
    """Activate a retired case."""
    sources.desk.editor.restore(reader.workspace, case_id, author=author.name)
    return author.leads_to(f"/golden/{case_id}?done=restored")


@router.post("/golden/{case_id}/run")
def run(reader: CanAdmin, sources: Known, case_id: int, author: By) -> RedirectResponse:
    """Run a case now."""
    run_case(reader, sources, case_id, author=author.name)
    return author.leads_to(f"/golden/{case_id}?done=run")


@router.post("/golden/{case_id}/delete")
def delete(reader: CanAdmin, sources: Known, case_id: int, author: By) -> RedirectResponse:
    """Delete a case with its history."""
    sources.desk.editor.delete(reader.workspace, case_id)
    return author.leads_to("/golden")
