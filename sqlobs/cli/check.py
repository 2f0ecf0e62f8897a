"""`sqlobs check`: is this SQL valid for its dialect and grounded in the schema?"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from sqlobs.errors import InputError, SqlobsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlobs.check.assessment import Strict
    from sqlobs.check.native import Native
    from sqlobs.check.report.model import CheckReport
    from sqlobs.evaluation.loading.columns import Columns
    from sqlobs.evaluation.loading.records import Record
    from sqlobs.judge.fallback import LlmFallback
    from sqlobs.schema.model import Schema

_EXAMPLES: Final = """\
examples:
  sqlobs check "SELECT totl FROM orders" --schema schema.sql --dialect postgres
  sqlobs check answer.sql --schema sqlite:///shop.db
  sqlobs check predictions.jsonl --schema schema.json --json > reports.jsonl
  llm "total revenue?" | sqlobs check - --schema shop.db
  SQLOBS_LLM_MODEL=gpt-4o-mini SQLOBS_LLM_API_KEY=… sqlobs check query.sql --schema shop.sql --llm

A file of predictions has the same format as for `sqlobs evaluate` (`prediction`, `completion`,
`sql`, …). Without a schema, names and types are not checked; confirm this with --no-schema.

exit code: 0 = no failed statement, 1 = a statement failed, 2 = usage error or invalid input, or a
statement was not checked because the schema or the dialect is missing
"""
_SUFFIXES: Final = (".sql", ".txt", ".jsonl")


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "check",
        help="check SQL against a dialect and a schema, without a database",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "sql",
        metavar="SQL|FILE|-",
        help="SQL statement or model answer; a file that contains one; a .jsonl file with one per"
        " line (field `prediction`, `completion`, `sql`, …); - for standard input",
    )
    parser.add_argument(
        "--schema",
        metavar="FILE|URL",
        help="DDL script, schema document (sqlobs schema pull), SQLite file or database URL",
    )
    parser.add_argument(
        "--no-schema", action="store_true", help="check the syntax only, not names and types"
    )
    parser.add_argument("--dialect", help="postgres, sqlite, mysql:8.0, …; default: the schema's")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="strict mode: SQL that the engine tolerates fails, too, as in LLM-judged"
        " hallucination metrics",
    )
    engines = parser.add_mutually_exclusive_group()
    engines.add_argument(
        "--no-native", action="store_true", help="do not verify with an in-process engine (SQLite)"
    )
    engines.add_argument(
        "--local-engine",
        action="store_true",
        help="verify with the engine of BigQuery, Spark or ClickHouse in a process of its own;"
        " needs the extra bigquery-native, spark-native or clickhouse-native",
    )
    parser.add_argument(
        "--llm",
        action="store_true",
        help="ask an LLM when a label is undecided; configure it with SQLOBS_LLM_BASE_URL, _MODEL"
        " and _API_KEY. The LLM receives the statement and the schema",
    )
    parser.add_argument("--hints", help="domain knowledge about the database, for the LLM")
    parser.add_argument(
        "--jsonl", action="store_true", help="the input is JSON Lines: one object per line"
    )
    parser.add_argument("--json", action="store_true", help="print reports as JSON, one per line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check the input and print the reports."""
    from sqlobs.cli.inputs import read_schema

    if args.schema and args.no_schema:
        raise InputError("--schema and --no-schema are mutually exclusive")
    schema = read_schema(args.schema, dialect=args.dialect) if args.schema else None
    with _Checker(args, schema) as checker:
        if args.jsonl or (args.sql.endswith(".jsonl") and _is(args.sql, Path.is_file)):
            return _check_lines(args, checker)
        report = checker.check(_text(args.sql), dialect=args.dialect)
    _print_one(report, as_json=args.json)
    return _exit_code(args, is_failed=not report.ok, reasons=set(report.reasons.values()))


def _exit_code(args: argparse.Namespace, *, is_failed: bool, reasons: set[str]) -> int:
    """Return 1 if a statement failed, else 0; an unchecked statement is not a success.

    Raises:
        InputError: the dialect is missing, or the schema without `--no-schema`.
    """
    if is_failed:
        return 1
    if "no_dialect" in reasons:
        raise InputError("the syntax was not checked: give --dialect")
    if "no_schema" in reasons and not args.no_schema:
        raise InputError(
            "names and types were not checked: give --schema, or --no-schema for the syntax only"
        )
    return 0


def _text(given: str) -> str:
    """Return the statement from the argument, from a file or from standard input."""
    from sqlobs.cli.inputs import STDIN, read_text

    if given == STDIN or _is(given, Path.is_file):
        return read_text(given)
    if given and _is(given, Path.is_dir):
        raise InputError(f"{given}: is a directory")
    if given.endswith(_SUFFIXES) and " " not in given:
        raise InputError(f"{given}: no such file or directory")
    return given


