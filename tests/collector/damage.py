"""Rounds of damage to the journal of a real collector under load, with `kill -9` among them.

    python -m tests.collector.damage --rounds 200

Each round damages the files in one way, at one moment, and then compares what was acknowledged
with what is in the store and with what the collector says is lost.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import yaml

from sqlobs_collector.store.embedded import FILE_NAME
from tests.collector import records
from tests.collector.running import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BATCH = 7
SENDERS = 2
PATIENCE_S = 120.0
SQLITE_FILES = ("", "-wal", "-shm")


class Load:
    """Sends units on threads, each batch until it is acknowledged."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._number = 0
        self._lock = threading.Lock()
        self.acknowledged: set[int] = set()
        self.doubtful = 0
        """Records of requests that got no answer: they may be in the journal anyway."""
        self.refused = 0
        self._is_paused = threading.Event()
        self._is_over = False
        self._idle = threading.Semaphore(0)
        self._resume = threading.Semaphore(0)
        self._threads = [threading.Thread(target=self._send, daemon=True) for _ in range(SENDERS)]
        for thread in self._threads:
            thread.start()
        self.pause()

    def pause(self) -> None:
        """Wait until nothing is in progress."""
        self._is_paused.set()
        for _ in self._threads:
            assert self._idle.acquire(timeout=PATIENCE_S)

    def go_on(self) -> None:
        self._is_paused.clear()
        self._resume.release(len(self._threads))

    def end(self) -> None:
        self._is_over = True
        self._is_paused.set()
        self._resume.release(len(self._threads))
        for thread in self._threads:
            thread.join()

    def _send(self) -> None:
        with httpx.Client(timeout=10) as client:
            while True:
                self._idle.release()
                self._resume.acquire()
                if self._is_over:
                    return
                while not self._is_paused.is_set():
                    self._send_batch(client)

    def _send_batch(self, client: httpx.Client) -> None:
        with self._lock:
            numbers = range(self._number, self._number + BATCH)
            self._number += BATCH
        request = records.logs(*map(record, numbers)).SerializeToString()
        while not self._is_taken(client, request):
            if self._is_over:
                return
            time.sleep(0.05)
        with self._lock:
            self.acknowledged.update(numbers)

    def _is_taken(self, client: httpx.Client, request: bytes) -> bool:
        headers = {"Content-Type": "application/x-protobuf"}
        try:
            answer = client.post(f"{self._url}/v1/logs", content=request, headers=headers)
        except httpx.TransportError as error:
            with self._lock:
                self.doubtful += 0 if isinstance(error, httpx.ConnectError) else BATCH
            return False
        assert answer.status_code in {200, 503}, answer.text
        if answer.status_code == 503:
            assert 1 <= int(answer.headers["retry-after"]) <= 5
            with self._lock:
                self.refused += 1
                self.doubtful += BATCH  # what failed may be on the disk
        return answer.status_code == 200


def record(number: int) -> dict[str, object]:
    made = records.log(number, sqlobs__verdict="ok", sqlobs__sampling__probability=1.0)
    padding = {"sqlobs.query.text": f"SELECT {number} -- {'x' * (number % 700)}"}
    return made | {"body": records.value(padding)}


class Process:
    """`sqlobs-collector serve` on a data directory."""

    def __init__(self, directory: Path) -> None:
        self.data_dir = directory / "data"
        self.journal = self.data_dir / "journal"
        self._log = directory / "log"
        self.http, self.admin = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        settings = {
            "data_dir": str(self.data_dir),
            "listen": {
                "http": self.http.removeprefix("http://"),
                "grpc": "127.0.0.1:0",
                "admin": self.admin.removeprefix("http://"),
            },
            "journal": {"min_free_bytes": 0, "max_bytes": 16 * 1024**2},
            "sampling": {"rate": 1e-6, "always": []},
        }
        self._path = directory / "collector.yaml"
        self._path.write_text(yaml.safe_dump(settings))

    def launch(self) -> None:
        command = [sys.executable, "-m", "sqlobs_collector", "serve", "--config", str(self._path)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert "data in" in self._process.stdout.readline()

    def kill(self) -> None:
        self._process.kill()
        self._ended()

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        assert self._ended() == 0

    def limit_files(self, size: int) -> None:
        """Let no file grow beyond a size."""
        limits = (size, resource.RLIM_INFINITY)
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, limits)

    def ready(self) -> dict:
        return httpx.get(f"{self.admin}/readyz", timeout=20).json()

    def shown(self, name: str) -> float:
        """A metric of the journal, as `/metrics` shows it."""
        page = httpx.get(f"{self.admin}/metrics", timeout=20).text
        [line] = [
            line for line in page.splitlines() if line.startswith(f"sqlobs_collector_{name}{{")
        ]
        return float(line.rpartition(" ")[2])

    def stored(self) -> list[int]:
        with closing(sqlite3.connect(self.data_dir / FILE_NAME, timeout=30)) as connection:
            rows = connection.execute("SELECT span_id FROM unit").fetchall()
        return [int(identity, 16) - 1 for (identity,) in rows]

    def files(self) -> list[Path]:
        """The journal's files, oldest first."""
        found = self.journal.glob("journal-*")
        return sorted(path for path in found if path.is_file())

    def _ended(self) -> int:
        code = self._process.wait(60)
        self._process.stdout.close()
        return code


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


