"""Lists, groups, searches and comparisons of requests, over a real store, by views and endpoints."""

from __future__ import annotations

import csv
import io
import json

import httpx
import pytest

from sqlobs_collector.explaining.question import QuestionError
from sqlobs_collector.quality.hourly import add_up_changes
from sqlobs_collector.store.comparison import ComparisonReader
from sqlobs_collector.store.failures import FailureReader
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.requests import RequestReader
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.writing import Store
from sqlobs_collector.views.comparison import comparison, read_sides
from sqlobs_collector.views.failures import DecisionRequest, decide, failure_groups
from sqlobs_collector.views.filters import read_filter
from sqlobs_collector.views.request import parts_of
from sqlobs_collector.views.requests import request_page
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.stores import on_both
from tests.collector.test_units import NOW_NS, Station, send, unit

store_kind = on_both(pytest.mark.slow)

SECOND = 10**9
HOUR = 3600 * SECOND
MADE_UP = "SELECT totals FROM orders"
GOOD = "SELECT total FROM orders"


@pytest.fixture
def station(tmp_path, store_kind):
    built = Station(tmp_path, store_kind)
    yield built
    built.close()


def asked(number, *, at_ns=NOW_NS - SECOND, question="What is the total?", **named):
    """A request that passed."""
    body = {"sqlobs.question.text": question, "sqlobs.query.text": GOOD}
    known = {
        "sqlobs__verdict": "ok",
        "sqlobs__outcome": "answered",
        "sqlobs__syntactic": True,
        "sqlobs__schematic": True,
        "gen_ai__request__model": "gpt-4o",
        "gen_ai__prompt__version": "v1",
    }
    return unit(number, at_ns=at_ns, body=body, **{**known, **named})


def invented(number, *, name="totals", **named):
    """A request that invented a column."""
    body = {
        "sqlobs.question.text": named.pop("question", "What is the total?"),
        "sqlobs.query.text": f"SELECT {name} FROM orders",
    }
    known = {
        "body": body,
        "at_ns": NOW_NS - SECOND,
        "sqlobs__verdict": "failed",
        "sqlobs__outcome": "answered",
        "sqlobs__syntactic": True,
        "sqlobs__schematic": False,
        "sqlobs__failure__code": "schema.unknown_column",
        "sqlobs__failure__codes": ["schema.unknown_column"],
        "sqlobs__hallucinated__columns": [name],
        "sqlobs__suggestions": [f"{name} -> total"],
        "gen_ai__request__model": "gpt-4o",
        "gen_ai__prompt__version": "v1",
    }
    return unit(number, **{**known, **named})


def chosen(*pairs, now_ns=NOW_NS):
    return read_filter("default", pairs, now_ns=now_ns)


def listed(station, *pairs):
    page = request_page(RequestReader(station.engine), chosen(*pairs), after=None)
    return [one.invented[0].name if one.invented else one.question for one in page.requests]


def test_requests_are_found_by_column_name_and_words(station):
    """Every filter narrows; several of them all hold."""
    station.receive(
        records.logs(
            asked(1, question="How many orders?", sqlobs__tenant="acme"),
            invented(2),
            invented(3, name="totl", at_ns=NOW_NS - 2 * HOUR),
        )
    )
    assert listed(station) == ["totals", "How many orders?", "totl"]
    assert listed(station, ("since", "1h")) == ["totals", "How many orders?"]
    assert listed(station, ("verdict", "failed")) == ["totals", "totl"]
    assert listed(station, ("verdict", "failed"), ("name", "totl")) == ["totl"]
    assert listed(station, ("failure_code", "schema.unknown_column")) == ["totals", "totl"]
    assert listed(station, ("tenant", "acme")) == ["How many orders?"]
    assert listed(station, ("tenant", "(none)")) == ["totals", "totl"]
    assert listed(station, ("q", "MANY orders")) == ["How many orders?"]
    assert listed(station, ("q", 'totl" OR "x')) == []
    labels = 'alertname="X",gen_ai_request_model="gpt-4o",sqlobs_tenant="acme"'
    assert listed(station, ("labels", labels)) == ["How many orders?"]


def test_an_alerts_model_is_found_under_all_its_names(station):
    """Metrics leave out provider and release date; a model with a longer name is another one."""
    station.receive(
        records.logs(
            invented(1, name="a", gen_ai__request__model="openai/gpt-4o-2024-08-06"),
            invented(2, name="b", gen_ai__request__model="GPT-4o@20240806"),
            invented(3, name="c", gen_ai__request__model="gpt-4o-mini"),
        )
    )
    labels = 'gen_ai_request_model="gpt-4o"'
    assert listed(station, ("labels", labels)) == ["b", "a"]
    assert {one.name for one in groups(station, ("labels", labels))} == {"a", "b"}


