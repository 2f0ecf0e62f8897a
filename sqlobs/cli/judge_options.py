"""The options of an LLM judge in an evaluation, and the judge that they configure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.cli.judge_endpoint import add_judge_endpoint, is_judge_named, judge_endpoints
from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse

    from sqlobs.evaluation.judging import JudgeSettings
    from sqlobs.judge.verdicts.roster import JudgeName


def add_judge(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("LLM judge")
    group.add_argument(
        "--judge", choices=("flex", "rubric", "equivalence"), help="which judge; default: flex"
    )
    add_judge_endpoint(group)
    group.add_argument(
        "--judge-ex", choices=("ex", "ex_set", "ex_testsuite"), default="ex",
        help="definition of equal results: ex (default), BIRD's (ex_set) or Spider's",
    )  # fmt: skip
    group.add_argument(
        "--judge-examples", metavar="FILE", type=Path,
        help="examples for the judge's prompt, written by `sqlobs judge tune`",
    )  # fmt: skip
    group.add_argument(
        "--judge-batch", action="store_true",
        help="use the Batch API: half the price, results within 24 hours; resumes after an"
             " interruption",
    )  # fmt: skip


def judge_settings(args: argparse.Namespace) -> JudgeSettings | None:
    """Return the configured judge; None if the options do not configure one.

    Raises:
        ConfigError: The options contradict each other.
        InputError: An option needs a judge, and none is configured.
    """
    if not (args.judge or is_judge_named(args)):
        for option in ("judge_batch", "judge_examples"):
            if getattr(args, option):
                named = option.replace("_", "-")
                raise InputError(f"--{named} needs --judge flex")
        return None
    from sqlobs.evaluation.judging import JudgeSettings
    from sqlobs.judge.trust.tuning import read_examples

    name: JudgeName = args.judge or "flex"
    path: Path | None = args.judge_examples
    return JudgeSettings(
        name=name,
        endpoints=judge_endpoints(args),
        is_batch=args.judge_batch,
        equality=args.judge_ex,
        examples="" if path is None else read_examples(path, judge=name).text,
    )
