"""Units to score contexts, and score results to the state of a unit: pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.scores.comparison import ScoreSettings
from sqlobs.scores.registry import ONLINE_SCORES, SCORES
from sqlobs.scores.scoring import NO_SQL, ScoreContext, evaluate, execution_result, expected_of
from sqlobs.semconv.evaluations import EXECUTION
from sqlobs.types import label_of
from sqlobs_collector.disclosure import magnitude

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlobs.execution.outcome import Execution, PairOutcome
    from sqlobs.failure_codes import Reason
    from sqlobs.scores.score import ScoreResult
    from sqlobs.scores.scoring import Answer
    from sqlobs.scores.whole_results import WholeResults
    from sqlobs.types import ResultTable
    from sqlobs_collector.evaluation.content import Content
    from sqlobs_collector.store.rows import UnitState

COMPARED: Final = tuple(ONLINE_SCORES)
"""The evaluations that need a reference."""
ALL: Final = (EXECUTION, *COMPARED)

_STATES: Final[dict[Reason, UnitState]] = {
    "refused": "refused",
    "truncated": "truncated",
    "nondeterministic": "nondeterministic",
    "target_unavailable": "held",
    "error": "held",
}
"""The final state of a unit by reason; every other reason ends in `done`."""
_SETTINGS: Final = ScoreSettings(excuses_volatility=True)
_UNANSWERED: Final[frozenset[Reason]] = frozenset({"clarified", "cancelled", "call_failed"})


def unscored(names: Iterable[str], reason: Reason) -> list[ScoreResult]:
    """Return `not_evaluated` results with a reason."""
    return [SCORES[name].not_evaluated(reason) for name in names]


def scores_of(
    pair: PairOutcome,
    reference: str | None = None,
    *,
    compare_whole: Callable[[], WholeResults] | None = None,
) -> list[ScoreResult]:
    """Score a prediction with its executions.

    Args:
        pair: The executions.
        reference: The reference's text, where it was not run because it expects no SQL.
        compare_whole: Compares complete results, if the fetched rows are truncated and agree.
    """
    context = ScoreContext(
        prediction=pair.prediction,
        reference=pair.reference or (expected_of(reference) if reference else "unknown"),
        compare_whole=compare_whole,
        settings=_SETTINGS,
    )
    return [_execution(pair.prediction), *_compared(context)]


def unrun_scores(reason: Reason, content: Content, reference: str | None) -> list[ScoreResult]:
    """Score a unit that is not run; a reference decides an answer without SQL.

    Args:
        reason: Why nothing is run.
        content: The unit's content.
        reference: The reference, if one is known.
    """
    context = ScoreContext(
        prediction=None if reason in _UNANSWERED else _answer(reason, content),
        reference="unknown" if reference is None else expected_of(reference),
        obstacle=reason,
        settings=_SETTINGS,
    )
    return [*unscored([EXECUTION], reason), *_compared(context)]


def application_score(status: str) -> ScoreResult | None:
    """Score the application's own execution, if the collector does not run the statement."""
    if status not in {"ok", "error", "timeout"}:
        return None
    score = SCORES[EXECUTION]
    found = score.passed() if status == "ok" else score.failed()
    return replace(found, detail={"by": "application"})


def state_of(scores: Iterable[ScoreResult]) -> tuple[UnitState, Reason | None]:
    """Return a unit's state after its evaluation, with the reason if it is not simply done."""
    reasons = [score.reason for score in scores if score.reason is not None]
    for reason, state in _STATES.items():
        if reason in reasons:
            return state, reason
    return "done", next((one for one in reasons if one != "no_reference"), None)


def _compared(context: ScoreContext) -> Iterable[ScoreResult]:
    return evaluate(context, ONLINE_SCORES.values()).results.values()


def _answer(reason: Reason, content: Content) -> Answer:
    if reason == "abstained":
        return "abstained"
    is_empty = content.attributes.get(semconv.SQLOBS_FAILURE_CODE) == NO_SQL
    return "empty" if content.sql is None and is_empty else "statement"


def _execution(execution: Execution) -> ScoreResult:
    result = execution_result(SCORES[EXECUTION], execution)
    if result.reason is not None:
        return result
    engine_label = label_of(execution.accepted)
    return replace(result, detail={**_shape(execution.outcome.table), "engine_label": engine_label})


def _shape(table: ResultTable | None) -> dict[str, object]:
    """Return the flags of a result; its rows never leave this process.

    The number of columns is omitted: `PIVOT` turns a value into one.
    """
    if table is None:
        return {}
    return {
        "rows": magnitude(len(table.rows)),
        "empty": not any(cell is not None for row in table.rows for cell in row),
        "truncated": table.truncated,
    }
