"""The command `erase`: removes a user, conversation, tenant or trace from everywhere."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError
from sqlobs_collector.archive.erasing import ArchiveEraser
from sqlobs_collector.assembly import archive_files, store_place, subject_digests
from sqlobs_collector.datadir import JOURNAL, DirectoryLock
from sqlobs_collector.journal.files import quarantined, segment_names
from sqlobs_collector.journal.log import identity_of
from sqlobs_collector.maintenance import opened, workspace_of
from sqlobs_collector.quality.hourly import add_up_changes
from sqlobs_collector.store.erasing import AT_ONCE, Subject
from sqlobs_collector.store.erasures import Erasure
from sqlobs_collector.store.writing import Store
from sqlobs_collector.subjects import pseudonym, request_value
from sqlobs_collector.units.journal_erasure import JournalEraser

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.store.rows import UnitKey
    from sqlobs_collector.store.writing import StoreWriter
    from sqlobs_collector.subjects import SubjectDigests, SubjectKind

SUBJECTS: Final[tuple[SubjectKind, ...]] = ("user", "conversation", "trace", "tenant")
"""What the command erases by."""
_TRACE_ID: Final = re.compile(r"[0-9a-f]{32}")
WAIT_S: Final = 120.0
"""How long a running collector may take for its journal."""
_TICK_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure removed."""

    subject: str
    """Kind and pseudonym: what the audit log and messages name it by."""
    removed: dict[str, int]
    """How much of each kind."""
    is_complete: bool
    """Whether the journal of this data directory is rewritten."""
    other_journals: int
    """Journals of other collectors on the same store that are still to be rewritten."""
    left_to_do: str
    """What only an administrator can do."""

    def document(self) -> dict[str, object]:
        """Return it as a JSON object, for machines."""
        return asdict(self)

    def sentences(self) -> list[str]:
        """Return it in words, for people."""
        counts = [f"{count} {name.replace('_', ' ')}" for name, count in self.removed.items()]
        said = [f"erased {self.subject}: {', '.join(counts)}"]
        if not self.is_complete:
            said.append(
                "the running collector did not rewrite its journal yet: it continues by itself; see"
                " its log if the same command says so again"
            )
        if self.other_journals:
            said.append(
                f"{self.other_journals} journals of other collectors are rewritten within seconds"
                " where these run, else at their next start"
            )
        return [*said, self.left_to_do] if self.left_to_do else said


def subject_of(
    config: CollectorConfig, kind: SubjectKind, value: str, *, workspace: str | None
) -> Subject:
    """Return whose data is meant.

    Raises:
        ConfigError: The workspace is missing or unknown, or a value is empty or not a trace id.
    """
    chosen = workspace_of(config, workspace)
    if kind == "trace":
        value = value.lower()
        if not _TRACE_ID.fullmatch(value):
            raise ConfigError(f"{value!r} is not a trace ID, which has 32 hexadecimal digits")
    if not value:
        raise ConfigError(f"--{kind} is empty: give the {kind} that the application named")
    return Subject(kind, chosen, value)


def count_requests(config: CollectorConfig, subject: Subject) -> int:
    """Return how many stored requests would be erased.

    Raises:
        ConfigError: There is no store.
    """
    digests = subject_digests(config)
    with opened(config) as engine, Store(engine).trying() as writer:
        return writer.eraser.count(subject, digests)


