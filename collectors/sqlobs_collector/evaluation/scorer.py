"""The scores of one unit: what queue, backfill and review share.

Tests: `tests/collector/test_evaluation.py`.
"""

from __future__ import annotations

import logging
import time
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
from sqlobs_collector.evaluation.outcomes import CHECKED, Scored
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
from sqlobs_collector.settings.judging import FLEX
from sqlobs_collector.store import payload

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
    from sqlobs_collector.store.judge_rows import Inquiry
    from sqlobs_collector.store.rows import Evaluated, Queued, Reported

_log = logging.getLogger(__name__)

NEED_REFERENCE: Final = frozenset((*COMPARED, FLEX))
"""Evaluations that need a reference."""
_EVERYTHING: Final = EvaluationSelection()


class Scorer:
    """Runs and scores units, from several threads; stores nothing."""

    def __init__(
        self,
        *,
        executor: Executor | None,
        targets: Targets,
        golden: GoldenSet | None = None,
        wanted: EvaluationSelection = _EVERYTHING,
        schemas: Schemas | None = None,
        local: LocalVerdicts | None = None,
        inquirer: JudgeQueue | None = None,
        on_execution: Callable[[str, Execution], None] = lambda _, __: None,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._executor = executor
        self._targets = targets
        self._golden = golden
        self._wanted = wanted
        self._schemas = schemas
        self._local = local
        self._inquirer = inquirer
        self._on_execution = on_execution
        self._clock_ns = clock_ns

    def scored(
        self, unit: Queued, reports: Sequence[Reported], *, may_wait: bool = False
    ) -> Scored:
        """Return a unit's scores; an internal error becomes the reason `error`.

        Args:
            unit: The unit.
            reports: What was said about it later.
            may_wait: Score nothing while the schema that the unit names has not come.
        """
        try:
            if may_wait and self._awaits_schema(unit):
                return Scored(unit, [], awaits_schema=True)
            scored = self._evaluated(unit, reports)
        except Exception:  # noqa: BLE001 - one unit must not hold up the others
            _log.exception("cannot evaluate the unit of trace %s", unit.trace_id)
            scored = Scored(unit, unscored(ALL, "error"))
        return replace(scored, wanted=self._wanted.of(unit.workflow))

    def findings(self, unit: Queued) -> Findings:
        """Run a unit again, with its reference, without storing anything."""
        return self._findings(unit, ())[0]

    def _awaits_schema(self, unit: Queued) -> bool:
        """Return whether an evaluation needs a schema that its application is still sending."""
        if self._schemas is None or not self._schemas.has_to_come(
            workspace=unit.workspace, version=unit.schema_version
        ):
            return False
        is_judged = self._inquirer is not None or self._local is not None
        return is_judged or is_left_open(content_of(unit))

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


def _seen_by_application(content: Content, reports: Sequence[Reported]) -> ScoreResult | None:
    """Return the score of the application's own last execution, if one is known."""
    name = semconv.SQLOBS_EXECUTION_STATUS
    said = [content.attributes]
    said += [payload.unpack(one.payload).attributes for one in reports if one.kind == "execution"]
    statuses = [str(one[name]) for one in said if name in one]
    return application_score(statuses[-1]) if statuses else None
