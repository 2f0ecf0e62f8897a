"""What a unit costs each process and disk: the constants of docs/sizing.md.

A receiver and an evaluator of their own, on a PostgreSQL that writes to disk at each commit, and one
process with the embedded store. All units are evaluated on a SQLite database of three rows, so that the
target itself costs next to nothing. `python -m tests.benchmarks.sizing` prints CPU and bytes a unit.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import psycopg

from sqlobs_collector.store.database import open_store, place_of
from tests.benchmarks.scale import scaled
from tests.benchmarks.store import AT_ONCE, body
from tests.servers import PostgresServer, cpu_s, free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

UNITS = scaled(6_400, least=AT_ONCE)
WITHIN_S = 600
UNFINISHED = "SELECT count(*) FROM unit WHERE state IN ('queued', 'running')"
TABLES = """
CREATE TABLE regions (id INTEGER PRIMARY KEY);
CREATE TABLE orders (id INTEGER, region INTEGER, total REAL);
INSERT INTO regions VALUES (1), (2), (3);
INSERT INTO orders VALUES (1, 1, 10), (2, 2, 20), (3, 2, 5);
"""


class Process:
    """A running `sqlobs-collector serve`."""

    def __init__(self, process: subprocess.Popen[bytes], http_port: int, admin: str) -> None:
        self._process = process
        self.http_port = http_port
        self.admin = admin

    def cpu_s(self) -> float:
        """Return its CPU time, with that of workers that have ended and of those that live."""
        return cpu_s(self._process.pid)

    def pause(self) -> None:
        """Let it do nothing, as others are measured."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)


@contextmanager
def serving(data_dir: Path, target: Path, **settings: str) -> Iterator[Process]:
    """Run a collector until the end of the block."""
    http_port, grpc_port, admin_port = free_port(), free_port(), free_port()
    environment = {
        **os.environ,
        "SQLOBS_DIGEST_KEY": "the same everywhere",
        "SQLOBS_COLLECTOR__TARGETS": json.dumps(
            {"shop": {"url": f"sqlite:///{target}", "default": True}}
        ),
        **{f"SQLOBS_COLLECTOR__{name.upper()}": value for name, value in settings.items()},
    }
    command = [Path(sys.executable).with_name("sqlobs-collector"), "serve", "--data-dir", data_dir,
               "--http", f"127.0.0.1:{http_port}", "--grpc", f"127.0.0.1:{grpc_port}",
               "--admin", f"127.0.0.1:{admin_port}"]  # fmt: skip
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline(), "it did not start"
        try:
            yield Process(process, http_port, f"http://127.0.0.1:{admin_port}")
        finally:
            process.terminate()
            process.wait(60)


def send(process: Process, bodies: list[bytes]) -> None:
    """Send requests one after the other, and wait until all their units are in the store."""
    with closing(http.client.HTTPConnection("127.0.0.1", process.http_port)) as connection:
        for each in bodies:
            headers = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
            connection.request("POST", "/v1/logs", each, headers)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200
    ready = f"{process.admin}/readyz"
    wait_for(lambda: httpx.get(ready).json()["journal"]["unprojected_records"] == 0)


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait, asking seldom: what is asked costs time of those who are measured."""
    deadline = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.5)


def bytes_in(directory: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in directory.glob(pattern) if path.is_file())


def report(what: str, cpu_s: float) -> None:
    print(f"{what:<44} {cpu_s / UNITS * 1e6:8,.0f} µs of CPU a unit")


def on_postgresql(home: Path, bodies: list[bytes]) -> None:
    """Receive with one process, then evaluate with another one."""
    server = PostgresServer(is_durable=True).start()
    try:
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute("CREATE DATABASE store")
        shared = {"store__url": server.url("store")}
        open_store(place_of(home, server.url("store"))).dispose()
        with psycopg.connect(server.url(), autocommit=True) as connection:
            before = server.cpu_s()
            with serving(home / "receive", home / "shop.db", roles="receive", **shared) as receiver:
                report("receiver, to the row in PostgreSQL", measured(receiver, bodies))
            _wait_for_backends(connection)
            received = server.cpu_s()
            report("  PostgreSQL meanwhile", received - before)
            stored = _store_bytes(connection)
            _evaluate(home, shared)
            _wait_for_backends(connection)
            report("  PostgreSQL meanwhile", server.cpu_s() - received)
            evaluated = _store_bytes(connection)
        journal = bytes_in(home / "receive", "journal/*.log")
        print(f"bytes a unit: journal {journal / UNITS:,.0f}, store {stored / UNITS:,.0f},"
              f" with its evaluations {evaluated / UNITS:,.0f}")  # fmt: skip
    finally:
        server.stop()


def measured(receiver: Process, bodies: list[bytes]) -> float:
    """Return the CPU time of receiving."""
    before = receiver.cpu_s()
    send(receiver, bodies)
    return receiver.cpu_s() - before


def _evaluate(home: Path, shared: dict[str, str]) -> None:
    """Evaluate what is queued; the time of workers that start is in it."""
    with (
        psycopg.connect(shared["store__url"], autocommit=True) as connection,
        serving(home / "evaluate", home / "shop.db", roles="evaluate", **shared) as evaluator,
    ):
        before, started = evaluator.cpu_s(), time.perf_counter()
        wait_for(lambda: connection.execute(UNFINISHED).fetchone() == (0,))
        took_s = time.perf_counter() - started
        report("evaluator", evaluator.cpu_s() - before)
        print(f"  {UNITS / took_s:,.0f} units a second")


def _wait_for_backends(connection: psycopg.Connection) -> None:
    """A backend's CPU is known when it has ended."""
    count = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'store'"
    wait_for(lambda: connection.execute(count).fetchone() == (0,))


def _store_bytes(connection: psycopg.Connection) -> int:
    size = "SELECT pg_database_size('store') - pg_database_size('template0')"
    return connection.execute(size).fetchone()[0]


def embedded(home: Path, bodies: list[bytes]) -> None:
    """Receive and evaluate with one process."""
    data_dir = home / "embedded"
    with serving(data_dir, home / "shop.db") as collector:
        before = collector.cpu_s()
        send(collector, bodies)
        with closing(sqlite3.connect(data_dir / "store.sqlite")) as connection:
            wait_for(lambda: connection.execute(UNFINISHED).fetchone() == (0,))
        report("one process, received and evaluated", collector.cpu_s() - before)
    print(
        f"store {bytes_in(data_dir, 'store.sqlite*') / UNITS:,.0f} bytes a unit with its evaluations"
    )


def main() -> None:
    """Print what a unit costs."""
    bodies = [body(first) for first in range(0, UNITS, AT_ONCE)]
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        with closing(sqlite3.connect(home / "shop.db")) as connection:
            connection.executescript(TABLES)
        print(f"{UNITS:,} units, {AT_ONCE} a request of {len(bodies[0])} bytes")
        on_postgresql(home, bodies)
        embedded(home, bodies)


if __name__ == "__main__":
    main()
