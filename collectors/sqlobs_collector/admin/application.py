"""The application of the admin port: its endpoints, in one OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI

from sqlobs._version import __version__
from sqlobs_collector.admin import (
    compare,
    failures,
    feedback,
    golden,
    health,
    judges,
    login,
    overview,
    queries,
    requests,
    review,
    settings,
)
from sqlobs_collector.admin.auditing import Auditing
from sqlobs_collector.admin.problems import install_problems
from sqlobs_collector.admin.protection import Protection
from sqlobs_collector.admin.sessions import Sessions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapi import APIRouter

    from sqlobs_collector.admin.sources import Sources, Vitals

ROUTERS: Final = (
    *(health.router, overview.router, queries.router, login.router),
    *(golden.router, review.router, judges.router, feedback.router),
    *(failures.router, requests.router, compare.router, settings.router),
)
_AT_A_TIME: Final = 6
"""Threads that read the store: more would take its connections away from the intake."""


def admin_application(sources: Sources) -> FastAPI:
    """Return the ASGI application of the admin port, without the console's pages."""
    return _application(sources, ROUTERS)


def health_application(vitals: Vitals) -> FastAPI:
    """Return the ASGI application of a process without the console: health and metrics."""
    return _application(vitals, (health.router,))


def _application(sources: Vitals, routers: Iterable[APIRouter]) -> FastAPI:
    application = FastAPI(
        title="sqlobs collector",
        version=__version__,
        description="The admin API. Send a token as `Authorization: Bearer TOKEN`.",
        docs_url=None,  # they would load scripts of other hosts
        redoc_url=None,
        redirect_slashes=False,
    )
    application.state.sources = sources
    application.state.sessions = Sessions()
    application.add_middleware(Protection)
    application.add_middleware(Auditing)
    install_problems(application)
    for router in routers:
        application.include_router(router)
    return application


def limit_threads() -> None:
    """Bound how many endpoints of the running event loop work at the same time."""
    current_default_thread_limiter().total_tokens = _AT_A_TIME
