"""The first page: rates over time, alerts, volume, latency and cost."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from sqlobs_collector.admin.access import CanRead
from sqlobs_collector.console.layout import page

router = APIRouter()


@router.get("/")
def overview(request: Request, reader: CanRead) -> Response:
    """Show the overview."""
    return page(request, reader, "overview.html", title="Overview")
