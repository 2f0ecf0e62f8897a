"""Isolated evaluation of SQL pairs against a plain loop over the same database, and against parsing.

Each figure is a ratio within one run; rounds alternate, so that a loaded machine slows all alike.
"""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import psycopg
import sqlglot

from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Limits, Target
from sqlobs.metrics.execution_accuracy import ex
from tests.benchmarks.scale import scaled
from tests.servers import PostgresServer, has_postgres

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Cursor(Protocol):
        """What both drivers give for a statement."""

        def fetchall(self) -> list[tuple[object, ...]]:
            """Return the rows."""


ROUNDS = scaled(9)
SHARE_OF_LOOP = 0.35
"""Evaluations per second against the plain loop's, where both statements take 2 ms and more."""
MOST_PARSINGS = 7.0
"""Overhead of a pair of small statements, in parsings of both texts."""
MOST_OVERSHOOT_S = 0.5

LARGE = (
    "SELECT day, count(*), sum(total) FROM orders GROUP BY day",
    "SELECT customer_id, avg(total) AS mean FROM orders GROUP BY customer_id ORDER BY mean DESC, 1",
    (
        "SELECT c.city, sum(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id"
        " WHERE o.total > 10 GROUP BY c.city"
    ),
    "SELECT id, customer_id, total FROM orders WHERE total > 95",
    "SELECT count(DISTINCT customer_id) FROM orders WHERE day LIKE '2024-0%'",
)
SMALL = (
    "SELECT c.name, c.city FROM customers AS c WHERE c.city = 'city 7' AND c.id < 900 ORDER BY c.name",
    (
        "SELECT c.city, count(*) AS n FROM customers AS c WHERE c.id BETWEEN 100 AND 300"
        " GROUP BY c.city HAVING count(*) > 2 ORDER BY n DESC, c.city LIMIT 10"
    ),
    (
        "SELECT o.id, o.total, c.name FROM orders AS o JOIN customers AS c ON c.id = o.customer_id"
        " WHERE o.id IN (1, 2, 3, 4, 5) ORDER BY o.id"
    ),
    "SELECT max(total) - min(total) AS spread FROM orders WHERE id < 500",
)
ENDLESS = "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r"


def main() -> None:
    """Print the figures; say of each whether it keeps its bar."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "shop.db"
        with sqlite3.connect(path) as plain:
            plain.executescript(SQLITE_SCRIPT)
            with Executor([Target.from_url("shop", f"sqlite:///{path}")], workers=1) as executor:
                print("SQLite")
                _measure(plain.execute, executor, dialect="sqlite")
                _overshoot(executor)
        plain.close()
    if has_postgres():
        _on_postgres()


def _on_postgres() -> None:
    server = PostgresServer()
    try:
        server.start()
        with psycopg.connect(server.url(), autocommit=True) as plain:
            plain.execute(POSTGRES_SCRIPT)
            plain.execute("ANALYZE")
            with Executor([Target.from_url("shop", server.url())], workers=1) as executor:
                print("PostgreSQL")
                _measure(plain.execute, executor, dialect="postgres")
    finally:
        server.stop()


def _measure(run: Callable[[str], Cursor], executor: Executor, *, dialect: str) -> None:
    _large(run, executor)
    _small(run, executor, dialect)


def _large(run: Callable[[str], Cursor], executor: Executor) -> None:
    pairs = list(pairwise((*LARGE, LARGE[0])))
    slowest = min(_seconds(lambda sql=sql: run(sql).fetchall()) for sql in LARGE)
    loop, ours = _alternate(
        lambda: [_loop(run, *pair) for pair in pairs],
        lambda: [_evaluate(executor, *pair) for pair in pairs],
    )
    share = statistics.median(a / b for a, b in zip(loop, ours, strict=True))
    per_pair = statistics.median(ours) / len(pairs) * 1e3
    print(f"statements of {slowest * 1e3:.1f} ms and more: {per_pair:.2f} ms a pair")
    print(f"  evaluations against a plain loop   {share:5.2f} (bar {SHARE_OF_LOOP} or more)")


def _small(run: Callable[[str], Cursor], executor: Executor, dialect: str) -> None:
    pairs = list(pairwise((*SMALL, SMALL[0])))
    parsing, loop, ours = _alternate(
        lambda: [sqlglot.parse(sql, read=dialect) for pair in pairs for sql in pair],
        lambda: [_loop(run, *pair) for pair in pairs],
        lambda: [_evaluate(executor, *pair) for pair in pairs],
        times=scaled(20),
    )
    parsings = statistics.median((b - a) / p for p, a, b in zip(parsing, loop, ours, strict=True))
    overhead = statistics.median(b - a for a, b in zip(loop, ours, strict=True)) / len(pairs)
    parse = statistics.median(parsing) / len(pairs)
    print(
        f"small statements: overhead {overhead * 1e3:.3f} ms a pair, parsing {parse * 1e3:.3f} ms"
    )
    print(f"  overhead in parsings of both texts {parsings:5.2f} (bar {MOST_PARSINGS} or less)")


def _overshoot(executor: Executor) -> None:
    request = ExecutionRequest(sql=ENDLESS, target="shop", limits=Limits(timeout_s=0.5))
    over = max(_seconds(lambda: _time_out(executor, request)) - 0.5 for _ in range(scaled(3)))
    print(f"  time beyond the limit              {over:5.2f} s (bar {MOST_OVERSHOOT_S} or less)")


def _time_out(executor: Executor, request: ExecutionRequest) -> None:
    outcome = executor.run(request).prediction.outcome
    if outcome.status != "timeout":
        raise AssertionError(outcome)


def _loop(run: Callable[[str], Cursor], reference: str, predicted: str) -> bool:
    return set(run(reference).fetchall()) == set(run(predicted).fetchall())


def _evaluate(executor: Executor, reference: str, predicted: str) -> bool | None:
    outcome = executor.run(ExecutionRequest(sql=predicted, reference=reference, target="shop"))
    if outcome.reference is None:
        raise AssertionError("a reference was given")
    expected, found = outcome.reference.outcome.table, outcome.prediction.outcome.table
    if expected is None or found is None:
        raise AssertionError(outcome)
    return ex(expected, found, ordering=outcome.reference.ordering).equal


def _alternate(*subjects: Callable[[], object], times: int = 1) -> list[list[float]]:
    for subject in subjects:
        subject()
    rounds = [[_seconds(subject, times) for subject in subjects] for _ in range(ROUNDS)]
    return [list(column) for column in zip(*rounds, strict=True)]


def _seconds(subject: Callable[[], object], times: int = 1) -> float:
    started = perf_counter()
    for _ in range(times):
        subject()
    return (perf_counter() - started) / times


def _script(day: str) -> str:
    """Return the database's script; how a day is counted differs by dialect."""
    numbers = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < {})"
    return f"""
        CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT, total REAL, day TEXT);
        INSERT INTO customers {numbers.format(1000)}
          SELECT x, 'customer ' || x, 'city ' || (x * 7919 % 50) FROM r;
        INSERT INTO orders {numbers.format(60000)}
          SELECT x, x % 1000 + 1, x * 149 % 10000 / 100.0, {day} FROM r;
    """


SQLITE_SCRIPT = _script("date('2024-01-01', '+' || (x * 31 % 366) || ' days')")
POSTGRES_SCRIPT = _script("(date '2024-01-01' + x * 31 % 366)::text")


if __name__ == "__main__":
    main()
