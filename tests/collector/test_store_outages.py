"""PostgreSQL down, read-only, slow, out of connections or disk, or a receiver without disk.

Requests come in all the time.

The long run: `SQLOBS_OUTAGE_S=120 pytest -m slow -s tests/collector/test_store_outages.py`.
"""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.collector.disks import mounted
from tests.collector.running import wait_until
from tests.collector.stores import StoreKind
from tests.collector.test_crash import Sender
from tests.collector.test_kills import Process, is_there
from tests.servers import PostgresServer, free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OUTAGE_S = float(os.environ.get("SQLOBS_OUTAGE_S", "6"))
PATIENCE_S = 60 + 2 * OUTAGE_S
SPACE_BYTES = 128 * 1024**2
JOURNAL_BYTES = 16 * 1024**2
CONNECTIONS = 20
RESERVED = 3
"""Of them for superusers, by default."""
DELAY_S = 0.2
LAG = "sqlobs_collector_journal_lag_seconds"
STORE_UP = "sqlobs_collector_store_up"
FAILURES_TOTAL = "sqlobs_collector_store_failures_total"


class Delays:
    """A way to a server on which each message of a client may take longer."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.delay_s = 0.0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self._to))
                except OSError:
                    client.close()
                    continue
                for source, sink in ((client, server), (server, client)):
                    way = partial(self._pass_on, source, sink, is_asked=source is client)
                    threading.Thread(target=way, daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, *, is_asked: bool) -> None:
        with closing(source), closing(sink):
            with suppress(OSError):
                while data := source.recv(65536):
                    if is_asked:
                        time.sleep(self.delay_s)
                    sink.sendall(data)
            for each in (source, sink):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)  # the other direction waits on it

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def small_disk():
    """A file system of its own for PostgreSQL, which does not run as root."""
    with tempfile.TemporaryDirectory(prefix="sqlobs-small-") as name:
        Path(name).chmod(0o755)
        with mounted(Path(name), SPACE_BYTES) as path:
            yield path


class Station:
    """PostgreSQL on a disk of its own, a receiver, and a process with all other roles."""

    def __init__(
        self, directory: Path, disk: Path, shop: Path, *, journal: Path | None = None
    ) -> None:
        self.disk = disk
        self.server = PostgresServer(
            is_durable=True, below=disk, options={"max_connections": CONNECTIONS}
        ).start()
        with psycopg.connect(self.server.url(), autocommit=True) as connection:
            connection.execute("CREATE ROLE collector LOGIN")
            connection.execute("CREATE DATABASE station OWNER collector")
        self.way = Delays(self.server.port)
        self.kind = StoreKind(f"postgresql://collector@127.0.0.1:{self.way.port}/station")
        others = ["evaluate", "judge", "emit", "console", "singleton"]
        self.receiver, self.rest = (
            Process(
                directory / name,
                {
                    "roles": roles,
                    "data_dir": str(
                        journal if journal and name == "receiver" else directory / name / "data"
                    ),
                    "journal": {"min_free_bytes": 2 * 1024**2},
                    "listen": {
                        each: f"127.0.0.1:{free_port()}" for each in ("http", "grpc", "admin")
                    },
                    "store": {"url": self.kind.url},
                    "golden": {"digest_key": "the same everywhere"},
                    "targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}},
                    "evaluate": {"workers": 1},
                    "sampling": {"rate": 0.1, "always": []},
                },
            )
            for name, roles in (("receiver", ["receive"]), ("rest", others))
        )

    @property
    def processes(self) -> tuple[Process, Process]:
        return self.rest, self.receiver

    def launch(self) -> None:
        for process in self.processes:
            process.launch()
            wait_until(lambda process=process: is_up(self.admin(process)), within_s=60)
        wait_until(lambda: is_there(self.receiver.http), within_s=60)

    def end(self) -> None:
        for process in self.processes:
            if process.running is not None and process.running.poll() is None:
                process.kill()
        self.way.close()
        self.server.stop()

    def admin(self, process: Process) -> str:
        return f"http://{process.settings['listen']['admin']}"

    def values(self, process: Process) -> dict[tuple[str, str], float]:
        """The metrics of a process by name and reason."""
        text = httpx.get(f"{self.admin(process)}/metrics", timeout=30).text
        return {
            (sample.name, sample.labels.get("reason", "")): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def ready(self, process: Process) -> dict[str, object]:
        return httpx.get(f"{self.admin(process)}/readyz", timeout=30).json()

    def stopped(self, reason: str) -> tuple[float, bool]:
        """What the other process tells of the receiver: on its metrics, and on its first page."""
        count = self.values(self.rest)["sqlobs_collector_journals_stopped", reason]
        return count, "Nothing new arrives through" in self.page("/").text

    def page(self, path: str = "/requests") -> httpx.Response:
        """A page of the console: the list of requests."""
        token = (Path(self.rest.settings["data_dir"]) / "admin.token").read_text().strip()
        return httpx.get(
            f"{self.admin(self.rest)}{path}",
            headers={"Authorization": f"Bearer {token}"},
            timeout=60,
        )

    def tells(self, reasons: set[str | None], *, is_unreadable: bool) -> None:
        """What is wrong, on metrics, readiness and console."""
        for process in self.processes:
            values, ready = self.values(process), self.ready(process)
            reason = ready["store_trouble"]
            assert ready["ready"], ready
            assert reason in reasons, process.log[-2000:]
            assert values[STORE_UP, ""] == float(reason is None)
            assert reason is None or values[FAILURES_TOTAL, reason] > 0
        assert self.values(self.receiver)[LAG, ""] > OUTAGE_S / 4
        if is_unreadable:
            page = self.page()
            assert page.status_code == 503
            assert f"The store cannot be used now ({reason})" in page.text

    def is_well_again(self) -> None:
        """Nobody has restarted a process, and each ends as it should."""
        assert self.page().status_code == 200
        wait_until(lambda: all(self.ready(one)["store_trouble"] is None for one in self.processes))
        for process in self.processes:
            assert process.running.poll() is None, process.log[-3000:]
            assert self.values(process)[STORE_UP, ""] == 1
            assert self.ready(process)["store_trouble"] is None
            assert DEFECT not in process.log, process.log[-3000:]
            assert len(process.log.splitlines()) < 60, process.log
            process.stop()

    def query(self, statement: str) -> list[tuple]:
        with psycopg.connect(self.server.url("station")) as connection:
            return connection.execute(statement).fetchall()

    def numbers(self) -> list[int]:
        return [int(trace[:16], 16) - 1 for (trace,) in self.query("SELECT trace_id FROM unit")]


@contextmanager
def down(station: Station) -> Iterator[None]:
    """It has crashed, and nobody has started it again."""
    station.server.crash()
    yield
    station.server.launch()


@contextmanager
def stopped(station: Station) -> Iterator[None]:
    """Its processes hang; connections are taken by the system, and never answered."""
    station.server.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        station.server.signal(signal.SIGCONT)


@contextmanager
def slow(station: Station) -> Iterator[None]:
    """200 ms for each query."""
    station.way.delay_s = DELAY_S
    yield
    station.way.delay_s = 0.0


@contextmanager
def read_only(station: Station) -> Iterator[None]:
    """As a standby, or a server whose provider has locked it for a full disk."""
    for value in ("on", "off"):
        with psycopg.connect(station.server.url(), autocommit=True) as connection:
            connection.execute(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
            connection.execute("SELECT pg_reload_conf()")
        if value == "on":
            yield


@contextmanager
def out_of_connections(station: Station) -> Iterator[None]:
    """Somebody else has taken all that the collector's were."""
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'collector'"
    url = station.server.url("station", user="collector")
    with ExitStack() as stack:
        own = stack.enter_context(psycopg.connect(station.server.url(), autocommit=True))
        left = CONNECTIONS - RESERVED - 1
        deadline = time.monotonic() + 30
        while left and time.monotonic() < deadline:
            try:
                stack.enter_context(psycopg.connect(url))
                left -= 1
            except psycopg.OperationalError:
                own.execute(f"{end} AND application_name = 'sqlobs'")
        assert left == 0
        yield


