"""A backend that outlives its worker ends, or stops everything else on its target until it does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import psycopg
import pytest

from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import Execution, ExecutionRequest
from sqlobs.execution.target import Limits, Target
from tests.servers import MariaDbServer, PostgresServer

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = "SELECT length(replace(whole, part, '')) FROM long_texts"
"""Nothing in the text tells how long it takes: some ten seconds, in one call."""


class Postgres:
    """A PostgreSQL with a long text, which a role of its own may read."""

    def __init__(self) -> None:
        self.server = PostgresServer().start()
        with psycopg.connect(self.server.url(), autocommit=True) as connection:
            connection.execute(
                "CREATE TABLE long_texts (whole text, part text);"
                "INSERT INTO long_texts VALUES (repeat('a', 250000), 'b' || repeat('a', 60000));"
                "CREATE ROLE reader LOGIN CONNECTION LIMIT 10;"
                "ALTER ROLE reader SET temp_file_limit = '64MB';"
                "GRANT SELECT ON long_texts TO reader"
            )
        self.target = Target.from_url("shop", self.server.url(user="reader"))

    def busy(self) -> list[int]:
        """Return the backends of this test that run a statement."""
        with psycopg.connect(self.server.url(), autocommit=True) as connection:
            rows = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'"
            ).fetchall()
        return [row[0] for row in rows]


class MariaDb:
    """A MariaDB with a long text, which a role of its own may read."""

    def __init__(self) -> None:
        self.server = MariaDbServer().start()
        self.server.run(
            "CREATE DATABASE shop; USE shop;"
            "CREATE TABLE long_texts (whole LONGTEXT, part LONGTEXT);"
            "INSERT INTO long_texts VALUES"
            " (REPEAT('a', 200000), CONCAT(REPEAT('a', 60000), 'b'));"
            "CREATE USER reader@'%' IDENTIFIED BY 'secret' WITH MAX_USER_CONNECTIONS 10;"
            "GRANT SELECT ON shop.* TO reader@'%';"
        )
        url = f"mysql+pymysql://reader:secret@127.0.0.1:{self.server.port}/shop"
        self.target = Target.from_url("shop", url)

    def busy(self) -> list[int]:
        """Return the threads of this test that run a statement."""
        found = self.server.run(
            "SELECT id FROM information_schema.processlist"
            " WHERE user = 'reader' AND command IN ('Query', 'Killed')"
        )
        return [int(word) for word in found.split()[1:]]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(Postgres, marks=pytest.mark.postgres),
        pytest.param(MariaDb, marks=pytest.mark.mariadb),
    ],
)
def station(request: pytest.FixtureRequest) -> Iterator[Postgres | MariaDb]:
    """A server whose data make one call take long."""
    running = request.param()
    yield running
    running.server.stop()


def run(executor: Executor, sql: str, timeout_s: float = 5.0) -> Execution:
    """Run a statement on the target `shop`."""
    request = ExecutionRequest(sql=sql, target="shop", limits=Limits(timeout_s=timeout_s))
    return executor.run(request).prediction


def test_a_backend_that_outlives_its_worker_holds_its_target(
    station: Postgres | MariaDb, caplog: pytest.LogCaptureFixture
):
    """Until it is gone nothing more is sent there; then the target works again, unasked."""
    with Executor([station.target], workers=2) as executor:
        assert run(executor, "SELECT count(*) FROM long_texts").outcome.status == "ok"
        assert executor.held == {}
        killed = run(executor, LONG, timeout_s=0.3)
        assert (killed.outcome.status, killed.engine_class) == ("timeout", "killed")
        assert len(station.busy()) == 1
        assert executor.held == {"shop": 1}
        for _ in range(3):
            held = run(executor, "SELECT 1")
            assert (held.outcome.status, held.reason) == ("not_run", "target_unavailable")
        assert len(station.busy()) == 1
        deadline = time.monotonic() + 300
        while run(executor, "SELECT 1").outcome.status != "ok":
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert (executor.held, station.busy()) == ({}, [])
    said = [(record.levelname, record.message.partition(":")[0]) for record in caplog.records]
    assert said == [("ERROR", "target shop is held"), ("WARNING", "target shop is released")]


def test_an_ordinary_kill_holds_nothing(station: Postgres | MariaDb):
    """The backend of a worker that is killed between rows is gone at once."""
    with Executor([station.target], workers=1) as executor:
        stream = executor.stream([(f"SELECT {n}", Limits()) for n in range(500)], target="shop")
        next(stream)
        stream.close()
        assert executor.held == {}
        assert run(executor, "SELECT 1").outcome.status == "ok"
        assert station.busy() == []
