"""Executions to scores, each with its label or the reason why there is none: pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.execution_accuracy import ex, ex_set
from sqlobs.metrics.partial_credit import FAILED, Technique, partial_credit
from sqlobs.types import label_of
from sqlobs_collector.disclosure import magnitude

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlobs.execution.outcome import Execution, PairOutcome
    from sqlobs.failure_codes import Reason
    from sqlobs.metrics.match import Match
    from sqlobs.metrics.partial_credit import PartialCredit
    from sqlobs.types import Label, ResultTable
    from sqlobs_collector.store.rows import UnitState

COMPARED: Final = ("ex", "ex_set", "exp", "exr", "f1")
"""The evaluations that need a reference."""
EXECUTION: Final = "execution"
ALL: Final = (EXECUTION, *COMPARED)

_STATES: Final[dict[Reason, UnitState]] = {
    "refused": "refused",
    "truncated": "truncated",
    "nondeterministic": "nondeterministic",
    "target_unavailable": "held",
    "error": "held",
}
"""Where a unit ends for a reason; every other reason ends in `done`."""


_ANSWERS_NOTHING: Final = frozenset({"not_read_only"})
"""Refusals that are the prediction's own fault: what writes does not answer a question."""


_UNTRIED: Final[frozenset[Reason]] = frozenset(
    {
        "no_reference",
        "no_target",
        "content_not_captured",
        "abstained",
        "clarified",
        "cancelled",
        "call_failed",
    }
)


@dataclass(frozen=True, slots=True)
class Score:
    """One evaluation's outcome."""

    metric: str
    label: Label
    value: float | None = None
    reason: Reason | None = None
    """Present exactly when the label is `not_evaluated`."""
    explanation: str | None = None
    detail: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_news(self) -> bool:
        """False where nothing was tried: no backend needs to hear of it."""
        return self.reason not in _UNTRIED


def unscored(metrics: Iterable[str], reason: Reason) -> list[Score]:
    """Return evaluations that could not be made."""
    return [Score(metric, "not_evaluated", reason=reason) for metric in metrics]


def scores_of(pair: PairOutcome) -> list[Score]:
    """Score a prediction that was to be run, and its reference where there is one."""
    return [_execution(pair.prediction), *_compared(pair)]


def application_score(status: str) -> Score | None:
    """Score an execution by the application itself, where none is made here."""
    if status not in {"ok", "error", "timeout"}:
        return None
    has_run = status == "ok"
    return Score(EXECUTION, label_of(has_run), value=float(has_run), detail={"by": "application"})


def state_of(scores: Iterable[Score]) -> tuple[UnitState, Reason | None]:
    """Return where a unit stands after its evaluation, and why if not simply done."""
    reasons = [score.reason for score in scores if score.reason is not None]
    for reason, state in _STATES.items():
        if reason in reasons:
            return state, reason
    return "done", next((one for one in reasons if one != "no_reference"), None)


def _execution(execution: Execution) -> Score:
    outcome = execution.outcome
    if (reason := execution.not_evaluated) is not None:
        explanation = str(execution.refusal) if execution.refusal else outcome.error
        return Score(EXECUTION, "not_evaluated", reason=reason, explanation=explanation)
    has_run = outcome.status == "ok"
    return Score(
        EXECUTION,
        label_of(has_run),
        value=float(has_run),
        explanation=execution.failure_code,
        detail={**_shape(outcome.table), "engine_label": label_of(execution.accepted)},
    )


def _shape(table: ResultTable | None) -> dict[str, object]:
    """Return the flags of a result; its rows never leave this process.

    Nor is it told how many columns there are: `PIVOT` makes one a value.
    """
    if table is None:
        return {}
    return {
        "rows": magnitude(len(table.rows)),
        "empty": not any(cell is not None for row in table.rows for cell in row),
        "truncated": table.truncated,
    }


def _compared(pair: PairOutcome) -> list[Score]:
    if pair.reference is None:
        return unscored(COMPARED, "no_reference")
    if (reason := _obstacle(pair.prediction, pair.reference)) is not None:
        return unscored(COMPARED, reason)
    reference, predicted = pair.reference.outcome.table, pair.prediction.outcome.table
    if reference is None:
        return unscored(COMPARED, "reference_failed")
    if predicted is None:
        why = pair.prediction.failure_code or pair.prediction.refusal
        return [Score(name, "fail", value=0.0, explanation=why) for name in COMPARED]
    scores = [
        _match("ex", ex(reference, predicted, ordering=pair.reference.ordering)),
        _match("ex_set", ex_set(reference, predicted)),
        *_partial(reference, predicted),
    ]
    is_volatile = bool(pair.prediction.volatile or pair.reference.volatile)
    return [_or_volatile(score) if is_volatile else score for score in scores]


def _obstacle(prediction: Execution, reference: Execution) -> Reason | None:
    """Return why no comparison can be made, whatever the tables would say."""
    if reference.outcome.status in {"error", "timeout"}:
        return "reference_failed"
    if reference.reason == "target_unavailable" or prediction.reason == "target_unavailable":
        return "target_unavailable"
    if reference.not_evaluated is not None:
        return "reference_failed" if reference.refusal else reference.not_evaluated
    if prediction.refusal in _ANSWERS_NOTHING:
        return None
    return prediction.not_evaluated


def _match(metric: str, match: Match) -> Score:
    if match.equal is None:
        reason: Reason = "truncated" if match.reason == "truncated" else "budget"
        return Score(metric, "not_evaluated", reason=reason)
    return Score(metric, label_of(match.equal), value=match.score)


def _partial(reference: ResultTable, predicted: ResultTable) -> list[Score]:
    credit = partial_credit(reference, predicted, technique=Technique.EXACT_COLUMN_AND_EXACT_CELL)
    if credit.is_approximate and (reference.truncated or predicted.truncated):
        return unscored(("exp", "exr", "f1"), "truncated")
    return [_graded(name, credit) for name in ("exp", "exr", "f1")]


def _graded(metric: str, credit: PartialCredit) -> Score:
    """Label a graded score: only all of it passes."""
    value: float | None = getattr(credit, metric)
    shown = getattr(FAILED, metric) if value is None else value
    return Score(metric, label_of(shown == 1), value=shown)


def _or_volatile(score: Score) -> Score:
    """Keep a pass; a difference may be the clock's or the dice's, not the model's."""
    if score.label != "fail":
        return score
    return Score(score.metric, "not_evaluated", reason="nondeterministic")
