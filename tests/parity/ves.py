"""BIRD's VES of a small set: by `sqlobs evaluate --ves`, and by a direct script of its formula.

    python -m tests.parity.ves [--runs 20] [--repeats 5] [--original evaluation_ves.py]

Both time the same statements, so that their figures agree within the noise of timing: the median of
several repeats is shown, with the lowest and the highest figure. With
`--original`, BIRD's own file (`bird/llm/src/evaluation_ves.py`) times the pairs as well. It times
only until the first row; the statements are aggregates, whose first row is all the work.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean, median, pstdev
from types import ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Pair = tuple[str, str]

_ROWS: Final = 40_000
_SLOW: Final = "SELECT count(*) FROM t a WHERE a.v % 7 = 3 AND length(hex(a.w)) > 2"
PAIRS: Final = (
    (_SLOW, _SLOW),
    (_SLOW, f"SELECT sum(1) FROM ({_SLOW.replace('count(*)', 'a.v')})"),
    (f"SELECT max(n) FROM ({_SLOW.replace('count(*)', 'count(*) AS n')} UNION ALL {_SLOW})", _SLOW),
    (_SLOW, f"SELECT max(n) FROM ({_SLOW.replace('count(*)', 'count(*) AS n')} UNION ALL {_SLOW})"),
    ("SELECT sum(v) FROM t", "SELECT total(v) FROM t"),
    ("SELECT max(w) FROM t", "SELECT w FROM t ORDER BY w DESC LIMIT 1"),
    ("SELECT count(*) FROM t", "SELECT count(*) + 1 FROM t"),
    ("SELECT count(*) FROM t", "SELECT nothing FROM t"),
)
"""Reference and prediction: equal, faster, slower, wrong, broken."""


def without_outliers(ratios: Sequence[float]) -> list[float]:
    """Keep the ratios within three standard deviations of their mean, the bounds excluded."""
    mean, deviation = fmean(ratios), pstdev(ratios)
    return [ratio for ratio in ratios if mean - 3 * deviation < ratio < mean + 3 * deviation]


def ves_of_ratios(by_query: Sequence[Sequence[float]]) -> float:
    """Return VES from the ratios of each query's runs; a wrong query has none and counts 0."""
    kept = [without_outliers(ratios) if ratios else [] for ratios in by_query]
    roots = [math.sqrt(sum(ratios) / len(ratios)) if ratios else 0.0 for ratios in kept]
    return 100 * sum(roots) / len(roots)


def direct_ves(path: Path, pairs: Sequence[Pair], runs: int) -> float:
    """Time the pairs whose sets of rows are equal, in turns, and return VES."""
    return ves_of_ratios([_ratios(path, *pair, runs) for pair in pairs])


def evaluated_ves(folder: Path, path: Path, pairs: Sequence[Pair], runs: int) -> float:
    """Return the VES of `sqlobs evaluate`."""
    lines = (json.dumps({"gold": gold, "prediction": predicted}) for gold, predicted in pairs)
    (folder / "cases.jsonl").write_text("\n".join(lines))
    command = [sys.executable, "-m", "sqlobs", "evaluate", "--input", "cases.jsonl"]
    place = ["--dsn", f"sqlite:///{path}", "--run-dir", "run", "--concurrency", "1"]
    subprocess.run(
        [*command, *place, "--ves", str(runs)], cwd=folder, check=True, capture_output=True
    )
    told = subprocess.run(
        [sys.executable, "-m", "sqlobs", "report", "run", "--json"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return float(json.loads(told.stdout)["figures"]["ves"]["value"])


def original_ves(file: Path, path: Path, pairs: Sequence[Pair], runs: int) -> float:
    """Return the VES of BIRD's own functions, loaded from their file."""
    own = _loaded(file)

    def ratio(gold: str, predicted: str) -> float:
        try:
            return float(own.iterated_execute_sql(predicted, gold, str(path), runs))
        except sqlite3.Error:
            return 0.0

    return float(own.compute_ves([{"time_ratio": ratio(*pair)} for pair in pairs]))


def main() -> None:
    """Print the figures and how far they are from each other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--original", type=Path, metavar="FILE")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = _database(Path(folder) / "t.db")
        found: dict[str, list[float]] = {"sqlobs evaluate": [], "direct script": []}
        for _ in range(args.repeats):
            found["sqlobs evaluate"].append(evaluated_ves(Path(folder), path, PAIRS, args.runs))
            found["direct script"].append(direct_ves(path, PAIRS, args.runs))
            if args.original is not None:
                original = original_ves(args.original, path, PAIRS, args.runs)
                found.setdefault("original", []).append(original)
    base = median(found["sqlobs evaluate"])
    for name, values in found.items():
        difference = 100 * (median(values) / base - 1)
        sys.stdout.write(
            f"{name}: VES {median(values):.2f} ({min(values):.2f} to {max(values):.2f}),"
            f" {difference:+.1f} %\n"
        )


def _ratios(path: Path, gold: str, predicted: str, runs: int) -> list[float]:
    """Return the reference's time over the prediction's for each run; none if it is wrong."""
    connection = sqlite3.connect(path)
    try:
        rows = [set(connection.execute(sql).fetchall()) for sql in (predicted, gold)]
        if rows[0] != rows[1]:
            return []
        return [_timed(path, gold) / _timed(path, predicted) for _ in range(runs)]
    except sqlite3.Error:
        return []
    finally:
        connection.close()


def _timed(path: Path, sql: str) -> float:
    connection = sqlite3.connect(path)
    started = time.perf_counter()
    connection.execute(sql).fetchall()
    elapsed = time.perf_counter() - started
    connection.close()
    return elapsed


def _database(path: Path) -> Path:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (v INTEGER, w TEXT)")
        rows = ((number, f"{number * 7919 % _ROWS:06}") for number in range(_ROWS))
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    connection.close()
    return path


def _loaded(file: Path) -> ModuleType:
    """Import BIRD's file, whose time limit for a query is not needed here."""
    limits = ModuleType("func_timeout")
    limits.func_timeout = _call  # type: ignore[attr-defined]
    limits.FunctionTimedOut = TimeoutError  # type: ignore[attr-defined]
    sys.modules.setdefault("func_timeout", limits)
    spec = importlib.util.spec_from_file_location("bird_evaluation_ves", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _call(_seconds: float, function: Callable[..., object], args: tuple[object, ...]) -> object:
    return function(*args)


if __name__ == "__main__":
    main()
