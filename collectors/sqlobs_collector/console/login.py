"""Logging in and out, and choosing a workspace."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from sqlobs_collector.admin.access import (
    Anyone,
    Client,
    check_csrf,
    cookie_of,
    credentials_of,
    drop_cookie,
    known,
    sessions_of,
    set_cookie,
    sources_of,
)
from sqlobs_collector.admin.problems import LOGIN
from sqlobs_collector.admin.sessions import new_cookie
from sqlobs_collector.console.layout import page
from sqlobs_collector.errors import ForbiddenError, UnauthenticatedError
from sqlobs_collector.receiver.credentials import Grant

HOME: Final = "/"
_SAME_HOST: Final = re.compile(
    # /requests?since=1h, but not //evil.example, /\evil.example or what contains control characters
    r"/(?![/\\])[^\x00-\x20\x7f\\]*"
)
_UNKNOWN_TOKEN: Final = "Unknown token. It does not belong to any workspace of this collector."  # noqa: S105 - a sentence
_USELESS_TOKEN: Final = "This token can only send requests. Use one with the right to read."  # noqa: S105 - a sentence
_SPENT: Final = (
    "This link was already used, or is older than a minute. Run `sqlobs console` again, or log in"
    " with a token."
)

router = APIRouter()


@router.get(LOGIN)
def login_page(
    request: Request,
    code: str | None = None,
    next: str = HOME,  # noqa: A002 - the parameter's name
) -> Response:
    """Show the form, or log in with the code of `sqlobs console`."""
    if code is None:
        return login_form(request, next)
    grant = sessions_of(request).spend_code(code)
    if grant is None:
        return login_form(request, next, problem=_SPENT, status=HTTPStatus.UNAUTHORIZED)
    return _logged_in(request, grant, next)


@router.post(LOGIN)
async def login(
    request: Request,
    token: Annotated[str, Form()],
    next: Annotated[str, Form()] = HOME,  # noqa: A002 - the parameter's name
) -> Response:
    """Exchange a token for a session."""
    await check_csrf(request)
    try:
        grant = credentials_of(request).of_token(token.strip())
    except UnauthenticatedError:
        return login_form(request, next, problem=_UNKNOWN_TOKEN, status=HTTPStatus.UNAUTHORIZED)
    if grant.rights <= {"ingest", "feedback"}:
        return login_form(request, next, problem=_USELESS_TOKEN, status=HTTPStatus.FORBIDDEN)
    return _logged_in(request, grant, next)


@router.post("/logout")
async def logout(request: Request) -> Response:
    """End the session."""
    await check_csrf(request)
    if (cookie := cookie_of(request)) is not None:
        sessions_of(request).close(cookie)
    answer = RedirectResponse(LOGIN, HTTPStatus.SEE_OTHER)
    drop_cookie(request, answer)
    return answer


@router.post("/workspace")
async def choose(request: Request, _: Anyone, workspace: Annotated[str, Form()]) -> Response:
    """Show another workspace of the session."""
    cookie = cookie_of(request)
    if cookie is None:
        raise ForbiddenError("only a browser's session chooses a workspace; send its token instead")
    sessions_of(request).choose(cookie, workspace)
    return RedirectResponse(HOME, HTTPStatus.SEE_OTHER)


def login_form(
    request: Request, target: str, *, problem: str | None = None, status: int = HTTPStatus.OK
) -> Response:
    """Return the form; the browser gets a cookie that its CSRF token belongs to."""
    cookie = cookie_of(request)
    fresh = None
    if cookie is None:
        cookie = fresh = new_cookie()
    csrf = sessions_of(request).csrf_token(cookie)
    provider = sources_of(request).config.oidc.issuer
    answer = page(
        request,
        None,
        "login.html",
        title="Log in",
        status=status,
        csrf_token=csrf,
        problem=problem,
        next=local(target),
        provider=None if provider is None else provider.host,
    )
    if fresh is not None:
        set_cookie(request, answer, fresh)
    return answer


def _logged_in(request: Request, grant: Grant, target: str) -> Response:
    answer = RedirectResponse(local(target), HTTPStatus.SEE_OTHER)
    begin_session(request, answer, grant)
    return answer


def begin_session(request: Request, answer: Response, *grants: Grant) -> None:
    """Begin a session with a cookie that nobody knew before; an earlier session ends."""
    known(request, Client(grants[0], None))
    sessions = sessions_of(request)
    if (earlier := cookie_of(request)) is not None:
        sessions.close(earlier)
    set_cookie(request, answer, sessions.open(*grants))


def local(target: str) -> str:
    """Return a path of this console: a link may not lead to another host after the login."""
    return target if _SAME_HOST.fullmatch(target) else HOME
