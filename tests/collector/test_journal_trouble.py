"""A journal that cannot be written is told to the other processes on the store."""

from __future__ import annotations

import asyncio
import re
import time

import httpx
import pytest
from sqlalchemy import event

from sqlobs_collector.errors import RetryableError
from sqlobs_collector.journal.room import JournalLimits
from sqlobs_collector.journal.writer import TROUBLES, JournalWriter
from sqlobs_collector.sharing.journal_trouble import JournalTrouble, StoppedJournals
from sqlobs_collector.store import journals
from sqlobs_collector.store.journals import Standing, StoppedJournal, StoppedJournalReader
from sqlobs_collector.store.writing import Store
from tests.collector.conftest import launching
from tests.collector.running import wait_until
from tests.collector.stores import on_both

store_kind = on_both()
FULL = RetryableError("the disk has 0 bytes free", reason="disk_full")


class Journal:
    """As much of a journal as is looked at."""

    identity = b"journal"
    trouble: str | None = None


def test_trouble_is_known_while_it_lasts(engine):
    """How far the journal was projected stays as it was."""
    store, reader, journal = Store(engine), StoppedJournalReader(engine), Journal()
    standing = Standing(sequence=7, entries=5, records=4)
    with store.writing() as writer:
        writer.journals.put(journal.identity, standing)
    teller = JournalTrouble(journal, store)
    teller.tell()
    assert reader.stopped() == []
    journal.trouble = "disk_full"
    teller.tell()
    [found] = reader.stopped()
    assert found.reason == "disk_full"
    assert found.host
    journal.trouble = None
    teller.tell()
    assert reader.stopped() == []
    with store.writing() as writer:
        assert writer.journals.get(journal.identity) == standing


def test_metrics_ask_once_for_all_reasons(engine):
    """Also while no journal has a trouble: 0 by reason."""
    with Store(engine).writing() as writer:
        for number, reason in enumerate(("disk_full", "disk_full", "journal_full")):
            writer.journals.put_trouble(bytes([number]), f"web-{number}", reason)
    asked = []
    event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    [family] = StoppedJournals(StoppedJournalReader(engine)).collect()
    counts = {one.labels["reason"]: one.value for one in family.samples}
    assert counts == {**dict.fromkeys(TROUBLES, 0), "disk_full": 2, "journal_full": 1}
    assert sum("SELECT" in one for one in asked) == 1


def test_what_another_process_told_of_this_journal_is_over(engine):
    """It was killed while its disk was full."""
    store, journal = Store(engine), Journal()
    with store.writing() as writer:
        writer.journals.put_trouble(journal.identity, "web-1", "disk_full")
    assert StoppedJournalReader(engine).stopped() == [StoppedJournal("web-1", "disk_full")]
    JournalTrouble(journal, store).tell()
    assert StoppedJournalReader(engine).stopped() == []


def test_a_process_that_no_longer_tells_is_not_shown(engine, monkeypatch):
    """It has ended; that it does not answer is another alert."""
    with Store(engine).writing() as writer:
        writer.journals.put_trouble(b"journal", "web-1", "disk_full")
    monkeypatch.setattr(journals, "SILENT_S", -1)
    assert StoppedJournalReader(engine).stopped() == []


def test_a_journal_without_trouble_writes_nothing(engine):
    """A store that is asked every other second would be the most asked of all."""
    store, journal = Store(engine), Journal()
    teller = JournalTrouble(journal, store)
    teller.tell()
    engine.dispose()
    store.writing = None
    teller.tell()


def test_a_failed_write_is_repeated_without_requests(tmp_path):
    """The trouble ends with what caused it, although nobody sends anything meanwhile."""

    async def start():
        writer.start()

    writer = JournalWriter(tmp_path, limits=JournalLimits(10**9, 0))
    asyncio.run(start())
    try:
        writer._attempt(_fail)
        assert writer.trouble == "journal_error"
        wait_until(lambda: writer.trouble is None)
    finally:
        writer.stop()


@pytest.mark.postgres
def test_the_console_and_metrics_of_another_process_tell_it(databases, tmp_path, monkeypatch):
    """Those of the singleton and of the console, which have journals or none of their own."""
    kind = databases.migrated()
    with launching(tmp_path, kind) as launch:
        shared = {"golden__digest_key": "the same everywhere"}
        console, singleton, receiver = (
            launch(data_dir=tmp_path / roles, roles=roles, **shared)
            for roles in ("console", "singleton", "receive")
        )

        def told():
            time.sleep(0.2)
            page = httpx.get(f"{console.admin}/", headers=console.bearer).text
            pattern = r'sqlobs_collector_journals_stopped\{[^}]*reason="(\w+)"[^}]*\} (\S+)'
            counts = {reason: float(value) for reason, value in re.findall(
                pattern, singleton.metrics())}  # fmt: skip
            return "Nothing new arrives through" in page and "disk_full" in page, counts

        none = dict.fromkeys(TROUBLES, 0.0)
        wait_until(lambda: told() == (False, none))
        room = receiver.service._journaling.journal._room
        monkeypatch.setattr(room, "shortage", lambda: FULL)
        wait_until(lambda: told() == (True, {**none, "disk_full": 1.0}))
        monkeypatch.undo()
        wait_until(lambda: told() == (False, none))


def _fail():
    raise OSError(5, "Input/output error")
