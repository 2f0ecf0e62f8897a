"""Opening the store: created, or brought up to date after a copy, before anybody uses it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, event
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from sqlobs.errors import ConfigError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

FILE_NAME: Final = "store.sqlite"
_OWNER_ONLY: Final = 0o600
_BUSY_TIMEOUT_S: Final = 30
_READERS: Final = 4
_CACHE_KIB: Final = 32 * 1024
"""Of each reading connection: what lists and counts read again stays in memory."""
_TROUBLE: Final = (DBAPIError, PoolTimeoutError, sqlite3.Error, OSError, MemoryError)
_UNFIT: Final = (DataError, IntegrityError, InterfaceError, NotSupportedError, ProgrammingError)


def open_store(data_dir: Path) -> Engine:
    """Return the engine of the embedded store, its tables at the newest version.

    Raises:
        ConfigError: The file cannot be used, or a newer sqlobs wrote it.
    """
    path = data_dir / FILE_NAME
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": _BUSY_TIMEOUT_S})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, _OWNER_ONLY))
        _migrate(engine, path)
    except (OSError, DBAPIError) as error:
        engine.dispose()
        cause = error.orig if isinstance(error, DBAPIError) else error
        raise ConfigError(
            f"the store {path} cannot be opened ({cause}): move it away, or set data_dir to "
            "another directory"
        ) from error
    return engine


def open_reading(data_dir: Path) -> Engine:
    """Return an engine of a few connections that cannot write, to an open store.

    Readers of the console wait for each other here, and never for the writer: with a write-ahead
    log both go on at the same time.
    """
    engine = create_engine(
        f"sqlite:///{data_dir / FILE_NAME}",
        connect_args={"timeout": _BUSY_TIMEOUT_S},
        pool_size=_READERS,
        max_overflow=0,
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "connect", _restrict)
    event.listen(engine, "begin", _begin)
    return engine


def is_trouble(error: Exception) -> bool:
    """Return whether disk or store failed, which may be temporary, and not the content."""
    return isinstance(error, _TROUBLE) and not isinstance(error, _UNFIT)


def store_version(path: Path) -> tuple[str | None, str | None]:
    """Return the version of a store's tables, and the newest one; `None`: it has none yet."""
    head = ScriptDirectory.from_config(migration_config()).get_current_head()
    engine = create_engine(f"sqlite:///{path}")
    try:
        with engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision(), head
    except DBAPIError as error:
        raise ConfigError(f"the store {path} cannot be read ({error.orig})") from error
    finally:
        engine.dispose()


def migration_config() -> Config:
    """Return Alembic's configuration; it names no database."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


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
    """Begin a transaction that DDL belongs to as well, which sqlite3 by itself does not."""
    connection.exec_driver_sql("BEGIN")


def _migrate(engine: Engine, path: Path) -> None:
    config = migration_config()
    scripts = ScriptDirectory.from_config(config)
    head = scripts.get_current_head()
    with engine.begin() as connection:
        found = MigrationContext.configure(connection).get_current_revision()
        if found == head:
            return
        if found is not None:
            _check_known(found, scripts, path)
            _copy(path, path.with_suffix(f".before-{head}.sqlite"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _check_known(revision: str, scripts: ScriptDirectory, path: Path) -> None:
    if revision not in {script.revision for script in scripts.walk_revisions()}:
        raise ConfigError(
            f"the store {path} was written by a newer sqlobs (table version {revision}): install"
            " that version, or set data_dir to another directory"
        )


def _copy(path: Path, backup: Path) -> None:
    """Copy a database that is in use."""
    os.close(os.open(backup, os.O_CREAT | os.O_WRONLY, _OWNER_ONLY))
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(backup)) as target:
        source.backup(target)
