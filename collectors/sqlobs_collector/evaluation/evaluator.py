"""The evaluator: runs and scores queued units, stores the outcome with the new state."""

from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.metrics.text_match import is_unanswerable
from sqlobs.scores.whole_results import whole_results_of
from sqlobs.semconv.evaluations import LOCAL_ENGINE
from sqlobs_collector.evaluation.candidates import Standing, candidates_of, examined
from sqlobs_collector.evaluation.checking import checked_scores, is_left_open
from sqlobs_collector.evaluation.content import content_of
from sqlobs_collector.evaluation.evaluation_selection import EvaluationSelection
from sqlobs_collector.evaluation.judge_items import Findings
from sqlobs_collector.evaluation.outcomes import (
    CHECKED,
    Scored,
    engine_label,
    judgeable,
    kind_of,
    row_of,
    static_label,
    transition_of,
)
from sqlobs_collector.evaluation.references import reference_of
from sqlobs_collector.evaluation.requests import UNANSWERED, Skip, request_of, target_of
from sqlobs_collector.evaluation.scoring import (
    ALL,
    COMPARED,
    application_score,
    scores_of,
    state_of,
    unrun_scores,
    unscored,
)
from sqlobs_collector.evaluation.turn_size import TurnSize
from sqlobs_collector.pipeline_metrics import Step
from sqlobs_collector.polling_worker import AT_ONCE, PollingWorker
from sqlobs_collector.settings.judging import FLEX
from sqlobs_collector.store import payload
from sqlobs_collector.store.judge_rows import Inquiry
from sqlobs_collector.store.rows import Evaluated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlobs.execution.executor import Executor
    from sqlobs.execution.outcome import Execution, ExecutionRequest
    from sqlobs.schema.model import Schema
    from sqlobs.scores.local_verdicts import LocalVerdicts
    from sqlobs.scores.score import ScoreResult
    from sqlobs_collector.evaluation.content import Content
    from sqlobs_collector.evaluation.golden_set import GoldenSet
    from sqlobs_collector.evaluation.judge_queue import JudgeQueue
    from sqlobs_collector.evaluation.references import Reference
    from sqlobs_collector.evaluation.requests import Targets
    from sqlobs_collector.evaluation.schemas import Schemas
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.store.reading import StoreReader
    from sqlobs_collector.store.rows import Queued, Reported, Transition
    from sqlobs_collector.store.writing import Store

_log = logging.getLogger(__name__)

NEED_REFERENCE: Final = frozenset((*COMPARED, FLEX))
"""Evaluations that need a reference."""
_EVERYTHING: Final = EvaluationSelection()
_POLL_S: Final = 2.0


