"""An embedded store is moved to PostgreSQL by a command that is killed with `kill -9` three times.

The long run: `SQLOBS_MOVED_UNITS=1000000 pytest -m slow -s tests/collector/test_killed_moves.py`.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time

import psycopg
import pytest
from sqlalchemy import func, select

from sqlobs_collector.store.moving import TABLES
from sqlobs_collector.store.rows import Evaluated
from sqlobs_collector.store.tables import REQUEST_TEXT
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.multiplied import multiply
from tests.collector.stores import EMBEDDED
from tests.collector.test_requests import asked, invented
from tests.collector.test_two_stores import feedback
from tests.collector.test_units import Station

UNITS = int(os.environ.get("SQLOBS_MOVED_UNITS", "20000"))
SEED = 1000
"""Units that came in as others do; all others are copies of their rows, at other times."""
KILLED_AT = (0.15, 0.5, 0.8)
"""Shares of all rows that have arrived."""
COMMAND = (sys.executable, "-m", "sqlobs_collector", "migrate")


@pytest.fixture
def source(tmp_path):
    """An embedded store with many units, failures, complaints, evaluations and texts."""
    station = Station(tmp_path)
    for first in range(0, SEED, 100):
        sent = [asked(number) for number in range(first, first + 80)]
        sent += [invented(number) for number in range(first + 80, first + 100)]
        sent += [feedback(number) for number in range(first + 90, first + 100)]
        station.receive(records.logs(*sent))
    ids = [unit_id for (unit_id,) in station.query("SELECT id FROM unit ORDER BY id")]
    assert len(ids) == ids[-1] == SEED
    with Store(station.engine).writing() as writer:
        rows = (Evaluated(one, name, "1", "pass", "engine", 1) for one in ids for name in "ab")
        writer.put_evaluations(list(rows))
    multiply(station.engine, seed=SEED, units=UNITS)
    station.close()
    return tmp_path


def digests(engine) -> dict[str, tuple[int, str]]:
    """The number of rows of each table, and a digest of all their values in the order of keys."""
    found = {}
    with engine.connect() as connection:
        for table in TABLES:
            digest, count = hashlib.sha256(), 0
            query = select(table).order_by(*table.primary_key)
            for row in connection.execution_options(yield_per=10_000).execute(query):
                digest.update(repr(tuple(row)).encode())
                count += 1
            found[table.name] = count, digest.hexdigest()
        texts = connection.execute(select(func.count()).select_from(REQUEST_TEXT)).scalar_one()
    return found | {"request_text": (texts, "")}


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(3600)
def test_a_move_that_is_killed_three_times_loses_and_doubles_nothing(source, databases):
    """The same command again goes on; at the end all rows of all tables are equal."""
    kind = databases.empty()
    here = EMBEDDED.open(source)
    began_s = time.monotonic()
    expected = digests(here)
    here.dispose()
    total = expected["unit"][0] + expected["evaluation"][0]
    arrived = []
    with psycopg.connect(kind.url, autocommit=True) as connection:
        moving_s = time.monotonic()
        for share in KILLED_AT:
            running = subprocess.Popen([*COMMAND, "--data-dir", source, "--to", kind.url])
            while running.poll() is None and rows_in(connection) < share * total:
                time.sleep(0.2)
            running.kill()
            assert running.wait() == -9
            arrived.append(rows_in(connection))
        done = subprocess.run(
            [*COMMAND, "--data-dir", source, "--to", kind.url],
            capture_output=True,
            text=True,
            check=False,
        )
        moved_s = time.monotonic() - moving_s
    assert (done.returncode, done.stderr) == (0, "")
    assert arrived == sorted(set(arrived))
    assert f"with {UNITS} units are in" in done.stdout
    assert re.search(r"\(\d+ of them were there\)", done.stdout)
    there = kind.open(source)
    found = digests(there)
    there.dispose()
    print(  # noqa: T201 - the figures
        f"{UNITS} units, {sum(count for count, _ in expected.values())} rows; killed when"
        f" {arrived} units and evaluations had arrived; {moved_s:.0f} s for the move,"
        f" {time.monotonic() - began_s:.0f} s in all"
    )
    assert found == expected


def rows_in(connection) -> int:
    """How many units and evaluations have arrived; 0 before there are tables."""
    try:
        query = "SELECT (SELECT count(*) FROM unit) + (SELECT count(*) FROM evaluation)"
        return connection.execute(query).fetchone()[0]
    except psycopg.errors.UndefinedTable:
        return 0
