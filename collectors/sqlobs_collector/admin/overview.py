"""Rates over time."""

from __future__ import annotations

import time

from fastapi import APIRouter, Request

from sqlobs_collector.admin.access import CanRead, Known
from sqlobs_collector.admin.parameters import described
from sqlobs_collector.store.hours import DIMENSIONS
from sqlobs_collector.views.objectives import Alerts, alert_states
from sqlobs_collector.views.overview import Overview, overview, read_query

router = APIRouter(tags=["overview"])


@router.get("/v1/alerts")
def read_alerts(reader: CanRead, sources: Known) -> Alerts:
    """Return the alerts that fire; the collector evaluates them every 30 seconds."""
    return Alerts(alerts=alert_states(sources.notifier, reader.workspace))


@router.get("/v1/overview", openapi_extra=described("since", "until", "rate", "by", *DIMENSIONS))
def read_overview(request: Request, reader: CanRead, sources: Known) -> Overview:
    """Return rates, volume, latency and cost over time, with deploys and objectives."""
    query = read_query(request.query_params, now_ns=time.time_ns())
    with sources.reading.snapshot():
        return overview(sources.hours, sources.intake, sources.notifier, reader.workspace, query)
