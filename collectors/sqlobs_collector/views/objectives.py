"""Whether workflows keep the objectives that alerts use by default, by the last hour."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, Field

from sqlobs.monitoring.objectives import Objectives
from sqlobs_collector.quality.figures import (
    checker_tallies,
    first_attempt_tallies,
    outcome_tallies,
    verdict_tallies,
)
from sqlobs_collector.store.hours import Span
from sqlobs_collector.store.rollup import HOUR_NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs_collector.quality.figures import Tally
    from sqlobs_collector.store.hours import HourReader
    from sqlobs_collector.store.quality import VerdictCounts

State = Literal["exceeded", "met", "undecided"]
_NAMES: Final = {
    "schema_hallucination": "invented names",
    "syntax_failures": "invalid SQL",
    "first_attempt_failures": "failed first attempts",
    "missing_verdicts": "missing verdicts",
    "application_errors": "application errors",
}


class ObjectiveState(BaseModel):
    """One objective of one workflow over the last hour."""

    workflow: str
    objective: str
    title: str
    limit: float = Field(description="Highest share allowed.")
    requests: int
    failed: int
    value: float
    low: float | None = Field(description="Lower end of the 95 % interval.")
    high: float | None
    state: State = Field(
        description="exceeded: the interval lies above the limit; met: below it; undecided: the"
        " limit lies inside it."
    )


def objective_states(reader: HourReader, workspace: str, *, until_ns: int) -> list[ObjectiveState]:
    """Return the states of all workflows with requests in the hour before a time, worst first."""
    span = Span(
        workspace=workspace,
        since_ns=until_ns - HOUR_NS,
        until_ns=until_ns,
        part_ns=2 * HOUR_NS,
        dimension="workflow",
    )
    by_workflow: dict[str, list[VerdictCounts]] = defaultdict(list)
    for cell in reader.cells(span):
        by_workflow[cell.value].append(cell.counts)
    states = [
        _state(workflow, name, tally)
        for workflow, units in sorted(by_workflow.items())
        for name, tally in _failures(units)
        if tally.count
    ]
    order: tuple[State, ...] = ("exceeded", "undecided", "met")
    return sorted(states, key=lambda one: order.index(one.state))


def _failures(units: Sequence[VerdictCounts]) -> Iterator[tuple[str, Tally]]:
    """Yield the share of requests that count against each objective."""
    checked = {name: tally for (_, name), tally in checker_tallies(units).items()}
    for objective, name in (
        ("schema_hallucination", "schema_hallucination"),
        ("syntax_failures", "syntactic"),
    ):
        if name in checked:
            yield objective, checked[name].opposite
    for (_, name), tally in first_attempt_tallies(units).items():
        if name == "first_attempt_pass_rate":
            yield "first_attempt_failures", tally.opposite
    for (_, name), tally in verdict_tallies(units).items():
        if name == "not_evaluated":
            yield "missing_verdicts", tally
    for (_, name), tally in outcome_tallies(units).items():
        if name == "error":
            yield "application_errors", tally


def _state(workflow: str, objective: str, tally: Tally) -> ObjectiveState:
    limits, figures = Objectives(), tally.figures
    limit: float = getattr(limits, objective)
    low, high = figures.get("weighted_lower"), figures.get("weighted_upper")
    is_enough = tally.count >= limits.min_requests and tally.passed >= limits.min_failures
    state: State = "undecided"
    if low is not None and low > limit and is_enough:
        state = "exceeded"
    elif high is not None and high <= limit:
        state = "met"
    return ObjectiveState(
        workflow=workflow,
        objective=objective,
        title=_NAMES[objective],
        limit=limit,
        requests=tally.count,
        failed=tally.passed,
        value=figures.get("weighted", figures["raw"]),
        low=low,
        high=high,
        state=state,
    )
