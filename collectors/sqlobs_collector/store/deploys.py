"""Deploys: the first request of each version of a service, found by sums of days, then of hours.

Tests: `tests/console/test_overview.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from sqlobs_collector.store.portable import is_among
from sqlobs_collector.store.rollup import HOUR_NS, LENGTHS, pieces, stale_hours, time_of
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import ROLLUP, UNIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from sqlalchemy import Connection

_DAY_HOURS: Final = LENGTHS[0]


def first_seen(
    connection: Connection, workspace: str, *, since_ns: int, until_ns: int
) -> dict[str, int]:
    """Return the time of the first request of each version of a service.

    Args:
        connection: Within one transaction: the sums fit the units.
        workspace: Whose.
        since_ns: Versions that were seen before are left out.
        until_ns: Later ones, too.
    """
    whole = RequestFilter(workspace=workspace, until_ns=until_ns, equal={"provenance": "live"})
    stale = stale_hours(connection, whole)
    days = {
        name: day
        for name, day in _first_days(connection, whole, stale).items()
        if name and (day + 1) * _DAY_HOURS * HOUR_NS > since_ns
    }
    unsummed = {*stale, until_ns // HOUR_NS}  # the last hour is cut
    hours = _first_hours(connection, workspace, days, unsummed)
    found = {
        name: _first(
            connection,
            whole.within(service_version=name),
            known=hours.get((name, day)),
            unsummed=sorted(hour for hour in unsummed if hour // _DAY_HOURS == day),
        )
        or hours.get((name, day), day * _DAY_HOURS) * HOUR_NS
        for name, day in days.items()
    }
    return {name: at_ns for name, at_ns in found.items() if at_ns >= since_ns}


def _first_days(
    connection: Connection, chosen: RequestFilter, stale: AbstractSet[int]
) -> dict[str, int]:
    """Return the number of the first day with requests of each version."""
    found: dict[str, int] = {}
    for piece in pieces(connection, chosen, by=["service_version"], stale=stale):
        version = func.coalesce(piece.table.c.service_version, "")
        query = select(version, func.min(time_of(piece.table))).where(piece.is_chosen)
        for name, time_ns in connection.execute(query.group_by(version)):
            day = time_ns // (_DAY_HOURS * HOUR_NS)
            found[name] = min(day, found.get(name, day))
    return found


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


def _first(
    connection: Connection, chosen: RequestFilter, *, known: int | None, unsummed: Iterable[int]
) -> int | None:
    """Return the time of the first request; None: it has left the store, but not the sums.

    Args:
        connection: To the store.
        chosen: The requests of a version.
        known: The first hour with some, by sums.
        unsummed: Hours that may have some, in the order of time.
    """
    before = (hour for hour in unsummed if known is None or hour < known)
    for hour in (*before, *(() if known is None else (known,))):
        within = chosen.of(hour * HOUR_NS, min((hour + 1) * HOUR_NS, chosen.until_ns))
        query = select(func.min(UNIT.c.occurred_ns)).where(within.conditions)
        found: int | None = connection.execute(query).scalar_one()
        if found is not None:
            return found
    return None
