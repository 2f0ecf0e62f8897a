"""Budgets shared by concurrent calls: a call that does not fit waits for open debits to settle.

Each call is debited with the most that it may use, usually far more than it does use. A debit that
does not fit while others are open may well fit once they are settled.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.judge.endpoint.budget import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.failure_codes import Reason
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


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on what is debited to an account, and what a call beyond them is told."""

    account: Account
    limits: BudgetLimits
    reason: Reason = "budget"
    message: str = "the judge's budget is used up"


@dataclass(frozen=True, slots=True)
class Debit:
    """What a call has taken from a budget until it is settled."""

    budget: Budget
    window: str
    amount: Amount

    def settle(self, used: Amount | None) -> None:
        """Book the actual usage; None: it is unknown, and the debit stays."""
        difference = None if used is None else used - self.amount
        self.budget.account.settle(self.window, difference)


async def debit_all(
    budgets: Iterable[Budget], window: str, amount: Amount
) -> tuple[Debit, ...] | Budget:
    """Take an amount from every budget; return the first one that it does not fit, if any.

    A budget without limits is not debited, but settled: it knows what was used.
    """
    debits: list[Debit] = []
    try:
        for budget in budgets:
            taken = NOTHING if budget.limits.is_unlimited else amount
            if not await budget.account.debit(window, taken, budget.limits):
                return budget
            debits.append(Debit(budget, window, taken))
        made = tuple(debits)
        debits.clear()
        return made
    finally:
        for debit in debits:  # of a call that is not made
            debit.settle(NOTHING)
