"""What one process does for all processes on a store, on both stores."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest
import yaml
from sqlalchemy.exc import DBAPIError

from sqlobs_collector.sharing.duty import Duty, LeasedDuty
from sqlobs_collector.store.leases import LeaseLostError
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.running import ANY_PORT, wait_until
from tests.collector.stores import on_both
from tests.collector.test_units import Station, unit

store_kind = on_both()


@pytest.fixture
def station(tmp_path, store_kind):
    """A store that requests come into."""
    running = Station(tmp_path, store_kind)
    running.store = Store(running.engine)
    yield running
    running.close()


def expire(station):
    """Let the time of the owner run out."""
    station.change("UPDATE lease SET until_ms = 0")


def test_one_process_has_a_duty_until_its_time_is_over(station):
    """The next owner has a higher token; the old one can write nothing."""
    first, second = (LeasedDuty(station.engine, "sweeping", name) for name in ("one", "two"))
    assert (first.is_held, second.is_held) == (False, False)
    for duty in (first, second, first, second):
        duty.compete()
    assert (first.is_held, second.is_held) == (True, False)
    expire(station)
    second.compete()
    assert second.is_held
    with pytest.raises(LeaseLostError), first.store.writing():
        raise AssertionError
    first.compete()
    assert not first.is_held
    with second.store.writing() as writer:
        writer.workers.beat("written by the owner")
    assert station.query("SELECT owner, token FROM lease") == [("two", 2)]
    assert station.query("SELECT count(*) FROM worker") == [(1,)]


def test_an_owner_that_stops_is_replaced_at_once(station):
    """It says so in the store."""
    first, second = (LeasedDuty(station.engine, "sweeping", name) for name in ("one", "two"))
    first.compete()
    first.stop()
    first.stop()
    second.compete()
    assert (first.is_held, second.is_held) == (False, True)


def test_only_the_owner_polls(station):
    """The others wait, also where they lose the lease in the middle of a poll."""
    first, second = (LeasedDuty(station.engine, "sweeping", name) for name in ("one", "two"))
    polled = []

    def poll(duty):
        polled.append(duty)
        with duty.store.writing():
            return 0.0

    assert Duty(station.store).while_held(lambda: 0.0)() == 0.0
    first.compete()
    assert [one.while_held(lambda one=one: poll(one))() for one in (first, second)] == [0.0, 2.0]
    expire(station)
    second.compete()
    assert first.while_held(lambda: poll(first))() == 2.0
    assert polled == [first, first]


@pytest.mark.postgres
def test_what_an_owner_writes_when_it_wakes_up_is_not_stored(databases, tmp_path):
    """It is stopped in the middle of a transaction: the server ends that, and another takes over."""
    station = Station(tmp_path, databases.migrated())
    first, second = (LeasedDuty(station.engine, "sweeping", name) for name in ("one", "two"))
    first.compete()

    def write_too_late():
        with first.store.writing() as writer:
            writer.workers.beat("written before it is stopped")
            first.compete()  # renewals do not wait for the transaction, new owners do
            expire(station)
            taken = pool.submit(second.compete)
            wait_until(lambda: second.is_held)
            taken.result()
            writer.workers.beat("written after it wakes up")

    with ThreadPoolExecutor(1) as pool, pytest.raises(DBAPIError):
        write_too_late()
    assert station.query("SELECT id FROM worker") == []
    assert station.query("SELECT owner, token FROM lease") == [("two", 2)]
    station.close()


@contextmanager
def process(directory, kind, **settings):
    """Run the command in a process of its own."""
    directory.mkdir()
    path = directory / "collector.yaml"
    listen = {name.removeprefix("listen."): address for name, address in ANY_PORT.items()}
    shared = {"store": {"url": kind.url}, "data_dir": str(directory / "data"), "listen": listen}
    path.write_text(yaml.safe_dump({**shared, **settings}))
    command = [sys.executable, "-m", "sqlobs_collector", "serve", "--config", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert "data in" in running.stdout.readline()
            yield running
        finally:
            running.send_signal(signal.SIGCONT)
            running.kill()


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.parametrize("blow", [signal.SIGSTOP, signal.SIGKILL])
def test_a_singleton_that_hangs_or_dies_is_replaced_within_15_s(databases, tmp_path, blow):
    """It sums up no hour when it wakes up: the token of its transactions is an old one."""
    kind = databases.migrated()
    station = Station(tmp_path, kind)

    def owner():
        """The number of the process that is the owner, and its token."""
        found = station.query("SELECT owner, token FROM lease WHERE duty = 'singleton'")
        return (int(found[0][0].split("-")[-2]), found[0][1]) if found else None

    with ExitStack() as stack:
        running = [
            stack.enter_context(process(tmp_path / name, kind, roles=["singleton"]))
            for name in ("one", "two")
        ]
        first = wait_until(owner)
        old = next(one for one in running if one.pid == first[0])
        started_s = time.monotonic()
        old.send_signal(blow)
        wait_until(lambda: owner() != first, within_s=60)
        took_s = time.monotonic() - started_s
        print(f"replaced within {took_s:.1f} s after {blow.name}")  # noqa: T201 - the figure
        second = owner()
        assert second == (next(one.pid for one in running if one is not old), first[1] + 1)
        assert took_s < 15
        old.send_signal(signal.SIGCONT)
        station.receive(records.logs(unit(1)))
        wait_until(lambda: station.query("SELECT count(*) FROM rollup") != [(0,)], within_s=60)
        assert owner() == second
    station.close()
