"""Re-evaluation of stored units: counted first, queued on request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, func, select, update

from sqlobs_collector.store.dispatcher import BACKFILL
from sqlobs_collector.store.tables import UNIT

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Engine

    from sqlobs_collector.store.export import Selection

_SETTLED: Final = (
    *("done", "error", "truncated", "nondeterministic", "refused", "expired", "canceled"),
)


@dataclass(frozen=True, slots=True)
class Backfill:
    """Units with unexpired texts, filtered by final reason."""

    selection: Selection
    reason: str | None = None
    """The only reason that counts (`no_target`, say, or that of a cancellation); `None`: all."""


def count_units(engine: Engine, backfill: Backfill) -> int:
    """Return how many units would be evaluated again."""
    query = select(func.count()).select_from(UNIT).where(_chosen(backfill))
    with engine.connect() as connection:
        return connection.execute(query).scalar_one()


def queue_units(engine: Engine, backfill: Backfill, *, at_ns: int) -> int:
    """Queue them; a running collector takes them up, else the next one does."""
    statement = update(UNIT).where(_chosen(backfill))
    with engine.begin() as connection:
        queued = statement.values(
            state="queued", reason=None, state_ns=at_ns, attempts=0, priority=BACKFILL
        )
        return connection.execute(queued).rowcount


def _chosen(backfill: Backfill) -> ColumnElement[bool]:
    selection = backfill.selection
    chosen = and_(
        UNIT.c.state.in_(_SETTLED),
        UNIT.c.payload.is_not(None),
        UNIT.c.occurred_ns >= selection.since_ns,
        UNIT.c.occurred_ns < selection.until_ns,
    )
    return chosen if backfill.reason is None else and_(chosen, UNIT.c.reason == backfill.reason)
