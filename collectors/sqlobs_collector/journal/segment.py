"""One file of the journal: a SQLite database that entries are appended to, and read from."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlobs_collector.journal.entry import Entry, Position, Recorded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_NAME: Final = re.compile(r"journal-(\d{8}T\d{2})(?:_(\d{6}))?\.sqlite")
_SIDE_FILES: Final = ("-wal", "-shm")
_OWNER_ONLY: Final = 0o600
_HOUR_S: Final = 3600
_CREATE: Final = """
CREATE TABLE IF NOT EXISTS entry (
  id INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  encoding TEXT NOT NULL,
  record_count INTEGER NOT NULL,
  received_ns INTEGER NOT NULL,
  body BLOB NOT NULL
)
"""
_APPEND: Final = """
INSERT INTO entry (workspace, kind, subject, encoding, record_count, received_ns, body)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_READ: Final = """
SELECT id, workspace, kind, subject, encoding, record_count, received_ns, body
FROM entry WHERE id > ? ORDER BY id
"""


def segment_name(received_ns: int) -> str:
    """Return the name of the file that holds what was received in an hour (UTC)."""
    hour = datetime.fromtimestamp(received_ns // 10**9, tz=UTC)
    return f"journal-{hour:%Y%m%dT%H}.sqlite"


def segment_end_ns(name: str) -> int:
    """Return the end of the hour that a file holds."""
    hour, _ = _parts(name)
    begun = datetime.strptime(hour, "%Y%m%dT%H").replace(tzinfo=UTC)
    return (int(begun.timestamp()) + _HOUR_S) * 10**9


def successor(name: str) -> str:
    """Return the name of the next file for the same hour; it sorts behind and before the next."""
    hour, number = _parts(name)
    return f"journal-{hour}_{number + 1:06}.sqlite"


def segment_names(directory: Path) -> list[str]:
    """Return the names of all files of a journal, oldest first."""
    return sorted(path.name for path in directory.iterdir() if _NAME.fullmatch(path.name))


def size_bytes(directory: Path) -> int:
    """Return what all files of a journal occupy."""
    total = 0
    for path in directory.iterdir():
        if path.name.startswith("journal-"):
            total += path.stat(follow_symlinks=False).st_size
    return total


def file_bytes(directory: Path, name: str) -> int:
    """Return what one file of a journal occupies, with its side files."""
    paths = (directory / f"{name}{suffix}" for suffix in ("", *_SIDE_FILES))
    return sum(path.stat().st_size for path in paths if path.exists())


def unlink(directory: Path, name: str) -> None:
    """Delete one file of a journal, with its side files."""
    for suffix in ("", *_SIDE_FILES):
        (directory / f"{name}{suffix}").unlink(missing_ok=True)


class SegmentWriter:
    """Appends to one file; a commit returns when the entries are on the disk."""

    def __init__(self, directory: Path, name: str) -> None:
        path = directory / name
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, _OWNER_ONLY))
        self.name = name
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.execute(_CREATE)
        _sync_directory(directory)

    def append(self, entries: Sequence[Entry], *, received_ns: int) -> None:
        """Write entries in one transaction, which is durable when this returns.

        Raises:
            sqlite3.Error: Nothing of it was written.
        """
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.executemany(_APPEND, (_row(entry, received_ns) for entry in entries))
            connection.execute("COMMIT")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the file; idempotent."""
        self._connection.close()


def read(directory: Path, after: Position, *, limit_bytes: int) -> Iterator[Recorded]:
    """Yield the entries of one file behind a position, until their bodies reach a size."""
    path = directory / after.segment
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        size = 0
        for (
            entry_id,
            workspace,
            kind,
            subject,
            encoding,
            count,
            received_ns,
            body,
        ) in connection.execute(_READ, (after.entry_id,)):
            entry = Entry(workspace, kind, subject, encoding, count, body)
            yield Recorded(Position(after.segment, entry_id), received_ns, entry)
            size += len(body)
            if size >= limit_bytes:
                return


def _parts(name: str) -> tuple[str, int]:
    found = _NAME.fullmatch(name)
    if found is None:
        raise ValueError(f"{name} is no file of a journal")
    return found[1], int(found[2] or 0)


def _row(entry: Entry, received_ns: int) -> tuple[object, ...]:
    return (
        entry.workspace,
        entry.kind,
        entry.subject,
        entry.encoding,
        entry.record_count,
        received_ns,
        entry.body,
    )


def _sync_directory(directory: Path) -> None:
    """Make the names of new files durable, not only their content."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