def erase(config: CollectorConfig, subject: Subject, *, now_ns: int | None = None) -> Erased:
    """Remove a subject from store and journal; what comes of it later is dropped.

    It can be repeated: what an interrupted run left is removed by the next one.

    Args:
        config: Of the collector, which may be running.
        subject: Whose data.
        now_ns: The time up to which it is erased; None = now.

    Raises:
        ConfigError: There is no store, or it cannot be used.
    """
    digests, at_ns = subject_digests(config), now_ns or time.time_ns()
    place = store_place(config)
    digest = digests.of(subject.kind, subject.workspace, subject.value)
    with opened(config) as engine:
        store, journal = Store(engine), _Journal(config.data_dir)
        with store.writing() as writer:
            journal.look(writer)
            writer.erasures.begin()
            known = digests.known(subject.kind, subject.workspace, subject.value)
            writer.erasures.add(
                Erasure(one, subject.kind, subject.workspace, at_ns) for one in known
            )
        removed = _from_store(store, subject, digests, at_ns)
        files = archive_files(config)
        archive = None if files is None else ArchiveEraser(files, subject, digests)
        if archive is not None:
            removed.update(_from_archive(store, archive, digests, at_ns))
        add_up_changes(store)
        removed["damaged_journal_files"] = len(quarantined(journal.directory))
        records = journal.erase(store, digests, at_ns)
        if archive is not None:  # a file that an archiver was writing has been replaced by now
            removed.update(_from_archive(store, archive, digests, at_ns))
        with store.writing() as writer:
            pending = writer.journals.unerased(at_ns)
    removed["journal_records"] = records or 0
    removed["migration_backups"] = place.delete_backups()
    return Erased(
        subject=f"{subject.kind} {subject.value if subject.kind == 'trace' else pseudonym(digest)}",
        removed=dict(removed),
        is_complete=records is not None,
        other_journals=pending - (records is None),
        left_to_do=place.reclaim(),
    )


def _from_store(
    store: Store, subject: Subject, digests: SubjectDigests, at_ns: int
) -> Counter[str]:
    removed: Counter[str] = Counter(requests=0)
    last = 0
    while True:
        with store.writing() as writer:
            chosen = writer.eraser.choose(subject, digests, after=last)
            if chosen is None:
                removed.update(writer.eraser.erase_rest(subject, digests))
                return removed
            writer.erasures.add(_requests(chosen.keys, digests, at_ns))
            removed.update(writer.eraser.erase(chosen))
            last = chosen.last


def _from_archive(
    store: Store, eraser: ArchiveEraser, digests: SubjectDigests, at_ns: int
) -> Counter[str]:
    keys = eraser.find()
    for start in range(0, len(keys), AT_ONCE):
        with store.writing() as writer:
            writer.erasures.add(_requests(keys[start : start + AT_ONCE], digests, at_ns))
            writer.reports.delete(keys[start : start + AT_ONCE])
    return eraser.erase()


def _requests(keys: Sequence[UnitKey], digests: SubjectDigests, at_ns: int) -> list[Erasure]:
    """Return what lets everything that comes later about requests be dropped."""
    values = ((key.workspace, request_value(key.trace_id, key.span_id)) for key in keys)
    return [
        Erasure(digests.of("request", workspace, value), "request", workspace, at_ns)
        for workspace, value in values
    ]


class _Journal:
    """The journal of a data directory, with a collector or without."""

    def __init__(self, data_dir: Path) -> None:
        self.directory = data_dir / JOURNAL
        self._lock = DirectoryLock(data_dir)
        self._identity = identity_of(self.directory) if segment_names(self.directory) else None
        self._before = 0

    def look(self, writer: StoreWriter) -> None:
        """Take notice of how many records earlier erasures removed."""
        if self._identity is not None:
            _, self._before = writer.journals.erased(self._identity)

    def erase(self, store: Store, digests: SubjectDigests, at_ns: int) -> int | None:
        """Rewrite the files, or wait until the running collector did it.

        Returns:
            How many records were in them; None: the collector has not done it yet.
        """
        if self._identity is None:
            return 0
        if not self._lock.take():
            return self._wait(store, self._identity, at_ns)
        try:
            return JournalEraser(self.directory, self._identity, store, digests=digests).erase()
        finally:
            self._lock.release()

    def _wait(self, store: Store, identity: bytes, at_ns: int) -> int | None:
        give_up = time.monotonic() + WAIT_S
        while time.monotonic() < give_up:
            with store.writing() as writer:
                done_ns, records = writer.journals.erased(identity)
            if done_ns >= at_ns:
                return records - self._before
            time.sleep(_TICK_S)
        return None
