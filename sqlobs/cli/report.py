"""`sqlobs report`: evaluated runs, or a collector's units, as pages, workbooks, JUnit or JSON."""

from __future__ import annotations

import argparse
import json
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli.collected import add_collected
from sqlobs.cli.compared import OPTIONS, add_comparison, show_collected_comparison
from sqlobs.cli.numbers import ratio
from sqlobs.cli.production import production_run
from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlobs.reporting.gates import Gate, GateVerdict
    from sqlobs.runs.run import Run

_EXAMPLES: Final = """\
examples:
  sqlobs report run/run_20260908_001148 --html report.html
  sqlobs report --html report.html --xlsx report.xlsx        # the newest run_* directory
  sqlobs report RUN --junit junit.xml --fail-on 'schematic_pass_rate<98%' --fail-on 'timeout>0'

  sqlobs report --compare run/before run/after --fail-on 'broken>0' --html changes.html
  sqlobs report --leaderboard run/a run/b scores.csv --xlsx leaderboard.xlsx

  sqlobs report --admin http://127.0.0.1:4319 --since 2026-11-01 --html production.html
  sqlobs report --admin --compare --at 2026-11-24T09:30:00Z       # before and after a deployment
  sqlobs report --admin --compare --by prompt_version --before v13 --now v14
  sqlobs report units.jsonl --fail-on 'schema_hallucination_rate>2%'   # output of `export`

Production rates are weighted by the sampling probability of each request.

exit code: 0 = passed, 1 = a gate failed, 2 = usage error, or the run is not evaluated
"""

_OUTPUTS: Final = {".html": "html", ".xlsx": "xlsx", ".xml": "junit"}
_OF_COLLECTOR: Final = ("admin_token", "since", "until", "target", "trim_weights")


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "report",
        help="report runs as HTML, Excel, JUnit or JSON; compare and rank them; check gates",
        usage="%(prog)s [OPTION ...] [RUN]",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "directory", metavar="RUN", nargs="?", type=Path,
        help="evaluated run directory, or a collector's export (JSON Lines); default: the newest"
             " run_* in run/",
    )  # fmt: skip
    several = parser.add_mutually_exclusive_group()
    several.add_argument(
        "--compare", metavar="RUN", nargs="*", type=Path,
        help="compare runs with the first of them, case by case; with --admin and without RUN, two"
             " windows, prompt versions, models or releases",
    )  # fmt: skip
    several.add_argument(
        "--leaderboard", metavar="RUN|FILE", nargs="+", type=Path,
        help="rank runs, or scores from CSV or JSON Lines (name, ex, flex, type, judge): by the"
             " judge's score if every run has one, else by execution accuracy",
    )  # fmt: skip
    parser.add_argument(
        "--where", metavar="FILTER",
        help="only cases with these features: 'joins > 1 && difficulty = hard', 'ex = 0', …",
    )  # fmt: skip
    add_collected(parser)
    add_comparison(parser)
    parser.add_argument(
        "--trim-weights", metavar="RATIO", type=ratio,
        help="limit the weight of each production request to RATIO times the median weight; biases"
             " rates",
    )  # fmt: skip
    add_outputs(parser, json_help="print all metrics as JSON")
    parser.set_defaults(run=run)


