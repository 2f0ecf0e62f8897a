"""The processes that take work: their part of a transaction.

Times are the database's, so that the clocks of machines do not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, delete, or_, select

from sqlobs_collector.store.portable import now_ms, upsert
from sqlobs_collector.store.tables import WORKER

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

SILENT_S: Final = 15
"""A process that has not been heard of for this long has ended: others may have its work."""


class WorkerWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def beat(self, worker: str) -> None:
        """Note that a process is alive."""
        statement = upsert(WORKER).values(id=worker, seen_ms=now_ms())
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=[WORKER.c.id], set_={"seen_ms": now_ms()}
            )
        )

    def forget_silent(self, worker: str) -> int:
        """Forget other processes that have not been heard of; return how many."""
        is_silent = and_(WORKER.c.id != worker, WORKER.c.seen_ms < now_ms() - SILENT_S * 1000)
        return self._connection.execute(delete(WORKER).where(is_silent)).rowcount

    def forget_others(self, worker: str) -> None:
        """Forget all other processes: this one knows that it is the only one."""
        self._connection.execute(delete(WORKER).where(WORKER.c.id != worker))

    def leave(self, worker: str) -> None:
        """Note that a process ends."""
        self._connection.execute(delete(WORKER).where(WORKER.c.id == worker))


def is_orphan(worker: ColumnElement[str | None]) -> ColumnElement[bool]:
    """Return whether what a process has taken belongs to nobody any more."""
    known = select(WORKER.c.id).where(WORKER.c.id == worker).exists()
    return or_(worker.is_(None), ~known)
