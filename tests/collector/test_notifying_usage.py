"""Latency, traffic, cost and unsafe statements, as the notifier sees them in the store."""

from __future__ import annotations

from datetime import UTC, datetime, time

import pytest
from sqlalchemy import insert

from sqlobs.monitoring.objectives import DAYS, Objectives, Schedule, WorkflowObjectives
from sqlobs_collector.notifying.usage import UsageWatch
from sqlobs_collector.store.tables import FAILURE, UNIT
from sqlobs_collector.store.usage import UsageReader

NOW_NS = 1_795_000_000 * 10**9
MINUTE_NS = 60 * 10**9
HOUR_NS = 60 * MINUTE_NS
DAY_NS = 24 * HOUR_NS
PLACE = {
    "service_name": "shop",
    "deployment_environment_name": "",
    "sqlobs_workflow": "answer",
}


class Requests:
    """Rows of the store, each ten seconds after the one before."""

    def __init__(self, engine):
        self._engine = engine
        self._count = 0

    def put(self, since_ns, count, **values):
        rows = []
        for number in range(count):
            self._count += 1
            rows.append(
                {
                    "workspace": "default",
                    "trace_id": f"{self._count:032x}",
                    "span_id": f"{self._count:016x}",
                    "source": "unit",
                    "occurred_ns": since_ns + number * 10 * 10**9,
                    "received_ns": since_ns,
                    "service_name": "shop",
                    "environment": "",
                    "workflow": "answer",
                    "state": "done",
                    "state_ns": since_ns,
                    **values,
                }
            )
        with self._engine.begin() as connection:
            connection.execute(insert(UNIT), rows)


def alarms(engine, *, objectives=None, now_ns=NOW_NS, started_ns=0):
    watch = UsageWatch(UsageReader(engine), objectives or Objectives(), started_ns=started_ns)
    return [(one.alert, one.labels, one.value) for one in watch.alarms(now_ns)]


def test_requests_that_take_ten_times_as_long_are_slow(engine):
    """Compared with the median p95 of the day before; a usual day is silent."""
    requests = Requests(engine)
    for hour in range(2, 24):
        requests.put(NOW_NS - hour * HOUR_NS, 60, duration_s=0.5)
    assert alarms(engine) == []
    requests.put(NOW_NS - 9 * MINUTE_NS, 40, duration_s=5.0)
    assert alarms(engine) == [("SqlobsLatency", PLACE, 5.0)]


