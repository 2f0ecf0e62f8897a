from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sqlobs.execution.executor import Executor
from sqlobs.execution.target import Target
from tests.collector.running import RunningCollector
from tests.collector.stores import EMBEDDED, Databases, StoreKind, lay_empty, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Engine


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """Databases of a PostgreSQL server."""
    with serving() as made:
        yield made


@pytest.fixture
def store_kind() -> StoreKind:
    """The store of a test; modules that run on both override it, see `stores.on_both`."""
    return EMBEDDED


@pytest.fixture
def engine(store_kind: StoreKind, tmp_path: Path) -> Iterator[Engine]:
    """An empty store."""
    found = store_kind.open(tmp_path)
    yield found
    found.dispose()


@contextmanager
def launching(
    directory: Path, kind: StoreKind = EMBEDDED
) -> Iterator[Callable[..., RunningCollector]]:
    """Start collectors with given settings; all are stopped at the end."""
    running: list[RunningCollector] = []

    def start(**settings: object) -> RunningCollector:
        data_dir = settings.pop("data_dir", directory / "data")
        if kind.url is None:
            lay_empty(Path(data_dir))
        dotted = {name.replace("__", "."): setting for name, setting in settings.items()}
        collector = RunningCollector(data_dir, **kind.settings, **dotted)
        running.append(collector)
        return collector.start()

    try:
        yield start
    finally:
        for collector in running:
            collector.stop()


@pytest.fixture
def launch(tmp_path: Path, store_kind: StoreKind) -> Iterator[Callable[..., RunningCollector]]:
    """Start collectors of one test."""
    with launching(tmp_path, store_kind) as start:
        yield start


@pytest.fixture
def collector(launch: Callable[..., RunningCollector]) -> RunningCollector:
    """One collector with default settings."""
    return launch()


SHOP = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, region TEXT, total REAL);
INSERT INTO orders VALUES (1, 'north', 10), (2, 'south', 20), (3, 'south', 5), (4, NULL, NULL);
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A database that nobody may change."""
    path = tmp_path_factory.mktemp("shop") / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SHOP)
    return path


@pytest.fixture(scope="module")
def executor(shop):
    """Runs statements on the shop, for all tests of a module: processes are dear."""
    with Executor([Target.from_url("shop", f"sqlite:///{shop}")], workers=1) as running:
        yield running
