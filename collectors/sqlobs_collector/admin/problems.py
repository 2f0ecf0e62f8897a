"""What goes wrong with a request to the admin port: one sentence, as JSON or as a page."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlencode

from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from sqlobs_collector.curation.decisions import DecisionError, UnknownSubjectError
from sqlobs_collector.errors import ForbiddenError, IntakeError, TooLargeError
from sqlobs_collector.explaining.question import QuestionError
from sqlobs_collector.store.database import is_trouble
from sqlobs_collector.store.health import reason_of

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

LOGIN: Final = "/login"
_API: Final = ("/v1/", "/metrics", "/healthz", "/readyz", "/openapi.json", "/static/")
"""Paths that programs ask: they get JSON, and no way to a login."""


class BadQueryError(Exception):
    """The query is invalid; the message describes a valid one."""


class MissingError(Exception):
    """What was asked for does not exist in the workspace."""


class OutdatedError(Exception):
    """What was to be changed has changed meanwhile."""


class BusyError(Exception):
    """Another client has asked for the same, and is waiting for it."""


_STATUS: Final[dict[type[Exception], HTTPStatus]] = {
    BadQueryError: HTTPStatus.BAD_REQUEST,
    QuestionError: HTTPStatus.BAD_REQUEST,
    MissingError: HTTPStatus.NOT_FOUND,
    OutdatedError: HTTPStatus.CONFLICT,
    BusyError: HTTPStatus.CONFLICT,
    ForbiddenError: HTTPStatus.FORBIDDEN,
    TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    DecisionError: HTTPStatus.BAD_REQUEST,
    UnknownSubjectError: HTTPStatus.NOT_FOUND,
    IntakeError: HTTPStatus.UNAUTHORIZED,
}


def is_page(request: Request) -> bool:
    """Return whether a person asks, with a browser."""
    return not request.url.path.startswith(_API)


def install_problems(application: Starlette) -> None:
    """Answer errors of endpoints with their sentence, and unauthenticated people with a login."""
    for kind in _STATUS:
        application.add_exception_handler(kind, _answer)
    application.add_exception_handler(DBAPIError, _of_store)
    application.add_exception_handler(HTTPException, _of_framework)


def problem(request: Request, status: int, sentence: str) -> Response:
    """Return the answer to a failed request, as the page or the JSON that the client expects."""
    if is_page(request) and (page := getattr(request.app.state, "problem_page", None)) is not None:
        return cast("Response", page(request, status, sentence))
    return JSONResponse({"error": sentence}, status_code=status)


async def _answer(request: Request, error: Exception) -> Response:
    status = next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)
    if status != HTTPStatus.UNAUTHORIZED:
        return problem(request, status, str(error))
    if is_page(request) and request.method == "GET":
        asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"{LOGIN}?{urlencode({'next': asked})}", HTTPStatus.SEE_OTHER)
    answer = problem(request, status, str(error))
    answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


async def _of_store(request: Request, error: Exception) -> Response:
    """Say that the store does not respond, if it is that; any other error is raised again."""
    known = cast("DBAPIError", error)
    if not is_trouble(known):
        raise known
    sentence = (
        f"The store cannot be used now ({reason_of(known.orig or known)}). What the collector"
        " acknowledges is kept in its journal until it can; then this page answers again."
    )
    return problem(request, HTTPStatus.SERVICE_UNAVAILABLE, sentence)


async def _of_framework(request: Request, error: Exception) -> Response:
    known = cast("HTTPException", error)
    answer = problem(request, known.status_code, f"{known.detail}: {request.url.path[:200]}")
    answer.headers.update(known.headers or {})
    return answer
