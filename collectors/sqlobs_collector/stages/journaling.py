"""The stages between acknowledgment and store: the journal and its projector."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.errors import ConfigError
from sqlobs.semconv import collector as metrics
from sqlobs_collector.admin.sources import JournalHealth
from sqlobs_collector.assembly import journal_limits, quotas_of, subject_digests
from sqlobs_collector.datadir import JOURNAL, make_directory
from sqlobs_collector.journal.entry import Place
from sqlobs_collector.journal.files import quarantined, size_bytes
from sqlobs_collector.journal.reader import JournalReader
from sqlobs_collector.journal.scrub import Scrub
from sqlobs_collector.journal.writer import JournalWriter
from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.sharing.journal_trouble import JournalTrouble
from sqlobs_collector.units.journal_erasure import JournalEraser, rotated
from sqlobs_collector.units.projector import DRAIN_S, Projector

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlobs_collector.stages.running import Running
    from sqlobs_collector.units.progress import Progress


@dataclass(frozen=True, slots=True)
class Journaling:
    """The journal of a process, on its way into the store."""

    journal: JournalWriter
    projector: Projector
    directory: Path

    async def readiness(self) -> tuple[list[str], JournalHealth]:
        """Return why no records are accepted now, and the journal's health.

        According to the last attempt to write a record; without a reason they are accepted.
        """
        difficulty = await self.journal.difficulty()
        health = _health(self.projector.progress, quarantined(self.directory))
        return [str(difficulty)] if difficulty else [], health


def start_journaling(running: Running, *, on_units: Callable[[], None]) -> Journaling:
    """Start journal and projector.

    Args:
        running: The process.
        on_units: Called when units were stored.

    Raises:
        ConfigError: The journal cannot be read.
    """
    directory = running.config.data_dir / JOURNAL
    make_directory(directory)
    journal = _open_journal(running, directory, on_commit=lambda: projector.notify())  # noqa: PLW0108 - bound below
    quotas = quotas_of(running.config, running.engine, running.clock_ns)
    projector = Projector(
        _reader(journal, directory),
        running.store,
        rules=running.start(quotas).rules,
        digests=subject_digests(running.config),
        journal=journal,
        flow=running.flow,
        on_units=on_units,
        scrub=Scrub(_reader(journal, directory)),
        drain_s=DRAIN_S if running.config.store.url is None else math.inf,
        clock_ns=running.clock_ns,
    )
    running.start(projector)
    running.start(journal)
    running.start(_eraser(running, journal, directory))
    running.start(JournalTrouble(journal, running.store))
    _show(running, projector, directory)
    return Journaling(journal, projector, directory)


def _eraser(running: Running, journal: JournalWriter, directory: Path) -> PollingWorker:
    """Return what takes out of the journal what a command erases meanwhile."""
    eraser = JournalEraser(
        directory,
        journal.identity,
        running.store,
        digests=subject_digests(running.config),
        held=journal.held,
        completed=lambda: rotated(journal, journal.held),
    )
    return PollingWorker("erasures", eraser.poll)


def _open_journal(
    running: Running, directory: Path, *, on_commit: Callable[[], None]
) -> JournalWriter:
    try:
        journal = JournalWriter(
            directory,
            limits=journal_limits(running.config),
            clock_ns=running.clock_ns,
            on_commit=on_commit,
        )
    except OSError as error:
        raise ConfigError(
            f"the journal in {directory} cannot be read ({error.strerror}): give the "
            "collector the right to read and write its files"
        ) from error
    with running.store.writing() as writer:
        standing = writer.journals.get(journal.identity)
    journal.resume(Place(standing.sequence, standing.entries, standing.records))
    return journal


def _reader(journal: JournalWriter, directory: Path) -> JournalReader:
    return JournalReader(
        directory,
        journal.identity,
        held=journal.held,
        acknowledged=lambda: journal.acknowledged,
    )


def _show(running: Running, projector: Projector, directory: Path) -> None:
    """Add the journal's gauges, which are read at each scrape."""
    watch, progress = running.flow.watch, projector.progress
    watch(metrics.JOURNAL_BYTES, read=lambda: size_bytes(directory))
    watch(metrics.JOURNAL_LAG, read=lambda: progress.lag_s)
    watch(metrics.JOURNAL_UNPROJECTED, read=lambda: progress.unprojected_records)
    watch(metrics.JOURNAL_LOST_REQUESTS, read=lambda: progress.standing.lost_entries)
    watch(metrics.JOURNAL_LOST_RECORDS, read=lambda: progress.standing.lost_records)
    watch(metrics.JOURNAL_QUARANTINED, read=lambda: len(quarantined(directory)))


def _health(progress: Progress, files: list[str]) -> JournalHealth:
    standing = progress.standing
    return JournalHealth(
        unprojected_records=progress.unprojected_records,
        lag_s=progress.lag_s,
        lost_requests=standing.lost_entries,
        lost_records=standing.lost_records,
        quarantined_files=files,
    )
