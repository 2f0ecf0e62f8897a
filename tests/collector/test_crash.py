from __future__ import annotations

import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING

import httpx
import pytest
import yaml
from prometheus_client import CollectorRegistry
from sqlalchemy import create_engine

from sqlobs_collector.quality.gauges import QualityGauges
from sqlobs_collector.store.embedded import FILE_NAME
from sqlobs_collector.store.quality import QualityReader
from tests.collector import records
from tests.collector.running import wait_until

if TYPE_CHECKING:
    from pathlib import Path

KILLS = int(os.environ.get("SQLOBS_KILLS", "1"))
"""How often the collector is killed; the long run takes 20."""
BATCH = 40
RATE = 0.04
"""Share of the units that is evaluated: the load is more than a small machine could run."""
ANSWERS = (
    "SELECT count(*) FROM orders",
    "SELECT count(*) FROM orders WHERE region IS NOT NULL",
    "SELECT revenue FROM orders",
    "SELECT region, sum(total) FROM orders GROUP BY region",
)
STARTED_NS = time.time_ns()


def request(numbers: range | list[int]) -> bytes:
    """Units whose randomness, answer and verdict follow from their number."""
    return records.logs(*(record(number) for number in numbers)).SerializeToString()


def record(number: int) -> dict[str, object]:
    verdicts = ("ok", "suspect", "failed")
    made = records.log(
        number,
        at_ns=STARTED_NS,
        body={
            "sqlobs.question.text": "How many orders are there?",
            "sqlobs.query.text": ANSWERS[number % len(ANSWERS)],
            "sqlobs.reference.query.text": ANSWERS[0],
        },
        sqlobs__workflow="answer",
        sqlobs__query__capture="raw",
        sqlobs__verdict=verdicts[number % len(verdicts)],
        sqlobs__first_attempt__verdict=verdicts[number % len(verdicts)],
        sqlobs__syntactic=True,
        sqlobs__schematic=number % len(ANSWERS) != 2,
        sqlobs__sampling__probability=1.0,
    )
    return made | {"trace_id": bytes.fromhex(trace(number))}


def trace(number: int) -> str:
    """A trace id that tells its number and has random last bytes."""
    return f"{number + 1:016x}{random.Random(number).getrandbits(64):016x}"


class Sender:
    """Sends units batch by batch, each until a receiver acknowledges it, on a thread."""

    def __init__(self, *urls: str, first: int, pause_s: float = 0) -> None:
        self._urls = urls
        self._first = first
        self._pause_s = pause_s
        self.acknowledged: set[int] = set()
        self.attempts = 0
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self._send)

    def _send(self) -> None:
        number = self._first
        with httpx.Client(timeout=5) as client:
            while not self.is_done.is_set():
                numbers = range(number, number + BATCH)
                if self._is_taken(client, request(numbers)):
                    self.acknowledged.update(numbers)
                    number += BATCH
                time.sleep(self._pause_s)

    def _is_taken(self, client: httpx.Client, body: bytes) -> bool:
        self.attempts += 1
        try:
            return post(client, self._urls[self.attempts % len(self._urls)], body) == 200
        except httpx.TransportError:
            time.sleep(0.02)
            return False


def post(client: httpx.Client, url: str, body: bytes) -> int:
    headers = {"Content-Type": "application/x-protobuf"}
    return client.post(f"{url}/v1/logs", content=body, headers=headers).status_code


