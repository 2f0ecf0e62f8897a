"""`sqlobs inspect`: show example cases of an evaluated run by outcome."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

from sqlobs.cli.numbers import counted
from sqlobs.cli.report import read_run

_EXAMPLES: Final = """\
examples:
  sqlobs inspect --run-dir run/run_20260908_001148 --max-examples 5
  sqlobs inspect                                     # the newest run_* directory
  sqlobs inspect --where 'joins > 1 && bucket = mismatch'

exit code: 0 = shown, 2 = usage error, or the run is not evaluated
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "inspect",
        help="show examples from an evaluated run, with reasons and differing rows",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--run-dir", metavar="DIR", type=Path,
        help="evaluated run directory; default: the newest run_* in run/",
    )  # fmt: skip
    parser.add_argument(
        "--max-examples", metavar="N", type=counted, default=5,
        help="maximum examples of each kind; default: 5",
    )  # fmt: skip
    parser.add_argument(
        "--where", metavar="FILTER",
        help="only cases with these features: 'joins > 1 && difficulty = hard', …",
    )  # fmt: skip
    parser.add_argument(
        "--json", action="store_true", help="print counts and complete examples as JSON"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the breakdown and the examples."""
    from sqlobs.reporting.filters import narrowed
    from sqlobs.reporting.inspection_text import inspection, inspection_document

    found = narrowed(read_run(args.run_dir), args.where)
    if args.json:
        print(json.dumps(inspection_document(found, max_examples=args.max_examples)))
    else:
        print(inspection(found, max_examples=args.max_examples))
    return 0
