"""The review queue: items, who works on which of them, and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlalchemy import and_, case, delete, exists, func, or_, select, update

from sqlobs_collector.store.portable import upsert
from sqlobs_collector.store.rows import Row
from sqlobs_collector.store.tables import (
    EVALUATION,
    REVIEW_ITEM,
    REVIEW_LABEL,
    REVIEW_LEASE,
    UNIT,
    WRONG_FINDING,
    is_unit_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection, Engine, Select

ReviewOrigin = Literal["sample", "finding"]
"""Why an item is there: drawn at random, or somebody called its verdict wrong."""

_CONSENSUS: Final = "consensus"
_COMPARED: Final = "ex"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow(Row):
    """An item, but for its id."""

    unit_id: int
    judge: str
    origin: ReviewOrigin
    document: bytes | None
    results_equal: bool | None
    wanted: int
    place: int
    added_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRow(Row):
    """One annotator's label of one item."""

    item_id: int
    rater: str
    is_correct: bool
    critique: str
    categories: str | None
    """Keys between spaces; None: not chosen."""
    labeled_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongFinding(Row):
    """A verdict that a person calls wrong."""

    unit_id: int
    metric: str
    author: str
    verdict: str
    critique: str
    said_ns: int


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """An item of the queue, with its unit and what the judge said of it."""

    item_id: int
    trace_id: str
    span_id: str
    judge: str
    origin: ReviewOrigin
    document: bytes | None
    results_equal: bool | None
    wanted: int
    label: str | None
    """The judge's latest verdict; None: there is none."""
    detail: str | None

    @property
    def case_id(self) -> str:
        """The generation id of the unit, without the flags."""
        return f"00-{self.trace_id}-{self.span_id}"


_LATEST: Final = (
    select(func.max(EVALUATION.c.created_ns))
    .where(
        EVALUATION.c.unit_id == REVIEW_ITEM.c.unit_id, EVALUATION.c.metric == REVIEW_ITEM.c.judge
    )
    .correlate(REVIEW_ITEM)
    .scalar_subquery()
)
_VERDICT: Final = and_(
    EVALUATION.c.unit_id == REVIEW_ITEM.c.unit_id,
    EVALUATION.c.metric == REVIEW_ITEM.c.judge,
    EVALUATION.c.created_ns == _LATEST,
)
_ITEM: Final = (
    REVIEW_ITEM.c.id.label("item_id"),
    UNIT.c.trace_id,
    UNIT.c.span_id,
    REVIEW_ITEM.c.judge,
    REVIEW_ITEM.c.origin,
    REVIEW_ITEM.c.document,
    REVIEW_ITEM.c.results_equal,
    REVIEW_ITEM.c.wanted,
    EVALUATION.c.label,
    EVALUATION.c.detail,
)


