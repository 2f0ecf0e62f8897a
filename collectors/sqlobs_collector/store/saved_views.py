"""Filters that people saved under a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from sqlobs_collector.store.portable import upsert
from sqlobs_collector.store.tables import SAVED_VIEW

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


class SavedViewReader:
    """Reads saved filters."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self, workspace: str) -> list[tuple[str, str]]:
        """Return names and filters, by name."""
        query = (
            select(SAVED_VIEW.c.name, SAVED_VIEW.c.query)
            .where(SAVED_VIEW.c.workspace == workspace)
            .order_by(SAVED_VIEW.c.name)
        )
        with self._engine.connect() as connection:
            return [(name, text) for name, text in connection.execute(query)]


class SavedViewWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, workspace: str, name: str, query: str, *, by: str, at_ns: int) -> None:
        """Save filters in place of those of the same name; empty ones are deleted."""
        table = SAVED_VIEW
        if not query:
            is_it = (table.c.workspace == workspace) & (table.c.name == name)
            self._connection.execute(delete(table).where(is_it))
            return
        said = {"query": query, "created_ns": at_ns, "created_by": by}
        self._connection.execute(
            upsert(table)
            .values(workspace=workspace, name=name, **said)
            .on_conflict_do_update(index_elements=[table.c.workspace, table.c.name], set_=said)
        )
