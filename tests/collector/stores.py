"""The two stores that tests run on: the embedded one, and a PostgreSQL database of its own."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from sqlobs_collector.store.database import open_store, place_of
from sqlobs_collector.store.embedded import FILE_NAME
from tests.servers import PgBouncer, PostgresServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

    from sqlobs_collector.store.database import Place

_TEMPLATE = "migrated"


@dataclass(frozen=True)
class StoreKind:
    """A store for a test, not yet opened."""

    url: str | None = None
    """None: below the data directory."""
    files: Path | None = None
    """Of the server's data; None: below the data directory."""

    @property
    def settings(self) -> dict[str, object]:
        """What a collector is told."""
        return {} if self.url is None else {"store.url": self.url}

    def place(self, data_dir: Path) -> Place:
        return place_of(data_dir, self.url)

    def open(self, data_dir: Path) -> Engine:
        if self.url is None:
            lay_empty(data_dir)
        return open_store(self.place(data_dir))


def lay_empty(data_dir: Path) -> None:
    """Put an empty store of the newest version where a first start would make one.

    The migrations take half of a collector's start; tests of the migrations do without this.
    """
    if not (data_dir / FILE_NAME).exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        shutil.copy(_empty_store(), data_dir)


@functools.cache
def _empty_store() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="sqlobs-store-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    open_store(directory).dispose()
    return directory / FILE_NAME


EMBEDDED = StoreKind()


class Databases:
    """Makes empty databases, and migrated ones by copying the first."""

    def __init__(self, server: PostgresServer, pooler: PgBouncer | None = None) -> None:
        self._server = server
        self._pooler = pooler
        self._count = 0
        self._has_template = False

    def empty(self) -> StoreKind:
        return self._kind(self._make("template0"))

    def migrated(self) -> StoreKind:
        if not self._has_template:
            self._has_template = True
            name = self._make("template0", name=_TEMPLATE)
            open_store(place_of(Path(), self._server.url(name))).dispose()
        return self._kind(self._make(_TEMPLATE))

    def _kind(self, name: str) -> StoreKind:
        url = self._server.url(name)
        if self._pooler is not None:
            url = f"{self._pooler.url(name)}?pgbouncer=true"
        return StoreKind(url, self._server.directory / "data")

    def _make(self, template: str, *, name: str | None = None) -> str:
        self._count += 1
        name = name or f"store_{self._count}"
        with psycopg.connect(self._server.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name


@contextmanager
def serving() -> Iterator[Databases]:
    """Run a server for a test session; with `SQLOBS_PGBOUNCER=1` its databases are behind a pooler.

    Not every test can be run so: some look at the server itself.
    """
    with ExitStack() as stack:
        server = PostgresServer()
        stack.callback(server.stop)
        server.start()
        pooler = None
        if os.environ.get("SQLOBS_PGBOUNCER"):
            pooler = PgBouncer(server.port)
            stack.callback(pooler.stop)
        yield Databases(server, pooler)


def on_both(*marks: pytest.MarkDecorator):
    """Return a fixture for a module: its tests run on both stores.

    Args:
        marks: Of the tests on PostgreSQL.
    """
    server = pytest.param("postgresql", marks=[pytest.mark.postgres, *marks])

    @pytest.fixture(params=["embedded", server])
    def store_kind(request: pytest.FixtureRequest) -> StoreKind:
        """The store of a test."""
        if request.param == "embedded":
            return EMBEDDED
        databases: Databases = request.getfixturevalue("databases")
        return databases.migrated()

    return store_kind
