"""Every statement of the list of attacks is stopped, and leaves nothing behind."""

from __future__ import annotations

import hashlib
import sqlite3
from typing import TYPE_CHECKING

import pytest

from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import Execution, ExecutionRequest
from sqlobs.execution.target import Limits, Target
from tests.execution.attacks import POSTGRES, SQLITE, Attack, ending

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.servers import PostgresServer

LIMITS = Limits(timeout_s=0.4, max_rows=100)


def named(attack: Attack) -> str:
    """Return a test id that can be read."""
    head = attack.sql if len(attack.sql) < 60 else f"{attack.sql[:30]}…{attack.sql[-30:]}"
    return f"{attack.number}-{head}"


def rows(execution: Execution) -> object:
    """Return the rows, or the whole outcome where there are none."""
    table = execution.outcome.table
    return execution if table is None else table.rows


@pytest.fixture(scope="module")
def treacherous_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database whose own views and columns call what they should not."""
    path = tmp_path_factory.mktemp("treacherous") / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT, total REAL, day TEXT);
            INSERT INTO orders VALUES (1, 1, 10.5, '2024-01-31');
            CREATE VIEW loading AS SELECT load_extension('/tmp/evil.so') AS x;
            CREATE VIEW computed AS SELECT fts3_tokenizer(day) AS secret FROM orders;
            """
        )
    connection.close()
    return path


@pytest.fixture(scope="module")
def treacherous(treacherous_file: Path) -> Iterator[Executor]:
    """An executor on that database; after all attacks the file is what it was, and alone."""
    before = hashlib.sha256(treacherous_file.read_bytes()).digest()
    with Executor([Target.from_url("shop", f"sqlite:///{treacherous_file}")]) as executor:
        yield executor
    assert hashlib.sha256(treacherous_file.read_bytes()).digest() == before
    assert list(treacherous_file.parent.iterdir()) == [treacherous_file]


@pytest.fixture(scope="module")
def unchanged_shop(postgres: PostgresServer, postgres_shop: Executor) -> Iterator[Executor]:
    """The PostgreSQL shop; after all attacks a full dump of the server is what it was."""
    before = postgres.dump()
    yield postgres_shop
    assert postgres.dump() == before


@pytest.mark.parametrize("attack", SQLITE, ids=named)
def test_sqlite_stops(treacherous: Executor, attack: Attack):
    """Gate, engine or clock stops it; the next statement runs as if nothing had been."""
    outcome = treacherous.run(ExecutionRequest(sql=attack.sql, target="shop", limits=LIMITS))
    assert ending(outcome.prediction) == attack.stopped_by
    after = treacherous.run(
        ExecutionRequest(sql="SELECT count(*) FROM orders", target="shop")
    ).prediction
    assert rows(after) == ((1,),)


@pytest.mark.postgres
@pytest.mark.parametrize("role", ["reader", "clerk", "postgres"])
@pytest.mark.parametrize("attack", POSTGRES, ids=named)
def test_postgres_stops(unchanged_shop: Executor, attack: Attack, role: str):
    """Gate, engine or clock stops it, whatever the role might do; the next statement runs."""
    outcome = unchanged_shop.run(ExecutionRequest(sql=attack.sql, target=role, limits=LIMITS))
    assert ending(outcome.prediction) == attack.stopped_by
    after = unchanged_shop.run(
        ExecutionRequest(sql="SELECT count(*) FROM orders", target=role)
    ).prediction
    assert rows(after) == ((3,),)
