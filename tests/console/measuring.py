"""Measures the console over a store of `tests.console.million`, on this machine.

    python -m tests.console.measuring /tmp/million

Prints the 95th percentile of the response time of every endpoint that pages read, over the filters
of `QUERIES`; the first contentful paint of every page in Chromium; and the time until the receiver
acknowledges a request, with a console that is used and one that is idle, in turns.
"""

from __future__ import annotations

import argparse
import random
import socket
import statistics
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import yaml

from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_units import unit
from tests.console.chromium import browsing, visiting
from tests.console.million import MODELS, PROMPTS, RELEASES, TENANTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

QUERIES = {
    "/v1/overview": [
        f"since={since}{more}"
        for since in ("1h", "6h", "24h", "7d", "30d")
        for more in ("", "&by=model", "&by=tenant", "&by=service_version", "&workflow=chart")
    ],
    "/v1/failures": [
        f"since={since}{more}"
        for since in ("24h", "7d", "30d")
        for more in (
            "",
            f"&model={MODELS[0]}",
            f"&tenant={TENANTS[3]}",
            f"&prompt_version={PROMPTS[0]}",
        )
    ],
    "/v1/requests": [
        f"since={since}{more}"
        for since in ("24h", "30d")
        for more in (
            *("", "&verdict=failed", "&verdict=not_evaluated", "&q=customer+77", "&q=region"),
            *("&name=total_code", "&failure_code=semantics.aggregation", "&outcome=cancelled"),
            *("&evaluation=flex_noref:fail", "&feedback=negative", "&environment=staging"),
            f"&service_version={RELEASES[1]}",
            f"&tenant={TENANTS[5]}&model={MODELS[0]}&prompt_version={PROMPTS[0]}",
        )
    ],
    "/v1/compare": [
        *("since=1h", "since=24h", "since=7d", "since=15d"),
        f"by=prompt_version&before={PROMPTS[6]}&now={PROMPTS[7]}&since=30d",
        f"by=prompt_version&before={PROMPTS[0]}&now={PROMPTS[7]}&since=30d",
        f"by=model&before={MODELS[0]}&now={MODELS[2]}&since=30d",
        f"by=model&before={MODELS[0]}&now={MODELS[2]}&since=7d&tenant={TENANTS[3]}",
        f"by=service_version&before={RELEASES[8]}&now={RELEASES[9]}&since=30d",
    ],
    "/v1/golden": [""],
    "/v1/review": [""],
    "/v1/judges": [""],
}
PAGES = ("/", "/failures", "/requests", "/requests/{id}", "/compare", "/golden", "/review")
PAGES += ("/judges", "/settings")
PAINT = """() => new Promise(done => {
    new PerformanceObserver(list => {
        const found = list.getEntriesByName('first-contentful-paint')[0];
        if (found) done(found.startTime);
    }).observe({type: 'paint', buffered: true});
})"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Start a collector over the store, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8, help="of each turn of the intake")
    args = parser.parse_args(arguments)
    with (
        serving(args.data_dir) as collector,
        httpx.Client(base_url=collector.admin, headers=collector.bearer, timeout=60) as client,
    ):
        until = latest(client)
        for line in chain(
            response_times(client, until, rounds=args.rounds),
            paint_times(collector, client, until, rounds=args.rounds),
            acknowledgments(collector, client, until, seconds=args.seconds),
        ):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


@dataclass(frozen=True)
class Serving:
    """A collector in a process of its own."""

    http: str
    admin: str
    token: str

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@contextmanager
def serving(data_dir: Path) -> Iterator[Serving]:
    """Run `sqlobs-collector serve`; nothing of the store expires."""
    ports = {name: free_port() for name in ("http", "grpc", "admin")}
    addresses = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
    settings = {
        "data_dir": str(data_dir.absolute()),
        "listen": addresses,
        "journal": {"min_free_bytes": 0},
        "retention": dict.fromkeys(("payload_s", "sampled_out_payload_s", "unit_s"), 10**9),
    }
    config = data_dir / "collector.yaml"
    config.write_text(yaml.safe_dump(settings), encoding="utf-8")
    command = [sys.executable, "-m", "sqlobs_collector", "serve", "--config", str(config)]
    process = subprocess.Popen(command)
    try:
        admin = f"http://{addresses['admin']}"
        wait_until(lambda: is_ready(admin), within_s=300)
        token = (data_dir / "admin.token").read_text(encoding="utf-8").strip()
        yield Serving(f"http://{addresses['http']}", admin, token)
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def is_ready(admin: str) -> bool:
    try:
        return httpx.get(f"{admin}/readyz").status_code == 200
    except httpx.TransportError:
        return False


def latest(client: httpx.Client) -> str:
    """Return the time of the latest request: the end of every period."""
    [found] = client.get("/v1/requests", params={"since": "3650d", "limit": 1}).json()["requests"]
    return found["occurred"]


def response_times(client: httpx.Client, until: str, *, rounds: int) -> Iterator[str]:
    every: list[float] = []
    for path, queries in QUERIES.items():
        times, slowest = [], (0.0, "")
        for query in queries:
            for _ in range(rounds):
                took_s = timed(client, f"{path}?{query}&until={until}")
                times.append(took_s)
                slowest = max(slowest, (took_s, query))
        every += times
        yield (
            f"{path:14} {len(times):4} calls, median {statistics.median(times) * 1000:4.0f} ms,"
            f" p95 {p(times, 95) * 1000:4.0f} ms, slowest {slowest[0] * 1000:.0f} ms: {slowest[1]}"
        )
    yield f"API            {len(every):4} calls, p95 {p(every, 95) * 1000:.0f} ms (bar: 200)"


def timed(client: httpx.Client, address: str) -> float:
    begun_s = time.perf_counter()
    client.get(address).raise_for_status()
    return time.perf_counter() - begun_s


def p(values: list[float], percent: int) -> float:
    """A percentile of measured values: one of them."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def paint_times(
    collector: Serving, client: httpx.Client, until: str, *, rounds: int
) -> Iterator[str]:
    params = {"since": "3650d", "until": until, "limit": 1}
    identity = client.get("/v1/requests", params=params).json()["requests"][0]["id"]
    with browsing() as browser, visiting(browser, collector) as page:
        for path in PAGES:
            address = path.replace("{id}", identity)
            address += "" if "{" in path else f"?until={until}&since=24h"
            times = []
            for _ in range(rounds):
                page.goto(address)
                times.append(page.evaluate(PAINT))
            yield (
                f"{path:14} first contentful paint: median {statistics.median(times):.0f} ms,"
                f" slowest {max(times):.0f} ms (bar: 1000)"
            )


