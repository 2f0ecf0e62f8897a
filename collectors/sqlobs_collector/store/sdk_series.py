"""Series of the applications' metrics: their part of a transaction.

Receivers of one store each get a part of the points. A total that moves between receivers keeps its
newest state; differences add up, whoever got them.
"""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import bindparam, delete, select, tuple_, update

from sqlobs_collector.series_point import SeriesPoint
from sqlobs_collector.store.portable import now_ms, upsert
from sqlobs_collector.store.tables import SDK_SERIES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sqlalchemy import Connection

_BATCH: Final = 200
_KEY: Final = (SDK_SERIES.c.workspace, SDK_SERIES.c.metric, SDK_SERIES.c.labels)


class SeriesWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, points: Collection[SeriesPoint]) -> None:
        """Bring series up to date with points, one a series."""
        by_key = {_key(point): point for point in points}
        keys = sorted(by_key)  # in the same order everywhere: no deadlock
        for start in range(0, len(keys), _BATCH):
            self._add(keys[start : start + _BATCH], by_key)

    def _add(self, keys: list[tuple[str, ...]], by_key: dict[tuple[str, ...], SeriesPoint]) -> None:
        names = [column.name for column in _KEY]
        new = upsert(SDK_SERIES).on_conflict_do_nothing(index_elements=_KEY)
        self._connection.execute(
            new.values(seen_ms=now_ms()), [dict(zip(names, key, strict=True)) for key in keys]
        )
        query = select(*_KEY, SDK_SERIES.c.state).where(tuple_(*_KEY).in_(keys))
        found = self._connection.execute(query.order_by(*_KEY).with_for_update())
        rows = [
            {
                **{f"of_{name}": value for name, value in zip(names, row, strict=False)},
                "to_state": _packed(by_key[tuple(row[:3])].after(_unpacked(row))),
            }
            for row in found
        ]
        is_it = (column == bindparam(f"of_{column.name}") for column in _KEY)
        changed = update(SDK_SERIES).where(*is_it)
        self._connection.execute(
            changed.values(state=bindparam("to_state"), seen_ms=now_ms()), rows
        )

    def changed(self, *, within_s: float) -> Iterator[SeriesPoint]:
        """Yield the series that got a point within the last seconds."""
        query = select(*_KEY, SDK_SERIES.c.state).where(
            SDK_SERIES.c.seen_ms >= now_ms() - int(within_s * 1000), SDK_SERIES.c.state.is_not(None)
        )
        for row in self._connection.execute(query):
            point = _unpacked(row)
            if point is not None:
                yield point

    def forget_silent(self, *, after_s: float) -> int:
        """Delete the series without a point for some seconds; return how many."""
        is_silent = SDK_SERIES.c.seen_ms < now_ms() - int(after_s * 1000)
        return self._connection.execute(delete(SDK_SERIES).where(is_silent)).rowcount


def _key(point: SeriesPoint) -> tuple[str, ...]:
    return point.labels[0], point.metric, json.dumps(point.labels[1:])


def _packed(point: SeriesPoint) -> str:
    return json.dumps(astuple(point)[2:])


def _unpacked(row: Sequence[Any]) -> SeriesPoint | None:
    workspace, metric, labels, state = row
    if state is None:
        return None
    bounds, values, is_delta, start_ns, time_ns, exemplars = json.loads(state)
    return SeriesPoint(
        metric,
        (workspace, *json.loads(labels)),
        tuple(bounds),
        tuple(values),
        is_delta,
        start_ns,
        time_ns,
        {int(line): text for line, text in exemplars.items()},
    )
