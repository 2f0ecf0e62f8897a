"""What judges cost and what budgets stop, by period: of each workspace, and of all together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlalchemy import select, update

from sqlobs_collector.store.portable import upsert
from sqlobs_collector.store.tables import BUDGET, WORKSPACE_BUDGET

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement, Connection, Engine, Table

Spent = Literal["workspace_budget", "budget"]
"""Whose budget stops a question: the workspace's own, or the one of all (with the rate limit)."""
SPENT: Final[Mapping[Spent, str]] = {"workspace_budget": "beyond_own", "budget": "beyond_shared"}


@dataclass(frozen=True, slots=True)
class WorkspaceUsage:
    """What a workspace used in a period, and how many questions budgets stopped."""

    tokens: int = 0
    micro_usd: int = 0
    beyond_own: int = 0
    beyond_shared: int = 0

    @property
    def stopped(self) -> dict[Spent, int]:
        """The questions that were not asked, by whose budget stops them."""
        return {reason: getattr(self, column) for reason, column in SPENT.items()}


class JudgeBudgetWriter:
    """Writes on the connection of a transaction; the workspace None is all together."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def debit(
        self,
        period: str,
        workspace: str | None,
        *,
        tokens: int,
        micro_usd: int,
        most_tokens: int | None,
        most_micro_usd: int | None,
    ) -> bool:
        """Take from a budget, if the rest allows it; returns whether it did."""
        table, _ = _place(period, workspace)
        within = [
            column + amount <= most
            for column, amount, most in (
                (table.c.tokens, tokens, most_tokens),
                (table.c.micro_usd, micro_usd, most_micro_usd),
            )
            if most is not None
        ]
        return self._add(period, workspace, {"tokens": tokens, "micro_usd": micro_usd}, within)

    def settle(self, period: str, workspace: str | None, *, tokens: int, micro_usd: int) -> None:
        """Correct what was taken by a difference."""
        self._add(period, workspace, {"tokens": tokens, "micro_usd": micro_usd})

    def stopped(self, period: str, workspace: str, reason: Spent) -> None:
        """Count a question that is not asked because a budget is spent."""
        self._add(period, workspace, {SPENT[reason]: 1})

    def used(self, period: str, workspace: str | None) -> tuple[int, int]:
        """Return the tokens and the millionths of USD that were used."""
        table, key = _place(period, workspace)
        query = select(table.c.tokens, table.c.micro_usd).filter_by(**key)
        row = self._connection.execute(query).one_or_none()
        return (0, 0) if row is None else (row.tokens, row.micro_usd)

    def _add(
        self,
        period: str,
        workspace: str | None,
        amounts: Mapping[str, int],
        within: list[ColumnElement[bool]] | None = None,
    ) -> bool:
        table, key = _place(period, workspace)
        row: dict[str, Any] = {**dict.fromkeys(("tokens", "micro_usd"), 0), **key}
        self._connection.execute(upsert(table).values(row).on_conflict_do_nothing())
        sums = {name: table.c[name] + amount for name, amount in amounts.items()}
        statement = update(table).filter_by(**key).where(*within or ()).values(**sums)
        return self._connection.execute(statement).rowcount == 1


class JudgeBudgetReader:
    """Reads usage; each call is one query in its own transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def used(self, period: str) -> tuple[int, int]:
        """Return the tokens and the millionths of USD that all workspaces used."""
        with self._engine.connect() as connection:
            return JudgeBudgetWriter(connection).used(period, None)

    def of(self, period: str, workspace: str) -> WorkspaceUsage:
        """Return what one workspace used."""
        columns = (WORKSPACE_BUDGET.c[name] for name in WorkspaceUsage.__slots__)
        _, key = _place(period, workspace)
        with self._engine.connect() as connection:
            row = connection.execute(select(*columns).filter_by(**key)).one_or_none()
        return WorkspaceUsage() if row is None else WorkspaceUsage(*row)


def _place(period: str, workspace: str | None) -> tuple[Table, dict[str, str]]:
    if workspace is None:
        return BUDGET, {"period": period}
    return WORKSPACE_BUDGET, {"period": period, "workspace": workspace}
