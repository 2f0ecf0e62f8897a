"""Reading a journal again into the store: what is missing there is added, nothing is changed.

What comes this way is marked, and in no quality gauge: a replay says nothing about today.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError
from sqlobs_collector.journal.entry import Lost
from sqlobs_collector.journal.reader import JournalReader
from sqlobs_collector.store.database import is_trouble
from sqlobs_collector.units.batches import Batch, batch_of, put_apart

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs_collector.journal.entry import Place, Recorded
    from sqlobs_collector.sampling import RulesOf
    from sqlobs_collector.store.export import Selection
    from sqlobs_collector.store.writing import Store, StoreWriter
    from sqlobs_collector.subjects import SubjectDigests

_log = logging.getLogger(__name__)

_BATCH_BYTES: Final = 512 * 1024


@dataclass(slots=True)
class Replayed:
    """What a replay found."""

    entries: int = 0
    units: int = 0
    """Units in the period, those that are stored already among them."""
    new_units: int = 0
    reports: int = 0
    schemas: int = 0
    unreadable: int = 0
    """Records that cannot be read or stored."""
    lost: Lost = field(default_factory=Lost)
    """What was acknowledged between the entries that can be read, and cannot be read itself."""
    damaged: list[str] = field(default_factory=list)
    """The files that lack something."""
    caught_up: int = 0
    """Units that the collector itself had not come to; they are not replayed, but live."""

    @property
    def is_complete(self) -> bool:
        """Whether everything could be read."""
        return not (self.unreadable or self.lost.entries or self.damaged)

    def document(self) -> dict[str, object]:
        """Return it as a JSON object, for machines."""
        return {**asdict(self), "lost": self.lost._asdict()}

    def sentence(self, *, is_dry: bool = False) -> str:
        """Return it in words, for people."""
        verb = "would be" if is_dry else "are"
        said = f"{self.new_units} of {self.units} units in {self.entries} entries {verb} new"
        if self.caught_up:
            said += f"; {self.caught_up} units that the collector had not processed are stored"
        if self.unreadable:
            said += f"; {self.unreadable} unreadable records are skipped"
        if self.damaged or self.lost.entries:
            lost = f"{self.lost.entries} entries with {self.lost.records} records"
            said += f"; {lost} are lost in {len(self.damaged)} damaged files"
            said += "".join(f"\n  {name}" for name in self.damaged)
        return said


class Replay:
    """One run over the files of a journal."""

    def __init__(
        self,
        directory: Path,
        identity: bytes,
        store: Store,
        *,
        rules: RulesOf,
        digests: SubjectDigests,
        selection: Selection,
    ) -> None:
        """Set up.

        Args:
            directory: Where the journal's files lie.
            identity: Of the journal.
            store: Where to.
            rules: How to decide which units are evaluated.
            digests: Of whom requests are about: what was erased is not stored again.
            selection: Which units and reports, by the time of the request.
        """
        self._directory = directory
        self._identity = identity
        self._store = store
        self._rules = rules
        self._digests = digests
        self._selection = selection
        self._found = Replayed()

    def run(self, *, until: Place | None, is_dry: bool = False) -> Replayed:
        """Read the entries up to a place, and whatever is damaged only as far as it can be read.

        Args:
            until: The last place to read; None = all of them.
            is_dry: Count what would be stored, and store nothing.

        Raises:
            ConfigError: A file must not be read.
        """
        if not is_dry:
            self._follow(until, None)
            return self._found
        with self._store.trying() as writer:
            self._follow(until, writer)
        return self._found

    def _follow(self, until: Place | None, writer: StoreWriter | None) -> None:
        reader = JournalReader(self._directory, self._identity)
        try:
            self._read(reader, until, writer)
        except OSError as error:
            raise ConfigError(
                f"the journal in {self._directory} cannot be read ({error.strerror}): give this "
                "user the right to read its files"
            ) from error
        finally:
            reader.close()
        self._found.damaged = sorted(reader.damaged)
        for name in self._found.damaged:
            _log.error("journal file %s is damaged; the rest of it is read", name)

    def _read(self, reader: JournalReader, until: Place | None, writer: StoreWriter | None) -> None:
        place = reader.beginning()
        while (reading := reader.read(place, limit_bytes=_BATCH_BYTES)).place != place:
            place = reading.place
            self._found.lost = self._found.lost.plus(reading.lost)
            entries = reading.entries
            if until is not None:
                entries = [one for one in entries if one.place <= until]
            self._found.entries += len(entries)
            self._take(entries, writer)

    def _take(self, entries: Sequence[Recorded], writer: StoreWriter | None) -> None:
        try:
            self._put(entries, writer)
        except Exception as error:
            if is_trouble(error):
                raise
            for recorded in entries:
                put_apart(recorded, lambda alone: self._put([alone], writer), self._set_aside)

    def _put(self, entries: Sequence[Recorded], writer: StoreWriter | None) -> None:
        batch = self._selected(batch_of(entries, self._rules, self._digests))
        if writer is None:
            with self._store.writing() as own:
                stored = batch.put(own)
        else:
            with writer.all_or_nothing():
                stored = batch.put(writer)
        self._found.units += len(batch.units)
        self._found.new_units += len(stored.new)
        self._found.reports += len(batch.reports)
        self._found.schemas += len(batch.schemas)

    def _selected(self, batch: Batch) -> Batch:
        since_ns, until_ns = self._selection.since_ns, self._selection.until_ns
        return Batch(
            batch.digests,
            [
                unit._replace(provenance="replay")
                for unit in batch.units
                if since_ns <= unit.occurred_ns < until_ns
            ],
            batch.searchables,
            [one for one in batch.reports if since_ns <= one.occurred_ns < until_ns],
            batch.schemas,
            batch.about,
        )

    def _set_aside(self, recorded: Recorded) -> None:
        _log.exception("entry %s cannot be read or stored and is skipped", recorded.place)
        self._found.unreadable += 1
