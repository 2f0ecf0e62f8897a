"""10 million units a day, held for ten minutes, against the prediction of docs/sizing.md.

A receiver, two evaluators of one worker and a singleton in processes of their own, on a PostgreSQL that
writes to disk at each commit; 116 units a second, first with a tenth of them sampled, then with all.
`python -m tests.benchmarks.sustained` prints cores by role, bytes, acknowledgments and the queue.
"""

from __future__ import annotations

import http.client
import os
import sqlite3
import statistics
import tempfile
import threading
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from sqlobs_collector.store.database import open_store, place_of
from tests.benchmarks.scale import SCALE
from tests.benchmarks.sizing import TABLES, UNFINISHED, bytes_in, serving, wait_for
from tests.benchmarks.store import AT_ONCE, body
from tests.servers import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.sizing import Process

PER_S = 116
SHARES = (0.1, 1.0)
LASTS_S = max(5.0, 600 * SCALE)
EVERY_S = AT_ONCE / PER_S
SEEN_EVERY_S = 2.0
STORED = "SELECT count(*) FROM unit"
EVALUATED = "SELECT count(*) FROM unit WHERE state = 'done'"
SIZE = "SELECT pg_database_size(current_database())"


@dataclass
class Load:
    """What was sent, and how long each acknowledgment took, in milliseconds."""

    units: int = 0
    latencies: list[float] = field(default_factory=list)

    def send(self, process: Process, seconds: float) -> None:
        """Send requests at a steady pace."""
        began_s = time.monotonic()
        headers = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
        with closing(http.client.HTTPConnection("127.0.0.1", process.http_port)) as connection:
            for turn in range(round(seconds / EVERY_S)):
                made = body(self.units)
                time.sleep(max(0.0, began_s + turn * EVERY_S - time.monotonic()))
                sent_s = time.perf_counter()
                connection.request("POST", "/v1/logs", made, headers)
                answer = connection.getresponse()
                answer.read()
                self.latencies.append((time.perf_counter() - sent_s) * 1000)
                assert answer.status == 200
                self.units += AT_ONCE


def predicted(share: float) -> dict[str, float]:
    """Return the cores of each role, as docs/sizing.md calculates them."""
    return {
        "receiver": PER_S * 0.00052,
        "evaluators": PER_S * share * 0.0088,
        "PostgreSQL": PER_S * (0.0002 + share * 0.0023),
    }


def hold(home: Path, share: float) -> None:
    """Run the processes, and print what they took."""
    server = PostgresServer(is_durable=True).start()
    with ExitStack() as stack:
        stack.callback(server.stop)
        url = server.url()
        open_store(place_of(home, url)).dispose()
        connection = stack.enter_context(psycopg.connect(url, autocommit=True))
        settings = {"store__url": url, "sampling__rate": str(share), "sampling__always": "[]"}

        def start(name: str, roles: str) -> Process:
            workers = {"evaluate__workers": "1"}
            return stack.enter_context(
                serving(home / name, home / "shop.db", roles=roles, **settings, **workers)
            )

        receiver, singleton = start("receiver", "receive"), start("singleton", "singleton")
        evaluators = [start(f"evaluator-{number}", "evaluate") for number in (1, 2)]
        clocks: dict[str, Callable[[], float]] = {
            "receiver": receiver.cpu_s,
            "evaluators": lambda: sum(one.cpu_s() for one in evaluators),
            "singleton": singleton.cpu_s,
            "PostgreSQL": server.cpu_s,
        }
        Load().send(receiver, 2.0)  # every process gets going
        wait_for(lambda: connection.execute(UNFINISHED).fetchone() == (0,))
        connection.execute("TRUNCATE unit CASCADE")
        _measure(home, share, connection, receiver, clocks)


def _measure(
    home: Path,
    share: float,
    connection: psycopg.Connection,
    receiver: Process,
    clocks: dict[str, Callable[[], float]],
) -> None:
    (bytes_before,) = connection.execute(SIZE).fetchone()
    journal_before = bytes_in(home / "receiver", "journal/*.log")
    before = {name: read() for name, read in clocks.items()}
    load, depths, began_s = Load(), [], time.monotonic()
    sender = threading.Thread(target=load.send, args=(receiver, LASTS_S))
    sender.start()
    while sender.is_alive():
        depths.append(connection.execute(UNFINISHED).fetchone()[0])
        sender.join(SEEN_EVERY_S)
    took_s = time.monotonic() - began_s
    cores = {name: (read() - before[name]) / took_s for name, read in clocks.items()}
    wait_for(lambda: connection.execute(STORED).fetchone() == (load.units,))
    wait_for(lambda: connection.execute(UNFINISHED).fetchone() == (0,))
    stored = connection.execute(SIZE).fetchone()[0] - bytes_before
    journal = bytes_in(home / "receiver", "journal/*.log") - journal_before
    acknowledged = statistics.quantiles(load.latencies, n=100)
    (evaluated,) = connection.execute(EVALUATED).fetchone()
    print(f"{share:.0%} sampled: {load.units:,} units in {took_s:,.0f} s, all stored, {evaluated:,}"
          f" evaluated; load {os.getloadavg()[1]:.1f}")  # fmt: skip
    expected = predicted(share)
    for name, used in cores.items():
        told = f"{expected[name]:.3f} predicted" if name in expected else "not predicted"
        print(f"  cores, {name:<12} {used:6.3f}, {told}")
    print(f"  acknowledgment p50 {acknowledged[49]:.1f} ms, p99 {acknowledged[98]:.1f} ms")
    middle = statistics.median(depths)
    print(f"  queue p50 {middle:,.0f}, most {max(depths):,}, at the end {depths[-1]:,}")
    print(f"  bytes a unit: store {stored / load.units:,.0f}, journal {journal / load.units:,.0f}")


def main() -> None:
    """Print what each share took."""
    with tempfile.TemporaryDirectory() as directory:
        for share in SHARES:
            home = Path(directory) / f"{share:.0%}"
            home.mkdir()
            with closing(sqlite3.connect(home / "shop.db")) as connection:
                connection.executescript(TABLES)
            hold(home, share)


if __name__ == "__main__":
    main()
