"""A backfill on a Ray cluster that runs beside it, started on loopback by `ray start`.

Needs Ray: `make test-integrations` runs it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.collector.running import wait_until
from tests.collector.test_backfilling import rows, station  # noqa: F401 - a fixture
from tests.collector.test_killed_backfills import is_running
from tests.servers import descendants, free_port

pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is NOT INSTALLED"),
    pytest.mark.postgres,
    pytest.mark.slow,
]
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "a secret of the cluster, of some length"}
"""A cluster of Ray 2.60 asks for one."""
COMMAND = (sys.executable, "-m", "sqlobs_collector", "backfill", "--engine", "ray")


@pytest.fixture
def store_kind(databases):
    """A cluster's workers need a shared store."""
    return databases.migrated()


@pytest.fixture(scope="module")
def cluster():
    """The address of a cluster of one node."""
    port = free_port()
    ray = Path(sys.executable).with_name("ray")
    options = ("--head", "--node-ip-address=127.0.0.1", f"--port={port}", "--num-cpus=3")
    quiet = ("--include-dashboard=false", "--disable-usage-stats", "--block")
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp") as folder:  # short, for sockets
        log = Path(folder) / "log"
        with log.open("w") as out:
            process = subprocess.Popen(
                [ray, "start", *options, *quiet, f"--temp-dir={folder}/ray"],
                stdout=out,
                stderr=out,
                env=os.environ | TOKEN,
            )
        try:
            wait_until(lambda: "Ray runtime started" in log.read_text(), within_s=90)
            yield f"127.0.0.1:{port}"
        finally:
            below = descendants(process.pid)
            process.terminate()
            process.wait(60)
            for pid in filter(is_running, below):
                os.kill(pid, signal.SIGKILL)


def backfill(station, address):  # noqa: F811 - the fixture's value
    """Run the command."""
    given = ("--address", address, "--workers", "2", "--json", "--config", str(station.config))
    return subprocess.run(
        [*COMMAND, *given],
        env=os.environ | TOKEN,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_a_cluster_gives_the_results_of_the_evaluator(cluster, station):  # noqa: F811
    """Its workers open the shared store; the cluster goes on running."""
    before = rows(station)
    station.change("DELETE FROM evaluation")
    done = backfill(station, cluster)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["states"] == {"done": 6, "refused": 1}
    assert rows(station) == before
    assert backfill(station, cluster).returncode == 0
    assert rows(station) == before


def test_a_cluster_that_is_not_there_is_one_sentence(station):  # noqa: F811
    """Exit code 2, and the units are as they were."""
    before = rows(station)
    done = backfill(station, f"127.0.0.1:{free_port()}")
    assert done.returncode == 2
    assert "cannot connect to Ray at 127.0.0.1:" in done.stderr
    assert "Traceback" not in done.stderr
    assert rows(station) == before
