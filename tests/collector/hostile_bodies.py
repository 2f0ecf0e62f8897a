"""What hostile requests cost a well-behaved client: `python -m tests.collector.hostile_bodies`.

A collector process gets hostile requests of every kind while a client of its own sends a small
batch of units again and again. Printed: how long the client's acknowledgments take, alone and
beside the attack, how much memory the collector's process takes at most, and what became of the
hostile requests.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import cache
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import grpc
import httpx

from sqlobs_collector.otlp.signals import LOGS
from tests.collector import records
from tests.collector.bombs import BEARABLE, BOMBS, JSON, JSON_BOMBS, PROTOBUF

SETTINGS = {
    "SQLOBS_COLLECTOR__LISTEN__HTTP": "127.0.0.1:0",
    "SQLOBS_COLLECTOR__LISTEN__GRPC": "127.0.0.1:0",
    "SQLOBS_COLLECTOR__LISTEN__ADMIN": "127.0.0.1:0",
    "SQLOBS_COLLECTOR__JOURNAL__MIN_FREE_BYTES": "0",
}
BATCH = 32


class Collector:
    """A collector process and where it listens."""

    def __init__(self, data_dir: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sqlobs_collector", "serve", "--data-dir", data_dir],
            env={**os.environ, **SETTINGS},
            stdout=subprocess.PIPE,
            text=True,
        )
        words = self.process.stdout.readline().replace(",", "").split()
        self.http, self.grpc = (words[words.index(name) + 1] for name in ("http", "grpc"))

    def peak_mib(self) -> float:
        """The most memory that the process has held."""
        told = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        line = next(line for line in told.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024

    def stop(self) -> None:
        """End the process."""
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)


def acknowledged(collector: Collector, numbers: count, until: threading.Event) -> list[float]:
    """Send batches until the event is set; return how long each acknowledgment took, in seconds."""
    times = []
    with httpx.Client(base_url=f"http://{collector.http}", headers=PROTOBUF, timeout=60) as client:
        while not until.is_set():
            units = [records.log(next(numbers), sqlobs__verdict="ok") for _ in range(BATCH)]
            body = gzip.compress(records.logs(*units).SerializeToString())
            started = time.perf_counter()
            answer = client.post("/v1/logs", content=body, headers={"Content-Encoding": "gzip"})
            times.append(time.perf_counter() - started)
            assert answer.status_code == 200, answer.text
            time.sleep(0.01)
    return times


@cache
def bombs() -> list[tuple[dict[str, str], bytes]]:
    """The headers and the gzip body of each bomb over HTTP."""
    everything = [
        *((PROTOBUF, body) for body in BOMBS.values()),
        *((JSON, body) for body in JSON_BOMBS.values()),
        *BEARABLE.values(),
        (JSON, b'{"resourceLogs": [' + b"{}," * 5_000_000 + b"{}]}"),
        (PROTOBUF, b"\x0a\x00" * 8_000_000),
        (PROTOBUF, bytes(100_000_000)),
    ]
    return [
        ({**headers, "Content-Encoding": "gzip"}, gzip.compress(body))
        for headers, body in everything
    ]


@cache
def messages() -> list[bytes]:
    """Bombs over gRPC, and as much as a message may hold."""
    return [*BOMBS.values(), b"\x0a\x00" * 7_000_000, bytes(range(256)) * 60_000]


def post(addresses: tuple[str, str], rng: random.Random) -> str:
    """Send a bomb over HTTP; return what became of it."""
    headers, body = rng.choice(bombs())
    with httpx.Client(timeout=60) as client:
        answer = client.post(f"http://{addresses[0]}/v1/logs", content=body, headers=headers)
    return f"HTTP {answer.status_code}"


def call(addresses: tuple[str, str], rng: random.Random) -> str:
    """Send a bomb over gRPC; return what became of it."""
    with grpc.insecure_channel(addresses[1]) as channel:
        try:
            channel.unary_unary(LOGS.method)(rng.choice(messages()), timeout=60)
        except grpc.RpcError as error:
            return f"gRPC {error.code().name}"
    return "gRPC OK"


def dribble(addresses: tuple[str, str], rng: random.Random) -> str:
    """Send a head, or a body, a few bytes at a time, and leave."""
    host, port = addresses[0].rsplit(":", 1)
    head = b"POST /v1/logs HTTP/1.1\r\nContent-Type: application/json\r\n"
    ending = rng.choice([b"X-A: b\r\n", b"Content-Length: 10000\r\n\r\n"])
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head + ending)
        for _ in range(20):
            with suppress(OSError):
                connection.sendall(b"a")
            time.sleep(0.05)
    return "dribbled"


def attack(addresses: tuple[str, str], bodies: int, threads: int, seed: int) -> Counter[str]:
    """Send hostile requests from several threads; return what became of them."""
    fates: Counter[str] = Counter()
    left = iter(range(bodies))
    lock = threading.Lock()

    def run(number: int) -> None:
        rng = random.Random(seed + number)
        while True:
            with lock:
                if next(left, None) is None:
                    return
            fate = rng.choice([post, post, post, call, dribble])(addresses, rng)
            with lock:
                fates[fate] += 1

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return fates


def measure(*, bodies: int, threads: int, idle_s: float, seed: int) -> None:
    """Print the figures of one run."""
    with tempfile.TemporaryDirectory() as data_dir:
        collector = Collector(data_dir)
        try:
            numbers = count()
            idle = timed(collector, numbers, lambda: time.sleep(idle_s))[0]
            before = collector.peak_mib()
            # The attackers are a process of their own: the client must not wait for their work.
            with ProcessPoolExecutor(1, get_context("spawn")) as attackers:
                attackers.submit(bombs).result()
                work = attackers.submit(
                    attack, (collector.http, collector.grpc), bodies, threads, seed
                ).result
                beside, fates = timed(collector, numbers, work)
            for name, times in (("alone", idle), ("beside", beside)):
                cuts = statistics.quantiles(times, n=100)
                print(
                    f"{name:8} {len(times)} acknowledgments: p50 {cuts[49] * 1e3:.1f} ms,"
                    f" p99 {cuts[98] * 1e3:.1f} ms, longest {max(times) * 1e3:.1f} ms"
                )
            ratio = statistics.quantiles(beside, n=100)[98] / statistics.quantiles(idle, n=100)[98]
            print(f"p99 beside / alone: {ratio:.2f}")
            print(f"peak memory: {before:.0f} MiB alone, {collector.peak_mib():.0f} MiB beside")
            print(f"hostile requests: {dict(sorted(fates.items()))}")
        finally:
            collector.stop()


def timed(collector: Collector, numbers: count, work) -> tuple[list[float], Counter[str]]:
    """Send well-behaved batches while something else happens."""
    until = threading.Event()
    found: list[float] = []
    client = threading.Thread(target=lambda: found.extend(acknowledged(collector, numbers, until)))
    client.start()
    try:
        fates = work()
    finally:
        until.set()
        client.join()
    return found, fates or Counter()


def main() -> None:
    """Read the options, run, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=500)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--idle", type=float, default=20.0, help="seconds without hostile requests")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    measure(bodies=args.bodies, threads=args.threads, idle_s=args.idle, seed=args.seed)


if __name__ == "__main__":
    main()
