"""Moves what has become cold from the store into files: written, verified, then deleted."""

from __future__ import annotations

import logging
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlobs_collector.archive.files import KINDS, FileName, day_name
from sqlobs_collector.archive.schemas import schema_of
from sqlobs_collector.polling_worker import PollingWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from sqlobs_collector.archive.files import ArchiveFiles, Kind
    from sqlobs_collector.store.archiving import Version
    from sqlobs_collector.store.writing import Store

_log = logging.getLogger(__name__)

_EVERY_S: Final = 3600.0
AT_ONCE: Final = 500
"""Requests that are read or deleted in one transaction."""


class Archiver:
    """Archives day by day; whatever interrupts it, the next run completes.

    A request is in the store until its file is durable and verified: a killed process leaves it in
    both. The store's is then the one that counts, until the next run writes and deletes it.

    Args:
        store: Where requests come from.
        files: Where they go.
        after_days: Age since the receipt.
        keep_days: Age of a day whose files are deleted.
        while_held: Lets a poll work while this process is the one that archives.
        clock_ns: The time.
    """

    def __init__(
        self,
        store: Store,
        files: ArchiveFiles,
        *,
        after_days: int,
        keep_days: float,
        while_held: Callable[[Callable[[], float]], Callable[[], float]] = lambda poll: poll,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._store = store
        self._files = files
        self._after = timedelta(days=after_days)
        self._keep = timedelta(days=keep_days)
        self._clock_ns = clock_ns
        self._worker = PollingWorker("archiver", while_held(self._poll))

    def start(self) -> None:
        """Begin to archive."""
        self._worker.start()

    def stop(self) -> None:
        """End; idempotent."""
        self._worker.stop()

    def archive(self) -> Counter[Kind]:
        """Archive everything that is cold; return how many rows of each kind left the store.

        Raises:
            OSError: A file cannot be read or written; what was not archived stays in the store.
        """
        before_ns = self._clock_ns() - self._after // timedelta(microseconds=1) * 1000
        moved: Counter[Kind] = Counter()
        with self._store.writing() as writer:
            days = writer.cold(before_ns).unit_days()
        for workspace, day in days:
            if not self._worker.is_stopping:
                moved["unit"] += _Day(self._store, self._files, workspace, day, before_ns).move()
        with self._store.writing() as writer:
            days = writer.cold(before_ns).report_days()
        for workspace, day in days:
            if not self._worker.is_stopping:
                moved["report"] += self._move_reports(workspace, day, before_ns)
        self._delete_old()
        return moved

    def _poll(self) -> float:
        moved = self.archive()
        if moved.total():
            _log.info("archived %d requests and %d reports", moved["unit"], moved["report"])
        return _EVERY_S

    def _move_reports(self, workspace: str, day: int, before_ns: int) -> int:
        name = FileName("report", workspace, day_name(day))
        with self._store.writing() as writer:
            rows = writer.cold(before_ns).reports(workspace, day)
        found = {row["record_id"] for row in rows}
        before = self._files.table(name)
        with self._files.replacing(name) as file:
            file.write(_without(before, ("record_id",), {(one,) for one in found}))
            file.write(_table("report", rows))
        with self._store.writing() as writer:
            return writer.cold(before_ns).delete_reports(sorted(found))

    def _delete_old(self) -> None:
        today = datetime.fromtimestamp(self._clock_ns() / 10**9, tz=UTC).date()
        oldest = (today - self._keep).isoformat()
        for kind in KINDS:
            for name in self._files.names(kind):
                if name.day < oldest:
                    self._files.delete(name)


class _Day:
    """The cold requests of one workspace and day."""

    def __init__(
        self, store: Store, files: ArchiveFiles, workspace: str, day: int, before_ns: int
    ) -> None:
        self._store = store
        self._files = files
        self._workspace = workspace
        self._day = day
        self._before_ns = before_ns
        self._unit, self._evaluation = (
            FileName(kind, workspace, day_name(day)) for kind in KINDS[:2]
        )
        self._erased_ns = self._latest_erasure()
        known = files.table(self._unit, ["trace_id", "span_id", "received_ns"])
        self._known = {
            (row["trace_id"], row["span_id"]): row["received_ns"] for row in known.to_pylist()
        }
        self._versions: dict[int, Version] = {}
        self._repeats: set[int] = set()
        self._written: set[tuple[str, str]] = set()

    def move(self) -> int:
        """Write the files, then delete from the store; return how many requests left it."""
        units, evaluations = (self._files.table(one) for one in (self._unit, self._evaluation))
        with (
            self._files.replacing(self._evaluation) as evaluation_file,
            self._files.replacing(self._unit) as unit_file,
        ):
            self._write(unit_file, evaluation_file)
            unit_file.write(_without(units, ("trace_id", "span_id"), self._written))
            evaluation_file.write(_without(evaluations, ("trace_id", "span_id"), self._written))
            if self._latest_erasure() != self._erased_ns:  # of what was read before, perhaps
                raise OSError(f"{self._unit.path}: something was erased meanwhile")
        return self._delete()

    def _latest_erasure(self) -> int:
        with self._store.writing() as writer:
            return writer.erasures.latest_ns()

    def _write(self, unit_file: Any, evaluation_file: Any) -> None:  # noqa: ANN401 - pyarrow has no types
        last = 0
        while True:
            with self._store.writing() as writer:
                cold = writer.cold(self._before_ns)
                rows = cold.units(self._workspace, self._day, after=last, limit=AT_ONCE)
                if not rows:
                    return
                last = rows[-1]["id"]
                versions = cold.versions([row["id"] for row in rows])
                self._versions |= versions
                rows = [row for row in rows if row["id"] in versions]
                new = [row for row in rows if not self._is_repeat(row)]
                evaluations = cold.evaluations([row["id"] for row in new])
            self._written |= {(row["trace_id"], row["span_id"]) for row in new}
            unit_file.write(_table("unit", new))
            evaluation_file.write(_table("evaluation", evaluations))

    def _is_repeat(self, row: Any) -> bool:  # noqa: ANN401 - a row by column
        """Return whether a request was archived before and came again; the first one counts."""
        archived_ns = self._known.get((row["trace_id"], row["span_id"]))
        is_repeat = archived_ns is not None and archived_ns != row["received_ns"]
        if is_repeat:
            self._repeats.add(row["id"])
        return is_repeat

    def _delete(self) -> int:
        ids, deleted = sorted(self._versions), 0
        for start in range(0, len(ids), AT_ONCE):
            part = ids[start : start + AT_ONCE]
            with self._store.writing() as writer:
                cold = writer.cold(self._before_ns)
                now = cold.versions(part)
                same = [one for one in part if now.get(one) == self._versions[one]]
                counted = [one for one in same if one not in self._repeats]
                deleted += cold.delete_units(self._workspace, same, counted=counted)
        return deleted


def _table(kind: Kind, rows: Iterable[Any]) -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    return pa.Table.from_pylist([dict(row) for row in rows], schema_of(kind))


def _without(table: Any, key: Sequence[str], gone: Collection[Sequence[str]]) -> Any:  # noqa: ANN401 - as above
    """Return the rows of a table whose key is not among some."""
    if not gone or not table.num_rows:
        return table
    keys = zip(*(table[name].to_pylist() for name in key), strict=True)
    return table.filter([one not in gone for one in keys])
