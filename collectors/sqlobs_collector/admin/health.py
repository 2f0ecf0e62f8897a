"""Liveness, readiness and metrics: what the admin port of every process answers."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final, cast

from prometheus_client.exposition import choose_encoder
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from sqlobs_collector.admin.auditing import Auditing
from sqlobs_collector.admin.problems import install_problems
from sqlobs_collector.admin.protection import Protection
from sqlobs_collector.metricsview import WorkspaceView
from sqlobs_collector.origin import DEFAULT_WORKSPACE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from prometheus_client import CollectorRegistry

    from sqlobs_collector.admin.sources import Vitals
    from sqlobs_collector.receiver.credentials import Credentials

_OPENMETRICS: Final = "application/openmetrics-text"
_END: Final = b"# EOF\n"
"""The last line of OpenMetrics."""
_UNREADY: Final = 503


def health_application(vitals: Vitals) -> Starlette:
    """Return the ASGI application of health and metrics."""
    application = Starlette()
    equip(application, vitals)
    for path, (endpoint, _) in ENDPOINTS.items():
        application.add_route(path, endpoint)
    return application


def equip(application: Starlette, vitals: Vitals) -> None:
    """Give an application of the admin port what all of them have."""
    application.state.sources = vitals
    application.add_middleware(Protection)
    application.add_middleware(Auditing)
    install_problems(application)


async def health(_request: Request) -> Response:
    """Say that the process responds."""
    return PlainTextResponse("ok\n")


async def ready(request: Request) -> Response:
    """Return whether records are accepted now; status 503: they are not."""
    found = await _vitals(request).readiness()
    return JSONResponse(asdict(found), status_code=200 if found.ready else _UNREADY)


async def metrics(request: Request) -> Response:
    """Return the metrics of the collector and of the applications, for Prometheus."""
    sources = _vitals(request)
    seen = _seen(request, sources.credentials)
    encode, content_type = choose_encoder(request.headers.get("accept", ""))
    is_openmetrics = content_type.startswith(_OPENMETRICS)

    def page() -> bytes:
        own = encode(_as_registry(seen, sources.registry)).removesuffix(_END)
        applications = sources.sdk_metrics.text(
            workspace=seen.workspace, is_named=seen.is_named, is_openmetrics=is_openmetrics
        )
        return own + applications.encode() + (_END if is_openmetrics else b"")

    return Response(await asyncio.to_thread(page), media_type=content_type)


ENDPOINTS: Final[dict[str, tuple[Callable[[Request], Awaitable[Response]], type[Response]]]] = {
    "/healthz": (health, PlainTextResponse),
    "/readyz": (ready, JSONResponse),
    "/metrics": (metrics, PlainTextResponse),
}
"""By path, each with what it returns."""


def _vitals(request: Request) -> Vitals:
    return cast("Vitals", request.app.state.sources)


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
    grant = credentials.granted(authorization)
    grant.require("read")
    return _Seen() if grant.is_operator else _Seen(grant.workspaces[0])


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
