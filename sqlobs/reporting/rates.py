"""The rates of a run: what counts in each, out of which cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.failure_codes import SCHEMA_HALLUCINATION_CODES
from sqlobs.metrics.labels import CORRECTNESS_LABELS, is_passing, is_valid_and_grounded
from sqlobs.reporting.engine_verdicts import agrees
from sqlobs.scores.registry import SCORES
from sqlobs.semconv.evaluations import (
    FIRST_ATTEMPT_RATE,
    FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE,
    SCHEMA_HALLUCINATION_RATE,
    pass_rate,
)
from sqlobs.types import WITHOUT_SQL

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.metrics.labels import CorrectnessLabel
    from sqlobs.runs.case import CaseResult, Stage
    from sqlobs.scores.score import Direction
    from sqlobs.types import Outcome


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate of a run."""

    name: str
    title: str
    about: str
    decide: Callable[[CaseResult], bool | None]
    """Returns whether a case passes; None = it was not evaluated."""
    stage: Stage = "executed"
    """The stage that decides a production request."""
    better: Direction = "higher"
    of_production: str | None = None
    """The description for production requests."""


HEADLINE: Final = pass_rate("sql_correctness")
"""The headline of a production report: valid and grounded."""
_STRICT_LABELS: Final = ("syntactic", "schematic", "sql_correctness")
STRICT: Final = frozenset(pass_rate(f"{name}_strict") for name in _STRICT_LABELS)
"""The labels by the strict definition of SQL Correctness, which is stricter than any engine."""


def is_hallucinated(case: CaseResult) -> bool | None:
    """Return whether a table or column is unknown or misplaced; None = not evaluated."""
    if case.check is None or not case.is_answered:
        return None
    if case.check.hallucinated is not None:
        return case.check.hallucinated
    errors = {found.code for found in case.check.findings if found.severity == "error"}
    if errors & SCHEMA_HALLUCINATION_CODES:
        return True
    return None if case.check.schematic is None else False


def has_passed_alone(case: CaseResult) -> bool | None:
    """Return whether a case without a reference passes: labels, execution, and every judge.

    None = nothing was decided.
    """
    ran = None if case.predicted is None else case.predicted.status == "ok"
    judged = (found.correct for found in case.verdicts.values())
    decided = [found for found in (_correct(case), ran, *judged) if found is not None]
    return all(decided) if decided else None


def _attempted(case: CaseResult) -> bool | None:
    return None if case.is_empty_prediction else case.esm


def _comparable(case: CaseResult) -> bool | None:
    """Return cases whose reference ran; without it, the prediction cannot be assessed."""
    failed = case.reference is not None and case.reference.status != "ok"
    return None if failed or case.bucket == "gold_fail" else case.esm


def _syntactic(case: CaseResult) -> bool | None:
    return case.check.syntactic if case.check and case.is_answered else None


def _schematic(case: CaseResult) -> bool | None:
    return case.check.schematic if case.check and case.is_answered else None


def _correct(case: CaseResult) -> bool | None:
    check = case.check
    return is_valid_and_grounded(
        case.outcome,
        syntactic=check.syntactic if check else None,
        schematic=check.schematic if check else None,
    )


def _first_attempt(case: CaseResult) -> bool | None:
    request = case.request
    if request is None or request.outcome in WITHOUT_SQL:
        return None
    return is_passing(request.first_verdict)


def _first_hallucinated(case: CaseResult) -> bool | None:
    request = case.request
    if request is None or request.outcome in WITHOUT_SQL:
        return None
    return request.first_hallucinated


def _ended(outcome: Outcome) -> Callable[[CaseResult], bool | None]:
    """Return a function that tells whether a production request had this outcome."""
    return lambda case: None if case.request is None else case.request.outcome == outcome


