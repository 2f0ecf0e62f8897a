"""Compare the evaluation of recorded completions with a direct script's, on two engines.

    python -m tests.parity.databases DIRECTORY [--engine sqlite|postgres] [--kills 2]

The directory holds `cases.jsonl`, `completions/`, `sqlite/NAME.sqlite` and `postgres/NAME.sql`. The
direct script below uses only sqlobs' extraction of SQL from an answer: it opens each database
with its driver, runs the completion and every gold alternative, and compares results by the rules
of `tests.parity.direct`, `ex` and `ex_set`. Prints all figures, each case in which they differ, the
processor time of both, and whether a run that was killed writes the same files.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import chain, combinations
from pathlib import Path

import psycopg

from sqlobs.check.llm_output.extraction import extract_sql
from sqlobs.runs.run import Run
from tests.parity.direct import Answer, equal, equal_sets
from tests.servers import PostgresServer

TIMED = ("gold_ms", "pred_ms")

SHARE_OF_FEW = 5
"""A run of a fifth of the cases tells what starting costs, everything that is loaded included."""

_TICK_S = 1e-6
"""Less is not measured: a few small cases may take no time that the clock sees."""


def main(arguments: list[str] | None = None) -> int:
    """Evaluate both ways and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--engine", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--kills", type=int, default=2)
    args = parser.parse_args(arguments)
    with ExitStack() as stack:
        dsn = _dsn(args.directory, args.engine, stack)
        completions = next((args.directory / "completions").glob(f"*.{args.engine}.jsonl"))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sqlobs-parity-")))
        direct, plain_s = _direct(args.directory, args.engine, completions, dsn)
        run, ours_s, wall_s = _ours(args.directory, completions, dsn, folder / "whole")
        few = max(1, len(run.cases) // SHARE_OF_FEW)
        some = ("--question-rows", str(few))
        _, few_s, _ = _ours(args.directory, completions, dsn, folder / "few", *some)
        is_equal = _compare(direct, run)
        same = _killed(args, completions, dsn, folder, run) if args.kills else True
    count = len(run.cases)
    each_s = max((ours_s - few_s) / max(count - few, 1), _TICK_S)
    plain_each_s = max(plain_s / count, _TICK_S)
    print(
        f"processor time: {few_s:.1f} s for the first {few}, then {1000 * each_s:.2f} ms a case"
        f" ({1 / each_s:.0f} cases a second and core); plain loop {1000 * plain_each_s:.2f} ms,"
        f" ratio {each_s / plain_each_s:.0f}; {wall_s:.1f} s by the clock"
    )
    return int(not (is_equal and same))


def _dsn(directory: Path, engine: str, stack: ExitStack) -> str:
    """Return where the databases are; PostgreSQL is started and filled."""
    if engine == "sqlite":
        return f"sqlite:///{directory.resolve()}/sqlite/{{db}}.sqlite"
    server = PostgresServer()
    stack.callback(server.stop)
    server.start()
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE reader LOGIN IN ROLE pg_read_all_data")
        for script in sorted((directory / "postgres").glob("*.sql")):
            connection.execute(f'CREATE DATABASE "{script.stem}"'.encode())
    for script in sorted((directory / "postgres").glob("*.sql")):
        with psycopg.connect(server.url(script.stem)) as connection:
            connection.execute(script.read_text(encoding="utf-8").encode())
    return server.url("{db}", user="reader")


def _direct(
    directory: Path, engine: str, completions: Path, dsn: str
) -> tuple[dict[str, tuple[bool, bool]], float]:
    """Return whether each case passes by `ex` and by `ex_set`, and the processor time spent."""
    answers = {
        record["id"]: record["completion"] for record in map(json.loads, _records(completions))
    }
    extract_sql("SELECT 1", dialect=engine)  # loads the parser, which is no part of the loop
    started = time.process_time()
    passed: dict[str, tuple[bool, bool]] = {}
    with ExitStack() as stack:
        connections: dict[str, object] = {}
        for case in map(json.loads, _records(directory / "cases.jsonl")):
            if case["id"] not in answers or engine not in case["gold"]:
                continue
            name = case["db"]
            if name not in connections:
                connections[name] = stack.enter_context(_connected(engine, dsn, name))
            found = extract_sql(answers[case["id"]], dialect=engine)
            predicted = found.sql if found is not None else answers[case["id"]]
            passed[case["id"]] = _passes(connections[name], predicted, case["gold"][engine])
    return passed, time.process_time() - started


def _records(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]


def _connected(engine: str, dsn: str, name: str):
    if engine == "sqlite":
        path = dsn.removeprefix("sqlite:///").replace("{db}", name)
        from contextlib import closing

        return closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True))
    return psycopg.connect(dsn.replace("{db}", name), autocommit=True)


