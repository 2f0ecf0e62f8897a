"""The settings in effect, the tokens, and whether targets and judge respond."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from sqlobs_collector.admin.access import CanAdmin, Known
from sqlobs_collector.admin.settings import Probe, settings_of
from sqlobs_collector.console.layout import page

router = APIRouter()


@router.get("/settings")
def settings(
    request: Request,
    reader: CanAdmin,
    sources: Known,
    probe: Probe = False,  # noqa: FBT002 - a query parameter
) -> Response:
    """Show the settings; with `probe`, connect to targets and judge first."""
    view = settings_of(reader, sources, is_probed=probe)
    return page(request, reader, "settings.html", title="Settings", view=view)
