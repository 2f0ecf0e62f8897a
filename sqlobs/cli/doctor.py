"""`sqlobs doctor`: versions, settings and endpoints as they are here, and what to mend."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Final

_EXAMPLES: Final = """\
examples:
  sqlobs doctor
  SQLOBS_COLLECTOR_ENDPOINT=http://127.0.0.1:4318 sqlobs doctor --json

Endpoints get an empty OTLP request; values of variables are never printed.
Exit code 1 when something fails; a warning is no failure.
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "doctor",
        help="examine this environment: parser, settings, endpoints",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print what was found; exit code 1 when something fails."""
    from sqlobs.cli.diagnostics import here

    found = here()
    if args.json:
        print(json.dumps([asdict(each) for each in found]))
    else:
        width = max(len(each.subject) for each in found)
        for each in found:
            print(f"{each.grade:4}  {each.subject:{width}}  {each.detail}")
    return 1 if any(each.grade == "fail" for each in found) else 0
