"""Requests added up by five minutes, hour, six hours and day: a period is read from few rows.

Sums of hours that changed since they were added up are not read, see `stale_hour`. Their sums by
five minutes are read instead, where those are kept (`detailed_hour`), as for the cut hours at both
ends of a period. What remains is counted request by request: five minutes that changed
(`stale_minute`), and those that the period's ends cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import Float, Integer, and_, case, func, literal_column, or_, select, union_all

from sqlobs_collector.store.portable import inverse, quotient, whole_sum
from sqlobs_collector.store.tables import (
    DETAILED_HOUR,
    EVALUATION_ROLLUP,
    FLAGS,
    MINUTE_ROLLUP,
    ROLLUP,
    STALE_HOUR,
    STALE_MINUTE,
    TOOK,
    UNIT,
    WHO,
    WORDS,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from sqlalchemy import ColumnElement, CompoundSelect, Connection, FromClause, Select, Table

    from sqlobs_collector.store.selection import RequestFilter

HOUR_NS: Final = 3600 * 10**9
LENGTHS: Final = (24, 6, 1)
"""Of the periods that are added up, in hours."""
MINUTES: Final = 5
"""Of the shortest periods that are added up."""
MINUTE_NS: Final = 60 * 10**9
_DETAIL_NS: Final = MINUTES * MINUTE_NS
_DETAILS: Final = HOUR_NS // _DETAIL_NS
"""How many an hour has."""
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


@dataclass(frozen=True, slots=True)
class Changes:
    """Which sums of a period cannot be read, by their numbers since 1970."""

    hours: AbstractSet[int]
    """Those that are to be computed again."""
    details: AbstractSet[int]
    """Five minutes that are to be computed again."""
    detailed: AbstractSet[int]
    """Hours that have sums by five minutes."""

    def splits(self, length_ns: int, first: int, end: int) -> list[int]:
        """Return which periods of a length, from the first to the end, have no sums to be read."""
        if length_ns >= HOUR_NS:
            changed = {hour * HOUR_NS // length_ns for hour in self.hours}
        else:
            hours = range(first // _DETAILS, (end - 1) // _DETAILS + 1)
            others = (hour for hour in hours if hour not in self.detailed)
            changed = {
                hour * _DETAILS + place for hour in others for place in range(_DETAILS)
            } | self.details
        return sorted(number for number in changed if first <= number < end)


def pieces(
    connection: Connection,
    chosen: RequestFilter,
    *,
    sums: Table = ROLLUP,
    by: Collection[str] = (),
    within_ns: int = 0,
    changes: Changes | None = None,
) -> Iterator[Piece]:
    """Yield pieces that hold each of the chosen requests exactly once.

    Args:
        connection: Within one transaction: the sums fit the units.
        chosen: Which requests.
        sums: The table of sums.
        by: The columns that the sums are to be grouped by.
        within_ns: Length of parts that no sum may exceed; 0 = any.
        changes: What `changes_of` returned for a longer period; None = it is called.
    """
    is_by_tenant = _is_by_tenant(sums, {*chosen.equal, *by}) if chosen.is_by_columns else None
    lengths = _lengths(sums, within_ns)
    if is_by_tenant is None or not lengths:
        period_ns = (chosen.since_ns, chosen.until_ns)
        yield Piece(UNIT, chosen.conditions, (period_ns,))
        return
    if changes is None:
        changes = changes_of(connection, chosen)
    periods = list(_merged(_periods(chosen.since_ns, chosen.until_ns, changes, lengths)))
    counted = [one.bounds_ns for one in periods if not one.length_ns]
    for some_ns in _few(counted):
        is_chosen = or_(*(chosen.of(*bounds_ns).conditions for bounds_ns in some_ns))
        yield Piece(UNIT, is_chosen, tuple(some_ns))
    for table in (MINUTE_ROLLUP, sums):
        added_up = [one for one in periods if one.length_ns and _table(one, sums) is table]
        for start in range(0, len(added_up), _PERIODS_AT_ONCE):
            some = added_up[start : start + _PERIODS_AT_ONCE]
            is_in = or_(*(_is_in(table, one, chosen.workspace) for one in some))
            is_chosen = and_(
                is_in, *_rows_by(table, is_by_tenant=is_by_tenant), *chosen.equal_in(table)
            )
            yield Piece(table, is_chosen, tuple(one.bounds_ns for one in some))


def _few(counted_ns: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Yield periods one by one, which databases read fastest; of many, several at once.

    A statement that reads them all has one part for each: SQLite takes 500.
    """
    at_once = 1 if len(counted_ns) <= _PERIODS_AT_ONCE else _PERIODS_AT_ONCE
    for start in range(0, len(counted_ns), at_once):
        yield counted_ns[start : start + at_once]


def together(queries: Iterable[Select[Any]]) -> Select[Any] | CompoundSelect[Any]:
    """Return several queries of the same columns as one statement, which costs less."""
    listed = list(queries)
    return listed[0] if len(listed) == 1 else union_all(*listed)


