"""Adds the console's pages and static files to the application of the admin port."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from starlette.staticfiles import StaticFiles

from sqlobs_collector.console import (
    compare,
    failures,
    golden,
    judges,
    login,
    oidc,
    overview,
    requests,
    review,
    runbook,
    settings,
)
from sqlobs_collector.console.layout import OWN_FILES, SHARED_FILES, problem_page

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.responses import Response
    from starlette.types import Scope

PAGES: Final = (
    *(overview.router, failures.router, requests.router, compare.router),
    *(golden.router, review.router, judges.router, settings.router, login.router),
    *(oidc.router, runbook.router),
)
_A_DAY: Final = "max-age=86400"


class _Static(StaticFiles):
    """Static files, which the browser caches: their address changes with the version."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file."""
        response = await super().get_response(path, scope)
        if response.status_code == HTTPStatus.OK:
            response.headers["Cache-Control"] = _A_DAY
        return response


def with_console(application: FastAPI) -> FastAPI:
    """Add the console to an application."""
    for router in PAGES:
        application.include_router(router, include_in_schema=False)
    files = _Static(directory=OWN_FILES)
    files.all_directories.append(SHARED_FILES)
    application.mount("/static", files, name="static")
    application.state.problem_page = problem_page
    return application
