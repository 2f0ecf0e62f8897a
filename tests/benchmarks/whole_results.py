"""What comparing two whole results of 400,000 rows costs: both run, are counted, and are digested.

CPU counts, of this process and its workers; what a start costs is left out, as one pair is compared
with three. The prediction orders its rows, so that only digests of single rows tell that both are
the same bag. The time that a plain loop takes to fetch both results is printed, too: no digest can be
made of rows that were not fetched.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from time import process_time

from sqlobs.evaluation.case import Case
from sqlobs.evaluation.session import evaluate_run
from sqlobs.evaluation.session_settings import SessionSettings
from tests.benchmarks.offline import cpu_s
from tests.benchmarks.scale import scaled

ROWS = scaled(400_000, least=110_000)
"""More than a statement's limit of rows: the rest is seen by the digest alone."""
BAR_S = 2.0
_SCRIPT = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT);
    INSERT INTO t WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {rows})
    SELECT x, x * 31 % 1000, 'customer ' || x FROM n;
"""
_REFERENCE = "SELECT id, a, b FROM t WHERE id > {least}"
_PREDICTION = f"{_REFERENCE} ORDER BY a"


def main() -> None:
    """Print the CPU time of a pair."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "shop.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(_SCRIPT.format(rows=ROWS))
            first, fetched = _evaluated(path, 1), _fetched(connection)
            pair = (_evaluated(path, 3) - first) / 2
    print(f"{ROWS:,} rows, CPU a pair {pair:10.2f} s (bar {BAR_S:.0f})")
    print(f"fetching both in a loop {fetched:12.2f} s, a pair {pair / fetched:.2f} times as much")


def _fetched(connection: sqlite3.Connection) -> float:
    """Return the CPU time of fetching both results of a pair."""
    started = process_time()
    for sql in (_REFERENCE, _PREDICTION):
        assert len(connection.execute(sql.format(least=0)).fetchall()) == ROWS
    return process_time() - started


def _evaluated(path: Path, count: int) -> float:
    """Return the CPU time of evaluating pairs whose texts differ, so that no result is known."""
    cases = [
        Case(
            index=index,
            references=(_REFERENCE.format(least=-index),),
            predicted_sql=_PREDICTION.format(least=-index),
        )
        for index in range(count)
    ]
    before = cpu_s()
    run = evaluate_run(
        cases, path.parent / f"run{count}", SessionSettings(place=f"sqlite:///{path}")
    )
    assert all(case.is_match for case in run.cases)
    return cpu_s() - before
