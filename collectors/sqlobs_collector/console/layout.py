"""Renders pages: navigation, filters of templates, and the page of a failed request."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from sqlobs._version import __version__
from sqlobs.reporting import page as reports
from sqlobs_collector.admin.access import CSRF_FIELD, cookie_of, sessions_of
from sqlobs_collector.console.author import author_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from sqlobs_collector.admin.access import Reader
    from sqlobs_collector.settings.receiving import Right

NAVIGATION: Final[tuple[tuple[str, str, Right], ...]] = (
    ("/", "Overview", "read"),
    ("/failures", "Failures", "read"),
    ("/requests", "Requests", "read"),
    ("/compare", "Compare", "read"),
    ("/golden", "Golden set", "read"),
    ("/review", "Review", "label"),
    ("/judges", "Judges", "read"),
    ("/settings", "Settings", "admin"),
)
"""Address, name and right of each page in the navigation, in this order."""
OWN_FILES: Final = Path(__file__).parent / "static"
SHARED_FILES: Final = Path(reports.__file__).parent / "shared"
"""What the report pages have, too."""
_LINKS: Final = frozenset({"http", "https"})
_CSRF: Final = Markup('<input type="hidden" name="{}" value="{}">')


def page(
    request: Request,
    reader: Reader | None,
    template: str,
    *,
    title: str,
    status: int = HTTPStatus.OK,
    **values: object,
) -> HTMLResponse:
    """Render a page.

    Args:
        request: The browser's request.
        reader: The client; None = nobody is logged in, so there is no navigation.
        template: The name of a file in `templates`.
        title: Of the page and its heading.
        status: The status of the response.
        values: The template's variables; a missing one is an error.
    """
    cookie = cookie_of(request)
    csrf = sessions_of(request).csrf_token(cookie) if cookie else ""
    text = (
        _environment()
        .get_template(template)
        .render(
            title=title,
            here=request.url.path,
            reader=reader,
            navigation=[
                one for one in NAVIGATION if reader is not None and one[2] in reader.rights
            ],
            csrf=csrf,
            csrf_field=_CSRF.format(CSRF_FIELD, csrf),
            version=__version__,
            author=author_of(request),
            **values,
        )
    )
    return HTMLResponse(text, status)


def problem_page(request: Request, status: int, sentence: str) -> HTMLResponse:
    """Render the page of a failed request."""
    title = HTTPStatus(status).phrase
    return page(request, None, "problem.html", title=title, status=status, sentence=sentence)


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        loader=PackageLoader("sqlobs_collector.console"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["static"] = static
    environment.filters |= {
        "count": count,
        "link": link,
        "moment": moment,
        "percent": percent,
        "setting": setting,
    }
    return environment


@cache
def static(name: str) -> str:
    """Return the address of a static file, which changes with its content."""
    [path] = [place / name for place in (OWN_FILES, SHARED_FILES) if (place / name).exists()]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"/static/{name}?v={digest[:12]}"


def link(url: str | None) -> str | None:
    """Return an address of the web as it is; None for others, such as `javascript:`."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return None
    return url if parts.scheme in _LINKS and parts.netloc else None


def moment(time_ns: int) -> Markup:
    """Return a time in UTC to the second: `2026-11-24 17:05:14`."""
    when = datetime.fromtimestamp(time_ns // 10**9, tz=UTC)
    return Markup('<time datetime="{}">{:%Y-%m-%d %H:%M:%S}</time>').format(
        f"{when:%Y-%m-%dT%H:%M:%SZ}", when
    )


def percent(rate: float | None) -> str:
    """Return a rate from 0 to 1 as `86.3 %`; a hyphen if it is unknown."""
    return "-" if rate is None else f"{100 * rate:.1f} %"


def setting(value: object) -> str:
    """Return the value of a setting as one line of JSON; `unset` for none."""
    return "unset" if value is None else json.dumps(value, ensure_ascii=False)


def count(number: float) -> str:
    """Return a number with separators: `12,345`."""
    return f"{number:,.0f}"
