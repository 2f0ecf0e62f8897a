"""Money and tokens that a judge may use: debited before each call, settled after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

Window = Literal["day", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """What may be used in one window; None = no limit."""

    tokens: int | None = None
    """Input and output together."""
    usd: float | None = None
    window: Window = "day"
    """A day of UTC, or the life of the ledger."""

    @property
    def is_unlimited(self) -> bool:
        """Neither tokens nor money are limited."""
        return self.tokens is None and self.usd is None


UNLIMITED: Final = BudgetLimits()


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens, and money in millionths of a dollar."""

    tokens: int
    micro_usd: int

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.tokens - other.tokens, self.micro_usd - other.micro_usd)


class Ledger(Protocol):
    """Keeps what was used; a persistent one survives a kill with its debits."""

    def debit(self, window: str, amount: Amount, limits: BudgetLimits) -> bool:
        """Take the amount if the window then stays within the limits; say whether it did."""
        ...

    def settle(self, window: str, difference: Amount) -> None:
        """Add the difference between what was used and what was debited."""
        ...

    def used(self, window: str) -> Amount:
        """Return what was used in a window, debits of open calls included."""
        ...


@dataclass(slots=True)
class MemoryLedger:
    """A ledger that lives as long as the process."""

    _used: dict[str, Amount] = field(default_factory=dict)

    def debit(self, window: str, amount: Amount, limits: BudgetLimits) -> bool:
        """Take the amount if the window then stays within the limits."""
        after = self.used(window) - Amount(-amount.tokens, -amount.micro_usd)
        if not within(after, limits):
            return False
        self._used[window] = after
        return True

    def settle(self, window: str, difference: Amount) -> None:
        """Correct the debit."""
        self._used[window] = self.used(window) - Amount(-difference.tokens, -difference.micro_usd)

    def used(self, window: str) -> Amount:
        """Return what was used in a window."""
        return self._used.get(window, Amount(0, 0))


def within(amount: Amount, limits: BudgetLimits) -> bool:
    """Return whether an amount stays within limits."""
    tokens_fit = limits.tokens is None or amount.tokens <= limits.tokens
    return tokens_fit and (limits.usd is None or amount.micro_usd <= micro_usd(limits.usd))


def micro_usd(usd: float) -> int:
    """Return dollars as millionths, so that sums are exact."""
    return round(usd * 1_000_000)