def _strictly(*labels: CorrectnessLabel) -> Callable[[CaseResult], bool | None]:
    """Return a function that tells whether labels hold by the strict definition."""

    def decide(case: CaseResult) -> bool | None:
        held = case.check.strict_labels if case.check else None
        return None if held is None else set(labels) <= set(held)

    return decide


def _judged(case: CaseResult) -> bool | None:
    return case.judge.correct if case.judge else None


VARIANTS: Final = {
    "esm_attempted": "esm",
    "esm_comparable": "esm",
    **{pass_rate(f"{name}_strict"): pass_rate(name) for name in _STRICT_LABELS},
}
_STRICTLY: Final = (
    "Strict definition of SQL correctness: SQL that an engine tolerates or that could not be"
    " evaluated fails."
)
RATES: Final = (
    Rate(
        "esm",
        "Execution match",
        "Predictions with the reference's result, out of all cases.",
        lambda case: case.esm,
        of_production="Answers with the reference's result, out of those with a reference.",
    ),
    Rate(
        "esm_attempted",
        "… of attempted",
        "The same, out of cases with a prediction.",
        _attempted,
    ),
    Rate(
        "esm_comparable",
        "… where the reference ran",
        "The same, without cases whose reference failed or timed out.",
        _comparable,
    ),
    Rate(
        "em",
        "Exact match",
        "Predictions whose text equals the reference, ignoring whitespace and letter case.",
        lambda case: case.em,
    ),
    Rate(
        "flex",
        SCORES["flex"].title,
        "Predictions that the judge labels correct, out of those with a verdict.",
        _judged,
        "judged",
    ),
    Rate(
        pass_rate("syntactic"),
        SCORES["syntactic"].title,
        "Predictions that are valid in the dialect, checked before execution.",
        _syntactic,
        "checked",
    ),
    Rate(
        pass_rate("schematic"),
        SCORES["schematic"].title,
        "Predictions whose names and types are in the schema.",
        _schematic,
        "checked",
    ),
    Rate(
        HEADLINE,
        SCORES["sql_correctness"].title,
        "Predictions with both labels, out of those evaluated; a prediction without SQL fails.",
        _correct,
        "checked",
        of_production="Answers with both labels, out of those evaluated; an answer without SQL"
        " fails.",
    ),
    Rate(
        pass_rate("syntactic_strict"),
        "Syntactically valid, strictly",
        _STRICTLY,
        _strictly("syntactic"),
        "checked",
    ),
    Rate(
        pass_rate("schematic_strict"),
        "Grounded in the schema, strictly",
        _STRICTLY,
        _strictly("schematic"),
        "checked",
    ),
    Rate(
        pass_rate("sql_correctness_strict"),
        "Valid and grounded, strictly",
        _STRICTLY,
        _strictly(*CORRECTNESS_LABELS),
        "checked",
    ),
    Rate(
        SCHEMA_HALLUCINATION_RATE,
        "Schema hallucination",
        "Predictions with an unknown or misplaced table or column; lower is better.",
        is_hallucinated,
        "checked",
        "lower",
    ),
    Rate(
        "checker_agreement",
        "Checker agrees with the local engine",
        "Statements with the same verdict of both, out of those on which both decided.",
        agrees,
    ),
    Rate(
        FIRST_ATTEMPT_RATE,
        "First attempts that pass",
        "First attempts with verdict ok or suspect, out of those evaluated.",
        _first_attempt,
        "checked",
    ),
    Rate(
        FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE,
        "Schema hallucination of first attempts",
        "First attempts with an unknown name, regardless of later repairs; lower is better.",
        _first_hallucinated,
        "checked",
        "lower",
    ),
    Rate(
        "abstained_rate",
        "Abstained",
        "Declined requests, out of all requests; excluded from the other rates.",
        _ended("abstained"),
        "checked",
        "lower",
    ),
    Rate(
        "clarified_rate",
        "Clarified",
        "Requests answered with a clarifying question, out of all requests; excluded from the"
        " other rates.",
        _ended("clarified"),
        "checked",
        "lower",
    ),
)
