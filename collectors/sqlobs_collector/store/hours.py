"""Requests over time by one of their properties, for rates, latency and cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, literal, select

from sqlobs_collector.origin import Origin
from sqlobs_collector.store.quality import VerdictCounts, Who
from sqlobs_collector.store.rollup import (
    HOUR_NS,
    LENGTHS,
    WEIGHTS,
    duration_sums,
    pieces,
    unit_sums,
)
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import UNIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection, Engine, Select, Table

DIMENSIONS: Final = (
    *("workflow", "model", "prompt_version", "tenant", "environment", "service_version"),
)
"""The properties that requests are compared by."""
ALL: Final = ""
"""The dimension of all requests together."""
_SAID: Final = (
    *("outcome", "verdict", "first_verdict"),
    *("syntactic", "schematic", "hallucinated", "first_hallucinated"),
)


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


class HourReader:
    """Reads requests by time; each call is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def cells(self, span: Span) -> list[Cell]:
        """Return the requests of a span by what the checker said of them."""
        longest = next((one for one in LENGTHS if span.part_ns % (one * HOUR_NS) == 0), 0)
        by = [*_SAID, *([span.dimension] if span.dimension else [])]
        found: list[Cell] = []
        with self._engine.connect() as connection:
            for piece in pieces(connection, span.chosen, by=by, longest=longest):
                keys: tuple[ColumnElement[Any], ...] = (
                    _part(piece.table, span).label("part"),
                    _value(piece.table, span.dimension).label("value"),
                    *(piece.table.c[name] for name in _SAID),
                )
                query = select(*keys, *unit_sums(piece.table), *duration_sums(piece.table))
                query = query.where(piece.is_chosen, *_has_value(piece.table, span)).group_by(*keys)
                found += [_cell(row) for row in connection.execute(query)]
        return found

    def by_workflow(self, workspace: str, *, since_ns: int, until_ns: int) -> list[VerdictCounts]:
        """Return the requests of a period by what the checker said, by workflow."""
        whole = RequestFilter(
            workspace=workspace,
            since_ns=since_ns,
            until_ns=until_ns,
            equal={"provenance": "live"},
        )
        keys = [UNIT.c[name] for name in ("service_name", "environment", "workflow")]
        said = [UNIT.c[name] for name in _SAID]
        query: Select[Any] = select(*keys, *said, *unit_sums(UNIT)[:WEIGHTS]).where(
            whole.conditions
        )
        with self._engine.connect() as connection:
            return [
                _counts(Who(Origin(workspace, row[0], row[1]), row[2]), row[3:])
                for row in connection.execute(query.group_by(*keys, *said).order_by(*keys))
            ]

    def first_seen(self, workspace: str, *, since_ns: int, until_ns: int) -> dict[str, int]:
        """Return the time of the first request of each version of a service.

        Args:
            workspace: Whose.
            since_ns: Versions that were seen before are left out.
            until_ns: Later ones, too.
        """
        whole = RequestFilter(workspace=workspace, until_ns=until_ns, equal={"provenance": "live"})
        exact: dict[str, int] = {}
        with self._engine.connect() as connection:
            for name, at_ns in _starts(connection, whole, longest=LENGTHS[0]).items():
                if name and at_ns >= since_ns - LENGTHS[0] * HOUR_NS:
                    exact[name] = _first(connection, whole.within(service_version=name), at_ns)
        return {name: at_ns for name, at_ns in exact.items() if at_ns >= since_ns}


def _cell(row: Sequence[Any]) -> Cell:
    part, value = row[:2]
    cost_usd, *took = row[2 + len(_SAID) + WEIGHTS :]
    return Cell(part, value, _counts(_WHO, row[2:]), cost_usd, took)


def _counts(who: Who, row: Sequence[Any]) -> VerdictCounts:
    """Read what the checker said, and the sums; no failure code and no time is known."""
    requests, weight, weight_squared, weight_largest = row[len(_SAID) : len(_SAID) + WEIGHTS]
    return VerdictCounts(
        who,
        **dict(zip(_SAID, row, strict=False)),
        failure_code=None,
        count=requests,
        weight=weight,
        weight_squared=weight_squared,
        weight_largest=weight_largest,
        last_ns=0,
    )


_WHO: Final = Who(Origin("", "", ""), "")


def _time(table: Table) -> ColumnElement[int]:
    return table.c.occurred_ns if table is UNIT else table.c.hour * HOUR_NS


def _part(table: Table, span: Span) -> ColumnElement[int]:
    """Return the number of the part that a time belongs to; parts begin at whole multiples."""
    if not span.part_ns:
        return literal(0)
    return _time(table) // span.part_ns - span.since_ns // span.part_ns


def _has_value(table: Table, span: Span) -> list[ColumnElement[bool]]:
    if span.values is None:
        return []
    return [_value(table, span.dimension).in_(span.values)]


def _value(table: Table, dimension: str) -> ColumnElement[str]:
    return literal("") if dimension == ALL else func.coalesce(table.c[dimension], "")


def _first(connection: Connection, chosen: RequestFilter, start_ns: int) -> int:
    """Return the time of the first request, which is in the day that begins at a time."""
    for longest in (LENGTHS[-1], 0):
        end_ns = start_ns + (LENGTHS[-1] if not longest else LENGTHS[0]) * HOUR_NS
        part = chosen.of(start_ns, min(chosen.until_ns, end_ns))
        start_ns = min(_starts(connection, part, longest=longest).values(), default=start_ns)
    return start_ns


def _starts(connection: Connection, chosen: RequestFilter, *, longest: int) -> dict[str, int]:
    """Return when the first period with requests of each version of a service begins."""
    found: dict[str, int] = {}
    for piece in pieces(connection, chosen, by=["service_version"], longest=longest):
        version = func.coalesce(piece.table.c.service_version, "")
        query = select(version, func.min(_time(piece.table))).where(piece.is_chosen)
        for name, time_ns in connection.execute(query.group_by(version)):
            found[name] = min(time_ns, found.get(name, time_ns))
    return found
