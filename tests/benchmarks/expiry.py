"""Latency of acknowledgments while a day of units expires, against the same store at rest.

Two collectors with embedded stores of 330,000 old units receive 100 units a second by turns, the other one
stopped meanwhile. One keeps the old units for ten years, the other one deletes them.
`python -m tests.benchmarks.expiry` prints quantiles and their ratio.
"""

from __future__ import annotations

import http.client
import shutil
import sqlite3
import statistics
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs_collector.store.embedded import FILE_NAME
from tests.benchmarks.scale import SCALE, scaled
from tests.benchmarks.sizing import TABLES, serving
from tests.collector import records
from tests.collector.multiplied import multiply
from tests.collector.test_requests import asked, invented
from tests.collector.test_units import Station

if TYPE_CHECKING:
    from tests.benchmarks.sizing import Process

SEED = 1000
UNITS = scaled(330, least=2) * SEED
TURNS = scaled(8)
TURN_S = max(2.0, 15 * SCALE)
EVERY_S = 0.04
AT_ONCE = 4
BAR = 1.2
DAY_S = 86_400
TEN_YEARS = str(3650 * DAY_S)
SETTINGS = {"sampling__rate": "0.001", "sampling__always": "[]"}
"""Evaluations would take most of the processor."""


def fill(directory: Path) -> None:
    """Make a store of units that are older than a year."""
    directory.mkdir()
    station = Station(directory)
    station.now_ns = time.time_ns() - 400 * DAY_S * 10**9
    for first in range(0, SEED, 100):
        sent = [asked(number) for number in range(first, first + 80)]
        sent += [invented(number) for number in range(first + 80, first + 100)]
        station.receive(records.logs(*sent))
    station.change("UPDATE unit SET state = 'done'")
    multiply(station.engine, seed=SEED, units=UNITS)
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


def old_units(directory: Path) -> int:
    """Return how many of the old units are there."""
    with closing(sqlite3.connect(directory / FILE_NAME, timeout=60)) as connection:
        counted = f"SELECT count(*) FROM unit WHERE id <= {UNITS}"
        count: int = connection.execute(counted).fetchone()[0]
    return count


def main() -> None:
    """Print the quantiles of both."""
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        stores = {name: Path(home) / name for name in ("at rest", "expiring")}
        fill(stores["at rest"])
        target = Path(home) / "shop.db"
        with closing(sqlite3.connect(target)) as connection:
            connection.executescript(TABLES)
        shutil.copytree(stores["at rest"], stores["expiring"])
        processes = {
            name: stack.enter_context(
                serving(
                    directory,
                    target,
                    retention__unit_s=TEN_YEARS if name == "at rest" else str(365 * DAY_S),
                    retention__payload_s=TEN_YEARS if name == "at rest" else str(30 * DAY_S),
                    **SETTINGS,
                )
            )
            for name, directory in stores.items()
        }
        found: dict[str, list[float]] = {name: [] for name in processes}
        for process in processes.values():
            stack.callback(process.resume)
            process.pause()
        for turn in range(TURNS):
            for name, process in processes.items():
                process.resume()
                latencies(process, 10**9 + turn * 10**6, 1.0)  # to get going again
                found[name] += latencies(process, 10**10 + turn * 10**6, TURN_S)
                process.pause()
        left = old_units(stores["expiring"])
    p99 = {name: statistics.quantiles(each, n=100)[98] for name, each in found.items()}
    for name, each in found.items():
        print(f"{name:<10} p50 {statistics.median(each):7.2f} ms, p99 {p99[name]:7.2f} ms")
    print(f"requests on each side {len(found['expiring']):,}")
    print(f"units expired meanwhile {UNITS - left:,} of {UNITS:,}")
    print(f"p99 expiring against at rest {p99['expiring'] / p99['at rest']:7.2f} x  (bar {BAR})")


if __name__ == "__main__":
    main()
