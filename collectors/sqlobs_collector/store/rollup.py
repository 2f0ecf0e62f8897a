"""Requests added up by hour, six hours and day: a period is read from few rows, and exactly.

Sums of hours that changed since they were added up are not read, see `stale_hour`; their requests
are counted instead, as are those of the cut hours at both ends of a period.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Float, Integer, and_, case, func, literal_column, or_, select

from sqlobs_collector.store.portable import inverse, quotient, whole_sum
from sqlobs_collector.store.tables import FLAGS, ROLLUP, STALE_HOUR, TOOK, UNIT, WHO, WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from collections.abc import Set as AbstractSet

    from sqlalchemy import ColumnElement, Connection, FromClause, Table

    from sqlobs_collector.store.selection import RequestFilter

HOUR_NS: Final = 3600 * 10**9
LENGTHS: Final = (24, 6, 1)
"""Of the periods that are added up, in hours."""
BOUNDS_S: Final = (
    *(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12),
    *(10.24, 20.48, 40.96, 81.92),
)
"""Upper bounds of the buckets of durations; beyond the last there is one more."""
WEIGHTS: Final = 4
"""How many of `unit_sums` are about requests and weights."""
_PERIODS_AT_ONCE: Final = 16
"""Periods of sums that a statement reads: one statement instead of several, and none too long."""
_ANSWER: Final = frozenset({*WORDS, *FLAGS})
_OF_TENANTS: Final = frozenset({"tenant", *_ANSWER})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the requested requests, in one of the tables."""

    table: Table
    """Of the units, or of sums."""
    is_chosen: ColumnElement[bool]
    periods_ns: tuple[tuple[int, int], ...]
    """What it holds; the ends left out."""

    @property
    def end_ns(self) -> int:
        """The end of the last one."""
        return self.periods_ns[-1][1]


def pieces(
    connection: Connection,
    chosen: RequestFilter,
    *,
    sums: Table = ROLLUP,
    by: Collection[str] = (),
    longest: int = LENGTHS[0],
    stale: AbstractSet[int] | None = None,
) -> Iterator[Piece]:
    """Yield pieces that hold each of the chosen requests exactly once.

    Args:
        connection: Within one transaction: the sums fit the units.
        chosen: Which requests.
        sums: The table of sums.
        by: The columns that the sums are to be grouped by.
        longest: Hours of the longest sums that may be read; 0 = count the requests.
        stale: What `stale_hours` returned for a longer period; None = it is called.
    """
    keys = _keys(sums, {*chosen.equal, *by}) if chosen.is_by_columns else None
    if keys is None or not longest:
        period_ns = (chosen.since_ns, chosen.until_ns)
        yield Piece(UNIT, chosen.conditions, (period_ns,))
        return
    if stale is None:
        stale = stale_hours(connection, chosen)
    lengths = tuple(hours for hours in LENGTHS if hours <= longest)
    periods = list(_merged(_periods(chosen.since_ns, chosen.until_ns, stale, lengths)))
    for one in periods:
        if not one.hours:
            is_chosen = chosen.of(one.start_ns, one.end_ns).conditions
            yield Piece(UNIT, is_chosen, (one.bounds_ns,))
    added_up = [one for one in periods if one.hours]
    for start in range(0, len(added_up), _PERIODS_AT_ONCE):
        some = added_up[start : start + _PERIODS_AT_ONCE]
        is_in = or_(*(_is_in(sums, one, chosen.workspace) for one in some))
        is_chosen = and_(is_in, *keys, *chosen.equal_in(sums))
        yield Piece(sums, is_chosen, tuple(one.bounds_ns for one in some))


def stale_hours(connection: Connection, chosen: RequestFilter) -> AbstractSet[int]:
    """Return the hours of a period whose sums are to be computed again."""
    query = select(STALE_HOUR.c.hour).where(
        STALE_HOUR.c.workspace == chosen.workspace,
        STALE_HOUR.c.hour >= chosen.since_ns // HOUR_NS,
        STALE_HOUR.c.hour <= chosen.until_ns // HOUR_NS,
    )
    return set(connection.execute(query).scalars())


