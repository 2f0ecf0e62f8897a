"""Housekeeping: what becomes of stored units with time, apart from their evaluation."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlobs_collector.pipeline_metrics import Step
from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.sampling import BY_RATE, SamplingFacts, decide
from sqlobs_collector.store.dispatcher import FEEDBACK
from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.store.rows import Sampled, Transition
from sqlobs_collector.units.late_report_effects import LateReportEffect, late_report_effect_of
from sqlobs_collector.units.projection import reason_of, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.sampling import RulesOf
    from sqlobs_collector.sharing.duty import Duty
    from sqlobs_collector.store.rows import Joinable, Undecided
    from sqlobs_collector.store.writing import StoreWriter

_log = logging.getLogger(__name__)

SPAN_PATIENCE_NS: Final = 60 * 10**9
"""How long a span's own unit may take to come."""
_EVERY_S: Final = 2.0
_CHUNK: Final = 1000
"""Rows that one statement touches, so that it never blocks for long."""


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """How long what was said is kept, in seconds after it was received."""

    payload_s: int
    sampled_out_payload_s: int
    unit_s: int


class Housekeeper:
    """Decides about spans without a unit, joins late reports and deletes what is old."""

    def __init__(
        self,
        duty: Duty,
        *,
        rules: RulesOf,
        retention: RetentionLimits,
        flow: PipelineMetrics,
        on_units: Callable[[], None] = lambda: None,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._store = duty.store
        self._rules = rules
        self._retention = retention
        self._flow = flow
        self._on_units = on_units
        self._clock_ns = clock_ns
        self._worker = PollingWorker("housekeeper", duty.while_held(self._poll))

    def start(self) -> None:
        """Begin to keep house."""
        self._worker.start()

    def stop(self) -> None:
        """End; idempotent."""
        self._worker.stop()

    def keep_house(self) -> None:
        """Decide about spans whose units did not come, join late reports, forget what is old."""
        now_ns = self._clock_ns()
        with self._store.writing() as writer:
            spans = writer.held_spans(before_ns=now_ns - SPAN_PATIENCE_NS, limit=_CHUNK)
            dropped = writer.units.drop_beyond_quota(
                [unit.unit_id for unit in spans], apart_ns=SPAN_PATIENCE_NS
            )
            gone = {one.unit_id for one in dropped}
            kept = [unit for unit in spans if unit.unit_id not in gone]
            decided = self._set(writer, [(unit, self._sampled(unit)) for unit in kept])
            decided += self._join(writer, now_ns)
            writer.expiry.payloads(
                sampled_out_ns=now_ns - self._retention.sampled_out_payload_s * 10**9,
                any_ns=now_ns - self._retention.payload_s * 10**9,
                limit=_CHUNK,
            )
            writer.intake.forget(before_hour=now_ns // HOUR_NS)
            writer.expiry.units(before_ns=now_ns - self._retention.unit_s * 10**9, limit=_CHUNK)
            writer.intake.dropped(dropped)  # behind all units, as receivers do: no deadlock
        if decided:
            self._on_units()
        if dropped:
            self._flow.rejected(signal="traces", reason="quota", count=len(dropped))
        self._flow.units(
            Step(unit.origin, transition.state, transition.reason) for unit, transition in decided
        )

    def _poll(self) -> float:
        self.keep_house()
        return _EVERY_S

    def _join(self, writer: StoreWriter, now_ns: int) -> list[tuple[Undecided, Transition]]:
        """Let late reports have their effect, each once."""
        reports = writer.reports.joinable(limit=_CHUNK)
        complaints = {one.unit.unit_id: one for one in reports if one.is_negative}
        decided = self._set(writer, self._complained(complaints.values()))
        consequences = [(one.unit, self._consequence(one)) for one in reports]
        writer.put_evaluations([one.evaluated for _, one in consequences if one.evaluated])
        again = {unit.unit_id: unit for unit, one in consequences if one.is_requeued}
        requeued = [
            (unit, Transition(unit_id, "queued", None, now_ns)) for unit_id, unit in again.items()
        ]
        writer.move([transition for _, transition in requeued])
        writer.queue.prefer([*(unit.unit_id for unit, _ in decided), *again], FEEDBACK)
        writer.reports.close(reports)
        return decided + requeued

    def _consequence(self, report: Joinable) -> LateReportEffect:
        try:
            return late_report_effect_of(report)
        except Exception:  # noqa: BLE001 - one report must not hold up the others
            _log.exception("report %s cannot be read and is skipped", report.record_id)
            self._flow.rejected(signal="logs", reason="unreadable")
            return LateReportEffect()

    def _set(
        self, writer: StoreWriter, decided: Sequence[tuple[Undecided, Sampled]]
    ) -> list[tuple[Undecided, Transition]]:
        writer.sample([sampled for _, sampled in decided])
        return [(unit, sampled.transition) for unit, sampled in decided if sampled.transition]

    def _complained(self, reports: Iterable[Joinable]) -> list[tuple[Undecided, Sampled]]:
        """Select units because of complaints, if a rule says so.

        A unit that the rate had selected counts from now on as one that was certain to be: users
        complain as much about the others, each of which now stands for itself.
        """
        decided = [(one, self._sampled(one.unit, has_complaint=True)) for one in reports]
        return [
            (one.unit, sampled if one.state == "sampled_out" else replace(sampled, transition=None))
            for one, sampled in decided
            if sampled.rule != BY_RATE
        ]

    def _sampled(self, unit: Undecided, *, has_complaint: bool = False) -> Sampled:
        facts = SamplingFacts(
            trace_id=unit.trace_id,
            verdict=unit.verdict,
            outcome=unit.outcome,
            head_probability=unit.head_probability,
            has_complaint=has_complaint,
            randomness=unit.randomness,
        )
        rules = self._rules(unit.workspace)
        decision = decide(facts, replace(rules, always_rate=1.0) if has_complaint else rules)
        transition = Transition(
            unit.unit_id, state_of(decision), reason_of(decision), self._clock_ns()
        )
        return Sampled(unit.unit_id, decision.rule, decision.probability, transition)
