"""The projector: one thread that turns journal entries into units, each exactly once in effect."""

from __future__ import annotations

import logging
import time
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from sqlobs_collector.journal.entry import Lost, Place
from sqlobs_collector.polling_worker import AT_ONCE, PollingWorker
from sqlobs_collector.sampling import SamplingFacts, decide
from sqlobs_collector.store.database import is_trouble
from sqlobs_collector.store.journals import Standing
from sqlobs_collector.store.rows import Sampled, Transition
from sqlobs_collector.units.batches import batch_of, put_apart
from sqlobs_collector.units.late_report_effects import LateReportEffect, late_report_effect_of
from sqlobs_collector.units.progress import Progress
from sqlobs_collector.units.projection import reason_of, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlobs_collector.journal.entry import Recorded
    from sqlobs_collector.journal.reader import JournalReader, Reading
    from sqlobs_collector.journal.scrub import Scrub
    from sqlobs_collector.origin import Origin
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.sampling import SamplingRules
    from sqlobs_collector.store.rows import (
        Joinable,
        Stored,
        Undecided,
        UnitState,
    )
    from sqlobs_collector.store.writing import Store, StoreWriter

_log = logging.getLogger(__name__)

BATCH_BYTES: Final = 512 * 1024
"""Bodies per transaction, as they lie in the journal."""
SPAN_PATIENCE_NS: Final = 60 * 10**9
"""How long a span's own unit may take to come."""
_HOUSEKEEPING_S: Final = 2.0
_DRAIN_S: Final = 10.0
"""What is left in the journal after this is projected at the next start."""
_CHUNK: Final = 1000
"""Rows that one housekeeping statement touches, so that it never blocks for long."""


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """How long what was said is kept, in seconds after it was received."""

    payload_s: int
    sampled_out_payload_s: int
    unit_s: int


class Journal(Protocol):
    """The other end: anyone who writes the files that are read here."""

    @property
    def identity(self) -> bytes:
        """What the files have in common with no other journal's."""
        ...

    @property
    def acknowledged(self) -> Place:
        """The last entry that was acknowledged."""
        ...

    def retire(self, before: str) -> None:
        """Take notice: files whose names sort before this one are projected."""

    def rotate(self, name: str) -> None:
        """Have a file followed by another, if it is still written to; or begin one."""

    def set_aside(self, name: str) -> None:
        """Have a damaged file moved away that was read to its end."""


class _Step(NamedTuple):
    """A state that a unit of a service entered."""

    origin: Origin
    state: UnitState
    reason: str | None