class ReviewReader:
    """Reads items and labels; each call is one query in its own transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def items(self, workspace: str, judge: str) -> list[ReviewItem]:
        """Return the items about a judge, in the order in which they are labeled."""
        query = (
            select(*_ITEM)
            .join(UNIT, UNIT.c.id == REVIEW_ITEM.c.unit_id)
            .outerjoin(EVALUATION, _VERDICT)
            .where(is_unit_of(workspace), REVIEW_ITEM.c.judge == judge)
            .order_by(REVIEW_ITEM.c.place, REVIEW_ITEM.c.id)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).mappings()
            return [ReviewItem(**row) for row in rows]

    def labels(self, workspace: str, judge: str) -> list[LabelRow]:
        """Return the labels of the items about a judge, the oldest first."""
        query = (
            select(*(REVIEW_LABEL.c[name] for name in LabelRow.__slots__))
            .join(REVIEW_ITEM, REVIEW_ITEM.c.id == REVIEW_LABEL.c.item_id)
            .join(UNIT, UNIT.c.id == REVIEW_ITEM.c.unit_id)
            .where(is_unit_of(workspace), REVIEW_ITEM.c.judge == judge)
            .order_by(REVIEW_LABEL.c.labeled_ns, REVIEW_LABEL.c.item_id)
        )
        with self._engine.connect() as connection:
            return [LabelRow(**row) for row in connection.execute(query).mappings()]

    def progress(self, workspace: str, judge: str, rater: str) -> tuple[int, int]:
        """Return how many sampled items there are about a judge, and how many a person labeled."""
        query = (
            select(func.count(), func.count(REVIEW_LABEL.c.rater))
            .select_from(REVIEW_ITEM)
            .join(UNIT, UNIT.c.id == REVIEW_ITEM.c.unit_id)
            .outerjoin(
                REVIEW_LABEL,
                and_(REVIEW_LABEL.c.item_id == REVIEW_ITEM.c.id, REVIEW_LABEL.c.rater == rater),
            )
            .where(is_unit_of(workspace), REVIEW_ITEM.c.judge == judge)
            .where(REVIEW_ITEM.c.origin == "sample")
        )
        with self._engine.connect() as connection:
            items, labeled = connection.execute(query).one()
        return items, labeled

    def wrong_findings(self, workspace: str) -> list[tuple[str, WrongFinding]]:
        """Return the verdicts that people call wrong, the latest first, with the case's id."""
        query = (
            select(UNIT.c.trace_id, UNIT.c.span_id, WRONG_FINDING)
            .join(UNIT, UNIT.c.id == WRONG_FINDING.c.unit_id)
            .where(is_unit_of(workspace))
            .order_by(WRONG_FINDING.c.said_ns.desc(), WRONG_FINDING.c.unit_id)
        )
        with self._engine.connect() as connection:
            return [
                (
                    f"00-{trace_id}-{span_id}",
                    WrongFinding(**dict(zip(WrongFinding.__slots__, rest, strict=True))),
                )
                for trace_id, span_id, *rest in connection.execute(query)
            ]

    def judged(
        self, workspace: str, judge: str, *, results_equal: bool | None, since_ns: int, limit: int
    ) -> list[int]:
        """Return units at random that a judge gave a verdict on and that are not in the queue.

        Args:
            workspace: Whose.
            judge: The evaluation.
            results_equal: Only those with this execution accuracy; None = any or none.
            since_ns: Only later requests.
            limit: The most units.
        """
        known = exists().where(REVIEW_ITEM.c.unit_id == UNIT.c.id, REVIEW_ITEM.c.judge == judge)
        query = (
            select(UNIT.c.id)
            .where(UNIT.c.workspace == workspace, UNIT.c.occurred_ns >= since_ns, ~known)
            .where(UNIT.c.payload.is_not(None), UNIT.c.capture == "raw")
            .where(_has(judge, "pass", "fail"))
        )
        if results_equal is not None:
            query = query.where(_has(_COMPARED, "pass" if results_equal else "fail"))
        with self._engine.connect() as connection:
            drawn = connection.execute(query.order_by(func.random()).limit(limit))
            return list(drawn.scalars())

    def verdict(self, unit_id: int, metric: str) -> tuple[str, str | None] | None:
        """Return the latest label of an evaluation of a unit, and its detail."""
        query = (
            select(EVALUATION.c.label, EVALUATION.c.detail)
            .where(EVALUATION.c.unit_id == unit_id, EVALUATION.c.metric == metric)
            .order_by(EVALUATION.c.created_ns.desc(), EVALUATION.c.version.desc())
            .limit(1)
        )
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else (row.label, row.detail)


def _called_wrong(row: dict[str, Any]) -> tuple[str, WrongFinding]:
    case_id = f"00-{row.pop('trace_id')}-{row.pop('span_id')}"
    return case_id, WrongFinding(**row)


