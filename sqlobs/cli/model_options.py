"""Options for models as systems under test, and the matrix that they make."""

from __future__ import annotations

import math
import os
import re
from argparse import ArgumentTypeError
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli.numbers import dollars, positive
from sqlobs.cli.secret import secret
from sqlobs.errors import InputError
from sqlobs.urls import is_http_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sqlobs.evaluation.generation.model import Setting
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.prices import Price

_AT: Final = re.compile(r"@(?=[a-z]+://)")
"""As in `qwen2.5@http://127.0.0.1:8000/v1`."""
_STRANGE: Final = re.compile(r"[^\w.+-]+")
"""What a directory's name does not hold, as in `meta/llama 3`."""
_HOTTEST: Final = 2.0


def add_models(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("models as systems under test")
    group.add_argument(
        "--model", metavar="NAME[@URL]", action="append", default=[],
        help="model behind an OpenAI-compatible API; repeatable",
    )  # fmt: skip
    group.add_argument(
        "--model-url", metavar="URL",
        help="base URL of models without one, with its /v1; default: SQLOBS_LLM_BASE_URL",
    )  # fmt: skip
    group.add_argument(
        "--model-key", metavar="[MODEL=]env:NAME", action="append", default=[],
        help="environment variable that holds the API key; repeatable;"
             " default: SQLOBS_LLM_API_KEY",
    )  # fmt: skip
    group.add_argument(
        "--model-price", metavar="[MODEL=]IN,OUT", action="append", default=[],
        help="US dollars per million tokens, for models without a listed price; repeatable",
    )  # fmt: skip
    group.add_argument(
        "--prompt", metavar="FILE", type=Path, action="append", default=[],
        help="prompt template, a text or a .json file with messages; repeatable; placeholders:"
             " {question}, {schema}, {hints}, {dialect}, {db}, {id}",
    )  # fmt: skip
    group.add_argument(
        "--temperature", metavar="T", type=float, action="append", default=[],
        help="sampling temperature; repeatable; default: 0",
    )  # fmt: skip
    group.add_argument(
        "--max-output-tokens", metavar="N", type=positive, default=2048,
        help="tokens of an answer; default: 2048",
    )  # fmt: skip
    group.add_argument(
        "--max-cost", metavar="USD", type=float,
        help="stop before a call that could exceed this sum; the same command resumes",
    )  # fmt: skip


def require_one_run(args: argparse.Namespace) -> None:
    """Raise if the options make a matrix of several runs.

    Raises:
        InputError: `sqlobs generate` is the command for it.
    """
    if max(len(args.model), len(args.prompt), len(args.temperature)) > 1:
        raise InputError(
            "several models, prompts or temperatures make several runs: use sqlobs generate, then"
            " evaluate each run"
        )


def model_settings(args: argparse.Namespace) -> tuple[Setting, ...]:
    """Return the cells of the matrix, models first; none without a model.

    Raises:
        ConfigError: an option is missing or invalid.
        InputError: an option is invalid, or two prompts have one name.
    """
    from sqlobs.evaluation.generation.model import Setting
    from sqlobs.evaluation.generation.prompts import DEFAULT, read_prompt

    prompts = [read_prompt(path) for path in args.prompt] or [DEFAULT]
    _require_distinct([prompt.name for prompt in prompts], "--prompt")
    heats = args.temperature or [0.0]
    _require_distinct([f"{heat:g}" for heat in heats], "--temperature")
    _require_distinct(args.model, "--model")
    strange = next((heat for heat in heats if not 0 <= heat <= _HOTTEST), None)
    if strange is not None:
        raise InputError(f"--temperature {strange:g}: write a number from 0 to {_HOTTEST:g}")
    for option, given in (("--model-key", args.model_key), ("--model-price", args.model_price)):
        _require_known(option, given, args.model)
    endpoints = [_endpoint(args, name) for name in args.model]
    return tuple(
        Setting(endpoint=endpoint, prompt=prompt, temperature=heat)
        for endpoint, prompt, heat in product(endpoints, prompts, heats)
    )


def names_of(settings: Sequence[Setting]) -> tuple[str, ...]:
    """Return the name of each run: what differs between the cells; "" for a single one.

    Raises:
        InputError: two cells have one name.
    """
    columns = list(zip(*map(_parts, settings), strict=True))
    told = [column for column in columns if len(set(column)) > 1]
    names = tuple(_STRANGE.sub("_", "-".join(parts)) for parts in zip(*told, strict=True)) or ("",)
    _require_distinct(names, "--model")
    return names


def _parts(setting: Setting) -> tuple[str, str, str]:
    return setting.endpoint.model, setting.prompt.name, f"t{setting.temperature:g}"


def _require_distinct(names: Sequence[str], option: str) -> None:
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{option} {twice}: given twice")


def _endpoint(args: argparse.Namespace, given: str) -> EndpointConfig:
    from sqlobs.judge.endpoint.budget import BudgetLimits
    from sqlobs.judge.endpoint.config import EndpointConfig

    model, *urls = _AT.split(given)
    named = _of_model(args.model_key, model, "--model-key")
    key = None if named is None else secret(named, option="--model-key")
    url = urls[0] if urls else args.model_url
    if not url:
        url, key = _usual(key)
    _require_url(url, given)
    if args.max_cost is not None and not 0 < args.max_cost < math.inf:
        raise InputError(f"--max-cost {args.max_cost:g}: write a sum above 0")
    price = _price(_of_model(args.model_price, model, "--model-price"))
    prices = {model: price} if price else {}
    _require_price(args, model, prices)
    return EndpointConfig(
        base_url=url,
        model=model,
        api_key=key,
        concurrency=args.concurrency or 4,
        timeout_s=args.timeout,
        max_output_tokens=args.max_output_tokens,
        budget=BudgetLimits(usd=args.max_cost, window="run"),
        prices=prices,
    )


def _usual(key: str | None) -> tuple[str, str | None]:
    """Return the URL of the environment and, without a key of its own, the key that goes with it.

    Raises:
        InputError: no URL is set.
    """
    from sqlobs.config import LlmSettings, variable_of

    names = [variable_of(field, LlmSettings) for field in ("base_url", "api_key")]
    url, held = map(os.environ.get, names)
    if not url:
        raise InputError(
            f"--model needs the address of its API: give --model-url or set {names[0]}"
        )
    return url, key or held


def _require_url(url: str, given: str) -> None:
    if not url.startswith(("http://", "https://")):
        raise InputError(f"--model {given}: the URL {url} must begin with http:// or https://")
    if not is_http_url(url):
        raise InputError(f"--model {given}: the URL {url} is invalid; write it as https://HOST/v1")


def _require_price(args: argparse.Namespace, model: str, prices: dict[str, Price]) -> None:
    from sqlobs.prices import price_of

    if args.max_cost is not None and price_of(model, prices) is None:
        raise InputError(
            f"--max-cost needs the price of {model}: give --model-price {model}=IN,OUT"
        )


def _require_known(option: str, assignments: Sequence[str], models: Sequence[str]) -> None:
    """Raise if an option names a model that is not asked.

    Raises:
        InputError: it does; a mistyped name would leave the model without its key or price.
    """
    known = [_AT.split(model)[0] for model in models]
    for assignment in assignments:
        name = assignment.rpartition("=")[0]
        if name and name not in known:
            raise InputError(
                f"{option} {assignment}: no --model is named {name}; given are {', '.join(known)}"
            )


def _of_model(assignments: Sequence[str], model: str, option: str) -> str | None:
    """Return the value for a model: its own, else the one without a model.

    Model names may contain `=`, values do not: the last one separates.
    """
    own = {}
    for assignment in assignments:
        name, _, value = assignment.rpartition("=")
        if name in own:
            raise InputError(f"{option} {assignment}: given twice")
        own[name] = value
    return own.get(model, own.get(""))


def _price(text: str | None) -> Price | None:
    from sqlobs.prices import Price

    if text is None:
        return None
    try:
        given, returned = map(dollars, text.split(","))
        return Price(given, returned)
    except (ValueError, ArgumentTypeError):
        raise InputError(
            f"--model-price {text}: write IN,OUT in US dollars per million tokens"
        ) from None