@contextmanager
def store_locked(collector: Process) -> Iterator[None]:
    """Keep the projector from storing: what is acknowledged meanwhile is in the journal only."""
    path = collector.data_dir / FILE_NAME
    with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def chosen(collector: Process, chance: random.Random) -> Path | None:
    """The newest file more often than another."""
    files = collector.files()
    if not files:
        return None
    return files[-1] if chance.random() < 0.7 else chance.choice(files)


def truncate(collector: Process, chance: random.Random, _: Path) -> None:
    if (path := chosen(collector, chance)) is not None:
        with path.open("r+b") as file:
            file.truncate(int(path.stat().st_size * chance.choice([0, 0.5, chance.random()])))


def flip(collector: Process, chance: random.Random, _: Path) -> None:
    if (path := chosen(collector, chance)) is not None:
        with path.open("r+b") as file:
            for _ in range(chance.choice([1, 1, 20])):
                place = int(path.stat().st_size * chance.random() ** 0.5)
                file.seek(place)
                [byte] = file.read(1) or b"\0"
                file.seek(place)
                file.write(bytes([byte ^ 1 << chance.randrange(8)]))


def overwrite(collector: Process, chance: random.Random, _: Path) -> None:
    """Part of a file becomes noise, or zeros."""
    if (path := chosen(collector, chance)) is not None:
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(int(size * chance.random()))
            length = chance.randrange(1, max(2, size // 2))
            file.write(bytes(length) if chance.random() < 0.5 else chance.randbytes(length))


def remove(collector: Process, chance: random.Random, _: Path) -> None:
    if (path := chosen(collector, chance)) is not None:
        path.unlink()


def remove_all(collector: Process, _: random.Random, __: Path) -> None:
    shutil.rmtree(collector.journal, ignore_errors=True)


def copy_back(collector: Process, chance: random.Random, copy: Path) -> None:
    """An older copy of a file is put where it was."""
    files = sorted((copy / "journal").glob("journal-*"))
    if files:
        older = chance.choice(files[-2:])
        collector.journal.mkdir(exist_ok=True)
        if chance.random() < 0.5:
            shutil.copyfile(older, collector.journal / older.name)
        else:
            shutil.copyfile(older, collector.journal / f".{older.name}.copy")
            (collector.journal / f".{older.name}.copy").rename(collector.journal / older.name)


def copy_back_all(collector: Process, _: random.Random, copy: Path) -> None:
    """The whole directory becomes that of a while ago."""
    shutil.rmtree(collector.journal, ignore_errors=True)
    shutil.copytree(copy / "journal", collector.journal, dirs_exist_ok=True)


def remove_mark(collector: Process, _: random.Random, __: Path) -> None:
    (collector.data_dir / "journal.mark").unlink(missing_ok=True)


def copy_back_store(collector: Process, _: random.Random, copy: Path) -> None:
    """The store becomes that of a while ago; the collector is down."""
    for suffix in SQLITE_FILES:
        (collector.data_dir / f"{FILE_NAME}{suffix}").unlink(missing_ok=True)
    shutil.copyfile(copy / FILE_NAME, collector.data_dir / FILE_NAME)


def fill_disk(collector: Process, _: random.Random, __: Path) -> None:
    """No file may grow for a while: the disk is full, as far as the collector can tell."""
    collector.limit_files(0)
    wait_until(lambda: not collector.ready()["ready"], within_s=PATIENCE_S)
    collector.limit_files(resource.RLIM_INFINITY)


ANY_TIME = (truncate, flip, overwrite, remove, remove_all, copy_back, copy_back_all, remove_mark)
RUNNING = (fill_disk,)
DOWN = (copy_back_store,)
HARMLESS = frozenset({remove_mark, fill_disk, copy_back_store})
"""What is wrong passes, or is found again: nothing of the journal is destroyed."""
RESCUED = frozenset({remove, remove_all})
"""Where the collector runs, it holds what is removed, and writes it again."""


@dataclass(slots=True)
class Outcome:
    """What came of all rounds."""

    rounds: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    stored: int = 0
    missing: int = 0
    reported: int = 0
    doubtful: int = 0
    refused: int = 0
    kills: int = 0
    exact: int = 0
    quarantined: int = 0

    def lines(self) -> Iterator[str]:
        yield f"rounds        {self.rounds.total()}, {self.kills} of them with kill -9"
        for name, count in sorted(self.rounds.items()):
            yield f"  {count:4} {name}"
        yield f"acknowledged  {self.acknowledged} units"
        yield f"stored        {self.stored} units, each once"
        yield f"destroyed     {self.missing} acknowledged units are not in the store"
        yield f"reported      {self.reported} lost records, with those nobody was told of"
        yield f"exact         {self.exact} of {self.rounds.total()} rounds, the others within what"
        yield "              was under way at a kill or a refusal"
        yield f"refused       {self.refused} requests (503), sent again"
        yield f"quarantine    {self.quarantined} files"


class Rounds:
    """Runs rounds on one data directory."""

    def __init__(self, directory: Path, *, seed: int) -> None:
        self._directory = directory
        self._chance = random.Random(seed)
        self._collector = Process(directory)
        self._collector.launch()
        self._load = Load(self._collector.http)
        self._outcome = Outcome()
        self._before = (0, 0)
        self._kinds: list[tuple[Callable, str]] = []

    def run(self, count: int) -> Outcome:
        try:
            for number in range(count):
                self._round(*self._next())
                print(f"round {number + 1}: {self._told}", file=sys.stderr, flush=True)
            self._collector.stop()
        except BaseException:
            self._collector.kill()
            raise
        finally:
            self._load.end()
        return self._outcome

    def _next(self) -> tuple[Callable, str]:
        """Every kind of damage at every moment, in an order of chance."""
        if not self._kinds:
            self._kinds = [(kind, moment) for kind in ANY_TIME for moment in ("running", "killed")]
            self._kinds += [(kind, "running") for kind in RUNNING]
            self._kinds += [(kind, "killed") for kind in DOWN]
            self._chance.shuffle(self._kinds)
        return self._kinds.pop()

    def _round(self, damage: Callable, moment: str) -> None:
        self._outcome.rounds[f"{damage.__name__}, {moment}"] += 1
        copy = self._copied()
        self._load.go_on()
        self._pause()
        if self._chance.random() < 0.6 and damage is not fill_disk:
            with store_locked(self._collector):
                self._pause()
                self._hurt(damage, moment, copy)
        else:
            self._hurt(damage, moment, copy)
        if moment == "killed":
            self._collector.launch()
        self._goes_on()
        self._load.pause()
        self._settle()
        self._check(damage, moment)

    def _pause(self) -> None:
        time.sleep(self._chance.uniform(0.05, 0.4))

    def _hurt(self, damage: Callable, moment: str, copy: Path) -> None:
        if moment == "killed":
            self._collector.kill()
            self._outcome.kills += 1
        damage(self._collector, self._chance, copy)
        if moment == "running":
            self._pause()  # so that what comes next continues under the eyes of the damage

    def _copied(self) -> Path:
        """Copy journal and store as they are, consistently: nothing is in progress."""
        copy = self._directory / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        if self._collector.journal.is_dir():
            shutil.copytree(self._collector.journal, copy / "journal")
        else:
            (copy / "journal").mkdir()
        source = sqlite3.connect(self._collector.data_dir / FILE_NAME, timeout=30)
        with closing(source), closing(sqlite3.connect(copy / FILE_NAME)) as target:
            source.backup(target)
        return copy

    def _goes_on(self) -> None:
        """Intake must continue after the damage."""
        known = len(self._load.acknowledged)
        enough = known + SENDERS * BATCH
        wait_until(lambda: len(self._load.acknowledged) >= enough, within_s=PATIENCE_S)

    def _settle(self) -> None:
        def is_settled() -> bool:
            found = self._collector.ready()
            return found["ready"] and found["journal"]["unprojected_records"] == 0

        wait_until(is_settled, within_s=PATIENCE_S)

    def _check(self, damage: Callable, moment: str) -> None:
        stored = self._collector.stored()
        assert len(stored) == len(set(stored))
        missing = len(self._load.acknowledged.difference(stored))
        journal = self._collector.ready()["journal"]
        reported, doubtful = journal["lost_records"], self._load.doubtful
        outcome, (old_missing, old_reported) = self._outcome, self._before
        self._told = f"{damage.__name__}, {moment}: {missing} missing, {reported} reported"
        self._told += (
            f" (+{missing - old_missing}, +{reported - old_reported}), {doubtful} doubtful"
        )
        assert missing <= reported <= missing + doubtful, self._told
        is_rescued = moment == "running" and damage in RESCUED
        if damage in HARMLESS or is_rescued:
            assert missing == old_missing, self._told
        assert self._collector.shown("journal_lost_records") == reported
        assert self._collector.shown("journal_unprojected_records") == 0
        files = len(journal["quarantined_files"])
        assert self._collector.shown("journal_quarantined_files") == files
        outcome.exact += missing - old_missing == reported - old_reported
        outcome.acknowledged, outcome.stored = len(self._load.acknowledged), len(stored)
        outcome.missing, outcome.reported, outcome.doubtful = missing, reported, doubtful
        outcome.refused, outcome.quarantined = self._load.refused, files
        self._before = (missing, reported)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        try:
            outcome = Rounds(Path(directory), seed=options.seed).run(options.rounds)
        except BaseException:
            print((Path(directory) / "log").read_text()[-5000:], file=sys.stderr)
            raise
    print("\n".join(outcome.lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
