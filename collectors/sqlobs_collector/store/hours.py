"""Requests over time by one of their properties, for rates, latency and cost."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, literal, select

from sqlobs_collector.origin import Origin
from sqlobs_collector.store.deploys import first_seen
from sqlobs_collector.store.quality_sums import VerdictCounts, Who
from sqlobs_collector.store.rollup import (
    WEIGHTS,
    changes_of,
    duration_sums,
    pieces,
    time_of,
    together,
    unit_sums,
)
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import ROLLUP

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection, Select, Table

    from sqlobs_collector.store.rollup import Changes, Piece
    from sqlobs_collector.store.snapshots import Connects

DIMENSIONS: Final = (
    *("workflow", "model", "prompt_version", "tenant", "environment", "service_version"),
)
"""The properties that requests are compared by."""
ALL: Final = ""
"""The dimension of all requests together."""
_STATEMENTS: Final = 128
"""That are kept: making one takes as long as running it."""
_PLACE: Final = ("service_name", "environment", "workflow")
_SAID: Final = (
    *("outcome", "verdict", "first_verdict"),
    *("syntactic", "schematic", "hallucinated", "first_hallucinated"),
)
_COUNTED: Final = (*_SAID, "count", "weight", "weight_squared", "weight_largest")
"""The fields of `VerdictCounts` that are read, in the order of the columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Requests of one workspace in a period, in equal parts."""

    workspace: str
    since_ns: int
    until_ns: int
    """Left out itself."""
    part_ns: int
    """0 = one part."""
    dimension: str = ALL
    """What distinguishes them."""
    equal: tuple[str, str] | None = None
    """A dimension and its value that the requests must have; then `dimension` is `ALL` or it."""
    values: tuple[str, ...] | None = None
    """Of `dimension`, that requests must have one of; None = any."""

    @property
    def chosen(self) -> RequestFilter:
        """The live requests of it."""
        return RequestFilter(
            workspace=self.workspace,
            since_ns=self.since_ns,
            until_ns=self.until_ns,
            equal={"provenance": "live", **dict([self.equal] if self.equal else [])},
        )


@dataclass(frozen=True, slots=True)
class Cell:
    """Requests of one part and value about which the checker said the same."""

    part: int
    value: str
    counts: VerdictCounts
    cost_usd: float | None
    took: Sequence[int]
    """Requests by duration: those in each bucket of `rollup.BOUNDS_S`, and beyond."""


def requests_of(cells: Iterable[Cell]) -> int:
    """Return the number of requests."""
    return sum(cell.counts.count for cell in cells)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The requests of a span, and those of each of its values, the largest first."""

    cells: list[Cell]
    groups: dict[str, list[Cell]]
    """Their parts do not matter."""
    series: dict[str, list[Cell]]


class HourReader:
    """Reads requests by time; each call is one transaction."""

    def __init__(self, engine: Connects) -> None:
        self._engine = engine

    def changes(self, workspace: str, *, until_ns: int) -> Changes:
        """Return which sums cannot be read, for several reads of one snapshot."""
        whole = RequestFilter(workspace=workspace, until_ns=until_ns)
        with self._engine.connect() as connection:
            return changes_of(connection, whole)

    def cells(self, span: Span, changes: Changes | None = None) -> list[Cell]:
        """Return the requests of a span by what the checker said of them."""
        with self._engine.connect() as connection:
            return _cells(connection, _pieces(connection, span, changes), span)

    def compared(
        self, span: Span, *, groups: int, series: int, changes: Changes | None = None
    ) -> Comparison:
        """Return the requests of a span, all of them and by the values of its dimension.

        Args:
            span: With a dimension.
            groups: The most values, those of most requests.
            series: The most values whose requests are returned by parts, too.
            changes: Which sums cannot be read, if that is known.
        """
        with self._engine.connect() as connection:
            known = _pieces(connection, span, changes)
            counted = [piece for piece in known if piece.table is not ROLLUP]
            added_up = [piece for piece in known if piece.table is ROLLUP]
            units = _cells(connection, counted, span)
            whole = replace(span, part_ns=0)
            totals = _by_value([*units, *_cells(connection, added_up, whole)])
            largest = sorted(totals, key=lambda value: (-requests_of(totals[value]), value))
            drawn = tuple(largest[:series])
            in_parts = _cells(connection, added_up, replace(span, values=drawn))
            every = in_parts
            if len(largest) > len(drawn):
                every = _cells(connection, added_up, replace(span, dimension=ALL))
        by_part = _by_value([*(one for one in units if one.value in drawn), *in_parts])
        return Comparison(
            cells=[*units, *every],
            groups={value: totals[value] for value in largest[:groups]},
            series={value: by_part[value] for value in drawn},
        )

    def by_workflow(
        self, workspace: str, *, since_ns: int, until_ns: int, changes: Changes | None = None
    ) -> list[VerdictCounts]:
        """Return the requests of a period by what the checker said, by workflow."""
        whole = RequestFilter(
            workspace=workspace,
            since_ns=since_ns,
            until_ns=until_ns,
            equal={"provenance": "live"},
        )
        by = (*_PLACE, *_SAID)
        with self._engine.connect() as connection:
            read = pieces(connection, whole, by=by, changes=changes)
            rows = connection.execute(
                together(_selected_by_workflow(one.table).where(one.is_chosen) for one in read)
            )
            found = [
                _counts(Who(Origin(workspace, row[0], row[1]), row[2]), row[3:]) for row in rows
            ]
        return sorted(found, key=lambda one: (one.who.origin, one.who.workflow))

    def first_seen(
        self, workspace: str, *, since_ns: int, until_ns: int, changes: Changes | None = None
    ) -> dict[str, int]:
        """Return the time of the first request of each version of a service.

        Args:
            workspace: Whose.
            since_ns: Versions that were seen before are left out.
            until_ns: Later ones, too.
            changes: Which sums cannot be read, if that is known.
        """
        with self._engine.connect() as connection:
            return first_seen(
                connection, workspace, since_ns=since_ns, until_ns=until_ns, changes=changes
            )


