"""`sqlobs doctor`: diagnose versions, settings and endpoints, and suggest fixes."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Final

_EXAMPLES: Final = """\
examples:
  sqlobs doctor
  sqlobs doctor --prometheus http://127.0.0.1:9090
  SQLOBS_COLLECTOR_ENDPOINT=http://127.0.0.1:4318 sqlobs doctor --json

Sends an empty OTLP request to each endpoint. Values of environment variables are never printed.
exit code: 0 = no failure (warnings are allowed), 1 = a diagnosis failed
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "doctor",
        help="diagnose this environment: parser, settings, endpoints",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--prometheus",
        metavar="URL",
        help="also ask this Prometheus whether series arrive as rules and dashboards read them",
    )
    parser.add_argument("--json", action="store_true", help="print the diagnoses as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the diagnoses; return 1 if one of them failed."""
    from sqlobs.cli.diagnostics import here

    found = list(here())
    if args.prometheus:
        from sqlobs.cli.metric_path import metric_path

        found += metric_path(args.prometheus)
    if args.json:
        print(json.dumps([asdict(each) for each in found]))
    else:
        width = max(len(each.subject) for each in found)
        for each in found:
            print(f"{each.grade:4}  {each.subject:{width}}  {each.detail}")
    return 1 if any(each.grade == "fail" for each in found) else 0
