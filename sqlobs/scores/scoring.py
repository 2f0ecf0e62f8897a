"""From one request to its scores: the only place that decides how a case is treated.

The collector and `sqlobs evaluate` both build a `ScoreContext` and call `evaluate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from sqlobs.execution.outcome import Execution
from sqlobs.failure_codes import Reason
from sqlobs.metrics.credit_score import FAILED, PERFECT, PartialCredit, Technique
from sqlobs.metrics.match import Match
from sqlobs.metrics.text_match import is_unanswerable
from sqlobs.scores.comparison import Comparison, ScoreSettings
from sqlobs.scores.score import Score, ScoreResult
from sqlobs.scores.whole_results import WholeResults

Decision: TypeAlias = Callable[[Score], ScoreResult]

Answer = Literal["statement", "abstained", "empty"]
"""An answer that was not run: SQL, the answer that nothing answers the question, or no SQL."""
Expected = Literal["statement", "unanswerable", "unknown"]
"""A reference that was not run: SQL, the statement that no SQL answers the question, or none."""

NO_SQL: Final = "syntax.no_sql"
UNANSWERABLE: Final = "unanswerable"
"""Why SQL fails where the reference says that no SQL answers the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreContext:
    """One request, as far as it was run."""

    prediction: Execution | Answer | None
    """`None`: the request ended without an answer, for the reason in `obstacle`."""
    reference: Execution | Expected
    obstacle: Reason | None = None
    """Why nothing was run."""
    compare_whole: Callable[[], WholeResults] | None = None
    """Compares the digests of both results; called at most once, where a cut leaves `ex` open."""
    settings: ScoreSettings = field(default_factory=ScoreSettings)


@dataclass(frozen=True, slots=True)
class ScoredRequest:
    """The results of all scores of one request."""

    results: Mapping[str, ScoreResult]
    comparison: Comparison | None = None
    """`None` where no two results were compared."""
    credit: PartialCredit | None = None
    """What the diagnosis reads; `None` where nothing is known of the prediction."""
    whole: WholeResults | None = None
    """`None` if the fetched rows decided `ex`."""

    @property
    def match(self) -> Match | None:
        """Whether the results are equal by the default rule; `None` without two results."""
        pair = self.comparison
        if pair is None:
            return None
        is_open = pair.match.equal is None
        return self.whole.match if is_open and self.whole is not None else pair.match

    @property
    def is_known(self) -> bool:
        """Something is known of the prediction: its reference ran, or was not needed."""
        labels = (result.label for result in self.results.values())
        return self.comparison is not None or any(label != "not_evaluated" for label in labels)

    @property
    def values(self) -> dict[str, float | None]:
        """The values by name; `None` for what is not evaluated."""
        return {name: result.value for name, result in self.results.items()}

    @property
    def reasons(self) -> dict[str, str]:
        """Why a score is not evaluated, by name."""
        return {name: found.reason for name, found in self.results.items() if found.reason}


def answer_of(sql: str | None) -> Answer:
    """Return what kind of answer a system gave; `None` and the text `None` abstain."""
    if is_unanswerable(sql):
        return "abstained"
    return "statement" if sql and sql.strip() else "empty"


def expected_of(sql: str | None) -> Expected:
    """Return what kind of answer a known reference expects."""
    return "unanswerable" if is_unanswerable(sql) else "statement"


def evaluate(context: ScoreContext, scores: Iterable[Score]) -> ScoredRequest:
    """Score one request; nothing raises because of its SQL.

    Args:
        context: The request.
        scores: The scores to compute; the partial ones are left out where the technique has none.
    """
    is_whole = context.settings.technique is Technique.EXECUTION_ACCURACY
    wanted = [score for score in scores if not (is_whole and score.is_partial)]
    decision = _without_rows(context)
    if isinstance(decision, Comparison):
        return _compared(wanted, context, decision)
    return _decided(wanted, decision, context.settings)


def execution_result(score: Score, execution: Execution) -> ScoreResult:
    """Return whether the engine ran a statement."""
    if (reason := execution.not_evaluated) is not None:
        explanation = str(execution.refusal) if execution.refusal else execution.outcome.error
        return replace(score.not_evaluated(reason), explanation=explanation)
    if execution.outcome.status == "ok":
        return score.passed()
    return score.failed(execution.failure_code)


