"""`kill -9` at random moments over all roles, in processes of their own on PostgreSQL under load.

The long run: `SQLOBS_KILLS=100 SQLOBS_RESTARTS=10 pytest -m slow -s tests/collector/test_kills.py`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import httpx
import psycopg
import pytest
import yaml
from prometheus_client import CollectorRegistry

from sqlobs.judge.replay import ChatReply, ChatRequest, serving
from sqlobs_collector.quality.gauges import QualityGauges
from sqlobs_collector.quality.hourly import add_up_changes
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.writing import Store
from tests.collector.backend import Backend
from tests.collector.running import wait_until
from tests.collector.stores import StoreKind
from tests.collector.test_crash import RATE, Collector, Sender, post, request
from tests.servers import PgBouncer, PostgresServer, free_port

if TYPE_CHECKING:
    from pathlib import Path

KILLS = int(os.environ.get("SQLOBS_KILLS", "4"))
RESTARTS = int(os.environ.get("SQLOBS_RESTARTS", "1"))
"""Of PostgreSQL, which ends as in a crash."""
ROLES = (*["receive"] * 2, *["evaluate"] * 3, "judge", "emit", "singleton")
PATIENCE_S = 120 + 3 * KILLS
BUSY = "SELECT count(*) FROM unit WHERE state IN ('queued', 'running', 'held')"
ASKED = "SELECT count(*) FROM enquiry"
UNSENT = "SELECT count(*) FROM evaluation WHERE emitted_ns IS NULL"


@dataclass
class Process:
    """A collector with one role, which is restarted on its own data."""

    directory: Path
    settings: dict[str, object]
    running: subprocess.Popen | None = field(default=None)
    command: tuple[str, ...] = (sys.executable, "-m", "sqlobs_collector")
    environment: dict[str, str] = field(default_factory=dict)

    def launch(self) -> None:
        self.directory.mkdir(exist_ok=True)
        path = self.directory / "collector.yaml"
        path.write_text(yaml.safe_dump(self.settings))
        command = [*self.command, "serve", "--config", str(path)]
        with (self.directory / "log").open("a") as log:
            self.running = subprocess.Popen(
                command, stdout=log, stderr=log, env={**os.environ, **self.environment}
            )

    @property
    def http(self) -> str:
        return f"http://{self.settings['listen']['http']}"

    @property
    def log(self) -> str:
        return (self.directory / "log").read_text()

    def kill(self) -> None:
        self.running.kill()
        self.running.wait()

    def stop(self) -> None:
        self.running.send_signal(signal.SIGTERM)
        assert self.running.wait(120) == 0


class Fleet:
    """All processes on one store."""

    def __init__(
        self,
        directory: Path,
        kind: StoreKind,
        shop: Path,
        judge: str,
        backend: str,
        *,
        url: str | None = None,
    ) -> None:
        """Set up.

        Args:
            directory: For the processes.
            kind: The store, as the test reads it.
            shop: Database of the target.
            judge: Address of a model server.
            backend: Address of an OTLP backend.
            url: The store, as the processes find it; None = as the test does.
        """
        self.kind = kind
        directory.mkdir()
        self.processes = [
            Process(
                directory / f"{number}-{role}",
                {
                    "roles": [role],
                    "data_dir": str(directory / f"{number}-{role}" / "data"),
                    "listen": {
                        name: f"127.0.0.1:{free_port()}" for name in ("http", "grpc", "admin")
                    },
                    "store": {"url": url or kind.url},
                    "golden": {"digest_key": "the same everywhere"},
                    "targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}},
                    "evaluate": {"workers": 1},
                    "sampling": {"rate": RATE, "always": []},
                    "judge": {
                        "base_url": judge,
                        "model": "judge",
                        "rate": 0.2,
                        "canaries": False,
                        "categories": False,
                    },
                    "emit": {"url": backend},
                },
            )
            for number, role in enumerate(ROLES)
        ]

    @property
    def receivers(self) -> list[Process]:
        return self.processes[:2]

    def launch(self) -> None:
        for process in self.processes:
            process.launch()

    def stop(self) -> None:
        for process in self.processes:
            process.stop()

    def supervise(self) -> None:
        """Start again what ended because PostgreSQL did not respond, as systemd does."""
        for process in self.processes:
            if process.running.poll() == 1:
                process.launch()

    def end(self) -> None:
        for process in self.processes:
            if process.running is not None and process.running.poll() is None:
                process.kill()

    def query(self, statement: str) -> list[tuple]:
        with psycopg.connect(self.kind.url) as connection:
            return connection.execute(statement).fetchall()

    def numbers(self) -> list[int]:
        return [int(trace[:16], 16) - 1 for (trace,) in self.query("SELECT trace_id FROM unit")]

    def settle(self, numbers: set[int]) -> None:
        """Wait until these units are stored, evaluated, judged and sent."""
        for what, is_pending in (
            ("stored", lambda: numbers - set(self.numbers())),
            ("evaluated", lambda: self.query(BUSY) != [(0,)]),
            ("judged", lambda: self.query(ASKED) != [(0,)]),
            ("sent", lambda: self.query(UNSENT) != [(0,)]),
        ):
            deadline = time.monotonic() + PATIENCE_S
            while is_pending():
                self.supervise()
                assert time.monotonic() < deadline, f"not {what} in time: {self.told()}"
                time.sleep(1)

    def told(self) -> str:
        """What can be said about units and processes that are late."""
        states = self.query("SELECT state, reason, worker, count(*) FROM unit GROUP BY 1, 2, 3")
        tables = [self.query(f"SELECT * FROM {name}") for name in ("worker", "lease")]
        logs = "\n".join(process.log[-1500:] for process in self.processes)
        return f"{states}\n{tables}\n{logs}"

    def quality(self, directory: Path) -> dict[tuple[str, ...], float]:
        """Every quality gauge but times and the judge's: interrupted calls are not repeated."""
        engine = self.kind.open(directory)
        add_up_changes(Store(engine))
        registry = CollectorRegistry()
        gauges = QualityGauges(QualityReader(engine))
        registry.register(gauges)
        gauges.refresh()
        engine.dispose()
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in registry.collect()
            for sample in family.samples
            if "timestamp" not in sample.name and "judge" not in sample.name
            if "flex" not in sample.labels.values()
        }


