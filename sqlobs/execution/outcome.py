"""What is requested from a target, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sqlobs.execution.target import Limits
from sqlobs.metrics.ordering import UNORDERED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.execution.admission import Refusal
    from sqlobs.execution.budget import Usage
    from sqlobs.execution.volatility import Volatility
    from sqlobs.failure_codes import Reason
    from sqlobs.metrics.digest import TableDigest
    from sqlobs.metrics.ordering import Ordering
    from sqlobs.metrics.statement_parts import SqlShape
    from sqlobs.types import ExecutionOutcome

NotRun = Literal["target_unavailable", "no_target", "budget", "error"]
"""Why a statement got no verdict although nothing is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionRequest:
    """A statement to run on a target, and optionally its reference."""

    sql: str
    target: str
    """The target's alias."""
    reference: str | None = None
    limits: Limits = field(default_factory=Limits)
    reference_limits: Limits | None = None
    """Limits of the reference alone; None = the same."""
    session: Mapping[str, str] = field(default_factory=dict)
    """Values for the settings that the target wants bound (`app.tenant_id`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """The outcome of one statement, and its meaning."""

    outcome: ExecutionOutcome
    engine_class: str | None = None
    """The engine's own name of the error: a SQLSTATE, or `SQLITE_ERROR` and similar ones."""
    failure_code: str | None = None
    """The failure code of an error or a timeout."""
    refusal: Refusal | None = None
    """Why the gate rejected the statement; present exactly when the status is `refused`."""
    reason: NotRun | None = None
    """Present exactly when the status is `not_run`."""
    ordering: Ordering = UNORDERED
    """The order that the statement promises: what `ex` wants to know of a reference."""
    volatile: frozenset[Volatility] = frozenset()
    """Why a second run may give other rows though the data are the same."""
    shape: SqlShape | None = None
    """Counts of the statement's parts; None if the gate rejected it or has no tree of it."""
    is_fault: bool = False
    """The engine, preparing the statement, found the fault in the SQL itself."""
    wait_s: float | None = field(default=None, compare=False)
    """Seconds from the request to the run: a free worker, its start, and its connection."""
    usage: Usage | None = None
    """What it cost on a warehouse; None: unknown, or the target is none."""
    digest: TableDigest | None = None
    """Of all rows, where these were not fetched: the table is empty then."""

    @property
    def is_truncated(self) -> bool:
        """The database had more rows than the limits let through."""
        table = self.outcome.table
        return table is not None and table.truncated

    @property
    def accepted(self) -> bool | None:
        """The engine's verdict on the SQL: it ran, it is faulty, or None for no verdict.

        A timeout, a missing permission or a division by zero says nothing about the SQL's names
        and grammar.
        """
        if self.outcome.status == "ok":
            return True
        return False if self.is_fault else None

    @property
    def not_evaluated(self) -> Reason | None:
        """The reason of `not_evaluated`, where there is neither a table nor an engine's error."""
        if self.outcome.status == "refused":
            return "refused"
        return self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOutcome:
    """The prediction's execution and the reference's."""

    prediction: Execution
    reference: Execution | None = None
    same_snapshot: bool = False
    """Both ran and saw the same state of the data."""
