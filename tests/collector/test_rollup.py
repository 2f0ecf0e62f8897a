"""Sums equal what they are sums of: whatever was stored, changed and deleted, and whenever."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, func, insert, select, update

from sqlobs_collector.origin import Origin
from sqlobs_collector.quality.figures import Tally, tally_of
from sqlobs_collector.quality.hourly import add_up_changes
from sqlobs_collector.store.failures import FailureReader
from sqlobs_collector.store.hours import HourReader, Span, requests_of
from sqlobs_collector.store.portable import upsert
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.quality_sums import Who
from sqlobs_collector.store.requests import RequestReader
from sqlobs_collector.store.rollup import HOUR_NS, MINUTE_NS, MINUTES, pieces
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import (
    DETAILED_HOUR,
    EVALUATION,
    EVALUATION_ROLLUP,
    MINUTE_ROLLUP,
    ROLLUP,
    STALE_HOUR,
    STALE_MINUTE,
    UNIT,
)
from sqlobs_collector.store.writing import Store
from tests.collector.stores import on_both

store_kind = on_both(pytest.mark.slow)
NOW_NS = 1_800_000_000 * 10**9
WHO = Who(Origin("", "", ""), "")
OPTIONS = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
UNITS = st.fixed_dictionaries(
    {
        "workspace": st.sampled_from(["alpha", "alpha", "beta"]),
        "occurred_ns": st.integers(NOW_NS - 80 * HOUR_NS, NOW_NS),
        "model": st.sampled_from([None, "m1", "m2"]),
        "prompt_version": st.sampled_from([None, "v1"]),
        "tenant": st.sampled_from([None, "acme", "umbrella"]),
        "service_version": st.sampled_from([None, "1.0", "2.0"]),
        "outcome": st.sampled_from([None, "answered", "error", "abstained"]),
        "verdict": st.sampled_from([None, "ok", "failed", "not_evaluated"]),
        "failure_code": st.sampled_from([None, "schema.unknown_column"]),
        "hallucinated": st.sampled_from([None, True, False]),
        "head_probability": st.sampled_from([None, 1.0, 0.25]),
        "provenance": st.sampled_from(["live", "live", "replay"]),
        "duration_s": st.sampled_from([None, 0.01, 0.5, 300.0]),
        "cost_usd": st.sampled_from([None, 0.25]),
    }
)
EVALUATIONS = st.tuples(
    st.sampled_from(["ex", "flex_noref", "feedback", "schema_hallucination"]),
    st.sampled_from(["1", "2"]),
    st.sampled_from(["pass", "fail", "not_evaluated"]),
    st.sampled_from(["llm", "human"]),
)
CHANGES = st.lists(
    st.tuples(st.sampled_from(["verdict", "delete", "move", "evaluate"]), st.integers(1, 12)),
    max_size=6,
)
FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "model": st.sampled_from(["", "m1"]),
        "tenant": st.sampled_from(["", "acme"]),
        "verdict": st.sampled_from(["failed", "ok"]),
        "failure_code": st.just("schema.unknown_column"),
    },
)


PARTS_NS = (MINUTES * MINUTE_NS, HOUR_NS, 24 * HOUR_NS)


def put(engine, units, evaluations) -> None:
    with engine.begin() as connection:
        connection.execute(delete(UNIT))
        for number, named in enumerate(units, start=1):
            row = {
                "id": number,
                "trace_id": f"{number:032x}",
                "span_id": f"{number:016x}",
                "source": "unit",
                "received_ns": named["occurred_ns"],
                "service_name": "shop",
                "environment": "prod",
                "workflow": "answer",
                "probability": 0.5,
                "state": "done",
                "state_ns": named["occurred_ns"],
                **named,
            }
            connection.execute(insert(UNIT).values(row))
        for number, evaluation in enumerate(evaluations):
            evaluate(connection, number % len(units) + 1, evaluation)


def evaluate(connection, unit_id, evaluation) -> None:
    metric, version, label, kind = evaluation
    known = {"unit_id": unit_id, "metric": metric, "version": version}
    connection.execute(
        delete(EVALUATION).where(*(EVALUATION.c[name] == text for name, text in known.items()))
    )
    connection.execute(
        insert(EVALUATION).values(
            **known, label=label, kind=kind, value=0.5, created_ns=NOW_NS + len(version)
        )
    )


def change(engine, changes) -> None:
    for kind, number in changes:
        with engine.begin() as connection:
            is_it = UNIT.c.id == number
            if kind == "verdict":
                connection.execute(update(UNIT).where(is_it).values(verdict="failed"))
            elif kind == "delete":
                connection.execute(delete(UNIT).where(is_it))
            elif kind == "move":
                connection.execute(update(UNIT).where(is_it).values(occurred_ns=NOW_NS - 1))
            elif connection.execute(select(UNIT.c.id).where(is_it)).all():
                evaluate(connection, number, ("ex", "1", "fail", "engine"))


def figures(engine, chosen):
    """Everything that pages read of a selection."""
    quality, verdicts, evaluated = QualityReader(engine), Counter(), {}
    for one in quality.chosen_units(chosen, who=WHO):
        key = (one.outcome, one.verdict, one.failure_code, one.hallucinated)
        verdicts[key] += one.count
        verdicts[*key, "weight"] += one.weight or 0
        verdicts[*key, "squared"] += one.weight_squared or 0
    for one in quality.chosen_evaluations(chosen, who=WHO):
        evaluated.setdefault(one.evaluation, Tally()).join(tally_of(one))
    return (
        dict(verdicts),
        evaluated,
        *gauged(engine, chosen.since_ns),
        FailureReader(engine).answers(chosen),
        RequestReader(engine).count(chosen).count,
    )


def gauged(engine, since_ns):
    """Everything that gauges read, of all workspaces."""
    reader = QualityReader(engine)
    return (
        sorted(reader.units(since_ns=since_ns), key=str),
        sorted(reader.evaluations(since_ns=since_ns), key=str),
    )


def span_of(dimension, equal, part_ns) -> Span:
    return Span(
        workspace="alpha",
        since_ns=NOW_NS - 70 * HOUR_NS,
        until_ns=NOW_NS,
        part_ns=part_ns,
        dimension=dimension,
        equal=equal,
    )


def series(engine, dimension, equal, part_ns):
    found = {}
    for cell in HourReader(engine).cells(span_of(dimension, equal, part_ns)):
        count(found, cell, part=cell.part, value=cell.value)
    return found


def count(found, cell, **place) -> None:
    key = (*place.values(), cell.counts.verdict)
    known = [cell.counts.count, cell.counts.weight or 0, cell.cost_usd or 0, *cell.took]
    found[key] = [a + b for a, b in zip(found.get(key, [0] * 18), known, strict=True)]


def check_comparison(engine, span, drawn) -> None:
    """What a comparison returns is what its values and all requests are by themselves."""
    compared = HourReader(engine).compared(span, groups=2, series=1)
    whole, expected = {}, {}
    for cell in compared.cells:
        count(whole, cell, part=cell.part)
    for cell in HourReader(engine).cells(replace(span, dimension="")):
        count(expected, cell, part=cell.part)
    assert whole == expected
    requests = Counter()
    for (_, value, _), known in drawn.items():
        requests[value] += known[0]
    largest = sorted(requests, key=lambda value: (-requests[value], value))[:2]
    assert {value: requests_of(cells) for value, cells in compared.groups.items()} == {
        value: requests[value] for value in largest
    }
    found = {}
    for value, cells in compared.series.items():
        for cell in cells:
            count(found, cell, part=cell.part, value=value)
    assert found == {key: known for key, known in drawn.items() if key[1] in largest[:1]}


def first_ones(engine, since_ns):
    """The first request of each version, by looking at every one."""
    version = UNIT.c.service_version
    query = select(version, func.min(UNIT.c.occurred_ns)).where(
        UNIT.c.workspace == "alpha", UNIT.c.provenance == "live", UNIT.c.occurred_ns < NOW_NS
    )
    with engine.connect() as connection:
        rows = connection.execute(query.where(version.is_not(None)).group_by(version)).all()
    return {name: at_ns for name, at_ns in rows if at_ns >= since_ns}


@OPTIONS
@given(
    st.lists(UNITS, min_size=1, max_size=12),
    st.lists(EVALUATIONS, max_size=12),
    CHANGES,
    FILTERS,
    st.integers(0, 79),
    st.booleans(),
)
def test_sums_equal_the_requests(engine, units, evaluations, changes, equal, hours, is_added_up):
    """Rates, weights, evaluations, answers and counts: from sums, from stale ones, from neither."""
    put(engine, units, evaluations)
    since_ns = NOW_NS - hours * HOUR_NS - 1234
    chosen = RequestFilter(workspace="alpha", since_ns=since_ns, until_ns=NOW_NS, equal=equal)
    add_up_changes(Store(engine))
    change(engine, changes)
    if is_added_up:
        add_up_changes(Store(engine))
    found = figures(engine, chosen)
    drawn = [
        series(engine, dimension, None, part_ns)
        for dimension in ("", "model", "tenant")
        for part_ns in PARTS_NS
    ]
    for number, dimension in enumerate(("model", "tenant"), start=1):
        check_comparison(engine, span_of(dimension, None, HOUR_NS), drawn[3 * number + 1])
    seen = HourReader(engine).first_seen("alpha", since_ns=since_ns, until_ns=NOW_NS)
    assert seen == first_ones(engine, since_ns)
    with engine.begin() as connection:  # now every hour is counted
        connection.execute(delete(ROLLUP))
        connection.execute(delete(MINUTE_ROLLUP))
        connection.execute(delete(DETAILED_HOUR))
        connection.execute(
            upsert(STALE_HOUR).on_conflict_do_nothing(),
            [
                {"workspace": workspace, "hour": NOW_NS // HOUR_NS - number}
                for number in range(100)
                for workspace in ("alpha", "beta")
            ],
        )
    assert found == figures(engine, chosen)
    assert drawn == [
        series(engine, dimension, None, part_ns)
        for dimension in ("", "model", "tenant")
        for part_ns in PARTS_NS
    ]


def test_gauges_of_a_week_read_sums(engine):
    """A request whose hour is added up is looked at no more."""
    units = [
        {"workspace": workspace, "occurred_ns": NOW_NS - days * 24 * HOUR_NS, "verdict": "ok"}
        for workspace in ("alpha", "beta")
        for days in (1, 2, 3)
    ]
    put(engine, units, [("ex", "1", "pass", "engine")] * len(units))
    add_up_changes(Store(engine))
    with engine.begin() as connection:
        connection.execute(update(ROLLUP).values(requests=10 * ROLLUP.c.requests))
        connection.execute(update(EVALUATION_ROLLUP).values(count=10 * EVALUATION_ROLLUP.c.count))
    units, evaluations = gauged(engine, NOW_NS - 7 * 24 * HOUR_NS)
    for found in (units, evaluations):
        assert [(one.who.origin.workspace, one.count) for one in found] == [
            ("alpha", 30),
            ("beta", 30),
        ]
    assert [one.last_ns for one in units] == [NOW_NS - 24 * HOUR_NS] * 2
    assert gauged(engine, NOW_NS)[0] == []


@given(
    st.integers(0, 400 * HOUR_NS),
    st.integers(1, 400 * HOUR_NS),
    st.sets(st.integers(0, 800), max_size=20),
)
@OPTIONS
def test_pieces_hold_each_moment_once(engine, since_ns, length_ns, stale):
    """Whole periods are read from sums, stale hours never."""
    chosen = RequestFilter(workspace="alpha", since_ns=since_ns, until_ns=since_ns + length_ns)
    with engine.connect() as connection:
        connection.execute(
            upsert(STALE_HOUR).on_conflict_do_nothing(),
            [{"workspace": "alpha", "hour": hour} for hour in {900, *stale}],
        )
        found = list(pieces(connection, chosen))
    place_ns = since_ns
    for start_ns, end_ns, table in sorted(
        (*period_ns, piece.table.name) for piece in found for period_ns in piece.periods_ns
    ):
        assert start_ns == place_ns
        assert end_ns > place_ns
        place_ns = end_ns
        if table == ROLLUP.name:
            assert not stale & set(range(start_ns // HOUR_NS, end_ns // HOUR_NS))
    assert place_ns == chosen.until_ns


def test_late_changes_count_five_minutes_and_no_more(engine):
    """The hour of a late verdict is read from its sums by five minutes, but for those that changed."""
    hour_ns = NOW_NS // HOUR_NS * HOUR_NS
    units = [
        {"workspace": "alpha", "occurred_ns": hour_ns + minute * MINUTE_NS, "verdict": "ok"}
        for minute in range(60)
    ]
    put(engine, units, [])
    add_up_changes(Store(engine))
    change(engine, [("verdict", 18)])
    cut_ns = 90 * 10**9
    chosen = RequestFilter(
        workspace="alpha", since_ns=hour_ns - HOUR_NS + cut_ns, until_ns=hour_ns + HOUR_NS + cut_ns
    )
    with engine.connect() as connection:
        found = list(pieces(connection, chosen))
        assert connection.execute(select(STALE_MINUTE.c.minute)).scalars().all() == [
            hour_ns // MINUTE_NS + 15
        ]
    counted = [period for piece in found if piece.table is UNIT for period in piece.periods_ns]
    assert (hour_ns + 15 * MINUTE_NS, hour_ns + 20 * MINUTE_NS) in counted
    assert all(end_ns <= hour_ns or since_ns >= hour_ns + HOUR_NS for since_ns, end_ns in counted
               if since_ns != hour_ns + 15 * MINUTE_NS)  # fmt: skip
    assert RequestReader(engine).count(chosen.within(verdict="failed")).count == 1
    add_up_changes(Store(engine))
    with engine.connect() as connection:
        assert connection.execute(select(STALE_MINUTE)).all() == []
    assert RequestReader(engine).count(chosen.within(verdict="failed")).count == 1


def test_any_number_of_hours_may_have_changed(engine):
    """SQLite takes no more than 500 parts of a statement, which was one for each changed hour."""
    hours = [NOW_NS // HOUR_NS - 2 * number for number in range(600)]
    units = [{"workspace": "alpha", "occurred_ns": hour * HOUR_NS} for hour in hours[1:13]]
    put(engine, units, [])
    add_up_changes(Store(engine))
    with engine.begin() as connection:
        connection.execute(
            upsert(STALE_HOUR).on_conflict_do_nothing(),
            [{"workspace": "alpha", "hour": hour} for hour in hours],
        )
    span = replace(span_of("", None, HOUR_NS), since_ns=(hours[-1] - 1) * HOUR_NS)
    assert requests_of(HourReader(engine).cells(span)) == len(units)


def test_sums_by_five_minutes_are_those_of_the_last_days(engine):
    """Older ones are deleted, and not made where an old hour changes."""
    put(engine, [{"workspace": "alpha", "occurred_ns": NOW_NS, "verdict": "ok"}], [])
    add_up_changes(Store(engine))
    with Store(engine).writing() as writer:
        writer.rollup.forget_details(NOW_NS // HOUR_NS + 1)
    change(engine, [("verdict", 1)])
    with Store(engine).writing() as writer:
        writer.rollup.add_up("alpha", NOW_NS // HOUR_NS)
    with engine.connect() as connection:
        for table in (DETAILED_HOUR, MINUTE_ROLLUP, STALE_MINUTE, STALE_HOUR):
            assert connection.execute(select(table)).all() == []


def test_retention_takes_requests_out_of_the_sums(engine):
    """Expired texts stay counted; expired requests do not."""
    unit = {"workspace": "alpha", "occurred_ns": NOW_NS - 30 * HOUR_NS, "verdict": "failed"}
    unit["payload"] = b"texts"
    put(engine, [unit, unit], [])
    chosen = RequestFilter(workspace="alpha", since_ns=0, until_ns=NOW_NS)
    store = Store(engine)
    add_up_changes(store)
    with store.writing() as writer:
        assert writer.expiry.payloads(sampled_out_ns=NOW_NS, any_ns=NOW_NS, limit=10) == 2
    assert RequestReader(engine).count(chosen).count == 2
    with engine.begin() as connection:
        assert connection.execute(select(STALE_HOUR)).all() == []
        connection.execute(delete(UNIT).where(UNIT.c.id == 1))
        connection.execute(update(UNIT).values(state="held"))  # touches no sum
    for _ in range(2):
        assert RequestReader(engine).count(replace(chosen, equal={"verdict": "failed"})).count == 1
        add_up_changes(store)
