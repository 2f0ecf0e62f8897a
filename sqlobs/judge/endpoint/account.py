"""A budget as calls under way see it: who finds it filled by the debits of others waits for them.

Each call is debited with the most that it may take, which is far more than it mostly does. What is
refused while others are under way may well be affordable once they are settled.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlobs.judge.endpoint.budget import Amount, BudgetLimits, Ledger


class Account:
    """One ledger, shared by all endpoints of an event loop that pay from it."""

    def __init__(self, ledger: Ledger) -> None:
        """Open an account over a ledger."""
        self.ledger = ledger
        self._under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def debit(self, window: str, amount: Amount, limits: BudgetLimits) -> bool:
        """Take the amount, once it fits; False where it does not and no debit is under way.

        Each debit that was taken must be ended by `settle`.
        """
        while not (limits.is_unlimited or self.ledger.debit(window, amount, limits)):
            if not self._under_way:
                self._wake()
                return False
            await self._change()
        self._under_way += 1
        self._wake()
        return True

    def settle(self, window: str, difference: Amount | None) -> None:
        """End a debit; the difference to what was used is added, where it is known."""
        self._under_way -= 1
        try:
            if difference is not None:
                self.ledger.settle(window, difference)
        finally:
            self._wake()

    async def _change(self) -> None:
        change = asyncio.get_running_loop().create_future()
        self._waiting.append(change)
        try:
            await change
        except asyncio.CancelledError:
            self._wake()  # the place may have been called up already
            raise

    def _wake(self) -> None:
        """Call up the one who has waited longest; it calls up the next."""
        while self._waiting:
            change = self._waiting.popleft()
            if not change.done():
                change.set_result(None)
                return
