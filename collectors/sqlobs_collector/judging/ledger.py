"""The judge's budgets in the store, so that usage survives a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.judge.endpoint.account import Account, Budget
from sqlobs.judge.endpoint.budget import Amount, micro_usd

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.judge.endpoint.budget import BudgetLimits
    from sqlobs_collector.store.writing import Store


class StoreLedger:
    """A `Ledger` in the store.

    Args:
        store: Has the sums.
        workspace: Whose usage it records; None: that of all workspaces together.
    """

    def __init__(self, store: Store, workspace: str | None = None) -> None:
        self._store = store
        self._workspace = workspace

    def debit(self, window: str, amount: Amount, limits: BudgetLimits) -> bool:
        """Debit the amount if the window then stays within the limits."""
        with self._store.writing() as writer:
            return writer.judge_budget.debit(
                window,
                self._workspace,
                tokens=amount.tokens,
                micro_usd=amount.micro_usd,
                most_tokens=limits.tokens,
                most_micro_usd=None if limits.usd is None else micro_usd(limits.usd),
            )

    def settle(self, window: str, difference: Amount) -> None:
        """Correct the debit."""
        with self._store.writing() as writer:
            writer.judge_budget.settle(
                window,
                self._workspace,
                tokens=difference.tokens,
                micro_usd=difference.micro_usd,
            )

    def used(self, window: str) -> Amount:
        """Return the usage of a window."""
        with self._store.writing() as writer:
            return Amount(*writer.judge_budget.used(window, self._workspace))


class WorkspaceBudgets:
    """The budget of each workspace, beside the one of all.

    Args:
        store: Has the sums.
        limits: The daily limits of a workspace.
    """

    def __init__(self, store: Store, limits: Callable[[str], BudgetLimits]) -> None:
        self._store = store
        self._limits = limits
        self._known: dict[str, Budget] = {}

    def of(self, workspace: str) -> Budget:
        """Return the budget of a workspace, whose account all its calls share."""
        if workspace not in self._known:
            self._known[workspace] = Budget(
                Account(StoreLedger(self._store, workspace)),
                self._limits(workspace),
                reason="workspace_budget",
                message=f"today's budget of the workspace {workspace} is used up"
                " (judge.workspaces)",
            )
        return self._known[workspace]
