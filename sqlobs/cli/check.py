"""`sqlobs check`: is this SQL valid for its dialect and grounded in the schema?"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError, SqlobsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.report import CheckReport
    from sqlobs.schema.model import Schema

_EXAMPLES: Final = """\
examples:
  sqlobs check "SELECT totl FROM orders" --schema schema.sql --dialect postgres
  sqlobs check answer.sql --schema sqlite:///shop.db
  sqlobs check predictions.jsonl --schema schema.json --json > reports.jsonl
  llm "total revenue?" | sqlobs check - --schema shop.db

exit code: 0 = no failed statement, 1 = a statement failed, 2 = wrong usage or broken input
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
        help="a statement or a model's answer; a file with one; a .jsonl file with one a line"
        " (field `sql`, `query`, …); - for standard input",
    )
    parser.add_argument(
        "--schema",
        metavar="FILE|URL",
        help="DDL script, schema document (sqlobs schema pull), SQLite file, or database URL",
    )
    parser.add_argument("--dialect", help="postgres, sqlite, mysql:8.0, …; default: the schema's")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="the definition of judge-based products: also what the engine tolerates fails",
    )
    parser.add_argument(
        "--no-native", action="store_true", help="do not ask an engine inside this process"
    )
    parser.add_argument("--jsonl", action="store_true", help="the input is one JSON object a line")
    parser.add_argument("--json", action="store_true", help="print reports as JSON, one a line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check what is given and print what was found."""
    from sqlobs.cli.inputs import read_schema

    schema = read_schema(args.schema, dialect=args.dialect) if args.schema else None
    if args.jsonl or (args.sql.endswith(".jsonl") and _is_file(args.sql)):
        return _check_lines(args, schema)
    report = _check(_text(args.sql), args, schema, dialect=args.dialect)
    _print_one(report, as_json=args.json)
    return int(not report.ok)


def _text(given: str) -> str:
    """Return the statement: given itself, in a file, or on standard input."""
    from sqlobs.cli.inputs import STDIN, read_text

    if given == STDIN or _is_file(given):
        return read_text(given)
    if given.endswith(_SUFFIXES) and " " not in given:
        raise InputError(f"{given}: no such file or directory")
    return given


def _is_file(given: str) -> bool:
    try:
        return Path(given).is_file()
    except (OSError, ValueError):  # a statement may be too long for a path, or hold a NUL
        return False


def _check(
    sql: str, args: argparse.Namespace, schema: Schema | None, *, dialect: str | None
) -> CheckReport:
    from sqlobs.check.checker import check_sql

    return check_sql(
        sql,
        schema=schema,
        dialect=dialect,
        native=not args.no_native,
        strict="sql_correctness" if args.strict else None,
    )


def _print_one(report: CheckReport, *, as_json: bool) -> None:
    from sqlobs.cli.reports import document_of, text_of_report

    print(json.dumps(document_of(report)) if as_json else text_of_report(report))


def _check_lines(args: argparse.Namespace, schema: Schema | None) -> int:
    verdicts: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    for place, report in _reports(args, schema):
        verdicts[report.verdict] += 1
        codes.update(report.failure_codes)
        _print_line(place, report, as_json=args.json)
    if not verdicts:
        raise InputError(f"{args.sql}: there is no line to check")
    if not args.json:
        _print_summary(verdicts, codes)
    return int(verdicts["failed"] > 0)


def _reports(
    args: argparse.Namespace, schema: Schema | None
) -> Iterator[tuple[dict[str, object], CheckReport]]:
    from sqlobs.check.answers import text_of
    from sqlobs.cli.inputs import read_json_lines

    for number, record in read_json_lines(args.sql):
        own = record.get("dialect")
        dialect = args.dialect or (own if isinstance(own, str) else None)
        try:
            report = _check(text_of(record), args, schema, dialect=dialect)
        except SqlobsError as error:
            raise InputError(f"{args.sql}, line {number}: {error}") from None
        yield {"line": number, **({"id": record["id"]} if "id" in record else {})}, report


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
