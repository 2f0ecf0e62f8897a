"""`sqlobs evaluate`: compare predictions with references by text, check, results and time."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli.asking import QUESTIONS_AT_A_TIME, add_asking, is_asked
from sqlobs.cli.collected import add_collected
from sqlobs.cli.judge_options import add_judge, calibrations, judge_settings
from sqlobs.cli.numbers import positive, seconds
from sqlobs.cli.own_metrics import add_own_metrics, own_metrics
from sqlobs.cli.reading import add_reading
from sqlobs.cli.report import add_outputs, assign_outputs, show_comparison, write_outputs
from sqlobs.cli.runs import cases_of, spider_databases
from sqlobs.cli.target_options import read_access
from sqlobs.cli.targets import add_targets, place_of
from sqlobs.cli.techniques import add_techniques, register_techniques, score_settings
from sqlobs.errors import InputError

if TYPE_CHECKING:
    from sqlobs.evaluation.own_metric import Metric
    from sqlobs.evaluation.session_settings import SessionSettings
    from sqlobs.runs.run import Run

_EXAMPLES: Final = """\
examples:
  sqlobs evaluate --dsn postgresql://reader@localhost/shop          # the newest run_* directory
  sqlobs evaluate --run-dir run/run_20260908_001148 --exec-timeout 30 --no-em
  sqlobs evaluate --input cases.jsonl --predictions answers.jsonl --dsn 'sqlite:///dbs/{db}.sqlite'
  sqlobs evaluate --input questions.xlsx --api-url http://127.0.0.1:8008/answerDataQuestion \\
      --user evaluator --password env:API_PASSWORD --ves 10 --output report.html
  sqlobs evaluate --compare run/before run/after --fail-on 'broken>0'
  sqlobs evaluate --admin http://127.0.0.1:4319 --since 2026-09-01 --dsn postgresql://…
  sqlobs evaluate --input spider/ --predictions predicted.sql       # the directory of a benchmark

{db} in a DSN stands for the database of each case; --dsn NAME=URL (repeatable) sets the DSN of one
database.
--dsn defaults to SQLOBS_DSN.

exit code: 0 = evaluated, 1 = a --fail-on gate failed, 2 = usage error or invalid input
"""
_NOT_STORED: Final = (
    *("input", "run_dir", "predictions", "compare", "admin", "call", "api_url", "model"),
    *("dsn", "targets", "target_options", "query_url", "query_preset", "data_version"),
    *("no_gold", "no_esm", "no_store", "run_test_cases", "gold_templates", "column"),
)
"""Options of an evaluation that do not go with `--rescore`."""
_TIMED_RUNS: Final = 3
_CASES_AT_A_TIME: Final = 2
_STORED_MB: Final = 256


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "evaluate",
        help="compare predictions with references on a database",
        usage="%(prog)s [OPTION ...]",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_inputs(parser)
    add_collected(parser)
    add_asking(parser)
    add_targets(parser)
    _add_execution(parser)
    _add_stored(parser)
    _add_metrics(parser)
    add_own_metrics(parser)
    add_judge(parser)
    add_outputs(parser, json_help="print eval_summary.json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Evaluate, write the requested reports and print the summary."""
    from sqlobs.evaluation.own_scores import failure_sentences
    from sqlobs.reporting.gates import parse_gate

    assign_outputs(args)
    if args.rescore is not None:
        _require_only_stored(args)
    if args.compare:
        return show_comparison(args.compare, args)
    register_techniques(args)
    metrics = own_metrics(args)
    gates = [parse_gate(text) for text in args.fail_on]
    if args.rescore is not None:
        directory, evaluated = args.rescore, _rescored(args, metrics)
    else:
        directory, evaluated = _evaluated(args, metrics)
    verdicts = write_outputs(evaluated, args, gates)
    for sentence in failure_sentences(metrics, evaluated.cases):
        print(sentence, file=sys.stderr)
    _show(evaluated, directory, as_json=args.json)
    for verdict in verdicts:
        print(verdict.sentence, file=sys.stderr if args.json else sys.stdout)
    return int(any(verdict.is_failed for verdict in verdicts))


def _require_only_stored(args: argparse.Namespace) -> None:
    """Raise if an option gives cases or places that a stored run has already.

    Raises:
        InputError: it would be ignored.
    """
    for option in _NOT_STORED:
        if getattr(args, option):
            raise InputError(
                f"--rescore scores the cases and results that a run has stored; omit"
                f" --{option.replace('_', '-')}"
            )


