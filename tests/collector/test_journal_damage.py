"""Damage to the journal's files: what it destroys is counted, and nothing else is lost."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlobs_collector.cli import main
from sqlobs_collector.journal.entry import START, Lost, Place
from sqlobs_collector.journal.files import QUARANTINE, segment_names
from sqlobs_collector.journal.log import JournalLog
from sqlobs_collector.journal.reader import JournalReader
from sqlobs_collector.store.embedded import FILE_NAME
from tests.collector import records
from tests.collector.damage import Rounds
from tests.collector.running import wait_until
from tests.collector.test_journal import NOON_NS, Clock, entry
from tests.collector.test_units import unit

if TYPE_CHECKING:
    from pathlib import Path


def send(collector, *numbers: int) -> httpx.Response:
    request = records.logs(*(unit(number) for number in numbers))
    return httpx.post(
        f"{collector.http}/v1/logs",
        content=request.SerializeToString(),
        headers={"Content-Type": "application/x-protobuf"},
    )


def post(collector, *numbers: int) -> int:
    return send(collector, *numbers).status_code


def stored(collector) -> list[str]:
    with closing(sqlite3.connect(collector.config.data_dir / FILE_NAME)) as connection:
        query = "SELECT span_id FROM unit ORDER BY span_id"
        return [identity for (identity,) in connection.execute(query)]


def spans(*numbers: int) -> list[str]:
    return [records.span_id(number).hex() for number in numbers]


def files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.glob("journal-*") if path.is_file())


def ready(collector) -> dict:
    return httpx.get(f"{collector.admin}/readyz", timeout=20).json()


@pytest.fixture
def journal(tmp_path) -> Path:
    return tmp_path / "data" / "journal"


def test_a_journal_removed_while_the_collector_is_stopped_hides_no_later_unit(launch, journal):
    """Positions in the new journal are not those of the old one."""
    first = launch()
    for number in range(5):
        assert post(first, number) == 200
    wait_until(lambda: stored(first) == spans(*range(5)))
    first.stop()
    shutil.rmtree(journal)
    second = launch()
    assert post(second, 5) == 200
    wait_until(lambda: stored(second) == spans(*range(6)))


@pytest.mark.parametrize("removed", ["files", "directory"])
def test_files_removed_while_the_collector_runs_cost_nothing(launch, journal, removed):
    """What comes next goes to a new file; the collector notices before it acknowledges."""
    collector = launch()
    assert post(collector, 0) == 200
    if removed == "files":
        for path in files(journal):
            path.unlink()
    else:
        shutil.rmtree(journal)
    assert post(collector, 1) == 200
    wait_until(lambda: stored(collector) == spans(0, 1))
    collector.stop()
    again = launch()
    assert post(again, 2) == 200
    wait_until(lambda: stored(again) == spans(0, 1, 2))


def test_a_damaged_file_that_is_projected_stops_nothing(launch, journal, capsys):
    """Intake and projection continue; `replay` names the file and reads the others."""
    first = launch()
    assert post(first, 0) == 200
    wait_until(lambda: stored(first) == spans(0))
    first.stop()
    for path in files(journal):
        path.write_bytes(b"\xff" * path.stat().st_size)
    second = launch()
    assert post(second, 1) == 200
    wait_until(lambda: stored(second) == spans(0, 1))
    assert ready(second)["ready"]
    second.stop()
    capsys.readouterr()
    assert main(["replay", "--data-dir", str(second.config.data_dir)]) in {0, 1}
    assert "Traceback" not in capsys.readouterr().err


def metric(collector, name: str) -> float:
    page = httpx.get(f"{collector.admin}/metrics").text
    [line] = [one for one in page.splitlines() if one.startswith(f"sqlobs_collector_{name}{{")]
    return float(line.rpartition(" ")[2])


class LockedStore:
    """Keeps the projector from storing while it is open."""

    def __init__(self, collector) -> None:
        path = collector.config.data_dir / FILE_NAME
        self._connection = sqlite3.connect(path, isolation_level=None)

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def test_journal_damage_is_counted_and_quarantined_while_the_collector_receives(launch, journal):
    """Of three acknowledged requests the second cannot be read any more."""
    collector = launch()
    wait_until(lambda: ready(collector)["ready"])
    with LockedStore(collector):
        assert [post(collector, 0), post(collector, 1, 2), post(collector, 3)] == [200] * 3
        assert metric(collector, "journal_unprojected_records") == 4
        [path] = files(journal)
        content = bytearray(path.read_bytes())
        content[content.index(records.span_id(2))] ^= 1
        path.write_bytes(content)
    wait_until(lambda: stored(collector) == spans(0, 3))
    wait_until(lambda: ready(collector)["journal"]["quarantined_files"] == [path.name])
    assert post(collector, 4) == 200
    wait_until(lambda: stored(collector) == spans(0, 3, 4))
    found = wait_until(lambda: (one := ready(collector))["journal"]["lag_s"] == 0 and one)
    assert found.pop("store_trouble") in {None, "locked"}  # by this test, a moment ago
    assert found == {
        "ready": True,
        "reasons": [],
        "journal": {
            "unprojected_records": 0,
            "lag_s": 0.0,
            "lost_requests": 1,
            "lost_records": 2,
            "quarantined_files": [path.name],
        },
    }
    shown = {
        "journal_lost_requests": 1,
        "journal_lost_records": 2,
        "journal_quarantined_files": 1,
        "journal_unprojected_records": 0,
        "journal_lag_seconds": 0,
    }
    assert {name: metric(collector, name) for name in shown} == shown
    collector.stop()
    again = launch()
    assert ready(again)["journal"]["lost_records"] == 2


@pytest.mark.parametrize("kept", [0, 0.5])
def test_the_end_of_the_current_file_is_cut_off_and_intake_goes_on(launch, journal, kept):
    """The collector finds out by itself, without a request, and begins another file."""
    collector = launch()
    wait_until(lambda: ready(collector)["ready"])
    with LockedStore(collector):
        assert [post(collector, number) for number in range(10)] == [200] * 10
        [path] = files(journal)
        with path.open("r+b") as file:
            file.truncate(int(path.stat().st_size * kept))
        wait_until(lambda: len(files(journal)) == 2)
    wait_until(lambda: metric(collector, "journal_unprojected_records") == 0)
    left = len(stored(collector))
    assert left == (0 if kept == 0 else len(stored(collector))) < 10
    assert ready(collector)["journal"]["lost_records"] == 10 - left
    assert wait_until(lambda: ready(collector)["journal"]["quarantined_files"]) == [path.name]


def test_an_older_copy_of_the_store_is_brought_up_to_date(launch, tmp_path):
    """The journal tells what the copy does not know yet; nothing is counted as lost."""
    first = launch()
    assert post(first, 0) == 200
    wait_until(lambda: stored(first) == spans(0))
    first.stop()
    store = tmp_path / "data" / FILE_NAME
    shutil.copyfile(store, tmp_path / "copy")
    second = launch()
    assert post(second, 1) == 200
    wait_until(lambda: stored(second) == spans(0, 1))
    second.stop()
    shutil.copyfile(tmp_path / "copy", store)
    third = launch()
    wait_until(lambda: stored(third) == spans(0, 1))
    assert ready(third)["journal"]["lost_records"] == 0


def test_files_that_cannot_grow_give_503_and_not_ready_until_they_can(launch):
    """Readiness comes from a write, even where no request comes; recovery needs no restart."""
    collector = launch()
    assert post(collector, 0) == 200
    wait_until(lambda: stored(collector) == spans(0))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        found = wait_until(lambda: not (one := ready(collector))["ready"] and one)
        assert found["reasons"] == ["the journal cannot be written: [Errno 27] File too large"]
        refused = send(collector, 1)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    wait_until(lambda: ready(collector)["ready"])
    assert post(collector, 1) == 200
    wait_until(lambda: stored(collector) == spans(0, 1))


def test_a_file_of_another_journal_is_not_read(launch, journal, tmp_path):
    """Its units are not ours; it is kept aside, to be replayed on purpose."""
    other = launch(data_dir=tmp_path / "other")
    assert post(other, 7) == 200
    other.stop()
    first = launch()
    assert post(first, 0) == 200
    first.stop()
    [theirs] = files(tmp_path / "other" / "journal")
    shutil.copyfile(theirs, journal / theirs.name)
    second = launch()
    assert post(second, 1) == 200
    wait_until(lambda: ready(second)["journal"]["quarantined_files"] == [theirs.name])
    wait_until(lambda: stored(second) == spans(0, 1))
    second.stop()
    aside = journal / QUARANTINE
    assert main(["replay", "--data-dir", str(tmp_path / "data"), "--journal", str(aside)]) == 0
    assert stored(second) == spans(0, 1, 7)


DAMAGES = {
    "cut": lambda content, at: content[:at],
    "flip": lambda content, at: content[:at] + bytes([content[at] ^ 64]) + content[at + 1 :],
    "blank": lambda content, at: content[:at] + bytes(len(content[at:])),
    "insert": lambda content, at: content[:at] + b"noise" + content[at:],
    "drop": lambda content, at: content[:at] + content[at + 7 :],
}


@settings(deadline=None, max_examples=60)  # it waits for the disk
@given(data=st.data())
def test_entries_and_losses_add_up_whatever_happens_to_the_files(tmp_path_factory, data):
    """Several files, several damages, a restart between: all that was acknowledged is accounted."""
    directory = tmp_path_factory.mktemp("journal") / "journal"
    clock, count = Clock(), 0
    for _ in range(data.draw(st.integers(1, 3), "runs")):
        log = JournalLog(directory, file_bytes=600, clock_ns=clock)
        for size in data.draw(st.lists(st.integers(0, 400), max_size=5), "sizes"):
            log.append([entry(count, body=b"b" * size)], received_ns=clock.now_ns)
            count += 1
        log.close()
    for name in segment_names(directory):
        damage = data.draw(st.sampled_from([None, None, "remove", *DAMAGES]), name)
        if damage == "remove":
            (directory / name).unlink()
        elif damage is not None:
            content = (directory / name).read_bytes()
            at = data.draw(st.integers(0, len(content) - 1))
            (directory / name).write_bytes(DAMAGES[damage](content, at))
    log = JournalLog(directory, file_bytes=600, clock_ns=clock)
    log.append([entry(count)], received_ns=clock.now_ns)
    read, lost = everything(directory, log)
    log.close()
    assert sorted(set(read)) == sorted(read)
    assert read[-1] == count
    assert (len(read) + lost.entries, lost.records) == (count + 1, lost.entries)


def everything(directory: Path, log: JournalLog) -> tuple[list[int], Lost]:
    reader, place, lost = JournalReader(directory, log.identity, held=log.held), START, Lost()
    read: list[int] = []
    while (reading := reader.read(place, limit_bytes=100)).place != place:
        read += [int(one.entry.subject) for one in reading.entries]
        place, lost = reading.place, lost.plus(reading.lost)
    reader.close()
    return read, lost


@pytest.mark.parametrize("is_removed", [True, False], ids=["removed", "replaced"])
def test_a_removed_file_is_restored_from_its_open_descriptor(tmp_path, is_removed):
    """Nobody who deletes or replaces a file of the journal takes an entry with it."""
    directory = tmp_path / "journal"
    log = JournalLog(directory, file_bytes=2**20, clock_ns=Clock())
    log.append([entry(0), entry(1)], received_ns=NOON_NS)
    [name] = segment_names(directory)
    content = (directory / name).read_bytes()
    (directory / name).unlink()
    if not is_removed:
        (directory / name).write_bytes(b"another")
    log.append([entry(2)], received_ns=NOON_NS)
    assert (directory / name).read_bytes() == content
    assert [path.read_bytes() for path in directory.glob(f"{QUARANTINE}/*")] == (
        [] if is_removed else [b"another"]
    )
    assert everything(directory, log) == ([0, 1, 2], Lost())
    log.close()


def test_unfinished_files_of_a_killed_process_are_removed(tmp_path):
    """Nothing acknowledged is in it: a file gets its name once it is durable."""
    directory = tmp_path / "journal"
    directory.mkdir()
    (directory / ".journal-20270115T120000.000000.log.new").write_bytes(b"half")
    log = JournalLog(directory, file_bytes=2**20, clock_ns=Clock())
    log.append([entry(0)], received_ns=NOON_NS)
    log.close()
    assert [path.name for path in directory.iterdir()] == segment_names(directory)


def test_no_sequence_is_used_twice_where_nothing_remembers_it(tmp_path):
    """Journal and mark are gone: what comes next is behind what was, by the clock."""
    clock, places = Clock(), []
    for _ in range(3):
        log = JournalLog(tmp_path / "journal", file_bytes=2**20, clock_ns=clock)
        log.append([entry(0)], received_ns=clock.now_ns)
        places.append(log.acknowledged)
        log.close()
        shutil.rmtree(tmp_path / "journal")
        (tmp_path / "journal.mark").unlink()
        clock.now_ns += 10**9
    assert places == sorted(set(places))
    log = JournalLog(tmp_path / "journal", file_bytes=2**20, clock_ns=Clock(0))
    log.resume(Place(places[-1].sequence, 7, 7))
    log.append([entry(0)], received_ns=0)
    assert log.acknowledged == Place(places[-1].sequence + 2, 8, 8)
    log.close()


def test_a_directory_without_permissions_gives_503_until_they_are_restored(launch, journal):
    """Permissions taken away and given back."""
    collector = launch()
    assert post(collector, 0) == 200
    journal.chmod(0)
    try:
        if os.access(journal, os.X_OK):
            pytest.skip("this user may use any directory: nothing of this test ran")
        assert post(collector, 1) == 503
        assert not ready(collector)["ready"]
    finally:
        journal.chmod(0o700)
    assert post(collector, 1) == 200
    wait_until(lambda: stored(collector) == spans(0, 1))


@pytest.mark.slow
def test_rounds_of_damage_and_kills_lose_only_what_is_reported(tmp_path):
    """A few of the rounds of `python -m tests.collector.damage`; each checks itself."""
    outcome = Rounds(tmp_path, seed=3).run(2)
    assert outcome.rounds.total() == 2
    assert outcome.missing <= outcome.reported <= outcome.missing + outcome.doubtful
    assert outcome.stored == outcome.acknowledged - outcome.missing > 0
