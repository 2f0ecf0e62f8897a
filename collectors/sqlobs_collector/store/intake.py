"""Requests by workspace and hour of their receipt: accepted, and refused beyond the quota."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, func, select

from sqlobs_collector.sampling import BY_RATE
from sqlobs_collector.store.portable import upsert
from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.store.tables import INTAKE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection

    from sqlobs_collector.store.rows import Dropped, UnitRow
    from sqlobs_collector.store.snapshots import Connects

_KEPT_HOURS: Final = 24 * 31


@dataclass(frozen=True, slots=True)
class IntakeCounts:
    """Requests that were received within some hours."""

    accepted: int = 0
    always: int = 0
    """Of these, those that are evaluated regardless of the rate."""
    refused: int = 0
    """Those beyond the quota."""
    judgeable: int = 0
    """Those that a judge was or could have been asked about, by the hour of their evaluation."""

    @property
    def censored(self) -> float:
        """The share of the requests that the quota kept out."""
        return self.refused / (self.accepted + self.refused) if self.refused else 0.0


class IntakeWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def accepted(self, rows: Iterable[UnitRow]) -> None:
        """Count new units, each in the hour in which it was received."""
        accepted: Counter[tuple[str, int]] = Counter()
        always: Counter[tuple[str, int]] = Counter()
        for row in rows:
            key = (row.workspace, row.received_ns // HOUR_NS)
            accepted[key] += 1
            always[key] += row.rule not in {None, BY_RATE}
        self._add(
            {"workspace": key[0], "hour": key[1], "accepted": count, "always": always[key]}
            for key, count in sorted(accepted.items())  # in this order everywhere: no deadlock
        )

    def refused(self, counts: Mapping[tuple[str, int], int]) -> None:
        """Count requests beyond the quota, by workspace and hour."""
        self._count("refused", counts)

    def dropped(self, rows: Iterable[Dropped]) -> None:
        """No longer count requests that none of the rules selected."""
        counts = Counter((row.workspace, row.received_ns // HOUR_NS) for row in rows)
        self._count("accepted", {key: -count for key, count in counts.items()})

    def judgeable(self, counts: Mapping[tuple[str, int], int]) -> None:
        """Count requests for the judge, sampled or not, by workspace and hour."""
        self._count("judgeable", counts)

    def _count(self, name: str, counts: Mapping[tuple[str, int], int]) -> None:
        self._add(
            {"workspace": workspace, "hour": hour, name: count}
            for (workspace, hour), count in sorted(counts.items())
        )

    def forget(self, *, before_hour: int) -> None:
        """Delete the counts of old hours."""
        is_old = INTAKE.c.hour < before_hour - _KEPT_HOURS
        self._connection.execute(delete(INTAKE).where(is_old))

    def _add(self, rows: Iterable[dict[str, object]]) -> None:
        for row in rows:
            statement = upsert(INTAKE).values(**row)
            more = {
                name: INTAKE.c[name] + statement.excluded[name]
                for name in row.keys() - {"workspace", "hour"}
            }
            key = (INTAKE.c.workspace, INTAKE.c.hour)
            self._connection.execute(statement.on_conflict_do_update(index_elements=key, set_=more))


class IntakeReader:
    """Reads counts; each call is one query in its own transaction."""

    def __init__(self, engine: Connects) -> None:
        self._engine = engine

    def within(self, since_ns: int, until_ns: int) -> dict[str, IntakeCounts]:
        """Return the counts of the hours that a period touches, by workspace."""
        return self.counts(since_ns // HOUR_NS, until_ns // HOUR_NS + 1)

    def counts(self, first_hour: int, end_hour: int) -> dict[str, IntakeCounts]:
        """Return the counts of some hours by workspace; the last hour is left out itself."""
        sums = (func.sum(INTAKE.c[name]) for name in ("accepted", "always", "refused", "judgeable"))
        query = select(INTAKE.c.workspace, *sums).where(
            INTAKE.c.hour >= first_hour, INTAKE.c.hour < end_hour
        )
        with self._engine.connect() as connection:
            found = connection.execute(query.group_by(INTAKE.c.workspace))
            return {row[0]: IntakeCounts(*(int(count) for count in row[1:])) for row in found}
