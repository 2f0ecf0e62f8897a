"""A collector's units as a run: each production request becomes a case."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, get_args

from sqlobs import semconv
from sqlobs.failure_codes import CODES
from sqlobs.metrics.weighting import trimmed_probabilities
from sqlobs.runs.case import (
    CaseResult,
    CheckFinding,
    CheckSummary,
    EngineVerdict,
    GenerationRecord,
    JudgeVerdict,
    Probabilities,
    RunOutcome,
    Stage,
)
from sqlobs.runs.request import Feedback, RequestRecord
from sqlobs.runs.run import Run
from sqlobs.scores.local_verdicts import engine_verdict
from sqlobs.scores.registry import SHOWN_SCORES
from sqlobs.scores.scoring import NO_SQL, UNANSWERABLE
from sqlobs.semconv.evaluations import LOCAL_ENGINE
from sqlobs.types import WITHOUT_SQL, negated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Literal

    from sqlobs.reporting.production.unit import Unit, UnitEvaluation, UnitFeedback
    from sqlobs.runs.case import Bucket, Generated, Value
    from sqlobs.scores.score import Score
    from sqlobs.types import Outcome

_TIMEOUT: Final = "execution.timeout"
_ENDINGS: Final[Mapping[Outcome, Generated]] = {
    "answered": "answered",
    "abstained": "refused",
    "clarified": "refused",
    "cancelled": "error",
    "error": "error",
}


def run_of_units(
    units: Iterable[Unit],
    *,
    name: str,
    settings: Mapping[str, Value] | None = None,
    trim_weights: float | None = None,
) -> Run:
    """Return units as a run; its cases are in the order of the units.

    Rates are weighted by the units' sampling probabilities and count only evaluated requests: a
    request without a reference does not count in execution match.

    Args:
        units: The units.
        name: The run's name.
        settings: Further settings to show; must not contain secrets.
        trim_weights: The greatest weight of a case, as a multiple of the median: narrower
        intervals, but rates biased toward requests sampled more often. None = no limit.
    """
    held = list(units)
    cases = [_case(unit, index) for index, unit in enumerate(held)]
    said = dict(settings or {})
    if trim_weights is not None:
        cases, said["trimmed_weights"] = _trimmed(cases, trim_weights)
    first = min((unit.occurred_ns for unit in held), default=None)
    return Run(
        name=name,
        cases=tuple(cases),
        settings=said,
        started_at=None if first is None else _moment(first),
    )


def _trimmed(cases: list[CaseResult], ratio: float) -> tuple[list[CaseResult], str]:
    """Return the cases with weights limited to a multiple of the median, and a note about it."""
    kept = [case.probabilities or Probabilities() for case in cases]
    stages = {stage: _trimmed_stage(kept, stage, ratio) for stage in get_args(Stage)}
    changed = [
        Probabilities(**{stage: chances[place] for stage, chances in stages.items()})
        for place in range(len(cases))
    ]
    count = sum(new != old for new, old in zip(changed, kept, strict=True))
    note = (
        f"{count} cases limited to {ratio:g} x the median weight: rates are biased toward requests"
        " with a high sampling probability"
    )
    trimmed = [replace(case, probabilities=new) for case, new in zip(cases, changed, strict=True)]
    return trimmed, note


def _trimmed_stage(kept: Sequence[Probabilities], stage: Stage, ratio: float) -> list[float | None]:
    known = [chance for each in kept if (chance := each.of(stage)) is not None]
    trimmed = iter(trimmed_probabilities(known, ratio=ratio))
    return [None if each.of(stage) is None else next(trimmed) for each in kept]


def _case(unit: Unit, index: int) -> CaseResult:
    bucket, reason = _ending(unit)
    return CaseResult(
        index=index,
        id=unit.generation_id,
        question=unit.text(semconv.SQLOBS_QUESTION_TEXT),
        reference_sql=unit.reference_sql,
        predicted_sql=unit.sql,
        db=unit.target,
        dialect=unit.dialect,
        workflow=unit.workflow,
        bucket=bucket,
        reason=reason,
        scores=dict(_scores(unit)),
        check=_check(unit),
        local_engine=_local_engine(unit.evaluation(LOCAL_ENGINE)),
        reference=_reference(unit),
        predicted=_outcome(unit.evaluation("execution")),
        generation=_generation(unit),
        judge=_judge(unit.evaluation("flex")),
        probabilities=_probabilities(unit),
        request=_request(unit),
    )


def _ending(unit: Unit) -> tuple[Bucket, str | None]:
    """Return the bucket of a request, and the reason if it was not compared."""
    compared = unit.evaluation("ex")
    if unit.outcome in WITHOUT_SQL:
        return _declined(unit, compared)
    if unit.failure_code == NO_SQL:
        return "pred_fail", NO_SQL
    if compared is None:
        return "skipped", unit.reason or unit.state
    if compared.label == "not_evaluated":
        return "skipped", compared.reason
    if compared.label == "pass":
        return "ok", None
    if compared.explanation and compared.explanation not in {*CODES, UNANSWERABLE}:
        return "non_select", compared.explanation  # the rejection
    ran = unit.evaluation("execution")
    if ran is None or ran.label != "fail":
        return "mismatch", None
    return "timeout" if ran.explanation == _TIMEOUT else "pred_fail", ran.explanation


def _declined(unit: Unit, compared: UnitEvaluation | None) -> tuple[Bucket, str | None]:
    """Return the bucket of a request without SQL: a reference decides if declining was correct."""
    if compared is None or compared.label == "not_evaluated":
        return "skipped", unit.outcome
    return ("ok" if compared.label == "pass" else "mismatch"), unit.outcome


def _reference(unit: Unit) -> RunOutcome | None:
    """Return the outcome of running the reference; None without a reference."""
    compared = unit.evaluation("ex")
    if compared is None:
        return None
    if compared.reason == "reference_failed":
        return RunOutcome(status="error")
    return RunOutcome(status="ok") if compared.label != "not_evaluated" else None


def _scores(unit: Unit) -> Iterator[tuple[str, float | None]]:
    is_declined = unit.outcome in WITHOUT_SQL
    for name, score in SHOWN_SCORES.items():
        found = unit.evaluation(name)
        if found is None or (is_declined and not _is_decided(score, found)):
            continue
        if found.label == "not_evaluated":
            yield name, None
        else:
            is_graded = score.is_graded and found.value is not None
            yield name, found.value if is_graded else score.best * (found.label == "pass")


def _is_decided(score: Score, found: UnitEvaluation) -> bool:
    """Return whether a reference decided the score of a request without SQL."""
    return "reference" in score.needs and found.label != "not_evaluated"


def _check(unit: Unit) -> CheckSummary | None:
    if unit.verdict is None:
        return None
    labels = (
        ("syntactic", semconv.SQLOBS_SYNTACTIC_REASON),
        ("schematic", semconv.SQLOBS_SCHEMATIC_REASON),
    )
    return CheckSummary(
        sql=unit.sql or "",
        verdict=unit.verdict,
        syntactic=unit.label("syntactic"),
        schematic=unit.label("schematic"),
        failure_code=unit.failure_code,
        reasons={
            label: reason
            for label, name in labels
            if isinstance(reason := unit.attributes.get(name), str)
        },
        findings=tuple(_findings(unit)),
        hallucinated=negated(unit.label("schema_hallucination")),
    )


def _local_engine(found: UnitEvaluation | None) -> EngineVerdict | None:
    return None if found is None else engine_verdict(found.detail, found.explanation)


def _findings(unit: Unit) -> Iterator[CheckFinding]:
    """Yield a finding for each invented name, and for each code without such a name."""
    codes = dict.fromkeys(unit.words(semconv.SQLOBS_FAILURE_CODES))
    if unit.failure_code is not None:
        codes.setdefault(unit.failure_code)
    invented = list(_invented(unit, codes))
    yield from invented
    invented_codes = {finding.code for finding in invented}
    yield from (_finding(code, "error") for code in codes if code not in invented_codes)
    for code in unit.words(semconv.SQLOBS_WARNING_CODES):
        yield _finding(code, "warning")


def _invented(unit: Unit, codes: Iterable[str]) -> Iterator[CheckFinding]:
    arrows = (text.partition(" -> ") for text in unit.words(semconv.SQLOBS_SUGGESTIONS))
    meant = {name: better for name, arrow, better in arrows if arrow}
    kinds = (
        (semconv.SQLOBS_HALLUCINATED_TABLES, ("schema.unknown_table",)),
        (
            semconv.SQLOBS_HALLUCINATED_COLUMNS,
            ("schema.unknown_column", "schema.wrong_owner"),
        ),
    )
    for attribute, candidates in kinds:
        code = next((code for code in candidates if code in codes), None)
        for name in unit.words(attribute) if code else ():
            yield CheckFinding(
                code=code or "",
                severity="error",
                message=f"Unknown name {name} in the schema.",
                identifier=name,
                suggestion=meant.get(name),
            )


def _finding(code: str, severity: Literal["error", "warning"]) -> CheckFinding:
    message = CODES[code].definition if code in CODES else code
    return CheckFinding(code=code, severity=severity, message=message)


def _outcome(ran: UnitEvaluation | None) -> RunOutcome | None:
    if ran is None or ran.label == "not_evaluated":
        return None
    detail = ran.detail or {}
    if ran.label == "pass":
        return RunOutcome(status="ok", is_truncated=detail.get("truncated") is True)
    code = ran.explanation if ran.explanation in CODES else None
    status: Literal["timeout", "error"] = "timeout" if code == _TIMEOUT else "error"
    return RunOutcome(status=status, failure_code=code)


def _generation(unit: Unit) -> GenerationRecord:
    return GenerationRecord(
        status=_ENDINGS[unit.outcome or "answered"],
        model=unit.model,
        input_tokens=unit.count(semconv.SQLOBS_USAGE_INPUT_TOKENS),
        output_tokens=unit.count(semconv.SQLOBS_USAGE_OUTPUT_TOKENS),
        cost=unit.number(semconv.SQLOBS_USAGE_COST),
        attempts=unit.count(semconv.SQLOBS_ATTEMPTS),
        sql_execution_time=unit.number(semconv.SQLOBS_EXECUTION_DURATION),
        vector_store_search_time=unit.number(semconv.SQLOBS_RETRIEVAL_DURATION),
        llm_time=unit.number(semconv.SQLOBS_LLM_DURATION),
        total_execution_time=unit.number(semconv.SQLOBS_GENERATION_DURATION),
    )


def _request(unit: Unit) -> RequestRecord:
    return RequestRecord(
        outcome=unit.outcome or "answered",
        first_verdict=unit.first_verdict,
        first_hallucinated=unit.first_hallucinated,
        is_compared=unit.is_compared,
        occurred_at=_moment(unit.occurred_ns),
        trace_id=unit.trace_id,
        tenant=unit.tenant,
        prompt_version=unit.prompt_version,
        feedback=tuple(_feedback(unit, said) for said in unit.feedback),
    )


def _feedback(unit: Unit, said: UnitFeedback) -> Feedback:
    return Feedback(
        at=_moment(said.occurred_ns),
        kind=said.kind or "other",
        value=said.value or "other",
        explanation=said.explanation,
        corrected_sql=said.corrected_sql,
        standing=unit.standing(said) if said.corrected_sql else None,
    )


def _moment(ns: int) -> str:
    return datetime.fromtimestamp(ns // 10**9, UTC).isoformat()


def _judge(found: UnitEvaluation | None) -> JudgeVerdict | None:
    if found is None:
        return None
    detail = found.detail or {}
    suspicious = detail.get("suspicious")
    return JudgeVerdict(
        judge=found.version,
        correct=None if found.label == "not_evaluated" else found.label == "pass",
        score=found.value,
        explanation=found.explanation,
        suspicious=tuple(map(str, suspicious)) if isinstance(suspicious, list) else (),
        reason=found.reason,
    )


def _probabilities(unit: Unit) -> Probabilities:
    """Return the probability that a request reached a stage; stages are independent."""
    judged = unit.evaluation("flex") or unit.evaluation("flex_noref")
    executed = _probability(unit.probability)
    stage = None if judged is None else _probability(judged.probability)
    # If the collector did the check, it checked only the units that it evaluated.
    checked = executed if _is_checked_here(unit) else _probability(unit.head_probability)
    return Probabilities(
        checked=checked,
        executed=executed,
        judged=None if executed is None or stage is None else executed * stage,
    )


def _is_checked_here(unit: Unit) -> bool:
    found = unit.evaluation("syntactic")
    return unit.syntactic is None and found is not None and found.stands_in


def _probability(given: float | None) -> float | None:
    """Return a probability in (0, 1], else None; a collector writes no other values."""
    return given if given is not None and 0 < given <= 1 else None
