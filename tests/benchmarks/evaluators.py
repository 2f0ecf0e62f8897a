"""Two evaluator processes against one, each with one worker, on a target that answers in 5 ms.

Both take from one queue in PostgreSQL, which writes to disk at each commit.
`python -m tests.benchmarks.evaluators` prints units per second of one and of two, and their ratio.
"""

from __future__ import annotations

import gzip
import json
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import psycopg

from tests.benchmarks.scale import scaled
from tests.benchmarks.sizing import UNFINISHED, serving, wait_for
from tests.benchmarks.store import AT_ONCE, project
from tests.collector import records
from tests.servers import PostgresServer

UNITS = scaled(640, least=AT_ONCE)
BAR = 1.6
SLOW = "CREATE VIEW region AS SELECT 1 AS id FROM pg_sleep(0.005)"
SPENT_S = "SELECT (max(state_ns) - min(state_ns)) / 1e9 FROM unit"


def body(first: int) -> bytes:
    now_ns = time.time_ns()
    made = (
        records.log(
            number,
            at_ns=now_ns,
            body={"sqlobs.query.text": "SELECT id FROM region"},
            sqlobs__workflow="answer",
            sqlobs__verdict="ok",
            sqlobs__query__capture="raw",
        )
        for number in range(first, first + AT_ONCE)
    )
    return gzip.compress(records.logs(*made).SerializeToString())


def units_per_second(server: PostgresServer, processes: int, home: Path) -> float:
    """Evaluate a queue by some processes, and return their rate without their start."""
    name = f"store_{processes}"
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    url = server.url(name)
    project(url, [body(first) for first in range(0, UNITS, AT_ONCE)])
    target = json.dumps(
        {
            "shop": {
                "url": server.url("shop"),
                "default": True,
                "policy": {"allowed_functions": ["pg_sleep"]},
            }
        }
    )
    settings = {"store__url": url, "targets": target, "roles": "evaluate", "evaluate__workers": "1"}
    with ExitStack() as stack, psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE unit SET state = 'sampled_out'")
        for number in range(processes):
            stack.enter_context(serving(home / f"{name}_{number}", home, **settings))
        connection.execute("UPDATE unit SET state = 'queued'")
        wait_for(lambda: connection.execute(UNFINISHED).fetchone() == (0,))
        assert connection.execute("SELECT DISTINCT state FROM unit").fetchall() == [("done",)]
        return UNITS / float(connection.execute(SPENT_S).fetchone()[0])


def main() -> None:
    """Print both rates, and the ratio."""
    server = PostgresServer(is_durable=True).start()
    try:
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute("CREATE DATABASE shop")
        with psycopg.connect(server.url("shop"), autocommit=True) as connection:
            connection.execute(SLOW)
        with tempfile.TemporaryDirectory() as directory:
            one, two = (units_per_second(server, count, Path(directory)) for count in (1, 2))
    finally:
        server.stop()
    print(f"one evaluator     {one:7,.0f} units a second")
    print(f"two evaluators    {two:7,.0f} units a second")
    print(f"two against one   {two / one:7.2f} x  (bar {BAR})")


if __name__ == "__main__":
    main()
