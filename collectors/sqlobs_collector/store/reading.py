"""The admin API's queries to the store, each limited to one workspace."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

from sqlalchemy import func, select

from sqlobs import semconv
from sqlobs_collector.store.export import OF_DOCUMENT, documents_of
from sqlobs_collector.store.judge_queue import JudgeQueueWriter
from sqlobs_collector.store.payload import unpack
from sqlobs_collector.store.rows import Queued, Reported, Unemitted
from sqlobs_collector.store.tables import (
    EVALUATION,
    IN_ORDER,
    INQUIRY,
    REPORT,
    SAME_SPAN,
    SCHEMA_DOCUMENT,
    UNIT,
)
from sqlobs_collector.store.unit_queue import TAKEN, UnitQueue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from sqlalchemy import Connection, RowMapping, Select

    from sqlobs_collector.store.export import ArchivedUnit
    from sqlobs_collector.store.rows import UnitKey
    from sqlobs_collector.store.snapshots import Connects

_UNEMITTED: Final = (
    EVALUATION.c.unit_id,
    UNIT.c.workspace,
    UNIT.c.trace_id,
    UNIT.c.span_id,
    UNIT.c.trace_sampled,
    UNIT.c.occurred_ns,
    UNIT.c.service_name,
    UNIT.c.environment,
    UNIT.c.workflow,
    EVALUATION.c.metric,
    EVALUATION.c.version,
    EVALUATION.c.kind,
    EVALUATION.c.label,
    EVALUATION.c.value,
    EVALUATION.c.reason,
    EVALUATION.c.explanation,
    (UNIT.c.probability * EVALUATION.c.probability).label("probability"),
    EVALUATION.c.duration_s,
    EVALUATION.c.detail,
    EVALUATION.c.created_ns,
)


_ROWS_AHEAD: Final = 16
"""Units that a page reads ahead of its count of bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSelection:
    """Which units a page may hold."""

    after: int = 0
    """The id of the last unit that was seen."""
    since_ns: int = 0
    until_ns: int = 2**63 - 1
    """By the time of the request, the end left out."""
    target: str | None = None
    """The alias that units name; None = any or none."""


