"""The queue of units: the units of the state `queued`, taken by one process each.

Its part of a transaction. A unit that is taken has the state `running` and the id of its process,
which ends with its next state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, case, select, update

from sqlobs_collector.store.rows import Queued
from sqlobs_collector.store.tables import UNIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection

FEEDBACK: Final = 0
"""The priority of units that a user complained about."""
FAILURE: Final = 1
"""Of units that failed their check."""
ORDINARY: Final = 2
BACKFILL: Final = 3
"""Of units that are evaluated again, behind all others."""
RETRY_S: Final = (30, 60, 120, 240)
"""Retry delays of a unit whose target was unreachable, or that hit an internal error, by the number
of attempts; the last one stays."""

TAKEN: Final = (
    UNIT.c.id.label("unit_id"),
    UNIT.c.workspace,
    UNIT.c.trace_id,
    UNIT.c.span_id,
    UNIT.c.workflow,
    UNIT.c.tenant,
    UNIT.c.target,
    UNIT.c.outcome,
    UNIT.c.capture,
    UNIT.c.dialect,
    UNIT.c.schema_version,
    UNIT.c.question_digest,
    UNIT.c.syntactic,
    UNIT.c.schematic,
    UNIT.c.service_name,
    UNIT.c.environment,
    UNIT.c.attempts,
    UNIT.c.received_ns,
    UNIT.c.payload,
)
"""The columns of `Queued`."""


class UnitQueue:
    """Works on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self, worker: str, *, at_ns: int, limit: int) -> list[Queued]:
        """Return units that nobody else has, those of high priority and old ones first.

        Each workspace gets an equal share, so that the backlog of one delays no other. What is left
        of the limit is for units that are due for another attempt.
        """
        taken: list[Queued] = []
        waiting = self._workspaces()
        while waiting and len(taken) < limit:
            share = -(-(limit - len(taken)) // len(waiting))
            for workspace in list(waiting):
                is_waiting = and_(UNIT.c.workspace == workspace, UNIT.c.state == "queued")
                most = min(share, limit - len(taken))
                found = self._mark(is_waiting, worker, at_ns=at_ns, limit=most)
                taken += found
                if len(found) < most:
                    waiting.remove(workspace)
        if len(taken) < limit:
            taken += self._mark(_is_due(at_ns), worker, at_ns=at_ns, limit=limit - len(taken))
        return taken

    def still_has(self, worker: str, unit_ids: Iterable[int]) -> set[int]:
        """Return which of some units a process still has, locked until the transaction ends.

        The others were deleted, replaced by a better record, or taken from it while it did not
        respond.
        """
        query = (
            select(UNIT.c.id)
            .where(UNIT.c.id.in_(list(unit_ids)))
            .where(UNIT.c.state == "running", UNIT.c.worker == worker)
            .order_by(UNIT.c.id)
            .with_for_update()
        )
        return set(self._connection.execute(query).scalars())

    def prefer(self, unit_ids: Sequence[int], priority: int) -> None:
        """Set the priority of units."""
        self._connection.execute(
            update(UNIT).where(UNIT.c.id.in_(unit_ids)).values(priority=priority)
        )

    def _workspaces(self) -> list[str]:
        """Return the workspaces with queued units, each found by one look into the index."""
        found: list[str] = []
        while True:
            query = select(UNIT.c.workspace).where(UNIT.c.state == "queued")
            if found:
                query = query.where(UNIT.c.workspace > found[-1])
            following = self._connection.execute(query.order_by(UNIT.c.workspace).limit(1)).scalar()
            if following is None:
                return found
            found.append(following)

    def _mark(
        self, condition: ColumnElement[bool], worker: str, *, at_ns: int, limit: int
    ) -> list[Queued]:
        """Set units running; of processes that do this at once, each finds others."""
        query = (
            select(*TAKEN)
            .where(condition)
            .order_by(UNIT.c.priority, UNIT.c.received_ns, UNIT.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        units = [Queued(**row) for row in self._connection.execute(query).mappings()]
        if units:
            taken = update(UNIT).where(UNIT.c.id.in_([unit.unit_id for unit in units]))
            self._connection.execute(
                taken.values(
                    state="running",
                    reason=None,
                    state_ns=at_ns,
                    attempts=UNIT.c.attempts + 1,
                    worker=worker,
                )
            )
        return units


def _is_due(at_ns: int) -> ColumnElement[bool]:
    """Return whether a unit is held for another attempt, and its delay is over."""
    delays = [(UNIT.c.attempts <= done, s * 10**9) for done, s in enumerate(RETRY_S, start=1)]
    delay_ns = case(*delays, else_=RETRY_S[-1] * 10**9)
    is_held = and_(UNIT.c.state == "held", UNIT.c.reason.in_(("target_unavailable", "error")))
    return and_(is_held, UNIT.c.state_ns < at_ns - delay_ns)
