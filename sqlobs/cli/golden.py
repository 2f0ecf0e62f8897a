"""`sqlobs golden`: questions with known correct SQL, in a collector's golden set or in a file."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli.admin import default_admin
from sqlobs.cli.collected import add_collected, collected_cases
from sqlobs.cli.golden_set import add_golden_set, chosen
from sqlobs.cli.inputs import read_json_lines
from sqlobs.errors import InputError
from sqlobs.reporting.wording import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlobs.evaluation.case import Case

_EXAMPLES: Final = """\
examples:
  sqlobs golden --list                               # of $SQLOBS_COLLECTOR_ADMIN
  sqlobs golden --promote 00-4bf9…-00f0…-01 --sql 'SELECT count(*) FROM orders'
  sqlobs golden --run 17
  sqlobs golden --import golden.jsonl
  sqlobs golden golden.jsonl --since 2026-11-01      # of $SQLOBS_COLLECTOR_ADMIN
  sqlobs golden golden.jsonl --admin http://127.0.0.1:4319 --target warehouse
  sqlobs golden golden.jsonl --input export.jsonl --yes

The set of a collector is in effect at once and goes before the file.

With FILE: shows each question with its SQL and adds it on `y`; questions already in the file are
skipped. SQL corrected by a user is shown with the results of its check, its execution and its
comparison with the answer; only a `y` on the terminal adds it, never --yes. The collector reads the
file at its next start (`golden.file`), `sqlobs evaluate --input` reads it too.
"""
_KEYS: Final = ("question", "sql", "target")


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "golden",
        help="keep questions with correct SQL, in a collector's golden set or in a file",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        nargs="?",
        help="golden file (JSON Lines) to add questions to; created if it does not exist",
    )
    parser.add_argument(
        "--input", metavar="EXPORT", type=Path, help="output of `sqlobs-collector export`"
    )
    parser.add_argument(
        "--yes", action="store_true",
        help="add all questions without asking, except SQL that users corrected",
    )  # fmt: skip
    add_golden_set(parser)
    add_collected(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Do what was chosen with a collector's set, else add accepted questions to the file."""
    action = chosen(args)
    if action is not None:
        return action(args)
    if args.file is None:
        raise InputError("give a golden file, or an option such as --list for a collector's set")
    return _fill(args)


def _fill(args: argparse.Namespace) -> int:
    """Add the new questions that the user accepts; each line is written immediately."""
    known = set(_lines(args.file))
    new = [line for line in dict.fromkeys(_found(args)) if line not in known]
    proposed = _proposed(args, known={*known, *new})
    is_asked = sys.stdin.isatty() and not args.yes
    if new and not args.yes and not is_asked:
        raise InputError(f"{len(new)} questions are new; add them with --yes or run on a terminal")
    wanted = {**dict.fromkeys(new, ""), **(proposed if is_asked else {})}
    added = 0
    for line, facts in wanted.items():
        answer = _asked(line, facts) if is_asked else "y"
        if answer == "q":
            break
        if answer == "y":
            _append(args.file, line)
            added += 1
    print(
        f"{args.file}: {added} of {len(wanted)} new questions added, {len(known)} already present"
    )
    if proposed and not is_asked:
        print(f"{_waiting(len(proposed))}: run without --yes on a terminal", file=sys.stderr)
    return 0


def _waiting(count: int) -> str:
    if count == 1:
        return "1 statement corrected by a user awaits a decision"
    return f"{count} statements corrected by users await a decision"


def _proposed(args: argparse.Namespace, *, known: set[str]) -> dict[str, str]:
    """Return golden-file lines for the SQL that users corrected, each with its findings."""
    from sqlobs.cli.candidates import proposals

    found: dict[str, str] = {}
    for each in proposals(args):
        line = _line({"question": each.question, "sql": each.sql, "target": each.target})
        if line not in known:
            found[line] = each.facts
    return found


def _found(args: argparse.Namespace) -> Iterator[str]:
    from sqlobs.evaluation.loading.cases import LoadSettings, load_cases

    if args.input is not None and args.admin is not None:
        raise InputError("give either a collector (--admin URL) or its export (--input EXPORT)")
    settings = LoadSettings()
    if args.input is None:
        args.admin = args.admin or default_admin()
        yield from _golden(collected_cases(args, settings, may_be_empty=True).cases)
    else:
        yield from _golden(load_cases(args.input, settings, may_be_empty=True).cases)


def _golden(cases: Iterable[Case]) -> Iterator[str]:
    """Yield a golden-file line for each correct statement of every case with a question."""
    for case in cases:
        for reference in case.references if case.question else ():
            yield _line({"question": case.question, "sql": reference, "target": case.db})


def _line(fields: dict[str, object]) -> str:
    held = {key: fields[key] for key in _KEYS if fields.get(key)}
    return json.dumps(held, ensure_ascii=False)


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a golden file with normalized field names.

    Raises:
        InputError: a line is not a JSON object; the message names it.
    """
    if not path.exists():
        return
    yield from (_line(fields) for _, fields in read_json_lines(str(path)))


def _asked(line: str, facts: str) -> str:
    """Ask for a decision about one case; return `y`, `n` or `q`."""
    fields = json.loads(line)
    print(f"\n{visible(fields['question'])}\n{visible(fields['sql'])}")
    if facts:
        print(f"  {visible(facts)}")
    while True:
        try:
            answer = input("add it? [y/n/q] ").strip().lower()[:1]
        except EOFError:
            return "q"
        if answer in {"y", "n", "q"}:
            return answer


def _append(path: Path, line: str) -> None:
    """Append a line; if the file does not end in a newline, add one first."""
    with path.open("a+b") as file:
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(line.encode() + b"\n")
