"""Evaluates one case: text, check, execution, scores, timing."""

from __future__ import annotations

import logging
from collections import deque
from contextlib import closing, suppress
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from sqlobs.errors import SqlobsError
from sqlobs.evaluation.case_judging import CaseJudging
from sqlobs.evaluation.clauses import with_clauses
from sqlobs.evaluation.difference import difference_of
from sqlobs.evaluation.execution_match import match_alone, match_by_text
from sqlobs.evaluation.own_scores import with_own_scores
from sqlobs.evaluation.pairing import PairRunner, compared
from sqlobs.evaluation.result_row import result_row
from sqlobs.evaluation.rows import (
    case_row,
    check_summary,
    counts_of,
    execution_fields,
    outcome_row,
    score_fields,
    shape_of,
    with_execution,
    with_local_verdict,
    with_scores,
    with_timing,
)
from sqlobs.evaluation.tasks.runner import tested_row
from sqlobs.evaluation.test_suite import TestSuite
from sqlobs.evaluation.timing import NOT_TIMED, timing_of
from sqlobs.evaluation.timing import UNKNOWN as UNKNOWN_SPEED
from sqlobs.evaluation.timing import WRONG as WRONGLY_FAST
from sqlobs.execution.process import PoolClosedError
from sqlobs.metrics.text_match import exact_match_of_any
from sqlobs.runs.case import NOT_ASKED, CaseResult
from sqlobs.scores.local_verdicts import LocalVerdicts
from sqlobs.scores.scoring import ScoreContext, answer_of, evaluate, expected_of
from sqlobs.scores.techniques import compared_scores

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Databases
    from sqlobs.evaluation.evaluator_settings import EvaluatorSettings
    from sqlobs.evaluation.execution_match import ExecutionMatch
    from sqlobs.evaluation.judging import PairJudge
    from sqlobs.evaluation.pairing import ComparedPair
    from sqlobs.evaluation.stored_results import StoredResults
    from sqlobs.evaluation.timing import Timing
    from sqlobs.execution.executor import Executor
    from sqlobs.execution.outcome import Execution
    from sqlobs.metrics.statement_parts import SqlShape
    from sqlobs.runs.case import CheckSummary
    from sqlobs.scores.score import ScoreResult
    from sqlobs.scores.scoring import Answer

_WITHOUT_SQL: Final[dict[Answer, str]] = {"abstained": "abstained", "empty": "empty_prediction"}
"""Why nothing is run of an answer without a reference."""

_logger = logging.getLogger(__name__)


