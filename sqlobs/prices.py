"""Prices of tokens: a small table that users can override.

Tests: `tests/telemetry/test_prices.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float

    def __post_init__(self) -> None:
        for value in (self.input, self.output):
            if not 0 <= value < math.inf:
                raise ValueError("a price must be a number of at least 0")

    def of(self, *, input_tokens: int, output_tokens: int) -> float:
        """Return the cost of a call in US dollars."""
        return (input_tokens * self.input + output_tokens * self.output) / _MILLION


PRICES: Final[Mapping[str, Price]] = {
    "gpt-4.1": Price(2.0, 8.0),
    "gpt-4.1-mini": Price(0.4, 1.6),
    "gpt-4.1-nano": Price(0.1, 0.4),
    "gpt-4o": Price(2.5, 10.0),
    "gpt-4o-mini": Price(0.15, 0.6),
}
"""List prices as of 2025-06; dated names (`gpt-4o-2024-08-06`) have the model's price."""


def price_of(model: str, own: Mapping[str, Price]) -> Price | None:
    """Return the price of a model: the user's, else the listed one with the longest prefix."""
    if model in own:
        return own[model]
    prefixes = [name for name in PRICES if model == name or model.startswith(f"{name}-20")]
    return PRICES[max(prefixes, key=len)] if prefixes else None
