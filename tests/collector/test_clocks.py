"""Processes on one store whose clocks are ten minutes ahead and behind (libfaketime).

`pytest -m slow -s tests/collector/test_clocks.py`.
"""

from __future__ import annotations

import random
import time
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from tests.collector.running import wait_until
from tests.collector.test_crash import Sender
from tests.collector.test_kills import Process, is_there
from tests.servers import free_port

FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
ROLES = (*["receive"] * 2, *["evaluate"] * 2, *["singleton"] * 2)
CLOCKS = ("+10m", "-10m")
LASTS_S = 20.0
BUSY = "SELECT count(*) FROM unit WHERE state IN ('queued', 'running', 'held')"
LEASE = "SELECT owner, token FROM lease WHERE duty = 'singleton'"


def process(directory: Path, url: str, shop: Path, number: int) -> Process:
    """A process of one role, every other one ahead."""
    role, home = ROLES[number], directory / f"{number}-{ROLES[number]}"
    return Process(
        home,
        {
            "roles": [role],
            "data_dir": str(home / "data"),
            "listen": {name: f"127.0.0.1:{free_port()}" for name in ("http", "grpc", "admin")},
            "store": {"url": url},
            "golden": {"digest_key": "the same everywhere"},
            "targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}},
            "evaluate": {"workers": 1},
        },
        environment={
            "LD_PRELOAD": str(FAKETIME[-1]),
            "FAKETIME": CLOCKS[number % 2],
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
        spread = query("SELECT (max(received_ns) - min(received_ns)) / 60000000000 FROM unit")
        assert spread >= [(19,)]
        assert query(LEASE) == [owner]
        assert not any("Traceback" in one.log for one in processes)
    print(  # noqa: T201 - the figures
        f"{len(sender.acknowledged)} units by receivers {spread[0][0]} minutes apart, all done once"
    )
