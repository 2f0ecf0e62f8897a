"""Every page in Debian's Chromium: at two widths, in both color schemes, by keyboard alone."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from tests.console.pages import PAGES
from tests.console.traffic import send_traffic

CHROMIUM = shutil.which("chromium")
WIDTHS = {"wide": 1280, "narrow": 390}
WCAG_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SCREENSHOTS = os.environ.get("SQLOBS_SCREENSHOTS")
"""A directory for screenshots of every page, to be looked at."""

pytestmark = [
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed: run scripts/install-servers"
    ),
]


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def filled(launch):
    """A collector with requests of two models, a third of one of them with invented names."""
    collector = launch()
    send_traffic(collector)
    return collector


@contextmanager
def visiting(chromium, collector, *, width=1280, scheme="light"):
    """A page of a browser that is logged in; it may show no error and ask no other host."""
    faults: list[str] = []
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en-US"
    )
    page = context.new_page()
    page.on("console", lambda said: said.type in {"error", "warning"} and faults.append(said.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("requestfailed", lambda asked: is_lost(asked) and faults.append(asked.url))
    host = urlsplit(collector.admin).netloc
    page.on(
        "request", lambda asked: urlsplit(asked.url).netloc != host and faults.append(asked.url)
    )
    page.goto(f"{collector.admin}/login")
    page.get_by_label("Token").fill(collector.token)
    page.get_by_role("button", name="Log in").click()
    yield page
    context.close()
    assert [one for one in faults if "404 (Not Found)" not in one] == []


def is_lost(asked) -> bool:
    """Return whether a request failed, but for one that another page ended."""
    return asked.failure != "net::ERR_ABORTED"


def kept(page, name: str) -> None:
    if SCREENSHOTS:
        page.screenshot(path=Path(SCREENSHOTS) / f"{name}.png", full_page=True)


def violations(page) -> list[str]:
    found = Axe().run(page, options={"runOnly": WCAG_AA}).response["violations"]
    return [
        f"{one['id']}: {one['help']} {[node['html'][:120] for node in one['nodes'][:3]]}"
        for one in found
    ]


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible_and_asks_no_other_host(chromium, filled, width, scheme):
    """WCAG AA by axe-core; nothing is wider than the window; no error on the browser's console."""
    with visiting(chromium, filled, width=WIDTHS[width], scheme=scheme) as page:
        for name, address in PAGES.items():
            page.goto(filled.admin + address)
            kept(page, f"{name}-{width}-{scheme}")
            assert violations(page) == [], name
            overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert overflow <= 0, name
        page.goto(f"{filled.admin}/")
        page.get_by_role("button", name="Log out").click()
        kept(page, f"login-{width}-{scheme}")
        assert violations(page) == []


def test_charts_are_drawn_under_the_policy(chromium, filled):
    """uPlot needs no inline style or script; every chart has a canvas."""
    with visiting(chromium, filled) as page:
        page.goto(f"{filled.admin}/?since=1h&by=model")
        charts = page.locator("[data-chart]")
        assert charts.count() == 5
        assert page.locator("[data-chart] canvas").count() == 5


def test_the_console_works_by_keyboard_alone(chromium, filled):
    """Log in, skip the navigation, choose a comparison, open the values, log out."""
    with visiting(chromium, filled) as page:
        page.goto(f"{filled.admin}/")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"

        def tab_to(condition: str) -> None:
            for _ in range(60):
                page.keyboard.press("Tab")
                if page.evaluate(f"(one => {condition})(document.activeElement)"):
                    return
            raise AssertionError(condition)

        tab_to("one.name === 'by'")
        page.keyboard.type("model")
        tab_to("one.textContent === 'Show'")
        page.keyboard.press("Enter")
        page.wait_for_url("**by=model**")
        tab_to("one.textContent.trim() === 'Values'")
        page.keyboard.press("Enter")
        assert page.locator("details[open]").count() == 1
        page.locator("body").press("Shift+Tab")
        for _ in range(60):
            page.keyboard.press("Shift+Tab")
            if page.evaluate("document.activeElement.textContent") == "Log out":
                break
        page.keyboard.press("Enter")
        page.wait_for_url("**/login")
