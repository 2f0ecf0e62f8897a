"""Two windows, prompt versions, models or releases compared."""

from __future__ import annotations

import time

from fastapi import APIRouter, Request

from sqlobs_collector.admin.access import CanRead, Known, Reader
from sqlobs_collector.admin.parameters import described
from sqlobs_collector.admin.sources import Sources
from sqlobs_collector.views.comparison import Comparison, comparison, read_sides
from sqlobs_collector.views.filters import PARAMETERS

router = APIRouter(tags=["comparison"])


def compared(request: Request, reader: Reader, sources: Sources) -> Comparison:
    """Return the comparison that an address asks for."""
    pairs = request.query_params.multi_items()
    before, now, by = read_sides(reader.workspace, pairs, now_ns=time.time_ns())
    with sources.reading.snapshot():
        return comparison(sources.quality, sources.comparisons, (before, now), by=by)


@router.get("/v1/compare", openapi_extra=described(*PARAMETERS, "by", "before", "now", "baseline"))
def compare(request: Request, reader: CanRead, sources: Known) -> Comparison:
    """Return rates of both sides, and the questions whose answers changed.

    Without `by`, the period is compared with the one before it; `at=TIME` is the time of a
    deployment. With `by=prompt_version`, `model` or `service_version`, `before` and `now` are two
    values.
    """
    return compared(request, reader, sources)
