"""Debian's Chromium, watched: it may show no error, and ask no other host."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

PROGRAM = shutil.which("chromium")
WIDTHS = {"wide": 1280, "narrow": 390}
SCREENSHOTS = os.environ.get("SQLOBS_SCREENSHOTS")
"""A directory for screenshots of every page, to be looked at."""
_WCAG_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_REFUSED = "the server responded with a status of 4"
"""What Chromium writes on its console for pages that explain what is wrong with their address."""
needs_chromium = pytest.mark.skipif(
    PROGRAM is None, reason="chromium is not installed: run scripts/install-servers"
)


@contextmanager
def browsing():
    """Run a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=PROGRAM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@contextmanager
def visiting(browser, collector, *, width=1280, scheme="light"):
    """A page of a browser that is logged in; it may show no error and ask no other host."""
    faults: list[str] = []
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        locale="en-US",
        base_url=collector.admin,
    )
    page = context.new_page()
    page.on("console", lambda said: said.type in {"error", "warning"} and faults.append(said.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda shown: (faults.append(shown.message), shown.dismiss()))
    page.on("requestfailed", lambda asked: is_lost(asked) and faults.append(asked.url))
    host = urlsplit(collector.admin).netloc
    page.on(
        "request", lambda asked: urlsplit(asked.url).netloc != host and faults.append(asked.url)
    )
    page.goto("/login")
    page.get_by_label("Token").fill(collector.token)
    page.get_by_role("button", name="Log in").click()
    yield page
    context.close()
    assert [one for one in faults if _REFUSED not in one] == []


def is_lost(asked) -> bool:
    """Return whether a request failed, but for one that another page ended."""
    return asked.failure != "net::ERR_ABORTED"


def kept(page, name: str) -> None:
    if SCREENSHOTS:
        page.screenshot(path=Path(SCREENSHOTS) / f"{name}.png", full_page=True)


def violations(page, *rules: str) -> list[str]:
    """Violations of WCAG AA, or of some rules alone."""
    found = Axe().run(page, options={"runOnly": list(rules) or _WCAG_AA}).response["violations"]
    return [
        f"{one['id']}: {one['help']} {[node['html'][:120] for node in one['nodes'][:3]]}"
        for one in found
    ]
