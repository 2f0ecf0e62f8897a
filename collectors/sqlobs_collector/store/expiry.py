"""Forgets what retention does not keep. Its part of a transaction.

Nothing here looks at units or reports that stay: it runs every two seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select, update

from sqlobs_collector.store.portable import each_value
from sqlobs_collector.store.review import ReviewWriter
from sqlobs_collector.store.tables import REPORT, UNIT

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

_HAS_PAYLOAD: Final = UNIT.c.payload.is_not(None)
_SAYING: Final = each_value(UNIT.c.state, _HAS_PAYLOAD)
"""The states of units with a payload; the index of these begins with the state."""
_STATES: Final = each_value(UNIT.c.state)
_OF_REPORTS: Final = REPORT.c.is_joined.in_((False, True))  # for the index


class ExpiryWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def payloads(self, *, sampled_out_ns: int, any_ns: int, limit: int) -> int:
        """Forget what units and reports said, received before two times; returns how many."""
        found = 0
        for state in self._connection.execute(_SAYING).scalars().all():
            before_ns = max(any_ns, sampled_out_ns) if state == "sampled_out" else any_ns
            is_old = _is_received(state, before_ns) & _HAS_PAYLOAD
            old = select(UNIT.c.id).where(is_old).limit(limit - found)
            forgotten = update(UNIT).where(UNIT.c.id.in_(old)).values(payload=None)
            found += self._connection.execute(forgotten).rowcount
        shown = ReviewWriter(self._connection).expire_documents() if found else 0
        reports = (
            select(REPORT.c.record_id)
            .where(REPORT.c.payload.is_not(None), REPORT.c.received_ns < any_ns)
            .limit(limit)
        )
        silenced = update(REPORT).where(REPORT.c.record_id.in_(reports)).values(payload=None)
        return found + shown + self._connection.execute(silenced).rowcount

    def units(self, *, before_ns: int, limit: int) -> int:
        """Delete units received before a time, with all that was found out about them."""
        deleted = 0
        for state in self._connection.execute(_STATES).scalars().all():
            is_old = _is_received(state, before_ns)
            old = select(UNIT.c.id).where(is_old).limit(limit - deleted)
            deleted += self._connection.execute(delete(UNIT).where(UNIT.c.id.in_(old))).rowcount
        reports = (
            select(REPORT.c.record_id)
            .where(_OF_REPORTS, REPORT.c.received_ns < before_ns)
            .limit(limit)
        )
        self._connection.execute(delete(REPORT).where(REPORT.c.record_id.in_(reports)))
        return deleted


def _is_received(state: str, before_ns: int) -> ColumnElement[bool]:
    return (UNIT.c.state == state) & (UNIT.c.received_ns < before_ns)
