"""The laws of the dispatcher, on both stores: who gets which unit when, whatever ends in between."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from sqlobs_collector.sharing.heartbeat import Heartbeat
from sqlobs_collector.store.backfill import Backfill, queue_units
from sqlobs_collector.store.dispatcher import FEEDBACK, MOST_CLAIMS, RETRY_S, SUSPECT_AFTER
from sqlobs_collector.store.export import Selection
from sqlobs_collector.store.rows import Transition
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.workers import SILENT_S
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.incidents import row
from tests.collector.stores import on_both
from tests.collector.test_units import NOW_NS, Station, feedback, unit

store_kind = on_both()
SECOND = 10**9
LATER_NS = NOW_NS + 3600 * SECOND


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
    assert take(station, "another", at_ns=LATER_NS) == []
    assert station.query("SELECT state, reason FROM unit") == [("error", "error")]


def test_units_taken_with_one_that_ends_processes_are_evaluated(station):
    """They began as often as it did; once a turn has ended two processes, its units are alone."""
    station.receive(records.logs(*(unit(number) for number in range(1, 8))), workspace="busy")
    station.receive(records.logs(unit(11), unit(12)), workspace="calm")
    [poison] = numbers(3)
    given_up, ended = [], 0
    while taken := take(station, "crashes", limit=4):
        if poison in taken:
            ended += 1
            heartbeat = Heartbeat(station.store, is_alone=True, on_given_up=given_up.extend)
            heartbeat.start()
        else:
            settle(station, "crashes")
    assert ended == MOST_CLAIMS
    assert [origin.workspace for origin in given_up] == ["busy"]
    states = station.query("SELECT state, count(*), max(attempts) FROM unit GROUP BY 1 ORDER BY 1")
    assert states == [("done", 8, SUSPECT_AFTER + 1), ("error", 1, MOST_CLAIMS)]


@pytest.mark.parametrize(
    ("state", "reason"), [("error", "error"), ("expired", "target_unavailable")]
)
def test_a_unit_that_was_given_up_keeps_its_reason_until_it_is_queued_again(station, state, reason):
    """By its reason; then it counts as new."""
    station.receive(records.logs(unit(1), unit(2)))
    assert take(station, "one", limit=1) == numbers(1)
    settle(station, "one", state=state, reason=reason)
    assert take(station, "one", at_ns=LATER_NS) == numbers(2)
    assert queue_units(station.engine, Backfill(Selection(), reason), at_ns=LATER_NS) == 1
    assert take(station, "one", at_ns=LATER_NS) == numbers(1)
    assert station.query("SELECT attempts FROM unit ORDER BY id") == [(1,), (1,)]


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


def test_a_unit_is_queued_in_the_transaction_that_stores_it(station):
    """Where that is rolled back there is neither; what a rolled back transaction took is free."""
    said = {"hallucinated": False, "occurred_ns": NOW_NS, "workflow": "answer", "state": "queued"}
    found = row(1, "default", said)
    with station.store.trying() as writer:
        writer.units.put([found])
        assert writer.queue.waiting() == (1, NOW_NS)
    assert take(station, "one") == []
    with station.store.writing() as writer:
        writer.units.put([found])
    with station.store.trying() as writer:
        assert len(writer.queue.take("one", at_ns=NOW_NS, limit=9)) == 1
        assert writer.queue.waiting() == (0, None)
    assert len(take(station, "two")) == 1


def cancel(station, reason="too slow", *, limit=9, **wanted):
    """Cancel units of the default workspace; return how many."""
    chosen = RequestFilter(workspace="default", **wanted)
    with station.store.writing() as writer:
        return writer.queue.cancel(chosen, reason, at_ns=LATER_NS, limit=limit)


def outcomes(station):
    """The states of all units with their reasons."""
    return station.query("SELECT state, reason FROM unit ORDER BY id")


def test_units_that_wait_are_canceled_with_a_reason(station):
    """Also those that wait for another attempt; neither those of others nor running ones."""
    station.receive(records.logs(*(unit(number, sqlobs__workflow="a") for number in (1, 2, 3))))
    station.receive(records.logs(unit(4, sqlobs__workflow="b")))
    station.receive(records.logs(unit(5, sqlobs__workflow="a")), workspace="other")
    assert take(station, "one", limit=2) == numbers(1, 5)
    settle(station, "one", state="held", reason="target_unavailable")
    assert take(station, "one", limit=1) == numbers(2)
    assert cancel(station, equal={"workflow": "a"}) == 2
    assert cancel(station, equal={"workflow": "a"}) == 0
    assert outcomes(station) == [
        ("canceled", "too slow"),
        ("running", None),
        ("canceled", "too slow"),
        ("queued", None),
        ("held", "target_unavailable"),
    ]
    assert settle(station, "one") == 1
    assert take(station, "one", at_ns=LATER_NS) == numbers(4, 5)


def test_canceled_units_are_queued_again_by_their_reason(station):
    """As new ones, behind all others."""
    station.receive(records.logs(unit(1), unit(2), unit(3)))
    assert (cancel(station, "budget of May", limit=1), cancel(station, "other", limit=1)) == (1, 1)
    again = Backfill(Selection(), "budget of May")
    assert queue_units(station.engine, again, at_ns=LATER_NS) == 1
    assert take(station, "one") == numbers(3, 1)


def test_a_unit_is_canceled_or_taken(station):
    """Never both, also at the same time."""
    station.receive(records.logs(*(unit(number) for number in range(1, 101))))
    with ThreadPoolExecutor(3) as pool:
        takers = [pool.submit(take, station, name, limit=25) for name in ("one", "two")]
        canceled = pool.submit(cancel, station, limit=1000).result()
        taken = [number for taker in takers for number in taker.result()]
    states = station.query("SELECT state, count(*) FROM unit GROUP BY state ORDER BY state")
    found = {"canceled": canceled, "running": len(taken)}
    assert len(set(taken)) == len(taken)
    assert dict(states) == {state: count for state, count in found.items() if count}
    assert canceled + len(taken) == 100