def _is(given: str, kind: Callable[[Path], bool]) -> bool:
    try:
        return kind(Path(given))
    except (OSError, ValueError):  # a statement may be too long for a path, or contain a NUL
        return False


class _Checker:
    """Checks statements according to the options; with `--llm` on a separate event loop."""

    def __init__(self, args: argparse.Namespace, schema: Schema | None) -> None:
        self._args = args
        self._schema = schema
        self._native = _native(args, schema)
        self._fallback = _fallback() if args.llm else None
        self._loop = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._fallback is not None:
            self._loop.run(self._fallback.close())
        self._loop.close()

    def check(self, sql: str, *, dialect: str | None) -> CheckReport:
        """Return the report of one statement."""
        from sqlobs.check.checker import check_sql, check_sql_async

        args = self._args
        strict: Strict | None = "sql_correctness" if args.strict else None
        native = self._native
        if self._fallback is None:
            return check_sql(
                sql, schema=self._schema, dialect=dialect, native=native, strict=strict
            )
        checking = check_sql_async(
            sql,
            schema=self._schema,
            dialect=dialect,
            native=native,
            strict=strict,
            fallback=self._fallback,
            hints=args.hints,
        )
        return self._loop.run(checking)


def _native(args: argparse.Namespace, schema: Schema | None) -> Native:
    """Return which engine verifies statements.

    Raises:
        SqlobsError: The local engine is not installed, or has no schema.
    """
    if not args.local_engine:
        return not args.no_native
    if schema is None:
        raise InputError("--local-engine needs --schema")
    from sqlobs.execution import local_engine

    return local_engine(schema, dialect=args.dialect)


def _fallback() -> LlmFallback:
    from sqlobs.judge.fallback import LlmFallback

    return LlmFallback.from_environment()


def _print_one(report: CheckReport, *, as_json: bool) -> None:
    from sqlobs.cli.reports import document_of, text_of_report

    print(json.dumps(document_of(report)) if as_json else text_of_report(report))


def _check_lines(args: argparse.Namespace, checker: _Checker) -> int:
    verdicts: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    reasons: set[str] = set()
    for place, report in _reports(args, checker):
        verdicts[report.verdict] += 1
        reasons.update(report.reasons.values())
        codes.update(report.failure_codes)
        _print_line(place, report, as_json=args.json)
    if not verdicts:
        raise InputError(f"{args.sql} has no lines to check")
    if not args.json:
        _print_summary(verdicts, codes)
    return _exit_code(args, is_failed=verdicts["failed"] > 0, reasons=reasons)


def _reports(
    args: argparse.Namespace, checker: _Checker
) -> Iterator[tuple[dict[str, object], CheckReport]]:
    from sqlobs.cli.inputs import read_json_lines
    from sqlobs.evaluation.loading.columns import Columns
    from sqlobs.evaluation.loading.records import Record

    columns = Columns()
    for number, fields in read_json_lines(args.sql):
        record = Record(f"{args.sql}, line {number}", fields)
        dialect = args.dialect or columns.text(record, "dialect")
        try:
            report = checker.check(_answer(record, columns), dialect=dialect)
        except SqlobsError as error:
            raise InputError(f"{record.place}: {error}") from None
        label = columns.find(record, "id")
        yield {"line": number, **({} if label is None else {"id": label})}, report


def _answer(record: Record, columns: Columns) -> str:
    """Return a record's prediction in the format of `sqlobs evaluate`, else its model answer."""
    from sqlobs.check.llm_output.answer_text import text_of

    found = text_of(columns.answer(record)) if columns.has_answer(record) else ""
    return found or text_of(record.fields)


def _print_line(place: dict[str, object], report: CheckReport, *, as_json: bool) -> None:
    from sqlobs.cli.reports import document_of, text_of_report

    if as_json:
        print(json.dumps({**place, **document_of(report)}))
    elif not report.ok:
        name = f" ({place['id']})" if "id" in place else ""
        print(f"line {place['line']}{name}: {text_of_report(report)}\n")


def _print_summary(verdicts: Counter[str], codes: Counter[str]) -> None:
    total = verdicts.total()
    shares = ", ".join(
        f"{verdicts[verdict]} {verdict.replace('_', ' ')}"
        for verdict in ("ok", "suspect", "failed", "not_evaluated")
    )
    print(f"{total} statement{'s' if total != 1 else ''}: {shares}")
    for code, count in codes.most_common():
        print(f"  {count:>6}  {code}")
