"""Statements that run code of a database's users, and honest ones beside them.

`python -m tests.execution.hostile_names [engine …]` runs all of them; the suite runs some. For each
engine, `names/` holds a script that makes a database, attacks on it, and legitimate statements. In
the script, whatever users made calls `canary()`, which leaves a trace that no rollback takes back.
"""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, Protocol

import duckdb

from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Limits, Target
from tests.execution.attacks import ending
from tests.servers import MariaDbServer, PostgresServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DIRECTORY: Final = Path(__file__).parent / "names"
_RAN: Final = ("ok", "execution.engine_error", "execution.timeout", "truncated")
"""What comes of a statement that the engine ran."""

_LIMITS: Final = Limits(timeout_s=10, max_rows=1000)


class Arena(Protocol):
    """A database with traps."""

    targets: dict[str, Target]
    """By the name of the role."""

    def has_sung(self) -> bool:
        """Return whether code of users ran since the last call."""

    def fingerprint(self) -> object:
        """Return what no statement may change."""


def script(engine: str) -> str:
    """Return the script that makes an engine's database."""
    return (_DIRECTORY / f"{engine}.sql").read_text("utf-8")


def listed(engine: str, kind: str) -> list[str]:
    """Return an engine's statements of a kind: `attacks` or `legitimate`."""
    lines = (_DIRECTORY / f"{engine}_{kind}.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


class PostgresArena:
    """The traps of PostgreSQL, in a database of its own."""

    def __init__(self, server: PostgresServer) -> None:
        import psycopg

        self._server = server
        self._canary = server.directory / "canary"
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute("CREATE DATABASE names")
            for role in ("reader", "clerk"):
                connection.execute(
                    f"DO $$ BEGIN CREATE ROLE {role} LOGIN;"
                    " EXCEPTION WHEN duplicate_object THEN NULL; END $$"
                )
        with psycopg.connect(server.url("names")) as connection:
            connection.execute(script("postgres").replace("%CANARY%", str(self._canary)))
        assert self.has_sung(), "defining the traps runs some of them"
        self.targets = {
            role: Target.from_url(role, server.url("names", user=role))
            for role in ("reader", "clerk", "postgres")
        }

    def has_sung(self) -> bool:
        """Return whether code of users ran since the last call."""
        is_there = self._canary.exists()
        self._canary.unlink(missing_ok=True)
        return is_there

    def fingerprint(self) -> object:
        """Return a dump of the server."""
        return self._server.dump()


class MySqlArena:
    """The traps of MariaDB, in a database of its own."""

    def __init__(self, server: MariaDbServer) -> None:
        self._server = server
        server.run(f"CREATE DATABASE names; USE names;\n{script('mysql')}")
        self.has_sung()
        address = f"127.0.0.1:{server.port}/names"
        self.targets = {
            role: Target.from_url(role, f"mysql://{role}@{address}") for role in ("reader", "plain")
        }

    def has_sung(self) -> bool:
        """Return whether code of users ran since the last call."""
        found = self._server.run("SELECT @@GLOBAL.max_error_count; SET GLOBAL max_error_count = 64")
        return found.split()[1] != "64"

    def fingerprint(self) -> object:
        """Return a dump of the database."""
        dump = self._server.dump("names")
        self.has_sung()  # a dump opens views, which calls some of it
        return "\n".join(line for line in dump.splitlines() if not line.startswith("-- Dump"))


class FileArena:
    """The traps of SQLite or DuckDB, in a file; what they call says so in its rows."""

    def __init__(self, engine: str, path: Path) -> None:
        self._path = path
        _DEFINE[engine](path, script(engine))
        self.targets = {"file": Target.from_url("file", f"{engine}:///{path}")}

    def has_sung(self) -> bool:
        """Say no: nothing in a file that is opened read-only leaves a trace."""
        return False

    def fingerprint(self) -> object:
        """Return the bytes of the file, and what lies beside it."""
        return self._path.read_bytes(), sorted(self._path.parent.iterdir())


def _define_duckdb(path: Path, definitions: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(definitions)


def _define_sqlite(path: Path, definitions: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(definitions)


_DEFINE: Final = {"duckdb": _define_duckdb, "sqlite": _define_sqlite}


def failures(arena: Arena, role: str, engine: str, *, step: int = 1) -> list[str]:
    """Run every nth statement as a role, and return what went otherwise than it must.

    An attack runs no code of users and gives no rows; a legitimate statement gives rows.
    """
    wrong: list[str] = []
    before = arena.fingerprint()
    with Executor([arena.targets[role]], workers=1) as executor:
        for kind in ("attacks", "legitimate"):
            found = _endings(executor, role, listed(engine, kind)[::step])
            wrong += (
                f"{kind}: {sql}: {end}"
                for sql, end in found
                if arena.has_sung() or not _is_right(kind, end)
            )
    return [*wrong, *(["the database changed"] if arena.fingerprint() != before else [])]


def _is_right(kind: str, end: str) -> bool:
    return end == "ok" if kind == "legitimate" else end not in _RAN


def _endings(executor: Executor, role: str, statements: Sequence[str]) -> Iterator[tuple[str, str]]:
    for sql in statements:
        request = ExecutionRequest(sql=sql, target=role, limits=_LIMITS)
        yield sql, ending(executor.run(request).prediction)


@contextmanager
def postgres_arena() -> Iterator[Arena]:
    """Start a PostgreSQL with the traps."""
    server = PostgresServer()
    try:
        yield PostgresArena(server.start())
    finally:
        server.stop()


@contextmanager
def mysql_arena() -> Iterator[Arena]:
    """Start a MariaDB with the traps."""
    server = MariaDbServer()
    try:
        yield MySqlArena(server.start())
    finally:
        server.stop()


@contextmanager
def file_arena(engine: str) -> Iterator[Arena]:
    """Make a file with the traps."""
    with TemporaryDirectory(prefix="sqlobs-names-") as directory:
        yield FileArena(engine, Path(directory) / "names.db")


_ARENAS: Final = {
    "duckdb": partial(file_arena, "duckdb"),
    "mysql": mysql_arena,
    "postgres": postgres_arena,
    "sqlite": partial(file_arena, "sqlite"),
}


def main(engines: Sequence[str]) -> int:
    """Run all statements on the engines named, or on all, and print what came of them."""
    found: Counter[str] = Counter()
    for engine in engines or _ARENAS:
        with _ARENAS[engine]() as arena:
            for role in arena.targets:
                wrong = failures(arena, role, engine)
                counts = " ".join(
                    f"{len(listed(engine, kind))} {kind}" for kind in ("attacks", "legitimate")
                )
                print(f"{engine} as {role}: {counts}; {len(wrong)} went wrong")
                print(*wrong, sep="\n", end="\n" if wrong else "")
                found[engine] += len(wrong)
    return 1 if found.total() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
