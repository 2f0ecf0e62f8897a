"""Requests added up by hour and by one of their properties, for rates over time.

Only hours that changed are added up again: triggers of the table `unit` note them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Float,
    and_,
    case,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
    union_all,
)

from sqlobs_collector.origin import Origin
from sqlobs_collector.store.quality import VerdictCounts, Who
from sqlobs_collector.store.tables import LATENCY_HOUR, STALE_HOUR, UNIT, UNIT_HOUR

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import CompoundSelect, Connection, Engine, FromClause, Select, Table

DIMENSIONS: Final = (
    *("workflow", "model", "prompt_version", "tenant", "environment", "service_version"),
)
"""The properties of requests that their sums are kept by."""
ALL: Final = ""
"""The dimension of all requests together."""
BOUNDS_S: Final = (
    *(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12),
    *(10.24, 20.48, 40.96, 81.92),
)
"""Upper bounds of the buckets of durations; beyond the last there is one more."""
HOUR_NS: Final = 3600 * 10**9
_SAID: Final = (
    *("outcome", "verdict", "first_verdict"),
    *("syntactic", "schematic", "hallucinated", "first_hallucinated"),
)
_HOURLY: Final = (
    func.sum(UNIT_HOUR.c.requests),
    func.sum(UNIT_HOUR.c.weight),
    func.sum(UNIT_HOUR.c.weight_squared),
    func.sum(UNIT_HOUR.c.cost_usd),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Requests of one workspace in a period, in equal parts."""

    workspace: str
    since_ns: int
    until_ns: int
    """Left out itself."""
    part_ns: int
    dimension: str = ALL
    """What distinguishes them."""
    equal: tuple[str, str] | None = None
    """A dimension and its value that the requests must have; then `dimension` is `ALL` or it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Requests of one part and value about which the checker said the same."""

    part: int
    value: str
    counts: VerdictCounts
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Durations:
    """How many requests of a part and value took how long."""

    part: int
    value: str
    bucket: int
    requests: int


class HourReader:
    """Reads sums; whole hours from their table, the hours at both ends from the units."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def cells(self, span: Span) -> list[Cell]:
        """Return the requests of a span by what the checker said of them."""
        who = Who(Origin(span.workspace, "", ""), "")
        with self._engine.connect() as connection:
            rows = [row for query in _cells(span) for row in connection.execute(query)]
        return [Cell(part, value, _counts(who, rest), rest[-1]) for part, value, *rest in rows]

    def durations(self, span: Span) -> list[Durations]:
        """Return the durations of the requests of a span."""
        with self._engine.connect() as connection:
            return [
                Durations(*row) for query in _durations(span) for row in connection.execute(query)
            ]

    def first_seen(self, workspace: str, *, since_ns: int) -> dict[str, int]:
        """Return the hour, as a time, in which each version of a service was first seen.

        Args:
            workspace: Whose.
            since_ns: Versions that were seen before are left out.
        """
        query = (
            select(UNIT_HOUR.c.value, func.min(UNIT_HOUR.c.hour))
            .where(UNIT_HOUR.c.workspace == workspace)
            .where(UNIT_HOUR.c.dimension == "service_version", UNIT_HOUR.c.value != "")
            .group_by(UNIT_HOUR.c.value)
            .having(func.min(UNIT_HOUR.c.hour) >= since_ns // HOUR_NS)
        )
        with self._engine.connect() as connection:
            hours = connection.execute(query).all()
            return {
                version: _first(connection, workspace, version, hour) for version, hour in hours
            }


def _counts(who: Who, row: Sequence[Any]) -> VerdictCounts:
    """Read what the checker said, and the sums; no failure code and no time is known."""
    said = dict(zip(_SAID, row, strict=False))
    requests, weight, weight_squared = row[len(_SAID) : len(_SAID) + 3]
    return VerdictCounts(
        who,
        **said,
        failure_code=None,
        count=requests,
        weight=weight,
        weight_squared=weight_squared,
        last_ns=0,
    )


class HourWriter:
    """Adds up hours that changed, in the transaction of its connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def stale(self) -> list[tuple[str, int]]:
        """Return workspace and number of each hour that changed, the latest first."""
        query = select(STALE_HOUR.c.workspace, STALE_HOUR.c.hour).order_by(STALE_HOUR.c.hour.desc())
        return [(workspace, hour) for workspace, hour in self._connection.execute(query)]

    def add_up(self, workspace: str, hour: int) -> None:
        """Replace the sums of an hour."""
        _add_up(self._connection, workspace, hour)


def _add_up(connection: Connection, workspace: str, hour: int) -> None:
    for table in (STALE_HOUR, UNIT_HOUR, LATENCY_HOUR):
        connection.execute(
            delete(table).where(table.c.workspace == workspace, table.c.hour == hour)
        )
    chosen = _units(workspace, hour * HOUR_NS, (hour + 1) * HOUR_NS)
    names = (*DIMENSIONS, *_SAID, "head_probability", "cost_usd", "duration_s")
    units = select(*(UNIT.c[name] for name in names)).where(chosen).cte("units")
    cells, took = [], []
    for dimension in (ALL, *DIMENSIONS):
        head = (literal(workspace), literal(dimension), cast(literal(hour), BigInteger))
        value, said = _value(dimension, units), [units.c[name] for name in _SAID]
        cells.append(select(*head, value, *said, *_sums(units)).group_by(value, *said))
        bucket, is_known = _bucket(units), units.c.duration_s.is_not(None)
        durations = select(*head, value, bucket, func.count()).where(is_known)
        took.append(durations.group_by(value, bucket))
    _copy(connection, UNIT_HOUR, union_all(*cells))
    _copy(connection, LATENCY_HOUR, union_all(*took))


