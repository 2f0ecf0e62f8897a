"""Takes what was erased out of the journal, too: while a collector runs, or without one."""

from __future__ import annotations

import gzip
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from google.protobuf.message import DecodeError

from sqlobs_collector.errors import IntakeError
from sqlobs_collector.journal.held import HeldSegments
from sqlobs_collector.journal.rewriting import JournalRewriter, Reduced
from sqlobs_collector.otlp.triage import keep
from sqlobs_collector.units import decoding

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlobs_collector.journal.entry import Recorded
    from sqlobs_collector.store.writing import Store
    from sqlobs_collector.subjects import SubjectDigests
    from sqlobs_collector.units.projector import Journal

POLL_S: Final = 2.0
_ROTATION_S: Final = 30.0
_TICK_S: Final = 0.05


class JournalEraser:
    """Follows the record of what was erased.

    Args:
        directory: Of the journal's files.
        identity: Of the journal.
        store: Where the record is.
        digests: Of whom records are about.
        held: The files that a writer in this process keeps open.
        completed: Returns the files that nobody appends to, with all that is acknowledged by now;
            default: all of them.
    """

    def __init__(
        self,
        directory: Path,
        identity: bytes,
        store: Store,
        *,
        digests: SubjectDigests,
        held: HeldSegments | None = None,
        completed: Callable[[], list[str]] | None = None,
    ) -> None:
        held = held or HeldSegments(directory)
        self._identity = identity
        self._store = store
        self._digests = digests
        self._completed = completed or held.names
        self._rewriter = JournalRewriter(directory, identity, held=held, reduce=self._reduced)

    def poll(self) -> float:
        """Erase what was requested meanwhile; return the seconds to wait."""
        self.erase()
        return POLL_S

    def erase(self) -> int:
        """Rewrite the files if anything was erased since the last time.

        Returns:
            How many records were in them.

        Raises:
            OSError: A file cannot be read or written.
        """
        with self._store.writing() as writer:
            up_to_ns = writer.erasures.latest_ns()
            done_ns, _ = writer.journals.erased(self._identity)
        if done_ns >= up_to_ns:
            return 0
        removed = sum(self._rewriter.rewrite(name) for name in self._completed())
        self._rewriter.delete_damaged()
        with self._store.writing() as writer:
            writer.journals.put_erased(self._identity, up_to_ns=up_to_ns, records=removed)
        return removed

    def _reduced(self, recorded: Recorded) -> Reduced | None:
        """Return an entry without the records that are erased; None: it has none."""
        entry, signal = recorded.entry, decoding.signal_of(recorded.entry)
        if signal is None:
            return None
        try:
            records = list(decoding.records(recorded, self._digests))
        except (DecodeError, IntakeError):  # never projected, and nobody knows whom it is about
            return Reduced(replace(entry, encoding="identity", body=b""), entry.record_count)
        about = {number: record.about for number, record in enumerate(records)}
        with self._store.writing() as writer:
            erased = writer.erasures.covering(about, self._digests)
        if not erased:
            return None
        content = decoding.content(entry)
        request = signal.request.FromString(content)
        kept = keep(signal, request, content, [number not in erased for number in about]) or b""
        return Reduced(replace(entry, encoding="gzip", body=gzip.compress(kept, 1)), len(erased))


def rotated(journal: Journal, held: HeldSegments) -> list[str]:
    """Begin another journal file; return those before it.

    Raises:
        TimeoutError: The writer cannot begin one.
    """
    newest = max(held.names(), default="")
    journal.rotate(newest)
    give_up = time.monotonic() + _ROTATION_S
    while max(names := held.names(), default="") == newest:
        if time.monotonic() > give_up:
            raise TimeoutError("no new journal file can be begun")
        time.sleep(_TICK_S)
    return [name for name in names if name <= newest]
