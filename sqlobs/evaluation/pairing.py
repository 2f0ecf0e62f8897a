"""A prediction beside its references: run together, compared, scored; the best of several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.execution_match import match_of_outcomes
from sqlobs.evaluation.scoring import UNKNOWN, scores_of
from sqlobs.evaluation.whole_results import compare_whole
from sqlobs.metrics.execution_accuracy import ex_test_suite
from sqlobs.metrics.outcome import standing

if TYPE_CHECKING:
    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Databases
    from sqlobs.evaluation.execution_match import ExecutionMatch
    from sqlobs.evaluation.scoring import Scores, ScoreSettings
    from sqlobs.evaluation.whole_results import WholeResults
    from sqlobs.execution.executor import Executor
    from sqlobs.execution.outcome import Execution
    from sqlobs.execution.target import Limits


_CLOSENESS: Final = ("ex_set", "f1", "overlap_percent")


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """One reference and the prediction, as they ran together."""

    match: ExecutionMatch
    scores: Scores
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
    def is_cut(self) -> bool:
        """The rows at hand do not decide it: there are more.

        Where they show another order than is promised, the sets of rows may still be equal.
        """
        return self._is_undecided or (
            self.reference.ordering.is_ordered
            and self.scores.by_name.get("ex") == 0
            and self.scores.by_name.get("ex_set", 0.0) is None
        )

    @property
    def _is_undecided(self) -> bool:
        return self.match.bucket == "other_error" and self.match.reason == "truncated"

    @property
    def rank(self) -> tuple[float, ...]:
        """The closest of several references: it ran, and the prediction agrees, or comes close.

        Where no cell is credited, as columns have other names, the values found anywhere decide.
        """
        ran = self.reference.outcome.table is not None
        scores = (self.scores.by_name.get(name) or 0.0 for name in _CLOSENESS)
        return ran, self.match.is_match, *scores

    def with_score(self, name: str, score: float | None) -> ComparedPair:
        """Return the pair with another score."""
        scores = replace(self.scores, by_name={**self.scores.by_name, name: score})
        return replace(self, scores=scores)

    def decided(self, whole: WholeResults) -> ComparedPair:
        """Return the pair with what the whole results say of it."""
        known = whole.scores if self._is_undecided else whole.scores | {"ex": 0.0}
        scores = self.scores.with_known(known)
        if whole.sets.equal:
            scores = scores.with_equal_sets()
        if whole.match.equal is None or not self._is_undecided:
            return replace(self, scores=scores)
        match = (
            replace(self.match, bucket="ok", reason=None)
            if whole.match.equal
            else replace(self.match, bucket="mismatch", reason=_difference(whole))
        )
        return replace(self, scores=scores, match=match)


def compared(
    reference: Execution, predicted: Execution, position: int, settings: ScoreSettings
) -> ComparedPair:
    """Compare the rows at hand.

    Args:
        reference: What came of a reference.
        predicted: What came of the prediction.
        position: Which of the case's references it is, from 0.
        settings: How results are scored.
    """
    match = match_of_outcomes(reference.outcome, predicted.outcome, ordering=reference.ordering)
    is_unknown = match.bucket == "other_error" and predicted.outcome.status == "not_run"
    scores = UNKNOWN if is_unknown else scores_of(reference, predicted, settings)
    return ComparedPair(match, scores, reference, predicted, position)


class PairRunner:
    """Runs predictions beside their references and compares them."""

    def __init__(
        self, databases: Databases, executor: Executor, *, limits: Limits, scores: ScoreSettings
    ) -> None:
        """Prepare for cases.

        Args:
            databases: Where cases run.
            executor: Knows the databases' targets.
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

    def suite_score(self, case: Case, pair: ComparedPair) -> float | None:
        """Return test-suite accuracy over all databases of a case; the first difference decides."""
        statements = case.references[pair.position], case.predicted_sql or ""
        aliases = (self._databases.targets[name].alias for name in case.suite)
        elsewhere = (self._run(alias, *statements) for alias in aliases)
        is_open = False
        for reference, predicted in chain([(pair.reference, pair.predicted)], elsewhere):
            score = _suite_score(reference, predicted)
            if score == 0:
                return score
            is_open = is_open or score is None
        return None if is_open else 1.0

    def best(self, case: Case) -> ComparedPair:
        """Run the first reference with the prediction; the others where that leaves it open."""
        first, predicted = self.run(case, case.references[0], case.predicted_sql or "")
        best = self._decided(case, compared(first, predicted, 0, self._scores))
        others = case.references[1:]
        if not best.is_open or not others:
            return best
        pairs = (
            self._decided(case, compared(execution, predicted, position, self._scores))
            for position, execution in enumerate(self.run(case, *others), start=1)
        )
        return max((best, *pairs), key=lambda each: each.rank)

    def _run(self, alias: str, *statements: str) -> list[Execution]:
        return self._executor.run_all([(sql, self._limits) for sql in statements], target=alias)

    def _decided(self, case: Case, pair: ComparedPair) -> ComparedPair:
        """Look at the whole results where those at hand are cut and agree."""
        if not pair.is_cut:
            return pair
        whole = compare_whole(
            (case.references[pair.position], case.predicted_sql or ""),
            pair.reference,
            executor=self._executor,
            target=self._databases.target_of(case).alias,
            limits=self._limits,
        )
        return pair.decided(whole)


def _suite_score(reference: Execution, predicted: Execution) -> float | None:
    """Return the accuracy on one database; None where nothing is known of the prediction."""
    if predicted.outcome.status == "not_run":
        return None
    if standing(reference.outcome, predicted.outcome) == "incorrect":
        return 0.0
    table, other = reference.outcome.table, predicted.outcome.table
    if table is None or other is None:
        return None
    return ex_test_suite(table, other, is_ordered=reference.ordering.is_ordered).score


def _difference(whole: WholeResults) -> str:
    rows, others = whole.counts
    if rows is None or others is None or rows == others:
        return "the whole results differ"
    return f"{rows:,} rows in the reference's result, {others:,} in the prediction's"
