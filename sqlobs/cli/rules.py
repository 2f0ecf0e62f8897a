"""`sqlobs rules generate`: alerts from objectives, with unit tests, and Grafana dashboards."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.monitoring.objectives import Objectives

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
        "rules", help="generate alerts from objectives, and Grafana dashboards"
    )
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
    _add_objectives(generate)
    _add_places(generate)
    generate.set_defaults(run=run)


def _add_objectives(generate: argparse.ArgumentParser) -> None:
    generate.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="objectives as YAML; docs/alerts.md lists its keys (default: the objectives there)",
    )
    generate.add_argument(
        "--objective",
        type=float,
        metavar="SHARE",
        help="maximum share of requests with an unknown or misplaced name, instead of the file's"
        " schema_hallucination",
    )
    generate.add_argument(
        "--format",
        choices=("prometheus", "kubernetes", "grafana"),
        default="prometheus",
        help="rule files for Prometheus, a PrometheusRule for Kubernetes, or Grafana-managed alerts"
        " with the recordings they read (default: %(default)s)",
    )
    generate.add_argument(
        "--label",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="further label of every alert, for routing; repeatable",
    )


def _add_places(generate: argparse.ArgumentParser) -> None:
    for option, noun, default in (
        ("docs", "the directory with alerts.md", "http://localhost:4319/docs"),
        ("dashboard", "Grafana", "http://localhost:3000"),
        ("console", "the collector's admin port", "http://localhost:4319"),
    ):
        generate.add_argument(
            f"--{option}-url",
            default=default,
            metavar="URL",
            help=f"address of {noun}, for the links in alerts (default: %(default)s)",
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


def run(args: argparse.Namespace) -> int:
    """Write the files and print their names."""
    from sqlobs.monitoring.files import generate
    from sqlobs.monitoring.settings import Links, RuleSettings

    settings = RuleSettings(
        objectives=_objectives(args),
        scale=args.scale,
        job=args.job,
        links=Links(
            docs=args.docs_url.rstrip("/"),
            dashboard=args.dashboard_url.rstrip("/"),
            console=args.console_url.rstrip("/"),
        ),
        labels=dict(_label(given) for given in args.label),
    )
    _write(args.output, generate(settings, args.format))
    return 0


def _objectives(args: argparse.Namespace) -> Objectives:
    """Return the file's objectives, with the one that an option replaces."""
    from sqlobs.monitoring.objectives import Objectives, objectives_of, read_objectives

    objectives = Objectives() if args.config is None else read_objectives(args.config)
    if args.objective is None:
        return objectives
    replaced = {**objectives.model_dump(), "schema_hallucination": args.objective}
    return objectives_of(replaced, origin="--objective")


def _label(given: str) -> tuple[str, str]:
    name, separator, value = given.partition("=")
    if not separator or not value:
        raise InputError(f"--label {given}: write NAME=VALUE, such as team=data")
    return name, value


def _write(directory: Path, files: Mapping[str, str]) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (directory / name).write_text(text, encoding="utf-8")
            print(directory / name)
    except OSError as error:
        reason = (error.strerror or "cannot be written").lower()
        raise InputError(f"{error.filename or directory}: {reason}") from error
