"""A judge's verdict on one statement, and its cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from sqlobs.failure_codes import Reason
    from sqlobs.types import Label

DecidedBy = Literal["judge", "execution", "check", "nobody"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Usage, summed over the calls of one judgment."""

    calls: int = 0
    """Number of answered calls, without cache hits."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    """Cost of the calls, without cache hits; None if the model's price is unknown."""
    latency_s: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        costs = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=sum(costs) if costs else None,
            latency_s=self.latency_s + other.latency_s,
        )


NOTHING_USED: Final = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """One verdict, or the reason why there is none; it never triggers an action."""

    name: str
    """The evaluation: `flex`, `flex_noref`, `adherence`, …"""
    label: Label
    score: float | None = None
    """In [0, 1], higher is better; None if the label is `not_evaluated`."""
    reason: Reason | None = None
    """Set exactly if the label is `not_evaluated`."""
    explanation: str = ""
    """The judge's reasoning, or one sentence on why there is no verdict."""
    codes: tuple[str, ...] = ()
    """Failure codes that the judge's answer maps to."""
    text: str = ""
    """The raw answer."""
    model: str | None = None
    prompt_version: str | None = None
    prompt_digest: str | None = None
    """Digest of everything sent except the random delimiter; used as a key."""
    usage: Usage = NOTHING_USED
    is_cached: bool = False
    """Whether the answer came from the cache."""
    is_coerced: bool = False
    """Whether the verdict was a word instead of a boolean."""
    is_repaired: bool = False
    """Whether only the second answer had a verdict."""
    suspicious: tuple[str, ...] = ()
    """Kinds of suspect content in the data: `sqlobs.judge.verdicts.suspicion` lists them."""
    decided_by: DecidedBy = "judge"
    case_id: str | None = None
    members: tuple[Judgment, ...] = ()
    """The verdict of each member of an ensemble."""

    @property
    def is_correct(self) -> bool | None:
        """True for `pass`, False for `fail`, None if undecided."""
        return None if self.label == "not_evaluated" else self.label == "pass"
