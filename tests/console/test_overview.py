"""Rates over time: the same numbers as on `/metrics`, from sums by hour and from the units."""

from __future__ import annotations

from itertools import pairwise

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, select, update

from sqlobs.monitoring.settings import RuleSettings
from sqlobs.semconv.collector import QUALITY_PASS_RATE, SCHEMA_HALLUCINATION_RATE
from sqlobs_collector.notifying.notifier import Notifier
from sqlobs_collector.quality.gauges import QualityGauges
from sqlobs_collector.quality.hourly import add_up_changes
from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.hours import HourReader
from sqlobs_collector.store.incidents import IncidentReader
from sqlobs_collector.store.intake import IntakeReader
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.store.tables import STALE_HOUR, UNIT
from sqlobs_collector.store.writing import Store
from sqlobs_collector.views.overview import RATES, overview, read_query
from tests.collector.test_notifying import NoFlow, watch_of
from tests.console.traffic import MODELS, REQUESTS, send_traffic

NOW_NS = 1_800_000_000 * 10**9
DAY_NS = 24 * HOUR_NS


def row(number: int, at_ns: int, **named) -> dict[str, object]:
    return {
        "workspace": "default",
        "trace_id": f"{number:032x}",
        "span_id": f"{number:016x}",
        "source": "unit",
        "occurred_ns": at_ns,
        "received_ns": at_ns,
        "service_name": "shop",
        "environment": "prod",
        "service_version": None,
        "workflow": "answer",
        "model": None,
        "outcome": "answered",
        "verdict": "ok",
        "first_verdict": "ok",
        "syntactic": True,
        "schematic": True,
        "hallucinated": False,
        "first_hallucinated": False,
        "head_probability": 1.0,
        "probability": 1.0,
        "state": "done",
        "state_ns": at_ns,
        "duration_s": 0.5,
        "cost_usd": 0.25,
        **named,
    }


INVENTED = {"verdict": "failed", "schematic": False, "hallucinated": True}


@pytest.fixture
def engine(tmp_path):
    engine = open_store(tmp_path)
    yield engine
    engine.dispose()


def notifier_on(engine, clock) -> Notifier:
    """A notifier that tells nobody."""
    settings = RuleSettings()
    return Notifier(
        watch_of(engine, settings.objectives),
        IncidentReader(engine),
        settings=settings,
        webhook=None,
        flow=NoFlow(),
        clock_ns=lambda: clock[0],
    )


def put(engine, *rows) -> None:
    with engine.begin() as connection:
        for each in rows:
            connection.execute(insert(UNIT).values(**each))


def shown(engine, notifier=None, **parameters):
    watched = notifier or notifier_on(engine, [NOW_NS])
    return overview(
        HourReader(engine),
        IntakeReader(engine),
        watched,
        "default",
        read_query(parameters, now_ns=NOW_NS),
    )


def test_whole_hours_and_their_ends_add_up(engine):
    """A request at every fortieth minute of three days; windows that begin inside an hour."""
    put(
        engine,
        *(
            row(number, NOW_NS - number * 40 * 60 * 10**9, **(INVENTED if number % 5 == 0 else {}))
            for number in range(1, 110)
        ),
    )
    before = shown(engine, since="30h")
    assert add_up_changes(Store(engine)) > 70
    assert shown(engine, since="30h") == before
    for hours in (1, 5, 7, 30, 47):
        found = shown(engine, since=f"{hours}h")
        expected = [n for n in range(1, 110) if n * 40 <= hours * 60]
        assert found.requests == len(expected) == sum(point.requests for point in found.points)
        rate = found.rates[0]
        assert (rate.name, rate.counted) == (
            "schema_hallucination_rate",
            sum(n % 5 == 0 for n in expected),
        )
        assert found.points[0].at_s <= NOW_NS // 10**9 - hours * 3600
        starts = [point.at_s for point in found.points]
        assert {later - earlier for earlier, later in pairwise(starts)} <= {found.part_s}
        assert sum(point.cost_usd or 0 for point in found.points) == 0.25 * len(expected)


def test_what_changes_later_is_added_up_again(engine):
    """A verdict that comes late, a unit that expires, one that a replay brought."""
    old_ns = NOW_NS - 10 * HOUR_NS
    put(engine, row(1, old_ns), row(2, old_ns), row(3, old_ns, provenance="replay"))
    store = Store(engine)
    assert add_up_changes(store) == 1
    assert shown(engine, since="24h").requests == 2
    with engine.begin() as connection:
        connection.execute(update(UNIT).where(UNIT.c.id == 1).values(**INVENTED))
    add_up_changes(store)
    assert shown(engine, since="24h").rates[0].counted == 1
    with engine.begin() as connection:
        connection.execute(delete(UNIT).where(UNIT.c.id == 1))
    add_up_changes(store)
    found = shown(engine, since="24h")
    assert (found.requests, found.rates[0].counted) == (1, 0)
    with engine.begin() as connection:
        connection.execute(update(UNIT).values(state="held"))
        assert connection.execute(select(STALE_HOUR)).all() == []


