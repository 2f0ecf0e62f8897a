"""Who does what one process does for all: their part of a transaction.

A lease belongs to one owner until a time, by the clock of the database. Its token grows with each
owner: one that was replaced while it did not respond can write nothing when it wakes up, because
each of its transactions asks for its token first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, select, update

from sqlobs_collector.store.portable import now_ms, upsert
from sqlobs_collector.store.tables import LEASE

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

LEASE_S: Final = 8
"""How long an owner may be silent before another process takes its place."""


class LeaseLostError(Exception):
    """Another process has taken the place of this one."""


class LeaseWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self, duty: str, owner: str) -> int | None:
        """Return the token of a new owner; None: the old one is still there."""
        self._connection.execute(
            upsert(LEASE)
            .values(duty=duty, token=0, owner="", until_ms=0)
            .on_conflict_do_nothing(index_elements=[LEASE.c.duty])
        )
        is_free = and_(LEASE.c.duty == duty, LEASE.c.until_ms < now_ms())
        token = select(LEASE.c.token).where(LEASE.c.duty == duty)
        taken = update(LEASE).where(is_free)
        taken = taken.values(token=LEASE.c.token + 1, owner=owner, until_ms=_later())
        if self._connection.execute(taken).rowcount == 0:
            return None
        found: int = self._connection.execute(token).scalar_one()
        return found

    def renew(self, duty: str, token: int) -> bool:
        """Stay the owner; return whether the process still was."""
        renewed = update(LEASE).where(_is(duty, token)).values(until_ms=_later())
        return self._connection.execute(renewed).rowcount == 1

    def give_up(self, duty: str, token: int) -> None:
        """Let another process take the place at once."""
        self._connection.execute(update(LEASE).where(_is(duty, token)).values(until_ms=0))

    def require(self, duty: str, token: int) -> None:
        """Make sure that the process stays the owner until the transaction ends.

        A key share lock: the owner may renew its lease meanwhile, a new owner waits.

        Raises:
            LeaseLostError: There is another owner.
        """
        query = select(LEASE.c.token).where(_is(duty, token))
        query = query.with_for_update(read=True, key_share=True)
        if self._connection.execute(query).first() is None:
            raise LeaseLostError(duty)


def _is(duty: str, token: int) -> ColumnElement[bool]:
    return and_(LEASE.c.duty == duty, LEASE.c.token == token)


def _later() -> ColumnElement[int]:
    return now_ms() + LEASE_S * 1000
