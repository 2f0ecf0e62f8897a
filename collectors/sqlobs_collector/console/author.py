"""The name under which a person decides: asked once, then kept by the browser.

A session belongs to a token, which several people may share; the name is what they say it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import quote, unquote

from fastapi import Depends, Form, Request
from starlette.responses import RedirectResponse

from sqlobs_collector.curation.decisions import person

if TYPE_CHECKING:
    from sqlobs_collector.admin.access import Reader

_COOKIE: Final = "sqlobs_name"
_UNNAMED: Final = "console"
_YEAR_S: Final = 365 * 86_400


@dataclass(frozen=True, slots=True)
class Author:
    """Who sent a form."""

    name: str
    is_secure: bool

    def leads_to(self, place: str) -> RedirectResponse:
        """Show a page after the decision, and let the browser remember the name."""
        response = RedirectResponse(place, HTTPStatus.SEE_OTHER)
        response.set_cookie(
            _COOKIE,
            quote(person(self.name)),
            max_age=_YEAR_S,
            path="/",
            httponly=True,
            samesite="strict",
            secure=self.is_secure,
        )
        return response


def _author(request: Request, author: Annotated[str, Form()]) -> Author:
    return Author(author, request.url.scheme == "https")


By = Annotated[Author, Depends(_author)]
"""The parameter of a page that stores a decision: the form's field `author`."""


def author_of(request: Request) -> str:
    """Return the name that the person gave last, for the forms of a page."""
    return unquote(request.cookies.get(_COOKIE, "")) or _UNNAMED


def decider(request: Request, reader: Reader) -> str:
    """Return the name that the person gave last, else that of the session's token."""
    return unquote(request.cookies.get(_COOKIE, "")) or reader.name
