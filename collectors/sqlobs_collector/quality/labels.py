"""What a rate says of a unit, from what its application reported: true, false, or undecided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.metrics.labels import is_passing, is_valid_and_grounded
from sqlobs.semconv.evaluations import (
    FIRST_ATTEMPT_RATE,
    FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE,
    HEADLINE,
    SCHEMA_HALLUCINATION,
)
from sqlobs.types import WITHOUT_SQL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlobs_collector.store.quality_sums import VerdictCounts

    Label = Callable[[VerdictCounts], bool | None]


def is_answered(units: VerdictCounts) -> bool:
    """Return whether the application answered."""
    return units.outcome in {None, "answered"}


def checker_labels(units: VerdictCounts) -> Iterator[tuple[str, bool]]:
    """Yield the checker's evaluations that are decided, and whether they pass."""
    yield from _decided(CHECKER, units)


def first_attempt_labels(units: VerdictCounts) -> Iterator[tuple[str, bool]]:
    """Yield what is decided of the first attempt."""
    yield from _decided(FIRST_ATTEMPT, units)


def verdict_is(verdict: str) -> Label:
    """Return whether an answer has a verdict; undecided without any."""
    return lambda units: units.verdict == verdict if units.verdict and is_answered(units) else None


def outcome_is(outcome: str) -> Label:
    """Return whether a request has an outcome."""
    return lambda units: (units.outcome or "answered") == outcome


def _decided(labels: dict[str, Label], units: VerdictCounts) -> Iterator[tuple[str, bool]]:
    for name, label in labels.items():
        passes = label(units)
        if passes is not None:
            yield name, passes


def _is_correct(units: VerdictCounts) -> bool | None:
    return is_valid_and_grounded(
        units.outcome, syntactic=units.syntactic, schematic=units.schematic
    )


def _is_grounded(units: VerdictCounts) -> bool | None:
    return None if units.hallucinated is None else not units.hallucinated


def _of_answer(label: Label) -> Label:
    return lambda units: label(units) if is_answered(units) else None


def _of_sql(label: Label) -> Label:
    return lambda units: None if units.outcome in WITHOUT_SQL else label(units)


CHECKER: Final[dict[str, Label]] = {
    HEADLINE: _of_answer(_is_correct),
    "syntactic": _of_answer(lambda units: units.syntactic),
    "schematic": _of_answer(lambda units: units.schematic),
    SCHEMA_HALLUCINATION: _of_answer(_is_grounded),
}
"""Whether each evaluation of the checker passes."""
FIRST_ATTEMPT: Final[dict[str, Label]] = {
    FIRST_ATTEMPT_RATE: _of_sql(lambda units: is_passing(units.first_verdict)),
    FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE: _of_sql(lambda units: units.first_hallucinated),
}
"""Whether the first attempt passes, and whether it invented a name."""
