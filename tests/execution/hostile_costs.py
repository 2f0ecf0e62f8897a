"""Statements that would occupy an engine: stopped, without a trace, anyone who the role is.

    python -m tests.execution.hostile_costs [engine …]

runs every attack of `costs/*.txt` on a server of its own, under a role that may only read and one
that may do much, and shows what stopped it, whether the database is what it was, and whether a
backend is busy 5 s after the statement ended.
"""

from __future__ import annotations

import hashlib
import sqlite3
import sys
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import duckdb
import psycopg

from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Limits, Target
from tests.execution.attacks import ending
from tests.execution.conftest import SHOP
from tests.servers import MariaDbServer, PostgresServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ATTACKS = Path(__file__).parent / "costs"
LIMITS = Limits(timeout_s=1.0, max_rows=100)
QUIET_S = 5.0


@dataclass(frozen=True)
class Arena:
    """A database to attack."""

    targets: list[Target]
    """One for each role."""
    digest: Callable[[], str]
    """Tells whether anything was changed."""
    busy: Callable[[], int]
    """How many backends of the roles run something."""


@dataclass(frozen=True)
class Ending:
    """What came of an attack under a role."""

    sql: str
    role: str
    stopped_by: str
    busy: int
    """Backends that were busy 5 s after the statement ended."""

    @property
    def is_stopped(self) -> bool:
        """Return whether it neither ran to its end nor left anything busy."""
        return self.stopped_by not in {"ok", "truncated", "error", "target_unavailable"} and not (
            self.busy
        )


def attacks(engine: str) -> list[str]:
    """Return the statements for an engine: a line each, comments left out."""
    lines = (ATTACKS / f"{engine}.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def attacked(arena: Arena, statements: list[str]) -> Iterator[Ending]:
    """Run statements under every role, one after the other."""
    with Executor(arena.targets, workers=1) as executor:
        for target in arena.targets:
            for sql in statements:
                request = ExecutionRequest(sql=sql, target=target.alias, limits=LIMITS)
                execution = executor.run(request).prediction
                yield Ending(sql, target.alias, ending(execution), _busy_at_last(arena))


def _busy_at_last(arena: Arena) -> int:
    deadline = time.monotonic() + QUIET_S
    while (busy := arena.busy()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return busy


@contextmanager
def postgres_arena() -> Iterator[Arena]:
    """A PostgreSQL with the shop: a reader, the tables' owner, the superuser."""
    server = PostgresServer().start()
    try:
        with psycopg.connect(server.url(), autocommit=True) as admin:
            admin.execute(SHOP)
            admin.execute(
                "CREATE ROLE reader LOGIN; GRANT SELECT ON customers, orders TO reader;"
                "CREATE ROLE owner LOGIN CREATEDB;"
                "ALTER TABLE customers OWNER TO owner; ALTER TABLE orders OWNER TO owner"
            )
            targets = [
                Target.from_url(user, server.url(user=user))
                for user in ("reader", "owner", "postgres")
            ]

            def busy() -> int:
                row = admin.execute(
                    "SELECT count(*) FROM pg_stat_activity"
                    " WHERE application_name = 'sqlobs' AND state = 'active'"
                ).fetchone()
                return int(row[0]) if row else 0

            yield Arena(targets, lambda: _hash(server.dump()), busy)
    finally:
        server.stop()


@contextmanager
def mysql_arena() -> Iterator[Arena]:
    """A MariaDB with the shop: a reader, and an owner with all rights on it."""
    server = MariaDbServer().start()
    try:
        server.run(
            "CREATE DATABASE shop CHARACTER SET utf8mb4; USE shop;"
            + SHOP.replace("TEXT", "VARCHAR(100)")
            + "CREATE USER reader@'%' IDENTIFIED BY 'secret';"
            "GRANT SELECT ON shop.* TO reader@'%';"
            "CREATE USER owner@'%' IDENTIFIED BY 'secret';"
            "GRANT ALL PRIVILEGES ON shop.* TO owner@'%'"
        )
        targets = [
            Target.from_url(user, f"mysql://{user}:secret@127.0.0.1:{server.port}/shop")
            for user in ("reader", "owner")
        ]

        def busy() -> int:
            found = server.run(
                "SELECT COUNT(*) FROM information_schema.processlist"
                " WHERE user IN ('reader', 'owner') AND command IN ('Query', 'Killed')"
            )
            return int(found.split()[1])

        yield Arena(targets, lambda: _hash(_undated(server.dump("shop"))), busy)
    finally:
        server.stop()


@contextmanager
def sqlite_arena() -> Iterator[Arena]:
    """A SQLite file with the shop: one that may be written, one that may not."""
    with TemporaryDirectory() as directory:
        paths = [Path(directory, name) for name in ("owner.db", "reader.db")]
        for path in paths:
            with sqlite3.connect(path) as connection:
                connection.executescript(SHOP)
            connection.close()
        yield _of_files("sqlite", paths)


@contextmanager
def duckdb_arena() -> Iterator[Arena]:
    """A DuckDB file with the shop: one that may be written, one that may not."""
    with TemporaryDirectory() as directory:
        paths = [Path(directory, name) for name in ("owner.duckdb", "reader.duckdb")]
        for path in paths:
            with duckdb.connect(str(path)) as connection:
                connection.execute(SHOP)
        yield _of_files("duckdb", paths)


ARENAS = {
    "postgres": postgres_arena,
    "mysql": mysql_arena,
    "sqlite": sqlite_arena,
    "duckdb": duckdb_arena,
}


def _of_files(scheme: str, paths: list[Path]) -> Arena:
    paths[1].chmod(0o444)
    targets = [Target.from_url(path.stem, f"{scheme}:///{path}") for path in paths]

    def digest() -> str:
        names = sorted(path.name for path in paths[0].parent.iterdir())
        return _hash(str(names)) + "".join(
            hashlib.sha256(path.read_bytes()).hexdigest() for path in paths
        )

    return Arena(targets, digest, lambda: 0)


def _undated(dump: str) -> str:
    return "\n".join(line for line in dump.splitlines() if not line.startswith("-- Dump completed"))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(engines: list[str]) -> int:
    """Attack engines and print what came of it; 1 where an attack got through."""
    failures = 0
    for engine in engines or list(ARENAS):
        with ARENAS[engine]() as arena:
            before, counts = arena.digest(), Counter[str]()
            for end in attacked(arena, attacks(engine)):
                counts[end.stopped_by] += 1
                if not end.is_stopped:
                    failures += 1
                    _say(f"  {end.role}: {end.stopped_by}, {end.busy} busy: {end.sql[:150]}")
            is_same = arena.digest() == before
            failures += not is_same
            roles = ", ".join(target.alias for target in arena.targets)
            _say(f"{engine}: {len(attacks(engine))} attacks under each of {roles}: {dict(counts)}")
            _say(f"  the database is {'what it was' if is_same else 'CHANGED'}")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
