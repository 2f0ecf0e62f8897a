"""Two receivers under traffic are updated one after the other, while the store's tables change.

The next versions are copies of this one, each with a migration: one adds to the tables (`expand`),
the one after it removes what was added and closes the store to the first version (`contract`).
The long run: `SQLOBS_SIDE_BY_SIDE_S=60 pytest -m slow -s tests/collector/test_rolling_update.py`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import httpx
import psycopg
import pytest
import yaml
from alembic.script import ScriptDirectory

import sqlobs_collector
from sqlobs_collector.store.database import migration_config
from tests.collector.running import wait_until
from tests.collector.test_crash import post, request
from tests.servers import free_port

SIDE_BY_SIDE_S = float(os.environ.get("SQLOBS_SIDE_BY_SIDE_S", "8"))
BATCH = 4
PAUSE_S = 0.1
PATIENCE_S = 120
MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    {upgrade}
"""
EXPAND = """op.add_column("unit", sa.Column("model_family", sa.Text(), nullable=True))
    op.create_index("unit_model_family", "unit", ["model_family"])
    op.create_table("model_family", sa.Column("name", sa.Text(), primary_key=True))"""
CONTRACT = """op.drop_index("unit_model_family", "unit")
    op.drop_column("unit", "model_family")
    op.drop_table("model_family")
    op.execute("UPDATE compatibility SET oldest_revision = '9001'")"""


@pytest.fixture
def versions(tmp_path):
    """Where the code of three versions is, from the first to the last."""
    head = ScriptDirectory.from_config(migration_config()).get_current_head()
    found = [Path(sqlobs_collector.__file__).parent]
    for revision, before, upgrade in (("9001", head, EXPAND), ("9002", "9001", CONTRACT)):
        code = tmp_path / revision / "sqlobs_collector"
        shutil.copytree(found[-1], code)
        path = code / "store/migrations/versions" / f"r{revision}.py"
        path.write_text(MIGRATION.format(revision=revision, before=before, upgrade=upgrade))
        found.append(code)
    return [code.parent for code in found]


class Process:
    """A collector on a shared store, at one address through all versions."""

    def __init__(self, directory, roles, store, shop):
        directory.mkdir()
        listen = {name: f"127.0.0.1:{free_port()}" for name in ("http", "grpc", "admin")}
        settings = {
            "roles": roles,
            "data_dir": str(directory / "data"),
            "listen": listen,
            "store": {"url": store},
            "golden": {"digest_key": "the same everywhere"},
            "targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}},
            "evaluate": {"workers": 1},
        }
        self.url, self.admin = f"http://{listen['http']}", f"http://{listen['admin']}"
        self.config, self.log = directory / "collector.yaml", directory / "log"
        self.config.write_text(yaml.safe_dump(settings))
        self.running = None

    def launch(self, version):
        command = [sys.executable, "-m", "sqlobs_collector", "serve", "--config", str(self.config)]
        environment = os.environ | {"PYTHONPATH": str(version)}
        with self.log.open("a") as log:
            self.running = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def is_ready(self):
        try:
            return httpx.get(f"{self.admin}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def stop(self):
        """Let it drain."""
        if self.running is not None and self.running.poll() is None:
            self.running.send_signal(signal.SIGTERM)
            assert self.running.wait(PATIENCE_S) == 0, self.log.read_text()[-2000:]


class Traffic:
    """Sends to the receivers in service, as a load balancer does, and keeps each answer."""

    def __init__(self, receivers):
        self.in_service = list(receivers)
        self.answers = []
        self.acknowledged = set()
        self.error = None
        self._is_done = threading.Event()
        self._between = threading.Lock()
        self._thread = threading.Thread(target=self._send)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_done.set()
        self._thread.join()

    def without(self, receiver):
        """Take a receiver out of service when its last request is answered."""
        with self._between:
            self.in_service.remove(receiver)

    def again(self, receiver):
        with self._between:
            self.in_service.append(receiver)

    def _send(self):
        number = 0
        try:
            with httpx.Client(timeout=30) as client:
                while not self._is_done.is_set():
                    with self._between:
                        receiver = self.in_service[number // BATCH % len(self.in_service)]
                        numbers = range(number, number + BATCH)
                        answer = post(client, receiver.url, request(numbers))
                    self.answers.append((receiver.url, answer))
                    if answer == 200:
                        self.acknowledged.update(numbers)
                    number += BATCH
                    time.sleep(PAUSE_S)
        except Exception as error:  # noqa: BLE001 - the test asks for it
            self.error = error


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(900 + 4 * SIDE_BY_SIDE_S)
def test_an_update_under_traffic_rejects_no_request(versions, databases, tmp_path, shop):
    """Old and new run side by side, while tables grow, and again while they shrink."""
    first, *later = versions
    store = databases.empty().url
    with ExitStack() as stack:
        receivers = [Process(tmp_path / name, ["receive"], store, shop) for name in "ab"]
        others = Process(tmp_path / "others", ["evaluate", "singleton"], store, shop)
        everyone = [*receivers, others]
        for process in everyone:
            stack.callback(process.stop)
            process.launch(first)
        wait_until(lambda: all(one.is_ready() for one in everyone), within_s=PATIENCE_S)
        seen = [revision_of(store)]
        with Traffic(receivers) as traffic:
            time.sleep(2)
            for version in later:
                for process in everyone:
                    update(process, version, traffic)
                    if process is receivers[0]:  # the migration is done, the other one is old
                        seen.append(revision_of(store))
                        begun = len(traffic.answers)
                        time.sleep(SIDE_BY_SIDE_S)
                        served = {url for url, _ in traffic.answers[begun:]}
                        assert served == {one.url for one in receivers}
            time.sleep(2)
        assert traffic.error is None
        assert {answer for _, answer in traffic.answers} == {200}
        assert seen[1:] == ["9001", "9002"]
        expected = len(traffic.acknowledged)
        with psycopg.connect(store, autocommit=True) as connection:
            states = "SELECT state, count(*) FROM unit GROUP BY state"
            wait_until(
                lambda: connection.execute(states).fetchall() == [("done", expected)],
                within_s=PATIENCE_S,
            )
        print(  # noqa: T201 - the figures
            f"{len(traffic.answers)} requests, all acknowledged; {expected} units stored and"
            f" evaluated once; versions {seen}; twice {SIDE_BY_SIDE_S:.0f} s side by side"
        )
    old = subprocess.run(
        [sys.executable, "-m", "sqlobs_collector", "serve", "--config", str(others.config)],
        env=os.environ | {"PYTHONPATH": str(first)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert old.returncode == 2
    assert "was written by a newer sqlobs (table version 9002)" in old.stderr


def update(process, version, traffic):
    """Replace a process, as an orchestrator does: out of service, drained, started, ready."""
    is_receiver = process in traffic.in_service
    if is_receiver:
        traffic.without(process)
    process.stop()
    process.launch(version)
    wait_until(process.is_ready, within_s=PATIENCE_S)
    if is_receiver:
        traffic.again(process)


def revision_of(store):
    with psycopg.connect(store) as connection:
        return connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
