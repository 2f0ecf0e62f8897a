"""Configuration of a judge's endpoint."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.budget import UNLIMITED
from sqlobs.prices import Price, price_of
from sqlobs.urls import is_http_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.judge.endpoint.budget import BudgetLimits

_FROM_ENVIRONMENT: Final = "env:"
_AT_LEAST_ONE: Final = ("concurrency", "max_output_tokens", "breaker_failures")
_POSITIVE: Final = ("timeout_s", "breaker_pause_s")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointConfig:
    """One model behind one OpenAI-compatible endpoint."""

    base_url: str
    """Up to and including `/v1`."""
    model: str
    api_key: str | None = field(default=None, repr=False)
    """The API key, `env:NAME` for an environment variable, or None for servers without one."""
    timeout_s: float = 60.0
    """Seconds for each call, from its start to its last byte."""
    retries: int = 3
    """Retries after a transient failure."""
    concurrency: int = 16
    max_output_tokens: int = 2048
    temperature: float = 0.0
    calls_per_minute: int | None = None
    max_wait_s: float = 60.0
    """Maximum seconds to wait for a slot or for `Retry-After`; beyond it, the call fails."""
    budget: BudgetLimits = UNLIMITED
    prices: Mapping[str, Price] = field(default_factory=dict)
    """Prices by model; they override the listed ones."""
    breaker_failures: int = 5
    breaker_pause_s: float = 30.0
    ca_file: str | None = None
    """PEM file of a private certificate authority to trust."""

    def __post_init__(self) -> None:
        _check_url(self.base_url)
        if not self.model:
            raise ConfigError("the judge needs a model; set `model`")
        for name in _AT_LEAST_ONE:
            if getattr(self, name) < 1:
                raise ConfigError(f"the judge's {name} must be at least 1")
        for name in _POSITIVE:
            if not getattr(self, name) > 0:
                raise ConfigError(f"the judge's {name} must be greater than 0")
        if self.retries < 0 or self.max_wait_s < 0:
            raise ConfigError("the judge's retries and max_wait_s must not be negative")
        if self.budget.usd is not None and self.price is None:
            raise ConfigError(
                f"a budget in USD needs the price of {self.model}: give it in `prices`"
                " (--judge-price)"
            )

    @property
    def price(self) -> Price | None:
        """The model's price; None if unknown."""
        return price_of(self.model, self.prices)

    @property
    def key(self) -> str | None:
        """The API key, resolved.

        Raises:
            ConfigError: Its environment variable is not set.
        """
        if self.api_key is None or not self.api_key.startswith(_FROM_ENVIRONMENT):
            return self.api_key
        variable = self.api_key.removeprefix(_FROM_ENVIRONMENT)
        found = os.environ.get(variable)
        if not found:
            raise ConfigError(
                f"the judge's API key: the environment variable {variable} is not set"
            )
        return found


def _check_url(url: str) -> None:
    if not is_http_url(url):
        raise ConfigError("the judge's base_url is not a URL; write it as https://host/v1")
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise ConfigError("the judge's base_url contains a password; set the key as api_key")