class ReviewWriter:
    """Writes items, leases and labels on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, rows: Sequence[ReviewRow]) -> int:
        """Add items; returns how many are new."""
        added = 0
        for row in rows:
            statement = upsert(REVIEW_ITEM).values(row.values).on_conflict_do_nothing()
            added += self._connection.execute(statement).rowcount
        return added

    def lease(
        self,
        workspace: str,
        judge: str,
        rater: str,
        *,
        now_ns: int,
        until_ns: int,
        after: int | None = None,
    ) -> int | None:
        """Reserve an item for an annotator until a time; None: none is left for them.

        An item that the annotator holds already comes first, then those behind the item `after`,
        which they skipped. Labels and reservations of others
        count against the number of labels that an item wants.
        """
        found = self._connection.execute(
            _next(workspace, judge, rater, now_ns=now_ns, after=after)
        ).scalar()
        if found is None:
            return None
        statement = upsert(REVIEW_LEASE).values(item_id=found, rater=rater, until_ns=until_ns)
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=[REVIEW_LEASE.c.item_id, REVIEW_LEASE.c.rater],
                set_={"until_ns": until_ns},
            )
        )
        return int(found)

    def release(self, item_id: int, rater: str) -> None:
        """Give an item back."""
        self._connection.execute(
            delete(REVIEW_LEASE).where(
                REVIEW_LEASE.c.item_id == item_id, REVIEW_LEASE.c.rater == rater
            )
        )

    def item(self, workspace: str, item_id: int) -> tuple[str, bytes | None] | None:
        """Return the judge and the document of an item; None: the workspace has no such item."""
        query = (
            select(REVIEW_ITEM.c.judge, REVIEW_ITEM.c.document)
            .join(UNIT, UNIT.c.id == REVIEW_ITEM.c.unit_id)
            .where(is_unit_of(workspace), REVIEW_ITEM.c.id == item_id)
        )
        row = self._connection.execute(query).one_or_none()
        return None if row is None else (row.judge, row.document)

    def label(self, row: LabelRow) -> None:
        """Store a label in place of an earlier one of the annotator, and give the item back."""
        statement = upsert(REVIEW_LABEL).values(row.values)
        key = [REVIEW_LABEL.c.item_id, REVIEW_LABEL.c.rater]
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=key, set_=row.values)
        )
        self.release(row.item_id, row.rater)

    def call_wrong(self, row: WrongFinding) -> None:
        """Store that a person calls a verdict wrong, in place of what they said of it before."""
        key = [WRONG_FINDING.c[name] for name in ("unit_id", "metric", "author")]
        statement = upsert(WRONG_FINDING).values(row.values)
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=key, set_=row.values)
        )

    def expire_documents(self) -> int:
        """Forget what items show of units whose payload has expired; returns how many."""
        is_gone = exists().where(UNIT.c.id == REVIEW_ITEM.c.unit_id, UNIT.c.payload.is_(None))
        statement = (
            update(REVIEW_ITEM)
            .where(REVIEW_ITEM.c.document.is_not(None), is_gone)
            .values(document=None)
        )
        return self._connection.execute(statement).rowcount


def _next(workspace: str, judge: str, rater: str, *, now_ns: int, after: int | None) -> Select[Any]:
    """Return the query of the next item for an annotator."""
    item = REVIEW_ITEM.c.id
    is_mine = exists().where(REVIEW_LEASE.c.item_id == item, REVIEW_LEASE.c.rater == rater)
    is_labeled = exists().where(REVIEW_LABEL.c.item_id == item, REVIEW_LABEL.c.rater == rater)
    labels = select(func.count()).where(
        REVIEW_LABEL.c.item_id == item, REVIEW_LABEL.c.rater != _CONSENSUS
    )
    leases = select(func.count()).where(
        REVIEW_LEASE.c.item_id == item,
        REVIEW_LEASE.c.rater != rater,
        REVIEW_LEASE.c.until_ns > now_ns,
    )
    skipped = REVIEW_ITEM.alias("skipped")
    passed = select(skipped.c.place).where(skipped.c.id == after).scalar_subquery()
    is_behind = REVIEW_ITEM.c.place > func.coalesce(passed, -1)
    taken = labels.scalar_subquery() + leases.scalar_subquery()
    return (
        select(item)
        .join(UNIT, UNIT.c.id == REVIEW_ITEM.c.unit_id)
        .where(is_unit_of(workspace), REVIEW_ITEM.c.judge == judge)
        .where(REVIEW_ITEM.c.origin == "sample", REVIEW_ITEM.c.document.is_not(None))
        .where(~is_labeled, taken < REVIEW_ITEM.c.wanted)
        .order_by(case((is_mine, 0), (is_behind, 1), else_=2), REVIEW_ITEM.c.place, item)
        .limit(1)
    )


def _has(metric: str, *labels: str) -> ColumnElement[bool]:
    return exists().where(
        EVALUATION.c.unit_id == UNIT.c.id,
        EVALUATION.c.metric == metric,
        or_(*(EVALUATION.c.label == label for label in labels)),
    )
