"""Throw-away copies of a database; the original is only read."""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, LiteralString

from sqlobs.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import psycopg
    from psycopg.sql import Composed

    from sqlobs.execution.target import Target

PREFIX: Final = "sqlobs_copy_"
"""The names of PostgreSQL's copies begin with it; a killed evaluation may leave one."""
_MAINTENANCE: Final = "postgres"
"""A database cannot be copied or dropped over a connection to itself."""


@contextmanager
def throw_away_copy(target: Target) -> Iterator[str]:
    """Yield where a copy of a target's database is: a file's path, or a connection string.

    Raises:
        ConfigError: the target's system has no copies, or its role must not make one.
        MissingExtraError: psycopg is not installed.
    """
    way = next((each for each in _WAYS if each.dialect == target.dialect), None)
    if way is None:
        raise ConfigError(
            "test cases run on SQLite and PostgreSQL, which can copy a database;"
            f" {target.alias} is {target.system}"
        )
    with way.copy(target) as place:
        yield place


@contextmanager
def _file_copy(target: Target) -> Iterator[str]:
    path = Path(target.path or "")
    with TemporaryDirectory(prefix=PREFIX) as folder:
        place = Path(folder) / path.name
        source = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        with closing(source), closing(sqlite3.connect(place)) as copy:
            source.backup(copy)
        yield str(place)


@contextmanager
def _database_copy(target: Target) -> Iterator[str]:
    url = target.url
    try:
        import psycopg
    except ImportError:
        raise MissingExtraError("Copying a PostgreSQL database", extra="postgres") from None
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    original = str(conninfo_to_dict(url).get("dbname", ""))
    copy = f"{PREFIX}{secrets.token_hex(8)}"
    try:
        with psycopg.connect(
            make_conninfo(url, dbname=_MAINTENANCE), autocommit=True
        ) as connection:
            _require_ordinary(connection)
            connection.execute(_statement("CREATE DATABASE {} TEMPLATE {}", copy, original))
            try:
                yield make_conninfo(url, dbname=copy)
            finally:
                connection.execute(_statement("DROP DATABASE {} WITH (FORCE)", copy))
    except psycopg.Error as error:
        raise ConfigError(f"{original} cannot be copied: {error}") from None


def _require_ordinary(connection: psycopg.Connection) -> None:
    """Refuse a superuser: its statements could leave the copy, as with `COPY … TO PROGRAM`."""
    found = connection.execute(
        "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    if found is None or found[0]:
        raise ConfigError(
            "test cases do not run as a superuser; use a role with CREATEDB that owns the database"
        )


def _statement(template: LiteralString, *names: str) -> Composed:
    from psycopg import sql

    return sql.SQL(template).format(*map(sql.Identifier, names))


@dataclass(frozen=True, slots=True)
class _Way:
    dialect: str
    copy: Callable[[Target], AbstractContextManager[str]]


_WAYS: Final = (_Way("sqlite", _file_copy), _Way("postgres", _database_copy))
