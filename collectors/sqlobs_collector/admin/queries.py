"""Queries about units; each returns the units of the client's workspace."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from sqlobs_collector.admin.access import CanRead, Known, Reader
from sqlobs_collector.admin.parameters import described
from sqlobs_collector.admin.problems import BadQueryError
from sqlobs_collector.disclosure import disclosed
from sqlobs_collector.store.export import encoded
from sqlobs_collector.store.reading import LatestSelection, PageSelection
from sqlobs_collector.units.paths import path_of, summary_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_ID: Final = re.compile(
    # 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, a trace id, or a prefix of one
    r"(?:00-)?(?:(?P<trace>[0-9a-f]{32})(?:-(?P<span>[0-9a-f]{16}))?(?:-[0-9a-f]{2})?"
    r"|(?P<prefix>[0-9a-f]{6,31}))"
)
_PATHS: Final = 20
"""Maximum number of requests in a response."""
_FILTERS: Final = ("verdict", "outcome", "failure_code", "workflow", "tenant")
_MOST_LATEST: Final = 100
_STATEMENTS: Final = 10_000
"""Number of latest units that are searched for statements."""
_ARCHIVED: Final = 2**62
"""Where the numbers of archived units begin, behind all ids of the store."""
_UNITS_A_PAGE: Final = 500
_BYTES_A_PAGE: Final = 2 * 1024 * 1024
"""Compressed size; clients stop reading at 64 MiB of text."""
_NUMBERS: Final = ("after", "since_ns", "until_ns")
_NUMBER: Final = re.compile(r"[0-9]{1,19}")
_TOO_GREAT: Final = 2**63
_NO_SELECTION: Final = "after, since_ns and until_ns must be whole numbers of at least 0"
_NO_ID: Final = (
    "give a trace id (32 hex digits), a prefix of at least 6 digits, or a generation id"
    " (00-TRACE-SPAN-FLAGS)"
)
_NO_LIMIT: Final = f"limit must be a whole number from 1 to {_MOST_LATEST}"

router = APIRouter(tags=["requests"], default_response_class=JSONResponse)


@router.get("/v1/why", openapi_extra=described("limit", *_FILTERS))
def latest(request: Request, reader: CanRead, sources: Known) -> Response:
    """Return the latest requests, newest first."""
    given = request.query_params
    limit = given.get("limit", str(_PATHS))
    if not (_NUMBER.fullmatch(limit) and 1 <= int(limit) <= _MOST_LATEST):
        raise BadQueryError(_NO_LIMIT)
    equal = {name: given[name] for name in _FILTERS if name in given}
    found = sources.store.latest(reader.workspace, LatestSelection(limit=int(limit), equal=equal))
    return _answer({"units": [summary_of(unit) for unit in found]}, reader)


@router.get("/v1/why/{identity}")
def why(identity: str, reader: CanRead, sources: Known) -> Response:
    """Return the path of one request, or of several whose id begins alike."""
    wanted = _ID.fullmatch(identity.lower())
    if wanted is None:
        raise BadQueryError(_NO_ID)
    found = sources.store.units(
        reader.workspace,
        trace_id=wanted["trace"] or wanted["prefix"],
        span_id=wanted["span"],
        limit=_PATHS,
    )
    return _answer({"units": [path_of(unit) for unit in found]}, reader)


@router.get("/v1/statements")
def statements(reader: CanRead, sources: Known) -> Response:
    """Return the statements of the latest units."""
    found = sources.store.statements(reader.workspace, limit=_STATEMENTS)
    return _answer({"statements": [{"id": one, "sql": sql} for one, sql in found]}, reader)


@router.get("/v1/cases", openapi_extra=described("after", "since_ns", "until_ns", "target"))
def cases(request: Request, reader: CanRead, sources: Known) -> Response:
    """Return a page of units that can be evaluated offline."""
    page = sources.cases.page(reader.workspace, _selection(request.query_params))
    return _answer({"cases": page.cases, "units": page.units, "next": page.last}, reader)


@router.get("/v1/units", openapi_extra=described("after", "since_ns", "until_ns", "target"))
def units(request: Request, reader: CanRead, sources: Known) -> Response:
    """Return a page of units with their evaluations, in the format of an export."""
    selection = _selection(request.query_params)
    found, last = sources.store.documents(
        reader.workspace, selection, limit=_UNITS_A_PAGE, max_bytes=_BYTES_A_PAGE
    )
    if last is None and sources.archive is not None:  # behind the last unit of the store
        skip = max(selection.after - _ARCHIVED, 0)
        cold = sources.store.archived(
            sources.archive, reader.workspace, selection, skip=skip, limit=_UNITS_A_PAGE
        )
        found = [one.document(has_texts=True) for one in cold]
        last = _ARCHIVED + skip + len(cold) if cold else None
    return _answer({"units": found, "next": last}, reader)


@router.get("/v1/explain", openapi_extra=described("rate", "labels", "at", "since", "baseline"))
def explain(request: Request, reader: CanRead, sources: Known) -> Response:
    """Return the explanation of a changed rate."""
    return _answer(sources.explainer.explain(reader.workspace, request.query_params), reader)


def _answer(found: dict[str, object], reader: Reader) -> Response:
    """Return a document, its scores rounded for clients that may not read rows."""
    if not reader.is_operator:
        _blur(found)
    return Response(encoded(found), media_type="application/json")


def _blur(found: Mapping[str, object]) -> None:
    """Round the scores of evaluations in the units of a response."""
    units = found.get("units")
    for unit in units if isinstance(units, list) else ():
        for one in (*unit.get("evaluations", ()), *unit.get("steps", ())):
            if "metric" in one and "value" in one:
                one["value"] = disclosed(one["metric"], one["value"])


def _selection(parameters: Mapping[str, str]) -> PageSelection:
    """Parse the filters of units; numbers beyond the store's range are invalid."""
    given = {name: parameters[name] for name in _NUMBERS if name in parameters}
    numbers = {name: int(text) for name, text in given.items() if _NUMBER.fullmatch(text)}
    if len(numbers) < len(given) or any(number >= _TOO_GREAT for number in numbers.values()):
        raise BadQueryError(_NO_SELECTION)
    return PageSelection(target=parameters.get("target") or None, **numbers)