@contextmanager
def out_of_disk(station: Station) -> Iterator[None]:
    """Not a byte is left for its tables and its log."""
    ballast = station.disk / "ballast"
    with ballast.open("wb") as file, suppress(OSError):
        while True:
            file.write(bytes(64 * 1024))
            file.flush()
    yield
    ballast.unlink()


FAILURES: dict[Callable[[Station], object], set[str | None]] = {
    down: {"unreachable"},
    stopped: {None, "unreachable"},  # for who waits for an answer, and for who connects
    slow: {None},
    read_only: {"read_only"},
    out_of_connections: {"out_of_connections"},
    out_of_disk: {"disk_full"},
}
"""With the reasons that may be told; None: nothing fails, it takes longer."""
UNREADABLE = {down, out_of_connections}
BUSY = "SELECT count(*) FROM unit WHERE state IN ('queued', 'running', 'held')"
DEFECT = "Traceback"


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(600 + 10 * OUTAGE_S)
@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.__name__)
def test_the_receiver_acknowledges_and_all_goes_on_by_itself(failure, small_disk, tmp_path, shop):
    """Requests are taken all the time; metrics and console say what is wrong; nothing is lost."""
    with ExitStack() as stack:
        station = Station(tmp_path, small_disk, shop)
        stack.callback(station.end)
        station.launch()
        sender = Sender(station.receiver.http, first=0, pause_s=0.25)
        sender.thread.start()
        try:
            wait_until(lambda: len(station.numbers()) > 200, within_s=60)
            with failure(station):
                before = len(sender.acknowledged), sender.attempts
                time.sleep(OUTAGE_S)
                acknowledged, attempts = len(sender.acknowledged), sender.attempts
                station.tells(FAILURES[failure], is_unreadable=failure in UNREADABLE)
            begun = time.monotonic()
            time.sleep(2)
        finally:
            sender.is_done.set()
            sender.thread.join()
        assert acknowledged - before[0] >= 40 * (attempts - before[1] - 1) > 0
        wait_until(lambda: sender.acknowledged <= set(station.numbers()), within_s=PATIENCE_S)
        stored_s = time.monotonic() - begun
        wait_until(lambda: station.query(BUSY) == [(0,)], within_s=PATIENCE_S)
        stored = station.numbers()
        print(  # noqa: T201 - the figures
            f"{failure.__name__}, {OUTAGE_S:.0f} s: {acknowledged - before[0]} acknowledged meanwhile,"
            f" all {len(stored)} stored {stored_s:.1f} s after its end, evaluated after"
            f" {time.monotonic() - begun:.1f} s"
        )
        assert len(stored) == len(set(stored))
        station.is_well_again()


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(600)
def test_a_receiver_without_disk_asks_to_retry_and_goes_on_by_itself(small_disk, tmp_path, shop):
    """Nothing is acknowledged meanwhile; metrics and console of the other process say why, too."""
    journal = tmp_path / "journal"
    journal.mkdir()
    with ExitStack() as stack:
        stack.enter_context(mounted(journal, JOURNAL_BYTES))
        station = Station(tmp_path, small_disk, shop, journal=journal)
        stack.callback(station.end)
        station.launch()
        sender = Sender(station.receiver.http, first=0, pause_s=0.25)
        sender.thread.start()
        try:
            wait_until(lambda: len(station.numbers()) > 200, within_s=60)
            ballast = journal / "ballast"
            with ballast.open("wb") as file, suppress(OSError):
                while True:
                    file.write(bytes(64 * 1024))
                    file.flush()
            wait_until(lambda: not station.ready(station.receiver)["ready"], within_s=30)
            before = len(sender.acknowledged)
            time.sleep(OUTAGE_S)
            ready, values = station.ready(station.receiver), station.values(station.receiver)
            assert ready["reasons"] == [
                "the disk has 0 bytes free, less than journal.min_free_bytes"
            ]
            assert values["sqlobs_collector_rejected_total", "disk_full"] > 0
            assert station.stopped("disk_full") == (1, True)
            assert len(sender.acknowledged) == before
            ballast.unlink()
            wait_until(lambda: len(sender.acknowledged) > before, within_s=PATIENCE_S)
        finally:
            sender.is_done.set()
            sender.thread.join()
        wait_until(lambda: sender.acknowledged <= set(station.numbers()), within_s=PATIENCE_S)
        wait_until(lambda: station.query(BUSY) == [(0,)], within_s=PATIENCE_S)
        stored = station.numbers()
        assert len(stored) == len(set(stored))
        wait_until(lambda: station.stopped("disk_full") == (0, False))
        station.is_well_again()


def is_up(url: str) -> bool:
    """Whether an admin port answers."""
    try:
        return httpx.get(f"{url}/healthz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False
