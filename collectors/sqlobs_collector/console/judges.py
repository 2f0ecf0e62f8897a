"""The page of the judges."""

from __future__ import annotations

import time

from fastapi import APIRouter, Request
from fastapi.responses import Response

from sqlobs_collector.admin.access import CanRead, Known
from sqlobs_collector.console.layout import page
from sqlobs_collector.views.judges import judges_view

router = APIRouter()


@router.get("/judges")
def judges(request: Request, reader: CanRead, sources: Known) -> Response:
    """Show agreement with people, calibration, cost, canaries and examples of each judge."""
    view = judges_view(sources.desk, reader.workspace)
    return page(request, reader, "judges.html", title="Judges", view=view, now_ns=time.time_ns())
