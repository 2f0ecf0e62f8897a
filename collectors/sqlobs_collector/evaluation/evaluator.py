"""The evaluator: runs and scores queued units, stores the outcome with the new state."""

from __future__ import annotations

import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs_collector.evaluation.requests import Skip, request_of
from sqlobs_collector.evaluation.scoring import ALL, EXECUTION, scores_of, state_of, unscored
from sqlobs_collector.follower import AT_ONCE, Follower
from sqlobs_collector.store.rows import Evaluated, Transition

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlobs.execution.executor import Executor
    from sqlobs_collector.evaluation.requests import Targets
    from sqlobs_collector.evaluation.scoring import Score
    from sqlobs_collector.flow import Flow
    from sqlobs_collector.store.reading import StoreReader
    from sqlobs_collector.store.rows import Queued
    from sqlobs_collector.store.writing import Store

_log = logging.getLogger(__name__)

SCORING_VERSION: Final = "1"
"""Part of the key of an evaluation: another way of scoring is another evaluation."""
UNAVAILABLE_RETRY_S: Final = 30
"""When a unit whose target could not be reached is tried again."""
UNAVAILABLE_PATIENCE_S: Final = 3600
"""After this a unit whose target stays away has expired."""
_POLL_S: Final = 2.0
_BATCH_PER_WORKER: Final = 8


@dataclass(frozen=True, slots=True)
class _Scored:
    unit: Queued
    scores: list[Score]
    duration_s: float


class Evaluator:
    """Works off the queue; a unit that a crash interrupts is simply still queued."""

    def __init__(
        self,
        reader: StoreReader,
        store: Store,
        *,
        executor: Executor | None,
        targets: Targets,
        workers: int,
        flow: Flow,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._reader = reader
        self._store = store
        self._executor = executor
        self._targets = targets
        self._workers = workers
        self._flow = flow
        self._clock_ns = clock_ns
        self._follower = Follower("evaluator", self._turn)

    def start(self) -> None:
        """Begin to work."""
        self._follower.start()

    def notify(self) -> None:
        """Take notice that there may be units."""
        self._follower.notify()

    def stop(self) -> None:
        """End after the units under way; the others stay queued. Idempotent."""
        self._follower.stop()

    def evaluate(self) -> int:
        """Evaluate the next units; returns how many there were."""
        retry_before_ns = self._clock_ns() - UNAVAILABLE_RETRY_S * 10**9
        units = self._reader.queued(
            retry_before_ns=retry_before_ns, limit=self._workers * _BATCH_PER_WORKER
        )
        if not units:
            return 0
        with ThreadPoolExecutor(self._workers) as threads:
            attempts = list(threads.map(self._scored, units))
        scored = [one for one in attempts if one is not None]
        self._keep(scored)
        return len(scored)

    def _turn(self) -> float:
        return AT_ONCE if self.evaluate() else _POLL_S

    def _scored(self, unit: Queued) -> _Scored | None:
        """Return a unit's scores; our own failure is a reason like others. `None`: we stop."""
        if self._follower.is_stopping:
            return None
        started_s = time.monotonic()
        try:
            scores = self._scores(unit)
        except Exception:  # noqa: BLE001 - one unit must not hold up the others
            _log.exception("unit of trace %s cannot be evaluated", unit.trace_id)
            scores = unscored(ALL, "error")
        return _Scored(unit, scores, time.monotonic() - started_s)

    def _scores(self, unit: Queued) -> list[Score]:
        request = request_of(unit, self._targets)
        if isinstance(request, Skip):
            return unscored(ALL, request.reason)
        if self._executor is None:
            return unscored(ALL, "no_target")
        pair = self._executor.run(request)
        dialect = self._targets.known[request.target].dialect
        return scores_of(pair, reference_sql=request.reference, dialect=dialect)

    def _keep(self, scored: Sequence[_Scored]) -> None:
        now_ns = self._clock_ns()
        with self._store.writing() as writer:
            present = writer.stored_units([one.unit.unit_id for one in scored])
            # What is not there any more was taken by retention meanwhile.
            kept = [one for one in scored if one.unit.unit_id in present]
            transitions = [self._transition(one.unit, one.scores, now_ns) for one in kept]
            writer.put_evaluations(
                [_row(one, score, now_ns=now_ns) for one in kept for score in one.scores]
            )
            writer.move(transitions)
        for one, transition in zip(kept, transitions, strict=True):
            self._count(one.unit, one.scores, transition)

    def _transition(self, unit: Queued, scores: Sequence[Score], now_ns: int) -> Transition:
        state, reason = state_of(scores)
        if state == "held" and now_ns - unit.received_ns > UNAVAILABLE_PATIENCE_S * 10**9:
            state = "expired"
        return Transition(unit.unit_id, state, reason, now_ns)

    def _count(self, unit: Queued, scores: Sequence[Score], transition: Transition) -> None:
        service = (unit.service_name, unit.environment)
        self._flow.unit(service=service, state=transition.state, reason=transition.reason)
        for score in scores:
            self._flow.evaluation(
                service=service, name=score.metric, label=score.label, kind="engine"
            )
            if score.metric == EXECUTION and "engine_label" in score.detail:
                self._flow.comparison(
                    service=service,
                    static=_static_label(unit),
                    engine=str(score.detail["engine_label"]),
                )


def _static_label(unit: Queued) -> str:
    """Return both labels of the checker together: a fail, else an absence, else a pass."""
    labels = {unit.syntactic, unit.schematic}
    if False in labels:
        return "fail"
    return "not_evaluated" if None in labels else "pass"


def _row(one: _Scored, score: Score, *, now_ns: int) -> Evaluated:
    return Evaluated(
        unit_id=one.unit.unit_id,
        metric=score.metric,
        version=SCORING_VERSION,
        label=score.label,
        kind="engine",
        created_ns=now_ns,
        value=score.value,
        reason=score.reason,
        explanation=score.explanation,
        detail=json.dumps(score.detail) if score.detail else None,
        duration_s=one.duration_s if score.metric == EXECUTION else None,
        emitted_ns=None if score.is_news else now_ns,
    )