class Projector:
    """Follows the journal; the position and the rows it led to are one transaction."""

    def __init__(
        self,
        reader: JournalReader,
        store: Store,
        *,
        rules: SamplingRules,
        retention: RetentionLimits,
        journal: Journal,
        flow: PipelineMetrics,
        on_units: Callable[[], None] = lambda: None,
        scrub: Scrub | None = None,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._reader = reader
        self._store = store
        self._rules = rules
        self._retention = retention
        self._journal = journal
        self._flow = flow
        self._on_units = on_units
        self._scrub = scrub
        self._clock_ns = clock_ns
        self._follower = PollingWorker("projector", self._poll, drain_s=_DRAIN_S)
        self._housekept_at = float("-inf")
        self.progress = Progress(acknowledged=lambda: journal.acknowledged, clock_ns=clock_ns)

    def start(self) -> None:
        """Begin to follow."""
        self._follower.start()

    def notify(self) -> None:
        """Take notice that the journal has grown."""
        self.progress.committed()
        self._follower.notify()

    def stop(self) -> None:
        """Project what the journal holds, as far as that goes in a time, then end; idempotent."""
        self._follower.stop()
        self._reader.close()
        if self._scrub is not None:
            self._scrub.close()

    def project(self) -> int:
        """Project the next entries; returns how many there were."""
        identity = self._journal.identity
        with self._store.writing() as writer:
            standing = writer.journals.get(identity)
        self.progress.standing = standing
        place = Place(standing.sequence, standing.entries, standing.records)
        reading = self._reader.read(place, limit_bytes=BATCH_BYTES)
        self.progress.found(reading)
        if reading.place != place:
            self._take(reading, _advanced(standing, reading))
        self._look_after(reading)
        return len(reading.entries)

    def _take(self, reading: Reading, standing: Standing) -> None:
        """Store what was read, with where this leads to."""
        try:
            self._put(reading.entries, standing=standing)
        except Exception as error:
            if is_trouble(error):
                raise
            self._put_one_by_one(reading.entries, standing)
        self.progress.standing = standing
        if reading.lost.entries:
            _log.error(
                "journal: %d acknowledged requests with %d records are lost",
                *reading.lost,
            )

    def _look_after(self, reading: Reading) -> None:
        """Tell the writer which files are done with, for good or for bad."""
        self._journal.retire(reading.name)
        if reading.is_newest_damaged:
            self._journal.rotate(self._reader.newest())
        for name in reading.damaged:
            self._journal.set_aside(name)
        if self._scrub is not None and not reading.entries:
            for name in self._scrub.look(before=reading.name):
                self._journal.set_aside(name)

    def keep_house(self) -> None:
        """Decide about spans whose units did not come, join late reports, forget what is old."""
        now_ns = self._clock_ns()
        with self._store.writing() as writer:
            spans = writer.held_spans(before_ns=now_ns - SPAN_PATIENCE_NS, limit=_CHUNK)
            decided = self._decide(writer, spans, has_complaint=False)
            decided += self._join(writer, now_ns)
            writer.expire_payloads(
                sampled_out_ns=now_ns - self._retention.sampled_out_payload_s * 10**9,
                any_ns=now_ns - self._retention.payload_s * 10**9,
                limit=_CHUNK,
            )
            writer.delete_units(before_ns=now_ns - self._retention.unit_s * 10**9, limit=_CHUNK)
        if decided:
            self._on_units()
        self._count(
            _Step(unit.origin, transition.state, transition.reason) for unit, transition in decided
        )

    def _poll(self) -> float:
        """Project once and keep house when it is time."""
        is_idle = not self.project()
        if time.monotonic() - self._housekept_at >= _HOUSEKEEPING_S:
            self._housekept_at = time.monotonic()
            self.keep_house()
        return _HOUSEKEEPING_S if is_idle else AT_ONCE

    def _put(self, entries: Sequence[Recorded], *, standing: Standing | None) -> None:
        """Store what entries say, in one transaction with the standing that this leads to."""
        batch = batch_of(entries, self._rules)
        with self._store.writing() as writer:
            stored = batch.put(writer)
            if standing is not None:
                writer.journals.put(self._journal.identity, standing)
        self._on_units()
        self._count(_steps(stored))

    def _put_one_by_one(self, entries: Sequence[Recorded], standing: Standing) -> None:
        """Store each record by itself: one that cannot be stored does not stop the others."""
        for recorded in entries:
            put_apart(recorded, lambda alone: self._put([alone], standing=None), self._set_aside)
        with self._store.writing() as writer:
            writer.journals.put(self._journal.identity, standing)

    def _set_aside(self, recorded: Recorded) -> None:
        _log.exception("entry %s cannot be read or stored and is skipped", recorded.place)
        self._flow.rejected(signal=recorded.entry.kind, reason="unreadable")

    def _join(self, writer: StoreWriter, now_ns: int) -> list[tuple[Undecided, Transition]]:
        """Let late reports have their effect, each once."""
        reports = writer.reports.joinable(limit=_CHUNK)
        complaints = {
            one.unit.unit_id: one.unit
            for one in reports
            if one.is_negative and one.state == "sampled_out"
        }
        decided = self._decide(writer, list(complaints.values()), has_complaint=True)
        consequences = [(one.unit, self._consequence(one)) for one in reports]
        writer.put_evaluations([one.evaluated for _, one in consequences if one.evaluated])
        again = {unit.unit_id: unit for unit, one in consequences if one.is_requeued}
        requeued = [
            (unit, Transition(unit_id, "queued", None, now_ns)) for unit_id, unit in again.items()
        ]
        writer.move([transition for _, transition in requeued])
        writer.reports.close(reports)
        return decided + requeued

    def _consequence(self, report: Joinable) -> LateReportEffect:
        try:
            return late_report_effect_of(report)
        except Exception:  # noqa: BLE001 - one report must not hold up the others
            _log.exception("report %s cannot be read and is skipped", report.record_id)
            self._flow.rejected(signal="logs", reason="unreadable")
            return LateReportEffect()

    def _decide(
        self, writer: StoreWriter, units: Sequence[Undecided], *, has_complaint: bool
    ) -> list[tuple[Undecided, Transition]]:
        now_ns = self._clock_ns()
        decided = [(unit, self._sampled(unit, has_complaint, now_ns)) for unit in units]
        writer.sample([sampled for _, sampled in decided])
        return [(unit, sampled.transition) for unit, sampled in decided]

    def _sampled(self, unit: Undecided, has_complaint: bool, now_ns: int) -> Sampled:  # noqa: FBT001 - a fact among facts
        facts = SamplingFacts(
            trace_id=unit.trace_id,
            verdict=unit.verdict,
            outcome=unit.outcome,
            head_probability=unit.head_probability,
            has_complaint=has_complaint,
            randomness=unit.randomness,
        )
        decision = decide(facts, self._rules)
        transition = Transition(unit.unit_id, state_of(decision), reason_of(decision), now_ns)
        return Sampled(transition, decision.rule, decision.probability)

    def _count(self, steps: Iterable[_Step]) -> None:
        for step, count in Counter(steps).items():
            self._flow.unit(origin=step.origin, state=step.state, reason=step.reason, count=count)


def _steps(stored: Stored) -> Iterator[_Step]:
    """Yield the states that stored units entered: all are received, most are decided too."""
    for row in stored.new:
        yield _Step(row.origin, "received", None)
    for row in chain(stored.new, stored.replacing):
        if row.state != "held":
            yield _Step(row.origin, row.state, row.reason)


def _advanced(standing: Standing, reading: Reading) -> Standing:
    """Return where a journal stands once a reading is stored."""
    lost = Lost(standing.lost_entries, standing.lost_records).plus(reading.lost)
    return Standing(*reading.place, *lost)
