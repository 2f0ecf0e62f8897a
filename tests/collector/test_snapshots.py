"""A page shows one state of the store, whatever is written while it is read."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import func, insert, select

from sqlobs_collector.store.snapshots import Snapshots
from sqlobs_collector.store.tables import SAVED_VIEW
from tests.collector.stores import on_both

store_kind = on_both()


@pytest.fixture
def snapshots(engine, store_kind, tmp_path):
    """Of a second engine on the store of `engine`, as the console has it."""
    reading = store_kind.place(tmp_path).reading_engine()
    yield Snapshots(reading)
    reading.dispose()


def views(snapshots) -> int:
    with snapshots.connect() as connection:
        return connection.execute(select(func.count()).select_from(SAVED_VIEW)).scalar_one()


def save(engine, name) -> None:
    row = {"workspace": "default", "name": name, "query": "", "created_ns": 1}
    with engine.begin() as connection:
        connection.execute(insert(SAVED_VIEW).values(row))


def test_reads_of_a_snapshot_see_one_state(engine, snapshots):
    with snapshots.snapshot():
        assert views(snapshots) == 0
        save(engine, "first")
        assert views(snapshots) == 0
    assert views(snapshots) == 1


def test_other_threads_see_the_newest_state(engine, snapshots):
    seen = []
    with snapshots.snapshot():
        assert views(snapshots) == 0
        save(engine, "first")
        thread = threading.Thread(target=lambda: seen.append(views(snapshots)))
        thread.start()
        thread.join()
    assert seen == [1]


def fail_within(snapshots) -> None:
    with snapshots.snapshot():
        views(snapshots)
        raise RuntimeError


def test_a_failed_read_ends_its_snapshot(engine, snapshots):
    with pytest.raises(RuntimeError):
        fail_within(snapshots)
    save(engine, "first")
    assert views(snapshots) == 1