class Evaluator:
    """Evaluates queued units, each taken by one process alone."""

    def __init__(
        self,
        reader: StoreReader,
        store: Store,
        *,
        executor: Executor | None,
        targets: Targets,
        workers: int,
        flow: PipelineMetrics,
        golden: GoldenSet | None = None,
        wanted: EvaluationSelection = _EVERYTHING,
        schemas: Schemas | None = None,
        local: LocalVerdicts | None = None,
        inquirer: JudgeQueue | None = None,
        on_execution: Callable[[str, Execution], None] = lambda _, __: None,
        on_inquiries: Callable[[], None] = lambda: None,
        worker: str = "",
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._reader = reader
        self._store = store
        self._executor = executor
        self._targets = targets
        self._workers = workers
        self._flow = flow
        self._golden = golden
        self._wanted = wanted
        self._schemas = schemas
        self._local = local
        self._inquirer = inquirer
        self._on_execution = on_execution
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
                lambda unit: self._scored(unit, reported.get(unit.unit_id, ())), units
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

    def _scored(self, unit: Queued, reports: Sequence[Reported]) -> Scored:
        """Return a unit's scores; an internal error becomes the reason `error`."""
        try:
            scored = self._evaluated(unit, reports)
        except Exception:  # noqa: BLE001 - one unit must not hold up the others
            _log.exception("cannot evaluate the unit of trace %s", unit.trace_id)
            scored = Scored(unit, unscored(ALL, "error"))
        return replace(scored, wanted=self._wanted.of(unit.workflow))

    def findings(self, unit: Queued) -> Findings:
        """Run a unit again, with its reference, without storing anything."""
        return self._findings(unit, ())[0]

    def _evaluated(self, unit: Queued, reports: Sequence[Reported]) -> Scored:
        findings, reference = self._findings(unit, reports)
        return Scored(
            unit,
            list(findings.scores),
            self._checked(findings),
            local=self._local_verdict(findings),
            execution=None if findings.pair is None else findings.pair.prediction,
            reference=reference,
            inquiries=self._inquiries(findings),
            candidates=self._candidates(findings, reports),
        )

    def _findings(
        self, unit: Queued, reports: Sequence[Reported]
    ) -> tuple[Findings, Reference | None]:
        content = content_of(unit)
        request = request_of(unit, content, self._targets)
        reference = None
        if not NEED_REFERENCE.isdisjoint(self._wanted.of(unit.workflow)):
            target = target_of(unit, self._targets)
            reference = reference_of(unit, content, golden=self._golden, target=target)
        text = None if reference is None else reference.sql
        sql = None if is_unanswerable(text) else text
        if isinstance(request, Skip) or self._executor is None:
            reason = request.reason if isinstance(request, Skip) else "no_target"
            scores = unrun_scores(reason, content, text)
            is_answer = unit.outcome not in UNANSWERED
            seen = _seen_by_application(content, reports) if is_answer else None
            scores = scores if seen is None else [seen, *scores[1:]]
            return Findings(unit, content, request, sql, None, scores), reference
        return self._run(unit, content, replace(request, reference=sql), text), reference

    def _run(
        self, unit: Queued, content: Content, request: ExecutionRequest, reference: str | None
    ) -> Findings:
        """Run a unit's SQL with its reference and score it, by digests if truncated."""
        if self._executor is None:
            raise AssertionError("a unit cannot be executed without an executor")
        pair = self._executor.run(request)
        self._on_execution(request.target, pair.prediction)
        whole = None
        if pair.reference is not None:
            whole = partial(whole_results_of, request, pair.reference, self._executor)
        scores = scores_of(pair, reference, compare_whole=whole)
        return Findings(unit, content, request, request.reference, pair, scores)

    def _candidates(self, findings: Findings, reports: Sequence[Reported]) -> list[Evaluated]:
        """Examine SQL corrected by users with the unit's own target, limits and schema."""
        candidates = candidates_of(reports)
        if not candidates:
            return []
        schema, dialect = self._conditions(findings.unit)
        standing = Standing(
            findings.unit.unit_id,
            findings.request,
            answer=findings.content.sql,
            reference=findings.reference,
            schema=schema,
            dialect=dialect,
        )
        return [
            examined(one, standing, executor=self._executor, at_ns=self._clock_ns())
            for one in candidates
        ]

    def _checked(self, findings: Findings) -> list[ScoreResult]:
        """Check a unit whose application leaves checking to the collector."""
        unit = findings.unit
        is_wanted = not CHECKED.isdisjoint(self._wanted.of(unit.workflow))
        if self._schemas is None or not is_wanted or not is_left_open(findings.content):
            return []
        schema, dialect = self._conditions(unit)
        return checked_scores(findings.content, findings.request, schema=schema, dialect=dialect)

    def _local_verdict(self, findings: Findings) -> ScoreResult | None:
        """Return the verdict of the engine of the unit's dialect on this machine."""
        unit, sql = findings.unit, findings.content.sql
        is_wanted = LOCAL_ENGINE in self._wanted.of(unit.workflow)
        if self._local is None or sql is None or not is_wanted or unit.outcome in UNANSWERED:
            return None
        return self._local.of(sql, *self._conditions(unit))

    def _conditions(self, unit: Queued) -> tuple[Schema | None, str | None]:
        """Return the schema that a unit was generated for, and its target's dialect."""
        alias = target_of(unit, self._targets)
        known = self._schemas and self._schemas.find(
            workspace=unit.workspace, version=unit.schema_version, alias=alias
        )
        dialect = unit.dialect if alias is None else self._targets.known[alias].dialect
        return known.schema if known else None, dialect

    def _inquiries(self, findings: Findings) -> Sequence[Inquiry | Evaluated]:
        if self._inquirer is None or state_of(findings.scores)[0] == "held":
            return ()
        return self._inquirer.inquire(findings, at_ns=self._clock_ns(), executor=self._executor)

    def _keep(self, scored: Sequence[Scored]) -> None:
        now_ns = self._clock_ns()
        with self._store.writing() as writer:
            present = writer.queue.still_has(self._worker, [one.unit.unit_id for one in scored])
            kept = [one for one in scored if one.unit.unit_id in present]
            transitions = [transition_of(one, now_ns=now_ns) for one in kept]
            writer.put_evaluations(
                [row_of(one, score, now_ns=now_ns) for one in kept for score in one.kept]
            )
            writer.put_evaluations([row for one in kept for row in one.candidates])
            inquiries = [inquiry for one in kept for inquiry in one.inquiries]
            asked = [one for one in inquiries if isinstance(one, Inquiry)]
            unasked = [one for one in inquiries if isinstance(one, Evaluated)]
            writer.put_evaluations(
                [one for one in unasked if not writer.inquiries.is_answered(one)]
            )
            writer.inquiries.put(asked)
            writer.intake.judgeable(judgeable(kept, now_ns=now_ns))
            writer.move(transitions)
        self._has_unfinished = False
        if asked:
            self._on_inquiries()
        for one, transition in zip(kept, transitions, strict=True):
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


def _seen_by_application(content: Content, reports: Sequence[Reported]) -> ScoreResult | None:
    """Return the score of the application's own last execution, if one is known."""
    name = semconv.SQLOBS_EXECUTION_STATUS
    said = [content.attributes]
    said += [payload.unpack(one.payload).attributes for one in reports if one.kind == "execution"]
    statuses = [str(one[name]) for one in said if name in one]
    return application_score(statuses[-1]) if statuses else None
