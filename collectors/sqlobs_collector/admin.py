"""The admin port: liveness, readiness, metrics, and queries about units."""

from __future__ import annotations

import asyncio
import re
from dataclasses import asdict, dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final, cast

from prometheus_client.exposition import choose_encoder
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from sqlobs_collector.disclosure import disclosed
from sqlobs_collector.errors import ForbiddenError, IntakeError
from sqlobs_collector.explaining.question import QuestionError
from sqlobs_collector.metricsview import WorkspaceView
from sqlobs_collector.origin import DEFAULT_WORKSPACE
from sqlobs_collector.store.export import encoded
from sqlobs_collector.store.reading import LatestSelection, PageSelection
from sqlobs_collector.units.paths import path_of, summary_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from prometheus_client import CollectorRegistry
    from starlette.requests import Request

    from sqlobs_collector.evaluation.cases import CaseReader
    from sqlobs_collector.explaining.explanation import Explainer
    from sqlobs_collector.receiver.credentials import Credentials
    from sqlobs_collector.sdkmetrics import SdkMetrics
    from sqlobs_collector.store.reading import StoreReader

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
_UNITS_A_PAGE: Final = 500
_BYTES_A_PAGE: Final = 2 * 1024 * 1024
"""Compressed size; clients stop reading at 64 MiB of text."""
_NUMBERS: Final = ("after", "since_ns", "until_ns")
_NUMBER: Final = re.compile(r"[0-9]{1,19}")
_TOO_GREAT: Final = 2**63
_NO_SELECTION: Final = "after, since_ns and until_ns must be whole numbers of at least 0"
_UNAUTHENTICATED: Final = 401
_OF_WHICH: Final = (
    "several workspaces are configured: send a token of one workspace"
    " (auth.tokens.WORKSPACE.read); sqlobs commands read it from SQLOBS_COLLECTOR_ADMIN_TOKEN"
)
_NO_ID: Final = (
    "give a trace id (32 hex digits), a prefix of at least 6 digits, or a generation id"
    " (00-TRACE-SPAN-FLAGS)"
)
_OPENMETRICS: Final = "application/openmetrics-text"
_END: Final = b"# EOF\n"
"""The last line of OpenMetrics."""
_NO_LIMIT: Final = f"limit must be a whole number from 1 to {_MOST_LATEST}"


@dataclass(frozen=True, slots=True)
class JournalHealth:
    """Losses by journal damage, and how far the store is behind the journal."""

    unprojected_records: int = 0
    lag_s: float = 0.0
    lost_requests: int = 0
    """Acknowledged requests that were lost to damage before they were in the store."""
    lost_records: int = 0
    quarantined_files: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Readiness:
    """The response of `/readyz`."""

    ready: bool
    """Whether the collector accepts records now."""
    reasons: list[str]
    """Why it does not."""
    journal: JournalHealth


