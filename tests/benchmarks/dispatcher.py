"""What the queue of units costs on PostgreSQL, and how long a backlog delays another workspace.

A unit is queued in the transaction that stores it, taken by an evaluator and given its final state; what
is evaluated in between costs nothing here. PostgreSQL writes to disk at each commit.
`python -m tests.benchmarks.dispatcher` prints CPU, the server's included, a rate and the delay: the best
round of each, because what else runs on the machine only adds to them.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqlobs_collector.evaluation.turn_size import MOST_AT_ONCE
from sqlobs_collector.store.rows import Transition
from sqlobs_collector.store.writing import Store
from tests.benchmarks.scale import scaled
from tests.collector.incidents import row
from tests.collector.stores import Databases
from tests.servers import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Engine

    from sqlobs_collector.store.rows import UnitRow

UNITS = scaled(6_400, least=64)
BACKLOG = scaled(100_000, least=200)
ROUNDS = scaled(5)
STORED_AT_ONCE = 64
TAKEN_AT_ONCE = MOST_AT_ONCE
"""By an evaluator whose statements take a few milliseconds."""
BAR_MS = 0.25
BAR_S = 2.0
WORKER = "benchmark"


class Cost(NamedTuple):
    """Of one unit, in seconds."""

    elapsed_s: float
    cpu_s: float
    """Of this process and of the server."""


def units(count: int, state: str, *, workspace: str = "default") -> list[UnitRow]:
    """Return units as the projector makes them, but for their payload."""
    return [
        row(
            number,
            workspace,
            {
                "hallucinated": number % 10 == 0,
                "occurred_ns": time.time_ns(),
                "workflow": "answer",
                "state": state,
            },
        )
        for number in range(count)
    ]


def put(store: Store, rows: list[UnitRow]) -> None:
    """Store units, a few in each transaction."""
    for first in range(0, len(rows), STORED_AT_ONCE):
        with store.writing() as writer:
            writer.units.put(rows[first : first + STORED_AT_ONCE])


def take(store: Store) -> list[tuple[int, str]]:
    """Take units as an evaluator does; return their ids and workspaces."""
    with store.writing() as writer:
        taken = writer.queue.take(WORKER, at_ns=time.time_ns(), limit=TAKEN_AT_ONCE)
        writer.workers.beat(WORKER)
    return [(unit.unit_id, unit.workspace) for unit in taken]


def settle(store: Store, unit_ids: list[int]) -> None:
    """Give them their final state."""
    with store.writing() as writer:
        now_ns = time.time_ns()
        kept = writer.queue.still_has(WORKER, unit_ids)
        writer.move([Transition(one, "done", None, now_ns) for one in kept])


def work_off(store: Store) -> int:
    """Take and settle all units that are queued; return their number."""
    count = 0
    while taken := take(store):
        settle(store, [unit_id for unit_id, _ in taken])
        count += len(taken)
    return count


@contextmanager
def opened(databases: Databases) -> Iterator[Engine]:
    """Open an empty store of its own."""
    engine = databases.migrated().open(Path())
    try:
        yield engine
    finally:
        engine.dispose()


def measured(server: PostgresServer, work: Callable[[], object]) -> Cost:
    """Return what work on `UNITS` units costs for each of them."""
    started, cpu_s, server_s = time.perf_counter(), time.process_time(), server.cpu_s()
    work()
    spent_s = time.process_time() - cpu_s + server.cpu_s() - server_s
    return Cost((time.perf_counter() - started) / UNITS, spent_s / UNITS)


def one_round(server: PostgresServer, databases: Databases) -> tuple[float, float, float, float]:
    """Return the CPU of storing, storing and queueing, and taking and settling; and its seconds."""
    with opened(databases) as engine:
        rows = units(UNITS, "sampled_out")
        unqueued = measured(server, lambda: put(Store(engine), rows))
    with opened(databases) as engine:
        store, rows = Store(engine), units(UNITS, "queued")
        queued = measured(server, lambda: put(store, rows))
        worked = measured(server, lambda: work_off(store))
    return unqueued.cpu_s, queued.cpu_s, worked.cpu_s, worked.elapsed_s


def delay_s(databases: Databases) -> tuple[float, int]:
    """Return how long a first unit waits behind a backlog, and how many units are before it.

    Its own evaluator has just taken units of the backlog when it comes.
    """
    with opened(databases) as engine:
        store = Store(engine)
        put(store, units(BACKLOG, "queued", workspace="busy"))
        before = take(store)
        started = time.perf_counter()
        put(store, units(1, "queued", workspace="calm"))
        settle(store, [unit_id for unit_id, _ in before])
        taken = [workspace for _, workspace in take(store)]
        return time.perf_counter() - started, taken.index("calm")


def main() -> None:
    """Print what a unit costs, and the delay."""
    server = PostgresServer(is_durable=True).start()
    try:
        databases = Databases(server)
        rounds = [one_round(server, databases) for _ in range(ROUNDS)]
        waited_s, behind = delay_s(databases)
    finally:
        server.stop()
    unqueued, queued, working, elapsed = map(min, zip(*rounds, strict=True))
    queueing = queued - unqueued
    print(f"queueing           {queueing * 1e3:7.3f} ms of CPU a unit")
    print(f"taking, settling   {working * 1e3:7.3f} ms of CPU a unit")
    print(f"queue              {(queueing + working) * 1e3:7.3f} ms of CPU a unit  (bar {BAR_MS})")
    print(f"one process        {1 / elapsed:7,.0f} units a second, nothing evaluated")
    print(f"behind a backlog   {waited_s:7.3f} s, {behind} units before it  (bar {BAR_S} s)")


if __name__ == "__main__":
    main()
