from __future__ import annotations

import asyncio
import stat
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlobs_collector.errors import RetryableError
from sqlobs_collector.journal import files
from sqlobs_collector.journal.entry import START, Entry, Place
from sqlobs_collector.journal.log import JournalLog, identity_of
from sqlobs_collector.journal.reader import JournalReader
from sqlobs_collector.journal.room import JournalLimits
from sqlobs_collector.journal.writer import JournalWriter

HOUR_NS = 3600 * 10**9
NOON_NS = 1_800_014_400 * 10**9
"""2027-01-15 12:00 UTC."""
ROOMY = JournalLimits(max_bytes=10**9, min_free_bytes=0)


def entry(number: int, *, body: bytes = b"body") -> Entry:
    return Entry("sales", "logs", str(number), "identity", 1, body)


class Clock:
    def __init__(self, now_ns: int = NOON_NS) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        return self.now_ns


def writer(directory, *, limits=ROOMY, clock=None) -> JournalWriter:
    return JournalWriter(directory, limits=limits, clock_ns=clock or Clock())


def log_in(directory, *, clock=None) -> JournalLog:
    return JournalLog(directory, file_bytes=2**30, clock_ns=clock or Clock())


def read_all(directory, *, limit_bytes=1) -> list[tuple[Place, str]]:
    reader, place, found = JournalReader(directory, identity_of(directory)), START, []
    while (reading := reader.read(place, limit_bytes=limit_bytes)).place != place:
        found += [(one.place, one.entry.subject) for one in reading.entries]
        place = reading.place
    reader.close()
    return found


def noon(hours: int = 0) -> int:
    """The first sequence of a file that is begun some hours after noon."""
    return (NOON_NS + hours * HOUR_NS) // 1000


def test_entries_are_read_in_the_order_they_were_acknowledged(tmp_path):
    """Across hours, and across a clock that went back, positions only grow."""
    clock = Clock()
    journal = writer(tmp_path, clock=clock)

    async def write() -> None:
        journal.start()
        for number, hours in enumerate([0, 0, 1, 0, 2]):
            clock.now_ns = NOON_NS + hours * HOUR_NS
            await journal.append(entry(number))
        await asyncio.to_thread(journal.stop)

    asyncio.run(write())
    assert read_all(tmp_path) == [
        (Place(noon() + 1, 1, 1), "0"),
        (Place(noon() + 2, 2, 2), "1"),
        (Place(noon(1) + 1, 3, 3), "2"),
        (Place(noon(1) + 2, 4, 4), "3"),
        (Place(noon(2) + 1, 5, 5), "4"),
    ]
    assert files.segment_names(tmp_path) == [files.segment_name(noon(hours)) for hours in range(3)]


def test_a_new_process_never_appends_to_an_existing_file(tmp_path):
    """After a restart with the clock behind, entries still go behind the newest file."""
    for hours in (1, 0):
        journal = writer(tmp_path, clock=Clock(NOON_NS + hours * HOUR_NS))

        async def write(journal=journal, hours=hours) -> None:
            journal.start()
            await journal.append(entry(hours))
            await asyncio.to_thread(journal.stop)

        asyncio.run(write())
    assert read_all(tmp_path) == [
        (Place(noon(1) + 1, 1, 1), "1"),
        (Place(noon(1) + 3, 2, 2), "0"),
    ]


@settings(deadline=None)  # it waits for the disk
@given(sizes=st.lists(st.integers(0, 50), max_size=12), limit_bytes=st.integers(1, 120))
def test_a_read_of_any_size_leaves_nothing_out(tmp_path_factory, sizes, limit_bytes):
    """However reads are cut, together they give every entry once, in order."""
    directory = tmp_path_factory.mktemp("journal")
    log = log_in(directory)
    entries = [entry(number, body=bytes(size)) for number, size in enumerate(sizes)]
    log.append(entries, received_ns=NOON_NS)
    log.close()
    found = read_all(directory, limit_bytes=limit_bytes)
    assert [subject for _, subject in found] == [str(number) for number in range(len(sizes))]


def test_many_requests_share_a_commit_and_each_gets_its_answer(tmp_path):
    """Concurrent appends are all durable; the reader sees each once."""
    journal = writer(tmp_path)

    async def write() -> None:
        journal.start()
        await asyncio.gather(*(journal.append(entry(number)) for number in range(600)))
        await asyncio.to_thread(journal.stop)

    asyncio.run(write())
    assert sorted(int(subject) for _, subject in read_all(tmp_path)) == list(range(600))


