"""A prediction beside its references: run together, compared, scored; the best of several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.execution_match import match_of_outcomes
from sqlobs.scores.registry import COMPARED_SCORES
from sqlobs.scores.scoring import ScoreContext, evaluate
from sqlobs.scores.techniques import compared_scores
from sqlobs.scores.whole_results import compare_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Databases
    from sqlobs.evaluation.execution_match import ExecutionMatch
    from sqlobs.evaluation.stored_results import StoredResults
    from sqlobs.evaluation.test_suite import TestSuite
    from sqlobs.execution.executor import Executor
    from sqlobs.execution.outcome import Execution
    from sqlobs.execution.target import Limits
    from sqlobs.scores.comparison import ScoreSettings
    from sqlobs.scores.score import ScoreResult
    from sqlobs.scores.scoring import ScoredRequest
    from sqlobs.scores.whole_results import WholeResults


_CLOSENESS: Final = ("ex_set", "f1", "overlap")
_SUITE: Final = COMPARED_SCORES["ex_testsuite"]


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """One reference and the prediction, as they ran together."""

    match: ExecutionMatch
    scored: ScoredRequest
    reference: Execution
    predicted: Execution
    position: int
    """Which of the case's references it is, from 0."""

    @property
    def is_open(self) -> bool:
        """Another reference may show that the prediction is right."""
        could_run = self.predicted.outcome.table is not None
        return not self.match.is_match and (self.reference.outcome.table is None or could_run)

    @property
    def rank(self) -> tuple[float, ...]:
        """The closest of several references: it ran, and the prediction agrees, or comes close.

        Where no cell is credited, as columns have other names, the values found anywhere decide.
        """
        ran = self.reference.outcome.table is not None
        values = self.scored.values
        return ran, self.match.is_match, *(values.get(name) or 0.0 for name in _CLOSENESS)

    def with_result(self, result: ScoreResult) -> ComparedPair:
        """Return the pair with another score."""
        results = {**self.scored.results, result.name: result}
        return replace(self, scored=replace(self.scored, results=results))


def compared(
    reference: Execution,
    predicted: Execution,
    position: int,
    settings: ScoreSettings,
    *,
    whole: Callable[[], WholeResults] | None = None,
) -> ComparedPair:
    """Compare two executions.

    Args:
        reference: The execution of a reference.
        predicted: The execution of the prediction.
        position: Which of the case's references it is, from 0.
        settings: How results are scored.
        whole: Compares the complete results, if the fetched rows are truncated and agree.
    """
    context = ScoreContext(
        prediction=predicted, reference=reference, compare_whole=whole, settings=settings
    )
    scored = evaluate(context, compared_scores(settings))
    return ComparedPair(
        _match(scored, reference, predicted), scored, reference, predicted, position
    )


class PairRunner:
    """Runs predictions beside their references and compares them."""

    def __init__(
        self,
        databases: Databases,
        executor: Executor | StoredResults,
        *,
        limits: Limits,
        scores: ScoreSettings,
    ) -> None:
        """Prepare for cases.

        Args:
            databases: Where cases run.
            executor: Knows the databases' targets; may know results already.
            limits: Of each statement.
            scores: How results are scored.
        """
        self._databases = databases
        self._executor = executor
        self._limits = limits
        self._scores = scores

    def run(self, case: Case, *statements: str) -> list[Execution]:
        """Run statements on a case's database, one after the other."""
        return self._run(self._databases.target_of(case).alias, *statements)

    def suite_result(self, suite: TestSuite, pair: ComparedPair) -> ScoreResult:
        """Return test-suite accuracy over all databases of a suite; the first failure decides."""
        result = None if suite.is_rewritten else pair.scored.results[_SUITE.name]
        for name in suite.databases:
            if result is not None and result.label == "fail":
                break
            found = self._suite_result(name, suite, pair.position)
            result = result if result is not None and found.label == "pass" else found
        return result or pair.scored.results[_SUITE.name]

    def _suite_result(self, name: str | None, suite: TestSuite, position: int) -> ScoreResult:
        alias = self._databases.targets[name].alias
        reference, predicted = self._run(alias, *suite.statements(position))
        context = ScoreContext(prediction=predicted, reference=suite.ordered(reference, position))
        return evaluate(context, [_SUITE]).results[_SUITE.name]

    def best(self, case: Case) -> ComparedPair:
        """Run the first reference with the prediction; the others where that leaves it open."""
        first, predicted = self.run(case, case.references[0], case.predicted_sql or "")
        best = self._compared(case, first, predicted, 0)
        others = case.references[1:]
        if not best.is_open or not others:
            return best
        pairs = (
            self._compared(case, execution, predicted, position)
            for position, execution in enumerate(self.run(case, *others), start=1)
        )
        return max((best, *pairs), key=lambda each: each.rank)

    def _run(self, alias: str, *statements: str) -> list[Execution]:
        return self._executor.run_all([(sql, self._limits) for sql in statements], target=alias)

    def _compared(
        self, case: Case, reference: Execution, predicted: Execution, position: int
    ) -> ComparedPair:
        def whole() -> WholeResults:
            target = self._databases.target_of(case)
            return compare_whole(
                (case.references[position], case.predicted_sql or ""),
                reference,
                executor=self._executor,
                target=target.alias,
                dialect=target.grammar,
                limits=self._limits,
            )

        return compared(reference, predicted, position, self._scores, whole=whole)


def _match(scored: ScoredRequest, reference: Execution, predicted: Execution) -> ExecutionMatch:
    """Return where the case ends, and how the whole results differ where those were compared."""
    found = match_of_outcomes(reference.outcome, predicted.outcome, scored.match)
    is_misplaced = scored.comparison is not None and scored.comparison.match.equal is False
    if scored.whole is None or is_misplaced or found.bucket != "mismatch":
        return found
    return replace(found, reason=scored.whole.difference)
