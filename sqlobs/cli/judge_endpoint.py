"""The options that name a judge's endpoint, and what they make."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlobs.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.store import SqliteStore


def add_endpoint_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("endpoint")
    group.add_argument(
        "--base-url", metavar="URL", help="an OpenAI-compatible server, with its /v1"
    )
    group.add_argument("--model", help="the model's name")
    group.add_argument(
        "--key", metavar="env:NAME", help="the variable that holds the key (not the key itself)"
    )
    group.add_argument("--concurrency", type=int, default=16, help="calls in flight (default: 16)")
    group.add_argument(
        "--timeout", type=float, default=60.0, metavar="S", help="seconds a call (default: 60)"
    )
    group.add_argument("--budget", type=float, metavar="USD", help="the most that may be spent")
    group.add_argument(
        "--price",
        type=float,
        nargs=2,
        metavar=("IN", "OUT"),
        help="US dollars per million tokens, for models that are not listed",
    )
    group.add_argument(
        "--store",
        metavar="FILE",
        help="keep answers and spending here: a killed run goes on without paying twice",
    )


def endpoint_config(args: argparse.Namespace) -> EndpointConfig:
    """Return the endpoint that the options name.

    Raises:
        ConfigError: An option is missing or is not usable.
    """
    from sqlobs.judge.endpoint.budget import BudgetLimits
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.prices import Price

    if not args.base_url or not args.model:
        raise ConfigError("name the judge's endpoint with --base-url and --model")
    if args.key and not args.key.startswith("env:"):
        raise ConfigError("--key names the variable that holds the key: write it as env:NAME")
    models = (args.model, *(getattr(args, "also_model", None) or ()))
    return EndpointConfig(
        base_url=args.base_url,
        model=args.model,
        api_key=args.key,
        concurrency=args.concurrency,
        timeout_s=args.timeout,
        budget=BudgetLimits(usd=args.budget, window="run"),
        prices=dict.fromkeys(models, Price(*args.price)) if args.price else {},
    )


@contextmanager
def opened_store(args: argparse.Namespace) -> Iterator[SqliteStore | None]:
    """Open the file of `--store` until the block ends; None without one."""
    from sqlobs.judge.endpoint.store import SqliteStore

    if args.store is None:
        yield None
        return
    with SqliteStore(args.store) as store:
        yield store