@pytest.mark.parametrize(
    "pairs",
    [
        [("since", "yesterday")],
        [("evaluation", "ex")],
        [("feedback", "good")],
        [("since", "2027-01-16T00:00:00Z"), ("until", "2027-01-15T00:00:00Z")],
    ],
)
def test_a_filter_that_cannot_be_read_is_rejected(pairs):
    """With one sentence, not with an empty list."""
    with pytest.raises(QuestionError):
        chosen(*pairs)


def test_pages_follow_each_other_without_gap_or_overlap(station):
    """Requests of the same nanosecond are split by their order of arrival."""
    station.receive(records.logs(*(asked(number) for number in range(7))))
    reader, seen, after = RequestReader(station.engine), [], None
    while True:
        page = request_page(reader, chosen(), after=after, limit=3)
        seen += [one.id for one in page.requests]
        after = page.next
        if after is None:
            break
    assert len(seen) == len(set(seen)) == 7
    assert page.count == 7
    with pytest.raises(QuestionError, match="after must be"):
        request_page(reader, chosen(), after="nonsense")


def found_by(station, searched):
    with station.engine.connect() as connection:
        return RequestFilter(workspace="default", searched=searched).resolved(connection).among


def test_what_was_derived_from_texts_expires_with_them(station):
    """Neither the index of words nor an invented name outlives the payload; groups stay counted."""
    station.receive(records.logs(invented(1), asked(2)))
    assert len(found_by(station, "total")) == 2
    station.later(1001)
    assert station.query("SELECT count(*) FROM request_text") == [(0,)]
    assert station.query("SELECT name, suggestion, failure_code FROM failure") == [
        ("", None, "schema.unknown_column")
    ]
    assert station.query("SELECT count(*) FROM unit WHERE question_key IS NOT NULL") == [(0,)]
    station.later(5001)
    for table in ("unit", "failure"):
        assert station.query(f"SELECT count(*) FROM {table}") == [(0,)]


def test_a_unit_replaces_what_its_span_said_in_every_derived_table(station):
    """Sums, failures and words are those of the unit."""
    span = records.generation_span(1, sqlobs__query__text="SELECT spantext FROM orders")
    station.receive(records.spans(span), kind="traces")
    station.receive(records.logs(invented(1)))
    add_up_changes(Store(station.engine))
    found = station.query("SELECT verdict, requests FROM rollup WHERE hours = 1 AND NOT by_tenant")
    assert found == [("failed", 1)]
    assert station.query("SELECT name FROM failure") == [("totals",)]
    assert len(found_by(station, MADE_UP)) == 1
    assert found_by(station, "spantext") == ()


def groups(station, *pairs, now_ns=NOW_NS):
    return failure_groups(FailureReader(station.engine), chosen(*pairs, now_ns=now_ns)).groups


def test_failures_are_grouped_and_counted_against_their_answers(station):
    """The share is of the answers of the same model and prompt version."""
    station.receive(
        records.logs(
            invented(1),
            invented(2),
            invented(3, gen_ai__prompt__version="v2"),
            asked(4),
            asked(5),
            invented(6, at_ns=NOW_NS - 30 * HOUR),
        )
    )
    first, second = groups(station)
    assert (first.name, first.kind, first.prompt_version) == ("totals", "column", "v1")
    assert (first.requests, first.of, first.share, first.before) == (2, 4, 0.5, 1)
    assert sum(first.trend) == 2
    assert first.first_seen < first.last_seen
    assert not first.is_new
    assert first.example.sql == MADE_UP
    assert (second.prompt_version, second.of, second.is_new) == ("v2", 1, True)


def test_a_resolved_group_reopens_when_it_comes_back(station):
    """What failed before it was resolved does not reopen it, even if it arrives later."""
    store = Store(station.engine)
    key = {"failure_code": "schema.unknown_column", "name": "totals", "model": "gpt-4o"}

    def settle(status, **more):
        decision = DecisionRequest(**key, prompt_version="v1", status=status, **more)
        decide(store, "default", decision, by="kim", at_ns=NOW_NS)

    station.receive(records.logs(invented(1)))
    assert [one.status for one in groups(station)] == ["open"]
    settle("acknowledged", assignee="kim", note="prompt v2 fixes it")
    [group] = groups(station)
    assert (group.status, group.assignee, group.note) == (
        "acknowledged",
        "kim",
        "prompt v2 fixes it",
    )
    settle("resolved")
    station.receive(records.logs(invented(2, at_ns=NOW_NS - 5 * SECOND)))
    assert [one.status for one in groups(station)] == ["resolved"]
    station.receive(records.logs(invented(3, at_ns=NOW_NS + SECOND)))
    assert [one.status for one in groups(station, now_ns=NOW_NS + HOUR)] == ["reopened"]


