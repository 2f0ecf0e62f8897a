"""Adds up the requests and evaluations of hours that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    BigInteger,
    Integer,
    Text,
    and_,
    bindparam,
    delete,
    exists,
    insert,
    literal,
    literal_column,
    null,
    select,
)

from sqlobs_collector.store.portable import upsert
from sqlobs_collector.store.rated import RATED, evaluation_sums
from sqlobs_collector.store.rollup import (
    HOUR_NS,
    LENGTHS,
    MINUTE_NS,
    MINUTES,
    duration_sums,
    latest,
    unit_sums,
)
from sqlobs_collector.store.systems import system_of
from sqlobs_collector.store.tables import (
    DETAILED_HOUR,
    EVALUATION,
    EVALUATION_ROLLUP,
    FLAGS,
    FROZEN,
    MINUTE_ROLLUP,
    ROLLUP,
    STALE_HOUR,
    STALE_MINUTE,
    UNIT,
    WHO,
    WORDS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection, Delete, Insert, Select, Table

_WORKSPACE: Final = bindparam("workspace", type_=Text)
_HOURS: Final = bindparam("hours", type_=Integer)
_FIRST: Final = bindparam("first", type_=BigInteger)
_END: Final = bindparam("end", type_=BigInteger)
_ANSWER: Final = (*WORDS, *FLAGS)


class RollupWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def stale(self) -> list[tuple[str, int]]:
        """Return workspace and number of each hour that changed, the latest first."""
        minutes = select(STALE_MINUTE.c.workspace, STALE_MINUTE.c.minute // 60)
        query = select(STALE_HOUR.c.workspace, STALE_HOUR.c.hour.label("hour")).union(minutes)
        query = query.order_by(literal_column("hour").desc())
        return [(workspace, hour) for workspace, hour in self._connection.execute(query)]

    def add_up(self, workspace: str, hour: int, *, is_detailed: bool = False) -> None:
        """Replace the sums of an hour, and of the longer periods that it belongs to.

        Args:
            workspace: Whose.
            hour: Its number since 1970.
            is_detailed: By five minutes, too, from now on.
        """
        system_of(self._connection).lock_hour(self._connection, workspace, hour)
        given: dict[str, object] = {"workspace": workspace, "first": hour}
        self._connection.execute(_FORGET, given)
        self._add_up_minutes(workspace, hour, is_detailed=is_detailed)
        for hours in sorted(LENGTHS):
            first = hour // hours * hours
            period = given | {"hours": hours, "first": first, "end": first + hours}
            for statement in (*_REPLACED, *(_FROM_REQUESTS if hours == 1 else _FROM_HOURS)):
                self._connection.execute(statement, period)

    def _add_up_minutes(self, workspace: str, hour: int, *, is_detailed: bool) -> None:
        """Replace the sums by five minutes that changed; of a new hour all, of old ones none."""
        given = {"workspace": workspace, "first": hour * 60, "end": hour * 60 + 60}
        changed = self._connection.execute(_CHANGED_MINUTES, given).scalars().all()
        self._connection.execute(_FORGET_MINUTES, given)
        key = {"workspace": workspace, "hour": hour}
        is_known = self._connection.execute(_IS_DETAILED, key).scalar_one()
        if is_detailed and not is_known:
            self._connection.execute(upsert(DETAILED_HOUR).on_conflict_do_nothing(), key)
        elif is_known and changed:
            given |= {"first": min(changed), "end": max(changed) + MINUTES}
        else:
            return
        for statement in _MINUTE_SUMS:
            self._connection.execute(statement, given)

    def forget_details(self, before_hour: int) -> None:
        """Delete the sums by five minutes of hours before one."""
        is_old = DETAILED_HOUR.c.hour < before_hour
        for workspace, hour in self._connection.execute(select(DETAILED_HOUR).where(is_old)).all():
            given = {"workspace": workspace, "first": hour * 60, "end": hour * 60 + 60}
            self._connection.execute(_DELETE_MINUTES, given)
        self._connection.execute(delete(DETAILED_HOUR).where(is_old))

    def forget_tenant(self, workspace: str, tenants: Sequence[str]) -> None:
        """Delete a tenant's own sums of requests that have left the store."""
        is_of = and_(ROLLUP.c.workspace == workspace, ROLLUP.c.tenant.in_(tenants))
        is_frozen = and_(is_of, ROLLUP.c.hours == FROZEN)
        hours = select(ROLLUP.c.hour).where(is_frozen).distinct()
        found = sorted(self._connection.execute(hours).scalars())
        self._connection.execute(delete(ROLLUP).where(is_frozen))
        for hour in found:
            self.add_up(workspace, hour)

    def freeze(self, workspace: str, hour: int, ids: Sequence[int]) -> None:
        """Let requests of an hour stay in its sums when they leave the store."""
        given = {"workspace": workspace, "hours": FROZEN, "first": hour, "end": hour + 1}
        for statement in _FROZEN_SUMS:
            self._connection.execute(statement, given | {"ids": list(ids)})


def _replaced(table: Table) -> Delete:
    is_period = and_(table.c.workspace == _WORKSPACE, table.c.hours == _HOURS)
    return delete(table).where(is_period, table.c.hour == _FIRST)


def _sums(table: Table, is_chosen: ColumnElement[bool], *, by_tenant: bool) -> Insert:
    """Add up units, or their sums by hour."""
    grouped = ("tenant", *_ANSWER) if by_tenant else (*WHO, *_ANSWER)
    keys = [table.c[name] if name in grouped else null() for name in (*WHO, "tenant", *_ANSWER)]
    head = (_WORKSPACE, literal(by_tenant), _HOURS, _FIRST)
    sums = (*unit_sums(table), *duration_sums(table), latest(table))
    query = select(*head, *keys, *sums).where(is_chosen)
    return _into(ROLLUP, query.group_by(*(table.c[name] for name in grouped)))


