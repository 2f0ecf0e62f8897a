"""The projector: one thread that turns journal entries into units, each exactly once in effect."""

from __future__ import annotations

import logging
import time
from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol

from sqlobs_collector.journal.entry import Lost, Place
from sqlobs_collector.pipeline_metrics import Step
from sqlobs_collector.polling_worker import AT_ONCE, PollingWorker
from sqlobs_collector.store.database import is_trouble
from sqlobs_collector.store.journals import Standing
from sqlobs_collector.units.batches import batch_of, put_apart
from sqlobs_collector.units.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlobs_collector.journal.entry import Recorded
    from sqlobs_collector.journal.reader import JournalReader, Reading
    from sqlobs_collector.journal.scrub import Scrub
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.sampling import RulesOf
    from sqlobs_collector.store.rows import Stored
    from sqlobs_collector.store.writing import Store
    from sqlobs_collector.subjects import SubjectDigests

_log = logging.getLogger(__name__)

BATCH_BYTES: Final = 512 * 1024
"""Bodies per transaction, as they lie in the journal."""
_POLL_S: Final = 2.0
DRAIN_S: Final = 10.0
"""What is left in the journal after this is projected at the next start."""


class Journal(Protocol):
    """The other end: anyone who writes the files that are read here."""

    @property
    def identity(self) -> bytes:
        """What the files have in common with no other journal's."""
        ...

    @property
    def acknowledged(self) -> Place:
        """The last entry that was acknowledged."""
        ...

    def retire(self, before: str) -> None:
        """Take notice: files whose names sort before this one are projected."""

    def rotate(self, name: str) -> None:
        """Have a file followed by another, if it is still written to; or begin one."""

    def set_aside(self, name: str) -> None:
        """Have a damaged file moved away that was read to its end."""


class Projector:
    """Follows the journal; the position and the rows it led to are one transaction."""

    def __init__(
        self,
        reader: JournalReader,
        store: Store,
        *,
        rules: RulesOf,
        digests: SubjectDigests,
        journal: Journal,
        flow: PipelineMetrics,
        on_units: Callable[[], None] = lambda: None,
        scrub: Scrub | None = None,
        drain_s: float = DRAIN_S,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._reader = reader
        self._store = store
        self._rules = rules
        self._digests = digests
        self._journal = journal
        self._flow = flow
        self._on_units = on_units
        self._scrub = scrub
        self._follower = PollingWorker("projector", self._poll, drain_s=drain_s)
        self.progress = Progress(acknowledged=lambda: journal.acknowledged, clock_ns=clock_ns)

    def start(self) -> None:
        """Begin to follow."""
        self._follower.start()

    def notify(self) -> None:
        """Take notice that the journal has grown."""
        self.progress.committed()
        self._follower.notify()

    def stop(self) -> None:
        """Project what the journal holds, as far as that goes in a time, then end; idempotent."""
        self._follower.stop()
        self._reader.close()
        if self._scrub is not None:
            self._scrub.close()

    def project(self) -> int:
        """Project the next entries; returns how many there were."""
        identity = self._journal.identity
        with self._store.writing() as writer:
            standing = writer.journals.get(identity)
        self.progress.standing = standing
        place = Place(standing.sequence, standing.entries, standing.records)
        reading = self._reader.read(place, limit_bytes=BATCH_BYTES)
        self.progress.found(reading)
        if reading.place != place:
            self._take(reading, _advanced(standing, reading))
        self._look_after(reading)
        return len(reading.entries)

    def _take(self, reading: Reading, standing: Standing) -> None:
        """Store what was read, with where this leads to."""
        try:
            self._put(reading.entries, standing=standing)
        except Exception as error:
            if is_trouble(error):
                raise
            self._put_one_by_one(reading.entries, standing)
        self.progress.standing = standing
        if reading.lost.entries:
            _log.error(
                "journal: %d acknowledged requests with %d records are lost",
                *reading.lost,
            )

    def _look_after(self, reading: Reading) -> None:
        """Tell the writer which files are done with, for good or for bad."""
        self._journal.retire(reading.name)
        if reading.is_newest_damaged:
            self._journal.rotate(self._reader.newest())
        for name in reading.damaged:
            self._journal.set_aside(name)
        if self._scrub is not None and not reading.entries:
            for name in self._scrub.look(before=reading.name):
                self._journal.set_aside(name)

    def _poll(self) -> float:
        return AT_ONCE if self.project() else _POLL_S

    def _put(self, entries: Sequence[Recorded], *, standing: Standing | None) -> None:
        """Store what entries say, in one transaction with the standing that this leads to."""
        batch = batch_of(entries, self._rules, self._digests)
        with self._store.writing() as writer:
            stored = batch.put(writer)
            writer.intake.accepted(stored.new)
            if standing is not None:
                writer.journals.put(self._journal.identity, standing)
        self._on_units()
        self._flow.units(_steps(stored))

    def _put_one_by_one(self, entries: Sequence[Recorded], standing: Standing) -> None:
        """Store each record by itself: one that cannot be stored does not stop the others."""
        for recorded in entries:
            put_apart(recorded, lambda alone: self._put([alone], standing=None), self._set_aside)
        with self._store.writing() as writer:
            writer.journals.put(self._journal.identity, standing)

    def _set_aside(self, recorded: Recorded) -> None:
        _log.exception("entry %s cannot be read or stored and is skipped", recorded.place)
        self._flow.rejected(signal=recorded.entry.kind, reason="unreadable")


def _steps(stored: Stored) -> Iterator[Step]:
    """Yield the states that stored units entered: all are received, most are decided too."""
    for row in stored.new:
        yield Step(row.origin, "received", None)
    for row in chain(stored.new, stored.replacing):
        if row.state != "held":
            yield Step(row.origin, row.state, row.reason)


def _advanced(standing: Standing, reading: Reading) -> Standing:
    """Return where a journal stands once a reading is stored."""
    lost = Lost(standing.lost_entries, standing.lost_records).plus(reading.lost)
    return Standing(*reading.place, *lost)
