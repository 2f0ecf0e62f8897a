"""A backfill on Ray whose driver and one of whose workers are killed with `kill -9`.

Needs Ray (`make test-integrations`). The long run: `SQLOBS_BACKFILLED_UNITS=200000 pytest -m slow -s
tests/collector/test_killed_backfills.py`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from sqlobs_collector.store.embedded import FILE_NAME
from tests.collector import records
from tests.collector.multiplied import multiply
from tests.collector.test_backfilling import PAST_NS, SQL, STORED
from tests.collector.test_units import Station, unit
from tests.servers import descendants

UNITS = int(os.environ.get("SQLOBS_BACKFILLED_UNITS", "4000"))
SEED = 500
COMMAND = (sys.executable, "-m", "sqlobs_collector", "backfill")
PATIENCE_S = 120 + UNITS // 20


@pytest.fixture
def store(tmp_path, shop):
    """Units that were evaluated without a result, and the configuration of their collector."""
    (tmp_path / "data").mkdir()
    station = Station(tmp_path / "data")
    station.now_ns = PAST_NS
    pairs = list(SQL.values())
    for first in range(0, SEED, 100):
        sent = []
        for number in range(first, first + 100):
            sql, reference = pairs[number % len(pairs)]
            body = {"sqlobs.query.text": sql}
            if reference is not None:
                body["sqlobs.reference.query.text"] = reference
            sent.append(
                unit(number, at_ns=PAST_NS + number, sqlobs__query__capture="raw", body=body)
            )
        station.receive(records.logs(*sent))
    station.change("UPDATE unit SET state = 'done'")
    multiply(station.engine, seed=SEED, units=UNITS)
    station.close()
    settings = {"targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}}}
    config = tmp_path / "collector.yaml"
    config.write_text(yaml.safe_dump(settings))
    return tmp_path / "data"


def start(data_dir, runner, since):
    """Start the command."""
    config = data_dir.parent / "collector.yaml"
    rest = ("--engine", runner, "--workers", "2", "--evaluated-before", since, "--json")
    return subprocess.Popen(
        [*COMMAND, *rest, "--config", str(config), "--data-dir", str(data_dir)],
        stdout=subprocess.PIPE,
        text=True,
    )


def rows(data_dir, statement):
    """The rows of a query, in a transaction of its own."""
    with closing(sqlite3.connect(data_dir / FILE_NAME, timeout=60)) as connection:
        return connection.execute(statement).fetchall()


FINISHED = f"FROM unit WHERE state_ns > {PAST_NS}"


def finished(data_dir):
    """When each finished unit got its results."""
    return dict(rows(data_dir, f"SELECT id, state_ns {FINISHED}"))


def wait_for(data_dir, running, share):
    """Wait until a share of the units is finished, while the command runs."""
    deadline = time.monotonic() + PATIENCE_S
    while rows(data_dir, f"SELECT count(*) {FINISHED}")[0][0] < share * UNITS:
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.5)


def wait_until_ended(pids):
    """Wait until processes have ended, as Ray's workers do without their driver."""
    deadline = time.monotonic() + PATIENCE_S
    while any(is_running(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.5)


def kill(data_dir, driver):
    """Kill a driver; return what is finished when its workers have noticed.

    Helpers of Ray that compute nothing outlive it.
    """
    of_ray, below = workers(driver.pid), descendants(driver.pid)
    driver.kill()
    driver.wait()
    driver.stdout.close()
    wait_until_ended(of_ray)
    for pid in filter(is_running, below):
        os.kill(pid, signal.SIGKILL)
    return finished(data_dir)


def is_running(pid):
    """Whether a process runs; one that only waits to be noticed does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def workers(pid):
    """The processes of Ray's actors below a driver."""
    lines = ((one, Path(f"/proc/{one}/cmdline").read_bytes()) for one in descendants(pid))
    return [one for one, line in lines if line.startswith(b"ray::") and b"_Actor" in line]


def evaluated(data_dir):
    """Whole rows, one by one, but for times within details."""
    with closing(sqlite3.connect(data_dir / FILE_NAME)) as connection:
        for row in connection.execute(STORED):
            yield *row[:8], re.sub(r'"wait_s": [^,}]+', "", row[8] or ""), *row[9:]


@pytest.mark.slow
@pytest.mark.timeout(4 * PATIENCE_S)
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is NOT INSTALLED")
def test_a_backfill_that_is_killed_repeats_no_finished_unit(store, tmp_path):
    """The driver, then a worker of the run that goes on; results are the plain runner's."""
    shutil.copytree(store, tmp_path / "plain")
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    began_s = time.monotonic()
    first = start(store, "ray", since)
    wait_for(store, first, 0.3)
    before = kill(store, first)
    second = start(store, "ray", since)
    wait_for(store, second, 0.6)
    os.kill(workers(second.pid)[0], signal.SIGKILL)
    at_the_kill = finished(store)
    out = second.communicate(timeout=PATIENCE_S)[0]
    assert second.returncode == 0, out
    said = json.loads(out)
    ray_s = time.monotonic() - began_s
    after = finished(store)
    assert {**after, **before} == after
    assert {**after, **at_the_kill} == after
    assert len(after) == UNITS
    assert said["units"] == UNITS - len(before)
    began_s = time.monotonic()
    plain = start(tmp_path / "plain", "plain", since)
    plain.communicate(timeout=PATIENCE_S)
    assert plain.returncode == 0
    plain_s, count = time.monotonic() - began_s, 0
    for ours, theirs in zip(evaluated(store), evaluated(tmp_path / "plain"), strict=True):
        assert ours == theirs
        count += 1
    print(  # noqa: T201 - the figures
        f"{UNITS} units; the driver killed after {len(before)}, a worker after {len(at_the_kill)};"
        f" {said}; {ray_s:.0f} s on Ray, {plain_s:.0f} s plain; {count} equal rows"
    )
    assert count > UNITS
