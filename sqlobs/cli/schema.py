"""`sqlobs schema`: pull the schema of a database, show its gaps, compare two schemas."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli.admin import ADMIN_VARIABLE, DEFAULT_ADMIN, default_admin
from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlobs.check.report.model import CheckReport
    from sqlobs.schema.difference import Change
    from sqlobs.schema.model import Schema

_EXAMPLES: Final = """\
examples:
  sqlobs schema pull postgresql://reader@db/shop --output shop.json
  sqlobs schema query snowflake > columns.sql   # run it in the console, export its rows
  sqlobs schema pull columns.csv --dialect snowflake --output shop.json
  sqlobs schema show shop.json --tables orders,customers
  sqlobs schema diff shop.json postgresql://reader@db/shop --queries golden.jsonl
  sqlobs schema diff shop.json new.sql --admin http://collector:4319
"""
_Subparsers = argparse._SubParsersAction  # noqa: SLF001 - the public API has no name for the type


def register(subparsers: _Subparsers[argparse.ArgumentParser]) -> None:
    """Add the command, its subcommands and their options."""
    parser = subparsers.add_parser(
        "schema",
        help="pull, show and compare database schemas",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parts = parser.add_subparsers(dest="part", required=True, metavar="pull|query|show|diff")
    _register_pull(parts)
    _register_query(parts)
    _register_show(parts)
    _register_diff(parts)


def _register_pull(parts: _Subparsers[argparse.ArgumentParser]) -> None:
    pull = parts.add_parser(
        "pull", help="read the system catalog of a database into a schema document"
    )
    pull.add_argument(
        "source",
        metavar="URL|FILE",
        help="SQLAlchemy URL of the database, or the exported rows of `sqlobs schema query`",
    )
    pull.add_argument("--dialect", help="dialect of exported rows")
    pull.add_argument("--namespace", action="append", help="namespace to read; repeatable")
    pull.add_argument(
        "--target-options",
        metavar="FILE",
        type=Path,
        help="TOML file whose connect_args the connection needs, as for `sqlobs evaluate`",
    )
    pull.add_argument("--output", metavar="FILE", help="output file; default: standard output")
    pull.add_argument(
        "--descriptions",
        metavar="DIR",
        help="BIRD database_description directory; its descriptions are added to the columns",
    )
    pull.set_defaults(run=pull_schema)


def _register_query(parts: _Subparsers[argparse.ArgumentParser]) -> None:
    query = parts.add_parser(
        "query",
        help="print the query on a warehouse's system catalog whose rows `pull` reads",
        description="For warehouses to which you give no credentials: run the query in their"
        " console and export its rows as CSV or JSON.",
    )
    query.add_argument("dialect", help="bigquery, clickhouse, databricks, redshift or snowflake")
    query.set_defaults(run=print_query)


def _register_show(parts: _Subparsers[argparse.ArgumentParser]) -> None:
    show = parts.add_parser("show", help="print a schema as DDL, and what is unknown in it")
    show.add_argument("schema", help="DDL script, schema document, SQLite file or database URL")
    show.add_argument("--dialect", help="dialect of a DDL script")
    show.add_argument("--tables", help="comma-separated names of the tables to show")
    show.add_argument("--json", action="store_true", help="print the unknown parts as JSON")
    show.set_defaults(run=show_schema)


def _register_diff(parts: _Subparsers[argparse.ArgumentParser]) -> None:
    diff = parts.add_parser(
        "diff",
        help="list added, removed and retyped tables and columns, and the queries that break",
        description="exit code: 1 = a table or column was removed or retyped; with queries: a"
        " query broke",
    )
    diff.add_argument("old", help="old schema")
    diff.add_argument("new", help="new schema")
    diff.add_argument("--dialect", help="dialect of DDL scripts")
    diff.add_argument("--queries", metavar="JSONL", help="queries as JSON Lines, field `sql`")
    diff.add_argument(
        "--admin",
        metavar="URL",
        nargs="?",
        const=default_admin(),
        help="check the statements received by the collector at this admin address; without URL:"
        f" ${ADMIN_VARIABLE}, else {DEFAULT_ADMIN}",
    )
    diff.add_argument("--json", action="store_true", help="print the differences as JSON")
    diff.set_defaults(run=diff_schemas)


def pull_schema(args: argparse.Namespace) -> int:
    """Write the schema document of a live database, or of rows exported from one."""
    schema = _pulled(args)
    if args.namespace and not schema.tables:
        raise InputError(f"--namespace {', '.join(args.namespace)} contains no tables")
    if args.descriptions:
        schema = schema.with_bird_descriptions(args.descriptions)
    document = schema.to_json()
    if args.output is None:
        print(document)
        return 0
    try:
        Path(args.output).write_text(document + "\n", encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or "cannot be written").lower()
        raise InputError(f"{args.output}: {reason}") from None
    return 0


def _pulled(args: argparse.Namespace) -> Schema:
    from sqlobs.cli.inputs import read_schema
    from sqlobs.cli.target_options import read_access
    from sqlobs.schema.model import Schema

    if "://" in args.source:
        access = None if args.target_options is None else read_access(args.target_options)
        return Schema.from_database(
            args.source,
            namespaces=args.namespace,
            connect_args=None if access is None else access.connect_args,
        )
    if args.target_options:
        raise InputError("--target-options is for a live database")
    if args.namespace:
        raise InputError("--namespace selects from a live database; export the rows that you need")
    return read_schema(args.source, dialect=args.dialect)


def print_query(args: argparse.Namespace) -> int:
    """Print the query that exports the columns of a warehouse."""
    from sqlobs.dialects.documents import columns_query
    from sqlobs.dialects.registry import all_dialects, dialect_name

    name = dialect_name(args.dialect)
    query = columns_query(name)
    if query is None:
        known = ", ".join(one.name for one in all_dialects() if columns_query(one.name))
        raise InputError(f"no query is known for {name}; there is one for {known}")
    print(query, end="")
    return 0


def show_schema(args: argparse.Namespace) -> int:
    """Print a schema and its gaps."""
    from sqlobs.cli.inputs import read_schema
    from sqlobs.schema.gaps import gaps

    schema = read_schema(args.schema, dialect=args.dialect)
    found = gaps(schema)
    if args.json:
        print(json.dumps({**_facts(schema), "lacks": [asdict(gap) for gap in found]}))
        return 0
    print(schema.render(args.tables.split(",") if args.tables else None))
    print(f"\n-- {_summary(schema)}")
    for gap in found:
        places = f" ({', '.join(gap.examples)}, …)" if gap.examples else ""
        print(f"-- missing {gap.missing}: {gap.effect}{places}")
    if not found:
        print("-- complete: the schema has everything that the checker uses")
    return 0


def _facts(schema: Schema) -> dict[str, object]:
    return {
        "version": schema.version,
        "dialect": schema.dialect,
        "tables": len(schema.tables),
        "columns": sum(len(table.columns) for table in schema.tables),
    }


def _summary(schema: Schema) -> str:
    facts = _facts(schema)
    dialect = facts["dialect"] or "unknown dialect"
    return (
        f"{dialect}, {facts['tables']} tables, {facts['columns']} columns, version {schema.version}"
    )


def diff_schemas(args: argparse.Namespace) -> int:
    """Print the differences between two schemas and the queries that break."""
    from sqlobs.cli.inputs import read_schema
    from sqlobs.schema.difference import changes

    old = read_schema(args.old, dialect=args.dialect)
    new = read_schema(args.new, dialect=args.dialect)
    found = changes(old, new)
    queries = list(_queries(args))
    broken = list(_broken(queries, old, new)) if args.queries or args.admin else None
    if args.json:
        print(json.dumps(_outcome(found, broken)))
    else:
        _print_changes(found, broken)
    if broken is not None:
        return int(bool(broken))
    return int(any(change.kind != "added" for change in found))


def _queries(args: argparse.Namespace) -> Iterator[tuple[dict[str, object], str]]:
    """Yield the statements of the file and of the collector, each with its location."""
    from sqlobs.check.llm_output.answer_text import text_of
    from sqlobs.cli.admin import ask_list
    from sqlobs.cli.inputs import read_json_lines

    for number, record in read_json_lines(args.queries) if args.queries else ():
        yield {"line": number, **({"id": record["id"]} if "id" in record else {})}, text_of(record)
    for record in ask_list(args.admin, "/v1/statements", "statements") if args.admin else ():
        yield {"id": record["id"]}, record["sql"]


def _broken(
    queries: Iterable[tuple[dict[str, object], str]], old: Schema, new: Schema
) -> Iterator[tuple[dict[str, object], CheckReport]]:
    """Yield the queries that pass on the old schema and fail on the new one."""
    from sqlobs.check.checker import check_sql

    for place, sql in queries:
        report = check_sql(sql, schema=new)
        if not report.ok and check_sql(sql, schema=old).ok:
            yield place, report


def _outcome(
    found: tuple[Change, ...], broken: list[tuple[dict[str, object], CheckReport]] | None
) -> dict[str, object]:
    outcome: dict[str, object] = {"changes": [asdict(change) for change in found]}
    if broken is not None:
        outcome["broken"] = [
            {**place, "sql": report.sql, "failure_codes": report.failure_codes}
            for place, report in broken
        ]
    return outcome


def _print_changes(
    found: tuple[Change, ...], broken: list[tuple[dict[str, object], CheckReport]] | None
) -> None:
    from sqlobs.cli.reports import text_of_report

    for change in found:
        types = f": {change.old_type} -> {change.new_type}" if change.kind == "retyped" else ""
        print(f"{change.kind:<8} {change.name}{types}")
    if not found:
        print("no differences in tables, columns or types")
    if broken is not None:
        print(f"{len(broken)} {'query breaks' if len(broken) == 1 else 'queries break'}")
    for place, report in broken or ():
        place_names = [f"line {place['line']}" if "line" in place else "", str(place.get("id", ""))]
        print(f"{_named(*place_names)}: {text_of_report(report)}")


def _named(line: str, name: str) -> str:
    return f"{line} ({name})" if line and name else line or name