def add_outputs(parser: argparse.ArgumentParser, *, json_help: str) -> None:
    """Add the options for output files and gates, shared with `sqlobs evaluate`."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--output", metavar="FILE", type=Path, action="append", default=[],
        help="write a report whose format follows the suffix: .html, .xlsx or .xml; repeatable",
    )  # fmt: skip
    group.add_argument("--html", metavar="FILE", type=Path, help="write a self-contained HTML page")
    group.add_argument(
        "--xlsx", metavar="FILE", type=Path, help="write an Excel workbook with charts"
    )
    group.add_argument("--junit", metavar="FILE", type=Path, help="write JUnit XML for a CI server")
    group.add_argument(
        "--summary", metavar="FILE", type=Path,
        help="append a Markdown summary for a pull request, as to $GITHUB_STEP_SUMMARY",
    )  # fmt: skip
    group.add_argument(
        "--fail-on", metavar="GATE", action="append", default=[],
        help="exit with code 1 when the condition is true: 'schematic_pass_rate<98%%',"
             " 'gold_fail>0', …; repeatable",
    )  # fmt: skip
    group.add_argument("--json", action="store_true", help=json_help)


def assign_outputs(args: argparse.Namespace) -> None:
    """Turn each --output into the option for its suffix; check all before any work is done.

    Raises:
        InputError: A suffix is unknown, or a file cannot be written there.
    """
    for path in args.output:
        name = _OUTPUTS.get(path.suffix.lower())
        if name is None:
            raise InputError(f"--output {path}: the file name must end in {', '.join(_OUTPUTS)}")
        setattr(args, name, path)
    for name in ("html", "xlsx", "junit", "summary"):
        path = getattr(args, name)
        if path is not None and not path.parent.is_dir():
            raise InputError(f"--{name} {path}: the directory {path.parent} does not exist")
        if path is not None and path.is_dir():
            raise InputError(f"--{name} {path}: is a directory; give the name of a file")


def run(args: argparse.Namespace) -> int:
    """Read the runs, write the requested files and print the figures."""
    from sqlobs.reporting.filters import narrowed
    from sqlobs.reporting.gates import parse_gate

    assign_outputs(args)
    if args.compare == [] and args.admin is None:
        raise InputError("--compare: name the runs to compare, or a collector with --admin")
    if args.compare == []:
        return show_collected_comparison(args)
    _refuse(args, "runs", *OPTIONS)
    if args.compare or args.leaderboard:
        _refuse(args, "several runs", "admin", *_OF_COLLECTOR)
    if args.compare:
        directories = [args.directory] if args.directory else []
        return show_comparison([*directories, *args.compare], args, where=args.where)
    if args.leaderboard:
        return _rank(args)
    found = narrowed(_found(args), args.where)
    gates = [parse_gate(text) for text in args.fail_on]
    verdicts = write_outputs(found, args, gates)
    _show(found, verdicts, as_json=args.json)
    return int(any(verdict.is_failed for verdict in verdicts))


def _found(args: argparse.Namespace) -> Run:
    """Return the run to report on: a collector's units, its export, or an evaluated run."""
    given: Path | None = args.directory
    is_export = given is not None and given.is_file()
    if args.admin is None and not is_export:
        _refuse(args, "a run", *_OF_COLLECTOR)
        return read_run(given)
    if args.admin is not None and given is not None:
        raise InputError("give either a collector (--admin URL) or a run or export")
    return production_run(args, export=given)


def show_comparison(
    directories: Sequence[Path],
    args: argparse.Namespace,
    *,
    where: str | None = None,
) -> int:
    """Compare evaluated runs with the first of them, show what changed, and return the exit code.

    Args:
        directories: Run directories, the baseline first.
        args: The output options, with the gates that fail the comparison.
        where: Filter of the compared cases; None = all.

    Raises:
        InputError: a run is not evaluated, or an option cannot be combined with a comparison.
    """
    from sqlobs.reporting.comparison import compare
    from sqlobs.reporting.comparison_text import comparison_block, comparison_document
    from sqlobs.reporting.filters import narrowed
    from sqlobs.reporting.gates import check_comparison, parse_gate
    from sqlobs.reporting.page.comparison import write_comparison_html
    from sqlobs.reporting.summary_markdown import comparison_summary

    _refuse(args, "--compare", "xlsx", "junit")
    comparison = compare([narrowed(read_run(directory), where) for directory in directories])
    gates = [parse_gate(text) for text in args.fail_on]
    if args.html:
        _written(args.html, lambda path: write_comparison_html(comparison, path))
    verdicts = [verdict for pair in comparison.pairs for verdict in check_comparison(pair, gates)]
    if args.summary:
        _append(args.summary, comparison_summary(comparison, verdicts))
    if args.json:
        print(json.dumps(comparison_document(comparison, verdicts)))
    else:
        print(comparison_block(comparison))
        _print_verdicts(verdicts)
    return int(any(verdict.is_failed for verdict in verdicts))


