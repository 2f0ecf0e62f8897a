"""The options of `sqlobs rules` that say what alerts are made from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse

    from sqlobs.monitoring.objectives import Objectives
    from sqlobs.monitoring.settings import RuleSettings


def add_objectives(parser: argparse.ArgumentParser) -> None:
    """Add the file of objectives, and the option that replaces one."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="objectives as YAML; docs/alerts.md lists its keys (default: the objectives there)",
    )
    parser.add_argument(
        "--objective",
        type=float,
        metavar="SHARE",
        help="maximum share of requests with an unknown or misplaced name, instead of the file's"
        " schema_hallucination",
    )


def add_job(parser: argparse.ArgumentParser) -> None:
    """Add the name under which Prometheus scrapes the collector."""
    parser.add_argument(
        "--job",
        default="sqlobs-collector",
        metavar="NAME",
        help="Prometheus job that scrapes the collector (default: %(default)s)",
    )


def add_links(parser: argparse.ArgumentParser) -> None:
    """Add what alerts say besides: labels for routing, and addresses."""
    parser.add_argument(
        "--label",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="further label of every alert, for routing; repeatable",
    )
    for option, noun, default in (
        ("docs", "the directory with alerts.md", "http://localhost:4319/docs"),
        ("dashboard", "Grafana", "http://localhost:3000"),
        ("console", "the collector's admin port", "http://localhost:4319"),
    ):
        parser.add_argument(
            f"--{option}-url",
            default=default,
            metavar="URL",
            help=f"address of {noun}, for the links in alerts (default: %(default)s)",
        )


def settings_of(args: argparse.Namespace) -> RuleSettings:
    """Return the settings that options give; those that a command does not have are usual.

    Raises:
        InputError: An option, or the file of objectives, is not possible.
    """
    from sqlobs.monitoring.settings import Links, RuleSettings

    given = vars(args)
    usual = Links()
    return RuleSettings(
        objectives=_objectives(given["config"], given["objective"]),
        scale=given.get("scale", 1.0),
        job=given["job"],
        links=Links(
            **{
                name: given.get(f"{name}_url", getattr(usual, name)).rstrip("/")
                for name in ("docs", "dashboard", "console")
            }
        ),
        labels=dict(pair("--label", text) for text in given.get("label", ())),
    )


def _objectives(config: Path | None, objective: float | None) -> Objectives:
    """Return the file's objectives, with the one that an option replaces."""
    from sqlobs.monitoring.objectives import Objectives, objectives_of, read_objectives

    objectives = Objectives() if config is None else read_objectives(config)
    if objective is None:
        return objectives
    replaced = {**objectives.model_dump(), "schema_hallucination": objective}
    return objectives_of(replaced, origin="--objective")


def pair(option: str, given: str) -> tuple[str, str]:
    """Return the name and the value of an option such as `--label team=data`.

    Raises:
        InputError: It has none.
    """
    name, separator, value = given.partition("=")
    if not separator or not value or not name:
        raise InputError(f"{option} {given}: write NAME=VALUE, such as team=data")
    return name, value