def test_the_usual_latency_reads_each_ten_minutes_once(engine):
    """A watch that goes on knows what a new one does."""
    requests, reader, periods = Requests(engine), UsageReader(engine), []

    class Counted(UsageReader):
        def quantiles(self, since_ns, until_ns, **named):
            periods.append((until_ns - since_ns) // MINUTE_NS)
            return reader.quantiles(since_ns, until_ns, **named)

    watch = UsageWatch(Counted(engine), Objectives(), started_ns=0)
    for hour in range(26):
        requests.put(NOW_NS - hour * HOUR_NS, 60, duration_s=0.5 + hour / 10)
    for minutes in (0, 5, 10, 15, 90):
        now_ns = NOW_NS + minutes * MINUTE_NS
        assert watch._usually(now_ns) == UsageWatch(reader, Objectives(), started_ns=0)._usually(
            now_ns
        )
    assert periods == [24 * 60, 10, 10, 70]


def test_a_few_slow_requests_are_no_alert(engine):
    """A tenth of them: the p95 is far above the usual, a fifth is not."""
    requests = Requests(engine)
    for hour in range(2, 24):
        requests.put(NOW_NS - hour * HOUR_NS, 60, duration_s=0.5)
    requests.put(NOW_NS - 9 * MINUTE_NS, 36, duration_s=0.4)
    requests.put(NOW_NS - 9 * MINUTE_NS, 4, duration_s=50.0)
    assert alarms(engine) == []


def test_a_workflow_has_its_own_limit_of_latency(engine):
    """Whatever was usual."""
    Requests(engine).put(NOW_NS - 9 * MINUTE_NS, 40, duration_s=5.0)
    assert alarms(engine) == []
    own = WorkflowObjectives(workflow="answer", latency_p95_s=4)
    assert alarms(engine, objectives=Objectives(workflows=(own,))) == [
        ("SqlobsLatency", PLACE, 5.0)
    ]


def test_silence_where_there_was_traffic_at_the_same_time_is_an_alert(engine):
    """Yesterday, an hour earlier and later, and a week ago; not right after the collector starts."""
    requests = Requests(engine)
    for ago_ns in (DAY_NS, DAY_NS - HOUR_NS, DAY_NS + HOUR_NS, 7 * DAY_NS):
        requests.put(NOW_NS - ago_ns - 10 * MINUTE_NS, 60)
    assert alarms(engine) == [("SqlobsNoTraffic", PLACE, 0)]
    assert alarms(engine, started_ns=NOW_NS - 5 * MINUTE_NS) == []
    requests.put(NOW_NS - 5 * MINUTE_NS, 1)
    assert alarms(engine) == []


def test_a_nightly_batch_is_no_silence(engine):
    """Traffic at this time yesterday alone is not enough."""
    requests = Requests(engine)
    for ago_ns in (DAY_NS, 7 * DAY_NS):
        requests.put(NOW_NS - ago_ns - 10 * MINUTE_NS, 60)
    assert alarms(engine) == []


def test_a_schedule_decides_alone(engine):
    """Inside it silence is an alert, outside it is not."""
    requests = Requests(engine)
    requests.put(NOW_NS - 3 * DAY_NS, 1)
    now = datetime.fromtimestamp(NOW_NS / 10**9, UTC)
    inside = Schedule(start=time(now.hour - 1), end=time(now.hour + 1))
    others = tuple(day for day in DAYS if day != DAYS[now.weekday()])
    outside = Schedule(days=others, start=time(now.hour - 1), end=time(now.hour + 1))

    def found(schedule):
        own = WorkflowObjectives(workflow="answer", schedule=schedule)
        return alarms(engine, objectives=Objectives(workflows=(own,)))

    assert found(inside) == [("SqlobsNoTraffic", PLACE, 0)]
    assert found(outside) == []


def test_three_times_the_usual_cost_is_an_alert(engine):
    """And above 1 USD an hour; a limit a day stands instead of it."""
    requests = Requests(engine)
    for hour in range(1, 26):
        requests.put(NOW_NS - hour * HOUR_NS, 10, cost_usd=0.05)
    assert alarms(engine) == []
    requests.put(NOW_NS - HOUR_NS // 2, 50, cost_usd=0.05)
    ((alert, labels, value),) = alarms(engine)
    assert (alert, labels) == ("SqlobsCost", PLACE)
    assert value == pytest.approx(14.5)
    assert alarms(engine, objectives=Objectives(cost_usd_per_day=20)) == []
    assert [each[0] for each in alarms(engine, objectives=Objectives(cost_usd_per_day=14))] == [
        "SqlobsCost"
    ]


def test_one_unsafe_statement_is_an_alert(engine):
    """Of the last hour."""
    Requests(engine).put(NOW_NS - MINUTE_NS, 1)
    known = dict.fromkeys(("name", "kind", "model", "prompt_version", "tenant"), "")
    with engine.begin() as connection:
        connection.execute(
            insert(FAILURE),
            {
                "unit_id": 1,
                "number": 0,
                "workspace": "default",
                "failure_code": "safety.unsafe_statement",
                "occurred_ns": NOW_NS - MINUTE_NS,
                "workflow": "answer",
                "service_version": "",
                "environment": "",
                "service_name": "shop",
                **known,
            },
        )
    assert alarms(engine) == [("SqlobsUnsafeStatements", PLACE, 1)]
    assert alarms(engine, now_ns=NOW_NS + 2 * HOUR_NS) == []
