"""`/v1/explain` and `sqlobs explain`: what changed, since when, and requests that show it."""

from __future__ import annotations

import json
import re
from html import unescape
from itertools import count
from urllib.parse import urlsplit

import httpx
import pytest

from sqlobs.cli import main
from sqlobs.metrics.rate_change import Counts
from sqlobs.monitoring.files import groups
from sqlobs.monitoring.notices import notice_of
from sqlobs.monitoring.settings import RuleSettings
from sqlobs_collector.explaining.onset import onset
from tests.collector import incidents, records
from tests.collector.running import wait_until
from tests.collector.test_units import send, unit, why

START_NS = 1_768_464_000 * 10**9
MINUTE_NS = 60 * 10**9
AT = "2026-01-15T18:00:00Z"
"""Ten hours after the start."""
ASKED = 'alertname="SqlobsSchemaHallucination",service_name="sales",sqlobs_workflow="answer"'


def request(number: int, at_min: float, *, model: str, invents: str | None = None):
    """A unit of a request, with the name that it invents."""
    found = {
        "sqlobs__verdict": "failed",
        "sqlobs__failure__code": "schema.unknown_table",
        "sqlobs__failure__codes": ["schema.unknown_table"],
        "sqlobs__hallucinated__tables": [invents],
        "sqlobs__schematic": False,
    }
    return unit(
        number,
        at_ns=START_NS + round(at_min * MINUTE_NS),
        body={"sqlobs.query.text": f"SELECT 1 FROM {invents}"},
        sqlobs__workflow="answer",
        sqlobs__first_attempt__verdict="failed" if invents else "ok",
        gen_ai__request__model=model,
        sqlobs__query__fingerprint=f"1:{invents}",
        **({"sqlobs__verdict": "ok", "sqlobs__schematic": True} | (found if invents else {})),
    )


@pytest.fixture
def incident(collector):
    """Ten hours of two models; for the last ten minutes one of them invents tables."""
    numbers = count(1)
    sent = [request(next(numbers), at_min, model="ab"[at_min % 2]) for at_min in range(0, 590, 2)]
    sent += [request(next(numbers), at_min, model="b") for at_min in range(1, 590, 2)]
    bad = [
        request(
            next(numbers), 590 + step / 2, model="b", invents=("invoices", "sale")[step % 3 == 0]
        )
        for step in range(18)
    ]
    sent += bad + [request(next(numbers), 590 + step / 2, model="a") for step in range(18)]
    send(collector, records.logs(*sent))
    wait_until(lambda: why(collector, records.trace_id(len(sent)).hex()))
    return collector


def asked(collector, **parameters):
    response = httpx.get(
        f"{collector.admin}/v1/explain", params=parameters, headers=collector.bearer
    )
    return response.status_code, response.json()


def test_an_alerts_labels_lead_to_cause_names_and_requests(incident):
    """One URL: the model, when it began, the names that it invented and the SQL of five requests."""
    status, found = asked(incident, labels=ASKED, at=AT)
    assert status == 200
    assert found["labels"] == {"service_name": "sales", "sqlobs_workflow": "answer"}
    assert found["ignored_labels"] == ["alertname"]
    assert found["summary"] == (
        "The schema-hallucination rate rose from 0 % (0 of 590) to 50 % (18 of 36)."
        " model b explains 100% of the change: its rate went from 0 % (0 of 295) to 100 %"
        " (18 of 18)."
    )
    best = found["explanations"][0]
    assert (best["dimension"], best["value"]) == ("model", "b")
    assert found["first_bad"]["occurred"] == "2026-01-15T17:50:00.000Z"
    assert found["invented_names"] == [
        {"name": "invoices", "kind": "table", "requests": 12},
        {"name": "sale", "kind": "table", "requests": 6},
    ]
    assert found["failure_codes"] == [{"code": "schema.unknown_table", "requests": 18}]
    shown = [(one["model"], one["sql"]) for one in found["examples"]]
    assert len(shown) == 5
    assert set(shown) == {("b", "SELECT 1 FROM invoices"), ("b", "SELECT 1 FROM sale")}


def test_an_alerts_link_opens_the_page_that_explains_it(incident):
    """Cause, first bad request, invented names and five requests, before the groups of failures."""
    rules = [rule for group in groups(RuleSettings()) for rule in group.rules]
    (page,) = [rule for rule in rules if getattr(rule, "name", "") == "SqlobsSchemaHallucination"]
    labels = {"service_name": "sales", "sqlobs_workflow": "answer"}
    at_s = (START_NS + 600 * MINUTE_NS) / 10**9
    notice = notice_of(page.document(RuleSettings()), labels, value=0.5, at_s=at_s)
    link = urlsplit(notice.annotations["console_url"])
    assert link.path == "/failures"
    answer = httpx.get(f"{incident.admin}{link.path}?{link.query}", headers=incident.bearer)
    assert answer.status_code == 200
    text = answer.text
    assert "model b explains 100% of the change" in text
    assert "First bad request: <time" in text
    assert "invoices</bdi></code></a> <small>table, 12 requests" in text
    explained = text[text.index("<h3>Invented names") : text.index("Groups of failures")]
    assert len(set(re.findall(r'href="(/requests/[0-9a-f]{32}-[0-9a-f]{16})"', explained))) == 5
    followed = re.search(r'href="(/requests\?[^"]*name=invoices[^"]*)"', explained)
    listed = httpx.get(incident.admin + unescape(followed[1]), headers=incident.bearer).text
    assert listed.count("/requests/0") == 12
    assert '<input type="hidden" name="at" value="' in text
    own = httpx.get(f"{incident.admin}/failures?since=30d", headers=incident.bearer).text
    assert 'class="why"' not in own


