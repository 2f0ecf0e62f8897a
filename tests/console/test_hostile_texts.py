"""60 hostile payloads in every text that a page shows stay text."""

from __future__ import annotations

import time
from html.parser import HTMLParser
from itertools import product

import httpx
import pytest

from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_units import send, unit

MARKUP = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "'><iframe src=javascript:alert(1)>",
    "</pre><form action=//evil.example><button>x",
    "</title><base href=//evil.example/>",
    "<a href=javascript:alert(1)>x</a>",
    "{{ 7 * 7 }}{% for a in range(9) %}x{% endfor %}",
    "\u202egnp.exe <b onclick=alert(1)>\u2066",
    "<style>@import '//evil.example'</style>",
)
PLACES = ("question", "sql", "name", "suggestion", "model", "feedback")
PAYLOADS = [*product(PLACES, MARKUP)]
LONG = "x" * 60_000 + "<script>alert(1)</script>"
OWN = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "link",
        "body",
        "a",
        "header",
        "p",
        "nav",
        "ul",
        "li",
        "div",
    ),
    *(
        "form",
        "input",
        "label",
        "select",
        "option",
        "button",
        "span",
        "main",
        "h1",
        "h2",
        "section",
    ),
    *(
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "time",
        "small",
        "code",
        "bdi",
        "pre",
    ),
    *("u", "figure", "figcaption", "strong", "details", "summary", "svg", "rect", "ol", "footer"),
}
"""Elements of our templates."""


class Elements(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attributes]


def hostile(number, place, payload):
    """A failed request with the payload in one place, and what a user said about it."""
    text = {"question": "q", "sql": "SELECT 1", "name": "n", "suggestion": "s", "model": "m"}
    text |= {"feedback": "f", place: payload}
    made = unit(
        number,
        at_ns=time.time_ns() - 10**9,
        body={"sqlobs.question.text": text["question"], "sqlobs.query.text": text["sql"]},
        sqlobs__verdict="failed",
        sqlobs__outcome="answered",
        sqlobs__failure__code="schema.unknown_column",
        sqlobs__hallucinated__columns=[text["name"]],
        sqlobs__suggestions=[f"{text['name']} -> {text['suggestion']}"],
        gen_ai__request__model=text["model"],
    )
    said = records.log(
        number,
        event="gen_ai.evaluation.result",
        at_ns=time.time_ns(),
        gen_ai__evaluation__name="feedback",
        gen_ai__evaluation__score__label="fail",
        gen_ai__evaluation__explanation=text["feedback"],
        sqlobs__feedback__kind="thumb",
        sqlobs__feedback__value="down",
        sqlobs__feedback__query__text=text["feedback"],
    )
    return made, said


@pytest.fixture
def shown(launch):
    """A collector with all payloads, and the pages' addresses."""
    collector = launch(console__links={"Jaeger": "http://jaeger.example/trace/{trace_id}"})
    sent = [hostile(number, *one) for number, one in enumerate(PAYLOADS)]
    sent.append(hostile(len(PAYLOADS), "question", LONG))
    sent.append(hostile(len(PAYLOADS) + 1, "sql", LONG))
    send(collector, records.logs(*(record for pair in sent for record in pair)))
    url = f"{collector.admin}/v1/requests?limit=500"

    def listed():
        found = httpx.get(url, headers=collector.bearer, timeout=60).json()["requests"]
        return found if len(found) == len(sent) else None

    return collector, wait_until(listed, within_s=60)


@pytest.mark.slow
def test_no_text_of_a_request_becomes_an_element_or_an_attribute(shown):
    """Every page: only elements of our templates, no handler, no script address, a strict policy."""
    collector, requests = shown
    pages = ["/requests", "/failures", "/compare", f"/requests?q={MARKUP[2]}&name={MARKUP[0]}"]
    pages += [f"/requests/{one['id']}" for one in requests]
    for path in pages:
        answer = httpx.get(collector.admin + path, headers=collector.bearer, timeout=60)
        assert answer.status_code == 200, path
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe-inline" not in policy
        found = Elements(answer.text)
        assert found.tags <= OWN, (path, found.tags - OWN)
        assert not [name for name, _ in found.attributes if name.startswith("on")]
        addresses = [value for name, value in found.attributes if name in {"href", "src", "action"}]
        own = [one for one in addresses if not one.startswith(("/", "#", "http://jaeger.example/"))]
        assert own == [], path
        assert "49xxxxxxxxx" not in answer.text
