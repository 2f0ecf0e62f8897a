"""The judge's budget in the store, so that usage survives a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.judge.endpoint.budget import Amount, micro_usd

if TYPE_CHECKING:
    from sqlobs.judge.endpoint.budget import BudgetLimits
    from sqlobs_collector.store.writing import Store


class StoreLedger:
    """A `Ledger` in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def debit(self, window: str, amount: Amount, limits: BudgetLimits) -> bool:
        """Debit the amount if the window then stays within the limits."""
        with self._store.writing() as writer:
            return writer.inquiries.debit(
                window,
                tokens=amount.tokens,
                micro_usd=amount.micro_usd,
                most_tokens=limits.tokens,
                most_micro_usd=None if limits.usd is None else micro_usd(limits.usd),
            )

    def settle(self, window: str, difference: Amount) -> None:
        """Correct the debit."""
        with self._store.writing() as writer:
            writer.inquiries.settle(
                window, tokens=difference.tokens, micro_usd=difference.micro_usd
            )

    def used(self, window: str) -> Amount:
        """Return the usage of a window."""
        with self._store.writing() as writer:
            return Amount(*writer.inquiries.used(window))
