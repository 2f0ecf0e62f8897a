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
    insert,
    literal,
    null,
    select,
)

from sqlobs_collector.store.quality import RATED, evaluation_sums
from sqlobs_collector.store.rollup import HOUR_NS, LENGTHS, duration_sums, unit_sums
from sqlobs_collector.store.systems import system_of
from sqlobs_collector.store.tables import (
    EVALUATION,
    EVALUATION_ROLLUP,
    FLAGS,
    FROZEN,
    ROLLUP,
    STALE_HOUR,
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
        query = select(STALE_HOUR.c.workspace, STALE_HOUR.c.hour).order_by(STALE_HOUR.c.hour.desc())
        return [(workspace, hour) for workspace, hour in self._connection.execute(query)]

    def add_up(self, workspace: str, hour: int) -> None:
        """Replace the sums of an hour, and of the longer periods that it belongs to."""
        system_of(self._connection).lock_hour(self._connection, workspace, hour)
        given: dict[str, object] = {"workspace": workspace, "first": hour}
        self._connection.execute(_FORGET, given)
        for hours in sorted(LENGTHS):
            first = hour // hours * hours
            period = given | {"hours": hours, "first": first, "end": first + hours}
            for statement in (*_REPLACED, *(_FROM_REQUESTS if hours == 1 else _FROM_HOURS)):
                self._connection.execute(statement, period)

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
    query = select(*head, *keys, *unit_sums(table), *duration_sums(table)).where(is_chosen)
    return _into(ROLLUP, query.group_by(*(table.c[name] for name in grouped)))


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