def acknowledgments(
    collector: Serving, client: httpx.Client, until: str, *, seconds: float
) -> Iterator[str]:
    """Post one request at a time while the console is idle, and while it is used; three turns."""
    found: dict[str, list[float]] = {"idle": [], "used": []}
    for _ in range(3):
        for state in found:
            with using(client, until, is_used=state == "used"):
                found[state] += acknowledged(collector, seconds)
    idle, used = (p(times, 99) for times in found.values())
    yield (
        f"intake: p99 of the acknowledgment {idle * 1000:.1f} ms of {len(found['idle'])} with the"
        f" console idle, {used * 1000:.1f} ms of {len(found['used'])} with it used: {used / idle:.2f}"
        " times (bar: 1.2)"
    )


@contextmanager
def using(client: httpx.Client, until: str, *, is_used: bool) -> Iterator[None]:
    """One person who opens a page twice a second."""
    ended = threading.Event()
    rng = random.Random(1)

    def use() -> None:
        while not ended.wait(0.5):
            path = rng.choice(["/v1/overview", "/v1/failures", "/v1/requests", "/v1/compare"])
            timed(client, f"{path}?{rng.choice(QUERIES[path])}&until={until}")

    person = threading.Thread(target=use)
    if is_used:
        person.start()
    yield
    ended.set()
    if is_used:
        person.join()


def acknowledged(collector: Serving, seconds: float) -> list[float]:
    """Post requests one after the other; return how long each took."""
    times, deadline = [], time.monotonic() + seconds
    headers = {"Content-Type": "application/x-protobuf"}
    with httpx.Client(base_url=collector.http, headers=headers) as sender:
        while time.monotonic() < deadline:
            sent = records.logs(unit(random.getrandbits(48), at_ns=time.time_ns()))
            begun_s = time.perf_counter()
            sender.post("/v1/logs", content=sent.SerializeToString()).raise_for_status()
            times.append(time.perf_counter() - begun_s)
            time.sleep(0.01)
    return times


if __name__ == "__main__":
    main()
