"""What a run's judges are asked about a case whose statements ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.judging import Pair
from sqlobs.evaluation.rows import with_verdicts
from sqlobs.evaluation.statement_item import judges_of, statement_item

if TYPE_CHECKING:
    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Databases
    from sqlobs.evaluation.judging import EqualityName, PairJudge
    from sqlobs.evaluation.pairing import ComparedPair
    from sqlobs.execution.executor import Executor
    from sqlobs.execution.outcome import Execution
    from sqlobs.execution.target import Limits
    from sqlobs.runs.case import Bucket, CaseResult, JudgeVerdict

_JUDGED: Final[tuple[Bucket, ...]] = ("ok", "mismatch", "pred_fail", "timeout")
"""Where there is something to judge: a reference that ran, and a prediction that may have."""


class CaseJudging:
    """Asks the judges of a run about its cases, from any thread."""

    def __init__(
        self, judge: PairJudge, databases: Databases, executor: Executor | None, limits: Limits
    ) -> None:
        """Prepare for cases.

        Args:
            judge: Gives the verdicts.
            databases: Where cases run, with the schemas that a judge is shown.
            executor: Runs what proves facts about a statement; None = nothing is run.
            limits: Of each statement.
        """
        self._judge = judge
        self._databases = databases
        self._executor = executor
        self._limits = limits

    def verdict(
        self, case: Case, best: ComparedPair, *, dialect: str | None
    ) -> JudgeVerdict | None:
        """Return the verdict on a pair; None if there is nothing to judge, or it comes later."""
        if best.match.bucket not in _JUDGED:
            return None
        pair = Pair(
            case=case,
            reference_sql=case.references[best.position],
            reference=best.reference,
            predicted=best.predicted,
            results_equal=_are_equal(best, self._judge.equality),
            dialect=dialect,
            schema=self._databases.schema_of(case),
        )
        return self._judge.verdict(pair)

    def with_verdicts(self, case: Case, row: CaseResult, predicted: Execution) -> CaseResult:
        """Add the verdicts of judges that need no reference."""
        names = judges_of(predicted, self._judge.alone)
        if not names:
            return row
        item = statement_item(
            case, predicted, row.check, self._databases, self._executor, self._limits
        )
        return with_verdicts(row, self._judge.verdicts(case.index, item, names))


def _are_equal(best: ComparedPair, equality: EqualityName) -> bool:
    found = None if equality == "ex" else best.scored.results.get(equality)
    if found is None or found.label == "not_evaluated":
        return best.match.is_match
    return found.label == "pass"