class CaseEvaluator:
    """Evaluates cases, one at a time, from any thread; nothing about a case raises."""

    def __init__(
        self,
        databases: Databases,
        executor: Executor | None,
        settings: EvaluatorSettings,
        *,
        judge: PairJudge | None = None,
        results: StoredResults | None = None,
        checks: Mapping[int, CheckSummary] | None = None,
    ) -> None:
        """Prepare for cases.

        Args:
            databases: Where cases run, and what their statements are checked against.
            executor: Knows the databases' targets; None = nothing is executed.
            settings: What is computed.
            judge: Gives a verdict on every pair that ran.
            results: Asked before a statement is run, unless it is timed.
            checks: Those that are known, by the index of the case.

        Raises:
            ConfigError: a local engine is to be asked, and no schema is of a dialect that has one.
            MissingExtraError: it is not installed.
        """
        self._databases = databases
        self._executor = executor
        self._settings = settings
        self._judging = (
            None if judge is None else CaseJudging(judge, databases, executor, settings.limits)
        )
        self._runner = results or executor
        self._checks = checks or {}
        self._local: LocalVerdicts | None = None
        if settings.with_local_engine:
            self._local = LocalVerdicts.of_schemas(databases.schemas.values())
        self._pairs = (
            None
            if self._runner is None
            else PairRunner(databases, self._runner, limits=settings.limits, scores=settings.scores)
        )

    def evaluate(self, case: Case) -> CaseResult:
        """Evaluate one case; an internal error becomes the case's reason.

        Raises:
            PoolClosedError: the run was stopped.
        """
        row = case_row(case)
        try:
            row = self._text_row(case, row)
            return self._executed_row(case, row)
        except PoolClosedError:
            raise
        except Exception as error:  # noqa: BLE001 - a row says it
            return _broken(row, error)

    def evaluate_some(self, cases: Sequence[Case]) -> Generator[CaseResult]:
        """Evaluate cases of one database and yield each row when it is finished, in any order.

        Without a judge and without timing, all statements are sent to a worker in one go
        and run ahead while results are compared.

        Raises:
            PoolClosedError: the run was stopped.
        """
        pairs = deque(filter(self._is_streamed, cases))
        alone = [case for case in cases if not self._is_streamed(case)]
        checks = self._checks_of(pairs)
        try:
            for first, predicted in self._stream(tuple(pairs)):
                row = self._pair_row(pairs[0], first, predicted, checks)
                case = pairs.popleft()
                if row is None:
                    alone.append(case)
                else:
                    yield row
        except PoolClosedError:
            raise
        except Exception:
            _logger.exception("statements could not be run as one batch")
        yield from map(self.evaluate, (*pairs, *alone))

    def stop(self) -> None:
        """Stop all running statements; their callers get `PoolClosedError`."""
        if self._runner is not None:
            self._runner.interrupt()

    def _is_streamed(self, case: Case) -> bool:
        """Return whether all there is to do for a case is to run a pair of statements."""
        is_plain = self._runner is not None and self._judging is None and not self._suite(case)
        if (
            not is_plain
            or case.task is not None
            or not self._settings.with_esm
            or self._settings.timing_runs
        ):
            return False
        return bool(case.references) and not match_by_text(case.references[0], case.predicted_sql)

    def _suite(self, case: Case) -> TestSuite | None:
        """Return the test suite of a case; None if one run on its database decides."""
        is_spider = (case.db or "") in self._settings.spider
        return TestSuite.of(case, is_spider=is_spider)

    def _stream(self, cases: Sequence[Case]) -> Iterator[tuple[Execution, Execution]]:
        """Yield the executions of each case's first reference and of its prediction."""
        if self._runner is None or not cases:
            return
        limits = self._settings.limits
        statements = [
            (sql, limits)
            for case in cases
            for sql in (case.references[0], case.predicted_sql or "")
        ]
        alias = self._databases.target_of(cases[0]).alias
        with closing(self._runner.stream(statements, target=alias)) as executions:
            for reference in executions:
                yield reference, next(executions)

    def _pair_row(
        self,
        case: Case,
        first: Execution,
        predicted: Execution,
        checks: Mapping[int, CheckSummary | None],
    ) -> CaseResult | None:
        """Return the row of a case; None if more has to be run for it."""
        row = case_row(case)
        try:
            pair = compared(first, predicted, 0, self._settings.scores)
            is_cut = pair.scored.comparison is not None and pair.scored.comparison.needs_digests
            if is_cut or (len(case.references) > 1 and pair.is_open):
                return None
            return self._settled_row(case, self._text_row(case, row, first.shape, checks), pair)
        except Exception as error:  # noqa: BLE001 - a row says it
            return _broken(row, error)

    def _text_row(
        self,
        case: Case,
        row: CaseResult,
        shape: SqlShape | None = None,
        checks: Mapping[int, CheckSummary | None] = MappingProxyType({}),
    ) -> CaseResult:
        """Add what needs no execution.

        Args:
            case: What is evaluated.
            row: What is known of it.
            shape: The first reference's, where the gate saw it.
            checks: Those that were made, by the index of the case.
        """
        dialect = self._dialect(case)
        database = self._settings.spider.get(case.db or "")
        row = row if database is None else with_clauses(row, database)
        row = with_local_verdict(row, self._local_verdict(case))
        return replace(
            row,
            em=self._exact_match(case),
            dialect=dialect,
            shape=counts_of(shape) if shape else shape_of(row.reference_sql, dialect),
            check=checks[case.index] if case.index in checks else self._check(case),
        )

    def _dialect(self, case: Case) -> str | None:
        target = self._databases.targets.get(case.db)
        return None if target is None else target.grammar

    def _exact_match(self, case: Case) -> bool | None:
        has_none = case.results or (case.task is not None and not case.references)
        if not self._settings.with_em or not case.has_reference or has_none:
            return None
        return exact_match_of_any(case.references, case.predicted_sql)

    def _checks_of(self, cases: Iterable[Case]) -> dict[int, CheckSummary | None]:
        """Check predictions one after the other, without any other work between two checks.

        What the checker reads then stays in the caches of the processor, which saves a tenth of
        all that a case with a tiny result costs. An internal error is met again with its case.
        """
        found = {}
        for case in cases:
            with suppress(Exception):
                found[case.index] = self._check(case)
        return found

    def _check(self, case: Case) -> CheckSummary | None:
        sql = case.predicted_sql
        if not self._settings.with_check or sql is None or not sql.strip():
            return None
        if case.index in self._checks:
            return self._checks[case.index]
        return check_summary(sql, self._databases.schema_of(case), self._dialect(case))

    def _local_verdict(self, case: Case) -> ScoreResult | None:
        sql = case.predicted_sql
        if self._local is None or sql is None or not sql.strip():
            return None
        return self._local.of(sql, self._databases.schema_of(case), self._dialect(case))

    def _executed_row(self, case: Case, row: CaseResult) -> CaseResult:
        if case.task is not None and self._settings.with_esm and self._databases.targets:
            target = self._databases.target_of(case)
            return tested_row(row, case.task, target, self._settings.limits)
        if not self._settings.with_esm or self._pairs is None:
            row = replace(row, bucket="skipped", reason=NOT_ASKED)
            return with_own_scores(row, case, self._settings.metrics)
        if not case.has_reference:
            return self._alone_row(case, row, self._pairs)
        if case.results:
            return self._result_row(case, row, self._pairs)
        reference_sql = case.references[0] if case.references else None
        early = match_by_text(reference_sql, case.predicted_sql)
        if early is not None:
            return with_own_scores(self._unrun_row(row, early), case, self._settings.metrics)
        best = self._pairs.best(case)
        suite = self._suite(case)
        if suite is not None and (suite.is_rewritten or best.scored.is_known):
            best = best.with_result(self._pairs.suite_result(suite, best))
        timing = self._timing(case, best)
        return with_timing(self._settled_row(case, row, best), timing)

    def _alone_row(self, case: Case, row: CaseResult, pairs: PairRunner) -> CaseResult:
        """Run a prediction that there is no reference for."""
        answer = answer_of(case.predicted_sql)
        if case.predicted_sql is None or answer != "statement":
            row = replace(row, bucket="skipped", reason=_WITHOUT_SQL[answer])
            return with_own_scores(row, case, self._settings.metrics)
        [predicted] = pairs.run(case, case.predicted_sql)
        match = match_alone(predicted.outcome)
        context = ScoreContext(
            prediction=predicted, reference="unknown", settings=self._settings.scores
        )
        row = replace(
            row, bucket=match.bucket, reason=match.reason, predicted=outcome_row(predicted)
        )
        row = with_scores(row, evaluate(context, compared_scores(context.settings)))
        row = with_execution(row, predicted)
        if self._judging is not None:
            row = self._judging.with_verdicts(case, row, predicted)
        return with_own_scores(row, case, self._settings.metrics, predicted=predicted)

    def _result_row(self, case: Case, row: CaseResult, pairs: PairRunner) -> CaseResult:
        """Compare the prediction with results of files; of several, the first that matches counts.

        Raises:
            InputError: a file is no result.
        """
        sql = case.predicted_sql or ""
        if not sql.strip():
            return result_row(row, None, case.results)
        [predicted] = pairs.run(case, sql)
        return result_row(row, predicted, case.results)

    def _unrun_row(self, row: CaseResult, early: ExecutionMatch) -> CaseResult:
        """Add what is known of a case without running it."""
        context = ScoreContext(
            prediction=answer_of(row.predicted_sql),
            reference=expected_of(row.reference_sql),
            settings=self._settings.scores,
        )
        fields = score_fields(
            row, early.bucket, evaluate(context, compared_scores(context.settings))
        )
        row = replace(row, bucket=early.bucket, reason=early.reason, **fields)
        if early.is_match:
            return row
        is_timed = self._settings.timing_runs and not row.is_unanswerable
        return with_timing(row, WRONGLY_FAST if is_timed else NOT_TIMED)

    def _settled_row(self, case: Case, row: CaseResult, best: ComparedPair) -> CaseResult:
        bucket, difference, judge = best.match.bucket, None, None
        if self._judging is not None:
            judge = self._judging.verdict(case, best, dialect=row.dialect)
        table, other = best.reference.outcome.table, best.predicted.outcome.table
        if bucket == "mismatch" and table is not None and other is not None:
            difference = difference_of(table, other, ordering=best.reference.ordering)
        fields = score_fields(row, bucket, best.scored)
        fields |= execution_fields(fields["scores"], fields["unscored"], best.predicted)
        row = replace(
            row,
            bucket=bucket,
            reason=best.match.reason,
            matched_alternative=best.position,
            reference=outcome_row(best.reference),
            predicted=outcome_row(best.predicted, has_digest=case.sample_of is not None),
            judge=judge,
            difference=difference,
            **fields,
        )
        if self._judging is not None:
            row = self._judging.with_verdicts(case, row, best.predicted)
        own = self._settings.metrics
        return with_own_scores(row, case, own, reference=best.reference, predicted=best.predicted)

    def _timing(self, case: Case, best: ComparedPair) -> Timing:
        """Time a prediction that returns the set of rows of its reference; others score 0.

        Order and duplicates do not matter: BIRD and Denodo reward equal sets.
        """
        runs, executor = self._settings.timing_runs, self._executor
        if not runs or executor is None or not best.scored.is_known:
            return NOT_TIMED
        is_right = best.scored.values.get("ex_set")
        if is_right is None:
            return UNKNOWN_SPEED
        if not is_right or case.predicted_sql is None:
            return WRONGLY_FAST
        limits, alias = self._settings.limits, self._databases.target_of(case).alias
        return timing_of(
            case.references[best.position],
            case.predicted_sql,
            lambda statements: executor.run_all(
                [(sql, limits) for sql in statements], target=alias
            ),
            runs=runs,
        )


def _broken(row: CaseResult, error: Exception) -> CaseResult:
    """Return the row of a case with an internal error, or with a fault of its input."""
    label = row.id or row.index
    if isinstance(error, SqlobsError):
        _logger.error("case %s could not be evaluated: %s", label, error)
        return replace(row, bucket="other_error", reason=str(error))
    _logger.error("case %s could not be evaluated", label, exc_info=error)
    return replace(row, bucket="other_error", reason=f"{type(error).__name__}: {error}")
