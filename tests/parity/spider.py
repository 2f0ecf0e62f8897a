"""Exact set match of a prediction file in the formats of the Spider repository.

    python -m tests.parity.spider --gold FILE --pred FILE --tables FILE
    python -m tests.parity.spider ... --db FOLDER --etype all [--plug_value] [--keep_distinct]

`--gold`: `SQL<TAB>db_id` a line; `--pred`: one statement a line; `--tables`: Spider's tables.json.
Prints hardness counts and exact matches as n/total; where blank lines part the turns of dialogues,
also in how many of them every turn is an exact match. With `--db` (a folder a database, with its
suite of `*.sqlite` files) the test-suite accuracy is printed, too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from itertools import groupby, islice
from pathlib import Path

from sqlobs.errors import InputError
from sqlobs.metrics.spider.corpus import ALL, SpiderCase, spider_corpus
from sqlobs.metrics.spider.database import SpiderDatabase
from sqlobs.metrics.spider.exact_match import exact_set_match
from sqlobs.metrics.spider.hardness import LEVELS, hardness
from sqlobs.metrics.spider.suite import with_plain_values
from tests.parity.suite import Suite


def read_cases(gold: Path, predicted: Path, tables: Path) -> list[SpiderCase]:
    """Read the three files; blank lines between the turns of a dialogue are passed over."""
    databases = {
        entry["db_id"]: SpiderDatabase.from_entry(entry)
        for entry in json.loads(tables.read_text(encoding="utf-8"))
    }
    golden = [line.strip() for line in _lines(gold) if line.strip()]
    guesses = _lines(predicted)
    if len(guesses) != len(golden):
        guesses = [line for line in guesses if line.strip()]
    if len(guesses) != len(golden):
        raise InputError(f"{gold} has {len(golden)} statements, {predicted} has {len(guesses)}.")
    return [
        _case(line, guess, databases, place)
        for place, (line, guess) in enumerate(zip(golden, guesses, strict=True), start=1)
    ]


def exact_dialogues(gold: Path, cases: list[SpiderCase]) -> tuple[int, int]:
    """Return in how many dialogues every turn is an exact match, and how many there are."""
    matches = (
        exact_set_match(case.reference_sql, case.predicted_sql, database=case.database)
        for case in cases
    )
    turns = groupby(_lines(gold), key=lambda line: bool(line.strip()))
    lengths = [len(list(lines)) for has_text, lines in turns if has_text]
    exact = [min(match.is_exact for match in islice(matches, length)) for length in lengths]
    return sum(exact), len(exact)


def report(cases: list[SpiderCase]) -> str:
    """Return the two lines of figures and how many predictions were outside the grammar."""
    levels = spider_corpus(cases)
    unsupported = levels["all"].unsupported
    return "\n".join(
        [
            "hardness  " + "  ".join(f"{name} {held.total}" for name, held in levels.items()),
            "exact     "
            + "  ".join(f"{name} {held.exact}/{held.total}" for name, held in levels.items()),
            f"unparsed  {unsupported}/{levels['all'].total}",
        ]
    )


def execution_report(cases: list[SpiderCase], gold: Path, folder: Path, **switches: bool) -> str:
    """Return the line of test-suite accuracy by level."""
    names = [line.strip().rpartition("\t")[2] for line in _lines(gold) if line.strip()]
    suites = {name: Suite.of(folder / name, **switches) for name in set(names)}
    passed: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for case, name in zip(cases, names, strict=True):
        guess = with_plain_values(case.predicted_sql)
        passes = suites[name].passes(case.reference_sql, guess)
        for level in (hardness(case.reference_sql, database=case.database), ALL):
            passed[level] += passes
            totals[level] += 1
    figures = (f"{level} {passed[level]}/{totals[level]}" for level in (*LEVELS, ALL))
    return "execution  " + "  ".join(figures)


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; 2 on broken input."""
    options = _parser().parse_args(arguments)
    try:
        cases = read_cases(options.gold, options.pred, options.tables)
        print(report(cases))
        exact, dialogues = exact_dialogues(options.gold, cases)
        if dialogues > 1:
            print(f"dialogues  {exact}/{dialogues}")
        if options.db is not None and options.etype != "match":
            switches = {
                "plugs_values": options.plug_value,
                "keeps_distinct": options.keep_distinct,
            }
            print(execution_report(cases, options.gold, options.db, **switches))
    except (InputError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except (KeyError, TypeError, ValueError) as error:
        print(f"An input file cannot be read: {error!r}.", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.parity.spider", description=__doc__)
    for name in ("--gold", "--pred", "--tables"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--etype", choices=("all", "exec", "match"), default="all")
    parser.add_argument("--plug_value", action="store_true")
    parser.add_argument("--keep_distinct", action="store_true")
    return parser


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _case(line: str, guess: str, databases: dict[str, SpiderDatabase], place: int) -> SpiderCase:
    sql, _, name = line.rpartition("\t")
    if name not in databases:
        raise InputError(f"Line {place} names the database {name!r}, which tables.json lacks.")
    return SpiderCase(sql, guess.strip().split("\t")[0], databases[name])


if __name__ == "__main__":
    sys.exit(main())
