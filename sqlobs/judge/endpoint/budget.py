"""A judge's budget of money and tokens: debited before each call, settled after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

Window = Literal["day", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """Maximum usage in one window; None = no limit."""

    tokens: int | None = None
    """Input and output tokens together."""
    usd: float | None = None
    window: Window = "day"
    """One UTC day, or the lifetime of the ledger."""

    @property
    def is_unlimited(self) -> bool:
        """Whether neither tokens nor money are limited."""
        return self.tokens is None and self.usd is None


UNLIMITED: Final = BudgetLimits()


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens, and money in micro-USD."""

    tokens: int
    micro_usd: int

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.tokens - other.tokens, self.micro_usd - other.micro_usd)


NOTHING: Final = Amount(0, 0)


class Ledger(Protocol):
    """Records usage; a persistent ledger survives a kill, including open debits."""

    def debit(self, window: str, amount: Amount, limits: BudgetLimits) -> bool:
        """Debit the amount if the window then stays within the limits; return whether it did."""
        ...

    def settle(self, window: str, difference: Amount) -> None:
        """Add the difference between actual usage and debit."""
        ...

    def used(self, window: str) -> Amount:
        """Return the usage of a window, including open debits."""
        ...


@dataclass(slots=True)
class MemoryLedger:
    """An in-memory ledger."""

    _used: dict[str, Amount] = field(default_factory=dict)

    def debit(self, window: str, amount: Amount, limits: BudgetLimits) -> bool:
        """Debit the amount if the window then stays within the limits."""
        after = self.used(window) - Amount(-amount.tokens, -amount.micro_usd)
        if not within(after, limits):
            return False
        self._used[window] = after
        return True

    def settle(self, window: str, difference: Amount) -> None:
        """Correct the debit."""
        self._used[window] = self.used(window) - Amount(-difference.tokens, -difference.micro_usd)

    def used(self, window: str) -> Amount:
        """Return the usage of a window."""
        return self._used.get(window, Amount(0, 0))


def within(amount: Amount, limits: BudgetLimits) -> bool:
    """Return whether an amount stays within limits."""
    tokens_fit = limits.tokens is None or amount.tokens <= limits.tokens
    return tokens_fit and (limits.usd is None or amount.micro_usd <= micro_usd(limits.usd))


def micro_usd(usd: float) -> int:
    """Return USD as micro-USD, so that sums are exact."""
    return round(usd * 1_000_000)