def _pieces(connection: Connection, span: Span, changes: Changes | None) -> list[Piece]:
    """Return the pieces of a span, whose sums fit into its parts."""
    by = [*_SAID, *([span.dimension] if span.dimension else [])]
    read = pieces(connection, span.chosen, by=by, within_ns=span.part_ns, changes=changes)
    return list(read)


def _cells(connection: Connection, read: Iterable[Piece], span: Span) -> list[Cell]:
    queries = [_query(piece, span) for piece in read]
    return [_cell(row) for row in connection.execute(together(queries))] if queries else []


def _query(piece: Piece, span: Span) -> Select[Any]:
    part_ns = span.part_ns
    first = span.since_ns // part_ns if part_ns else 0
    query = _selected(piece.table, span.dimension, part_ns=part_ns, first=first)
    return query.where(piece.is_chosen, *_has_value(piece.table, span))


@lru_cache(maxsize=_STATEMENTS)
def _selected(table: Table, dimension: str, *, part_ns: int, first: int) -> Select[Any]:
    """Select the cells of a table.

    Args:
        table: Of the units, or of sums.
        dimension: What distinguishes requests.
        part_ns: Length of a part; 0 = one part.
        first: Number of the first part.
    """
    keys: tuple[ColumnElement[Any], ...] = (
        (time_of(table) // part_ns - first if part_ns else literal(0)).label("part"),
        _value(table, dimension).label("value"),
        *(table.c[name] for name in _SAID),
    )
    return select(*keys, *unit_sums(table), *duration_sums(table)).group_by(*keys)


@cache
def _selected_by_workflow(table: Table) -> Select[Any]:
    keys = [table.c[name] for name in (*_PLACE, *_SAID)]
    return select(*keys, *unit_sums(table)[:WEIGHTS]).group_by(*keys)


def _by_value(cells: Iterable[Cell]) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        found[cell.value].append(cell)
    return found


def _cell(row: Sequence[Any]) -> Cell:
    part, value = row[:2]
    cost_usd, *took = row[2 + len(_SAID) + WEIGHTS :]
    return Cell(part, value, _counts(_WHO, row[2:]), cost_usd, took)


def _counts(who: Who, row: Sequence[Any]) -> VerdictCounts:
    """Read what the checker said, and the sums; no failure code and no time is known."""
    known = dict(zip(_COUNTED, row, strict=False))  # more columns may follow
    return VerdictCounts(who=who, failure_code=None, last_ns=0, **known)


_WHO: Final = Who(Origin("", "", ""), "")


def _has_value(table: Table, span: Span) -> list[ColumnElement[bool]]:
    if span.values is None:
        return []
    return [_value(table, span.dimension).in_(span.values)]


def _value(table: Table, dimension: str) -> ColumnElement[str]:
    return literal("") if dimension == ALL else func.coalesce(table.c[dimension], "")
