"""Every page in Debian's Chromium: at two widths, in both color schemes, by keyboard alone."""

from __future__ import annotations

import pytest

from tests.console.chromium import (
    WIDTHS,
    browsing,
    kept,
    needs_chromium,
    violations,
    visiting,
)

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def chromium():
    with browsing() as browser:
        yield browser


@pytest.fixture
def page(chromium, scene):
    with visiting(chromium, scene.collector) as visited:
        yield visited


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_is_accessible_and_asks_no_other_host(chromium, scene, width):
    """WCAG AA by axe-core; nothing is wider than the window; no error on the browser's console."""
    with visiting(chromium, scene.collector, width=WIDTHS[width]) as page:
        for name, address in scene.addresses.items():
            page.goto(address)
            look(page, name, width)
        page.goto("/")
        page.get_by_role("button", name="Log out").click()
        look(page, "login", width)


def look(page, name: str, width: str) -> None:
    """Check a page with everything open, in light and dark: these differ in colors alone."""
    open_all(page)
    kept(page, f"{name}-{width}-light")
    assert violations(page) == [], name
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0, name
    page.emulate_media(color_scheme="dark")
    kept(page, f"{name}-{width}-dark")
    if width == "wide":
        assert violations(page, "color-contrast") == [], name
    page.emulate_media(color_scheme="light")


def open_all(page) -> None:
    """Open what a page shows on request."""
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")


def test_charts_are_drawn_under_the_policy(page):
    """uPlot needs no inline style or script; every chart has a canvas."""
    page.goto("/?since=1h&by=model")
    charts = page.locator("[data-chart]")
    assert charts.count() == 5
    assert page.locator("[data-chart] canvas").count() == 5


def test_a_chart_without_values_says_so(page):
    """No request has no rate, duration or cost; the number of requests is 0."""
    page.goto("/?since=1h&workflow=unknown")
    drawn = {
        chart.get_attribute("data-chart"): chart.text_content()
        for chart in page.locator("[data-chart]").all()
        if not chart.locator("canvas").count()
    }
    assert drawn == dict.fromkeys(("rate", "latency", "cost"), "No values in this period.")


class Keys:
    """A person without a pointer."""

    def __init__(self, page) -> None:
        self.page = page

    def tab_to(self, condition: str) -> None:
        """Press Tab until the focused element, `one`, is as wanted."""
        for _ in range(120):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(f"(one => {condition})(document.activeElement)"):
                return
        raise AssertionError(condition)

    def press(self, name: str) -> None:
        """Reach a link or button by its text, and press Enter."""
        self.tab_to(f"one.textContent.trim() === {name!r}")
        self.page.keyboard.press("Enter")

    def write(self, field: str, text: str) -> None:
        """Reach a field by its name and replace its content."""
        self.tab_to(f"one.name === {field!r}")
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)


def test_the_overview_works_by_keyboard_alone(page):
    """Log in, skip the navigation, choose a comparison, open the values, log out."""
    keys = Keys(page)
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    keys.tab_to("one.name === 'by'")
    page.keyboard.type("model")
    keys.press("Show")
    page.wait_for_url("**by=model**")
    keys.press("Values")
    assert page.locator("details[open]").count() == 1
    page.locator("body").press("Shift+Tab")
    for _ in range(60):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.textContent") == "Log out":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/login")


def test_from_a_failure_to_a_golden_case_by_keyboard_alone(page):
    """A group, its requests, one of them, its correct SQL: in effect."""
    keys = Keys(page)
    page.goto("/failures?since=24h")
    keys.tab_to("one.matches('main h2 a')")
    page.keyboard.press("Enter")
    page.wait_for_url("**/requests?**")
    keys.tab_to("one.matches('main th a')")
    page.keyboard.press("Enter")
    page.wait_for_url("**/requests/*")
    keys.write("sql", "SELECT sum(total) FROM orders WHERE region = 'north'")
    keys.press("Save the SQL above as golden case")
    page.wait_for_url("**/golden/*")
    keys.write("owner", "grace")
    keys.press("Save")
    page.wait_for_url("**done=edited")
    assert page.input_value("#owner") == "grace"


def test_the_review_queue_works_by_keyboard_alone(page):
    """Give a name, label a request with a reason; the next one comes."""
    keys = Keys(page)
    page.goto("/review")
    keys.write("rater", "barbara")
    keys.press("Start to label")
    page.wait_for_url("**rater=barbara**")
    keys.write("critique", "It is right.")
    keys.press("Correct")
    page.get_by_text("1 of 5 labeled by barbara").wait_for()