def _decided(scores: Iterable[Score], decision: Decision, settings: ScoreSettings) -> ScoredRequest:
    results = {score.name: decision(score) for score in scores}
    labels = {result.label for result in results.values()}
    credit = FAILED.by(settings.technique) if labels == {"fail"} else None
    return ScoredRequest(results, credit=credit)


def _without_rows(context: ScoreContext) -> Decision | Comparison:
    """Return what holds for all scores without a comparison of rows, else the two results."""
    prediction, reference, obstacle = context.prediction, context.reference, context.obstacle
    if reference == "unknown" or prediction is None:
        return _open(obstacle or "no_reference")
    abstained, is_unanswerable = prediction == "abstained", reference == "unanswerable"
    if abstained and is_unanswerable:
        return lambda score: score.passed()
    if abstained or is_unanswerable or prediction == "empty":
        why = "abstained" if abstained else UNANSWERABLE if is_unanswerable else NO_SQL
        return lambda score: score.failed(why)
    if not isinstance(prediction, Execution) or not isinstance(reference, Execution):
        return _open(obstacle or "error")
    return _by_executions(prediction, reference, context.settings)


def _by_executions(
    prediction: Execution, reference: Execution, settings: ScoreSettings
) -> Decision | Comparison:
    """Return what two executions decide without a comparison of their rows, else the results.

    A rejected statement fails: what may not run answers no question. A statement that was not run
    for another reason (the database is unreachable) says nothing about the prediction.
    """
    if reference.outcome.status in {"error", "timeout"}:
        return _open("reference_failed")
    if "target_unavailable" in {reference.reason, prediction.reason}:
        return _open("target_unavailable")
    if reference.outcome.status == "refused":
        return _open("reference_failed")
    if (reason := reference.reason or prediction.reason) is not None:
        return _open(reason)
    table, other = reference.outcome.table, prediction.outcome.table
    if other is None:
        why = prediction.failure_code or prediction.refusal
        return lambda score: score.failed(why)
    if table is None:
        return _open("reference_failed")
    return Comparison(table, other, reference.ordering, settings)


def _open(reason: Reason) -> Decision:
    return lambda score: score.not_evaluated(reason)


def _compared(scores: Iterable[Score], context: ScoreContext, pair: Comparison) -> ScoredRequest:
    by_name = {score.name: score for score in scores if score.compute is not None}
    if pair.is_same:
        results = {name: score.passed() for name, score in by_name.items()}
        return ScoredRequest(results, pair, pair.known_credit)
    found = ((name, _computed(score, pair)) for name, score in by_name.items())
    results = {name: result for name, result in found if result is not None}
    credit, whole = pair.known_credit, None
    if context.compare_whole is not None and pair.needs_digests:
        whole = context.compare_whole()
        results |= _from_digests(results, by_name, whole)
        credit = PERFECT.by(pair.settings.technique) if whole.sets.equal else credit
    sides = (context.prediction, context.reference)
    is_volatile = any(isinstance(side, Execution) and side.volatile for side in sides)
    if context.settings.excuses_volatility and is_volatile:
        # a difference may come from the clock or from chance, not from the model
        failed = [name for name, result in results.items() if result.label == "fail"]
        results |= {name: by_name[name].not_evaluated("nondeterministic") for name in failed}
    return ScoredRequest(results, pair, credit, whole)


def _computed(score: Score, pair: Comparison) -> ScoreResult | None:
    """Return one score; a graded one says nothing of rows that were not fetched."""
    if score.compute is None:
        return None
    if score.is_graded and pair.is_cut:
        return score.not_evaluated("truncated")
    found = score.compute(pair)
    if found is None:
        return None
    return score.graded(found) if isinstance(found, int | float) else score.matched(found)


def _from_digests(
    results: Mapping[str, ScoreResult], scores: Mapping[str, Score], whole: WholeResults
) -> dict[str, ScoreResult]:
    found = {}
    for name, result in results.items():
        decide = scores[name].from_digests
        equal = decide(whole) if decide and result.reason == "truncated" else None
        if equal is not None:
            found[name] = scores[name].passed() if equal else scores[name].failed()
    return found
