"""What an on-call engineer waits for: a start, a restart over a full journal, an acknowledgment.

The collector runs as its command does, with the embedded store and no target. A start ends with the
first batch that is acknowledged. The journal of the restart was filled by a receiver that stores
nothing else, and was killed. Acknowledgments are timed by another process that sends at fixed times,
whether or not the last batch was answered.
"""

from __future__ import annotations

import gzip
import http.client
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.scale import scaled
from tests.collector import records
from tests.servers import cpu_s, free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS = scaled(5)
JOURNAL_BYTES = scaled(10**9, least=10**6)
BATCHES_PER_S, BATCH, SECONDS = 50, 10, scaled(30, least=1)
IDLE_S = scaled(10, least=1)
_HEADERS = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
_PATIENCE_S = 120
_IN_JOURNAL = 200
"""Units of a request that fills the journal."""


def main() -> None:
    """Print the figures with their bars."""
    with tempfile.TemporaryDirectory() as directory:
        data = Path(directory) / "data"
        found = [_started(data) for _ in range(ROUNDS)]
        print(
            f"start, the store exists {statistics.median(one.start_s for one in found):.2f} s",
            end="",
        )
        print(
            f" (bar 1.5), {statistics.median(one.cpu_s for one in found):.2f} s of processor time"
        )
        print(f"memory, idle {statistics.median(one.memory_mb for one in found):.0f} MB (bar 120)")
    with tempfile.TemporaryDirectory() as directory:
        size = _fill(Path(directory))
        restart = _started(Path(directory)).start_s
        print(f"restart over {size / 1e6:,.0f} MB of journal {restart:.2f} s (bar 3)")
    latencies = sorted(_latencies())
    p50, p99 = (latencies[int(share * len(latencies))] * 1e3 for share in (0.5, 0.99))
    rate = BATCHES_PER_S * BATCH
    print(f"acknowledgment at {rate} units/s, p99 {p99:.1f} ms (bar 20), p50 {p50:.1f} ms")


@dataclass(frozen=True, slots=True)
class _Start:
    start_s: float
    """From the command to the first acknowledgment."""
    cpu_s: float
    memory_mb: float
    """Resident, a while later."""


@contextmanager
def _serving(data: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run the collector; give its process and its port of OTLP/HTTP. It ends by a kill."""
    ports = {name: free_port() for name in ("http", "grpc", "admin")}
    flags = [part for name, port in ports.items() for part in (f"--{name}", f"127.0.0.1:{port}")]
    command = [sys.executable, "-m", "sqlobs_collector", "serve", "--data-dir", str(data), *flags]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process, ports["http"]
        finally:
            process.send_signal(signal.SIGKILL)


def _started(data: Path) -> _Start:
    begun = time.monotonic()
    with _serving(data) as (process, port):
        while not _is_acknowledged(port, _batch(0)):
            assert process.poll() is None, "the collector ended"
            assert time.monotonic() - begun < _PATIENCE_S, "the collector does not start"
            time.sleep(0.01)
        start_s, spent_s = time.monotonic() - begun, cpu_s(process.pid)
        time.sleep(IDLE_S)
        status = Path(f"/proc/{process.pid}/status").read_text()
        resident = re.search(r"^VmRSS:\s+(\d+)", status, re.MULTILINE)
        assert resident
        return _Start(start_s, spent_s, int(resident[1]) / 1024)


def _is_acknowledged(port: int, batch: bytes) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
    try:
        connection.request("POST", "/v1/logs", batch, _HEADERS)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _batch(number: int, *, count: int = BATCH, note: Callable[[], str] = str) -> bytes:
    """Return a request of units; a note makes them as large in the journal as it is."""
    units = [
        records.log(
            one,
            body={"sqlobs.query.text": f"SELECT total FROM orders WHERE id = {one}"},
            note=note(),
        )
        for one in range(number * count, (number + 1) * count)
    ]
    return gzip.compress(records.logs(*units).SerializeToString(), 1)


def _noise() -> str:
    """Return a text that does not compress below 2 KB."""
    return os.urandom(2_000).hex()


def _fill(data: Path) -> int:
    """Fill a journal that nothing projects, kill its writer, and return its size in bytes."""
    command = [sys.executable, "-m", "tests.benchmarks.collector", "journal", str(data)]
    journal, number = data / "journal", 0
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout
        address = one.stdout.readline().strip()
        port = int(address.rpartition(":")[2])
        while (size := sum(file.stat().st_size for file in journal.iterdir())) < JOURNAL_BYTES:
            number += 1
            assert _is_acknowledged(port, _batch(number, count=_IN_JOURNAL, note=_noise))
        one.kill()
    return size


def _latencies() -> list[float]:
    """Return the seconds from the planned time of each batch to its acknowledgment."""
    count = BATCHES_PER_S * SECONDS
    requests = [_batch(number) for number in range(1, count + 1)]
    with tempfile.TemporaryDirectory() as directory, _serving(Path(directory)) as (_, port):
        begun = time.monotonic()
        while not _is_acknowledged(port, _batch(0)):
            assert time.monotonic() - begun < _PATIENCE_S, "the collector does not start"
            time.sleep(0.05)
        local = threading.local()
        begun = time.monotonic() + 0.5

        def sent(number: int) -> float:
            planned = begun + number / BATCHES_PER_S
            time.sleep(max(0.0, planned - time.monotonic()))
            if not hasattr(local, "connection"):
                local.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            local.connection.request("POST", "/v1/logs", requests[number], _HEADERS)
            response = local.connection.getresponse()
            response.read()
            assert response.status == 200, response.status
            return time.monotonic() - planned

        with ThreadPoolExecutor(8) as senders:
            return list(senders.map(sent, range(count)))
