"""What comes back from asking a model once: an answer, or a failure with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sqlobs.judge.judgement import Usage

if TYPE_CHECKING:
    from sqlobs.failure_codes import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The text of one completed call."""

    text: str
    model: str
    """The model as the server names it."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    latency_s: float = 0.0
    is_cached: bool = False
    is_cut: bool = False
    """The server stopped it before its end."""

    @property
    def usage(self) -> Usage:
        """What the call took now: nothing where the reply comes out of the cache."""
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
    """Why there is no reply, as `not_evaluated` tells it."""

    reason: Reason
    message: str
    """One sentence; never the key, though a server's own words, which may quote data."""


Outcome: TypeAlias = Reply | Failure
