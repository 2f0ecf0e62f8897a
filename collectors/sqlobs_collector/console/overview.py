"""The first page: rates over time, objectives, volume, latency and cost."""

from __future__ import annotations

import time

from fastapi import APIRouter, Request
from fastapi.responses import Response

from sqlobs_collector.admin.access import CanRead, Known
from sqlobs_collector.console.layout import page
from sqlobs_collector.store.hours import DIMENSIONS
from sqlobs_collector.views.filters import NONE
from sqlobs_collector.views.overview import PERIODS, RATES, overview, read_query

router = APIRouter()


@router.get("/")
def overview_page(request: Request, reader: CanRead, sources: Known) -> Response:
    """Show the overview."""
    given = request.query_params
    query = read_query(given, now_ns=time.time_ns())
    with sources.reading.snapshot():
        view = overview(sources.hours, sources.intake, sources.notifier, reader.workspace, query)
    return page(
        request,
        reader,
        "overview.html",
        title="Overview",
        view=view,
        stopped=sources.journals.stopped(),
        periods=PERIODS,
        rates={name: kind.title for name, kind in RATES.items()},
        dimensions=DIMENSIONS,
        none=NONE,
        since=given.get("since") or "24h",
    )
