"""Logging in with the identity provider."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from sqlobs_collector.admin.access import is_secure
from sqlobs_collector.admin.oidc import ATTEMPT_S, OidcError, OidcLogin
from sqlobs_collector.admin.problems import MissingError
from sqlobs_collector.console.layout import page
from sqlobs_collector.console.login import HOME, begin_session, local, login_form
from sqlobs_collector.settings.oidc import CALLBACK

if TYPE_CHECKING:
    from sqlobs_collector.settings.oidc import Oidc

_START: Final = "/login/oidc"

router = APIRouter()


@router.get(_START)
async def depart(
    request: Request,
    next: str = HOME,  # noqa: A002 - the parameter's name
) -> Response:
    """Send the browser to the identity provider."""
    try:
        departure = await _provider(request).depart(request, local(next))
    except OidcError as error:
        return login_form(request, next, problem=str(error), status=HTTPStatus.BAD_GATEWAY)
    answer = RedirectResponse(departure.url, HTTPStatus.SEE_OTHER)
    answer.set_cookie(
        _cookie_name(request),
        departure.secret,
        max_age=ATTEMPT_S,
        path=_START,
        httponly=True,
        samesite="lax",  # comes along when the provider sends the browser back
        secure=is_secure(request),
    )
    return answer


@router.get(CALLBACK)
async def arrive(request: Request) -> Response:
    """Begin the session of a browser that the identity provider sent back."""
    secret = request.cookies.get(_cookie_name(request), "")
    try:
        arrival = await _provider(request).arrive(request, secret)
    except OidcError as error:
        answer = login_form(request, HOME, problem=str(error), status=HTTPStatus.UNAUTHORIZED)
    else:
        # A page, not a redirect: browsers send a strict cookie only where they come from this host.
        answer = page(request, None, "logged_in.html", title="Logged in", next=arrival.next)
        begin_session(request, answer, *arrival.grants)
    answer.delete_cookie(_cookie_name(request), path=_START)
    return answer


def _provider(request: Request) -> OidcLogin:
    """Return the login with the configured provider.

    Raises:
        MissingError: None is configured.
    """
    state = request.app.state
    settings: Oidc = state.sources.config.oidc
    if settings.issuer is None:
        raise MissingError("no identity provider is configured: log in with a token")
    if not hasattr(state, "oidc"):
        state.oidc = OidcLogin(settings)
    return cast("OidcLogin", state.oidc)


def _cookie_name(request: Request) -> str:
    _, port = request.scope.get("server") or ("", 0)
    return f"sqlobs_oidc_{port}"
