"""Processes on one store whose clocks are ten minutes ahead and behind (libfaketime).

`pytest -m slow -s tests/collector/test_clocks.py`.
"""

from __future__ import annotations

import random
import time
from contextlib import ExitStack
from email.utils import parsedate_to_datetime
from pathlib import Path

import httpx
import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from sqlobs_collector.quotas import REFRESH_S
from sqlobs_collector.store.rollup import MINUTE_NS
from tests.collector import records
from tests.collector.running import PATIENCE_S, wait_until
from tests.collector.test_crash import Sender
from tests.collector.test_kills import Process, is_there
from tests.collector.test_units import unit
from tests.servers import free_port

FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
ROLES = (*["receive"] * 2, *["evaluate"] * 2, *["singleton"] * 2)
CLOCKS = ("+10m", "-10m")
LASTS_S = 20.0
QUOTA = 40
BUSY = "SELECT count(*) FROM unit WHERE state IN ('queued', 'running', 'held')"
GOES_ON = """
SELECT source, trace_id FROM unit WHERE (source = 'span' AND state <> 'held') OR attempts > 1
"""
ASKED = {"body": {"sqlobs.query.text": "SELECT 1"}, "sqlobs__query__capture": "raw"}
LEASE = "SELECT owner, token FROM lease WHERE duty = 'singleton'"


