"""`sqlobs judge sample`: draw cases of a run or a collector for human labels.

Half of the items have equal results, half different ones, as in the FLEX study. Each has question,
schema, both statements and their rendered rows: both statements run once more.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli.collected import add_collected
from sqlobs.cli.numbers import positive
from sqlobs.cli.reading import add_reading
from sqlobs.cli.runs import cases_of, run_directory
from sqlobs.cli.targets import add_targets, place_of
from sqlobs.errors import InputError

if TYPE_CHECKING:
    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Place
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.trust.drawing import Candidate, Stratum
    from sqlobs.runs.case import CaseResult

_STUDIED: Final = 200
"""The size of the FLEX study."""
_ABSENT: Final[dict[str, object]] = {
    "api_url": None, "call": None, "dialect": None, "gold_results": None, "input": None,
    "model": [], "no_esm": False, "no_gold": False, "predictions": None, "user": None,
    "password": None, "run_test_cases": False, "spider_tables": None,
}  # fmt: skip
"""Options of an evaluation that a sample does not have."""


def register(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the action and its options."""
    parser = actions.add_parser(
        "sample",
        help="draw cases of a run or a collector for human labels",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "run_dir", metavar="RUN", nargs="?", type=Path,
        help="evaluated run directory; default: the newest run_* in run/",
    )  # fmt: skip
    parser.add_argument(
        "--output", metavar="FILE", type=Path, required=True,
        help="file of the items (JSON Lines), for label, calibrate and tune",
    )  # fmt: skip
    parser.add_argument(
        "--count", type=positive, metavar="N", default=_STUDIED,
        help=f"number of items; default: {_STUDIED}, as in the FLEX study",
    )  # fmt: skip
    parser.add_argument(
        "--by", choices=("execution", "verdict"), default="execution",
        help="verdict: within each half, equally many that the run's judge calls correct and"
             " incorrect: more disputed cases, for tune, not for calibrate",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample; default: 0")
    add_collected(parser)
    add_targets(parser)
    add_reading(parser)
    parser.set_defaults(run=run, **_ABSENT)


def run(args: argparse.Namespace) -> int:
    """Draw, run the drawn pairs, write the items, and print the sizes of the strata."""
    from sqlobs.evaluation.judged_items import judge_items
    from sqlobs.judge.trust.drawing import drawn_cases

    place = place_of(args)
    candidates, place = _candidates(args, place)
    drawn, strata = drawn_cases(candidates, count=args.count, by=args.by, seed=args.seed)
    cases = [candidate.case for candidate in drawn]
    functions = frozenset(name.lower() for name in args.allow_function)
    items = judge_items(cases, place, functions=functions)
    lines = [
        json.dumps(_record(item, case, args.by), ensure_ascii=False) + "\n"
        for item, case in zip(items, cases, strict=True)
    ]
    _write(args.output, "".join(lines))
    _show(args, strata)
    return 0


def _candidates(
    args: argparse.Namespace, place: Place | None
) -> tuple[list[Candidate[Case]], Place]:
    """Return the cases with two results, and where they run.

    Raises:
        InputError: the run is not evaluated, or there is no database.
    """
    from sqlobs.evaluation.judged_items import is_comparable
    from sqlobs.evaluation.loading.run_files import read_run_directory
    from sqlobs.runs.run import Run

    if place is None:
        raise InputError("no database to run on; give --dsn, or set SQLOBS_DSN")
    if args.admin is not None:
        rows, cases = _collected(args, place)
    else:
        directory = run_directory(args.run_dir)
        rows, cases = Run.read(directory).cases, read_run_directory(directory)
    known = {case.index: case for case in cases}
    found = [
        _candidate(row, known[row.index])
        for row in rows
        if is_comparable(row) and row.index in known
    ]
    return found, place


def _collected(
    args: argparse.Namespace, place: Place
) -> tuple[tuple[CaseResult, ...], tuple[Case, ...]]:
    """Evaluate a collector's units, to know which results are equal."""
    from sqlobs.cli.progress import Bar
    from sqlobs.evaluation.evaluator_settings import EvaluatorSettings
    from sqlobs.evaluation.session import evaluate_run
    from sqlobs.evaluation.session_settings import SessionSettings

    chosen = cases_of(args, place=place)
    settings = SessionSettings(
        place=place,
        functions=frozenset(name.lower() for name in args.allow_function),
        evaluator=EvaluatorSettings(with_em=False, with_check=False),
    )
    found = evaluate_run(chosen.cases, chosen.directory, settings, watcher=Bar("case"))
    return found.cases, chosen.cases


def _candidate(row: CaseResult, case: Case) -> Candidate[Case]:
    from sqlobs.judge.trust.drawing import Candidate

    verdict = row.judge.correct if row.judge else None
    return Candidate(case=case, results_equal=row.is_match, judged_correct=verdict)


def _record(item: JudgeItem, case: Case, by: str) -> dict[str, object]:
    fields = {
        "id": item.case_id,
        "question": item.question,
        "predicted_sql": item.sql,
        "reference_sql": item.reference,
        "schema": item.schema,
        "dialect": item.dialect,
        "results_equal": item.results_equal,
        "hints": item.hints,
        "predicted_result": item.predicted_result,
        "reference_result": item.reference_result,
        "difficulty": case.difficulty,
        "sampled_by": by,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or 'cannot be written').lower()}") from None


def _show(args: argparse.Namespace, strata: list[Stratum]) -> None:
    drawn = sum(stratum.drawn for stratum in strata)
    print(f"{drawn} items written to {args.output} (seed {args.seed})")
    for stratum in strata:
        print(f"  {stratum.name}: {stratum.drawn} of {stratum.size}")
    if drawn < args.count:
        print(
            f"only {drawn} of {args.count}: both halves have the size of the smaller",
            file=sys.stderr,
        )
