"""Units acknowledged per second against the span rows that arize-phoenix gets onto the disk.

One after the other on the same machine: OTLP/HTTP, gzip, 512 records of 20 attributes. Phoenix
acknowledges from memory, so its rows are counted in its database. SQLOBS_PHOENIX names its program.
"""

from __future__ import annotations

import gzip
import os
import sqlite3
import subprocess
import tempfile
import time
from contextlib import closing
from pathlib import Path

import httpx

from tests.benchmarks.collector import ATTRIBUTES, RECORDS, bodies, rate
from tests.collector import records
from tests.servers import free_port

REQUESTS = int(os.environ.get("SQLOBS_PHOENIX_REQUESTS", "3"))
PATIENCE_S = 600
BAR = 50


def main() -> None:
    """Print both rates and their ratio."""
    program = os.environ.get("SQLOBS_PHOENIX")
    if program is None:
        print("arize-phoenix was NOT RUN: SQLOBS_PHOENIX does not name its program")
        return
    rows = phoenix_rows(program)
    units = rate("service", bodies())
    print(f"phoenix     {rows:>10,.0f} span rows/s on disk")
    print(f"collector   {units:>10,.0f} units/s acknowledged, on disk")
    print(f"ratio       {units / rows:>10,.0f} (bar {BAR} or more)")


def phoenix_rows(program: str) -> float:
    """Return the rows per second that spans become."""
    with tempfile.TemporaryDirectory(prefix="sqlobs-phoenix-") as directory:
        port = free_port()
        database = Path(directory) / "phoenix.db"
        environ = {
            **os.environ,
            "PHOENIX_WORKING_DIR": directory,
            "PHOENIX_PORT": str(port),
            "PHOENIX_GRPC_PORT": str(free_port()),
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_SQL_DATABASE_URL": f"sqlite:///{database}",
            "PHOENIX_TELEMETRY_ENABLED": "false",
        }
        with (
            (Path(directory) / "log").open("wb") as log,
            subprocess.Popen([program, "serve"], env=environ, stdout=log, stderr=log) as server,
        ):
            try:
                url = f"http://127.0.0.1:{port}"
                _wait(lambda: _is_up(url))
                started = time.monotonic()
                _send(url)
                _wait(lambda: _count(database) >= REQUESTS * RECORDS)
                return REQUESTS * RECORDS / (time.monotonic() - started)
            finally:
                server.terminate()


def _send(url: str) -> None:
    named = {f"attribute__{index}": f"value {index}" for index in range(ATTRIBUTES)}
    headers = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
    for batch in range(REQUESTS):
        numbers = range(batch * RECORDS, (batch + 1) * RECORDS)
        request = records.spans(*(records.span(number, **named) for number in numbers))
        body = gzip.compress(request.SerializeToString(), 5)
        httpx.post(f"{url}/v1/traces", content=body, headers=headers, timeout=60).raise_for_status()


def _is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz").status_code == 200
    except httpx.TransportError:
        return False


def _count(database: Path) -> int:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return connection.execute("SELECT count(*) FROM spans").fetchone()[0]


def _wait(condition) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.1)


if __name__ == "__main__":
    main()
