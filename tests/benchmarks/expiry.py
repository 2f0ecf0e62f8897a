"""Latency of acknowledgments while a day of units expires, against the same store at rest.

Two collectors with stores of 330,000 old units receive 100 units a second by turns, the other one stopped
meanwhile. One keeps the old units for ten years, the other one deletes them: first embedded stores, then
databases of a PostgreSQL that writes to disk at each commit. `python -m tests.benchmarks.expiry` prints
quantiles and their ratio; `SQLOBS_EXPIRY_TURNS=64` lets a whole day expire, `SQLOBS_EXPIRY_STORES=postgresql`
measures one store.
"""

from __future__ import annotations

import http.client
import os
import shutil
import sqlite3
import statistics
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.scale import SCALE, scaled
from tests.benchmarks.sizing import TABLES, serving
from tests.collector import records
from tests.collector.copied import copy_all
from tests.collector.stores import EMBEDDED, Databases
from tests.collector.test_requests import asked, invented
from tests.collector.test_units import Station
from tests.servers import PostgresServer

if TYPE_CHECKING:
    from tests.benchmarks.sizing import Process
    from tests.collector.stores import StoreKind

SEED = 1000
UNITS = scaled(330, least=2) * SEED
TURNS = scaled(int(os.environ.get("SQLOBS_EXPIRY_TURNS", "8")))
STORES = os.environ.get("SQLOBS_EXPIRY_STORES", "embedded,postgresql").split(",")
TURN_S = max(2.0, 15 * SCALE)
EVERY_S = 0.04
AT_ONCE = 4
BAR = 1.2
DAY_S = 86_400
TEN_YEARS = str(3650 * DAY_S)
SETTINGS = {"sampling__rate": "0.001", "sampling__always": "[]"}
"""Evaluations would take most of the processor."""


def fill(kind: StoreKind, directory: Path) -> None:
    """Make a store of units that are older than a year."""
    directory.mkdir()
    station = Station(directory, kind)
    station.now_ns = time.time_ns() - 400 * DAY_S * 10**9
    for first in range(0, SEED, 100):
        sent = [asked(number) for number in range(first, first + 80)]
        sent += [invented(number) for number in range(first + 80, first + 100)]
        station.receive(records.logs(*sent))
    station.change("UPDATE unit SET state = 'done'")
    copy_all(station.engine, copies=UNITS // SEED, spread_ns=10**9)
    station.close()
    shutil.rmtree(station.directory)


def latencies(process: Process, first: int, seconds: float) -> list[float]:
    """Send requests at a steady pace; return how long each acknowledgment took, in milliseconds."""
    found: list[float] = []
    began_s = time.monotonic()
    headers = {"Content-Type": "application/x-protobuf"}
    with closing(http.client.HTTPConnection("127.0.0.1", process.http_port)) as connection:
        for turn in range(round(seconds / EVERY_S)):
            time.sleep(max(0.0, began_s + turn * EVERY_S - time.monotonic()))
            numbers = range(first + turn * AT_ONCE, first + (turn + 1) * AT_ONCE)
            made = (records.log(one, at_ns=time.time_ns()) for one in numbers)
            body = records.logs(*made).SerializeToString()
            sent_s = time.perf_counter()
            connection.request("POST", "/v1/logs", body, headers)
            answer = connection.getresponse()
            answer.read()
            found.append((time.perf_counter() - sent_s) * 1000)
            assert answer.status == 200
    return found


def old_units(kind: StoreKind, directory: Path) -> int:
    """Return how many of the old units are there."""
    engine = kind.open(directory)
    with engine.connect() as connection:
        counted = connection.exec_driver_sql(f"SELECT count(*) FROM unit WHERE id <= {UNITS}")
        count: int = counted.scalar_one()
    engine.dispose()
    return count


def measured(processes: dict[str, Process]) -> dict[str, list[float]]:
    """Return the latencies of each process, which are measured by turns."""
    found: dict[str, list[float]] = {name: [] for name in processes}
    for process in processes.values():
        process.pause()
    try:
        for turn in range(TURNS):
            for name, process in processes.items():
                process.resume()
                latencies(process, 10**9 + turn * 10**6, 1.0)  # to get going again
                found[name] += latencies(process, 10**10 + turn * 10**6, TURN_S)
                process.pause()
    finally:
        for process in processes.values():
            process.resume()
    return found


def compare(home: Path, kinds: dict[str, StoreKind]) -> None:
    """Print the quantiles of both."""
    target = home / "shop.db"
    with closing(sqlite3.connect(target)) as connection:
        connection.executescript(TABLES)
    with ExitStack() as stack:
        processes = {}
        for name, kind in kinds.items():
            fill(kind, home / name)
            kept_s = {"unit_s": 365 * DAY_S, "payload_s": 30 * DAY_S}
            shared = {} if kind.url is None else {"store__url": kind.url}
            settings = {
                f"retention__{key}": TEN_YEARS if name == "at rest" else str(value)
                for key, value in kept_s.items()
            }
            processes[name] = stack.enter_context(
                serving(home / name, target, **settings, **shared, **SETTINGS)
            )
        found = measured(processes)
        left = old_units(kinds["expiring"], home / "expiring")
    p99 = {name: statistics.quantiles(each, n=100)[98] for name, each in found.items()}
    for name, each in found.items():
        print(f"{name:<10} p50 {statistics.median(each):7.2f} ms, p99 {p99[name]:7.2f} ms")
    print(f"requests on each side {len(found['expiring']):,}")
    print(f"units expired meanwhile {UNITS - left:,} of {UNITS:,}; load {os.getloadavg()[1]:.1f}")
    ratio = p99["expiring"] / p99["at rest"]
    print(f"p99 expiring against at rest {ratio:7.2f} x  (bar {BAR})", flush=True)


def main() -> None:
    """Print the quantiles on each store."""
    sides = ("at rest", "expiring")
    for store in STORES:
        print(f"{store}:")
        with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
            kinds = dict.fromkeys(sides, EMBEDDED)
            if store == "postgresql":
                server = PostgresServer(is_durable=True).start()
                stack.callback(server.stop)
                databases = Databases(server)
                kinds = {side: databases.empty() for side in sides}
            compare(Path(home), kinds)


if __name__ == "__main__":
    main()
