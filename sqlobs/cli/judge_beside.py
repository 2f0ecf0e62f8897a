"""The options of an LLM judge beside an evaluation, and the judge that they name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.cli.numbers import positive
from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse

    from sqlobs.evaluation.judging import JudgeSettings
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.verdicts.roster import JudgeName


def add_judge(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("an LLM judge beside it")
    group.add_argument(
        "--judge",
        choices=("flex", "rubric", "equivalence"),
        help="the judge (default: flex); SQLOBS_LLM_BASE_URL, _MODEL and _API_KEY say whom to ask",
    )
    group.add_argument(
        "--judge-url", metavar="URL", help="another OpenAI-compatible server, with /v1"
    )
    group.add_argument(
        "--judge-model",
        metavar="NAME",
        action="append",
        help="another model; an odd number of them decides by majority",
    )
    group.add_argument(
        "--judge-key", metavar="env:NAME", help="the variable that holds the key, if one is needed"
    )
    group.add_argument(
        "--judge-budget", metavar="USD", type=float,
        help="the most to be spent on a run, all attempts together",
    )  # fmt: skip
    group.add_argument(
        "--judge-price", metavar=("IN", "OUT"), type=float, nargs=2,
        help="US dollars per million tokens, for models that are not listed",
    )  # fmt: skip
    group.add_argument(
        "--judge-concurrency", metavar="N", type=positive, default=16, help="calls in flight"
    )
    group.add_argument(
        "--judge-ex", choices=("ex", "ex_set", "ex_test_suite"), default="ex",
        help="when results count as equal: ex (default), or as BIRD (ex_set) or Spider has it",
    )  # fmt: skip
    group.add_argument(
        "--judge-examples", metavar="FILE", type=Path,
        help="what `sqlobs judge tune` kept: the judge is shown its examples",
    )  # fmt: skip
    group.add_argument(
        "--judge-batch", action="store_true",
        help="by the Batch API: half the price, within a day; a killed run finds its batch again",
    )  # fmt: skip


def judge_settings(args: argparse.Namespace) -> JudgeSettings | None:
    """Return the judge that the options name; None where they name none.

    Raises:
        InputError: They do not fit together.
    """
    asked = (args.judge, args.judge_url, args.judge_model)
    if not any(asked):
        for option in ("judge_batch", "judge_examples"):
            if getattr(args, option):
                named = option.replace("_", "-")
                raise InputError(f"--{named}: name the judge, --judge flex")
        return None
    from sqlobs.evaluation.judging import JudgeSettings
    from sqlobs.judge.trust.tuning import read_examples

    name: JudgeName = args.judge or "flex"
    path: Path | None = args.judge_examples
    return JudgeSettings(
        name=name,
        endpoints=_endpoints(args),
        is_batch=args.judge_batch,
        equality=args.judge_ex,
        examples="" if path is None else read_examples(path, judge=name).text,
    )


def _endpoints(args: argparse.Namespace) -> tuple[EndpointConfig, ...]:
    url, models, key = args.judge_url, args.judge_model, args.judge_key
    if url is None and models is None:
        from sqlobs.config import load_llm_settings

        told = load_llm_settings()
        url, models = told.base_url, [told.model]
        key = key or (told.api_key.get_secret_value() if told.api_key is not None else None)
    if url is None or models is None:
        raise InputError("--judge-url and --judge-model belong together")
    from sqlobs.judge.endpoint.budget import BudgetLimits
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.prices import Price

    price = Price(*args.judge_price) if args.judge_price else None
    return tuple(
        EndpointConfig(
            base_url=url,
            model=model,
            api_key=key,
            concurrency=args.judge_concurrency,
            budget=BudgetLimits(usd=args.judge_budget, window="run"),
            prices={model: price} if price else {},
        )
        for model in models
    )
