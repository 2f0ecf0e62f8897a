"""What to do about each alert: `docs/alerts.md`, to which an alert's `runbook_url` points.

Anybody who can reach the port may read it: an on-call engineer opens it before logging in.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markdown_it import MarkdownIt
from markupsafe import Markup

from sqlobs_collector.console.layout import link, page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

_DOCUMENT: Final = Path(__file__).parent / "docs" / "alerts.md"

router = APIRouter()


@router.get("/docs/alerts.md")
def runbook(request: Request) -> Response:
    """Show the document; `#sqlobslatency` is the part about one alert."""
    return page(request, None, "runbook.html", title="Alerts and dashboards", document=_document())


@cache
def _document() -> Markup:
    """Return the document as HTML, without its title, which the page has."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(_DOCUMENT.read_text(encoding="utf-8").split("\n", 1)[1])
    for heading, content in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrSet("id", content.content.lower().replace(" ", "-"))
        if content.children:
            content.children = list(_without_files(content.children))
    return Markup(markdown.renderer.render(tokens, markdown.options, {}))  # noqa: S704 - our own file


def _without_files(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield tokens without links to other files of the repository, which are not served."""
    is_dropped = False
    for token in tokens:
        if token.type == "link_open":
            target = str(token.attrGet("href"))
            is_dropped = not target.startswith("#") and link(target) is None
        if not (is_dropped and token.type in {"link_open", "link_close"}):
            yield token
