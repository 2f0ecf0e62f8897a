"""`sqlobs generate`: send every question of a file to a system under test and save its answers."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Final

from sqlobs.cli.asking import QUESTIONS_AT_A_TIME, add_asking, generated
from sqlobs.cli.numbers import positive
from sqlobs.cli.reading import add_reading, load_settings
from sqlobs.errors import InputError

_EXAMPLES: Final = """\
examples:
  sqlobs generate --input questions.xlsx --output run --call app.sql:generate_sql
  sqlobs generate --input questions.csv --api-url http://127.0.0.1:8008/answerQuestion \\
      --user evaluator --password env:API_PASSWORD --question-rows 50

Writes DIR/run_YYYYMMDD_HHMMSS with gold.txt, preds.txt (one statement per line, `None` for a
refusal or an error) and summary.jsonl. An interrupted run resumes; no question is asked twice.

exit code: 0 = all questions were asked, 2 = usage error, invalid input, unreachable service, or one
that rejects every question (a wrong password) or never returns the field with the SQL
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "generate",
        help="ask a system under test every question of a file",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--input",
        metavar="FILE|DIR",
        type=Path,
        required=True,
        help="questions with references: columns Question, Solution, difficulty, context",
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("run"),
        help="output directory; default: run",
    )
    parser.add_argument("--dialect", help="SQL dialect that the system generates")
    add_reading(parser)
    add_asking(parser)
    parser.add_argument(
        "--concurrency", metavar="N", type=positive, default=QUESTIONS_AT_A_TIME,
        help=f"number of concurrent questions; default: {QUESTIONS_AT_A_TIME}",
    )  # fmt: skip
    parser.add_argument(
        "--json", action="store_true", help="print the run directory and counts as JSON"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Send the questions, write the run directory and print the counts."""
    from sqlobs.dialects.registry import dialect_and_version
    from sqlobs.evaluation.loading.cases import load_cases
    from sqlobs.evaluation.loading.run_files import read_run_directory

    if args.dialect is not None:
        dialect_and_version(args.dialect)  # report an unknown one before any question is sent
    settings = load_settings(args, dialect=args.dialect)
    cases = load_cases(args.input, settings).cases
    if not any(case.references for case in cases):
        raise InputError(
            f"{args.input} has no references; name their column with --column solution=NAME"
        )
    directory = generated(args, cases, args.output, dialect=args.dialect)
    records = [case.generation for case in read_run_directory(directory)]
    counts = Counter(record.status for record in records if record is not None)
    if args.json:
        found = {"directory": str(directory), "questions": len(records), "statuses": dict(counts)}
        print(json.dumps(found))
        return 0
    by_status = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    print(f"{directory}: {len(records)} questions ({by_status})")
    return 0
