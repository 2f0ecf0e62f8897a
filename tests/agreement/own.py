"""Our own statements, and what the engines said of them.

`python -m tests.agreement.own` asks the engines that are installed here and prints where the
checker differs; with `--record` it writes their verdicts down for the tests.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.check.assessment import Request, assess
from sqlobs.check.engine.profile import profile_of
from sqlobs.schema.model import Schema
from tests.agreement.engines import engine_of
from tests.servers import MariaDbServer, PostgresServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.report.model import CheckReport
    from tests.agreement.engines import Engine

HERE = Path(__file__).parent / "statements"
VERSIONS = {"postgres": "postgres:15", "mysql": "mariadb:10.11"}
DIALECTS = ("sqlite", "postgres", "mysql", "duckdb")
"""Dialects whose engines are installed here."""
WAREHOUSES = ("bigquery", "clickhouse", "spark")
"""Dialects with statements and tables of their own; their engines are asked by name, in an
environment that has them."""


def statements(dialect: str) -> list[str]:
    """Return the statements that a dialect is asked about: the common ones, then its own."""
    files = [HERE / f"{dialect}.sql"]
    if dialect not in WAREHOUSES:
        files.insert(0, HERE / "common.sql")
    lines = [line for path in files if path.exists() for line in path.read_text().splitlines()]
    return list(dict.fromkeys(line for line in lines if line and not line.startswith("-- ")))


def tables(dialect: str) -> list[str]:
    """Return the statements that make the clinic in a dialect."""
    files = [HERE / f"schema.{dialect}.sql"]
    if dialect not in WAREHOUSES:
        files.insert(0, HERE / "schema.sql")
    text = "".join(path.read_text() for path in files if path.exists())
    if dialect == "mysql":
        text = text.replace('"', "`")
    return [statement for statement in text.split(";\n") if statement.strip()]


def clinic(dialect: str) -> Schema:
    """Return the clinic's schema in a dialect, of the version that was asked."""
    return Schema.from_ddl(";\n".join(tables(dialect)), dialect=VERSIONS.get(dialect, dialect))


def refusals(dialect: str) -> dict[str, str | None]:
    """Return what was recorded: the engine's error for each statement; None: it took it."""
    found: dict[str, str | None] = json.loads((HERE / f"{dialect}.json").read_text())
    return found


def report_of(sql: str, schema: Schema, dialect: str) -> CheckReport:
    """Return the static report of a statement."""
    return assess(
        Request(sql, schema, profile_of(schema, dialect), native=False, strict=None, policy=None)
    )


def is_refused(report: CheckReport) -> bool:
    """Return whether a label fails."""
    return False in (report.syntactic, report.schematic)


@contextmanager
def opened(dialect: str) -> Iterator[Engine]:
    """Return the engine of a dialect with an empty clinic; a server lives as long as the block."""
    kind = {"postgres": PostgresServer, "mysql": MariaDbServer}.get(dialect)
    server = None if kind is None else kind().start()
    try:
        engine = engine_of(dialect, None if server is None else _address(server))
        engine.prepare("clinic", tables(dialect))
        yield engine
        engine.close()
    finally:
        if server is not None:
            server.stop()


def asked(dialect: str) -> dict[str, str | None]:
    """Ask the engine about every statement."""
    with opened(dialect) as engine:
        return {sql: engine.refusal("clinic", sql) for sql in statements(dialect)}


def _address(server: PostgresServer | MariaDbServer) -> str:
    if isinstance(server, MariaDbServer):
        return server.url("")
    return f"host=127.0.0.1 port={server.port} user=postgres"


def main() -> int:
    """Compare, print, and record where asked to."""
    parser = argparse.ArgumentParser(prog="python -m tests.agreement.own", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the verdicts down")
    parser.add_argument("dialects", nargs="*", default=DIALECTS)
    arguments = parser.parse_args()
    differences = 0
    for dialect in arguments.dialects:
        verdicts = asked(dialect)
        differences += _compare(dialect, verdicts)
        if arguments.record:
            text = json.dumps(verdicts, indent=0, ensure_ascii=False)
            (HERE / f"{dialect}.json").write_text(text + "\n")
    return int(bool(differences))


def _compare(dialect: str, verdicts: dict[str, str | None]) -> int:
    schema = clinic(dialect)
    different = 0
    for sql, refusal in verdicts.items():
        report = report_of(sql, schema, dialect)
        if is_refused(report) == (refusal is not None):
            continue
        different += 1
        kind = "false alarm" if refusal is None else "missed"
        print(f"{dialect} {kind}: {sql}\n    {refusal or [f.message for f in report.errors]}")
    print(f"{dialect}: {different} of {len(verdicts)} differ")
    return different


if __name__ == "__main__":
    sys.exit(main())