def _minute_sums(*, by_tenant: bool) -> Insert:
    """Add up units by five minutes."""
    grouped = ("tenant", *_ANSWER) if by_tenant else (*WHO, *_ANSWER)
    keys = [UNIT.c[name] if name in grouped else null() for name in (*WHO, "tenant", *_ANSWER)]
    minute = UNIT.c.occurred_ns // literal_column(str(MINUTES * MINUTE_NS), BigInteger) * MINUTES
    head = (_WORKSPACE, literal(by_tenant), minute)
    sums = (*unit_sums(UNIT), *duration_sums(UNIT), latest(UNIT))
    query = select(*head, *keys, *sums).where(
        UNIT.c.workspace == _WORKSPACE,
        UNIT.c.occurred_ns >= _FIRST * MINUTE_NS,
        UNIT.c.occurred_ns < _END * MINUTE_NS,
    )
    return _into(MINUTE_ROLLUP, query.group_by(minute, *(UNIT.c[name] for name in grouped)))


def _evaluations(is_chosen: ColumnElement[bool]) -> Insert:
    keys = [*(UNIT.c[name] for name in (*WHO, *WORDS)), EVALUATION.c.metric]
    query = select(_WORKSPACE, _HOURS, _FIRST, *keys, *evaluation_sums(UNIT))
    query = query.join_from(UNIT, EVALUATION, UNIT.c.id == EVALUATION.c.unit_id)
    return _into(EVALUATION_ROLLUP, query.where(is_chosen, RATED).group_by(*keys))


def _joined_evaluations() -> Insert:
    keys = [EVALUATION_ROLLUP.c[name] for name in (*WHO, *WORDS, "metric")]
    query = select(_WORKSPACE, _HOURS, _FIRST, *keys, *evaluation_sums(EVALUATION_ROLLUP))
    return _into(EVALUATION_ROLLUP, query.where(_hourly(EVALUATION_ROLLUP)).group_by(*keys))


def _into(table: Table, rows: Select[Any]) -> Insert:
    return insert(table).from_select([column.name for column in table.c], rows)


def _hourly(table: Table) -> ColumnElement[bool]:
    is_of = and_(table.c.workspace == _WORKSPACE, table.c.hours == 1)
    return and_(is_of, table.c.hour >= _FIRST, table.c.hour < _END)


def _thawed(table: Table) -> Insert:
    """Count requests that have left the store into the sums of their hour."""
    is_frozen = and_(table.c.workspace == _WORKSPACE, table.c.hours == FROZEN)
    columns = [_HOURS if column is table.c.hours else column for column in table.c]
    return _into(table, select(*columns).where(is_frozen, table.c.hour == _FIRST))


_IN_PERIOD: Final = and_(
    UNIT.c.workspace == _WORKSPACE,
    UNIT.c.occurred_ns >= _FIRST * HOUR_NS,
    UNIT.c.occurred_ns < _END * HOUR_NS,
)
_BY_TENANT: Final = (False, True)
_FORGET: Final = delete(STALE_HOUR).where(
    STALE_HOUR.c.workspace == _WORKSPACE, STALE_HOUR.c.hour == _FIRST
)
_ARE_STALE: Final = and_(
    STALE_MINUTE.c.workspace == _WORKSPACE,
    STALE_MINUTE.c.minute >= _FIRST,
    STALE_MINUTE.c.minute < _END,
)
_CHANGED_MINUTES: Final = select(STALE_MINUTE.c.minute).where(_ARE_STALE).distinct()
_FORGET_MINUTES: Final = delete(STALE_MINUTE).where(_ARE_STALE)
_IS_DETAILED: Final = select(
    exists().where(
        DETAILED_HOUR.c.workspace == _WORKSPACE,
        DETAILED_HOUR.c.hour == bindparam("hour", type_=BigInteger),
    )
)
_DELETE_MINUTES: Final = delete(MINUTE_ROLLUP).where(
    MINUTE_ROLLUP.c.workspace == _WORKSPACE,
    MINUTE_ROLLUP.c.by_tenant.in_((False, True)),  # for the index
    MINUTE_ROLLUP.c.minute >= _FIRST,
    MINUTE_ROLLUP.c.minute < _END,
)
_MINUTE_SUMS: Final = (
    _DELETE_MINUTES,
    *(_minute_sums(by_tenant=by_tenant) for by_tenant in _BY_TENANT),
)
_REPLACED: Final = (_replaced(ROLLUP), _replaced(EVALUATION_ROLLUP))
_FROM_REQUESTS: Final = (
    *(_sums(UNIT, _IN_PERIOD, by_tenant=by_tenant) for by_tenant in _BY_TENANT),
    _evaluations(_IN_PERIOD),
    _thawed(ROLLUP),
    _thawed(EVALUATION_ROLLUP),
)
_LEAVING: Final = and_(_IN_PERIOD, UNIT.c.id.in_(bindparam("ids", expanding=True)))
_FROZEN_SUMS: Final = (
    *(_sums(UNIT, _LEAVING, by_tenant=by_tenant) for by_tenant in _BY_TENANT),
    _evaluations(_LEAVING),
)
_FROM_HOURS: Final = (
    *(
        _sums(ROLLUP, and_(_hourly(ROLLUP), ROLLUP.c.by_tenant.is_(by_tenant)), by_tenant=by_tenant)
        for by_tenant in _BY_TENANT
    ),
    _joined_evaluations(),
)