def process(
    directory: Path, url: str, shop: Path, number: int, *, clock: str = "", **settings: object
) -> Process:
    """A process of one role, every other one ahead if no clock is given."""
    role, home = ROLES[number], directory / f"{number}-{ROLES[number]}"
    return Process(
        home,
        {
            "roles": [role],
            "data_dir": str(home / "data"),
            "listen": {name: f"127.0.0.1:{free_port()}" for name in ("http", "grpc", "admin")},
            "store": {"url": url},
            "golden": {"digest_key": "the same everywhere"},
            "targets": {
                "shop": {"url": f"sqlite:///{shop}", "default": True},
                "gone": {"url": f"postgresql://nobody@127.0.0.1:{free_port()}/none"},
            },
            "evaluate": {"workers": 1},
            **settings,
        },
        environment={
            "LD_PRELOAD": str(FAKETIME[-1]),
            "FAKETIME": clock or CLOCKS[number % 2],
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        },
    )


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(300)
@pytest.mark.skipif(not FAKETIME, reason="faketime is NOT INSTALLED (scripts/install-servers)")
def test_clocks_20_minutes_apart_lose_double_and_hold_up_nothing(databases, tmp_path, shop):
    """Leases and heartbeats are by the database's clock; a killed process's units are taken over."""
    kind = databases.migrated()
    moments = random.Random(24)
    with ExitStack() as stack, psycopg.connect(kind.url, autocommit=True) as connection:

        def query(statement: str) -> list[tuple]:
            return connection.execute(statement).fetchall()

        processes = [process(tmp_path, kind.url, shop, number) for number in range(len(ROLES))]
        for one in processes:
            one.launch()
            stack.callback(lambda one=one: one.running.poll() is None and one.kill())
        urls = [one.http for one in processes[:2]]
        for url in urls:
            wait_until(lambda url=url: is_there(url), within_s=60)
        [owner] = wait_until(lambda: query(LEASE), within_s=60)
        sender = Sender(*urls, first=0, pause_s=0.3)
        sender.thread.start()
        try:
            for killed in processes[2:4]:
                time.sleep(moments.uniform(0.3, 0.5) * LASTS_S)
                killed.kill()
                killed.launch()
            assert query(LEASE) == [owner]  # neither clock ends the lease of the other process
        finally:
            sender.is_done.set()
            sender.thread.join()
        stored = "SELECT trace_id FROM unit"
        wait_until(lambda: len(query(stored)) == len(sender.acknowledged), within_s=60)
        wait_until(lambda: query(BUSY) == [(0,)], within_s=90)
        assert len(set(query(stored))) == len(sender.acknowledged)
        assert query("SELECT state, max(attempts) <= 2 FROM unit GROUP BY state") == [
            ("done", True)
        ]
        assert apart_s(processes[:2]) > 19 * 60
        spread = query("SELECT (max(received_ns) - min(received_ns)) / 1000000000 FROM unit")
        assert spread < [(300,)]  # the time of the trial
        assert query(LEASE) == [owner]
        assert not any("Traceback" in one.log for one in processes)
    print(  # noqa: T201 - the figures
        f"{len(sender.acknowledged)} units within {spread[0][0]} s by receivers 20 minutes apart, all"
        " done once"
    )


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(300)
@pytest.mark.skipif(not FAKETIME, reason="faketime is NOT INSTALLED (scripts/install-servers)")
def test_a_delay_lasts_as_long_whichever_process_began_it(databases, tmp_path, shop):
    """The wait for a span's unit, and the first one of a unit whose target is unreachable."""
    kind = databases.migrated()
    with ExitStack() as stack, psycopg.connect(kind.url, autocommit=True) as connection:
        processes = [process(tmp_path, kind.url, shop, number) for number in range(len(ROLES))]
        for one in processes:
            one.launch()
            stack.callback(lambda one=one: one.running.poll() is None and one.kill())
        for number, receiver in enumerate(processes[:2]):
            wait_until(lambda url=receiver.http: is_there(url), within_s=60)
            span = records.spans(records.generation_span(1 + number))
            failing = records.logs(unit(11 + number, sqlobs__target__name="gone", **ASKED))
            for path, request in (("traces", span), ("logs", failing)):
                post(f"{receiver.http}/v1/{path}", request)
        began_s, found = time.monotonic(), {}
        while time.monotonic() < began_s + 100 and len(found) < 4:
            for source, trace_id in connection.execute(GOES_ON).fetchall():
                found.setdefault((source, trace_id), time.monotonic() - began_s)
            time.sleep(0.5)
    print(sorted(found.items()))  # noqa: T201 - the figures
    least_s = {"span": 50, "unit": 25}
    assert len(found) == 4
    assert all(least_s[source] <= after_s < 90 for (source, _), after_s in found.items())


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(300)
@pytest.mark.skipif(not FAKETIME, reason="faketime is NOT INSTALLED (scripts/install-servers)")
def test_hours_quotas_and_retention_are_by_the_time_of_the_database(databases, tmp_path, shop):
    """The clocks of the processes are in the hours before and after."""
    while time.time_ns() // MINUTE_NS % 60 > 54:
        time.sleep(1)  # the hour of the database stays the same
    hour, minutes = divmod(time.time_ns() // MINUTE_NS, 60)
    clocks = (f"+{60 - minutes + 10}m", f"-{minutes + 10}m")
    kind = databases.migrated()
    settings = {"quotas": {"default": {"requests_per_hour": QUOTA}}, "retention": {"unit_s": 600}}
    with ExitStack() as stack, psycopg.connect(kind.url, autocommit=True) as connection:
        processes = [
            process(tmp_path, kind.url, shop, number, clock=clocks[number % 2], **settings)
            for number in (0, 1, 4, 5)
        ]
        for one in processes:
            one.launch()
            stack.callback(lambda one=one: one.running.poll() is None and one.kill())
        for receiver in processes[:2]:
            wait_until(lambda url=receiver.http: is_there(url), within_s=60)
        for turn, first in enumerate(range(0, 4 * QUOTA, QUOTA // 2)):
            sent = (unit(1 + first + number, at_ns=time.time_ns()) for number in range(QUOTA // 2))
            post(f"{processes[turn % 2].http}/v1/logs", records.logs(*sent))
            total = first + QUOTA // 2
            wait_until(lambda total=total: counted_requests(connection) == total, within_s=60)
            time.sleep(REFRESH_S)
        counted = connection.execute("SELECT hour, accepted, refused FROM intake").fetchall()
        [(stored,)] = connection.execute("SELECT count(*) FROM unit").fetchall()
        print(hour, counted, stored)  # noqa: T201 - the figures
        [(known_hour, accepted, refused)] = counted
        assert known_hour == hour
        assert stored == accepted <= 2 * QUOTA  # what two receivers admit within one refresh
        assert accepted + refused == 4 * QUOTA
        wait_until(lambda: shown(processes[2:]) == stored, within_s=60)


def counted_requests(connection: psycopg.Connection) -> int:
    """Accepted and refused, as all receivers have stored."""
    [(found,)] = connection.execute("SELECT sum(accepted + refused) FROM intake").fetchall()
    return found or 0


def shown(processes: list[Process]) -> float:
    """Requests of the last hour, as the gauges of the one that shows them count."""
    asked = {"evaluation": "outcome", "window": "1h"}
    urls = (f"http://{one.settings['listen']['admin']}/metrics" for one in processes)
    texts = (httpx.get(url, timeout=PATIENCE_S).text for url in urls)
    return sum(
        sample.value
        for text in texts
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "sqlobs_quality_requests" and asked.items() <= sample.labels.items()
    )


def post(url: str, request) -> None:
    headers = {"Content-Type": "application/x-protobuf"}
    content = request.SerializeToString()
    answer = httpx.post(url, content=content, headers=headers, timeout=PATIENCE_S)
    assert answer.status_code == 200


def apart_s(processes: list[Process]) -> float:
    """How far the clocks of two are apart, as their answers are dated."""
    urls = [f"http://{one.settings['listen']['admin']}/healthz" for one in processes]
    answers = [httpx.get(url, timeout=PATIENCE_S) for url in urls]
    dates = [parsedate_to_datetime(one.headers["Date"]) for one in answers]
    return (dates[0] - dates[1]).total_seconds()
