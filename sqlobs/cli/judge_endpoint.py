"""The options for a judge's models and server, the same for every judging command."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlobs.cli.numbers import dollars, positive, seconds
from sqlobs.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.store import SqliteStore


def add_judge_endpoint(group: argparse._ActionsContainer) -> None:
    """Add the options."""
    group.add_argument(
        "--judge-url", metavar="URL",
        help="base URL of an OpenAI-compatible server, with its /v1; default: SQLOBS_LLM_BASE_URL",
    )  # fmt: skip
    group.add_argument(
        "--judge-model", metavar="NAME", action="append",
        help="model; default: SQLOBS_LLM_MODEL; repeat with an odd number of models for a majority"
             " vote",
    )  # fmt: skip
    group.add_argument(
        "--judge-key", metavar="env:NAME",
        help="environment variable that holds the API key; default: SQLOBS_LLM_API_KEY",
    )  # fmt: skip
    group.add_argument(
        "--judge-timeout", metavar="SECONDS", type=seconds, default=60.0,
        help="timeout of each call; default: 60",
    )  # fmt: skip
    group.add_argument(
        "--judge-concurrency", metavar="N", type=positive, default=16,
        help="number of concurrent calls; default: 16",
    )  # fmt: skip
    group.add_argument(
        "--judge-budget", metavar="USD", type=dollars,
        help="maximum spend, including retries",
    )  # fmt: skip
    group.add_argument(
        "--judge-price", metavar=("IN", "OUT"), type=dollars, nargs=2,
        help="US dollars per million tokens, for models without a listed price",
    )  # fmt: skip


def add_judge_store(group: argparse._ActionsContainer) -> None:
    """Add the option for a directory that stores answers; `evaluate` stores them in the run."""
    group.add_argument(
        "--judge-store", metavar="FILE",
        help="directory for answers and costs; an interrupted command resumes without paying twice",
    )  # fmt: skip


def is_judge_named(args: argparse.Namespace) -> bool:
    """Return whether the options give a server or a model."""
    return bool(args.judge_url or args.judge_model)


def judge_endpoints(args: argparse.Namespace) -> tuple[EndpointConfig, ...]:
    """Return an endpoint for each model from the options, or else from the environment.

    Raises:
        ConfigError: An option is missing or invalid.
    """
    url, models, key = args.judge_url, args.judge_model, args.judge_key
    if key and not key.startswith("env:"):
        raise ConfigError("--judge-key: write env:NAME with the name of the environment variable")
    if not is_judge_named(args):
        from sqlobs.config import load_llm_settings

        try:
            found = load_llm_settings()
        except ConfigError as error:
            raise ConfigError(
                f"no judge is configured: give --judge-url and --judge-model ({error})"
            ) from None
        url, models = found.base_url, [found.model]
        key = key or (found.api_key.get_secret_value() if found.api_key is not None else None)
    if not url or not models:
        raise ConfigError("--judge-url and --judge-model must be given together")
    from sqlobs.judge.endpoint.budget import BudgetLimits
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.prices import Price

    price = Price(*args.judge_price) if args.judge_price else None
    return tuple(
        EndpointConfig(
            base_url=url,
            model=model,
            api_key=key,
            concurrency=args.judge_concurrency,
            timeout_s=args.judge_timeout,
            budget=BudgetLimits(usd=args.judge_budget, window="run"),
            prices={model: price} if price else {},
        )
        for model in models
    )


def judge_endpoint(args: argparse.Namespace) -> EndpointConfig:
    """Return the endpoint for a command that supports only one model.

    Raises:
        ConfigError: An option is missing or invalid, or several models are given.
    """
    endpoint, *others = judge_endpoints(args)
    if others:
        raise ConfigError("this command supports one model only; give --judge-model once")
    return endpoint


@contextmanager
def opened_store(args: argparse.Namespace) -> Iterator[SqliteStore | None]:
    """Keep the store of `--judge-store` open for the block; None without the option."""
    from sqlobs.judge.endpoint.store import SqliteStore

    if args.judge_store is None:
        yield None
        return
    with SqliteStore(args.judge_store) as store:
        yield store