@cache
def unit_sums(table: FromClause) -> tuple[ColumnElement[Any], ...]:
    """Select requests, weights, their squares, the largest one and cost, of units or of sums."""
    if table is ROLLUP:
        return (
            whole_sum(ROLLUP.c.requests),
            *(func.sum(ROLLUP.c[name]) for name in ("weight", "weight_squared")),
            largest_weight(ROLLUP),
            func.sum(ROLLUP.c.cost_usd),
        )
    weight = inverse(table.c.head_probability)
    return (
        func.count(),
        func.sum(weight),
        func.sum(weight * weight),
        func.max(weight),
        func.sum(table.c.cost_usd),
    )


def time_of(table: Table) -> ColumnElement[int]:
    """Return when a request came; of sums, when their period begins."""
    return table.c.occurred_ns if table is UNIT else table.c.hour * HOUR_NS


def largest_weight(sums: FromClause) -> ColumnElement[float]:
    """Select the largest weight of sums; of those that an older collector made, their mean."""
    mean = quotient(sums.c.weight_squared, sums.c.weight)
    return func.max(func.coalesce(sums.c.weight_largest, mean))


@cache
def duration_sums(table: FromClause) -> tuple[ColumnElement[int], ...]:
    """Select how many requests took how long, by bucket, of units or of sums.

    Without parameters for its constants: psycopg parses a statement of more than 4,096 characters
    each time that it runs.
    """
    if table is ROLLUP:
        return tuple(whole_sum(ROLLUP.c[name]) for name in TOOK)
    took, one = table.c.duration_s, literal_column("1", Integer)
    bounds = [literal_column(repr(bound), Float) for bound in BOUNDS_S]
    return (
        func.count(case((took <= bounds[0], one))),
        *(
            func.count(case((and_(took > low, took <= high), one)))
            for low, high in pairwise(bounds)
        ),
        func.count(case((took > bounds[-1], one))),
    )


@dataclass(frozen=True, slots=True)
class _Period:
    start_ns: int
    end_ns: int
    hours: int
    """Of the sums to read; 0 = count the requests."""

    @property
    def bounds_ns(self) -> tuple[int, int]:
        return self.start_ns, self.end_ns


def _keys(sums: Table, names: AbstractSet[str]) -> tuple[ColumnElement[bool], ...] | None:
    """Return which rows of a table are keyed by all of the columns; None = there are none."""
    if sums is not ROLLUP:
        return () if names <= {column.name for column in sums.c} else None
    if "tenant" not in names:
        return (ROLLUP.c.by_tenant.is_(False),) if names <= {*WHO, *_ANSWER} else None
    return (ROLLUP.c.by_tenant.is_(True),) if names <= _OF_TENANTS else None


def _periods(
    since_ns: int, until_ns: int, stale: AbstractSet[int], lengths: tuple[int, ...]
) -> Iterator[_Period]:
    """Split a period into whole ones, the longest possible, and the rest."""
    if since_ns >= until_ns:
        return
    if not lengths:
        yield _Period(since_ns, until_ns, 0)
        return
    hours, shorter = lengths[0], lengths[1:]
    length_ns = hours * HOUR_NS
    first, end = -(-since_ns // length_ns), until_ns // length_ns
    if first >= end:
        yield from _periods(since_ns, until_ns, stale, shorter)
        return
    yield from _periods(since_ns, first * length_ns, stale, shorter)
    place = first
    for split in sorted({hour // hours for hour in stale}):
        if not first <= split < end:
            continue
        yield _Period(place * length_ns, split * length_ns, hours)
        yield from _periods(split * length_ns, (split + 1) * length_ns, stale, shorter)
        place = split + 1
    yield _Period(place * length_ns, end * length_ns, hours)
    yield from _periods(end * length_ns, until_ns, stale, shorter)


def _merged(periods: Iterator[_Period]) -> Iterator[_Period]:
    """Yield neighbors of one length as one period, and no empty ones."""
    last: _Period | None = None
    for period in chain(periods, [_Period(0, 1, -1)]):
        if period.start_ns == period.end_ns:
            continue
        if last is not None and (last.end_ns, last.hours) == (period.start_ns, period.hours):
            last = _Period(last.start_ns, period.end_ns, last.hours)
            continue
        if last is not None:
            yield last
        last = period


def _is_in(sums: Table, period: _Period, workspace: str) -> ColumnElement[bool]:
    return and_(
        sums.c.workspace == workspace,
        sums.c.hours == period.hours,
        sums.c.hour >= period.start_ns // HOUR_NS,
        sums.c.hour < period.end_ns // HOUR_NS,
    )
