"""Several processes on one store: the queue's conformance suite, on both stores."""

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
from sqlobs_collector.sharing.heartbeat import Heartbeat
from sqlobs_collector.store.leases import LeaseLostError
from sqlobs_collector.store.rows import Transition
from sqlobs_collector.store.unit_queue import FEEDBACK, RETRY_S
from sqlobs_collector.store.workers import MOST_CLAIMS, SILENT_S
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.running import ANY_PORT, wait_until
from tests.collector.stores import on_both
from tests.collector.test_units import NOW_NS, Station, feedback, unit

store_kind = on_both()
SECOND = 10**9


@pytest.fixture
def station(tmp_path, store_kind):
    """A store that requests come into, with two processes that take them."""
    running = Station(tmp_path, store_kind)
    running.store = Store(running.engine)
    yield running
    running.close()


def take(station, worker, *, limit=9, at_ns=NOW_NS):
    """Let a process take units; return their trace numbers, in the order of their evaluation."""
    with station.store.writing() as writer:
        taken = writer.queue.take(worker, at_ns=at_ns, limit=limit)
        writer.workers.beat(worker)
    return [int(one.trace_id, 16) for one in taken]


def settle(station, worker, *, state="done", reason=None, at_ns=NOW_NS):
    """Let a process finish what it has; return how many units that are."""
    every = [unit_id for (unit_id,) in station.query("SELECT id FROM unit ORDER BY id")]
    with station.store.writing() as writer:
        kept = writer.queue.still_has(worker, every)
        writer.move([Transition(one, state, reason, at_ns) for one in kept])
    return len(kept)


def numbers(*of):
    """The numbers of the traces, as `records.trace_id` makes them."""
    return [int.from_bytes(records.trace_id(number), "big") for number in of]


def test_a_unit_is_taken_by_one_process(station):
    """Nobody else finds it, and nobody else can finish it."""
    station.receive(records.logs(*(unit(number) for number in range(1, 6))))
    assert take(station, "one", limit=3) == numbers(1, 2, 3)
    assert take(station, "two", limit=3) == numbers(4, 5)
    assert take(station, "two") == []
    assert (settle(station, "two"), settle(station, "one")) == (2, 3)
    assert settle(station, "one") == 0
    assert station.query("SELECT state, worker, attempts FROM unit") == [("done", None, 1)] * 5


def test_processes_that_take_at_once_share_the_queue(station):
    """Each unit is in one hand: nobody waits for another, nothing is taken twice."""
    station.receive(records.logs(*(unit(number) for number in range(1, 201))))
    with ThreadPoolExecutor(4) as pool:
        taken = list(
            pool.map(lambda turn: take(station, f"process {turn % 4}", limit=10), range(20))
        )
    found = [one for each in taken for one in each]
    assert len(found) == len(set(found)) == 200


def test_failures_come_first_and_complaints_before_them(station):
    """Then the old ones; what is evaluated again comes last."""
    station.receive(records.logs(unit(1), unit(2), unit(3, sqlobs__verdict="failed"), unit(4)))
    assert take(station, "one") == numbers(3, 1, 2, 4)
    settle(station, "one")
    station.change("UPDATE unit SET state = 'queued', priority = 3")
    station.receive(records.logs(unit(5)))
    with station.store.writing() as writer:
        writer.queue.prefer([4], FEEDBACK)
    assert take(station, "one") == numbers(4, 5, 1, 2, 3)


def test_a_complaint_is_heard_before_the_backlog(tmp_path, store_kind):
    """A unit that sampling had left out is evaluated for its user's sake, at once."""
    station = Station(tmp_path, store_kind, rate=0.0)
    station.store = Store(station.engine)
    station.receive(records.logs(*(unit(number) for number in (1, 2))))
    station.receive(records.logs(*(unit(number, sqlobs__verdict="failed") for number in (3, 4))))
    station.receive(records.logs(feedback(2, "down")))
    station.later(1)
    assert take(station, "one") == numbers(2, 3, 4)
    station.close()


def test_the_backlog_of_a_workspace_delays_no_other(station):
    """Each gets its share of what is taken, until there is no more."""
    station.receive(records.logs(*(unit(number) for number in range(1, 51))), workspace="busy")
    station.receive(records.logs(unit(90), unit(91)), workspace="calm")
    station.receive(records.logs(unit(95)), workspace="quiet")
    assert take(station, "one", limit=9) == numbers(1, 2, 3, 90, 91, 95, 4, 5, 6)


def test_what_a_process_had_is_queued_when_it_is_silent(station):
    """Another one notices; if the silent one wakes up, it can finish nothing."""
    station.receive(records.logs(unit(1), unit(2)))
    heartbeat = Heartbeat(station.store, is_alone=False)
    assert take(station, "silent") == numbers(1, 2)
    assert heartbeat.beat() == 0
    station.change(f"UPDATE worker SET seen_ms = seen_ms - {SILENT_S * 1000 + 1}")
    assert heartbeat.beat() == 2
    assert settle(station, "silent") == 0
    assert take(station, "one", limit=1) == numbers(1)
    assert settle(station, "silent") == 0
    assert settle(station, "one") == 1


def test_a_process_that_is_heard_of_keeps_its_units(station):
    """However long they take."""
    station.receive(records.logs(unit(1)))
    mine, other = (Heartbeat(station.store, is_alone=False) for _ in range(2))
    take(station, mine.worker)
    station.change(f"UPDATE worker SET seen_ms = seen_ms - {SILENT_S * 1000 + 1}")
    mine.beat()
    assert other.beat() == 0
    assert settle(station, mine.worker) == 1


def test_a_process_that_is_alone_queues_at_once_what_others_had(station):
    """The lock of the data directory tells that they have ended; a stop gives back, too."""
    station.receive(records.logs(unit(1)))
    take(station, "crashed")
    heartbeat = Heartbeat(station.store, is_alone=True)
    heartbeat.start()
    assert take(station, heartbeat.worker) == numbers(1)
    heartbeat.stop()
    assert station.query("SELECT state, worker FROM unit") == [("queued", None)]
    assert station.query("SELECT count(*) FROM worker") == [(0,)]


def test_a_unit_that_ends_its_processes_becomes_an_error(station):
    """It is not tried forever; the others are evaluated."""
    station.receive(records.logs(unit(1)))
    for _ in range(MOST_CLAIMS):
        assert take(station, "crashes") == numbers(1)
        Heartbeat(station.store, is_alone=True).start()
    assert take(station, "another") == []
    assert station.query("SELECT state, reason FROM unit") == [("error", "error")]


def test_another_attempt_is_made_later_and_later(station):
    """The delay grows with the attempts; the last one stays."""
    station.receive(records.logs(unit(1)))
    at_ns = NOW_NS
    take(station, "one", at_ns=at_ns)
    for delay_s in (*RETRY_S, RETRY_S[-1]):
        settle(station, "one", state="held", reason="target_unavailable", at_ns=at_ns)
        assert take(station, "one", at_ns=at_ns + delay_s * SECOND) == []
        at_ns += delay_s * SECOND + 1
        assert take(station, "one", at_ns=at_ns) == numbers(1)


def test_a_unit_that_replaces_its_span_while_that_is_evaluated_is_evaluated_itself(station):
    """The result for what the span told is dropped."""
    station.receive(records.spans(records.generation_span(1)), kind="traces")
    station.later(61)
    assert take(station, "one") == numbers(1)
    station.receive(records.logs(unit(1)))
    assert settle(station, "one") == 0
    assert take(station, "one") == numbers(1)


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
