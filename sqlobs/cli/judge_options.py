"""The options of an LLM judge in an evaluation, and the judge that they configure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.cli.judge_endpoint import add_judge_endpoint, is_judge_named, judge_endpoints
from sqlobs.cli.numbers import positive
from sqlobs.errors import InputError
from sqlobs.judge.judge_names import NAMES, NEED_REFERENCE

if TYPE_CHECKING:
    import argparse

    from sqlobs.evaluation.judging import JudgeSettings
    from sqlobs.judge.judge_names import JudgeName
    from sqlobs.judge.trust.category_rates import Table


def add_judge(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("LLM judge")
    group.add_argument(
        "--judge", choices=NAMES, action="append", default=[], metavar="NAME",
        help="flex, rubric or equivalence, which need references; flex_noref, adherence,"
             " efficiency or injection, which need none; repeatable; default: flex, with --no-gold"
             " flex_noref",
    )  # fmt: skip
    group.add_argument(
        "--judge-votes", metavar="N", type=positive, default=1,
        help="number of votes of rubric, equivalence, adherence, efficiency and injection, odd",
    )  # fmt: skip
    group.add_argument(
        "--judge-calibration", metavar="FILE", type=Path, action="append", default=[],
        help="calibration of a judge, written by `sqlobs judge calibrate`: its rate is reported"
             " corrected, too; repeatable",
    )  # fmt: skip
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
        for option in ("judge_batch", "judge_examples", "judge_calibration"):
            if getattr(args, option):
                named = option.replace("_", "-")
                raise InputError(f"--{named} needs --judge NAME")
        return None
    from sqlobs.evaluation.judging import JudgeSettings
    from sqlobs.judge.trust.tuning import read_examples

    name, alone = _names(args)
    path: Path | None = args.judge_examples
    examples = "" if path is None else read_examples(path, judge=name or "flex_noref").text
    return JudgeSettings(
        name=name,
        alone=alone,
        votes=args.judge_votes,
        endpoints=judge_endpoints(args),
        is_batch=args.judge_batch,
        equality=args.judge_ex,
        examples=examples,
    )


def _names(args: argparse.Namespace) -> tuple[JudgeName | None, tuple[JudgeName, ...]]:
    """Return the judge of pairs, if any, and the judges that need no reference."""
    given: list[JudgeName] = args.judge or ["flex_noref" if args.no_gold else "flex"]
    paired = [name for name in dict.fromkeys(given) if name in NEED_REFERENCE]
    if len(paired) > 1:
        raise InputError(f"--judge {' and '.join(paired)}: choose one judge that needs references")
    if paired and args.no_gold:
        raise InputError(
            f"--judge {paired[0]} needs references, which --no-gold leaves out; use flex_noref,"
            " adherence, efficiency or injection"
        )
    if args.judge_votes % 2 == 0:
        raise InputError(f"--judge-votes {args.judge_votes}: give an odd number of votes")
    alone = tuple(name for name in dict.fromkeys(given) if name not in NEED_REFERENCE)
    return next(iter(paired), None), alone


def calibrations(args: argparse.Namespace, judge: JudgeSettings | None) -> dict[str, Table]:
    """Return the calibrations of the judges, by name.

    Raises:
        InputError: A file is no calibration, or one of another judge, model or prompt.
    """
    if judge is None or not args.judge_calibration:
        return {}
    from sqlobs.judge.trust.calibration import read_calibration
    from sqlobs.judge.verdicts.roster import VOTING, fingerprint_of

    model = judge.endpoints[0].model
    prompts = {
        name: fingerprint_of(
            name,
            votes=judge.votes if name in VOTING else 1,
            examples=judge.examples if name in {"flex", "flex_noref"} else "",
        )
        for name in judge.names
    }
    found: dict[str, Table] = {}
    for path in args.judge_calibration:
        name = _judge_of(path, judge)
        known = read_calibration(path, judge=name, model=model, prompt=prompts[name])
        found[name] = known.table
    return found


def _judge_of(path: Path, judge: JudgeSettings) -> JudgeName:
    """Return which of the judges a calibration file says that it is for; else the first."""
    try:
        name = json.loads(path.read_text(encoding="utf-8")).get("judge")
    except (OSError, ValueError, AttributeError):
        name = None
    return next((each for each in judge.names if each == name), judge.names[0])
