"""What the collector does not take, kept on disk for this process or the next."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from sqlobs.tracing.sending.collector_client import CollectorClient
from sqlobs.tracing.sending.spool import Spool
from sqlobs.tracing.sending.unit_sender import UnitSender
from tests.telemetry.records import INVENTED, SPAN, record

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs file locks of POSIX")

AWAY = "http://127.0.0.1:9"
LIMITS = {"most_bytes": 1_000_000, "most_age_s": 3600}


def spool_at(directory, **changes):
    """A spool, by default for raw units to a collector that is away."""
    options = {**LIMITS, "endpoint": AWAY, "capture": "raw", **changes}
    return Spool(directory, **options)


def sent(spool):
    """The payloads that a process would send, each once."""
    found = []
    while (claim := spool.claim()) is not None:
        with claim:
            found.append(claim.payload)
            claim.is_done = True
    return found


class Host:
    """A process with a sender."""

    def __init__(self, endpoint, directory, **changes):
        self.lost = 0
        self.sender = UnitSender(
            CollectorClient(endpoint),
            resource=lambda: {"service.name": "assistant"},
            failed=self._lose,
            spool=spool_at(directory, endpoint="the collector", **changes),
        )

    def _lose(self, count):
        self.lost += count

    def send(self, *numbers):
        """Send units whose spans have these numbers."""
        for number in numbers:
            self.sender.send(record(INVENTED, span=replace(SPAN, span_id=number)))


def came(collector):
    """The numbers of the units that came, in order."""
    return [int.from_bytes(log.span_id, "big") for log in collector.logs]


# -- files ----------------------------------------------------------------------------------------


def test_requests_are_kept_in_order_and_given_once(tmp_path):
    """Another process gets what this one has left."""
    spool = spool_at(tmp_path / "spool")
    assert all(spool.keep(f"request {number}".encode(), 10) for number in range(3))
    assert spool.pending == 30
    assert sent(spool_at(tmp_path / "spool")) == [b"request 0", b"request 1", b"request 2"]
    assert spool.claim() is None
    assert spool.pending == 0, "another process has sent them"


def test_only_the_owner_may_read(tmp_path):
    """Units hold questions and SQL."""
    spool_at(tmp_path / "spool").keep(b"x", 1)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "spool").iterdir()]
    assert modes == [0o600, 0o600]  # the request, and the lock
    assert stat.S_IMODE((tmp_path / "spool").stat().st_mode) == 0o700


def test_a_directory_that_others_may_write_to_is_not_used(tmp_path, caplog):
    """Somebody else could have units sent in our name; said once."""
    tmp_path.chmod(0o777)
    spool = spool_at(tmp_path)
    assert not spool.keep(b"x", 1)
    assert not spool.keep(b"x", 1)
    [said] = [entry.getMessage() for entry in caplog.records]
    assert said == (
        f"sqlobs: units cannot be kept in {tmp_path}: other users may write to it"
        " (logged once; they stay in memory)"
    )


def test_a_file_that_others_may_read_or_a_link_is_not_sent(tmp_path):
    """It is not a unit's file."""
    spool = spool_at(tmp_path)
    spool.keep(b"x", 1)
    [path] = tmp_path.glob("*.units")
    path.chmod(0o644)
    assert spool.claim() is None
    path.chmod(0o600)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert spool.claim() is None


def test_the_directory_holds_no_more_than_its_bytes(tmp_path):
    """Several processes together keep to the limit."""
    assert spool_at(tmp_path, most_bytes=1500).keep(b"x" * 1000, 1)
    assert not spool_at(tmp_path, most_bytes=1500).keep(b"x" * 1000, 1)
    assert spool_at(tmp_path, most_bytes=1500).keep(b"x" * 400, 1)


def test_what_is_too_old_is_deleted_and_counted(tmp_path):
    """So are beginnings of files whose writer was killed."""
    spool = spool_at(tmp_path, most_age_s=0.001)
    spool.keep(b"x", 7)
    [path] = tmp_path.glob("*.units")
    (tmp_path / (path.name + ".part")).touch()
    time.sleep(0.01)
    assert spool.expire() == 7
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]
    assert spool.expire() == 0


@pytest.mark.parametrize(
    ("kept", "may_send", "is_sent"),
    [
        ("raw", "raw", True),
        ("raw", "masked", False),
        ("raw", "none", False),
        ("masked", "raw", True),
        ("masked", "none", False),
        ("none", "masked", True),
    ],
)
def test_no_process_sends_more_texts_than_it_may(tmp_path, kept, may_send, is_sent):
    """A process that is configured more strictly leaves the files alone."""
    spool_at(tmp_path, capture=kept).keep(b"x", 1)
    assert bool(sent(spool_at(tmp_path, capture=may_send))) is is_sent