def _passes(connection, predicted: str, gold: str) -> tuple[bool, bool]:
    """Return whether any alternative is equal, by `ex` and by `ex_set`."""
    found = _answer(connection, predicted)
    if found is None:
        return False, False
    is_equal = is_equal_set = False
    for statement in _alternatives(gold):
        expected = _answer(connection, statement)
        if expected is not None:
            is_equal = is_equal or equal(statement, expected, found)
            is_equal_set = is_equal_set or equal_sets(expected, found)
    return is_equal, is_equal_set


def _answer(connection, sql: str) -> Answer | None:
    try:
        cursor = connection.execute(sql)
        return Answer([column[0] for column in cursor.description], cursor.fetchall())
    except (sqlite3.Error, sqlite3.Warning, psycopg.Error):
        return None


def _alternatives(gold: str) -> list[str]:
    found = []
    for template in filter(None, map(str.strip, gold.split(";"))):
        braces = re.search(r"\{(.+?)\}", template)
        if braces is None:
            found.append(template)
            continue
        columns = braces[1].split(",")
        sizes = range(1, len(columns) + 1)
        for subset in chain.from_iterable(combinations(columns, size) for size in sizes):
            text = template.replace(braces[0], ", ".join(subset))
            found.append(text.replace("{}", ", ".join(subset)))
    return found


def _command(directory: Path, completions: Path, dsn: str, run: Path, *more: str) -> list[str]:
    return [
        *(sys.executable, "-m", "sqlobs", "evaluate", "--gold-templates", "--concurrency", "1"),
        *("--input", str(directory / "cases.jsonl"), "--predictions", str(completions)),
        *("--dsn", dsn, "--run_dir", str(run), *more),
    ]


def _ours(
    directory: Path, completions: Path, dsn: str, run: Path, *more: str
) -> tuple[Run, float, float]:
    """Evaluate with the command; return the run, processor time and time by the clock."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        _command(directory, completions, dsn, run, *more), check=True, stdout=subprocess.DEVNULL
    )
    wall_s = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run.read(run), spent, wall_s


def _compare(direct: dict[str, tuple[bool, bool]], run: Run) -> bool:
    ours = {case.id: (case.is_match, case.scores.get("ex_set") == 1) for case in run.cases}
    buckets = {name: count for name, count in run.summary.buckets.items() if count}
    figures = (
        f"{name} ours {sum(pair[at] for pair in ours.values())},"
        f" direct {sum(pair[at] for pair in direct.values())}"
        for at, name in enumerate(("ex", "ex_set"))
    )
    print(f"{len(ours)} cases: {'; '.join(figures)}; {buckets}")
    for case in run.cases:
        if direct.get(str(case.id)) != ours[case.id]:
            told = f"ours {ours[case.id]}, direct {direct.get(str(case.id))} (ex, ex_set)"
            print(f"  {case.id}: {told}; {case.bucket}: {case.reason}")
            print(f"    {case.predicted_sql}\n    {case.reference_sql}")
    return ours == direct


def _killed(
    args: argparse.Namespace, completions: Path, dsn: str, folder: Path, whole: Run
) -> bool:
    """Kill the command so often in the middle, finish it, and compare the files."""
    run = folder / "killed"
    partial = run / "eval" / "details.partial.jsonl"
    for kill in range(args.kills):
        process = subprocess.Popen(
            _command(args.directory, completions, dsn, run), stdout=subprocess.DEVNULL
        )
        wanted = (kill + 1) * len(whole.cases) // (args.kills + 1)
        while process.poll() is None and _lines(partial) <= wanted:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        print(f"killed after {_lines(partial) - 1} cases")
    _ours(args.directory, completions, dsn, run)
    names = (
        "gold.txt",
        "preds.txt",
        "summary.jsonl",
        "eval/canon/gold.txt",
        "eval/canon/preds.txt",
    )
    same = [(folder / "whole" / name).read_bytes() == (run / name).read_bytes() for name in names]
    same.append(_untimed(folder / "whole") == _untimed(run))
    print(f"the same files, timings apart: {all(same)}")
    return all(same)


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n") if path.is_file() else 0


def _untimed(run: Path) -> list[dict[str, object]]:
    lines = (run / "eval" / "details.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    for row in rows:
        row.update(dict.fromkeys(TIMED))
        for side in ("reference", "predicted"):
            if row[side] is not None:
                row[side]["elapsed_ms"] = None
    return rows


if __name__ == "__main__":
    sys.exit(main())
