"""Failures in groups, with what people decided about them."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, Literal
from urllib.parse import parse_qsl

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from sqlobs_collector.admin.access import CanLabel, CanRead, Known
from sqlobs_collector.admin.requests import chosen_by
from sqlobs_collector.console.author import decider
from sqlobs_collector.console.layout import page
from sqlobs_collector.console.requests import given_filters, windows
from sqlobs_collector.views.failures import DecisionRequest, GroupView, decide, failure_groups
from sqlobs_collector.views.filters import NONE, PARAMETERS, address

if TYPE_CHECKING:
    from collections.abc import Sequence

router = APIRouter()
OF_ALERT: Final = ("labels", "at", "rate")
"""What an alert's link gives: where and when it fired, and the rate that it is about."""


@router.get("/failures")
def failures(request: Request, reader: CanRead, sources: Known) -> Response:
    """Show the largest groups of failures; for an alert's labels, what explains its rate, too."""
    given = given_filters(request)
    of_alert = {one: text for one, text in request.query_params.items() if one in OF_ALERT and text}
    why = sources.explainer.explain(reader.workspace, of_alert) if "labels" in of_alert else None
    with sources.reading.snapshot():
        found = failure_groups(sources.failures, chosen_by(request, reader))
        choices = sources.requests.values(reader.workspace)
    return page(
        request,
        reader,
        "failures.html",
        title="Failures",
        found=found,
        why=why,
        named=partial(_requests_with, given),
        links=[_requests_of(one, given) for one in found.groups],
        said=dict(given) | of_alert,
        windows=windows(given),
        choices=choices,
        query=request.url.query,
        may_decide="label" in reader.rights,
    )


@router.post("/failures")
def decide_about(
    request: Request,
    reader: CanLabel,
    sources: Known,
    status: Annotated[Literal["open", "acknowledged", "resolved"], Form()],
    failure_code: Annotated[str, Form(max_length=200)] = "",
    name: Annotated[str, Form(max_length=1000)] = "",
    model: Annotated[str, Form(max_length=1000)] = "",
    prompt_version: Annotated[str, Form(max_length=1000)] = "",
    assignee: Annotated[str, Form(max_length=200)] = "",
    note: Annotated[str, Form(max_length=2000)] = "",
    query: Annotated[str, Form(max_length=4000)] = "",
) -> Response:
    """Store a decision about a group, and show the groups again."""
    decision = DecisionRequest(
        failure_code=failure_code,
        name=name,
        model=model,
        prompt_version=prompt_version,
        status=status,
        assignee=assignee or None,
        note=note or None,
    )
    decide(
        sources.writing,
        reader.workspace,
        decision,
        by=decider(request, reader),
        at_ns=time.time_ns(),
    )
    kept = [(one, text) for one, text in parse_qsl(query) if one in {*PARAMETERS, *OF_ALERT}]
    return RedirectResponse(address("/failures", kept), status_code=303)


def _requests_with(given: Sequence[tuple[str, str]], **values: str) -> str:
    """Return the address of requests that also have some values."""
    return address("/requests", [*(one for one in given if one[0] not in values), *values.items()])


def _requests_of(group: GroupView, given: Sequence[tuple[str, str]]) -> str:
    """Return the address of a group's requests in the same period."""
    own = {
        "failure_code": group.failure_code or NONE,
        "name": group.name,
        "model": group.model or NONE,
        "prompt_version": group.prompt_version or NONE,
    }
    return _requests_with(given, **own)
