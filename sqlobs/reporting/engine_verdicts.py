"""The checker's labels beside the verdicts of the local engine: where one of them is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.metrics.labels import is_valid_and_grounded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.runs.case import CaseResult

Standing = Literal["agrees", "missed", "false_alarm", "undecided"]
"""How the checker stands to the engine: `missed` = it accepts what the engine rejects,
`false_alarm` = it rejects what the engine accepts, `undecided` = a label is None."""

_SHOWN: Final = 10
"""Disagreements in the terminal and on the page; JSON has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A statement on which checker and engine give opposite verdicts."""

    case: str
    """The case's id, else its index."""
    standing: Standing
    sql: str
    checker: str | None
    """The primary failure code; None = the checker accepts the statement."""
    engine: str
    """Name and version."""
    failure_code: str | None
    """Of the engine's error; None = the engine accepts the statement."""
    identifier: str | None
    """The name that the engine's error is about."""

    @property
    def sentence(self) -> str:
        """Who accepts and who rejects, with the reason."""
        if self.standing == "false_alarm":
            return f"{self.engine} accepts; the checker rejects ({self.checker or 'no code'})"
        about = f": {self.identifier}" if self.identifier else ""
        return f"{self.engine} rejects ({self.failure_code}{about}); the checker accepts"


def standing_of(case: CaseResult) -> Standing | None:
    """Return how the checker stands to the local engine; None without a verdict of both."""
    if case.local_engine is None or case.check is None:
        return None
    holds = is_valid_and_grounded(
        None, syntactic=case.check.syntactic, schematic=case.check.schematic
    )
    if holds is None:
        return "undecided"
    if holds is case.local_engine.accepts:
        return "agrees"
    return "missed" if holds else "false_alarm"


def agrees(case: CaseResult) -> bool | None:
    """Return whether both give the same verdict; None if one of them gives none."""
    standing = standing_of(case)
    return None if standing in {None, "undecided"} else standing == "agrees"


def disagreements(cases: Iterable[CaseResult]) -> list[Disagreement]:
    """Return all statements on which checker and local engine disagree."""
    return [found for case in cases if (found := disagreement_of(case)) is not None]


def disagreement_of(case: CaseResult) -> Disagreement | None:
    """Return the disagreement about a case; None if there is none."""
    check, verdict, standing = case.check, case.local_engine, standing_of(case)
    if check is None or verdict is None or standing not in {"missed", "false_alarm"}:
        return None
    return Disagreement(
        case=case.id or str(case.index),
        standing=standing,
        sql=check.sql,
        checker=check.failure_code,
        engine=verdict.engine,
        failure_code=verdict.failure_code,
        identifier=verdict.identifier,
    )


def disagreement_lines(cases: Iterable[CaseResult]) -> list[str]:
    """Return a sentence for each of the first disagreements, and how many more there are."""
    found = disagreements(cases)
    lines = [f"{each.case}: {each.sentence}" for each in found[:_SHOWN]]
    more = len(found) - len(lines)
    return [*lines, *([f"and {more:,} more"] if more else [])]