def test_stop_writes_queued_records_and_rejects_new_ones(tmp_path):
    """Draining: what was handed over before `stop` is durable, what comes after is rejected."""
    journal = writer(tmp_path)

    async def write() -> None:
        journal.start()
        waiting = [asyncio.create_task(journal.append(entry(number))) for number in range(20)]
        await asyncio.sleep(0)
        await asyncio.to_thread(journal.stop)
        await asyncio.gather(*waiting)
        with pytest.raises(RetryableError, match="stopping"):
            await journal.append(entry(20))

    asyncio.run(write())
    journal.stop()
    assert len(read_all(tmp_path)) == 20


def test_files_are_for_their_owner_only(tmp_path):
    """The journal holds raw questions and SQL."""
    log = log_in(tmp_path / "journal")
    log.append([entry(1)], received_ns=NOON_NS)
    log.set_aside(files.segment_name(noon()))
    log.close()
    modes = {path.suffix: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {".log": 0o600, ".mark": 0o600, "": 0o700}


async def append_until_refused(journal: JournalWriter) -> None:
    while True:
        await journal.append(entry(0))


def test_a_full_journal_rejects_requests_until_there_is_space(tmp_path):
    """Beyond `max_bytes` nothing is written and nothing is acknowledged."""
    journal = writer(tmp_path, limits=JournalLimits(max_bytes=6_000, min_free_bytes=0))

    async def write() -> int:
        journal.start()
        kept = 0
        for _ in range(3):
            await journal.append(entry(kept, body=bytes(2000)))
            kept += 1
        with pytest.raises(RetryableError, match=r"journal\.max_bytes") as caught:
            await append_until_refused(journal)
        assert caught.value.reason == "journal_full"
        await asyncio.to_thread(journal.stop)
        return kept

    kept = asyncio.run(write())
    assert len(read_all(tmp_path)) == kept == 3


@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_full_journal_accepts_requests_again_after_it_was_projected(tmp_path, is_restarted):
    """However short the time in which it filled: projected files go, the oldest first."""
    limits = JournalLimits(max_bytes=1_000_000, min_free_bytes=0)
    journal = writer(tmp_path, limits=limits)

    async def fill() -> int:
        journal.start()
        for number in range(100):
            try:
                await journal.append(entry(number, body=bytes(20_000)))
            except RetryableError:
                break
        if is_restarted:
            await asyncio.to_thread(journal.stop)
        return number

    async def go_on(first: int) -> None:
        goes_on = writer(tmp_path, limits=limits) if is_restarted else journal
        goes_on.retire(files.segment_names(tmp_path)[-1])
        if is_restarted:
            goes_on.start()
        for number in range(first, first + 10):
            await goes_on.append(entry(number, body=bytes(20_000)))
        await asyncio.to_thread(goes_on.stop)

    async def write() -> int:
        kept = await fill()
        await go_on(kept)
        return kept

    kept = asyncio.run(write())
    left = [int(subject) for _, subject in read_all(tmp_path)]
    assert left == list(range(left[0], kept + 10))
    assert 0 < left[0] < kept


@given(st.lists(st.integers(0, 4 * 10**15), min_size=1))
def test_names_of_files_sort_like_the_sequences_that_they_tell(sequences):
    """A name is the time of a sequence, to the microsecond."""
    names = [files.segment_name(sequence) for sequence in sequences]
    assert [files.sequence_of(name) for name in sorted(names)] == sorted(sequences)


def test_low_disk_space_rejects_requests_before_the_disk_is_full(tmp_path):
    """The watch leaves room for the store and for other programs."""
    journal = writer(tmp_path, limits=JournalLimits(max_bytes=10**9, min_free_bytes=2**62))

    async def write() -> None:
        journal.start()
        with pytest.raises(RetryableError, match="bytes free") as caught:
            await journal.append(entry(1))
        assert (caught.value.reason, caught.value.retry_after_s) == ("disk_full", 3)
        await asyncio.to_thread(journal.stop)

    asyncio.run(write())
    assert read_all(tmp_path) == []


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MiB; needs the right to mount."""
    mount_point = tmp_path / "small"
    mount_point.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount_point)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a file system")
    yield mount_point
    subprocess.run(["umount", str(mount_point)], check=True)


def test_a_full_disk_loses_no_acknowledged_entry(small_disk):
    """SQLite says full: refused, to be sent again; everything acknowledged can be read."""
    journal = writer(small_disk)

    reasons: set[str] = set()

    async def write() -> list[int]:
        journal.start()
        kept = []
        for number in range(40):
            try:
                await journal.append(entry(number, body=bytes(60_000)))
                kept.append(number)
            except RetryableError as error:
                reasons.add(error.reason)
        await asyncio.to_thread(journal.stop)
        return kept

    kept = asyncio.run(write())
    assert 0 < len(kept) < 40
    assert reasons == {"journal_error"}
    assert [int(subject) for _, subject in read_all(small_disk)] == kept
