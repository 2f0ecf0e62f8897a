"""What a judge says about one statement, and what it took to hear it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from sqlobs.failure_codes import Reason
    from sqlobs.types import Label

DecidedBy = Literal["judge", "execution", "check", "nobody"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What calls took; sums over the calls of one judgment."""

    calls: int = 0
    """Calls that were answered now; answers out of the cache are none."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    """What the calls cost now; None where the model's price is unknown."""
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
class Judgement:
    """One verdict, or the reason why there is none; it never triggers an action of ours."""

    name: str
    """The evaluation: `flex`, `flex_noref`, `adherence`, …"""
    label: Label
    score: float | None = None
    """In [0, 1], higher is better; None where the label is `not_evaluated`."""
    reason: Reason | None = None
    """Set exactly where the label is `not_evaluated`."""
    explanation: str = ""
    """The judge's reasoning, or a sentence on why there is no verdict."""
    codes: tuple[str, ...] = ()
    """Failure codes that the judge's answer maps to."""
    text: str = ""
    """The answer as it came."""
    model: str | None = None
    prompt_version: str | None = None
    prompt_digest: str | None = None
    """Digest of everything sent but the random delimiter; a key of caches and calibrations."""
    usage: Usage = NOTHING_USED
    is_cached: bool = False
    """The answer was paid for earlier."""
    is_coerced: bool = False
    """The verdict was a word where a boolean was asked for."""
    is_repaired: bool = False
    """The first answer held no verdict, the second did."""
    suspicious: tuple[str, ...] = ()
    """Kinds of suspect content in the data: `sqlobs.judge.verdicts.suspicion` lists them."""
    decided_by: DecidedBy = "judge"
    case_id: str | None = None
    members: tuple[Judgement, ...] = ()
    """What each member of an ensemble said."""

    @property
    def is_correct(self) -> bool | None:
        """True for `pass`, False for `fail`, None where nothing was decided."""
        return None if self.label == "not_evaluated" else self.label == "pass"
