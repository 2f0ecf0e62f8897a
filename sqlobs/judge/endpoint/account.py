"""A budget shared by concurrent calls: a call that does not fit waits for open debits to settle.

Each call is debited with the most that it may use, usually far more than it does use. A debit that
does not fit while others are open may well fit once they are settled.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlobs.judge.endpoint.budget import Amount, BudgetLimits, Ledger


class Account:
    """A ledger shared by all endpoints of one event loop that spend from it."""

    def __init__(self, ledger: Ledger) -> None:
        """Open an account over a ledger."""
        self.ledger = ledger
        self._under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def debit(self, window: str, amount: Amount, limits: BudgetLimits) -> bool:
        """Debit the amount once it fits; return False if it does not and no debit is open.

        Each successful debit must be followed by `settle`.
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
        """Settle a debit; books the difference to the actual usage if that is known."""
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
            self._wake()  # this waiter may have been woken already
            raise

    def _wake(self) -> None:
        """Wake the longest-waiting call; it wakes the next."""
        while self._waiting:
            change = self._waiting.popleft()
            if not change.done():
                change.set_result(None)
                return
