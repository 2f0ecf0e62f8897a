"""Evaluate one prediction against its reference in one call: run both, score, diagnose."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.errors import ConfigError
from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import Execution, ExecutionRequest
from sqlobs.execution.target import Limits, Target
from sqlobs.metrics.credit_score import PERFECT, CreditSettings, PartialCredit, Technique
from sqlobs.metrics.diagnosis import diagnose
from sqlobs.metrics.match import match_of
from sqlobs.scores.comparison import ScoreSettings
from sqlobs.scores.registry import COMPARED_SCORES
from sqlobs.scores.scoring import ScoreContext, answer_of, evaluate, expected_of
from sqlobs.scores.whole_results import whole_results_of
from sqlobs.types import ExecutionOutcome

if TYPE_CHECKING:
    from sqlobs.metrics.diagnosis import Diagnosis
    from sqlobs.metrics.embedding import Embedder
    from sqlobs.metrics.match import Match

LOG_NAME = "pairs.jsonl"
"""The file in `log_dir` to which each evaluation is appended."""

_ALIAS = "target"
_NOTHING = Execution(outcome=ExecutionOutcome(status="not_run", error="no statement"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairEvaluation:
    """The result of evaluating one pair."""

    credit: PartialCredit
    """All None if the reference did not run: nothing is known of the prediction then."""
    match: Match | None
    """The default rule of sqlobs (`ex`); `None` without two results."""
    diagnosis: Diagnosis | None
    predicted: Execution
    reference: Execution

    @property
    def metrics(self) -> dict[str, float | None]:
        """The scores under the names of the SQLMorph documentation."""
        found = {"EX": self.credit.ex, "EXP": self.credit.exp, "EXR": self.credit.exr}
        return {**found, "F1": self.credit.f1}

    @property
    def latency_s(self) -> float:
        """How long the prediction ran."""
        return self.predicted.outcome.elapsed_s

    @property
    def reference_latency_s(self) -> float:
        """How long the reference ran."""
        return self.reference.outcome.elapsed_s


def evaluate_pair(
    predicted_sql: str | None,
    reference_sql: str | None,
    target: Target | str,
    *,
    technique: Technique | str = Technique.EXACT_COLUMN_AND_EXACT_CELL,
    penalize_extra_pred_cols: bool = True,
    embedder: Embedder | None = None,
    executor: Executor | None = None,
    limits: Limits | None = None,
    log_dir: Path | str | None = None,
) -> PairEvaluation:
    """Run a prediction and its reference on one database, read-only and limited, and compare them.

    Args:
        predicted_sql: The statement to evaluate; `None`: the system abstained.
        reference_sql: The correct statement; None = the question is unanswerable. Two of them
            agree, and nothing is run where there is one.
        target: A database's URL, or a target that the executor knows.
        technique: How columns are aligned and cells are matched.
        penalize_extra_pred_cols: Count predicted columns without a counterpart.
        embedder: Needed by the semantic techniques.
        executor: Runs the statements; without one, worker processes live for this call only.
        limits: Of each statement; None = 30 s, 100,000 rows, 64 MiB. Larger results are counted
            and compared by digests; they have partial credit only where these are equal.
        log_dir: An existing folder; the evaluation is appended to its `pairs.jsonl`.

    Raises:
        ConfigError: the URL's system is unknown, the technique or folder does not exist, or an
            embedder is missing.
    """
    chosen, log = _technique(technique), _log_file(log_dir)
    held = target if isinstance(target, Target) else Target.from_url(_ALIAS, target)
    settings = CreditSettings(penalize_extra_pred_cols=penalize_extra_pred_cols, embedder=embedder)
    score_settings = ScoreSettings(technique=chosen, credit=settings)
    if reference_sql is None or predicted_sql is None:
        context = ScoreContext(
            prediction=answer_of(predicted_sql),
            reference=expected_of(reference_sql),
            settings=score_settings,
        )
        evaluation = _evaluation(context, _NOTHING, _NOTHING)
    else:
        request = ExecutionRequest(
            sql=predicted_sql,
            reference=reference_sql,
            target=held.alias,
            limits=limits or Limits(),
        )
        with nullcontext(executor) if executor else Executor([held], workers=1) as running:
            evaluation = _run(request, running, score_settings)
    if log is not None:
        _log(evaluation, log, predicted_sql=predicted_sql, reference_sql=reference_sql)
    return evaluation


def _technique(name: Technique | str) -> Technique:
    try:
        return Technique(name)
    except ValueError:
        raise ConfigError(
            f"unknown technique {name!r}: use one of {', '.join(Technique)}"
        ) from None


def _log_file(folder: Path | str | None) -> Path | None:
    if folder is None:
        return None
    if not Path(folder).is_dir():
        raise ConfigError(f"log_dir {str(folder)!r} is not a folder: create it first")
    return Path(folder) / LOG_NAME


def _run(request: ExecutionRequest, executor: Executor, settings: ScoreSettings) -> PairEvaluation:
    outcome = executor.run(request)
    if outcome.reference is None:
        raise AssertionError("a request with a reference has an outcome")
    context = ScoreContext(
        prediction=outcome.prediction,
        reference=outcome.reference,
        compare_whole=partial(whole_results_of, request, outcome.reference, executor),
        settings=settings,
    )
    return _evaluation(context, outcome.prediction, outcome.reference)


def _evaluation(
    context: ScoreContext, predicted: Execution, reference: Execution
) -> PairEvaluation:
    scored = evaluate(context, [COMPARED_SCORES["ex"]])
    result = scored.results["ex"]
    is_unrun = predicted is _NOTHING
    is_right = result.label == "pass"
    known = PERFECT.by(context.settings.technique) if is_right else PartialCredit(ex=None)
    credit = scored.credit or known
    return PairEvaluation(
        credit=credit,
        match=match_of(is_right) if is_unrun else scored.match,
        diagnosis=diagnose(credit),
        predicted=predicted,
        reference=reference,
    )


def _log(
    evaluation: PairEvaluation,
    log_file: Path,
    *,
    predicted_sql: str | None,
    reference_sql: str | None,
) -> None:
    entry = {
        "predicted_sql": predicted_sql,
        "reference_sql": reference_sql,
        "metrics": evaluation.metrics,
        "mistake": evaluation.diagnosis and evaluation.diagnosis.mistake,
        "predicted": _logged(evaluation.predicted),
        "reference": _logged(evaluation.reference),
    }
    with log_file.open("a", encoding="utf-8") as log:
        log.write(json.dumps(entry, ensure_ascii=False) + "\n")


def _logged(execution: Execution) -> dict[str, object]:
    outcome = execution.outcome
    return {
        "status": outcome.status,
        "error": outcome.error,
        "rows": None if outcome.table is None else len(outcome.table.rows),
        "elapsed_s": outcome.elapsed_s,
    }