def _rank(args: argparse.Namespace) -> int:
    from sqlobs.metrics.ranking import leaderboard
    from sqlobs.reporting.disagreement import error_rates
    from sqlobs.reporting.filters import narrowed
    from sqlobs.reporting.judged import category_spread
    from sqlobs.reporting.leaderboard.contestants import contestants_of, costs_of, read_scores
    from sqlobs.reporting.leaderboard.page import write_leaderboard_html
    from sqlobs.reporting.leaderboard.text import leaderboard_block, leaderboard_document
    from sqlobs.reporting.leaderboard.workbook import write_leaderboard_workbook

    _refuse(args, "--leaderboard", "junit", "fail_on", "summary")
    given = [args.directory, *args.leaderboard] if args.directory else args.leaderboard
    absent = next((path for path in given if not path.exists()), None)
    if absent is not None:
        raise InputError(f"{absent}: no such file or directory")
    runs = [narrowed(read_run(path), args.where) for path in given if not path.is_file()]
    tables = [read_scores(path) for path in given if path.is_file()]
    contestants = [*contestants_of(runs), *chain.from_iterable(tables)]
    if not contestants:
        raise InputError(f"{', '.join(map(str, given))}: no system found")
    board = leaderboard(contestants)
    is_of_one = len(board.judges) == 1  # scores of different judges cannot be averaged
    spread = category_spread([found.cases for found in runs]) if is_of_one else []
    errors = error_rates(runs) if is_of_one else []
    costs = costs_of(runs)
    pages: list[tuple[Path | None, Callable[..., None]]] = [
        (args.html, write_leaderboard_html),
        (args.xlsx, write_leaderboard_workbook),
    ]
    for path, write in pages:
        if path is not None:
            _written(path, partial(write, board, spread=spread, errors=errors, costs=costs))
    if args.json:
        print(json.dumps(leaderboard_document(board, spread=spread, errors=errors, costs=costs)))
    else:
        print(leaderboard_block(board, spread=spread, errors=errors, costs=costs))
    return 0


def _refuse(args: argparse.Namespace, mode: str, *options: str) -> None:
    """Raise if an option would have no effect in this mode."""
    for option in options:
        if getattr(args, option, None):
            raise InputError(f"--{option.replace('_', '-')} cannot be combined with {mode}")


def read_run(given: Path | None) -> Run:
    """Read the given run, the newest run in the given directory, or the newest run in `run/`.

    Its own metrics become figures of this process.
    """
    from sqlobs.cli.runs import run_directory
    from sqlobs.runs.run import DETAILS, EVALUATION, Run
    from sqlobs.scores.registry import register

    is_run = given and (given.name == EVALUATION or (given / EVALUATION / DETAILS).is_file())
    found = Run.read(given if given and is_run else run_directory(given))
    for declared in found.metrics:
        register(declared)
    return found


def write_outputs(found: Run, args: argparse.Namespace, gates: list[Gate]) -> list[GateVerdict]:
    """Write the requested files and return the verdicts of the gates.

    Raises:
        InputError: a file cannot be written.
    """
    from sqlobs.reporting.gates import check_gates
    from sqlobs.reporting.junit import write_junit
    from sqlobs.reporting.page.document import write_html
    from sqlobs.reporting.summary_markdown import run_summary
    from sqlobs.reporting.workbook.document import write_workbook

    verdicts = check_gates(found, gates)
    writers: list[tuple[Path | None, Callable[[Path], None]]] = [
        (args.html, lambda path: write_html(found, path)),
        (args.xlsx, lambda path: write_workbook(found, path)),
        (args.junit, lambda path: write_junit(found, path, verdicts=verdicts)),
        (args.summary, lambda path: _append(path, run_summary(found, verdicts))),
    ]
    for path, write in writers:
        if path is not None:
            _written(path, write)
    return verdicts


def _append(path: Path, text: str) -> None:
    """Add text to a file, which may be shared with other steps of a pipeline."""

    def add(file: Path) -> None:
        with file.open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(text)

    _written(path, add)


def _written(path: Path, write: Callable[[Path], None]) -> None:
    try:
        write(path)
    except OSError as error:
        reason = (error.strerror or "cannot be written").lower()
        raise InputError(f"{path}: {reason}") from None


def _show(found: Run, verdicts: list[GateVerdict], *, as_json: bool) -> None:
    if as_json:
        from sqlobs.reporting.json_report import report_document

        print(json.dumps(report_document(found, verdicts)))
        return
    from sqlobs.reporting.benchmark_tables import benchmark_block
    from sqlobs.reporting.console import (
        console_block,
        engine_block,
        expense_block,
        figures_block,
        judge_block,
        slices_block,
    )

    blocks = (
        figures_block,
        slices_block,
        benchmark_block,
        expense_block,
        judge_block,
        engine_block,
    )
    print(f"{console_block(found)}\n\n{''.join(block(found) for block in blocks)}")
    _print_verdicts(verdicts)


def _print_verdicts(verdicts: Sequence[GateVerdict]) -> None:
    for verdict in verdicts:
        print(verdict.sentence)
