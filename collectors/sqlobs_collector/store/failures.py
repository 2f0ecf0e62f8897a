"""Failures in groups: code, invented name, model and prompt version; and what people decided."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from sqlalchemy import Integer, bindparam, case, cast, func, select

from sqlobs_collector.store.portable import upsert
from sqlobs_collector.store.rollup import pieces, unit_sums
from sqlobs_collector.store.tables import FAILURE, FAILURE_GROUP, UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Engine, Select

    from sqlobs_collector.store.rollup import Piece
    from sqlobs_collector.store.selection import RequestFilter

Decision = Literal["open", "acknowledged", "resolved"]
_PARTS: Final = 12
"""Of a window, in which the failures of a group are counted for its trend."""


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


class GroupDecision(NamedTuple):
    """What somebody decided about a group."""

    status: Decision
    assignee: str | None
    note: str | None
    changed_ns: int
    changed_by: str | None


_KEY: Final = tuple(FAILURE.c[name] for name in GroupKey._fields)
_EXAMPLE: Final = (
    select(UNIT)
    .join(FAILURE, FAILURE.c.unit_id == UNIT.c.id)
    .where(
        *(
            FAILURE.c[name] == bindparam(name)
            for name in ("workspace", *GroupKey._fields, "occurred_ns")
        )
    )
    .order_by(UNIT.c.id.desc())
    .limit(1)
)
_ANSWERED: Final = ("model", "prompt_version", "outcome", "verdict")
_DECIDED: Final = tuple(FAILURE_GROUP.c[name] for name in GroupDecision._fields)


class FailureReader:
    """Counts failures; each call is a short transaction of its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def groups(self, chosen: RequestFilter, *, limit: int) -> list[FailureGroup]:
        """Return the groups with failures in the window, the largest first."""
        length_ns = chosen.until_ns - chosen.since_ns
        is_now = FAILURE.c.occurred_ns >= chosen.since_ns
        is_before = ~is_now & (FAILURE.c.occurred_ns >= chosen.since_ns - length_ns)
        now = _sum(is_now)
        query = (
            select(
                *_KEY,
                func.max(FAILURE.c.kind),
                now,
                _sum(is_before),
                func.min(FAILURE.c.occurred_ns),
                func.max(FAILURE.c.occurred_ns),
            )
            .where(chosen.of(0, chosen.until_ns).failures)
            .group_by(*_KEY)
            .having(now > 0)
            .order_by(now.desc(), func.max(FAILURE.c.occurred_ns).desc(), *_KEY)
            .limit(limit)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [FailureGroup(GroupKey(*row[:4]), *tuple(row[4:])) for row in rows]

    def trends(self, chosen: RequestFilter, keys: Sequence[GroupKey]) -> dict[GroupKey, list[int]]:
        """Return the failures of groups in the parts of the window, in the order of time."""
        part_ns = max(1, -(-(chosen.until_ns - chosen.since_ns) // _PARTS))
        part = ((FAILURE.c.occurred_ns - chosen.since_ns) // part_ns).label("part")
        query = select(*_KEY, part, func.count()).where(chosen.failures).group_by(*_KEY, part)
        found = {key: [0] * _PARTS for key in keys}
        with self._engine.connect() as connection:
            for row in connection.execute(query):
                if (key := GroupKey(*row[:4])) in found:
                    found[key][min(row.part, _PARTS - 1)] = row[5]
        return found

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
        with self._engine.connect() as connection:
            rows = {one.key: _example(connection, workspace, one) for one in groups}
        return {key: row for key, row in rows.items() if row is not None}

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


def _example(
    connection: Connection, workspace: str, group: FailureGroup
) -> Mapping[str, object] | None:
    wanted = {"workspace": workspace, "occurred_ns": group.last_ns, **group.key._asdict()}
    row = connection.execute(_EXAMPLE, wanted).mappings().first()
    return None if row is None else dict(row)


def _sum(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(case((condition, 1), else_=0)), 0), Integer)
