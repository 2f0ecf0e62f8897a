"""The store in a SQLite file below the data directory."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final

from sqlalchemy import create_engine, event

from sqlobs.errors import ConfigError
from sqlobs_collector.datadir import OWNER_ONLY

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

FILE_NAME: Final = "store.sqlite"
_BUSY_TIMEOUT_S: Final = 30
WRITING: Final = {"sqlobs_writes": True}
"""The execution options of an engine whose transactions write."""
_TICK_S: Final = 0.05
_READERS: Final = 4
_CACHE_KIB: Final = 32 * 1024
"""Of each reading connection: what lists and counts read again stays in memory."""


class EmbeddedStore:
    """Used by one collector at a time, which holds the lock of the data directory."""

    way_out: Final = "move it away, or set data_dir to another directory"
    trouble: Final = ConfigError

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / FILE_NAME

    @property
    def name(self) -> str:
        """The path of the file."""
        return str(self._path)

    def engine(self) -> Engine:
        """Return an engine that writes."""
        engine = create_engine(
            f"sqlite:///{self._path}",
            hide_parameters=True,  # they are texts of users
            connect_args={"timeout": _BUSY_TIMEOUT_S},
        )
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _begin)
        return engine

    def reading_engine(self) -> Engine:
        """Return an engine of a few connections that cannot write, to an open store.

        Readers of the console wait for each other here, and never for the writer: with a
        write-ahead log both go on at the same time.
        """
        engine = create_engine(
            f"sqlite:///{self._path}",
            hide_parameters=True,  # they are texts of users
            connect_args={"timeout": _BUSY_TIMEOUT_S},
            pool_size=_READERS,
            max_overflow=0,
        )
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "connect", _restrict)
        event.listen(engine, "begin", _begin)
        return engine

    def create(self) -> None:
        """Create the file, for its owner only, if it is missing.

        One that is there is not opened: by closing it, the process would lose the locks that
        SQLite has on it, and another process would delete the write-ahead log.
        """
        if self.is_missing():
            os.close(os.open(self._path, os.O_CREAT | os.O_WRONLY, OWNER_ONLY))

    def is_missing(self) -> bool:
        """Return whether there is no file."""
        return not self._path.is_file()

    def lock_tables(self, connection: Connection) -> None:
        """Nothing to do: the lock of the data directory is held."""

    def backup_name(self, version: str) -> str:
        """Return the name of the copy before the migration to a version."""
        return self._path.with_suffix(f".before-{version}.sqlite").name

    def delete_backups(self) -> int:
        """Delete the copies of earlier migrations."""
        copies = list(self._path.parent.glob(f"{self._path.stem}.before-*{self._path.suffix}"))
        for path in copies:
            path.unlink()
        return len(copies)

    def reclaim(self) -> str:
        """Write the file anew without what was deleted, and empty the write-ahead log.

        Raises:
            ConfigError: A reader did not finish in time.
        """
        with closing(sqlite3.connect(self._path, timeout=_BUSY_TIMEOUT_S)) as connection:
            connection.isolation_level = None
            # The index of words keeps deleted ones until its parts are merged.
            connection.execute("INSERT INTO request_text(request_text) VALUES ('optimize')")
            connection.execute("VACUUM")
            give_up = time.monotonic() + _BUSY_TIMEOUT_S
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > give_up:
                    raise ConfigError(
                        f"{self._path} is read all the time, so that its write-ahead log cannot be"
                        " emptied: run the command again"
                    )
                time.sleep(_TICK_S)
        return ""

    def back_up(self, version: str) -> None:
        """Copy the file, which may be in use."""
        backup = self._path.with_name(self.backup_name(version))
        os.close(os.open(backup, os.O_CREAT | os.O_WRONLY, OWNER_ONLY))
        with (
            closing(sqlite3.connect(self._path)) as source,
            closing(sqlite3.connect(backup)) as target,
        ):
            source.backup(target)


def _prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    """Set up a connection; the journal is replayed, so a lost last commit costs nothing."""
    connection.isolation_level = None  # transactions begin where SQLAlchemy says so: `_begin`
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _restrict(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA query_only=ON")
    cursor.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
    cursor.close()


def _begin(connection: Connection) -> None:
    """Begin a transaction that DDL belongs to as well, which sqlite3 by itself does not.

    One that writes waits for other processes now: once it had read, another one's write would make
    its own fail at once.
    """
    writes = connection.get_execution_options().keys() >= WRITING.keys()
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
