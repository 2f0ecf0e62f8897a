"""The record of what was erased: what comes of it later is dropped, from wherever it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import func, select

from sqlobs_collector.store.portable import upsert
from sqlobs_collector.store.systems import system_of
from sqlobs_collector.store.tables import ERASED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import TypeVar

    from sqlalchemy import Connection

    from sqlobs_collector.subjects import About, SubjectDigests, SubjectKind

    Key = TypeVar("Key")

_AT_ONCE: Final = 500
_FOREVER: Final = frozenset({"trace", "request"})
"""A user who comes back is a user again; a trace that is erased never is another one."""


class Erasure(NamedTuple):
    """Of whom everything up to a time was erased."""

    digest: str
    kind: SubjectKind
    workspace: str
    erased_ns: int


class ErasureRecord:
    """Reads and writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, erasures: Iterable[Erasure]) -> None:
        """Remember erasures; the latest of a subject counts."""
        rows = [one._asdict() for one in erasures]
        if rows:
            statement = upsert(ERASED)
            self._connection.execute(
                statement.on_conflict_do_update(
                    index_elements=[ERASED.c.digest],
                    set_={"erased_ns": statement.excluded.erased_ns},
                ),
                rows,
            )

    def begin(self) -> None:
        """Wait for transactions that store records, so that none of them misses what is added."""
        system_of(self._connection).begin_erasure(self._connection)

    def latest_ns(self) -> int:
        """Return when an erasure was requested last; 0: never."""
        query = select(func.coalesce(func.max(ERASED.c.erased_ns), 0))
        asked_for = query.where(ERASED.c.kind != "request")
        latest: int = self._connection.execute(asked_for).scalar_one()
        return latest

    def covering(self, records: Mapping[Key, About], digests: SubjectDigests) -> set[Key]:
        """Return the keys of those records that are erased, as of this transaction's end."""
        system_of(self._connection).share_erasures(self._connection)
        if (
            not records
            or self._connection.execute(select(ERASED.c.digest).limit(1)).first() is None
        ):
            return set()
        named = {key: set(digests.of_record(about)) for key, about in records.items()}
        found = self._among(set[str]().union(*named.values()))
        return {
            key
            for key, names in named.items()
            if any(_covers(found[name], records[key]) for name in names & found.keys())
        }

    def _is_empty(self) -> bool:
        return self._connection.execute(select(ERASED.c.digest).limit(1)).first() is None

    def _among(self, digests: Collection[str]) -> dict[str, Erasure]:
        wanted = list(digests)
        found: dict[str, Erasure] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            query = select(*(ERASED.c[name] for name in Erasure._fields))
            query = query.where(ERASED.c.digest.in_(wanted[start : start + _AT_ONCE]))
            found |= {row.digest: Erasure(*row) for row in self._connection.execute(query)}
        return found


def _covers(erasure: Erasure, about: About) -> bool:
    return erasure.kind in _FOREVER or about.at_ns <= erasure.erased_ns