class Archive(Protocol):
    """The cold tier."""

    def units(
        self, connection: Connection, *, since_ns: int, until_ns: int, workspace: str
    ) -> Iterable[ArchivedUnit]:
        """Return units that a connection to the store does not see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestSelection:
    """Which of the latest units are wanted."""

    limit: int
    equal: Mapping[str, str]
    """Values that columns must have."""


@dataclass(frozen=True, slots=True)
class StoredUnit:
    """A unit with everything that is known of it."""

    unit: Mapping[str, object]
    evaluations: list[Mapping[str, object]]
    reports: list[Mapping[str, object]]
    inquiries: list[Mapping[str, object]]


class StoreReader:
    """Answers from the store, each in its own short transaction."""

    def __init__(self, engine: Connects) -> None:
        self._engine = engine

    def units(
        self, workspace: str, *, trace_id: str, span_id: str | None, limit: int
    ) -> list[StoredUnit]:
        """Return units by their trace, oldest first.

        Args:
            workspace: Whose.
            trace_id: Of the trace, or how it begins.
            span_id: Of the one unit that is wanted; None = all of the trace.
            limit: The most units.
        """
        query = (
            select(UNIT)
            .where(UNIT.c.workspace == workspace)
            .where(UNIT.c.trace_id >= trace_id, UNIT.c.trace_id < f"{trace_id}g")  # behind "f"
            .order_by(UNIT.c.occurred_ns, UNIT.c.id)
            .limit(limit)
        )
        if span_id is not None:
            query = query.where(UNIT.c.span_id == span_id)
        with self._engine.connect() as connection:
            return [_with_rest(connection, row) for row in connection.execute(query).mappings()]

    def unit(self, key: UnitKey) -> Queued | None:
        """Return one unit with its payload; None: the workspace has no such unit."""
        query = select(*TAKEN).where(
            UNIT.c.workspace == key.workspace,
            UNIT.c.trace_id == key.trace_id,
            UNIT.c.span_id == key.span_id,
        )
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return None if row is None else Queued(**row)

    def whole(self, unit_ids: Sequence[int]) -> list[Queued]:
        """Return units with their payloads, those that are still there."""
        query = select(*TAKEN).where(UNIT.c.id.in_(unit_ids))
        with self._engine.connect() as connection:
            return [Queued(**row) for row in connection.execute(query).mappings()]

    def checked(self, unit_id: int) -> str | None:
        """Return the checker's verdict on a unit: its failure code, else the verdict itself."""
        said = func.coalesce(UNIT.c.failure_code, UNIT.c.verdict)
        with self._engine.connect() as connection:
            found: str | None = connection.execute(
                select(said).where(UNIT.c.id == unit_id)
            ).scalar_one_or_none()
        return found

    def latest(self, workspace: str, wanted: LatestSelection) -> list[Mapping[str, object]]:
        """Return the rows of the latest units, newest first."""
        query = select(UNIT).where(UNIT.c.workspace == workspace)
        for name, text in wanted.equal.items():
            query = query.where(UNIT.c[name] == text)
        query = query.order_by(UNIT.c.occurred_ns.desc(), UNIT.c.id.desc()).limit(wanted.limit)
        with self._engine.connect() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def statements(self, workspace: str, *, limit: int) -> list[tuple[str, str]]:
        """Return the distinct statements of the latest units, newest first, where they were sent.

        Args:
            workspace: Whose.
            limit: How many units are looked through.

        Returns:
            The id of the latest unit with a statement, and the statement as it was generated.
        """
        query = (
            select(UNIT.c.trace_id, UNIT.c.span_id, UNIT.c.payload)
            .where(UNIT.c.workspace == workspace, UNIT.c.payload.is_not(None))
            .where(UNIT.c.capture == "raw")
            .order_by(UNIT.c.occurred_ns.desc(), UNIT.c.id.desc())
            .limit(limit)
        )
        found: dict[str, str] = {}
        with self._engine.connect() as connection:
            for trace_id, span_id, said in connection.execute(query):
                body = unpack(said).body
                sql = body.get(semconv.SQLOBS_QUERY_TEXT) if isinstance(body, dict) else None
                if isinstance(sql, str):
                    found.setdefault(sql, f"00-{trace_id}-{span_id}-01")
        return [(identity, sql) for sql, identity in found.items()]

    def page(
        self, workspace: str, selection: PageSelection, *, limit: int, max_bytes: int
    ) -> list[Queued]:
        """Return the next units whose payload is kept, in the order in which they came.

        Args:
            workspace: Whose.
            selection: Which of them.
            limit: The most units.
            max_bytes: What they weigh, compressed: the unit that goes beyond is the last.
        """
        query = _chosen(select(*TAKEN), workspace, selection).limit(limit)
        query = query.where(UNIT.c.payload.is_not(None))
        found: list[Queued] = []
        with self._engine.connect() as connection:
            rows = connection.execution_options(yield_per=_ROWS_AHEAD).execute(query).mappings()
            for row in rows:
                found.append(Queued(**row))
                max_bytes -= len(found[-1].payload or b"")
                if max_bytes < 0:
                    break
        return found

    def documents(
        self, workspace: str, selection: PageSelection, *, limit: int, max_bytes: int
    ) -> tuple[list[dict[str, object]], int | None]:
        """Return the next units as an export has them, in the order in which they came.

        Args:
            workspace: Whose.
            selection: Which of them.
            limit: The most units.
            max_bytes: What they weigh, compressed: the unit that goes beyond is the last.

        Returns:
            The units, and the id of the last of them; None = there are no more.
        """
        sizes = select(UNIT.c.id, func.coalesce(func.length(UNIT.c.payload), 0))
        rows = select(*OF_DOCUMENT).select_from(UNIT).outerjoin(EVALUATION)
        with self._engine.connect() as connection:
            found = connection.execute(_chosen(sizes, workspace, selection).limit(limit))
            ids: list[int] = []
            for unit_id, size in found:
                ids.append(unit_id)
                max_bytes -= size
                if max_bytes < 0:
                    break
            rows = rows.where(UNIT.c.id.in_(ids)).order_by(UNIT.c.id, *IN_ORDER)
            found_rows = connection.execute(rows).mappings()
            documents = list(documents_of(connection, found_rows, has_texts=True))
        return documents, ids[-1] if ids else None

    def archived(
        self, archive: Archive, workspace: str, selection: PageSelection, *, skip: int, limit: int
    ) -> list[ArchivedUnit]:
        """Return the next units that have left the store.

        Args:
            archive: Where they are.
            workspace: Whose.
            selection: Which of them.
            skip: How many were seen.
            limit: The most units.
        """
        period = {"since_ns": selection.since_ns, "until_ns": selection.until_ns}
        with self._engine.connect() as connection:
            found = archive.units(connection, workspace=workspace, **period)
            chosen = (one for one in found if selection.target in {None, one.rows[0]["target"]})
            return list(islice(chosen, skip, skip + limit))

    def reported(self, units: Sequence[Queued]) -> dict[int, list[Reported]]:
        """Return what was said later about units, oldest first; by unit, those that have any."""
        query = (
            select(UNIT.c.id, REPORT.c.kind, REPORT.c.record_id, REPORT.c.payload)
            .join(REPORT, SAME_SPAN)
            .where(UNIT.c.id.in_([unit.unit_id for unit in units]), REPORT.c.payload.is_not(None))
            .order_by(REPORT.c.occurred_ns, REPORT.c.record_id)
        )
        found: dict[int, list[Reported]] = {}
        with self._engine.connect() as connection:
            for unit_id, *said in connection.execute(query):
                found.setdefault(unit_id, []).append(Reported(*said))
        return found

    def unemitted(self, *, limit: int) -> list[Unemitted]:
        """Return evaluations that the backend has not got, oldest first; of settled units only."""
        query = (
            select(*_UNEMITTED)
            .join(UNIT, UNIT.c.id == EVALUATION.c.unit_id)
            .where(EVALUATION.c.emitted_ns.is_(None), UNIT.c.state != "held")
            .order_by(EVALUATION.c.created_ns, EVALUATION.c.unit_id, EVALUATION.c.metric)
            .limit(limit)
        )
        with self._engine.connect() as connection:
            return [Unemitted(**row) for row in connection.execute(query).mappings()]

    def queue(self) -> tuple[int, int | None]:
        """Return how many units wait for evaluation or the judge, and since when the oldest."""
        with self._engine.connect() as connection:
            count, oldest_ns = UnitQueue(connection).waiting()
            waiting, since_ns = JudgeQueueWriter(connection).waiting()
        return count + waiting, min(filter(None, (oldest_ns, since_ns)), default=None)

    def canceled(self) -> int:
        """Return how many units were canceled, by the index of the states."""
        query = select(func.count()).where(UNIT.c.state == "canceled")
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one()

    def schema_document(self, workspace: str, version: str) -> bytes | None:
        """Return the document of a schema, if it was sent."""
        query = select(SCHEMA_DOCUMENT.c.document).where(
            SCHEMA_DOCUMENT.c.workspace == workspace, SCHEMA_DOCUMENT.c.version == version
        )
        with self._engine.connect() as connection:
            document: bytes | None = connection.execute(query).scalar_one_or_none()
        return document


