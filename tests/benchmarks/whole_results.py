"""What comparing two whole results of 400,000 rows costs: both run, are counted, and are digested.

CPU counts, of this process and its workers; what a start costs is left out, as one pair is compared
with three. The prediction orders its rows, so that only digests of single rows tell that both are
the same bag.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

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


def main() -> None:
    """Print the CPU time of a pair."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "shop.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(_SCRIPT.format(rows=ROWS))
        spent = [_evaluated(path, count) for count in (1, 3)]
    print(f"{ROWS:,} rows, CPU a pair {(spent[1] - spent[0]) / 2:10.2f} s (bar {BAR_S:.0f})")


def _evaluated(path: Path, count: int) -> float:
    """Return the CPU time of evaluating pairs whose texts differ, so that no result is known."""
    cases = [
        Case(
            index=index,
            references=(f"SELECT id, a, b FROM t WHERE id > -{index}",),
            predicted_sql=f"SELECT id, a, b FROM t WHERE id > -{index} ORDER BY a",
        )
        for index in range(count)
    ]
    before = cpu_s()
    run = evaluate_run(
        cases, path.parent / f"run{count}", SessionSettings(place=f"sqlite:///{path}")
    )
    assert all(case.is_match for case in run.cases)
    return cpu_s() - before
