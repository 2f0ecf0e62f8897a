"""An archive and a backfill in a bucket: the S3 protocol, as moto speaks it on loopback.

Needs moto: `make test-integrations` runs them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec

import httpx
import pyarrow.dataset as ds
import pytest
from pyarrow import fs

from sqlobs_collector.archive.erasing import ArchiveEraser
from sqlobs_collector.archive.files import ArchiveFiles
from sqlobs_collector.cli import main
from sqlobs_collector.store.erasing import Subject
from tests.collector.running import wait_until
from tests.collector.stores import EMBEDDED
from tests.collector.test_archive import DAY_NS, UNITS, exported, fill, run, wait
from tests.collector.test_backfilling import rows, station  # noqa: F401 - a fixture
from tests.collector.test_units import DIGESTS, KEY, Station
from tests.servers import free_port

pytestmark = pytest.mark.skipif(find_spec("moto") is None, reason="moto is NOT INSTALLED")
ACCOUNT = {"AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "something"}


@pytest.fixture(scope="module")
def server():
    """The address of a server that keeps objects in memory."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"127.0.0.1:{port}"
    try:
        wait_until(lambda: is_up(address), within_s=60)
        yield address
    finally:
        process.terminate()
        process.wait()


def is_up(address: str) -> bool:
    try:
        return httpx.get(f"http://{address}/moto-api/").is_success
    except httpx.TransportError:
        return False


@pytest.fixture
def bucket(server, monkeypatch, request):
    """The address of an empty bucket, and what has to follow a path in it."""
    for name, text in ACCOUNT.items():
        monkeypatch.setenv(name, text)
    name = re.sub(r"\W+", "-", request.node.name.replace("_", "-"))[:60].strip("-").lower()
    httpx.put(f"http://{server}/{name}").raise_for_status()
    return f"s3://{name}", f"?scheme=http&endpoint_override={server}&region=us-east-1"


def test_an_archive_in_a_bucket_is_lossless(bucket, tmp_path):
    """Days leave the store, both tiers together stay as they were, and an erasure reaches them."""
    url, access = bucket
    files = ArchiveFiles(f"{url}/cold{access}")
    (tmp_path / "digest.key").write_bytes(KEY)
    kept = Station(tmp_path, EMBEDDED)
    fill(kept, range(UNITS))
    wait(kept)
    before = exported(kept, files)
    assert len(before) == UNITS
    moved = run(kept, files)
    assert moved
    assert kept.query("SELECT count(*) FROM unit") != [(UNITS,)]
    assert exported(kept, files) == before
    kept.now_ns += 3 * DAY_NS  # the rest, into files that exist
    run(kept, files)
    assert kept.query("SELECT count(*) FROM unit") == [(0,)]
    assert exported(kept, files) == before
    ArchiveEraser(files, Subject("user", "default", "user 1"), DIGESTS).erase()
    assert len(exported(kept, files)) == UNITS // 2
    kept.close()


def test_a_backfill_reads_and_writes_a_bucket(bucket, station, capsys):  # noqa: F811 - the fixture
    """As a directory: a second run finds all of it done."""
    url, access = bucket
    before = rows(station)
    local = station.config.parent / "units.parquet"
    assert cli(station, "export", "--records", "--output", str(local)) == 0
    system, place = fs.FileSystem.from_uri(f"{url}/units.parquet{access}")
    with system.open_output_stream(place) as stream:
        stream.write(local.read_bytes())
    station.change("DELETE FROM evaluation")
    source, output = f"{url}/units.parquet{access}", f"{url}/some/results{access}"
    wanted = ("backfill", "--engine", "plain", "--from", source, "--output", output)
    capsys.readouterr()
    assert cli(station, *wanted) == 0
    assert capsys.readouterr().out.startswith("7 units: 5 done")
    system, folder = fs.FileSystem.from_uri(output)
    table = ds.dataset(folder, filesystem=system, format="parquet").to_table().to_pylist()
    found = sorted(
        (row["trace_id"], row["evaluation_metric"], row["evaluation_label"]) for row in table
    )
    assert found == [(row[0], row[1], row[3]) for row in before]
    assert cli(station, *wanted) == 0
    assert capsys.readouterr().out == "0 units: nothing to do\n"


def test_a_bucket_that_is_not_there_is_one_sentence(bucket, station, capsys):  # noqa: F811 - the fixture
    """And exit code 2, before anything is evaluated."""
    _, access = bucket
    wanted = ("backfill", "--engine", "plain", "--output", f"s3://nowhere/results{access}")
    assert cli(station, *wanted) == 2
    said = capsys.readouterr()
    assert not said.out
    assert re.search(
        r"cannot write to s3://nowhere/results\S*: Bucket 'nowhere' not found", said.err
    )
    assert "Traceback" not in said.err


def cli(station, *arguments):  # noqa: F811 - the fixture's value
    return main([*arguments, "--config", str(station.config)])
