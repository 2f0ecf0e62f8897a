"""`sqlobs generate`: send every question of a file to a system under test and save its answers."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli.asking import QUESTIONS_AT_A_TIME, add_asking, generated
from sqlobs.cli.numbers import positive
from sqlobs.cli.reading import add_reading, load_settings
from sqlobs.cli.targets import add_databases, dsn_place

if TYPE_CHECKING:
    from sqlobs.evaluation.generation.directory import Generation

_EXAMPLES: Final = """\
examples:
  sqlobs generate --input questions.xlsx --output run --call app.sql:generate_sql
  sqlobs generate --input questions.csv --api-url http://127.0.0.1:8008/answerQuestion \\
      --user evaluator --password env:API_PASSWORD --question-rows 50
  sqlobs generate --input questions.jsonl --model gpt-4o --model gpt-4o-mini \\
      --model-url https://api.openai.com/v1 --model-key env:OPENAI_API_KEY \\
      --prompt plain.txt --prompt hints.txt --dsn 'sqlite:///dbs/{db}.sqlite' --max-cost 2
  sqlobs generate --input questions.jsonl --model gpt-4o --temperature 0.8 --samples 10

Writes DIR/run_YYYYMMDD_HHMMSS with gold.txt, preds.txt (one statement per line, `None` for a
refusal or an error) and summary.jsonl. Several models, prompts or temperatures make one run each,
in DIR/study_YYYYMMDD_HHMMSS. An interrupted command resumes; no answered question is sent twice.

exit code: 0 = all questions were asked, 1 = the cost limit was reached and questions remain,
2 = usage error, invalid input, unreachable service, or one that rejects every question (a wrong
password) or never returns the field with the SQL
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
        help="questions, with references if there are any: columns Question, Solution, difficulty,"
        " context",
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("run"),
        help="output directory; default: run",
    )
    parser.add_argument("--dialect", help="SQL dialect that the system generates")
    add_databases(parser)
    parser.add_argument(
        "--schema", metavar="FILE|URL", help="schema that prompts show; default: the DSN's"
    )
    parser.add_argument(
        "--retry", action="store_true",
        help="ask only the questions that failed (error, timeout) in the newest finished run of the"
             " same questions and system",
    )  # fmt: skip
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
    """Send the questions, write the run directories and print the counts."""
    from sqlobs.dialects.registry import dialect_and_version
    from sqlobs.evaluation.generation.answer import CostLimitError
    from sqlobs.evaluation.loading.cases import load_cases
    from sqlobs.evaluation.loading.omissions import by_reason, sentences
    from sqlobs.evaluation.loading.run_inputs import RunInputs

    if args.dialect is not None:
        dialect_and_version(args.dialect)  # report an unknown one before any question is sent
    settings = load_settings(args, dialect=args.dialect)
    cases = load_cases(args.input, settings)
    for sentence in sentences(cases.left_out, "questions", args.dialect):
        print(sentence, file=sys.stderr)
    if not any(case.references for case in cases.cases):
        print(
            f"{args.input} has no references: evaluate the answers with --no-gold, or name the"
            " references' column with --column solution=NAME",
            file=sys.stderr,
        )
    place = dsn_place(args) or cases.dsn
    try:
        found = generated(args, cases.cases, args.output, dialect=args.dialect, place=place)
    except CostLimitError as error:
        print(error, file=sys.stderr)
        return 1
    for directory in found.runs:
        RunInputs(left_out=by_reason(cases.left_out)).write(directory)
    _show(found, as_json=args.json)
    return 0


def _show(found: Generation, *, as_json: bool) -> None:
    counted = [(run, _statuses(run)) for run in found.runs]
    if as_json:
        runs = [
            {"directory": str(run), "questions": counts.total(), "statuses": dict(counts)}
            for run, counts in counted
        ]
        print(json.dumps({**runs[0], "runs": runs, "repeated_calls": found.repeated}))
        return
    for run, counts in counted:
        by_status = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
        print(f"{run}: {counts.total()} questions ({by_status})")
    if found.repeated:
        print(f"{found.repeated} calls in flight at an interruption were repeated", file=sys.stderr)


def _statuses(run: Path) -> Counter[str]:
    from sqlobs.evaluation.loading.run_files import read_run_directory

    records = (case.generation for case in read_run_directory(run))
    return Counter(record.status for record in records if record is not None)
