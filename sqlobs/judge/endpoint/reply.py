"""The result of one model call: a reply, or a failure with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sqlobs.judge.judgment import Usage

if TYPE_CHECKING:
    from sqlobs.failure_codes import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's reply with its usage."""

    text: str
    model: str
    """The model's name according to the server."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    latency_s: float = 0.0
    is_cached: bool = False
    is_cut: bool = False
    """Whether the server truncated it."""

    @property
    def usage(self) -> Usage:
        """The usage of this call; zero if the reply comes from the cache."""
        if self.is_cached:
            return Usage(cost_usd=None if self.cost_usd is None else 0.0)
        return Usage(
            calls=1,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cost_usd=self.cost_usd,
            latency_s=self.latency_s,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why there is no reply, in the terms of `not_evaluated`."""

    reason: Reason
    message: str
    """One sentence; never contains the API key, but may quote the server's message with data."""


Outcome: TypeAlias = Reply | Failure
