"""All writes to the store, within one transaction at a time."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, func, select, update

from sqlobs_collector.store.archiving import ColdRows
from sqlobs_collector.store.backfill import BackfillWriter
from sqlobs_collector.store.calibrations import CalibrationWriter
from sqlobs_collector.store.embedded import WRITING
from sqlobs_collector.store.erasing import Eraser
from sqlobs_collector.store.erasures import ErasureRecord
from sqlobs_collector.store.expiry import ExpiryWriter
from sqlobs_collector.store.failures import DecisionWriter
from sqlobs_collector.store.golden import GoldenWriter
from sqlobs_collector.store.intake import IntakeWriter
from sqlobs_collector.store.journals import JournalStandings
from sqlobs_collector.store.judge_budget import JudgeBudgetWriter
from sqlobs_collector.store.judge_queue import JudgeQueueWriter
from sqlobs_collector.store.leases import LeaseWriter
from sqlobs_collector.store.portable import is_among, upsert
from sqlobs_collector.store.reports import FACTS, ReportWriter
from sqlobs_collector.store.review import ReviewWriter
from sqlobs_collector.store.rollup_writing import RollupWriter
from sqlobs_collector.store.rows import Undecided
from sqlobs_collector.store.saved_views import SavedViewWriter
from sqlobs_collector.store.sdk_series import SeriesWriter
from sqlobs_collector.store.searchable import SearchWriter
from sqlobs_collector.store.systems import system_of
from sqlobs_collector.store.tables import (
    EVALUATION,
    SCHEMA_DOCUMENT,
    UNIT,
)
from sqlobs_collector.store.target_usage import TargetUsageWriter
from sqlobs_collector.store.tokens import TokenWriter
from sqlobs_collector.store.unit_queue import UnitQueue
from sqlobs_collector.store.units import UnitWriter
from sqlobs_collector.store.workers import WorkerWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, Engine

    from sqlobs_collector.store.dispatcher import Dispatcher
    from sqlobs_collector.store.rows import (
        Evaluated,
        Sampled,
        SchemaRow,
        Transition,
        Unemitted,
    )


class Store:
    """The database with its one writer at a time.

    Args:
        engine: Of the database.
        guard: Called first in each transaction; an exception of it ends the transaction.
    """

    def __init__(
        self, engine: Engine, *, guard: Callable[[StoreWriter], None] | None = None
    ) -> None:
        self._engine = engine.execution_options(**WRITING)
        self._guard = guard
        self._lock = threading.Lock()  # held for a transaction: SQLite has one writer

    @contextmanager
    def writing(self) -> Iterator[StoreWriter]:
        """Open a transaction, committed at the end, rolled back by an exception."""
        with self._lock, self._engine.begin() as connection:
            system_of(connection).limit_silence(connection)
            writer = StoreWriter(connection)
            if self._guard is not None:
                self._guard(writer)
            yield writer

    @contextmanager
    def trying(self) -> Iterator[StoreWriter]:
        """Open a transaction that is always rolled back: to see what it would do."""
        with self._lock, self._engine.connect() as connection, connection.begin() as transaction:
            yield StoreWriter(connection)
            transaction.rollback()


class StoreWriter:
    """Writes on one connection; anyone who opened the transaction commits it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    def units(self) -> UnitWriter:
        """What comes in about requests."""
        return UnitWriter(self._connection)

    @property
    def intake(self) -> IntakeWriter:
        """How many requests there were."""
        return IntakeWriter(self._connection)

    @property
    def backfills(self) -> BackfillWriter:
        """Units that are evaluated again beside the collector."""
        return BackfillWriter(self._connection)

    @property
    def tokens(self) -> TokenWriter:
        """Tokens that an operator creates."""
        return TokenWriter(self._connection)

    @property
    def expiry(self) -> ExpiryWriter:
        """What retention does not keep."""
        return ExpiryWriter(self._connection)

    @property
    def rollup(self) -> RollupWriter:
        """Requests added up by hour and longer periods."""
        return RollupWriter(self._connection)

    @property
    def reports(self) -> ReportWriter:
        """What comes later about units."""
        return ReportWriter(self._connection)

    @property
    def searches(self) -> SearchWriter:
        """What units are searched and grouped by."""
        return SearchWriter(self._connection)

    @property
    def decisions(self) -> DecisionWriter:
        """What people decide about failures."""
        return DecisionWriter(self._connection)

    @property
    def views(self) -> SavedViewWriter:
        """Filters that people save."""
        return SavedViewWriter(self._connection)

    @property
    def journals(self) -> JournalStandings:
        """How far journals were projected."""
        return JournalStandings(self._connection)

    @property
    def queue(self) -> Dispatcher:
        """The units that wait for evaluation."""
        return UnitQueue(self._connection)

    @property
    def workers(self) -> WorkerWriter:
        """The processes that take them."""
        return WorkerWriter(self._connection)

    @property
    def series(self) -> SeriesWriter:
        """The applications' metrics."""
        return SeriesWriter(self._connection)

    @property
    def leases(self) -> LeaseWriter:
        """Who does what one process does for all."""
        return LeaseWriter(self._connection)

    @property
    def inquiries(self) -> JudgeQueueWriter:
        """The judge's part."""
        return JudgeQueueWriter(self._connection)

    @property
    def judge_budget(self) -> JudgeBudgetWriter:
        """What judges cost."""
        return JudgeBudgetWriter(self._connection)

    @property
    def target_usage(self) -> TargetUsageWriter:
        """What statements on targets cost."""
        return TargetUsageWriter(self._connection)

    @property
    def golden(self) -> GoldenWriter:
        """The golden sets."""
        return GoldenWriter(self._connection)

    @property
    def review(self) -> ReviewWriter:
        """The review queue."""
        return ReviewWriter(self._connection)

    @property
    def calibrations(self) -> CalibrationWriter:
        """Calibrations made from labels."""
        return CalibrationWriter(self._connection)

    @property
    def erasures(self) -> ErasureRecord:
        """What was erased."""
        return ErasureRecord(self._connection)

    @property
    def eraser(self) -> Eraser:
        """Erases requests."""
        return Eraser(self._connection)

    def cold(self, before_ns: int) -> ColdRows:
        """What was received before a time and can be archived."""
        return ColdRows(self._connection, before_ns=before_ns)

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Undo what is written inside where an exception leaves it."""
        with self._connection.begin_nested():
            yield

    def put_schema(self, row: SchemaRow) -> None:
        """Store a schema document, and queue the units that waited for it.

        One of that version stays as it is.
        """
        statement = upsert(SCHEMA_DOCUMENT).values(
            workspace=row.workspace,
            version=row.version,
            document=row.document,
            received_ns=row.received_ns,
        )
        self._connection.execute(statement.on_conflict_do_nothing())
        is_of_schema = (UNIT.c.workspace == row.workspace) & (UNIT.c.schema_version == row.version)
        self._queue_waiting(is_of_schema, at_ns=row.received_ns)

    def queue_with_schema(self, unit_ids: Sequence[int], *, at_ns: int) -> None:
        """Queue the units among some whose schema has come since they were taken."""
        came = (
            select(SCHEMA_DOCUMENT.c.version)
            .where(SCHEMA_DOCUMENT.c.workspace == UNIT.c.workspace)
            .where(SCHEMA_DOCUMENT.c.version == UNIT.c.schema_version)
            .exists()
        )
        self._queue_waiting(is_among(UNIT.c.id, sorted(unit_ids)) & came, at_ns=at_ns)

    def _queue_waiting(self, chosen: ColumnElement[bool], *, at_ns: int) -> None:
        """Queue those of the chosen units that wait for a schema."""
        waiting = (
            select(UNIT.c.id)
            .where(UNIT.c.state == "held", UNIT.c.reason == "no_schema")
            .where(chosen)
            .order_by(UNIT.c.id)
            .with_for_update()
        )
        queued = update(UNIT).where(UNIT.c.id.in_(waiting))
        self._connection.execute(queued.values(state="queued", reason=None, state_ns=at_ns))

    def held_spans(self, *, before_ns: int, limit: int) -> list[Undecided]:
        """Return units that only a span told of, received before a time and not yet decided."""
        query = (
            select(*FACTS)
            .where(UNIT.c.state == "held", UNIT.c.source == "span", UNIT.c.rule.is_(None))
            .where(UNIT.c.received_ns < before_ns)
            .limit(limit)
        )
        return [Undecided(*row) for row in self._connection.execute(query)]

    def sample(self, decided: Sequence[Sampled]) -> None:
        """Set what sampling decided, with the states it leads to."""
        if not decided:
            return
        statement = (
            update(UNIT)
            .where(UNIT.c.id == bindparam("of_unit"))
            .values(rule=bindparam("by_rule"), probability=bindparam("with_probability"))
        )
        rows = [
            {
                "of_unit": one.unit_id,
                "by_rule": one.rule,
                "with_probability": one.probability,
            }
            for one in sorted(decided, key=lambda one: one.unit_id)
        ]
        self._connection.execute(statement, rows)
        self.move([one.transition for one in decided if one.transition])

    def move(self, transitions: Sequence[Transition]) -> None:
        """Set new states; whoever evaluates a unit has it no longer."""
        units: dict[tuple[str, str | None, int], list[int]] = {}
        for one in transitions:
            units.setdefault((one.state, one.reason, one.state_ns), []).append(one.unit_id)
        for (state, reason, state_ns), unit_ids in units.items():
            moved = update(UNIT).where(is_among(UNIT.c.id, sorted(unit_ids)))
            self._connection.execute(
                moved.values(state=state, reason=reason, state_ns=state_ns, worker=None)
            )

    def put_evaluations(self, rows: Sequence[Evaluated]) -> None:
        """Store evaluations; the last one of the same unit, metric and version stays."""
        if not rows:
            return
        last = {(row.unit_id, row.metric, row.version): row for row in rows}
        statement = upsert(EVALUATION)
        key = (EVALUATION.c.unit_id, EVALUATION.c.metric, EVALUATION.c.version)
        names = {column.name for column in key}
        updated = {name: statement.excluded[name] for name in rows[0].values if name not in names}
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=key, set_=updated),
            [last[of].values for of in sorted(last)],  # in the same order everywhere: no deadlock
        )

    def mark_emitted(self, evaluations: Sequence[Unemitted], *, at_ns: int) -> None:
        """Remember that the backend has got evaluations, unless they were made again meanwhile."""
        statement = (
            update(EVALUATION)
            .where(
                EVALUATION.c.unit_id == bindparam("of_unit"),
                EVALUATION.c.metric == bindparam("of_metric"),
                EVALUATION.c.version == bindparam("of_version"),
                EVALUATION.c.created_ns == bindparam("made_ns"),
            )
            .values(emitted_ns=at_ns)
        )
        self._connection.execute(
            statement,
            [
                {
                    "of_unit": one.unit_id,
                    "of_metric": one.metric,
                    "of_version": one.version,
                    "made_ns": one.created_ns,
                }
                for one in evaluations
            ],
        )

    def stored_units(self, unit_ids: Sequence[int]) -> set[int]:
        """Return which of some units are still there."""
        query = select(UNIT.c.id).where(UNIT.c.id.in_(unit_ids))
        return set(self._connection.execute(query).scalars())

    def state_counts(self) -> dict[tuple[str, str | None], int]:
        """Return the number of units by state and reason."""
        query = select(UNIT.c.state, UNIT.c.reason, func.count()).group_by(
            UNIT.c.state, UNIT.c.reason
        )
        return {(state, reason): count for state, reason, count in self._connection.execute(query)}
