"""The results of a run's statements, kept in its directory: `eval/frames.db`.

A file of SQLite takes results one by one, survives a kill, and holds columns of mixed types, which
the columns of a Parquet file cannot. It is readable by its owner only, as it holds rows.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Final, Self

from sqlobs.errors import InputError
from sqlobs.execution.messages import ProtocolError
from sqlobs.execution.stored import execution_bytes, execution_of

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from sqlobs.execution.outcome import Execution

FRAMES: Final = "frames.db"
DEFAULT_BYTES: Final = 256 * 1024 * 1024
_SCRIPT: Final = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS frames (key BLOB PRIMARY KEY, session INTEGER, body BLOB);
    CREATE TABLE IF NOT EXISTS places (name TEXT PRIMARY KEY, place TEXT);
"""
"""A kill of this process loses nothing that was committed; only one of the machine may."""
_SMALL_BYTES: Final = 4_096
_MOST_SMALL: Final = 4_096
"""Small results that are kept as they are, so that a text that repeats is not read again."""
_LARGE_BYTES: Final = 256 * 1024
_MOST_LARGE: Final = 2
"""The latest large results are kept, too: where both were cut, they are looked at again soon."""


class Frames:
    """The stored results of a run; safe between threads, and a context that closes the file."""

    def __init__(self, path: Path, *, most_bytes: int = DEFAULT_BYTES) -> None:
        """Open or create the file; one that is broken is begun again.

        Args:
            path: The file.
            most_bytes: What the results may take together; those that do not fit are not stored.

        Raises:
            InputError: The file is locked by another program, or cannot be written.
        """
        self._most = most_bytes
        self._lock = threading.Lock()  # guards all that follows
        self._connection = _opened(path)
        self._keys = {key for (key,) in self._connection.execute("SELECT key FROM frames")}
        held = "SELECT coalesce(sum(length(body)), 0), coalesce(max(session), 0) + 1 FROM frames"
        self._held, self._session = self._connection.execute(held).fetchone()
        self._new: dict[bytes, bytes] = {}
        self._used: set[bytes] = set()
        self._marked: set[bytes] = set()
        """Keys that this evaluation stored or used."""
        self._small: dict[bytes, Execution] = {}
        self._large: dict[bytes, Execution] = {}
        self.left_out = 0
        """Results that did not fit."""

    def __len__(self) -> int:
        return len(self._keys)

    def get(self, key: bytes) -> Execution | None:
        """Return the stored execution of a key; None if there is none that can be read."""
        if (known := self._small.get(key) or self._large.get(key)) is not None:
            return known
        if key not in self._keys:
            return None
        with self._lock:
            body = self._new.get(key)
            if body is None:
                found = self._connection.execute("SELECT body FROM frames WHERE key = ?", (key,))
                body = next((body for (body,) in found), None)
            if key not in self._marked:
                self._used.add(key)
                self._marked.add(key)
        if body is None:
            return None
        with suppress(ProtocolError):
            execution = execution_of(body)
            self._keep(key, execution, len(body))
            return execution
        return None

    def put(self, key: bytes, execution: Execution) -> None:
        """Store an execution; it survives a kill after the next `commit`."""
        if self._small.get(key) is execution:
            return
        body = execution_bytes(execution)
        self._small.pop(key, None)
        self._large.pop(key, None)
        with self._lock:
            if self._held + len(body) > self._most:
                self._write()
                self._forget_unused()
            if self._held + len(body) > self._most:
                self.left_out += 1
                return
            self._held += len(body)
            self._new[key] = body
            self._keys.add(key)
            self._marked.add(key)
        self._keep(key, execution, len(body))

    def commit(self) -> None:
        """Write what is new."""
        with self._lock:
            self._write()

    def places(self) -> dict[str | None, dict[str, str]]:
        """Return where the statements ran, by the names of databases."""
        found = self._connection.execute("SELECT name, place FROM places")
        return {json.loads(name): json.loads(place) for name, place in found}

    def remember_places(self, places: dict[str | None, dict[str, str]]) -> None:
        """Store where the statements of this evaluation run."""
        with self._lock, self._connection:
            self._connection.execute("BEGIN")
            self._connection.execute("DELETE FROM places")
            rows = [(json.dumps(name), json.dumps(place)) for name, place in places.items()]
            self._connection.executemany("INSERT INTO places VALUES (?, ?)", rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.commit()
        self._connection.close()

    def _keep(self, key: bytes, execution: Execution, size: int) -> None:
        if size <= _SMALL_BYTES and len(self._small) < _MOST_SMALL:
            self._small[key] = execution
        elif size >= _LARGE_BYTES:
            with self._lock:
                self._large[key] = execution
                for oldest in list(self._large)[:-_MOST_LARGE]:
                    del self._large[oldest]

    def _write(self) -> None:
        if not self._new and not self._used:
            return
        with self._connection:
            self._connection.execute("BEGIN")
            self._connection.executemany(
                "INSERT OR REPLACE INTO frames VALUES (?, ?, ?)",
                [(key, self._session, body) for key, body in self._new.items()],
            )
            self._connection.executemany(
                "UPDATE frames SET session = ? WHERE key = ?",
                [(self._session, key) for key in self._used],
            )
        self._new.clear()
        self._used.clear()

    def _forget_unused(self) -> None:
        """Delete the results that this evaluation has not used so far."""
        with self._connection:
            self._connection.execute("BEGIN")
            unused = "DELETE FROM frames WHERE session < ? RETURNING key, length(body)"
            for key, size in self._connection.execute(unused, (self._session,)).fetchall():
                self._keys.discard(key)
                self._held -= size


def has_frames(path: Path) -> bool:
    """Return whether a file stores results; it is only read."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("SELECT key, session, body FROM frames LIMIT 1").fetchone()
            connection.execute("SELECT name, place FROM places LIMIT 1").fetchone()
    except sqlite3.Error:
        return False
    return True


def _opened(path: Path) -> sqlite3.Connection:
    try:
        return _connection(path)
    except sqlite3.OperationalError as error:  # locked, or not to be written: nothing is broken
        raise InputError(f"{path} cannot be opened: {error}") from None
    except sqlite3.DatabaseError:
        path.unlink()
        return _connection(path)


def _connection(path: Path) -> sqlite3.Connection:
    if not path.exists():  # by closing a file, a process loses the locks that SQLite has on it
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        connection.executescript(_SCRIPT)
        connection.execute("SELECT count(*) FROM frames").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection
