"""Failures in groups: code, invented name, model and prompt version; and what people decided."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from sqlalchemy import and_, case, func, select, tuple_

from sqlobs_collector.store.portable import upsert, whole_sum
from sqlobs_collector.store.rollup import pieces, unit_sums
from sqlobs_collector.store.tables import FAILURE, FAILURE_GROUP, UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import CTE, ColumnElement, Connection, Select

    from sqlobs_collector.store.rollup import Piece
    from sqlobs_collector.store.selection import RequestFilter
    from sqlobs_collector.store.snapshots import Connects

Decision = Literal["open", "acknowledged", "resolved"]
_PARTS: Final = 12
"""Of a window, in which the failures of a group are counted for its trend."""
_BEFORE: Final = -1
"""The part that is the window of the same length before."""


class GroupKey(NamedTuple):
    """What the failures of a group have in common; empty: none, or unknown."""

    failure_code: str
    name: str
    model: str
    prompt_version: str


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """The failures of one key."""

    key: GroupKey
    kind: str
    """`table` or `column`; empty without a name."""
    requests: int
    """In the window."""
    before: int
    """In the window of the same length before it."""
    first_ns: int
    """The first one that is stored."""
    last_ns: int
    trend: list[int]
    """Requests in equal parts of the window, in the order of time."""


class GroupDecision(NamedTuple):
    """What somebody decided about a group."""

    status: Decision
    assignee: str | None
    note: str | None
    changed_ns: int
    changed_by: str | None


_KEY: Final = tuple(FAILURE.c[name] for name in GroupKey._fields)
_ANSWERED: Final = ("model", "prompt_version", "outcome", "verdict")
_DECIDED: Final = tuple(FAILURE_GROUP.c[name] for name in GroupDecision._fields)


class FailureReader:
    """Counts failures; each call is a short transaction of its own."""

    def __init__(self, engine: Connects) -> None:
        self._engine = engine

    def groups(self, chosen: RequestFilter, *, limit: int) -> list[FailureGroup]:
        """Return the groups with failures in the window, the largest first."""
        part_ns = max(1, -(-(chosen.until_ns - chosen.since_ns) // _PARTS))
        counted = _counted(chosen, part_ns).cte("counted")
        largest = _largest(counted, chosen, limit).cte("largest")
        # A group without a name has an empty one, so keys are comparable.
        is_of = and_(*(largest.c[name] == counted.c[name] for name in GroupKey._fields))
        query = select(largest, counted.c.part, counted.c.requests.label("of_part")).join(
            counted, is_of & (counted.c.part >= 0)
        )
        groups: dict[GroupKey, FailureGroup] = {}
        with self._engine.connect() as connection:
            for row in connection.execute(query.order_by(*_in_order(largest))):
                key = GroupKey(*row[:4])
                known = row.kind, row.requests, row.before, row.first_ns, row.last_ns
                group = groups.setdefault(key, FailureGroup(key, *known, [0] * _PARTS))
                group.trend[min(row.part, _PARTS - 1)] += row.of_part
        return list(groups.values())

    def answers(self, chosen: RequestFilter) -> dict[tuple[str, str], int]:
        """Return the answers with a verdict in the window, by model and prompt version.

        The filters of a failure (its code, its name) do not narrow what it is a share of.
        """
        whole = replace(
            chosen,
            equal={
                "provenance": "live",
                **{name: text for name, text in chosen.equal.items() if name != "failure_code"},
            },
            name=None,
            searched=None,
            evaluated=(),
        )
        found: Counter[tuple[str, str]] = Counter()
        with self._engine.connect() as connection:
            for piece in pieces(connection, whole, by=_ANSWERED):
                for model, prompt, count in connection.execute(_answers(piece)):
                    found[model or "", prompt or ""] += count
        return found

    def examples(
        self, workspace: str, groups: Sequence[FailureGroup]
    ) -> dict[GroupKey, Mapping[str, object]]:
        """Return the row of the latest request of each group."""
        latest = tuple_(*_KEY, FAILURE.c.occurred_ns)
        query = (
            select(*(column.label(f"_{column.name}") for column in _KEY), UNIT)
            .join(FAILURE, FAILURE.c.unit_id == UNIT.c.id)
            .where(FAILURE.c.workspace == workspace)
            .where(latest.in_([(*one.key, one.last_ns) for one in groups]))
            .order_by(UNIT.c.id)  # of several at once, the last
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).mappings()
            return {
                GroupKey(*(row[f"_{name}"] for name in GroupKey._fields)): {
                    column.name: row[column] for column in UNIT.c
                }
                for row in rows
            }

    def decisions(self, workspace: str) -> dict[GroupKey, GroupDecision]:
        """Return what was decided about groups."""
        key = [FAILURE_GROUP.c[name] for name in GroupKey._fields]
        query = select(*key, *_DECIDED).where(FAILURE_GROUP.c.workspace == workspace)
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return {GroupKey(*row[:4]): GroupDecision(*row[4:]) for row in rows}


class DecisionWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, workspace: str, key: GroupKey, decision: GroupDecision) -> None:
        """Replace what was decided about a group."""
        statement = upsert(FAILURE_GROUP).values(
            workspace=workspace, **key._asdict(), **decision._asdict()
        )
        columns = [FAILURE_GROUP.c[name] for name in ("workspace", *GroupKey._fields)]
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=columns, set_=decision._asdict())
        )


def _answers(piece: Piece) -> Select[Any]:
    table = piece.table
    columns = (table.c.model, table.c.prompt_version)
    is_answered = table.c.outcome.is_(None) | (table.c.outcome == "answered")
    return (
        select(*columns, unit_sums(table)[0])
        .where(piece.is_chosen, is_answered, table.c.verdict.is_not(None))
        .group_by(*columns)
    )


def _counted(chosen: RequestFilter, part_ns: int) -> Select[Any]:
    """Select the failures of each group by part of the window; parts before it are negative."""
    since_ns, at_ns = chosen.since_ns, FAILURE.c.occurred_ns
    part = case((at_ns >= since_ns, (at_ns - since_ns) // part_ns), else_=_BEFORE).label("part")
    return (
        select(
            *_KEY,
            part,
            func.max(FAILURE.c.kind).label("kind"),
            func.count().label("requests"),
            func.max(at_ns).label("last_ns"),
        )
        .where(chosen.of(2 * since_ns - chosen.until_ns, chosen.until_ns).failures)
        .group_by(*_KEY, part)
    )


def _largest(counted: CTE, chosen: RequestFilter, limit: int) -> Select[Any]:
    """Select the largest groups with failures in the window, by an index the first one of each."""
    is_of = (counted.c[name] == FAILURE.c[name] for name in GroupKey._fields)
    ever = chosen.of(0, chosen.until_ns).failures
    first = select(func.min(FAILURE.c.occurred_ns)).where(*is_of, ever)
    key = [counted.c[name] for name in GroupKey._fields]
    now = whole_sum(case((counted.c.part >= 0, counted.c.requests), else_=0))
    before = whole_sum(case((counted.c.part == _BEFORE, counted.c.requests), else_=0))
    query = select(
        *key,
        func.max(counted.c.kind).label("kind"),
        now.label("requests"),
        before.label("before"),
        first.correlate(counted).scalar_subquery().label("first_ns"),
        func.max(counted.c.last_ns).label("last_ns"),
    )
    order = (now.desc(), func.max(counted.c.last_ns).desc(), *key)
    return query.group_by(*key).having(now > 0).order_by(*order).limit(limit)


def _in_order(largest: CTE) -> tuple[ColumnElement[Any], ...]:
    key = (largest.c[name] for name in GroupKey._fields)
    return (largest.c.requests.desc(), largest.c.last_ns.desc(), *key)
