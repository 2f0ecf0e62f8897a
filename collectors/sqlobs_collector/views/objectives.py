"""Whether workflows keep their objectives, as the notifier finds, and the last hour's rates."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal, Protocol

from pydantic import BaseModel, Field

from sqlobs.monitoring.promql import WORKFLOW
from sqlobs.monitoring.rate_conditions import CONDITIONS, objective_of
from sqlobs_collector.notifying.alarms import WORKSPACE
from sqlobs_collector.origin import DEFAULT_WORKSPACE
from sqlobs_collector.quality.figures import (
    checker_tallies,
    first_attempt_tallies,
    outcome_tallies,
    verdict_tallies,
)
from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.units.paths import time_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.monitoring.objectives import Objectives
    from sqlobs_collector.notifying.notifier import FiringAlert
    from sqlobs_collector.quality.figures import Tally
    from sqlobs_collector.store.hours import HourReader
    from sqlobs_collector.store.quality_sums import VerdictCounts, Who
    from sqlobs_collector.store.rollup import Changes

State = Literal["exceeded", "met", "undecided"]
_NAMES: Final = {
    "schema_hallucination": "invented names",
    "syntax_failures": "invalid SQL",
    "first_attempt_failures": "failed first attempts",
    "missing_verdicts": "missing verdicts",
    "application_errors": "application errors",
}
_OBJECTIVES: Final = {each.alert: each.key for each in CONDITIONS}
"""The key of the objective that an alert is about."""


class Watched(Protocol):
    """What evaluates the objectives: the notifier."""

    @property
    def firing(self) -> Sequence[FiringAlert]:
        """The alerts that fired at the last evaluation."""

    @property
    def objectives(self) -> Objectives:
        """What workflows are to keep."""


class AlertState(BaseModel):
    """An alert that fires."""

    alert: str
    severity: str
    summary: str
    labels: dict[str, str] = Field(description="Of its place, as Prometheus has them.")
    since: str


class Alerts(BaseModel):
    """The alerts of a workspace that fire."""

    alerts: list[AlertState]


class ObjectiveState(BaseModel):
    """One objective of one workflow over the last hour."""

    service: str
    environment: str
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
        description="exceeded: an alert on it fires; met: the interval of the last hour"
        " lies below the limit; undecided: neither."
    )


def alert_states(watched: Watched, workspace: str) -> list[AlertState]:
    """Return the alerts of a workspace that fire, pages first."""
    states = [
        AlertState(
            alert=one.alarm.alert,
            severity=one.notice.labels["severity"],
            summary=one.notice.annotations["summary"],
            labels=dict(one.alarm.labels),
            since=time_text(one.starts_ns),
        )
        for one in watched.firing
        if _workspace_of(one) == workspace
    ]
    return sorted(states, key=lambda one: (one.severity != "page", one.alert, one.since))


def objective_states(
    reader: HourReader,
    watched: Watched,
    workspace: str,
    *,
    until_ns: int,
    changes: Changes | None = None,
) -> list[ObjectiveState]:
    """Return the states of all workflows with requests in the hour before a time, worst first."""
    exceeded = {
        (_OBJECTIVES.get(one.alarm.alert), *(one.alarm.labels.get(name) for name in WORKFLOW))
        for one in watched.firing
        if _workspace_of(one) == workspace
    }
    counted = reader.by_workflow(
        workspace, since_ns=until_ns - HOUR_NS, until_ns=until_ns, changes=changes
    )
    states = [
        _state(who, key, tally, watched.objectives, exceeded)
        for who, units in groupby(counted, key=lambda one: one.who)
        for key, tally in _failures(list(units))
        if tally.count
    ]
    order: tuple[State, ...] = ("exceeded", "undecided", "met")
    return sorted(states, key=lambda one: order.index(one.state))


def _workspace_of(one: FiringAlert) -> str:
    return one.alarm.labels.get(WORKSPACE, DEFAULT_WORKSPACE)


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


def _state(
    who: Who,
    objective: str,
    tally: Tally,
    objectives: Objectives,
    exceeded: set[tuple[str | None, ...]],
) -> ObjectiveState:
    place = (who.origin.service_name, who.origin.environment, who.workflow)
    limit = objective_of(objective, dict(zip(WORKFLOW, place, strict=True)), objectives)
    figures, expected = tally.figures, tally.expected
    state: State = "met" if expected is not None and expected.high <= limit else "undecided"
    if (objective, *place) in exceeded:
        state = "exceeded"
    return ObjectiveState(
        service=place[0],
        environment=place[1],
        workflow=place[2],
        objective=objective,
        title=_NAMES[objective],
        limit=limit,
        requests=tally.count,
        failed=tally.passed,
        value=figures.get("weighted", figures["raw"]),
        low=expected.low if expected else None,
        high=expected.high if expected else None,
        state=state,
    )
