"""Judge inquiries: their part of a transaction."""

from __future__ import annotations

import json
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from sqlalchemy import and_, delete, func, or_, select, update

from sqlobs_collector.origin import Origin
from sqlobs_collector.store.judge_rows import CanaryResult, Inquiry, Pending
from sqlobs_collector.store.portable import each_value, upsert
from sqlobs_collector.store.tables import CANARY, EVALUATION, INQUIRY, UNIT
from sqlobs_collector.store.workers import is_orphan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection, ScalarSelect

    from sqlobs_collector.store.judge_rows import Sorting
    from sqlobs_collector.store.rows import Evaluated

_PENDING = (
    *(INQUIRY.c.unit_id, INQUIRY.c.metric, INQUIRY.c.version, INQUIRY.c.question),
    *(INQUIRY.c.probability, INQUIRY.c.queued_ns, INQUIRY.c.attempts),
)
_WORKSPACES = each_value(INQUIRY.c.workspace)
_ORIGIN = (UNIT.c.workspace, UNIT.c.service_name, UNIT.c.environment)


class JudgeQueueWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, inquiries: Sequence[Inquiry]) -> None:
        """Add questions; one that is in progress or answered is not added again."""
        for one in sorted(inquiries, key=lambda one: (one.unit_id, one.metric)):
            if self.is_answered(one):
                continue
            statement = upsert(INQUIRY).values(
                due_ns=one.queued_ns, attempts=0, workspace=_workspace_of(one), **one.values
            )
            self._connection.execute(
                statement.on_conflict_do_update(
                    index_elements=[INQUIRY.c.unit_id, INQUIRY.c.metric],
                    set_=one.values,
                    where=INQUIRY.c.begun_ns.is_(None),
                )
            )

    def is_answered(self, one: Inquiry | Evaluated) -> bool:
        """Return whether an answer is there, or was paid for."""
        query = select(EVALUATION.c.unit_id).where(
            EVALUATION.c.unit_id == one.unit_id,
            EVALUATION.c.metric == one.metric,
            EVALUATION.c.version == one.version,
            or_(EVALUATION.c.label != "not_evaluated", EVALUATION.c.cost_usd > 0),
        )
        return self._connection.execute(query).first() is not None

    def due(self, *, at_ns: int, limit: int) -> list[Pending]:
        """Return questions that may be asked: an equal share of each workspace, oldest first."""
        is_due = and_(INQUIRY.c.due_ns <= at_ns, INQUIRY.c.begun_ns.is_(None))
        workspaces = self._connection.execute(_WORKSPACES).scalars().all()
        owners = *(INQUIRY.c.workspace == one for one in workspaces), INQUIRY.c.workspace.is_(None)
        share = -(-limit // max(len(workspaces), 1))
        shares = [self._pending(and_(is_due, is_owner), limit=share) for is_owner in owners]
        by_turns = (one for turn in zip_longest(*shares) for one in turn if one is not None)
        return list(islice(by_turns, limit))

    def interrupted(self) -> list[Pending]:
        """Return questions that were being asked when a process ended, locked for the caller."""
        is_orphaned = and_(INQUIRY.c.begun_ns.is_not(None), is_orphan(INQUIRY.c.worker))
        return self._pending(is_orphaned, limit=None, is_locked=True)

    def begin(self, pending: Pending, worker: str, *, at_ns: int) -> bool:
        """Note that a process is asking a question; returns whether it still was to be."""
        statement = update(INQUIRY).where(_is(pending), INQUIRY.c.begun_ns.is_(None))
        return (
            self._connection.execute(statement.values(begun_ns=at_ns, worker=worker)).rowcount == 1
        )

    def is_asked_by(self, pending: Pending, worker: str) -> bool:
        """Return whether the answer still is to come from a process; locks the question."""
        query = select(INQUIRY.c.unit_id).where(
            _is(pending), INQUIRY.c.begun_ns.is_not(None), INQUIRY.c.worker == worker
        )
        return self._connection.execute(query.with_for_update()).first() is not None

    def put_off(self, pending: Pending, *, due_ns: int) -> None:
        """Ask again later."""
        self._connection.execute(
            update(INQUIRY)
            .where(_is(pending))
            .values(begun_ns=None, worker=None, due_ns=due_ns, attempts=INQUIRY.c.attempts + 1)
        )

    def close(self, pending: Pending) -> None:
        """Forget a question, and the rows that it showed."""
        self._connection.execute(delete(INQUIRY).where(_is(pending)))

    def sort(self, unit_id: int, metric: str, version: str, sorting: Sorting) -> None:
        """Note what a verdict was sorted into, and what that cost, beside the verdict.

        Args:
            unit_id: The unit that was judged.
            metric: The evaluation whose verdict was sorted.
            version: Its version.
            sorting: What came of it.
        """
        of_verdict = and_(
            EVALUATION.c.unit_id == unit_id,
            EVALUATION.c.metric == metric,
            EVALUATION.c.version == version,
        )
        known = self._connection.execute(select(EVALUATION.c.detail).where(of_verdict)).scalar()
        said = {**json.loads(known or "{}"), **sorting.detail}
        cost: dict[str, object] = {}
        if sorting.cost_usd is not None:
            cost["cost_usd"] = func.coalesce(EVALUATION.c.cost_usd, 0) + sorting.cost_usd
        self._connection.execute(
            update(EVALUATION)
            .where(of_verdict)
            .values(
                categories=sorting.categories,
                detail=json.dumps({name: value for name, value in said.items() if value}),
                **cost,
            )
        )

    def canary_result(self, judge: str) -> CanaryResult | None:
        """Return how a judge did on its canaries; None if it was not asked."""
        query = select(CANARY).where(CANARY.c.judge == judge)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else CanaryResult(*row)

    def remember(self, result: CanaryResult) -> None:
        """Keep how a judge did on its canaries, in place of what was kept before."""
        statement = upsert(CANARY).values(**result.values)
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=[CANARY.c.judge], set_=result.values)
        )

    def waiting(self) -> tuple[int, int | None]:
        """Return how many questions wait, and since when the oldest of them does."""
        query = select(func.count(), func.min(INQUIRY.c.queued_ns))
        count, oldest_ns = self._connection.execute(query).one()
        return count, oldest_ns

    def _pending(
        self, condition: ColumnElement[bool], *, limit: int | None, is_locked: bool = False
    ) -> list[Pending]:
        query = (
            select(*_ORIGIN, *_PENDING)
            .join(UNIT, UNIT.c.id == INQUIRY.c.unit_id)
            .where(condition)
            .order_by(INQUIRY.c.due_ns, INQUIRY.c.unit_id, INQUIRY.c.metric)
            .limit(limit)
        )
        if is_locked:
            query = query.with_for_update(of=INQUIRY, skip_locked=True)
        origin = len(_ORIGIN)
        return [
            Pending(Origin(*row[:origin]), *row[origin:]) for row in self._connection.execute(query)
        ]


def _workspace_of(one: Inquiry) -> ScalarSelect[str]:
    return select(UNIT.c.workspace).where(UNIT.c.id == one.unit_id).scalar_subquery()


def _is(pending: Pending) -> ColumnElement[bool]:
    return and_(INQUIRY.c.unit_id == pending.unit_id, INQUIRY.c.metric == pending.metric)
