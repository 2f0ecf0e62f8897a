"""Questions whose answers changed between two selections of requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from sqlobs_collector.store.tables import UNIT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy import ColumnElement, Connection, ScalarSelect, Select

    from sqlobs_collector.store.selection import RequestFilter
    from sqlobs_collector.store.snapshots import Connects

    _Row = Mapping[str, Any]

_LOOKED_AT: Final = 200
"""Failing questions of a side that are looked up on the other one, those that failed last first."""
_SHOWN: Final = 20
_PASSING: Final = frozenset({"ok", "suspect"})


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """The latest request of a question on both sides."""

    before: Mapping[str, Any]
    now: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Changes:
    """The questions of a side whose last answers differ from the other side's."""

    count: int
    """Of the failing questions that were looked at."""
    shown: list[ChangedQuestion]
    looked_at: int


class ComparisonReader:
    """Reads the same questions on two sides."""

    def __init__(self, engine: Connects) -> None:
        self._engine = engine

    def newly_failing(self, before: RequestFilter, now: RequestFilter) -> Changes:
        """Return the questions that fail now and passed before."""
        found, looked_at = self._changed(failing=now, passing=before)
        shown = [ChangedQuestion(before=other, now=failed) for failed, other in found[:_SHOWN]]
        return Changes(len(found), shown, looked_at)

    def newly_passing(self, before: RequestFilter, now: RequestFilter) -> Changes:
        """Return the questions that pass now and failed before."""
        found, looked_at = self._changed(failing=before, passing=now)
        shown = [ChangedQuestion(before=failed, now=other) for failed, other in found[:_SHOWN]]
        return Changes(len(found), shown, looked_at)

    def _changed(
        self, *, failing: RequestFilter, passing: RequestFilter
    ) -> tuple[list[tuple[_Row, _Row]], int]:
        """Return the latest requests of questions that fail on one side and pass on the other."""
        keys = _failing_keys(failing).subquery()
        query = select(_latest(failing, keys.c.question_key), _latest(passing, keys.c.question_key))
        with self._engine.connect() as connection:
            ids = connection.execute(query.select_from(keys)).all()
            wanted = {one for pair in ids for one in pair if one is not None}
            verdicts = _verdicts(connection, wanted)
            pairs = [
                (failed, other)
                for failed, other in ids
                if verdicts.get(failed) == "failed" and verdicts.get(other) in _PASSING
            ]
            rows = _rows(connection, [one for pair in pairs[:_SHOWN] for one in pair])
        empty: _Row = {}
        return [(rows.get(one, empty), rows.get(other, empty)) for one, other in pairs], len(ids)


def _failing_keys(failing: RequestFilter) -> Select[Any]:
    return (
        select(UNIT.c.question_key)
        .where(failing.within(verdict="failed").conditions, UNIT.c.question_key.is_not(None))
        .group_by(UNIT.c.question_key)
        .order_by(func.max(UNIT.c.occurred_ns).desc(), UNIT.c.question_key)
        .limit(_LOOKED_AT)
    )


def _latest(side: RequestFilter, key: ColumnElement[int]) -> ScalarSelect[int]:
    """Select the id of the latest request of a question on a side."""
    return (
        select(UNIT.c.id)
        .where(side.conditions, UNIT.c.question_key == key, UNIT.c.question_key.is_not(None))
        .order_by(UNIT.c.occurred_ns.desc(), UNIT.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )


def _verdicts(connection: Connection, ids: Collection[int]) -> dict[int, str | None]:
    query = select(UNIT.c.id, UNIT.c.verdict).where(UNIT.c.id.in_(ids))
    return {row.id: row.verdict for row in connection.execute(query)}


def _rows(connection: Connection, ids: Collection[int]) -> dict[int, _Row]:
    query = select(UNIT).where(UNIT.c.id.in_(ids))
    return {row["id"]: dict(row) for row in connection.execute(query).mappings()}
