"""The option for metrics of the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse

    from sqlobs.evaluation.own_metric import Metric
    from sqlobs.runs.declaration import MetricDeclaration


def add_own_metrics(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--metric", metavar="MODULE:FUNCTION|NAME", action="append", default=[],
        help="metric of your own: a function, or the name of an entry point of the group"
             " sqlobs.metrics; repeatable",
    )  # fmt: skip


def own_metrics(args: argparse.Namespace) -> tuple[Metric, ...]:
    """Import the metrics and make them scores of this process.

    Raises:
        InputError: one does not exist, is invalid, or needs what is switched off.
    """
    from sqlobs.evaluation.own_metric import load_metric
    from sqlobs.reporting.gates import FIGURES
    from sqlobs.scores.registry import register

    metrics = tuple(map(load_metric, args.metric))
    names = [metric.name for metric in metrics]
    for metric in metrics:
        if names.count(metric.name) > 1:
            raise InputError(f"--metric: two metrics have the name {metric.name}")
        if metric.name in FIGURES:
            raise InputError(
                f"--metric: the name {metric.name} is taken by a figure of reports and gates"
            )
        _require_given(metric.declaration, args)
        register(metric.declaration)
    return metrics


def _require_given(declared: MetricDeclaration, args: argparse.Namespace) -> None:
    from sqlobs.cli.judge_endpoint import is_judge_named

    needs = set(declared.needs)
    if needs & {"execution", "rows"} and args.no_esm:
        raise InputError(f"the metric {declared.name} needs results; omit --no-esm")
    if "judge" in needs and not (args.judge or is_judge_named(args)):
        raise InputError(f"the metric {declared.name} needs a judge; give --judge")
    if "judge" in needs and args.judge_batch:
        raise InputError(
            f"the metric {declared.name} needs verdicts during the run; omit --judge-batch"
        )