@pytest.fixture
def server():
    """A PostgreSQL that may be restarted."""
    running = PostgresServer(is_durable=True)
    yield running.start()
    running.stop()


@pytest.fixture(params=["direct", "pgbouncer"])
def url(server, request):
    """How the processes find it: themselves, or by a pooler in transaction mode."""
    if request.param == "direct":
        yield server.url()
        return
    pooler = PgBouncer(server.port)
    yield f"{pooler.url('postgres')}?pgbouncer=true"
    pooler.stop()


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(600 + 12 * KILLS)
def test_kill_9_of_any_process_loses_and_doubles_nothing(server, url, tmp_path, shop):
    """Each unit and result once, gauges as of a run without kills; everything goes on by itself."""
    moments = random.Random(KILLS)
    backend = Backend()
    with ExitStack() as stack:
        stack.callback(backend.stop)
        judge = stack.enter_context(serving(answer))
        kind = StoreKind(server.url())
        fleet = Fleet(tmp_path / "fleet", kind, shop, judge.base_url, backend.url, url=url)
        stack.callback(fleet.end)
        fleet.launch()
        urls = [process.http for process in fleet.receivers]
        for one in urls:
            wait_until(lambda one=one: is_there(one), within_s=PATIENCE_S)
        senders = [
            Sender(*order, first=first, pause_s=0.3)
            for order, first in ((urls, 0), (urls[::-1], 10_000_000))
        ]
        for sender in senders:
            sender.thread.start()
        killed = []
        try:
            for number in range(KILLS):
                time.sleep(moments.uniform(0.05, 2.0))
                process = moments.choice(fleet.processes)
                process.kill()
                process.launch()
                killed.append(process.settings["roles"][0])
                if number % max(1, KILLS // max(1, RESTARTS)) == 0 and RESTARTS:
                    server.restart()
                fleet.supervise()
            time.sleep(2)
        finally:
            for sender in senders:
                sender.is_done.set()
                sender.thread.join()
        acknowledged = senders[0].acknowledged | senders[1].acknowledged
        fleet.settle(acknowledged)
        fleet.stop()
        stored = sorted(fleet.numbers())
        assert len(stored) == len(set(stored))
        assert acknowledged - set(stored) == set()
        told = Counter(killed)
        results = fleet.query("SELECT metric, count(*) FROM evaluation GROUP BY metric ORDER BY 1")
        tried = fleet.query("SELECT max(attempts), sum(attempts) FROM unit WHERE attempts > 0")

    unharmed = Collector(tmp_path / "unharmed", shop)
    unharmed.launch()
    with httpx.Client(timeout=30) as client:
        for start in range(0, len(stored), 500):
            assert post(client, unharmed.url, request(stored[start : start + 500])) == 200
    unharmed.settle(set(stored))
    unharmed.stop()
    counted = "SELECT metric, count(*) FROM evaluation GROUP BY metric ORDER BY 1"
    print(  # noqa: T201 - the figures
        f"{len(killed)} kills ({dict(told)}), {RESTARTS} restarts of PostgreSQL,"
        f" {len(acknowledged)} acknowledged, {len(stored)} stored; results {results}, attempts"
        f" {tried}"
    )
    assert [one for one in results if one[0] != "flex"] == unharmed.query(counted)
    ours, theirs = fleet.quality(tmp_path), unharmed.quality()
    assert {name for name, *_ in ours} >= {"sqlobs_quality_pass_rate", "sqlobs_quality_score"}
    assert ours == {key: pytest.approx(value, rel=1e-12) for key, value in theirs.items()}


def answer(_: ChatRequest) -> ChatReply:
    """A judge that takes its time: processes are killed while it does."""
    time.sleep(0.05)
    return ChatReply(json.dumps({"reasoning": "It counts.", "correct": True}))


def is_there(url: str) -> bool:
    """Whether a receiver answers."""
    try:
        return httpx.post(f"{url}/v1/logs", content=b"").status_code > 0
    except httpx.TransportError:
        return False
