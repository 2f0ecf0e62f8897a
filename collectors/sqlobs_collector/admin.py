"""The admin port: liveness, readiness, metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.exposition import choose_encoder
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import Callable

    from prometheus_client import CollectorRegistry
    from starlette.requests import Request


def admin_application(
    *, registry: CollectorRegistry, unready: Callable[[], list[str]]
) -> Starlette:
    """Return the ASGI application of the admin port.

    Args:
        registry: What `/metrics` shows.
        unready: The reasons why no records are taken now; none when ready.
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

    return Starlette(
        routes=[
            Route("/healthz", health),
            Route("/readyz", readiness),
            Route("/metrics", metrics),
        ]
    )
