"""The evaluator: runs and scores queued units, stores the outcome with the new state."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from sqlobs_collector.evaluation.outcomes import engine_label, kind_of, static_label
from sqlobs_collector.evaluation.result_storing import store_results
from sqlobs_collector.evaluation.turn_size import TurnSize
from sqlobs_collector.pipeline_metrics import Step
from sqlobs_collector.polling_worker import AT_ONCE, PollingWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlobs_collector.evaluation.outcomes import Scored
    from sqlobs_collector.evaluation.scorer import Scorer
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.store.reading import StoreReader
    from sqlobs_collector.store.rows import Queued, Transition
    from sqlobs_collector.store.writing import Store

_POLL_S: Final = 2.0


class Evaluator:
    """Evaluates queued units, each taken by one process alone."""

    def __init__(
        self,
        reader: StoreReader,
        store: Store,
        scorer: Scorer,
        *,
        workers: int,
        flow: PipelineMetrics,
        on_inquiries: Callable[[], None] = lambda: None,
        worker: str = "",
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._reader = reader
        self._store = store
        self._scorer = scorer
        self._workers = workers
        self._flow = flow
        self._on_inquiries = on_inquiries
        self._worker = worker
        self._has_unfinished = False
        self._turn = TurnSize(workers)
        self._clock_ns = clock_ns
        self._follower = PollingWorker("evaluator", self._poll)

    def start(self) -> None:
        """Begin to work."""
        self._follower.start()

    def notify(self) -> None:
        """Wake the worker: there may be units."""
        self._follower.notify()

    def stop(self) -> None:
        """Stop after the running units; the others stay queued. Idempotent."""
        self._follower.stop()

    def evaluate(self) -> int:
        """Evaluate the next units; return their number."""
        units = self._begin()
        if not units:
            return 0
        started_s = time.monotonic()
        reported = self._reader.reported(units)
        with ThreadPoolExecutor(self._workers) as threads:
            attempts = threads.map(
                lambda unit: self._scorer.scored(
                    unit, reported.get(unit.unit_id, ()), may_wait=unit.attempts == 0
                ),
                units,
            )
            scored = list(attempts)
        self._keep(scored)
        self._turn.learn(len(units), time.monotonic() - started_s)
        return len(scored)

    def _begin(self) -> list[Queued]:
        """Take the next units out of the queue; those of a turn that failed go back first."""
        if self._follower.is_stopping:
            return []
        now_ns = self._clock_ns()
        with self._store.writing() as writer:
            if self._has_unfinished:
                writer.queue.give_back(self._worker, at_ns=now_ns)
            units = writer.queue.take(self._worker, at_ns=now_ns, limit=self._turn.units)
            if units:
                writer.workers.beat(self._worker)
        self._has_unfinished = bool(units)
        self._flow.units(Step(unit.origin, "running", None) for unit in units)
        return units

    def _poll(self) -> float:
        return AT_ONCE if self.evaluate() else _POLL_S

    def _keep(self, scored: Sequence[Scored]) -> None:
        now_ns = self._clock_ns()
        with self._store.writing() as writer:
            present = writer.queue.still_has(self._worker, [one.unit.unit_id for one in scored])
            kept = [one for one in scored if one.unit.unit_id in present]
            stored = store_results(writer, kept, now_ns=now_ns)
        self._has_unfinished = False
        if stored.has_inquiries:
            self._on_inquiries()
        for one, transition in zip(kept, stored.transitions, strict=True):
            self._count(one, transition)

    def _count(self, one: Scored, transition: Transition) -> None:
        origin = one.unit.origin
        self._flow.unit(origin=origin, state=transition.state, reason=transition.reason)
        for score in one.kept:
            self._flow.evaluation(
                origin=origin, name=score.name, label=score.label, kind=kind_of(score)
            )
        engine = engine_label(one)
        if engine is not None:
            self._flow.comparison(origin=origin, static=static_label(one), engine=engine)
