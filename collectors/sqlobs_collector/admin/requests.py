"""Lists of requests, one request in full, exports and saved views."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Final, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from sqlobs_collector.admin.access import CanLabel, CanRead, Known, Reader
from sqlobs_collector.admin.parameters import described
from sqlobs_collector.admin.problems import MissingError
from sqlobs_collector.admin.sources import Sources
from sqlobs_collector.views.filters import PARAMETERS, read_filter
from sqlobs_collector.views.request import RequestView, read_id, request_view
from sqlobs_collector.views.requests import (
    PAGE,
    RequestPage,
    exported_csv,
    exported_lines,
    request_page,
)
from sqlobs_collector.views.saved import SavedViewRequest, SavedViews, saved_views

if TYPE_CHECKING:
    from sqlobs_collector.store.selection import RequestFilter

_FORMATS: Final = {
    "jsonl": (exported_lines, "application/x-ndjson"),
    "csv": (exported_csv, "text/csv; charset=utf-8"),
}
_NO_REQUEST: Final = (
    "the collector has no request {identity}: it was not sent here, belongs to another workspace,"
    " or is older than retention.unit_s"
)

router = APIRouter(tags=["requests"])


def chosen_by(request: Request, reader: Reader) -> RequestFilter:
    """Return the filters of an address."""
    pairs = request.query_params.multi_items()
    return read_filter(reader.workspace, pairs, now_ns=time.time_ns())


def found_request(identity: str, reader: Reader, sources: Sources) -> RequestView:
    """Return one request in full.

    Raises:
        MissingError: The workspace has none with this id.
    """
    missing = MissingError(_NO_REQUEST.format(identity=identity[:80]))
    wanted = read_id(identity)
    if wanted is None:
        raise missing
    trace_id, span_id = wanted
    with sources.reading.snapshot():
        stored = sources.store.units(reader.workspace, trace_id=trace_id, span_id=span_id, limit=1)
        if not stored:
            raise missing
        return request_view(
            stored[0],
            sources.requests,
            sources.schemas,
            links=sources.links,
            is_operator=reader.is_operator,
        )


@router.get("/v1/requests", openapi_extra=described(*PARAMETERS))
def requests(
    request: Request,
    reader: CanRead,
    sources: Known,
    after: str | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = PAGE,
) -> RequestPage:
    """Return a page of requests, newest first; `next` is the `after` of the page behind it."""
    with sources.reading.snapshot():
        return request_page(sources.requests, chosen_by(request, reader), after=after, limit=limit)


@router.get("/v1/requests/export", openapi_extra=described(*PARAMETERS))
def export(
    request: Request,
    reader: CanRead,
    sources: Known,
    format: Literal["jsonl", "csv"] = "jsonl",  # noqa: A002 - the parameter's name in the address
) -> StreamingResponse:
    """Return all requests of a selection, newest first, as JSON lines or CSV."""
    write, media_type = _FORMATS[format]
    headers = {"Content-Disposition": f'attachment; filename="requests.{format}"'}
    parts = write(sources.requests, chosen_by(request, reader))
    return StreamingResponse(parts, media_type=media_type, headers=headers)


@router.get("/v1/requests/{identity}")
def one_request(identity: str, reader: CanRead, sources: Known) -> RequestView:
    """Return everything that is known of one request."""
    return found_request(identity, reader, sources)


@router.get("/v1/views")
def views(reader: CanRead, sources: Known) -> SavedViews:
    """Return the saved filters of the workspace."""
    return saved_views(sources.views, reader.workspace)


@router.post("/v1/views")
def save_view(view: SavedViewRequest, reader: CanLabel, sources: Known) -> SavedViews:
    """Save filters under a name; those of the same name are replaced, empty ones deleted."""
    with sources.writing.writing() as writer:
        writer.views.put(
            reader.workspace, view.name, view.query, by=reader.name, at_ns=time.time_ns()
        )
    return saved_views(sources.views, reader.workspace)
