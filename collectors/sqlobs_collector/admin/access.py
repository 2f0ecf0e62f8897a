"""Who asks: the token of a program, or the session of a browser; the same rights for both.

An endpoint states what it needs as the type of a parameter::

    @router.get("/v1/requests")
    def requests(reader: CanRead, sources: Known) -> Requests: ...

A write by a browser must also carry the session's CSRF token, as the field `csrf` of its form or
the header `X-CSRF-Token`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, cast

from fastapi import Depends, Request

from sqlobs_collector.admin.problems import BadQueryError
from sqlobs_collector.admin.sources import Sources
from sqlobs_collector.errors import ForbiddenError, UnauthenticatedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.responses import Response

    from sqlobs_collector.admin.sessions import Sessions
    from sqlobs_collector.receiver.credentials import Credentials, Grant
    from sqlobs_collector.settings.receiving import Right

_OF_WHICH: Final = (
    "several workspaces are configured: send a token of one workspace"
    " (auth.tokens.WORKSPACE.read); sqlobs commands read it from SQLOBS_COLLECTOR_ADMIN_TOKEN"
)
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
CSRF_FIELD: Final = "csrf"
CSRF_HEADER: Final = "x-csrf-token"
_STALE_FORM: Final = "the form is out of date: reload the page and send it again"
_LOG_IN: Final = "log in, or send the header `Authorization: Bearer TOKEN`"


@dataclass(frozen=True, slots=True)
class Reader:
    """A client of the admin port, in one workspace."""

    workspace: str
    rights: frozenset[Right]
    is_operator: bool = False
    """Whether it has the collector's own token, and thus access to the data directory."""
    workspaces: tuple[str, ...] = ()
    """Those that it may choose from."""
    name: str = ""
    """Of its token."""


def reader(right: Right) -> Callable[[Request], Awaitable[Reader]]:
    """Return the dependency of endpoints that need a right.

    Raises:
        UnauthenticatedError: The client has neither a known token nor a session.
        ForbiddenError: It lacks the right, or its write carries no CSRF token.
        BadQueryError: The operator's token does not say which of several workspaces.
    """

    async def dependency(request: Request) -> Reader:
        found = await client(request)
        found.grant.require(right)
        return found.reader

    return dependency


CanRead = Annotated[Reader, Depends(reader("read"))]
CanFeedback = Annotated[Reader, Depends(reader("feedback"))]
CanLabel = Annotated[Reader, Depends(reader("label"))]
CanAdmin = Annotated[Reader, Depends(reader("admin"))]


@dataclass(frozen=True, slots=True)
class Client:
    """Who sent a request."""

    grant: Grant
    chosen: str | None
    """The workspace of its session; None: it sent a token."""

    @property
    def workspace(self) -> str | None:
        """Its workspace; None: it has several and chose none."""
        several = len(self.grant.workspaces) > 1
        return self.chosen or (None if several else self.grant.workspaces[0])

    @property
    def reader(self) -> Reader:
        """The client in its workspace.

        Raises:
            BadQueryError: It has several and chose none.
        """
        grant, workspace = self.grant, self.workspace
        if workspace is None:
            raise BadQueryError(_OF_WHICH)
        return Reader(workspace, grant.rights, grant.is_operator, grant.workspaces, grant.name)


async def client(request: Request) -> Client:
    """Return who sent a request.

    Raises:
        UnauthenticatedError: Neither a known token nor a session came with it.
        ForbiddenError: It is a write of a session without the CSRF token.
    """
    authorization = request.headers.get("authorization")
    cookie = cookie_of(request)
    if authorization is not None or cookie is None:
        return known(request, Client(credentials_of(request).granted(authorization), None))
    session = sessions_of(request).get(cookie)
    if session is None or not credentials_of(request).is_valid(session.grant):
        raise UnauthenticatedError(_LOG_IN)
    found = known(request, Client(session.grant, session.workspace))
    if request.method not in _SAFE:
        await check_csrf(request)
    return found


def known(request: Request, found: Client) -> Client:
    """Note who sent a request, for the audit log; return it."""
    request.state.client = found
    return found


Anyone = Annotated[Client, Depends(client)]
"""Whoever has a token or a session, whatever its rights."""


async def check_csrf(request: Request) -> None:
    """Check that a write comes from a page that was made for the browser's cookie.

    Raises:
        ForbiddenError: It carries no CSRF token, or that of another cookie.
    """
    given = request.headers.get(CSRF_HEADER)
    if given is None and request.headers.get("content-type", "").startswith(_FORMS):
        field = (await request.form()).get(CSRF_FIELD)
        given = field if isinstance(field, str) else None
    cookie = cookie_of(request)
    if cookie is None or given is None or not sessions_of(request).is_csrf_token(cookie, given):
        raise ForbiddenError(_STALE_FORM)


def cookie_of(request: Request) -> str | None:
    """Return the cookie of the browser's session, if it sent one."""
    return request.cookies.get(_cookie_name(request))


def set_cookie(request: Request, response: Response, value: str) -> None:
    """Give the browser a cookie for its next requests, until it closes or logs out."""
    response.set_cookie(
        _cookie_name(request),
        value,
        path="/",
        httponly=True,
        samesite="strict",
        secure=is_secure(request),
    )


def drop_cookie(request: Request, response: Response) -> None:
    """Take the cookie back."""
    response.delete_cookie(
        _cookie_name(request),
        path="/",
        httponly=True,
        samesite="strict",
        secure=is_secure(request),
    )


def sessions_of(request: Request) -> Sessions:
    """Return the sessions of the application."""
    return cast("Sessions", request.app.state.sessions)


def credentials_of(request: Request) -> Credentials:
    """Return the tokens that the application knows."""
    return sources_of(request).credentials


def sources_of(request: Request) -> Sources:
    """Return what the application answers from."""
    return cast("Sources", request.app.state.sources)


Known = Annotated[Sources, Depends(sources_of)]
"""The parameter of an endpoint that answers from the collector."""


def _cookie_name(request: Request) -> str:
    """Return a name of this port alone: browsers send a host's cookies to each of its ports.

    With `__Host-` no other subdomain can set it; browsers allow that over HTTPS only.
    """
    _, port = request.scope.get("server") or ("", 0)
    name = f"sqlobs_session_{port}"
    return f"__Host-{name}" if is_secure(request) else name


def is_secure(request: Request) -> bool:
    """Return whether the browser came over HTTPS, perhaps through a proxy."""
    return request.url.scheme == "https"