class Collector:
    """The command in a process of its own, with an evaluator behind it."""

    def __init__(self, directory: Path, shop: Path, **sampling: object) -> None:
        directory.mkdir()
        self.data_dir = directory / "data"
        with socket.create_server(("127.0.0.1", 0)) as found:
            self.url = f"http://127.0.0.1:{found.getsockname()[1]}"
        anywhere = "127.0.0.1:0"
        settings = {
            "data_dir": str(self.data_dir),
            "listen": {
                "http": self.url.removeprefix("http://"),
                "grpc": anywhere,
                "admin": anywhere,
            },
            "evaluate": {"workers": 1},
            "sampling": sampling or {"rate": RATE, "always": []},
            "targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}},
        }
        self._path = directory / "collector.yaml"
        self._path.write_text(yaml.safe_dump(settings))

    def launch(self) -> None:
        command = [sys.executable, "-m", "sqlobs_collector", "serve", "--config", str(self._path)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert "data in" in self._process.stdout.readline()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        assert self._process.wait(30) == 0
        self._process.stdout.close()

    def query(self, statement: str) -> list[tuple]:
        with closing(sqlite3.connect(self.data_dir / FILE_NAME)) as connection:
            return connection.execute(statement).fetchall()

    def numbers(self) -> list[int]:
        """The units in the store."""
        return [
            int(identity[:16], 16) - 1 for (identity,) in self.query("SELECT trace_id FROM unit")
        ]

    def settle(self, numbers: set[int]) -> None:
        """Wait until these units are stored and everything that was kept is evaluated."""
        patience_s = 60 + 10 * KILLS
        wait_until(lambda: not numbers - set(self.numbers()), within_s=patience_s)
        busy = "SELECT count(*) FROM unit WHERE state IN ('queued', 'running', 'held')"
        wait_until(lambda: self.query(busy) == [(0,)], within_s=patience_s)

    def quality(self) -> dict[tuple[str, ...], float]:
        """Every quality gauge, but for the time of the last evaluation."""
        engine = create_engine(f"sqlite:///{self.data_dir / FILE_NAME}")
        registry = CollectorRegistry()
        gauges = QualityGauges(QualityReader(engine))
        registry.register(gauges)
        gauges.refresh()
        engine.dispose()
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in registry.collect()
            for sample in family.samples
            if "timestamp" not in sample.name
        }


@pytest.mark.slow
@pytest.mark.timeout(240 + 60 * KILLS)
def test_kill_9_loses_and_doubles_nothing_and_the_gauges_are_those_of_a_run_without(
    tmp_path,
    shop,
):
    """Killed at random moments under load, restarted on what is there: each unit once."""
    moments = random.Random(KILLS)
    collector = Collector(tmp_path / "killed", shop)
    collector.launch()
    senders = [Sender(collector.url, first=first) for first in (0, 10_000_000)]
    for sender in senders:
        sender.thread.start()
    try:
        for _ in range(KILLS):
            time.sleep(moments.uniform(0.05, 1.0))
            collector.kill()
            collector.launch()
        time.sleep(0.5)
    finally:
        for sender in senders:
            sender.is_done.set()
            sender.thread.join()
    acknowledged = senders[0].acknowledged | senders[1].acknowledged
    collector.settle(acknowledged)
    collector.stop()
    stored = collector.numbers()
    assert len(acknowledged) > KILLS * BATCH
    assert sum(sender.attempts for sender in senders) * BATCH > len(acknowledged)
    assert len(stored) == len(set(stored))
    assert acknowledged - set(stored) == set()

    unharmed = Collector(tmp_path / "unharmed", shop)
    unharmed.launch()
    stored.sort()
    with httpx.Client(timeout=30) as client:
        for start in range(0, len(stored), 500):
            assert post(client, unharmed.url, request(stored[start : start + 500])) == 200
    unharmed.settle(set(stored))
    unharmed.stop()
    ours, theirs = collector.quality(), unharmed.quality()
    told = f"{KILLS} kills, {len(acknowledged)} acknowledged, {len(stored)} stored"
    print(f"{told}, {len(ours)} gauges equal")  # noqa: T201 - the figure
    assert {name for name, *_ in ours} >= {"sqlobs_quality_pass_rate", "sqlobs_quality_score"}
    assert ours == {key: pytest.approx(value, rel=1e-12) for key, value in theirs.items()}
