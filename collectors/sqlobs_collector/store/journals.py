"""How far journals were projected, and which cannot be written: their part of a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import func, select

from sqlobs_collector.store.portable import now_ms, upsert
from sqlobs_collector.store.tables import JOURNAL

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

SILENT_S: Final = 30
"""A process that has told of trouble, and nothing for this long, has ended."""


class Standing(NamedTuple):
    """How far one journal was projected, and what of it could not be."""

    sequence: int = 0
    entries: int = 0
    records: int = 0
    lost_entries: int = 0
    lost_records: int = 0


class StoppedJournal(NamedTuple):
    """A journal that cannot be written: its process acknowledges nothing."""

    host: str
    reason: str


class JournalStandings:
    """Reads and writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, identity: bytes) -> Standing:
        """Return where a journal stands; at its beginning, if the store does not know it."""
        query = select(*(JOURNAL.c[name] for name in Standing._fields))
        row = self._connection.execute(query.where(JOURNAL.c.identity == identity)).one_or_none()
        return Standing() if row is None else Standing(*row)

    def put(self, identity: bytes, standing: Standing) -> None:
        """Remember where a journal stands."""
        statement = upsert(JOURNAL).values(identity=identity, **standing._asdict())
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=[JOURNAL.c.identity], set_=standing._asdict()
            )
        )

    def erased(self, identity: bytes) -> tuple[int, int]:
        """Return up to when a journal's files are erased, and how many records that took out."""
        query = select(JOURNAL.c.erased_ns, JOURNAL.c.erased_records)
        row = self._connection.execute(query.where(JOURNAL.c.identity == identity)).one_or_none()
        return (0, 0) if row is None else (row.erased_ns, row.erased_records)

    def put_erased(self, identity: bytes, *, up_to_ns: int, records: int) -> None:
        """Remember that a journal's files were erased, and how many records that took out."""
        statement = upsert(JOURNAL).values(
            identity=identity,
            **Standing()._asdict(),
            erased_ns=up_to_ns,
            erased_records=records,
        )
        more = {"erased_ns": up_to_ns, "erased_records": JOURNAL.c.erased_records + records}
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=[JOURNAL.c.identity], set_=more)
        )

    def unerased(self, up_to_ns: int) -> int:
        """Return the number of journals whose files are not erased up to a time."""
        query = select(func.count()).select_from(JOURNAL).where(JOURNAL.c.erased_ns < up_to_ns)
        return self._connection.execute(query).scalar_one()

    def put_trouble(self, identity: bytes, host: str, reason: str | None) -> None:
        """Note why a journal cannot be written now; None: it can."""
        told = {"host": host, "trouble": reason, "seen_ms": now_ms()}
        statement = upsert(JOURNAL).values(identity=identity, **Standing()._asdict(), **told)
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=[JOURNAL.c.identity], set_=told)
        )


class StoppedJournalReader:
    """Reads which journals are in trouble; each call is one query in its own transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def stopped(self) -> list[StoppedJournal]:
        """Return the journals that cannot be written, by host."""
        query = select(JOURNAL.c.host, JOURNAL.c.trouble).where(
            JOURNAL.c.trouble.is_not(None), JOURNAL.c.seen_ms > now_ms() - SILENT_S * 1000
        )
        with self._engine.connect() as connection:
            found = connection.execute(query.order_by(JOURNAL.c.host, JOURNAL.c.identity))
            return [StoppedJournal(*row) for row in found]
