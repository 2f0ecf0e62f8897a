"""Kills evaluations and rescorings at random moments: afterwards, the files are the same.

    python -m tests.evaluation.evaluation_kills [--kills 10] [--cases 400] [--seed 1]

Everything but times and the stores (`frames.db`, whose results are compared by scoring them, and
`judge.db`) is compared byte by byte with a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

_TIMES = re.compile(
    r'"(?:elapsed_ms|gold_ms|pred_ms|judge_repeated_calls)": [\d.e-]+|"started_at": "[^"]*"'
)
_WRONG = 3
"""Each third prediction is wrong."""
_KEPT = "FREE_COLUMN_AND_PARTIAL_CELL"


def killed(directory: Path, *, kills: int, cases: int, seed: int) -> list[str]:
    """Evaluate and rescore with kills; return the names of files that differ."""
    chance = random.Random(seed)
    shop = database(directory / "shop.db")
    given = inputs(directory / "cases.jsonl", cases)
    evaluate = ["--input", str(given), "--dsn", f"sqlite:///{shop}"]
    found: list[str] = []
    spans: list[float] = []
    for name in ("plain", "hit"):
        run = directory / name
        rescore = ["--rescore", str(run), "--technique", _KEPT]
        for step, arguments in enumerate(([*evaluate, "--run-dir", str(run)], rescore)):
            kept, since = directory / f"plain{step}", time.monotonic()
            if name == "hit":
                _kill(arguments, kills, chance, span=spans[step])
            finish(arguments)
            if name == "hit":
                found += differing(run, kept)
            else:
                spans.append(time.monotonic() - since)
                keep(run, kept)
    return found


def main() -> None:
    """Print what differs; exit with 1 if anything does."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        found = killed(Path(directory), kills=args.kills, cases=args.cases, seed=args.seed)
    print(f"{args.kills} kills of an evaluation, {args.kills} of a rescoring: ", end="")
    print(f"{', '.join(found)} differ" if found else "all files are the same except times")
    sys.exit(bool(found))


def started(arguments: list[str]) -> subprocess.Popen[bytes]:
    """Start `sqlobs evaluate`."""
    return subprocess.Popen(
        [sys.executable, "-m", "sqlobs", "evaluate", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def kill(process: subprocess.Popen[bytes]) -> bool:
    """Kill a command with its workers; return whether it was still running."""
    was_running = process.poll() is None
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return was_running


def finish(arguments: list[str]) -> None:
    """Run `sqlobs evaluate` to its end."""
    process = started(arguments)
    _, errors = process.communicate()
    assert process.returncode == 0, errors.decode()


def _kill(arguments: list[str], kills: int, chance: random.Random, *, span: float) -> None:
    for _ in range(kills):
        process = started(arguments)
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0, span))
        kill(process)


def _files(run: Path) -> dict[str, Path]:
    found = (path for path in run.rglob("*") if path.is_file() and not is_database(path))
    return {str(path.relative_to(run)): path for path in found}


def is_database(path: Path) -> bool:
    """Return whether a file is a store, which is not compared by its bytes."""
    return path.name.partition("-")[0].endswith(".db")  # with its -wal and -shm


def _text(path: Path) -> str:
    return _TIMES.sub("", path.read_text()).replace('"name": "hit"', '"name": "plain"')


def keep(run: Path, place: Path) -> None:
    """Copy a run's files, without what may differ."""
    for name, path in _files(run).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(_text(path))


def differing(run: Path, kept: Path) -> list[str]:
    """Return the names of a run's files that differ from the kept ones."""
    mine, theirs = _files(run), _files(kept)
    names = sorted(set(mine) | set(theirs))
    return [
        name
        for name in names
        if name not in mine or name not in theirs or _text(mine[name]) != theirs[name].read_text()
    ]


def database(path: Path) -> Path:
    """Make the database."""
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, v)")
        rows = ((number, number if number % 2 else str(number)) for number in range(500))
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    connection.close()
    return path


def inputs(path: Path, cases: int) -> Path:
    """Write cases, of which each third has a wrong prediction."""
    lines = []
    for number in range(cases):
        gold = f"SELECT id, v FROM t WHERE id > {number}"
        predicted = f"{gold} ORDER BY id" if number % _WRONG else f"SELECT v FROM t LIMIT {number}"
        lines.append(json.dumps({"question": f"q{number}", "gold": gold, "prediction": predicted}))
    path.write_text("\n".join(lines))
    return path


if __name__ == "__main__":
    main()
