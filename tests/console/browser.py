"""A browser without JavaScript: it keeps cookies, follows redirects and sends forms."""

from __future__ import annotations

import re
from html import unescape

import httpx


class Browser:
    """One person's browser at the console."""

    def __init__(self, address: str, **headers: str) -> None:
        self.client = httpx.Client(
            timeout=60,  # a loaded machine takes more than the usual 5 s for a first page
            base_url=address,
            headers={"Accept": "text/html", **headers},
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def get(self, path: str) -> httpx.Response:
        return self.client.get(path)

    def post(self, path: str, *, csrf: str | None = None, **fields: str) -> httpx.Response:
        """Send a form with the CSRF token of the page that was loaded last, or a given one."""
        given = self.csrf() if csrf is None else csrf
        return self.client.post(path, data={"csrf": given, **fields})

    def csrf(self) -> str:
        """The token of a form of a page that this browser may see."""
        shown = self.client.get("/", follow_redirects=True).text
        return unescape(re.search(r'name="csrf" value="([^"]*)"', shown)[1])

    def login(self, token: str, **fields: str) -> httpx.Response:
        self.get("/login")
        return self.post("/login", token=token, **fields)

    @property
    def cookies(self) -> dict[str, str]:
        return dict(self.client.cookies)
