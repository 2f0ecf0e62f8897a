"""`sqlobs rules generate`: Prometheus rules with their unit tests, and Grafana dashboards."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

_EXAMPLES: Final = """\
examples:
  sqlobs rules generate --output monitoring
  sqlobs rules generate --output monitoring --objective 0.05 --min-requests 50
  promtool test rules monitoring/*.test.yml

docs/alerts.md describes each alert and how to respond. Example setup:
examples/observability.
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser("rules", help="generate Prometheus rules and Grafana dashboards")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    generate = actions.add_parser(
        "generate",
        help="write the files to a directory",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    generate.add_argument(
        "--output", type=Path, required=True, metavar="DIR", help="output directory"
    )
    generate.add_argument(
        "--objective",
        type=float,
        default=0.02,
        metavar="SHARE",
        help="maximum share of requests with an unknown or misplaced name (default: %(default)s)",
    )
    generate.add_argument(
        "--min-requests",
        type=int,
        default=20,
        metavar="N",
        help="minimum number of evaluated requests for a rate alert (default: %(default)s)",
    )
    generate.add_argument(
        "--min-failures",
        type=int,
        default=3,
        metavar="N",
        help="minimum number of failures for a rate alert (default: %(default)s)",
    )
    generate.add_argument(
        "--job",
        default="sqlobs-collector",
        metavar="NAME",
        help="Prometheus job that scrapes the collector (default: %(default)s)",
    )
    generate.add_argument(
        "--scale",
        type=float,
        default=1.0,
        metavar="FACTOR",
        help="factor for all time windows, to try alerts within seconds: 0.01 turns one hour into"
        " 36 s. Unit tests for the rules are written only at scale 1 (default: %(default)s)",
    )
    generate.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the files and print their names."""
    from sqlobs.monitoring.files import generate
    from sqlobs.monitoring.settings import RuleSettings

    settings = RuleSettings(
        objective=args.objective,
        min_requests=args.min_requests,
        min_failures=args.min_failures,
        scale=args.scale,
        job=args.job,
    )
    _write(args.output, generate(settings))
    return 0


def _write(directory: Path, files: Mapping[str, str]) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (directory / name).write_text(text, encoding="utf-8")
            print(directory / name)
    except OSError as error:
        reason = (error.strerror or "cannot be written").lower()
        raise InputError(f"{error.filename or directory}: {reason}") from error
