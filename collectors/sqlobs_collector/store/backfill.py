"""Re-evaluation of stored units: counted first, queued or evaluated on request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, func, select, update

from sqlobs_collector.store.dispatcher import BACKFILL
from sqlobs_collector.store.portable import is_among
from sqlobs_collector.store.rows import UnitKey
from sqlobs_collector.store.tables import UNIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, Engine

    from sqlobs_collector.store.export import Selection
    from sqlobs_collector.store.rows import Queued

_SETTLED: Final = (
    *("done", "error", "truncated", "nondeterministic", "refused", "expired", "canceled"),
)
_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True)
class Backfill:
    """Units with unexpired texts, filtered by final reason."""

    selection: Selection
    reason: str | None = None
    """The only reason that counts (`no_target`, say, or that of a cancellation); `None`: all."""
    before_ns: int = 2**63 - 1
    """Only units that got their state before this time: the others were evaluated since."""

    @property
    def condition(self) -> ColumnElement[bool]:
        """What a unit must be like."""
        chosen = [
            UNIT.c.state.in_(_SETTLED),
            UNIT.c.payload.is_not(None),
            UNIT.c.occurred_ns >= self.selection.since_ns,
            UNIT.c.occurred_ns < self.selection.until_ns,
            UNIT.c.state_ns < self.before_ns,
        ]
        return and_(*chosen, *([] if self.reason is None else [UNIT.c.reason == self.reason]))


class Pending(NamedTuple):
    """A unit that is to be evaluated again."""

    unit_id: int
    workspace: str
    target: str | None
    """The alias that it names."""
    place: int = 0
    """The row group that it is in, if it comes from a file."""


def count_units(engine: Engine, backfill: Backfill) -> int:
    """Return how many units would be evaluated again."""
    query = select(func.count()).select_from(UNIT).where(backfill.condition)
    with engine.connect() as connection:
        return connection.execute(query).scalar_one()


def queue_units(engine: Engine, backfill: Backfill, *, at_ns: int) -> int:
    """Queue them; a running collector takes them up, else the next one does."""
    statement = update(UNIT).where(backfill.condition)
    with engine.begin() as connection:
        queued = statement.values(
            state="queued", reason=None, state_ns=at_ns, attempts=0, priority=BACKFILL
        )
        return connection.execute(queued).rowcount


def pending_units(engine: Engine, backfill: Backfill) -> Iterator[Pending]:
    """Yield the units in the order of their ids, page by page: others write meanwhile."""
    last = 0
    query = select(UNIT.c.id, UNIT.c.workspace, UNIT.c.target).where(backfill.condition)
    query = query.order_by(UNIT.c.id).limit(_AT_ONCE)
    while True:
        with engine.connect() as connection:
            rows = connection.execute(query.where(UNIT.c.id > last)).all()
        if not rows:
            return
        yield from (Pending(*row) for row in rows)
        last = rows[-1].id


def pending_among(engine: Engine, backfill: Backfill, unit_ids: Sequence[int]) -> set[int]:
    """Return which of some units are still to be evaluated."""
    query = select(UNIT.c.id).where(is_among(UNIT.c.id, unit_ids), backfill.condition)
    with engine.connect() as connection:
        return set(connection.execute(query).scalars())


class BackfillWriter:
    """Keeps units from others, in the transaction of a writer."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def lock(self, backfill: Backfill, units: Sequence[Queued]) -> set[int]:
        """Return which of some units are still as they were, locked until the transaction ends.

        The others were deleted, queued by a complaint, or evaluated since. A unit that comes from
        the file of another store is none of them: its id may be another unit's here.
        """
        query = (
            select(UNIT.c.id, UNIT.c.workspace, UNIT.c.trace_id, UNIT.c.span_id)
            .where(is_among(UNIT.c.id, [one.unit_id for one in units]), backfill.condition)
            .order_by(UNIT.c.id)
            .with_for_update()
        )
        found = {row[0]: UnitKey(*row[1:]) for row in self._connection.execute(query)}
        return {
            one.unit_id
            for one in units
            if found.get(one.unit_id) == (one.workspace, one.trace_id, one.span_id)
        }
