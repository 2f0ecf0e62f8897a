"""Failures in groups, and what people decide about them."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Query, Request

from sqlobs_collector.admin.access import CanLabel, CanRead, Known
from sqlobs_collector.admin.parameters import described
from sqlobs_collector.admin.requests import chosen_by
from sqlobs_collector.views.failures import (
    GROUPS,
    DecisionRequest,
    FailureView,
    decide,
    failure_groups,
)
from sqlobs_collector.views.filters import PARAMETERS

router = APIRouter(tags=["failures"])


@router.get("/v1/failures", openapi_extra=described(*PARAMETERS))
def failures(
    request: Request,
    reader: CanRead,
    sources: Known,
    limit: Annotated[int, Query(ge=1, le=500)] = GROUPS,
) -> FailureView:
    """Return failures grouped by code, invented name, model and prompt version."""
    with sources.reading.snapshot():
        return failure_groups(sources.failures, chosen_by(request, reader), limit=limit)


@router.post("/v1/failures", status_code=204, response_model=None)
def decide_about(decision: DecisionRequest, reader: CanLabel, sources: Known) -> None:
    """Acknowledge, assign, resolve or open a group; a resolved one that fails again reopens."""
    decide(sources.writing, reader.workspace, decision, by=reader.name, at_ns=time.time_ns())