def test_no_request_goes_to_another_collector(tmp_path):
    """Raw SQL is agreed with one of them."""
    spool_at(tmp_path).keep(b"x", 1)
    assert sent(spool_at(tmp_path, endpoint="http://other:4318")) == []


def test_what_one_process_sends_no_other_sends_meanwhile(tmp_path):
    """A lock ends with its process, however that ends."""
    spool = spool_at(tmp_path)
    spool.keep(b"x", 1)
    program = (
        "import pathlib, sys, time\n"
        "from tests.telemetry.test_spool import spool_at\n"
        f"claim = spool_at(pathlib.Path({str(tmp_path)!r})).claim()\n"
        "print(claim.count, flush=True)\n"
        "time.sleep(60)\n"
    )
    other = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    try:
        assert other.stdout.readline() == b"1\n"
        assert spool.claim() is None
    finally:
        other.kill()
        other.wait()
        other.stdout.close()
    assert sent(spool) == [b"x"]


def test_a_failed_claim_is_released(tmp_path):
    """Also where a child was forked meanwhile, which holds the same lock."""
    spool = spool_at(tmp_path)
    spool.keep(b"x", 1)
    read, write = os.pipe()
    claim = spool.claim()
    with claim:
        child = os.fork()
        if not child:
            os.read(read, 1)
            os._exit(0)
    assert sent(spool) == [b"x"]
    os.write(write, b"x")
    os.waitpid(child, 0)
    os.close(read)
    os.close(write)


# -- senders --------------------------------------------------------------------------------------


def test_the_next_process_sends_what_one_has_left(tmp_path, collector, caplog):
    """Nothing is lost, and the log says where it is."""
    host = Host(AWAY, tmp_path)
    host.send(*range(1, 41))
    assert not host.sender.drain(0.2)
    assert host.lost == 0
    assert caplog.records[-1].getMessage() == (
        f"sqlobs: units kept in {tmp_path}: 40; the next process sends them"
    )
    other = Host(collector.endpoint, tmp_path)
    other.send(99)
    collector.wait_for(2, "/v1/logs")
    assert other.sender.flush(10)
    assert sorted(came(collector)) == [*range(1, 41), 99]
    assert {str(one) for one in collector.resources("/v1/logs")} == {
        "{'service.name': 'assistant'}"
    }
    other.sender.close(1)


def test_a_collector_that_is_reachable_again_receives_the_kept_units(tmp_path, collector):
    """The process that has kept units sends them itself as soon as it can."""
    collector.status, collector.retry_after = 503, "60"
    host = Host(collector.endpoint, tmp_path)
    host.send(1, 2, 3)
    collector.wait_for(1, "/v1/logs")
    while not list(tmp_path.glob("*.units")):
        time.sleep(0.01)
    collector.requests.clear()
    collector.status = 200
    host.send(4)
    assert host.sender.flush(10)
    assert sorted(came(collector)) == [1, 2, 3, 4]
    assert list(tmp_path.glob("*.units")) == []
    host.sender.close(1)


def test_units_that_are_kept_survive_a_kill(tmp_path, collector):
    """They are on disk once the collector was found to be away."""
    child = os.fork()
    if not child:
        host = Host(AWAY, tmp_path)
        host.send(*range(1, 6))
        while not list(tmp_path.glob("*.units")):
            time.sleep(0.01)
        os._exit(1)
    os.waitpid(child, 0)
    host = Host(collector.endpoint, tmp_path)
    host.send(99)
    collector.wait_for(2, "/v1/logs")
    assert host.sender.flush(10)
    assert 99 in came(collector)
    assert set(came(collector)) & set(range(1, 6))
    host.sender.close(1)


def test_without_room_on_disk_memory_keeps_units_and_the_end_counts_them(tmp_path):
    """The spool's limit holds at the end, too."""
    host = Host(AWAY, tmp_path, most_bytes=10)
    host.send(1, 2, 3)
    host.sender.drain(0.2)
    assert host.lost == 3
    assert list(tmp_path.glob("*.units")) == []


def test_a_rejected_batch_leaves_the_spool(tmp_path, collector):
    """A wrong token is no reason to keep units forever."""
    host = Host(AWAY, tmp_path)
    host.send(1, 2)
    host.sender.drain(0.1)
    collector.status = 401
    other = Host(collector.endpoint, tmp_path)
    other.send(3)
    collector.wait_for(2, "/v1/logs")
    assert other.sender.flush(10)
    while list(tmp_path.glob("*.units")):
        time.sleep(0.01)
    other.sender.close(1)
    assert other.lost == 3
