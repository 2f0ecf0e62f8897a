"""Two windows, prompt versions, models or releases side by side."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from sqlobs_collector.admin.access import CanRead, Known
from sqlobs_collector.admin.compare import compared
from sqlobs_collector.console.layout import page
from sqlobs_collector.console.requests import windows
from sqlobs_collector.views.comparison import BY

router = APIRouter()


@router.get("/compare")
def compare(request: Request, reader: CanRead, sources: Known) -> Response:
    """Show the comparison that the address asks for."""
    said = {name: text for name, text in request.query_params.multi_items() if text}
    choices = sources.requests.values(reader.workspace)
    is_asked = not said.get("by") or (said.get("before") and said.get("now"))
    return page(
        request,
        reader,
        "compare.html",
        title="Compare",
        found=compared(request, reader, sources) if is_asked else None,
        said=said,
        by=BY,
        windows=windows(list(said.items())),
        choices=choices,
        values=choices.get(said.get("by", ""), []),
    )