def admin_application(
    *,
    registry: CollectorRegistry,
    sdk_metrics: SdkMetrics,
    readiness: Callable[[], Awaitable[Readiness]],
    credentials: Credentials,
    store: StoreReader,
    cases: CaseReader,
    explainer: Explainer,
) -> Starlette:
    """Return the ASGI application of the admin port.

    Args:
        registry: The collector's own metrics.
        sdk_metrics: The metrics of the applications, on the same page.
        readiness: Returns whether records are accepted now, and the journal's health.
        credentials: The tokens and their workspaces.
        store: The store's reader.
        cases: Reads the units that can be evaluated offline.
        explainer: Explains changes of rates.
    """

    async def health(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def ready(_: Request) -> Response:
        found = await readiness()
        return JSONResponse(asdict(found), status_code=200 if found.ready else 503)

    async def metrics(request: Request) -> Response:
        try:
            seen = _seen(request, credentials)
        except IntakeError as error:
            return _refused(error)
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        is_openmetrics = content_type.startswith(_OPENMETRICS)

        def page() -> bytes:
            own = encode(_as_registry(seen, registry)).removesuffix(_END)
            applications = sdk_metrics.text(
                workspace=seen.workspace, is_named=seen.is_named, is_openmetrics=is_openmetrics
            )
            return own + applications.encode() + (_END if is_openmetrics else b"")

        return Response(await asyncio.to_thread(page), media_type=content_type)

    questions = _Questions(credentials, store, cases, explainer)
    return Starlette(
        routes=[
            Route("/healthz", health),
            Route("/readyz", ready),
            Route("/metrics", metrics),
            Route("/v1/why", questions.latest),
            Route("/v1/why/{identity}", questions.why),
            Route("/v1/statements", questions.statements),
            Route("/v1/cases", questions.page_of_cases),
            Route("/v1/units", questions.page_of_units),
            Route("/v1/explain", questions.explain),
        ]
    )


@dataclass(frozen=True, slots=True)
class _Seen:
    """Which metrics a client may see."""

    workspace: str | None = None
    """The only one; None = all."""
    is_named: bool = True
    """The metrics show its name."""


def _seen(request: Request, credentials: Credentials) -> _Seen:
    """Return which metrics the client may see.

    Without configured tokens, clients on this machine need none and see no workspace names.

    Raises:
        UnauthenticatedError: The token is missing or unknown.
        ForbiddenError: The token may not read.
    """
    authorization = request.headers.get("authorization")
    if credentials.is_open and not authorization and _is_here(request):
        return _Seen(DEFAULT_WORKSPACE, is_named=False)
    reader = credentials.reader(authorization)
    if reader.is_operator or reader.workspace is None:
        return _Seen()
    return _Seen(reader.workspace)


def _as_registry(seen: _Seen, registry: CollectorRegistry) -> CollectorRegistry:
    """Return the view as the type that the encoders expect; they only collect its families."""
    if seen.workspace is None:
        return registry
    view = WorkspaceView(registry, seen.workspace, is_named=seen.is_named)
    return cast("CollectorRegistry", view)


def _is_here(request: Request) -> bool:
    """Return whether a request comes from this machine."""
    try:
        address = ip_address(request.client.host if request.client else "")
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def _refused(error: IntakeError) -> Response:
    status = 403 if isinstance(error, ForbiddenError) else 401
    headers = {"WWW-Authenticate": "Bearer"} if status == _UNAUTHENTICATED else None
    return JSONResponse({"error": str(error)}, status_code=status, headers=headers)


class _Questions:
    """Handlers of queries about units; each returns the units of the token's workspace."""

    def __init__(
        self,
        credentials: Credentials,
        store: StoreReader,
        cases: CaseReader,
        explainer: Explainer,
    ) -> None:
        self._credentials = credentials
        self._store = store
        self._cases = cases
        self._explainer = explainer

    async def why(self, request: Request) -> Response:
        """Return the path of one request."""
        return await self._answer(request, self._why)

    async def latest(self, request: Request) -> Response:
        """Return the latest requests, newest first."""
        return await self._answer(request, self._latest)

    async def statements(self, request: Request) -> Response:
        """Return the statements of the latest units."""
        return await self._answer(request, self._statements)

    async def page_of_cases(self, request: Request) -> Response:
        """Return a page of units that can be evaluated offline."""
        return await self._answer(request, self._page_of_cases)

    async def page_of_units(self, request: Request) -> Response:
        """Return a page of units with their evaluations, in the format of an export."""
        return await self._answer(request, self._page_of_units)

    async def explain(self, request: Request) -> Response:
        """Return the explanation of a changed rate."""
        return await self._answer(request, self._explain)

    async def _answer(
        self, request: Request, answer: Callable[[Request, str], dict[str, object]]
    ) -> Response:
        try:
            reader = self._credentials.reader(request.headers.get("authorization"))
            if reader.workspace is None:
                return JSONResponse({"error": _OF_WHICH}, status_code=400)
            found = await asyncio.to_thread(answer, request, reader.workspace)
            if not reader.is_operator:
                _blur(found)
            return Response(encoded(found), media_type="application/json")
        except IntakeError as error:
            return _refused(error)
        except (_BadQuestionError, QuestionError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)

    def _why(self, request: Request, workspace: str) -> dict[str, object]:
        wanted = _ID.fullmatch(request.path_params["identity"].lower())
        if wanted is None:
            raise _BadQuestionError(_NO_ID)
        found = self._store.units(
            workspace,
            trace_id=wanted["trace"] or wanted["prefix"],
            span_id=wanted["span"],
            limit=_PATHS,
        )
        return {"units": [path_of(unit) for unit in found]}

    def _latest(self, request: Request, workspace: str) -> dict[str, object]:
        given = request.query_params
        limit = given.get("limit", str(_PATHS))
        if not (_NUMBER.fullmatch(limit) and 1 <= int(limit) <= _MOST_LATEST):
            raise _BadQuestionError(_NO_LIMIT)
        equal = {name: given[name] for name in _FILTERS if name in given}
        found = self._store.latest(workspace, LatestSelection(limit=int(limit), equal=equal))
        return {"units": [summary_of(unit) for unit in found]}

    def _statements(self, _: Request, workspace: str) -> dict[str, object]:
        found = self._store.statements(workspace, limit=_STATEMENTS)
        return {"statements": [{"id": identity, "sql": sql} for identity, sql in found]}

    def _page_of_cases(self, request: Request, workspace: str) -> dict[str, object]:
        page = self._cases.page(workspace, _selection(request.query_params))
        return {"cases": page.cases, "units": page.units, "next": page.last}

    def _explain(self, request: Request, workspace: str) -> dict[str, object]:
        return self._explainer.explain(workspace, request.query_params)

    def _page_of_units(self, request: Request, workspace: str) -> dict[str, object]:
        units, last = self._store.documents(
            workspace,
            _selection(request.query_params),
            limit=_UNITS_A_PAGE,
            max_bytes=_BYTES_A_PAGE,
        )
        return {"units": units, "next": last}


def _blur(found: Mapping[str, object]) -> None:
    """Round the scores of evaluations in the units of a response."""
    units = found.get("units")
    for unit in units if isinstance(units, list) else ():
        for one in (*unit.get("evaluations", ()), *unit.get("steps", ())):
            if "metric" in one and "value" in one:
                one["value"] = disclosed(one["metric"], one["value"])


class _BadQuestionError(Exception):
    """The query is invalid; the message describes a valid one."""


def _selection(parameters: Mapping[str, str]) -> PageSelection:
    """Parse the filters of units; numbers beyond the store's range are invalid."""
    given = {name: parameters[name] for name in _NUMBERS if name in parameters}
    numbers = {name: int(text) for name, text in given.items() if _NUMBER.fullmatch(text)}
    if len(numbers) < len(given) or any(number >= _TOO_GREAT for number in numbers.values()):
        raise _BadQuestionError(_NO_SELECTION)
    return PageSelection(target=parameters.get("target") or None, **numbers)
