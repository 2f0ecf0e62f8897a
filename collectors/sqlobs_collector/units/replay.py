"""Reading a journal again into the store: what is missing there is added, nothing is changed.

What comes this way is marked, and in no quality gauge: a replay says nothing about today.
"""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError
from sqlobs_collector.journal.reader import START, JournalReader
from sqlobs_collector.store.database import is_trouble
from sqlobs_collector.units.batches import Batch, batch_of, put_apart

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs_collector.journal.entry import Position, Recorded
    from sqlobs_collector.sampling import SamplingRules
    from sqlobs_collector.store.export import Selection
    from sqlobs_collector.store.writing import Store, StoreWriter

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
    caught_up: int = 0
    """Units that the collector itself had not come to; they are not replayed, but live."""

    def sentence(self, *, is_dry: bool = False) -> str:
        """Return it in words, for people."""
        verb = "would be" if is_dry else "are"
        said = f"{self.new_units} of {self.units} units in {self.entries} entries {verb} new"
        if self.caught_up:
            said += f"; {self.caught_up} units that the collector had not come to are stored"
        if self.unreadable:
            said += f"; {self.unreadable} records cannot be read and are left out"
        return said


class Replay:
    """One run over the files of a journal."""

    def __init__(
        self, directory: Path, store: Store, *, rules: SamplingRules, selection: Selection
    ) -> None:
        """Set up.

        Args:
            directory: Where the journal's files lie.
            store: Where to.
            rules: How to decide which units are evaluated.
            selection: Which units and reports, by the time of the request.
        """
        self._directory = directory
        self._store = store
        self._rules = rules
        self._selection = selection
        self._found = Replayed()

    def run(self, *, until: Position | None, is_dry: bool = False) -> Replayed:
        """Read the entries up to a position.

        Args:
            until: The last position to read; None = all of them.
            is_dry: Count what would be stored, and store nothing.

        Raises:
            ConfigError: A file cannot be read.
        """
        if not is_dry:
            self._follow(until, None)
            return self._found
        with self._store.trying() as writer:
            self._follow(until, writer)
        return self._found

    def _follow(self, until: Position | None, writer: StoreWriter | None) -> None:
        reader, position = JournalReader(self._directory), START
        while entries := self._read(reader, position):
            position = entries[-1].position
            if until is not None:
                entries = [one for one in entries if one.position <= until]
            self._found.entries += len(entries)
            self._take(entries, writer)
            if until is not None and position >= until:
                return

    def _read(self, reader: JournalReader, after: Position) -> list[Recorded]:
        try:
            return reader.read(after, limit_bytes=_BATCH_BYTES)
        except sqlite3.Error as error:
            place = after.segment or "its start"
            raise ConfigError(
                f"the journal in {self._directory} cannot be read behind {place} ({error}): move "
                "the broken file away; what came before it is stored"
            ) from error

    def _take(self, entries: Sequence[Recorded], writer: StoreWriter | None) -> None:
        try:
            self._put(entries, writer)
        except Exception as error:
            if is_trouble(error):
                raise
            for recorded in entries:
                put_apart(recorded, lambda alone: self._put([alone], writer), self._set_aside)

    def _put(self, entries: Sequence[Recorded], writer: StoreWriter | None) -> None:
        batch = self._selected(batch_of(entries, self._rules))
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
            [
                unit._replace(provenance="replay")
                for unit in batch.units
                if since_ns <= unit.occurred_ns < until_ns
            ],
            [one for one in batch.reports if since_ns <= one.occurred_ns < until_ns],
            batch.schemas,
        )

    def _set_aside(self, recorded: Recorded) -> None:
        _log.exception("entry %s cannot be read or stored: left out", recorded.position)
        self._found.unreadable += 1