def changes_of(connection: Connection, chosen: RequestFilter) -> Changes:
    """Return which sums of a period cannot be read."""
    first, last = chosen.since_ns // HOUR_NS, chosen.until_ns // HOUR_NS
    minute = STALE_MINUTE.c.minute
    query = union_all(
        *(
            select(literal_column(f"'{table.name}'"), table.c.hour).where(
                table.c.workspace == chosen.workspace,
                table.c.hour >= first,
                table.c.hour <= last,
            )
            for table in (STALE_HOUR, DETAILED_HOUR)
        ),
        select(literal_column(f"'{STALE_MINUTE.name}'"), minute)
        .where(STALE_MINUTE.c.workspace == chosen.workspace)
        .where(minute >= first * 60, minute < (last + 1) * 60)
        .distinct(),
    )
    found: dict[str, set[int]] = {}
    for name, number in connection.execute(query):
        found.setdefault(name, set()).add(number)
    details = {number // MINUTES for number in found.get(STALE_MINUTE.name, ())}
    return Changes(found.get(STALE_HOUR.name, set()), details, found.get(DETAILED_HOUR.name, set()))


@cache
def unit_sums(table: FromClause) -> tuple[ColumnElement[Any], ...]:
    """Select requests, weights, their squares, the largest one and cost, of units or of sums."""
    if table is not UNIT:
        return (
            whole_sum(table.c.requests),
            *(func.sum(table.c[name]) for name in ("weight", "weight_squared")),
            largest_weight(table),
            func.sum(table.c.cost_usd),
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
    if table is UNIT:
        return table.c.occurred_ns
    return table.c.minute * MINUTE_NS if table is MINUTE_ROLLUP else table.c.hour * HOUR_NS


def largest_weight(sums: FromClause) -> ColumnElement[float]:
    """Select the largest weight of sums; of those that an older collector made, their mean."""
    mean = quotient(sums.c.weight_squared, sums.c.weight)
    return func.max(func.coalesce(sums.c.weight_largest, mean))


def latest(table: Table) -> ColumnElement[int]:
    """Select the time of the latest request; of sums that an older collector made, their begin."""
    if table is UNIT:
        return func.max(UNIT.c.occurred_ns)
    return func.max(func.coalesce(table.c.last_ns, time_of(table)))


@cache
def duration_sums(table: FromClause) -> tuple[ColumnElement[int], ...]:
    """Select how many requests took how long, by bucket, of units or of sums.

    Without parameters for its constants: psycopg parses a statement of more than 4,096 characters
    each time that it runs.
    """
    if table is not UNIT:
        return tuple(whole_sum(table.c[name]) for name in TOOK)
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


class _Period(NamedTuple):
    start_ns: int
    end_ns: int
    length_ns: int
    """Of the sums to read; 0 = count the requests."""

    @property
    def bounds_ns(self) -> tuple[int, int]:
        return self.start_ns, self.end_ns


def _lengths(sums: Table, within_ns: int) -> tuple[int, ...]:
    """Return the lengths of periods whose sums may be read, the longest first."""
    known = [hours * HOUR_NS for hours in LENGTHS]
    if sums is ROLLUP:
        known.append(_DETAIL_NS)
    return tuple(one for one in known if within_ns % one == 0)


def _table(period: _Period, sums: Table) -> Table:
    return MINUTE_ROLLUP if period.length_ns == _DETAIL_NS else sums


def _is_by_tenant(sums: Table, names: AbstractSet[str]) -> bool | None:
    """Return whether the rows by tenant are keyed by all of the columns; None: no rows are."""
    if sums is EVALUATION_ROLLUP:
        return False if names <= {column.name for column in sums.c} else None
    if "tenant" not in names:
        return False if names <= {*WHO, *_ANSWER} else None
    return True if names <= _OF_TENANTS else None


def _rows_by(table: Table, *, is_by_tenant: bool) -> tuple[ColumnElement[bool], ...]:
    return () if table is EVALUATION_ROLLUP else (table.c.by_tenant.is_(is_by_tenant),)


def _periods(
    since_ns: int, until_ns: int, changes: Changes, lengths: tuple[int, ...]
) -> Iterator[_Period]:
    """Split a period into whole ones, the longest possible, and the rest."""
    if since_ns >= until_ns:
        return
    if not lengths:
        yield _Period(since_ns, until_ns, 0)
        return
    length_ns, shorter = lengths[0], lengths[1:]
    first, end = -(-since_ns // length_ns), until_ns // length_ns
    if first >= end:
        yield from _periods(since_ns, until_ns, changes, shorter)
        return
    yield from _periods(since_ns, first * length_ns, changes, shorter)
    place = first
    for split in changes.splits(length_ns, first, end):
        yield _Period(place * length_ns, split * length_ns, length_ns)
        yield from _periods(split * length_ns, (split + 1) * length_ns, changes, shorter)
        place = split + 1
    yield _Period(place * length_ns, end * length_ns, length_ns)
    yield from _periods(end * length_ns, until_ns, changes, shorter)


def _merged(periods: Iterator[_Period]) -> Iterator[_Period]:
    """Yield neighbors of one length as one period, and no empty ones."""
    last: _Period | None = None
    for period in chain(periods, [_Period(0, 1, -1)]):
        if period.start_ns == period.end_ns:
            continue
        if last is not None and (last.end_ns, last.length_ns) == (
            period.start_ns,
            period.length_ns,
        ):
            last = last._replace(end_ns=period.end_ns)
            continue
        if last is not None:
            yield last
        last = period


def _is_in(table: Table, period: _Period, workspace: str) -> ColumnElement[bool]:
    if table is MINUTE_ROLLUP:
        return and_(
            table.c.workspace == workspace,
            table.c.minute >= period.start_ns // MINUTE_NS,
            table.c.minute < period.end_ns // MINUTE_NS,
        )
    return and_(
        table.c.workspace == workspace,
        table.c.hours == period.length_ns // HOUR_NS,
        table.c.hour >= period.start_ns // HOUR_NS,
        table.c.hour < period.end_ns // HOUR_NS,
    )