def _require_compatible(args: argparse.Namespace) -> None:
    if args.ves and args.no_esm:
        raise InputError("--ves times executions, which --no-esm leaves out; omit one of them")
    for option in ("ves", "gold_templates"):
        if args.no_gold and getattr(args, option):
            raise InputError(
                f"--{option.replace('_', '-')} needs references, which --no-gold leaves out; omit"
                " one of them"
            )


def _evaluated(args: argparse.Namespace, metrics: tuple[Metric, ...]) -> tuple[Path, Run]:
    from sqlobs.cli.progress import Bar
    from sqlobs.evaluation.session import evaluate_run

    _require_compatible(args)
    settings = _settings(args, metrics)  # before a file is written or a question is asked
    if settings.judge is not None and args.no_esm:
        raise InputError("a judge needs results; give --dsn, and omit --no-esm")
    chosen = cases_of(args, place=place_of(args))
    settings = replace(
        settings,
        place=chosen.place,
        evaluator=replace(settings.evaluator, spider=chosen.spider),
        left_out=chosen.left_out,
    )
    return chosen.directory, evaluate_run(
        chosen.cases, chosen.directory, settings, watcher=Bar("case")
    )


def _rescored(args: argparse.Namespace, metrics: tuple[Metric, ...]) -> Run:
    from sqlobs.cli.progress import Bar
    from sqlobs.evaluation.loading.run_inputs import RunInputs
    from sqlobs.evaluation.session import rescore_run

    remembered = RunInputs.read(args.rescore).given(
        gold_results=args.gold_results, spider_tables=args.spider_tables
    )
    settings = _settings(args, metrics)
    spider = spider_databases(remembered.spider_tables)
    settings = replace(settings, evaluator=replace(settings.evaluator, spider=spider))
    return rescore_run(args.rescore, settings, watcher=Bar("case"))


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("cases")
    group.add_argument(
        "--run-dir", metavar="DIR", type=Path,
        help="run directory (gold.txt, preds.txt) or a directory of runs; default: the newest"
             " run_* in run/",
    )  # fmt: skip
    group.add_argument(
        "--input", metavar="FILE|DIR", type=Path,
        help="evaluate these cases instead: .jsonl, .json, .csv, .tsv, .xlsx, lines of SQL, or a"
             " benchmark's directory",
    )  # fmt: skip
    group.add_argument(
        "--predictions", metavar="FILE", type=Path,
        help="predictions for --input, matched by id or by position",
    )  # fmt: skip
    add_reading(group)
    group.add_argument(
        "--no-gold", action="store_true",
        help="evaluate without references: labels, failure codes, execution, and judges that need"
             " no reference; --input is read as predictions",
    )  # fmt: skip
    group.add_argument(
        "--gold-results", metavar="DIR", type=Path,
        help="directory of correct results (ID.csv; several: ID_a.csv, ID_b.csv), in place of"
             " references, as in Spider 2.0; a .jsonl file in it may have condition_cols and"
             " ignore_order",
    )  # fmt: skip
    group.add_argument(
        "--run-test-cases",
        action="store_true",
        help="run LiveSQLBench's tasks in throw-away copies of the database: the predictions may"
        " write, and the test cases in the input are Python code that runs with your rights",
    )
    group.add_argument(
        "--compare", metavar="RUN", nargs="+", type=Path,
        help="compare evaluated runs with the first of them, case by case; nothing is evaluated",
    )  # fmt: skip
    group.add_argument("--system", metavar="NAME", help="name of the system on a leaderboard")
    group.add_argument(
        "--system-type",
        metavar="TYPE",
        help="type of the system on a leaderboard: proprietary, open, fine-tuned, …",
    )


