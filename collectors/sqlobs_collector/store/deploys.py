"""Deploys: the first request of each version of a service, found by sums of days, then of hours.

Tests: `tests/console/test_overview.py`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BigInteger, Text, func, literal, select, union_all

from sqlobs_collector.store.portable import is_among
from sqlobs_collector.store.rollup import (
    HOUR_NS,
    LENGTHS,
    changes_of,
    pieces,
    time_of,
    together,
)
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import ROLLUP, UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from sqlalchemy import Connection, Select, Table

    from sqlobs_collector.store.rollup import Changes

_DAY_HOURS: Final = LENGTHS[0]
_NAME: Final = Text()
_TIME: Final = BigInteger()
"""Types, once: what SQLAlchemy caches of them belongs to the object."""


def first_seen(
    connection: Connection,
    workspace: str,
    *,
    since_ns: int,
    until_ns: int,
    changes: Changes | None = None,
) -> dict[str, int]:
    """Return the time of the first request of each version of a service.

    Args:
        connection: Within one transaction: the sums fit the units.
        workspace: Whose.
        since_ns: Versions that were seen before are left out.
        until_ns: Later ones, too.
        changes: Which sums cannot be read, if that is known.
    """
    whole = RequestFilter(workspace=workspace, until_ns=until_ns, equal={"provenance": "live"})
    changes = changes or changes_of(connection, whole)
    days = {
        name: day
        for name, day in _first_days(connection, whole, changes).items()
        if name and (day + 1) * _DAY_HOURS * HOUR_NS > since_ns
    }
    unsummed = {*changes.hours, until_ns // HOUR_NS}  # the last hour is cut
    hours = _first_hours(connection, workspace, days, unsummed)
    candidates = [
        (name, hour)
        for name, day in days.items()
        for hour in _candidates(hours.get((name, day)), unsummed, day)
    ]
    exact = _first_times(connection, whole, candidates)
    found = {
        name: exact.get(name) or hours.get((name, day), day * _DAY_HOURS) * HOUR_NS
        for name, day in days.items()
    }
    return {name: at_ns for name, at_ns in found.items() if at_ns >= since_ns}


def _first_days(connection: Connection, chosen: RequestFilter, changes: Changes) -> dict[str, int]:
    """Return the number of the first day with requests of each version."""
    found: dict[str, int] = {}
    read = pieces(connection, chosen, by=["service_version"], changes=changes)
    for name, time_ns in connection.execute(
        together(_first_times_in(one.table).where(one.is_chosen) for one in read)
    ):
        day = time_ns // (_DAY_HOURS * HOUR_NS)
        found[name] = min(day, found.get(name, day))
    return found


@cache
def _first_times_in(table: Table) -> Select[Any, Any]:
    """Select the time of the first request of each version; of sums, when their period begins."""
    version = func.coalesce(table.c.service_version, "")
    return select(version, func.min(time_of(table))).group_by(version)


def _first_hours(
    connection: Connection, workspace: str, days: Mapping[str, int], unsummed: AbstractSet[int]
) -> dict[tuple[str, int], int]:
    """Return the first hour with requests of a version in a day, by sums; by version and day."""
    if not days:
        return {}
    first_ones = (day * _DAY_HOURS for day in days.values())
    hours = {hour for first in first_ones for hour in range(first, first + _DAY_HOURS)}
    day = (ROLLUP.c.hour // _DAY_HOURS).label("day")
    query = (
        select(ROLLUP.c.service_version, day, func.min(ROLLUP.c.hour))
        .where(ROLLUP.c.workspace == workspace, ROLLUP.c.by_tenant.is_(False))
        .where(ROLLUP.c.hours == 1, is_among(ROLLUP.c.hour, sorted(hours - unsummed)))
        .where(ROLLUP.c.provenance == "live", ROLLUP.c.service_version.in_(days))
        .group_by(ROLLUP.c.service_version, day)
    )
    return {(name, number): hour for name, number, hour in connection.execute(query)}


def _candidates(known: int | None, unsummed: AbstractSet[int], day: int) -> list[int]:
    """Return the hours of a day that may have the first request of a version.

    Args:
        known: The first hour with some, by sums.
        unsummed: Hours that no sums tell about.
        day: Its number.
    """
    before = [
        hour for hour in unsummed if hour // _DAY_HOURS == day and (known is None or hour < known)
    ]
    return [*before, *(() if known is None else (known,))]


def _first_times(
    connection: Connection, chosen: RequestFilter, candidates: Sequence[tuple[str, int]]
) -> dict[str, int]:
    """Return the time of the first request of versions, by one look into an index for each hour.

    A version is left out whose requests have left the store, but not the sums.
    """
    if not candidates:
        return {}
    looked_at = union_all(
        *(
            select(
                literal(name, _NAME).label("name"),
                literal(hour * HOUR_NS, _TIME).label("start"),
                literal(min((hour + 1) * HOUR_NS, chosen.until_ns), _TIME).label("until"),
            )
            for name, hour in candidates
        )
    ).subquery()
    first = select(func.min(UNIT.c.occurred_ns)).where(
        UNIT.c.workspace == chosen.workspace,
        UNIT.c.provenance == "live",
        UNIT.c.service_version == looked_at.c.name,
        UNIT.c.occurred_ns >= looked_at.c.start,
        UNIT.c.occurred_ns < looked_at.c.until,
    )
    found: dict[str, int] = {}
    for name, at_ns in connection.execute(select(looked_at.c.name, first.scalar_subquery())):
        if at_ns is not None:
            found[name] = min(at_ns, found.get(name, at_ns))
    return found
