"""The judges of a workspace."""

from __future__ import annotations

from fastapi import APIRouter

from sqlobs_collector.admin.access import CanRead, Known
from sqlobs_collector.views.judges import JudgesView, judges_view

router = APIRouter()


@router.get("/v1/judges")
def judges(reader: CanRead, sources: Known) -> JudgesView:
    """Return agreement with people, calibration, cost, canaries and examples of each judge."""
    return judges_view(sources.desk, reader.workspace)
