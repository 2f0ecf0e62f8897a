"""What is said of a store that fails: the reason, for as long as failures are recent."""

from __future__ import annotations

import sqlite3

import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError

from sqlobs_collector.store.health import REASONS, RECENT_S, StoreHealth, reason_of


class Clock:
    """Seconds that pass when a test says so."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_failure_is_told_until_none_is_recent(tmp_path):
    """Also if a read succeeds meanwhile: half a store is not up."""
    path = tmp_path / "store.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE unit (id INTEGER)")
    clock, counted = Clock(), []
    health = StoreHealth(on_failure=counted.append, clock_s=clock)
    engine = create_engine(f"sqlite:///file:{path}?mode=ro&uri=true")
    health.watch(engine)
    assert (health.reason, health.is_up) == (None, True)
    with engine.connect() as connection:
        with pytest.raises(DBAPIError):
            connection.exec_driver_sql("INSERT INTO unit VALUES (1)")
        connection.exec_driver_sql("SELECT id FROM unit")
    clock.now_s += RECENT_S - 1
    assert (health.reason, health.is_up, counted) == ("read_only", False, ["read_only"])
    clock.now_s += 1
    assert (health.reason, health.is_up) == (None, True)
    engine.dispose()


def test_a_row_that_does_not_fit_is_no_failure_of_the_store(tmp_path):
    """It says nothing about the next one."""
    engine = create_engine(f"sqlite:///{tmp_path / 'store.sqlite'}")
    health = StoreHealth(on_failure=pytest.fail)
    health.watch(engine)
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE unit (id INTEGER PRIMARY KEY)")
        connection.exec_driver_sql("INSERT INTO unit VALUES (1)")
        with pytest.raises(DBAPIError):
            connection.exec_driver_sql("INSERT INTO unit VALUES (1)")
    assert health.is_up
    engine.dispose()


class ServerError(Exception):
    """As psycopg raises it."""

    def __init__(self, message: str, sqlstate: str | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ServerError("connection failed: Connection refused"), "unreachable"),
        (ServerError("terminating connection", "57P01"), "unreachable"),
        (ServerError("FATAL:  sorry, too many clients already"), "out_of_connections"),
        (ServerError("could not extend file: No space left on device", "53100"), "disk_full"),
        (ServerError("cannot execute INSERT in a read-only transaction", "25006"), "read_only"),
        (ServerError("canceling statement due to statement timeout", "57014"), "slow"),
        (ServerError("could not obtain lock", "55P03"), "locked"),
        (ServerError("out of memory", "53200"), "error"),
        (sqlite3.OperationalError("database or disk is full"), "disk_full"),
        (sqlite3.OperationalError("database is locked"), "locked"),
        (sqlite3.DatabaseError("database disk image is malformed"), "error"),
    ],
)
def test_every_failure_has_a_reason(error, reason):
    """By SQLSTATE, or by words of the message."""
    assert reason_of(error) == reason
    assert reason in REASONS
