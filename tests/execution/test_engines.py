"""The engines alone: what they stop when a hostile statement got past the gate."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import psycopg
import pytest

from sqlobs.execution.admission import Admission
from sqlobs.execution.engines import Engine, open_target
from sqlobs.execution.messages import Failed
from sqlobs.execution.target import Limits, Target
from sqlobs.metrics.ordering import UNORDERED
from tests.execution.attacks import POSTGRES, SQLITE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers import PostgresServer

BOMBS = (28, 29, 30, 32, 33, 40, 41, 42, 45)
"""Attacks on time and memory belong to the process that is killed."""


def let_in(engine: Engine, sql: str) -> object:
    """Execute a statement as if the gate had admitted it."""
    admission = Admission(
        text=sql, calls=frozenset(), words=frozenset(), ordering=UNORDERED, volatile=frozenset()
    )
    engine.begin({})
    try:
        return engine.execute(admission, Limits(timeout_s=0.1), lambda rows, _: len(rows))
    finally:
        engine.end()


def test_sqlite_writes_nothing_without_the_gate(shop_file: Path):
    """Authorizer and read-only connection stop every statement that would change something."""
    before = hashlib.sha256(shop_file.read_bytes()).digest()
    engine = open_target(Target.from_url("shop", f"sqlite:///{shop_file}"))
    harmless = ("EXPLAIN", "SELECT 1", "REINDEX")
    for attack in SQLITE:
        if attack.number not in BOMBS and not attack.sql.startswith(harmless):
            assert isinstance(let_in(engine, attack.sql), Failed), attack
    engine.close()
    assert hashlib.sha256(shop_file.read_bytes()).digest() == before
    assert list(shop_file.parent.iterdir()) == [shop_file]


@pytest.mark.postgres
@pytest.mark.parametrize("role", ["reader", "clerk", "postgres"])
def test_postgres_keeps_nothing_without_the_gate(postgres: PostgresServer, role: str):
    """Cursor, snapshot, role and rollback leave the server as it was."""
    engine = open_target(Target.from_url("shop", postgres.url("shop", user=role)))
    before = postgres.dump()
    for attack in POSTGRES:
        if attack.number not in BOMBS and not (attack.number == 15 and role == "clerk"):
            let_in(engine, attack.sql)
    assert let_in(engine, "SELECT count(*) FROM orders").columns == ("count",)
    with psycopg.connect(postgres.url()) as admin:
        locks = admin.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        assert locks.fetchone() == (0,)
    engine.close()
    assert postgres.dump() == before
