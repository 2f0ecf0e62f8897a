"""The name under which a person decides: asked once, then kept by the browser.

A session belongs to a token, which several people may share; the name is what they say it is.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import quote, unquote

from fastapi import Form
from starlette.responses import RedirectResponse

from sqlobs_collector.curation.decisions import person

if TYPE_CHECKING:
    from starlette.requests import Request

    from sqlobs_collector.admin.access import Reader

_COOKIE: Final = "sqlobs_name"
_UNNAMED: Final = "console"
_YEAR_S: Final = 365 * 86_400

Author = Annotated[str, Form()]
"""The field `author` of a form."""


def author_of(request: Request) -> str:
    """Return the name that the person gave last, for the forms of a page."""
    return unquote(request.cookies.get(_COOKIE, "")) or _UNNAMED


def decider(request: Request, reader: Reader) -> str:
    """Return the name that the person gave last, else that of the session's token."""
    return unquote(request.cookies.get(_COOKIE, "")) or reader.name


def decided(request: Request, author: str, place: str) -> RedirectResponse:
    """Lead to a page after a decision, and let the browser remember the name."""
    response = RedirectResponse(place, HTTPStatus.SEE_OTHER)
    response.set_cookie(
        _COOKIE,
        quote(person(author)),
        max_age=_YEAR_S,
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response