def test_a_comparison_tells_rates_and_the_questions_that_changed(station):
    """By prompt version: one question fails now, another passes now."""
    v2 = {"gen_ai__prompt__version": "v2"}
    station.receive(
        records.logs(
            *(asked(number, question=f"Question {number}?") for number in range(50)),
            *(invented(100 + n, question=f"Question {n}?", **v2) for n in range(20)),
            *(asked(200 + n, question=f"Question {n}?", **v2) for n in range(20, 50)),
            invented(300, question="Was wrong?"),
            asked(301, question="was wrong", **v2),
        )
    )
    pairs = [("by", "prompt_version"), ("before", "v1"), ("now", "v2")]
    before, now, by = read_sides("default", pairs, now_ns=NOW_NS)
    found = comparison(
        QualityReader(station.engine), ComparisonReader(station.engine), (before, now), by=by
    )
    rates = {one.name: one for one in found.rates}
    rate = rates["schema_hallucination_rate"]
    assert (rate.before.count, rate.before.of) == (1, 51)
    assert (rate.now.count, rate.now.of) == (20, 51)
    assert rate.is_significant
    assert rate.before.lower < rate.before.rate < rate.before.upper
    assert (found.newly_failing_count, found.newly_passing_count) == (20, 1)
    assert found.p_value == pytest.approx(2.1e-5, rel=0.1)
    [passing] = found.newly_passing
    assert (passing.before.sql, passing.now.sql) == (MADE_UP, GOOD)


def test_a_release_splits_the_time_in_two_windows():
    """`at` is the time of the deployment: as long before it as since."""
    pairs = [("at", "2h")]
    before, now, by = read_sides("default", pairs, now_ns=NOW_NS)
    assert by is None
    assert (now.since_ns, now.until_ns) == (NOW_NS - 2 * HOUR, NOW_NS)
    assert (before.since_ns, before.until_ns) == (NOW_NS - 4 * HOUR, NOW_NS - 2 * HOUR)


def test_invented_names_are_found_in_the_statement():
    """As tokens: neither inside a literal nor as a part of another name."""
    sql = "SELECT totals, subtotals FROM orders WHERE a = 'totals'"
    parts = parts_of(sql, {"orders.totals": "total"}, dialect="postgres")
    assert "".join(part.text for part in parts) == sql
    assert [(part.text, part.suggestion) for part in parts if part.invented] == [
        ("totals", "total")
    ]


def test_endpoints_answer_about_the_workspace_alone(launch):
    """List, one request in full, export in both formats, decisions, saved views."""
    collector = launch(auth__tokens={"alpha": {"read": ["r"], "label": ["l"], "ingest": ["i"]}})
    out, label = {"Authorization": "Bearer r"}, {"Authorization": "Bearer l"}
    formula = "=cmd()"
    send(
        collector,
        records.logs(invented(1, question=formula), asked(2)),
        Authorization="Bearer i",
    )

    def got(path, **headers):
        return httpx.get(collector.admin + path, headers=headers or out)

    since = "since=2026-01-01T00:00:00Z&until=2028-01-01T00:00:00Z"
    wait_until(lambda: got(f"/v1/requests?{since}").json()["count"] == 2)
    [failed] = got(f"/v1/requests?{since}&verdict=failed").json()["requests"]
    full = got(f"/v1/requests/{failed['id']}").json()
    assert full["attempts"][0]["findings"][0]["name"] == "totals"
    assert full["steps"][0]["step"] == "received"
    assert got(f"/v1/requests/{'0' * 32}-{'0' * 16}").status_code == 404
    lines = got(f"/v1/requests/export?{since}").text.splitlines()
    assert {json.loads(line)["verdict"] for line in lines} == {"failed", "ok"}
    rows = list(csv.DictReader(io.StringIO(got(f"/v1/requests/export?{since}&format=csv").text)))
    assert {row["question"] for row in rows} == {f"'{formula}", "What is the total?"}
    view = {"name": "bad", "query": "verdict=failed"}
    saved = httpx.post(f"{collector.admin}/v1/views", json=view, headers=label)
    assert saved.json() == got("/v1/views").json() == {"views": [view]}
    assert got("/v1/requests?since=x").status_code == 400
    decision = {"failure_code": "schema.unknown_column", "name": "totals", "status": "resolved"}
    decision |= {"model": "gpt-4o", "prompt_version": "v1"}
    httpx.post(f"{collector.admin}/v1/failures", json=decision, headers=label)
    [group] = got(f"/v1/failures?{since}").json()["groups"]
    assert (group["status"], group["changed_by"]) == ("resolved", "auth.tokens.alpha.label")
    assert "by <bdi>auth.tokens.alpha.label</bdi>" in got(f"/failures?{since}").text