def test_the_command_prints_it(incident, capsys):
    arguments = ["explain", "--admin", incident.admin, "--labels", ASKED, "--at", AT]
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].startswith("  model b: 100% of the change: 0 %, 0 of 295 -> 100 %, 18 of 18")
    assert "invented names: invoices (12), sale (6)" in lines
    assert main([*arguments, "--by", "model"]) == 0
    listed = capsys.readouterr().out.splitlines()
    place = listed.index("by model:")
    assert listed[place + 1 : place + 3] == [
        "  b: 0 %, 0 of 295 [0 to 1.29 %] -> 100 %, 18 of 18 [82.4 to 100 %]",
        "  a: 0 %, 0 of 295 [0 to 1.29 %] -> 0 %, 0 of 18 [0 to 17.6 %]",
    ]
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["window"]["failed"] == 18


def test_a_window_and_a_baseline_can_be_given(incident):
    """As for a deployment: before it and since."""
    _, found = asked(incident, at=AT, since="2026-01-15T17:30:00Z", baseline="2026-01-15T12:30:00Z")
    assert (found["window"]["since"], found["window"]["requests"]) == (
        "2026-01-15T17:30:00.000Z",
        56,
    )
    assert (found["baseline"]["since"], found["baseline"]["requests"]) == (
        "2026-01-15T12:30:00.000Z",
        300,
    )


def test_a_model_is_named_as_on_metrics(collector):
    """Without provider and release date, whatever the requests say."""
    named = ["openai/gpt-4o-2024-08-06", "gpt-4o", "gpt-4o-mini"]
    sent = [request(number, number, model=model) for number, model in enumerate(named, start=1)]
    send(collector, records.logs(*sent))
    wait_until(lambda: why(collector, records.trace_id(len(sent)).hex()))
    labels = 'gen_ai_request_model="gpt-4o"'
    _, found = asked(collector, labels=labels, at=AT, since="2026-01-15T08:00:00Z")
    assert found["window"]["requests"] == 2


@pytest.mark.parametrize(
    ("rate", "failed", "requests"),
    [
        ("schema_hallucination", 18, 36),
        ("failed", 18, 36),
        ("syntactic", 0, 0),
        ("error", 0, 36),
        ("unchecked", 0, 36),
        ("first_attempt", 18, 36),
    ],
)
def test_every_rate_has_its_own_denominator(incident, rate, failed, requests):
    """Nothing here was checked for syntax; every request has an outcome and a verdict."""
    _, found = asked(incident, rate=rate, at=AT, since="2026-01-15T17:50:00Z")
    assert (found["window"]["failed"], found["window"]["requests"]) == (failed, requests)


@pytest.mark.parametrize("at", ["1768500000", "1768500000.0", "1768500000000"])
def test_a_time_can_have_the_formats_of_prometheus_and_grafana(incident, at):
    """Seconds, or milliseconds."""
    _, found = asked(incident, at=at)
    assert found["window"]["until"] == AT.replace("Z", ".000Z")


def test_without_requests_the_answer_says_so(collector):
    status, found = asked(collector)
    assert status == 200
    assert found["summary"].endswith("is unknown: the window has no such request.")
    assert (found["explanations"], found["first_bad"], found["examples"]) == ([], None, [])


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"labels": "shop"}, "labels must be written as in PromQL"),
        ({"labels": 'a="b"c="d"'}, "labels must be written as in PromQL"),
        ({"rate": "latency"}, "rate must be one of schema_hallucination, syntactic"),
        ({"at": "yesterday"}, "at must be a time such as"),
        ({"at": "2026-01-15T18:00:00"}, "at must be a time such as"),
        ({"since": AT, "at": AT}, "since must be before at"),
        ({"baseline": "soon"}, "baseline must be a duration such as 24h"),
        ({"baseline": "0h"}, "baseline must be longer than 0"),
        ({"baseline": AT, "at": AT}, "baseline must be a duration such as 24h"),
    ],
)
def test_an_invalid_query_parameter_gives_one_error_sentence(collector, parameters, says):
    status, found = asked(collector, **parameters)
    assert status == 400
    assert found["error"].startswith(says)


def test_an_earlier_rise_hides_no_later_one():
    """Healthy, a large incident, healthy, and the one that the alert is about."""
    healthy, bad = [Counts(10, 0)] * 50, [Counts(10, 8)] * 20
    assert onset([*healthy, *bad, *healthy, *bad[:3]]) == 120


def test_a_worsening_incident_starts_at_its_first_rise():
    """From 80 % to all requests."""
    assert onset([*[Counts(10, 0)] * 50, *[Counts(10, 8)] * 20, *[Counts(10, 10)] * 20]) == 50


def test_chance_is_no_rise():
    assert onset([Counts(10, int(place % 17 == 3)) for place in range(200)]) is None


def test_planted_causes_are_named_first():
    """`python -m tests.collector.incidents` runs 200 with six times the traffic."""
    right, _, missed = incidents.run(10, per_hour=100, seed=3)
    assert right >= 9, missed