def _chosen(query: Select[Any], workspace: str, selection: PageSelection) -> Select[Any]:
    """Narrow a query to what a page may hold, in the order in which units came."""
    query = (
        query.where(UNIT.c.workspace == workspace, UNIT.c.id > selection.after)
        .where(UNIT.c.occurred_ns >= selection.since_ns)
        .where(UNIT.c.occurred_ns < selection.until_ns)
        .order_by(UNIT.c.id)
    )
    return query if selection.target is None else query.where(UNIT.c.target == selection.target)


def _with_rest(connection: Connection, unit: RowMapping) -> StoredUnit:
    evaluations = select(EVALUATION).where(EVALUATION.c.unit_id == unit["id"]).order_by(*IN_ORDER)
    reports = (
        select(REPORT)
        .where(REPORT.c.workspace == unit["workspace"])
        .where(REPORT.c.trace_id == unit["trace_id"], REPORT.c.span_id == unit["span_id"])
        .order_by(REPORT.c.received_ns, REPORT.c.record_id)
    )
    inquiries = select(
        INQUIRY.c.metric, INQUIRY.c.version, INQUIRY.c.queued_ns, INQUIRY.c.begun_ns
    ).where(INQUIRY.c.unit_id == unit["id"])
    return StoredUnit(
        dict(unit),
        [dict(row) for row in connection.execute(evaluations).mappings()],
        [dict(row) for row in connection.execute(reports).mappings()],
        [dict(row) for row in connection.execute(inquiries).mappings()],
    )