@pytest.mark.slow
@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 6 * DAY_NS),
            st.sampled_from(["ok", "failed", "not_evaluated"]),
            st.sampled_from([0.1, 0.5, 1.0, None]),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_rates_are_those_of_the_gauges(engine, drawn):
    """Same numbers as `/metrics`: whatever the verdicts and the sampling."""
    with engine.begin() as connection:
        connection.execute(delete(UNIT))
    put(
        engine,
        *(
            row(
                number,
                NOW_NS - ago_ns,
                verdict=verdict,
                first_verdict=verdict,
                syntactic=None if verdict == "not_evaluated" else True,
                schematic=None if verdict == "not_evaluated" else verdict == "ok",
                hallucinated=None if verdict == "not_evaluated" else verdict == "failed",
                head_probability=probability,
            )
            for number, (ago_ns, verdict, probability) in enumerate(drawn)
        ),
    )
    add_up_changes(Store(engine))
    gauges = QualityGauges(QualityReader(engine), clock_ns=lambda: NOW_NS)
    gauges.refresh()
    shares = {
        (
            sample.name,
            sample.labels["window"],
            sample.labels.get("evaluation"),
            sample.labels["stat"],
        ): sample.value
        for family in gauges.collect()
        for sample in family.samples
        if "stat" in sample.labels
    }
    for window in ("1h", "24h", "7d"):
        rates = {rate.name: rate for rate in shown(engine, since=window).rates}
        for name, evaluation in (
            (SCHEMA_HALLUCINATION_RATE.name, None),
            (QUALITY_PASS_RATE.name, "sql_correctness"),
        ):
            rate = rates["schema_hallucination_rate" if evaluation is None else evaluation]
            stat = "weighted" if (name, window, evaluation, "weighted") in shares else "raw"
            expected = shares.get((name, window, evaluation, stat))
            assert rate.value == (None if expected is None else pytest.approx(expected))
            lower = shares.get((name, window, evaluation, "weighted_lower"))
            assert rate.low == (None if lower is None else pytest.approx(lower))


def test_groups_deploys_and_durations(engine):
    """By model, the larger first; a version is marked by its first request."""
    put(
        engine,
        *(row(n, NOW_NS - n * HOUR_NS, model="a", service_version="1.0") for n in range(26, 30)),
        *(row(n, NOW_NS - n * HOUR_NS, model="a", service_version="2.0") for n in range(1, 4)),
        row(40, NOW_NS - HOUR_NS, model="b", duration_s=9.0, service_version="2.0", **INVENTED),
    )
    add_up_changes(Store(engine))
    found = shown(engine, since="24h", by="model")
    assert [(group.value, group.requests, group.rate.value) for group in found.groups] == [
        ("a", 3, 0.0),
        ("b", 1, 1.0),
    ]
    assert 0.32 < found.groups[0].p50_s <= 0.64
    assert 5.12 < found.groups[1].p95_s <= 10.24
    assert [(one.version, one.at_s) for one in found.deploys] == [
        ("2.0", NOW_NS // 10**9 - 3 * 3600)
    ]
    only = shown(engine, since="24h", model="b")
    assert (only.requests, only.filter) == (1, ("model", "b"))


def test_objectives_are_exceeded_met_or_undecided(engine):
    """Exceeded where an alert fires, by its own conditions."""
    put(
        engine,
        *(row(n, NOW_NS - n * 10**9, **(INVENTED if n % 3 == 0 else {})) for n in range(1, 61)),
        *(row(n, NOW_NS - n * 10**9, workflow="few") for n in range(100, 103)),
    )
    add_up_changes(Store(engine))
    clock = [NOW_NS]
    notifier = notifier_on(engine, clock)
    for clock[0] in range(NOW_NS, NOW_NS + 300 * 10**9, 30 * 10**9):
        notifier.evaluate()
    found = shown(engine, notifier, since="1h")
    states = {(one.workflow, one.objective): one.state for one in found.objectives}
    fired = {(one.alert, one.severity, one.labels["sqlobs_workflow"]) for one in found.alerts}
    assert ("SqlobsSchemaHallucination", "page", "answer") in fired
    assert {workflow for _, _, workflow in fired} == {"answer"}
    assert states["answer", "schema_hallucination"] == "exceeded"
    assert states["few", "schema_hallucination"] == "undecided"


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"since": "yesterday"}, "since"),
        ({"since": "2027-01-15T08:00:00Z", "until": "2027-01-15T07:00:00Z"}, "since"),
        ({"rate": "happiness"}, "rate must be one of schema_hallucination_rate"),
        ({"by": "payload"}, "by must be one of workflow"),
        ({"by": "model", "tenant": "x"}, "one property at a time"),
    ],
)
def test_a_wrong_parameter_is_one_sentence(collector, parameters, named):
    """For programs and on the page."""
    answer = httpx.get(
        f"{collector.admin}/v1/overview", params=parameters, headers=collector.bearer
    )
    assert answer.status_code == 400
    assert named in answer.json()["error"]


def test_the_page_shows_what_the_endpoint_returns(collector):
    """Every rate and every group, rendered from the same model."""
    send_traffic(collector)
    answer = httpx.get(f"{collector.admin}/v1/overview?since=1h&by=model", headers=collector.bearer)
    found = answer.json()
    assert found["requests"] == REQUESTS
    assert {group["value"] for group in found["groups"]} == set(MODELS)
    page = httpx.get(f"{collector.admin}/?since=1h&by=model", headers=collector.bearer).text
    assert [rate["name"] for rate in found["rates"]] == list(RATES)
    for rate in found["rates"]:
        assert f"{100 * rate['value']:.1f} %" in page
        assert f"{rate['counted']:,} of {rate['requests']:,}" in page
