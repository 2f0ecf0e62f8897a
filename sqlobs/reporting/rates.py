"""The rates of a run: what counts in each, of which cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.failure_codes import SCHEMA_HALLUCINATION_CODES
from sqlobs.metrics.labels import CORRECTNESS_LABELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.metrics.labels import CorrectnessLabel
    from sqlobs.runs.case import CaseResult, Stage


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate of a run."""

    name: str
    title: str
    about: str
    decide: Callable[[CaseResult], bool | None]
    """Says whether a case counts as passed; None = it was not evaluated."""
    stage: Stage = "executed"
    """What decides, of a request of production."""


STRICT: Final = frozenset({"syntactic_strict", "schematic_strict", "sql_correctness_strict"})
"""The labels as SQL Correctness is defined, which is stricter than any engine."""


def has_grounded_names(case: CaseResult) -> bool | None:
    """Say whether no table or column was invented or taken from elsewhere; None = not evaluated."""
    if case.check is None:
        return None
    if case.check.has_invented_name is not None:
        return not case.check.has_invented_name
    errors = {found.code for found in case.check.findings if found.severity == "error"}
    if errors & SCHEMA_HALLUCINATION_CODES:
        return False
    return None if case.check.schematic is None else True


def _attempted(case: CaseResult) -> bool | None:
    return None if case.is_empty_prediction else case.esm


def _comparable(case: CaseResult) -> bool | None:
    """Leave out cases whose reference did not run: nothing is known of their prediction."""
    failed = case.reference is not None and case.reference.status != "ok"
    return None if failed or case.bucket == "gold_fail" else case.esm


def _syntactic(case: CaseResult) -> bool | None:
    return case.check.syntactic if case.check else None


def _schematic(case: CaseResult) -> bool | None:
    return case.check.schematic if case.check else None


def _correct(case: CaseResult) -> bool | None:
    labels = (_syntactic(case), _schematic(case))
    return None if None in labels else all(labels)


def _strictly(*labels: CorrectnessLabel) -> Callable[[CaseResult], bool | None]:
    """Return what says whether labels hold as SQL Correctness is defined."""

    def decide(case: CaseResult) -> bool | None:
        held = case.check.strict_labels if case.check else None
        return None if held is None else set(labels) <= set(held)

    return decide


def _judged(case: CaseResult) -> bool | None:
    return case.judge.correct if case.judge else None


VARIANTS: Final = {
    "esm_attempted": "esm",
    "esm_comparable": "esm",
    **{name: name.removesuffix("_strict") for name in STRICT},
}
_STRICTLY: Final = (
    "As SQL Correctness is defined: what an engine tolerates, or could not be evaluated, fails."
)
RATES: Final = (
    Rate(
        "esm",
        "Execution match",
        "Predictions that return what the reference returns, of all cases.",
        lambda case: case.esm,
    ),
    Rate(
        "esm_attempted",
        "… of attempted",
        "The same, of cases with a prediction.",
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
        "Predictions with the reference's text, layout and case of words aside.",
        lambda case: case.em,
    ),
    Rate(
        "flex",
        "Judged correct",
        "Predictions that the judge calls correct, of those with a verdict.",
        _judged,
        "judged",
    ),
    Rate(
        "syntactic",
        "Syntactically valid",
        "Predictions that the dialect accepts, before running them.",
        _syntactic,
        "checked",
    ),
    Rate(
        "schematic",
        "Grounded in the schema",
        "Predictions whose names and types the schema has.",
        _schematic,
        "checked",
    ),
    Rate(
        "sql_correctness",
        "Both labels",
        "Predictions that are valid and grounded, of those with both labels.",
        _correct,
        "checked",
    ),
    Rate(
        "syntactic_strict",
        "Syntactically valid, strictly",
        _STRICTLY,
        _strictly("syntactic"),
        "checked",
    ),
    Rate(
        "schematic_strict",
        "Grounded in the schema, strictly",
        _STRICTLY,
        _strictly("schematic"),
        "checked",
    ),
    Rate(
        "sql_correctness_strict",
        "Both labels, strictly",
        _STRICTLY,
        _strictly(*CORRECTNESS_LABELS),
        "checked",
    ),
    Rate(
        "grounded_names",
        "No invented names",
        "Predictions without an invented or misplaced table or column.",
        has_grounded_names,
        "checked",
    ),
)
