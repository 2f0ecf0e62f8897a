"""The application of the admin port: its endpoints, in one OpenAPI document."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError

from sqlobs._version import __version__
from sqlobs_collector.admin import (
    compare,
    failures,
    feedback,
    golden,
    judges,
    login,
    overview,
    queries,
    requests,
    review,
    settings,
)
from sqlobs_collector.admin.health import ENDPOINTS, equip
from sqlobs_collector.admin.problems import problem
from sqlobs_collector.admin.sessions import Sessions

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from sqlobs_collector.admin.sources import Sources

ROUTERS: Final = (
    *(overview.router, queries.router, login.router),
    *(golden.router, review.router, judges.router, feedback.router),
    *(failures.router, requests.router, compare.router, settings.router),
)


def admin_application(sources: Sources) -> FastAPI:
    """Return the ASGI application of the admin port, without the console's pages."""
    application = FastAPI(
        title="sqlobs collector",
        version=__version__,
        description="The admin API. Send a token as `Authorization: Bearer TOKEN`.",
        docs_url=None,  # they would load scripts of other hosts
        redoc_url=None,
        redirect_slashes=False,
    )
    application.state.sessions = Sessions()
    equip(application, sources)
    application.add_exception_handler(RequestValidationError, _invalid)
    for path, (endpoint, response_class) in ENDPOINTS.items():
        application.add_api_route(path, endpoint, tags=["health"], response_class=response_class)
    for router in ROUTERS:
        application.include_router(router)
    return application


async def _invalid(request: Request, error: Exception) -> Response:
    """Name the first parameter that is wrong, as in `limit: Input should be less than 100`."""
    first = cast("RequestValidationError", error).errors()[0]
    name = ".".join(str(part) for part in first["loc"][1:])
    sentence = str(first["msg"]).removeprefix("Value error, ")
    return problem(request, HTTPStatus.BAD_REQUEST, f"{name}: {sentence}" if name else sentence)
