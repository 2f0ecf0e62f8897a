"""Failures in groups, with what people decided about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, Field

from sqlobs.metrics.intervals import wilson_interval
from sqlobs_collector.store.failures import GroupDecision, GroupKey
from sqlobs_collector.units.paths import time_text
from sqlobs_collector.views.filters import Period
from sqlobs_collector.views.requests import RequestSummary, summary_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs_collector.store.failures import FailureGroup, FailureReader
    from sqlobs_collector.store.selection import RequestFilter
    from sqlobs_collector.store.writing import Store

GROUPS: Final = 50
Status = Literal["open", "acknowledged", "resolved", "reopened"]
_MOST: Final = 200


class GroupView(BaseModel):
    """Failures with the same code, invented name, model and prompt version."""

    failure_code: str
    """Empty here and below: none, or unknown."""
    name: str
    kind: str
    """`table` or `column`; empty without a name."""
    model: str
    prompt_version: str
    requests: int
    of: int
    """Answers of this model and prompt version that have a verdict."""
    share: float | None
    lower: float | None
    upper: float | None
    before: int
    """Requests in the window of the same length before."""
    trend: list[int]
    """Requests in twelve parts of the window."""
    first_seen: str
    last_seen: str
    is_new: bool
    """First seen in the window."""
    status: Status
    assignee: str | None
    note: str | None
    changed: str | None
    changed_by: str | None
    example: RequestSummary | None


class FailureView(BaseModel):
    """The largest groups of failures in a period."""

    period: Period
    groups: list[GroupView]
    is_complete: bool
    """False: there are smaller groups."""


class DecisionRequest(BaseModel):
    """What somebody decides about a group."""

    failure_code: str = Field(max_length=_MOST)
    name: str = Field(default="", max_length=1000)
    model: str = Field(default="", max_length=1000)
    prompt_version: str = Field(default="", max_length=1000)
    status: Literal["open", "acknowledged", "resolved"]
    assignee: str | None = Field(default=None, max_length=_MOST)
    note: str | None = Field(default=None, max_length=2000)

    @property
    def key(self) -> GroupKey:
        """The group."""
        return GroupKey(self.failure_code, self.name, self.model, self.prompt_version)


def failure_groups(
    reader: FailureReader, chosen: RequestFilter, *, limit: int = GROUPS
) -> FailureView:
    """Return the groups of failures in a period."""
    found = reader.groups(chosen, limit=limit + 1)
    groups = found[:limit]
    answers = reader.answers(chosen)
    examples = reader.examples(chosen.workspace, groups)
    decisions = reader.decisions(chosen.workspace)
    return FailureView(
        period=Period.of(chosen),
        groups=[
            _group(
                one,
                chosen,
                answers=answers.get((one.key.model, one.key.prompt_version), 0),
                decision=decisions.get(one.key),
                example=examples.get(one.key),
            )
            for one in groups
        ],
        is_complete=len(found) <= limit,
    )


def decide(store: Store, workspace: str, decision: DecisionRequest, *, by: str, at_ns: int) -> None:
    """Store what somebody decides about a group."""
    with store.writing() as writer:
        writer.decisions.put(
            workspace,
            decision.key,
            GroupDecision(decision.status, decision.assignee, decision.note, at_ns, by),
        )


def _group(
    group: FailureGroup,
    chosen: RequestFilter,
    *,
    answers: int,
    decision: GroupDecision | None,
    example: Mapping[str, object] | None,
) -> GroupView:
    interval = wilson_interval(min(group.requests, answers), answers)
    return GroupView(
        **group.key._asdict(),
        kind=group.kind,
        requests=group.requests,
        of=answers,
        share=group.requests / answers if answers else None,
        lower=interval.low if interval else None,
        upper=interval.high if interval else None,
        before=group.before,
        trend=group.trend,
        first_seen=time_text(group.first_ns),
        last_seen=time_text(group.last_ns),
        is_new=group.first_ns >= chosen.since_ns,
        status=_status(group, decision),
        assignee=decision.assignee if decision else None,
        note=decision.note if decision else None,
        changed=time_text(decision.changed_ns) if decision else None,
        changed_by=decision.changed_by if decision else None,
        example=None if example is None else summary_of(example, {}),
    )


def _status(group: FailureGroup, decision: GroupDecision | None) -> Status:
    """Return where a group stands: a resolved one that failed again since is open again."""
    if decision is None:
        return "open"
    if decision.status == "resolved" and group.last_ns > decision.changed_ns:
        return "reopened"
    return decision.status