def _copy(connection: Connection, table: Table, rows: CompoundSelect[Any]) -> None:
    connection.execute(insert(table).from_select([column.name for column in table.c], rows))


def _cells(span: Span) -> Iterable[Select[Any]]:
    """Select part, value, what was said, and the sums."""
    said = [UNIT.c[name] for name in _SAID]
    for chosen in _ends(span):
        part, value = _part(UNIT.c.occurred_ns, span), _value(span.dimension, UNIT)
        yield select(part, value, *said, *_sums(UNIT)).where(chosen).group_by(part, value, *said)
    if (hours := _whole(UNIT_HOUR, span)) is not None:
        part, value = _part(UNIT_HOUR.c.hour * HOUR_NS, span), _shown(UNIT_HOUR, span)
        said = [UNIT_HOUR.c[name] for name in _SAID]
        query = select(part, value, *said, *_HOURLY).where(hours)
        yield query.group_by(part, value, *said)


def _durations(span: Span) -> Iterable[Select[Any]]:
    """Select part, value, bucket, and the number of requests."""
    for chosen in _ends(span):
        head = (_part(UNIT.c.occurred_ns, span), _value(span.dimension, UNIT), _bucket(UNIT))
        yield _counted(head, func.count(), and_(chosen, UNIT.c.duration_s.is_not(None)))
    if (hours := _whole(LATENCY_HOUR, span)) is not None:
        part, value = _part(LATENCY_HOUR.c.hour * HOUR_NS, span), _shown(LATENCY_HOUR, span)
        head = (part, value, LATENCY_HOUR.c.bucket)
        yield _counted(head, func.sum(LATENCY_HOUR.c.requests), hours)


def _counted(
    head: tuple[ColumnElement[Any], ...], count: ColumnElement[int], chosen: ColumnElement[bool]
) -> Select[Any]:
    query: Select[Any] = select(*head, count)
    return query.where(chosen).group_by(*head)


def _hours(span: Span) -> tuple[int, int]:
    """Return the first whole hour of a span and the one after its last."""
    return -(-span.since_ns // HOUR_NS), span.until_ns // HOUR_NS


def _ends(span: Span) -> list[ColumnElement[bool]]:
    """Choose the units that are in no whole hour of the span."""
    first, last = _hours(span)
    if first >= last or span.part_ns < HOUR_NS:
        periods = [(span.since_ns, span.until_ns)]
    else:
        periods = [(span.since_ns, first * HOUR_NS), (last * HOUR_NS, span.until_ns)]
    equal = [] if span.equal is None else [_value(span.equal[0], UNIT) == span.equal[1]]
    return [
        and_(_units(span.workspace, since_ns, until_ns), *equal)
        for since_ns, until_ns in periods
        if since_ns < until_ns
    ]


def _whole(table: Table, span: Span) -> ColumnElement[bool] | None:
    """Choose the sums of the whole hours of a span; None = there are none."""
    first, last = _hours(span)
    if first >= last or span.part_ns < HOUR_NS:
        return None
    dimension = span.dimension if span.equal is None else span.equal[0]
    equal = [] if span.equal is None else [table.c.value == span.equal[1]]
    return and_(
        table.c.workspace == span.workspace,
        table.c.dimension == dimension,
        table.c.hour >= first,
        table.c.hour < last,
        *equal,
    )


def _units(workspace: str, since_ns: int, until_ns: int) -> ColumnElement[bool]:
    """Choose the requests of a period, but for those that a replay brought."""
    return and_(
        UNIT.c.workspace == workspace,
        UNIT.c.occurred_ns >= since_ns,
        UNIT.c.occurred_ns < until_ns,
        UNIT.c.provenance == "live",
    )


def _part(time_ns: ColumnElement[int], span: Span) -> ColumnElement[int]:
    """Return the number of the part that a time belongs to; parts begin at whole multiples."""
    return time_ns // span.part_ns - span.since_ns // span.part_ns


def _value(dimension: str, units: FromClause) -> ColumnElement[str]:
    return literal("") if dimension == ALL else func.coalesce(units.c[dimension], "")


def _sums(units: FromClause) -> tuple[ColumnElement[Any], ...]:
    weight = cast(1.0 / units.c.head_probability, Float)
    return (
        func.count(),
        func.sum(weight),
        func.sum(weight * weight),
        func.sum(units.c.cost_usd),
    )


def _bucket(units: FromClause) -> ColumnElement[int]:
    bounds = enumerate(BOUNDS_S)
    numbers = ((units.c.duration_s <= bound, number) for number, bound in bounds)
    return case(*numbers, else_=len(BOUNDS_S))


def _shown(table: Table, span: Span) -> ColumnElement[str]:
    return literal("") if span.dimension == ALL else table.c.value


def _first(connection: Connection, workspace: str, version: str, hour: int) -> int:
    query = select(func.min(UNIT.c.occurred_ns)).where(
        _units(workspace, hour * HOUR_NS, (hour + 1) * HOUR_NS), UNIT.c.service_version == version
    )
    found = connection.execute(query).scalar_one_or_none()
    return hour * HOUR_NS if found is None else int(found)
