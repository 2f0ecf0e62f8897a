"""What `sqlobs evaluate` costs per case of a tiny result, against a plain loop of the driver.

The loop executes both statements, fetches all rows and compares sets, in one process. CPU counts, of
this process and its workers; what a start costs is left out, as two sets of different size are
compared. Statements that repeat are checked and parsed once; on SQLite, whose state is known by its
file, they are also run once. Those of "each statement once" occur in one set of one round only, so
that no check is found in the cache. Rounds alternate, so that a loaded machine
slows both; the median is shown, with the lowest and the highest ratio.
"""

from __future__ import annotations

import resource
import sqlite3
import statistics
import tempfile
from contextlib import closing
from itertools import count, pairwise
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import psycopg

from sqlobs.evaluation.case import Case
from sqlobs.evaluation.evaluator_settings import EvaluatorSettings
from sqlobs.evaluation.session import evaluate_run
from sqlobs.evaluation.session_settings import SessionSettings
from tests.benchmarks.execution import POSTGRES_SCRIPT, SMALL, SQLITE_SCRIPT
from tests.benchmarks.scale import scaled
from tests.servers import PostgresServer, has_postgres

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.execution import Cursor

CASES = scaled(2_000, least=40)
ROUNDS = scaled(5)
_NUMBERS = count()
"""What makes a statement differ from all others of this process."""
BARS = {"SQLite": 6.0, "PostgreSQL": 4.0}
_USERS = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def main() -> None:
    """Print the ratios with their bars."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "shop.db"
        with closing(sqlite3.connect(path)) as plain:
            plain.executescript(SQLITE_SCRIPT)
            plain.commit()
            _measure("SQLite", f"sqlite:///{path}", plain.execute)
    if has_postgres():
        _on_postgres()


def _on_postgres() -> None:
    server = PostgresServer()
    try:
        server.start()
        with psycopg.connect(server.url(), autocommit=True) as plain:
            plain.execute(POSTGRES_SCRIPT)
            plain.execute("ANALYZE")
            _measure("PostgreSQL", server.url(), plain.execute)
    finally:
        server.stop()


def _measure(name: str, url: str, run: Callable[[str], Cursor]) -> None:
    bar = BARS[name]
    for label, is_distinct, with_check in (
        ("repeated statements", False, True),
        ("each statement once", True, True),
        ("each statement once, no check", True, False),
    ):
        ratios = []
        for _ in range(ROUNDS):
            few, many = (_cases(size, is_distinct=is_distinct) for size in (CASES // 4, CASES))
            loop = _loop(run, many)
            ratios.append(_marginal(url, few, many, with_check=with_check) / loop)
        title, low, high = f"{name}, {label}", min(ratios), max(ratios)
        ratio = statistics.median(ratios)
        print(f"{title:<44} {ratio:6.2f} x (bar {bar:.0f}), {low:.2f} to {high:.2f}")


def distinct_cases(size: int) -> list[Case]:
    """Return cases whose statements are all different."""
    return _cases(size, is_distinct=True)


def _cases(size: int, *, is_distinct: bool) -> list[Case]:
    """Return cases of which a third compare two different results."""
    pairs = list(pairwise((*SMALL, SMALL[0])))
    made = []
    for index in range(size):
        gold, other = pairs[index % len(pairs)]
        texts = [gold, gold + " " if index % 3 else other]
        if is_distinct:
            number = next(_NUMBERS)
            texts = [sql.replace("SELECT ", f"SELECT {number} AS u, ", 1) for sql in texts]
        made.append(Case(index=index, references=(texts[0],), predicted_sql=texts[1]))
    return made


def _loop(run: Callable[[str], Cursor], cases: list[Case]) -> float:
    started, same = process_time(), 0
    for case in cases:
        expected = set(run(case.references[0]).fetchall())
        same += expected == set(run(case.predicted_sql or "").fetchall())
    return (process_time() - started) / len(cases)


def _marginal(url: str, few: list[Case], many: list[Case], *, with_check: bool) -> float:
    settings = SessionSettings(place=url, evaluator=EvaluatorSettings(with_check=with_check))
    spent = []
    for part in (few, many):
        with tempfile.TemporaryDirectory() as directory:
            before = cpu_s()
            evaluate_run(part, Path(directory) / "run", settings)
            spent.append(cpu_s() - before)
    return max(spent[1] - spent[0], 0.0) / (len(many) - len(few))


def cpu_s() -> float:
    """Return the CPU time of this process and of those children that ended."""
    usages = [resource.getrusage(user) for user in _USERS]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main()
