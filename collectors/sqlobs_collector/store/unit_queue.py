"""The queue of units: the units of the state `queued`, taken by one process each.

Its part of a transaction. A unit that is taken has the state `running` and the id of its process,
which ends with its next state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, case, func, or_, select, update

from sqlobs_collector.origin import Origin
from sqlobs_collector.store.dispatcher import (
    MOST_CLAIMS,
    RETRY_S,
    SUSPECT_AFTER,
    Dispatcher,
    Released,
    Waiting,
)
from sqlobs_collector.store.portable import each_value, is_among
from sqlobs_collector.store.rows import Queued
from sqlobs_collector.store.tables import UNIT
from sqlobs_collector.store.workers import is_orphan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection

    from sqlobs_collector.store.selection import RequestFilter

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
_IS_HELD: Final = and_(
    UNIT.c.state == "held", UNIT.c.reason.in_(("target_unavailable", "error", "no_schema"))
)
"""The unit waits for another attempt."""


_WORKSPACES: Final = each_value(UNIT.c.workspace, UNIT.c.state == "queued")


class UnitQueue(Dispatcher):
    """The queue in the rows of the units themselves: one more column tells who has a unit."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self, worker: str, *, at_ns: int, limit: int) -> list[Queued]:
        """Give each workspace its share by turns, until there is no more."""
        taken: list[Queued] = []
        waiting = self._workspaces()
        while waiting and len(taken) < limit:
            share = -(-(limit - len(taken)) // len(waiting))
            for workspace in list(waiting):
                is_waiting = and_(UNIT.c.workspace == workspace, UNIT.c.state == "queued")
                most = min(share, limit - len(taken))
                found = _apart(self._next(is_waiting, limit=most), is_first=not taken)
                taken += found
                if len(found) < most:
                    waiting.remove(workspace)
                if any(map(_is_suspect, found)):
                    return self._mark(found, worker, at_ns=at_ns)
                self._mark(found, worker, at_ns=at_ns)
        if len(taken) < limit:
            due = self._next(_is_due(at_ns), limit=limit - len(taken))
            taken += self._mark(due, worker, at_ns=at_ns)
        return taken

    def still_has(self, worker: str, unit_ids: Iterable[int]) -> set[int]:
        """Lock them in the order of their ids, as others do: no deadlock.

        Only running units have a worker. Their state is not asked for: PostgreSQL would look for it
        in an index, among the entries of all units that were running before.
        """
        query = (
            select(UNIT.c.id)
            .where(is_among(UNIT.c.id, unit_ids), UNIT.c.worker == worker)
            .order_by(UNIT.c.id)
            .with_for_update()
        )
        return set(self._connection.execute(query).scalars())

    def give_back(self, worker: str, *, at_ns: int) -> None:
        """Queue them as they were, their attempts counted."""
        taken = and_(UNIT.c.state == "running", UNIT.c.worker == worker)
        self._connection.execute(
            update(UNIT).where(taken).values(state="queued", state_ns=at_ns, worker=None)
        )

    def release(self, *, at_ns: int) -> Released:
        """Leave out the units that another process releases at the same time."""
        orphans = (
            select(UNIT.c.id)
            .where(UNIT.c.state == "running", is_orphan(UNIT.c.worker))
            .order_by(UNIT.c.id)
            .with_for_update(skip_locked=True)
        )
        is_poisonous = UNIT.c.attempts >= MOST_CLAIMS
        released = (
            update(UNIT)
            .where(UNIT.c.id.in_(orphans))
            .values(
                state=case((is_poisonous, "error"), else_="queued"),
                reason=case((is_poisonous, "error"), else_=None),
                state_ns=at_ns,
                worker=None,
            )
            .returning(
                UNIT.c.state,
                UNIT.c.trace_id,
                UNIT.c.workspace,
                UNIT.c.service_name,
                UNIT.c.environment,
            )
        )
        rows = self._connection.execute(released).all()
        given_up = [row for row in rows if row.state == "error"]
        return Released(
            len(rows) - len(given_up),
            [Origin(*origin) for _, _, *origin in given_up],
            [row.trace_id for row in given_up],
        )

    def prefer(self, unit_ids: Sequence[int], priority: int) -> None:
        """Set it whether a unit is queued or not: it may be later."""
        self._connection.execute(
            update(UNIT).where(is_among(UNIT.c.id, unit_ids)).values(priority=priority)
        )

    def cancel(self, wanted: RequestFilter, reason: str, *, at_ns: int, limit: int) -> int:
        """Wait for those who take units at the same time: what they took is theirs."""
        waiting = (
            select(UNIT.c.id)
            .where(wanted.conditions, or_(UNIT.c.state == "queued", _IS_HELD))
            .order_by(UNIT.c.id)
            .limit(limit)
            .with_for_update()
        )
        canceled = update(UNIT).where(UNIT.c.id.in_(waiting))
        return self._connection.execute(
            canceled.values(state="canceled", reason=reason, state_ns=at_ns)
        ).rowcount

    def waiting(self) -> Waiting:
        """Count them by the index of the queue."""
        query = select(func.count(), func.min(UNIT.c.received_ns)).where(UNIT.c.state == "queued")
        return Waiting(*self._connection.execute(query).one())

    def _workspaces(self) -> list[str]:
        """Return the workspaces with queued units, each found by one look into the index."""
        return list(self._connection.execute(_WORKSPACES).scalars())

    def _next(self, condition: ColumnElement[bool], *, limit: int) -> list[Queued]:
        """Lock units; of processes that do this at once, each finds others."""
        query = (
            select(*TAKEN)
            .where(condition)
            .order_by(UNIT.c.priority, UNIT.c.received_ns, UNIT.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        return [Queued(**row) for row in self._connection.execute(query).mappings()]

    def _mark(self, units: list[Queued], worker: str, *, at_ns: int) -> list[Queued]:
        """Set units running."""
        if units:
            taken = update(UNIT).where(is_among(UNIT.c.id, [unit.unit_id for unit in units]))
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


def _is_suspect(unit: Queued) -> bool:
    return unit.attempts >= SUSPECT_AFTER


def _apart(units: list[Queued], *, is_first: bool) -> list[Queued]:
    """Return the units before the first suspect; the suspect alone if nothing is before it."""
    place = next((place for place, unit in enumerate(units) if _is_suspect(unit)), len(units))
    return units[:1] if is_first and place == 0 else units[:place]


def _is_due(at_ns: int) -> ColumnElement[bool]:
    """Return whether a unit is held for another attempt, and its delay is over."""
    delays = [(UNIT.c.attempts <= done, s * 10**9) for done, s in enumerate(RETRY_S, start=1)]
    delay_ns = case(*delays, else_=RETRY_S[-1] * 10**9)
    return and_(_IS_HELD, UNIT.c.state_ns < at_ns - delay_ns)
