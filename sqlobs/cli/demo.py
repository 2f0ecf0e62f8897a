"""`sqlobs demo`: run a traced text-to-SQL service on this machine and report its telemetry."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.urls import is_http_url

if TYPE_CHECKING:
    from sqlobs.demo.rendering import Palette
    from sqlobs.demo.session import Plan

_EXAMPLE: Final = """\
examples:
  sqlobs demo
  sqlobs demo --serve                                  # ends in the console
  sqlobs demo --requests 40 --output /tmp/demo --json
  sqlobs demo --dialect bigquery                       # checks alone: there is no warehouse
  sqlobs demo --forward http://127.0.0.1:4318          # copy traces and metrics to your backend
  OPENAI_BASE_URL=http://127.0.0.1:11434/v1 sqlobs demo --requests 20 --model qwen2.5-coder
"""


_FOREVER_S: Final = 3600


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "demo",
        help="run a traced text-to-SQL service with recorded generations, offline",
        description=__doc__,
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--requests",
        type=_count,
        metavar="N",
        help="number of questions to ask (default: each recorded question once)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("demo-data"),
        metavar="DIR",
        help="directory for the database and the telemetry (default: %(default)s)",
    )
    parser.add_argument(
        "--forward",
        metavar="URL",
        help="OTLP/HTTP endpoint that receives a copy of the telemetry, with the headers from"
        " OTEL_EXPORTER_OTLP_HEADERS",
    )
    parser.add_argument("--model", help="model to request from the server at OPENAI_BASE_URL")
    parser.add_argument(
        "--no-collector",
        action="store_true",
        help="do not start the collector: no execution, no references, no judge",
    )
    parser.add_argument(
        "--serve",
        action="store_true",
        help="keep the collector's console running afterwards, until Ctrl-C, and print its link",
    )
    parser.add_argument(
        "--dialect",
        help="what the shop's tables and the answers are written in: bigquery, snowflake, …;"
        " anything but sqlite is checked, and not executed (default: sqlite)",
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the demo; return 0 if the telemetry of every request arrived, else 1."""
    from sqlobs.demo.collector import is_installed
    from sqlobs.demo.recordings import load_recordings
    from sqlobs.demo.report import Report
    from sqlobs.demo.session import Plan, perform
    from sqlobs.demo.translation import SHOP_DIALECT
    from sqlobs.dialects.registry import dialect_and_version

    if args.forward and not is_http_url(args.forward):
        raise InputError(f"--forward {args.forward}: the URL must start with http:// or https://")
    base_url = os.environ.get("OPENAI_BASE_URL")
    if args.model and not base_url:
        raise InputError(
            f"--model {args.model}: set OPENAI_BASE_URL to the server that provides it"
        )
    if args.serve and (args.no_collector or not is_installed()):
        raise InputError(
            '--serve needs the collector: pip install "sqlobs[collector]", without --no-collector'
        )
    grammar, _ = dialect_and_version(args.dialect or SHOP_DIALECT)
    has_database = grammar == SHOP_DIALECT
    if args.serve and not has_database:
        raise InputError(f"--serve shows executed SQL: leave out --dialect {args.dialect}")
    wants_collector = has_database and not args.no_collector
    plan = Plan(
        directory=args.output,
        requests=args.requests or len(load_recordings()),
        model=args.model,
        base_url=base_url,
        forward=args.forward,
        has_collector=wants_collector and is_installed(),
        lacks_collector=wants_collector and not is_installed(),
        dialect=SHOP_DIALECT if has_database else args.dialect,
    )
    report = Report(plan, palette=_palette())
    if not args.json:
        print(report.opening(), flush=True)
    performance = perform(plan)
    print(performance.as_json() if args.json else report.closing(performance))
    for line in report.complaints(performance):
        print(line, file=sys.stderr)
    if args.serve:
        _serve(plan)
    return 0 if performance.is_complete else 1


def _serve(plan: Plan) -> None:
    """Run the collector over what the demo left until the user ends it."""
    import time

    from sqlobs.cli.console import login_link
    from sqlobs.demo.collector import running

    with running(plan.directory) as collector:
        print(f"\nconsole: {login_link(collector.admin)}")
        print(
            "The link works once, within a minute. For another one, or to stop:\n"
            f"  sqlobs console --admin {collector.admin}\n"
            "  Ctrl-C",
            flush=True,
        )
        with suppress(KeyboardInterrupt):
            while True:
                time.sleep(_FOREVER_S)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _palette() -> Palette:
    from sqlobs.demo.rendering import COLORED, PLAIN

    return COLORED if sys.stdout.isatty() and "NO_COLOR" not in os.environ else PLAIN