def _add_stored(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("stored results")
    group.add_argument(
        "--rescore", metavar="RUN", type=Path,
        help="score an evaluated run again from its stored results; nothing is executed",
    )  # fmt: skip
    group.add_argument(
        "--data-version", metavar="NAME",
        help="name of the state of the data on a server: with the same name, unchanged statements"
             " are not run again; files are recognized without it",
    )  # fmt: skip
    size = group.add_mutually_exclusive_group()
    size.add_argument(
        "--store-mb", metavar="N", type=positive, default=_STORED_MB,
        help=f"maximum size of eval/frames.db, the stored results; default: {_STORED_MB}",
    )  # fmt: skip
    size.add_argument("--no-store", action="store_true", help="do not store results")


def _add_execution(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("execution")
    group.add_argument(
        "--target-options", metavar="FILE", type=Path,
        help="TOML file with connect_args, environment, settings, connect_timeout_s and cost, as"
             " for a target of the collector; a warehouse needs at least its cost limits",
    )  # fmt: skip
    group.add_argument("--no-esm", action="store_true", help="do not execute statements")
    group.add_argument(
        "--exec-timeout", metavar="SECONDS", type=seconds, default=30.0,
        help="statement timeout, enforced by the engine; default: 30",
    )  # fmt: skip
    group.add_argument(
        "--max-rows", metavar="N", type=positive, default=100_000,
        help="rows to fetch per result; larger results are counted and compared by digests;"
             " default: 100000",
    )  # fmt: skip
    group.add_argument(
        "--ves", metavar="RUNS", type=positive,
        help="number of timed runs of each correct prediction, for VES; default: 3 with --api-url"
             " or --call",
    )  # fmt: skip
    group.add_argument(
        "--concurrency", metavar="N", type=positive,
        help=f"number of concurrent questions (default: {QUESTIONS_AT_A_TIME}) and concurrent"
             f" evaluations (default: {_CASES_AT_A_TIME})",
    )  # fmt: skip


def _add_metrics(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("checks and metrics")
    group.add_argument("--no-em", action="store_true", help="do not compute exact match")
    group.add_argument("--no-check", action="store_true", help="do not check SQL")
    group.add_argument(
        "--local-engine", action="store_true",
        help="ask the engine of BigQuery, Spark or ClickHouse on this machine as well, and compare"
             " its verdicts with the checker's; needs the extra bigquery-native, spark-native or"
             " clickhouse-native",
    )  # fmt: skip
    group.add_argument(
        "--spider-tables", metavar="FILE", type=Path,
        help="Spider's tables.json: computes its exact set match by part and its hardness;"
             " default: the file of this name in the --input directory",
    )  # fmt: skip
    group.add_argument(
        "--schema",
        metavar="FILE|URL",
        help="schema to check predictions against; default: the DSN's",
    )
    group.add_argument("--dialect", help="dialect of --schema, if it is a DDL script")
    add_techniques(group)


def _settings(args: argparse.Namespace, metrics: tuple[Metric, ...]) -> SessionSettings:
    """Return what the options say, without what depends on the cases."""
    from sqlobs.cli.inputs import read_schema
    from sqlobs.evaluation.evaluator_settings import LIMITS, EvaluatorSettings
    from sqlobs.evaluation.session_settings import SessionSettings

    judge = judge_settings(args)
    return SessionSettings(
        place=None,
        judge=judge,
        calibrations=calibrations(args, judge),
        system=args.system,
        system_type=args.system_type,
        functions=frozenset(name.lower() for name in args.allow_function),
        access=read_access(args.target_options) if args.target_options else None,
        schema=read_schema(args.schema, dialect=args.dialect) if args.schema else None,
        workers=args.concurrency or _CASES_AT_A_TIME,
        frames_bytes=0 if args.no_store else args.store_mb * 2**20,
        data_version=args.data_version,
        evaluator=EvaluatorSettings(
            limits=replace(LIMITS, timeout_s=args.exec_timeout, max_rows=args.max_rows),
            scores=score_settings(args),
            metrics=metrics,
            with_em=not args.no_em,
            with_esm=not args.no_esm,
            with_check=not args.no_check,
            with_local_engine=args.local_engine,
            timing_runs=args.ves or (_TIMED_RUNS if is_asked(args) and not args.no_gold else 0),
        ),
    )


def _show(evaluated: Run, directory: Path, *, as_json: bool) -> None:
    from sqlobs.evaluation.statements import unread_templates
    from sqlobs.reporting.judged import silence_line

    templates = unread_templates(evaluated.cases)
    if templates:
        print(
            f"{templates} of {len(evaluated.cases)} references failed and contain several"
            " statements (`;`) or sets of columns (`{a, b}`); evaluate them with --gold-templates",
            file=sys.stderr,
        )
    if as_json:
        print(json.dumps(evaluated.summary_document()))
        silence = silence_line(evaluated.cases)
        if silence is not None:
            print(silence, file=sys.stderr)
        return
    from sqlobs.reporting.benchmark_tables import benchmark_block
    from sqlobs.reporting.console import (
        console_block,
        engine_block,
        judge_block,
        own_block,
        slices_block,
    )

    blocks = (console_block, slices_block, benchmark_block, own_block, judge_block, engine_block)
    print("".join(block(evaluated) for block in blocks))
    print(f"\n{directory / 'eval'}")
