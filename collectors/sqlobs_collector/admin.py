"""The admin port: liveness, readiness, metrics, and questions about units."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

from prometheus_client.exposition import choose_encoder
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from sqlobs_collector.errors import UnauthenticatedError
from sqlobs_collector.units.paths import path_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from prometheus_client import CollectorRegistry
    from starlette.requests import Request

    from sqlobs_collector.receiver.credentials import Credentials
    from sqlobs_collector.store.reading import StoreReader

_ID: Final = re.compile(
    r"(?:00-)?(?P<trace>[0-9a-f]{32})(?:-(?P<span>[0-9a-f]{16}))?(?:-[0-9a-f]{2})?"
)
_STATEMENTS: Final = 10_000
"""How many of the latest units are looked through for their statements."""
_NO_ID: Final = "ask with a trace id (32 hex digits) or a generation id (00-TRACE-SPAN-FLAGS)"


def admin_application(
    *,
    registry: CollectorRegistry,
    unready: Callable[[], list[str]],
    credentials: Credentials,
    store: StoreReader,
) -> Starlette:
    """Return the ASGI application of the admin port.

    Args:
        registry: What `/metrics` shows.
        unready: The reasons why no records are taken now; none when ready.
        credentials: Who may ask, and about which workspace.
        store: What is known.
    """

    async def health(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readiness(_: Request) -> Response:
        reasons = unready()
        return JSONResponse(
            {"ready": not reasons, "reasons": reasons}, status_code=503 if reasons else 200
        )

    async def metrics(request: Request) -> Response:
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(registry), media_type=content_type)

    async def why(request: Request) -> Response:
        try:
            workspace = credentials.workspace(request.headers.get("authorization"))
        except UnauthenticatedError as error:
            return JSONResponse({"error": str(error)}, status_code=401)
        wanted = _ID.fullmatch(request.path_params["identity"].lower())
        if wanted is None:
            return JSONResponse({"error": _NO_ID}, status_code=400)
        found = await asyncio.to_thread(
            store.units, workspace, trace_id=wanted["trace"], span_id=wanted["span"]
        )
        return JSONResponse({"units": [path_of(unit) for unit in found]})

    async def statements(request: Request) -> Response:
        try:
            workspace = credentials.workspace(request.headers.get("authorization"))
        except UnauthenticatedError as error:
            return JSONResponse({"error": str(error)}, status_code=401)
        found = await asyncio.to_thread(store.statements, workspace, limit=_STATEMENTS)
        told = [{"id": identity, "sql": sql} for identity, sql in found]
        return JSONResponse({"statements": told})

    return Starlette(
        routes=[
            Route("/healthz", health),
            Route("/readyz", readiness),
            Route("/metrics", metrics),
            Route("/v1/why/{identity}", why),
            Route("/v1/statements", statements),
        ]
    )
