"""`sqlobs rules generate`: alerts from objectives, with unit tests, and Grafana dashboards.

The other actions have a module each: `rules_backtest`, `rules_test_fire`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli import rules_backtest, rules_test_fire
from sqlobs.cli.rule_options import add_job, add_links, add_objectives, settings_of
from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

_DESCRIPTION: Final = "Write alerts from objectives, with unit tests, and Grafana dashboards."
_EXAMPLES: Final = """\
examples:
  sqlobs rules generate --output monitoring
  sqlobs rules generate --output monitoring --config objectives.yaml --label team=data
  promtool test rules monitoring/*.test.yml

docs/alerts.md describes each alert and how to respond. Example setup:
examples/observability.
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "rules",
        help="generate alerts from objectives, and Grafana dashboards; try the alerts out",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    generate = actions.add_parser(
        "generate",
        help="write the files to a directory",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    generate.add_argument(
        "--output", type=Path, required=True, metavar="DIR", help="output directory"
    )
    add_objectives(generate)
    _add_form(generate)
    add_links(generate)
    add_job(generate)
    generate.set_defaults(run=run)
    rules_backtest.register(actions)
    rules_test_fire.register(actions)


def _add_form(generate: argparse.ArgumentParser) -> None:
    generate.add_argument(
        "--format",
        choices=("prometheus", "kubernetes", "grafana"),
        default="prometheus",
        help="rule files for Prometheus, a PrometheusRule for Kubernetes, or Grafana-managed alerts"
        " with the recordings they read (default: %(default)s)",
    )
    generate.add_argument(
        "--scale",
        type=float,
        default=1.0,
        metavar="FACTOR",
        help="factor for all time windows, to try alerts within seconds: 0.01 turns one hour into"
        " 36 s. Unit tests for the rules are written only at scale 1 (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Write the files and print their names."""
    from sqlobs.monitoring.files import generate

    _write(args.output, generate(settings_of(args), args.format))
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
