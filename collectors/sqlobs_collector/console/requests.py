"""The list of requests with its filters, and one request in full."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from sqlobs.scores.registry import SCORES
from sqlobs_collector.admin.access import CanLabel, CanRead, Known
from sqlobs_collector.admin.requests import chosen_by, found_request
from sqlobs_collector.console.author import decider
from sqlobs_collector.console.layout import page
from sqlobs_collector.views.filters import DEFAULT_SINCE, PARAMETERS, address
from sqlobs_collector.views.requests import request_page
from sqlobs_collector.views.saved import SavedViewRequest, saved_views

if TYPE_CHECKING:
    from collections.abc import Sequence

router = APIRouter()
WINDOWS: Final = (("1h", "1 hour"), ("24h", "24 hours"), ("7d", "7 days"), ("30d", "30 days"))


def given_filters(request: Request) -> list[tuple[str, str]]:
    """Return the filters of an address, those with a value."""
    pairs = request.query_params.multi_items()
    return [(name, text) for name, text in pairs if name in PARAMETERS and text]


def windows(given: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the periods to choose from: the given one among them."""
    since = dict(given).get("since", DEFAULT_SINCE)
    known = [one for one, _ in WINDOWS]
    return [*WINDOWS, *([] if since in known else [(since, f"since {since}")])]


@router.get("/requests")
def requests(
    request: Request, reader: CanRead, sources: Known, after: str | None = None
) -> Response:
    """Show a page of requests."""
    given = given_filters(request)
    with sources.reading.snapshot():
        found = request_page(sources.requests, chosen_by(request, reader), after=after)
        choices = sources.requests.values(reader.workspace)
    export = [
        (name, address("/v1/requests/export", [*given, ("format", name)]))
        for name in ("jsonl", "csv")
    ]
    return page(
        request,
        reader,
        "requests.html",
        title="Requests",
        found=found,
        said=dict(given),
        windows=windows(given),
        choices=choices,
        evaluations=sorted(SCORES),
        export=export,
        following=found.next and address("/requests", [*given, ("after", found.next)]),
        views=saved_views(sources.views, reader.workspace).views,
        query=urlencode(given),
        may_save="label" in reader.rights,
    )


@router.post("/requests/views")
def save(
    request: Request,
    reader: CanLabel,
    sources: Known,
    name: Annotated[str, Form(min_length=1, max_length=100)],
    query: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Save the filters under a name, or delete those of the name, and show them."""
    kept = [(one, text) for one, text in parse_qsl(query) if one in PARAMETERS]
    view = SavedViewRequest(name=name, query=urlencode(kept))
    with sources.writing.writing() as writer:
        writer.views.put(
            reader.workspace,
            view.name,
            view.query,
            by=decider(request, reader),
            at_ns=time.time_ns(),
        )
    return RedirectResponse(address("/requests", kept), status_code=303)


@router.get("/requests/{identity}")
def one_request(identity: str, request: Request, reader: CanRead, sources: Known) -> Response:
    """Show one request in full."""
    found = found_request(identity, reader, sources)
    longest_s = max(
        [found.duration_s or 0, *(one.start_s + one.duration_s for one in found.stages)]
    )
    return page(
        request,
        reader,
        "request.html",
        title=(found.request.question or "Request without a captured question")[:200],
        found=found,
        longest_s=longest_s or 1,
    )
