"""Opening the store: created, or brought up to date, before anybody uses it."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from sqlalchemy import inspect, select, text
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
from sqlobs_collector.store.embedded import EmbeddedStore
from sqlobs_collector.store.server import ServerStore
from sqlobs_collector.store.tables import COMPATIBILITY

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection, Engine

_log = logging.getLogger(__name__)

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_TROUBLE: Final = (DBAPIError, PoolTimeoutError, sqlite3.Error, OSError, MemoryError)
_UNFIT: Final = (DataError, IntegrityError, InterfaceError, NotSupportedError, ProgrammingError)
_UNFIT_CODES: Final = ("22", "23", "54")
"""Classes of SQLSTATE: data exceptions, violated constraints, exceeded limits. A table that is
missing, or a right, is an administrator's to restore: psycopg has the same exception for it as for
a malformed statement."""


class Place(Protocol):
    """Where a store is."""

    @property
    def name(self) -> str:
        """How messages name it, without a password."""

    @property
    def way_out(self) -> str:
        """What to do where it cannot be used."""

    @property
    def trouble(self) -> type[ConfigError]:
        """What is raised where it cannot be used now and perhaps later."""

    def engine(self) -> Engine:
        """Return an engine that writes; the store may not exist yet."""

    def reading_engine(self) -> Engine:
        """Return an engine of a few connections that cannot write."""

    def create(self) -> None:
        """Create an empty store, if there is none and it can be created."""

    def is_missing(self) -> bool:
        """Return whether there is no store."""

    def reclaim(self) -> str:
        """Overwrite what was deleted; return a sentence with what is left to do, if anything."""

    def delete_backups(self) -> int:
        """Delete the copies that migrations made; return how many."""

    def lock_tables(self, connection: Connection) -> None:
        """Let no other process migrate until the transaction ends."""

    def back_up(self, version: str) -> None:
        """Copy the store before its tables are migrated to a version."""

    def backup_name(self, version: str) -> str | None:
        """Return the name of that copy; None: an administrator makes copies."""


def place_of(data_dir: Path, url: str | None = None) -> Place:
    """Return where the store is: at an address, else below the data directory."""
    return EmbeddedStore(data_dir) if url is None else ServerStore(url)


def open_store(place: Place | Path) -> Engine:
    """Return the engine of a store, its tables at the newest version.

    Tables of a newer sqlobs are used as they are if they are compatible with this version: during
    an update, old and new collectors work side by side.

    Raises:
        ConfigError: The store cannot be used, or the tables of a newer sqlobs are not compatible.
    """
    place = EmbeddedStore(place) if isinstance(place, Path) else place
    engine = place.engine()
    try:
        place.create()
        _migrate(engine, place)
    except (OSError, DBAPIError) as error:
        engine.dispose()
        raise _unusable(place, error) from error
    except BaseException:
        engine.dispose()
        raise
    return engine


def is_trouble(error: Exception) -> bool:
    """Return whether disk or store failed, which may be temporary, and not the content."""
    code = getattr(getattr(error, "orig", None), "sqlstate", None)
    if isinstance(code, str):
        return not code.startswith(_UNFIT_CODES)
    return isinstance(error, _TROUBLE) and not isinstance(error, _UNFIT)


def store_version(place: Place) -> tuple[str | None, str]:
    """Return the version of a store's tables, and the newest one; `None`: it has none yet.

    Raises:
        ConfigError: The store cannot be read.
    """
    engine = place.engine()
    try:
        with engine.connect() as connection:
            return _version_of(connection), _versions()[-1]
    except DBAPIError as error:
        raise _unusable(place, error) from error
    finally:
        engine.dispose()


def migration_config() -> Config:
    """Return Alembic's configuration; it names no database."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


def _unusable(place: Place, error: OSError | DBAPIError) -> ConfigError:
    cause = error.orig if isinstance(error, DBAPIError) else error
    reason = " ".join(str(cause).split())
    kind = place.trouble if is_trouble(error) else ConfigError
    return kind(f"the store {place.name} cannot be opened ({reason}): {place.way_out}")


def _migrate(engine: Engine, place: Place) -> None:
    *_, newest = known = _versions()
    with engine.begin() as connection:
        place.lock_tables(connection)
        found = _version_of(connection)
        if found == newest:
            return
        if found is not None:
            if found not in known:
                _check_compatible(connection, found, newest, place)
                return
            place.back_up(newest)
        _upgrade(connection)


def _versions() -> list[str]:
    """Return the versions of the tables, which the migrations' files are named after, in order."""
    return sorted(path.stem[1:].partition("_")[0] for path in MIGRATIONS.glob("versions/r*.py"))


def _version_of(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version"))
    return found.scalar_one_or_none()


def _upgrade(connection: Connection) -> None:
    from alembic import command  # takes a tenth of a start, which rarely migrates

    config = migration_config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _check_compatible(connection: Connection, found: str, head: str, place: Place) -> None:
    """Accept the tables of a newer sqlobs that say so.

    Raises:
        ConfigError: They do not.
    """
    query = select(COMPATIBILITY.c.oldest_revision)
    if head < connection.execute(query).scalar_one():
        raise ConfigError(
            f"the store {place.name} was written by a newer sqlobs (table version {found}):"
            " install that version, or use another store"
        )
    _log.info("the store was migrated to version %s by a newer sqlobs and is compatible", found)
