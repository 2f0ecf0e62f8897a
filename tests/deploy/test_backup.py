"""Backup and restore as `deploy/README.md` describes them, of both stores while units arrive."""

from __future__ import annotations

import shutil
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from itertools import count

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from sqlobs_collector.assembly import store_place
from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.embedded import FILE_NAME
from tests.collector import records
from tests.collector.conftest import databases, launching
from tests.collector.running import wait_until
from tests.collector.stores import EMBEDDED, StoreKind
from tests.collector.test_units import send, unit
from tests.deploy.conftest import DEPLOY

__all__ = ["databases"]  # a fixture
pytestmark = pytest.mark.slow

AT_ONCE = 20
BEFORE, AFTER = 20, 20
"""Requests before the backup starts, and after it has ended; more arrive in between."""


class Embedded:
    """The store is a file of the data directory, which the script copies."""

    kind = EMBEDDED

    def __init__(self, _: object) -> None:
        """Nothing to prepare."""

    def back_up(self, data_dir, backup):
        run([DEPLOY / "backup/backup-data-directory", data_dir, backup])

    def restore_beside(self, data_dir, backup):
        """Only the store is lost: an older one takes its place."""
        for path in data_dir.glob(f"{FILE_NAME}*"):
            path.unlink()
        shutil.copy(backup / FILE_NAME, data_dir / FILE_NAME)
        return self.kind


class OnServer:
    """The store is a database, dumped before the data directory is copied."""

    def __init__(self, databases):
        self._databases = databases
        self.kind = databases.migrated()

    def back_up(self, data_dir, backup):
        url = make_url(self.kind.url)
        dump = backup.with_suffix(".dump")
        run(
            [
                self._tool("pg_dump"),
                "--format=custom",
                f"--file={dump}",
                f"--dbname={url.render_as_string()}",
            ]
        )
        run([DEPLOY / "backup/backup-data-directory", data_dir, backup])

    def restore_beside(self, data_dir, backup):
        kind = self._databases.empty()
        url = make_url(kind.url).render_as_string()
        dump = backup.with_suffix(".dump")
        run([self._tool("pg_restore"), "--no-owner", "--exit-on-error", f"--dbname={url}", dump])
        return kind

    def _tool(self, name):
        return self._databases._server.bin / name


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def rows(kind: StoreKind, data_dir):
    """What is known of each unit, by trace; without what an evaluation changes."""
    engine = kind.open(data_dir)
    with engine.connect() as connection:
        found = connection.execute(text("SELECT * FROM unit")).mappings().all()
    engine.dispose()
    changing = {"id", "state", "state_ns", "reason", "attempts", "worker"}
    return {
        each["trace_id"]: {name: each[name] for name in each if name not in changing}
        for each in found
    }


def settle(collector):
    """Wait until all is projected and evaluated; the journal's state."""
    waiting = text("SELECT count(*) FROM unit WHERE state IN ('queued', 'running')")
    engine = open_store(store_place(collector.config))

    def is_idle():
        journal = httpx.get(f"{collector.admin}/readyz").json()["journal"]
        with engine.connect() as connection:
            left = connection.execute(waiting).scalar()
        return journal if journal["unprojected_records"] == left == 0 else None

    try:
        return wait_until(is_idle, within_s=120)
    finally:
        engine.dispose()


def pages(collector, period):
    """What the console's endpoints show of a period."""
    paths = (f"/v1/failures?{period}", f"/v1/requests?{period}&limit=100")
    found = [httpx.get(f"{collector.admin}{path}", headers=collector.bearer) for path in paths]
    documents = [each.raise_for_status().json() for each in found]
    for document in documents:
        document.pop("next", None)  # names a row of the store
    return documents


class Load:
    """Sends requests until it is told to stop."""

    def __init__(self, collector):
        self.acknowledged = 0
        """Units: those with the numbers below this one are acknowledged."""
        self._collector = collector
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def wait_for(self, requests):
        wait_until(lambda: self.acknowledged >= requests * AT_ONCE, within_s=120)

    def stop(self):
        self._stopping.set()
        self._thread.join()

    def _run(self):
        for first in count(step=AT_ONCE):
            if self._stopping.is_set():
                return
            failed = {"sqlobs__verdict": "failed", "sqlobs__failure__code": "schema.unknown_column"}
            send(
                self._collector,
                records.logs(*(unit(first + one, **failed) for one in range(AT_ONCE))),
            )
            self.acknowledged = first + AT_ONCE


def traces(units):
    return {records.trace_id(number).hex() for number in range(units)}


@pytest.mark.parametrize("store", [Embedded, pytest.param(OnServer, marks=pytest.mark.postgres)])
def test_a_backup_under_load_has_all_that_was_acknowledged_before_it(store, databases, tmp_path):
    """Restored alone, it has that; beside the journal that lives on, it has everything."""
    store, data_dir, backup = store(databases), tmp_path / "data", tmp_path / "backup"
    with launching(tmp_path, store.kind) as launch:
        collector = launch(data_dir=data_dir)
        load = Load(collector)
        load.wait_for(BEFORE)
        acknowledged = load.acknowledged
        store.back_up(data_dir, backup)
        during = load.acknowledged
        load.wait_for(during // AT_ONCE + AFTER)
        load.stop()
        settle(collector)
        now = datetime.now(UTC).replace(tzinfo=None)
        period = f"since={(now - timedelta(hours=1)).isoformat()}Z&until={now.isoformat()}Z"
        shown = pages(collector, period)
    original = rows(store.kind, data_dir)
    assert original.keys() == traces(load.acknowledged)

    whole = store.restore_beside(data_dir, backup)
    with launching(tmp_path, whole) as launch:
        collector = launch(data_dir=data_dir)
        journal = settle(collector)
        assert (journal["lost_requests"], journal["lost_records"]) == (0, 0)
        assert pages(collector, period) == shown
    assert rows(whole, data_dir) == original

    alone = store.restore_beside(tmp_path / "nothing", backup) if store.kind.url else store.kind
    with launching(tmp_path, alone) as launch:
        collector = launch(data_dir=backup)
        settle(collector)
    found = rows(alone, backup)
    assert traces(acknowledged) <= found.keys() <= original.keys()
    assert found == {trace: original[trace] for trace in found}
