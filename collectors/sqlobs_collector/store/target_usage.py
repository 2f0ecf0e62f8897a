"""What statements on targets cost, by day: a ledger that survives a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from sqlobs.execution.budget import Usage
from sqlobs_collector.store.portable import upsert
from sqlobs_collector.store.tables import TARGET_USAGE

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from sqlobs_collector.store.writing import Store


class TargetUsageWriter:
    """Adds to the sums, in the transaction of a writer."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def used(self, day: str, alias: str) -> Usage:
        """Return what was spent on a target on a day."""
        query = select(TARGET_USAGE.c.bytes, TARGET_USAGE.c.seconds).where(
            TARGET_USAGE.c.day == day, TARGET_USAGE.c.target == alias
        )
        row = self._connection.execute(query).one_or_none()
        return Usage() if row is None else Usage(row.bytes, row.seconds)

    def add(self, day: str, alias: str, usage: Usage) -> None:
        """Record what was spent."""
        sums = {"bytes": usage.bytes, "seconds": usage.seconds}
        statement = upsert(TARGET_USAGE).values(day=day, target=alias, **sums)
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=[TARGET_USAGE.c.day, TARGET_USAGE.c.target],
                set_={name: TARGET_USAGE.c[name] + value for name, value in sums.items()},
            )
        )


class StoreUsage:
    """The executor's ledger, in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def used(self, day: str, alias: str) -> Usage:
        """Return what was spent on a target on a day."""
        with self._store.writing() as writer:
            return writer.target_usage.used(day, alias)

    def add(self, day: str, alias: str, usage: Usage) -> None:
        """Record what was spent."""
        with self._store.writing() as writer:
            writer.target_usage.add(day, alias, usage)
