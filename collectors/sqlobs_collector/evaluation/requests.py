"""The execution request of a unit, or the reason why nothing is run; pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Limits
from sqlobs_collector.origin import DEFAULT_WORKSPACE
from sqlobs_collector.settings.evaluating import TENANT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.failure_codes import Reason
    from sqlobs_collector.evaluation.content import Content
    from sqlobs_collector.store.rows import Queued

UNANSWERED: Final[dict[str, Reason]] = {
    "abstained": "abstained",
    "clarified": "clarified",
    "cancelled": "cancelled",
    "error": "call_failed",
}
"""The outcomes of requests that were not answered with SQL, and why nothing is run for them."""


@dataclass(frozen=True, slots=True)
class TargetSettings:
    """The configuration of one target, without its address."""

    dialect: str
    limits: Limits = field(default_factory=Limits)
    session: Mapping[str, str] = field(default_factory=dict)
    """Session settings to bind, by name; `$tenant` is the unit's tenant."""
    hints: str | None = None
    """Domain knowledge about this database, for the judge."""
    workspaces: frozenset[str] = frozenset({DEFAULT_WORKSPACE})
    """The workspaces whose units may run on it."""
    is_default: bool = False
    """Whether it is the default target of these workspaces."""


@dataclass(frozen=True, slots=True)
class Targets:
    """The databases that units may be run on, by alias."""

    known: Mapping[str, TargetSettings]

    def alias(self, workspace: str, named: str | None) -> str | None:
        """Return the alias of the target for a workspace's units; None = there is none.

        Args:
            workspace: The units' workspace; targets of other workspaces are invisible to it.
            named: The alias in the unit; None = the default target.
        """
        for alias, settings in self.known.items():
            is_meant = settings.is_default if named is None else alias == named
            if is_meant and workspace in settings.workspaces:
                return alias
        return None


@dataclass(frozen=True, slots=True)
class Skip:
    """The reason why nothing is run."""

    reason: Reason


def target_of(unit: Queued, targets: Targets) -> str | None:
    """Return the alias of the target that a unit runs on, if its workspace has one."""
    return targets.alias(unit.workspace, unit.target or None)


def request_of(unit: Queued, content: Content, targets: Targets) -> ExecutionRequest | Skip:
    """Return the execution request of a unit, without its reference."""
    if unit.outcome in UNANSWERED:
        return Skip(UNANSWERED[unit.outcome])
    if unit.capture != "raw" or content.sql is None:
        return Skip("content_not_captured")
    if content.attributes.get(semconv.SQLOBS_QUERY_TRUNCATED) is True:
        return Skip("truncated")
    alias = target_of(unit, targets)
    if alias is None:
        return Skip("no_target")
    target = targets.known[alias]
    return ExecutionRequest(
        sql=content.sql,
        target=alias,
        limits=target.limits,
        session=session_of(target.session, unit.tenant),
    )


def session_of(settings: Mapping[str, str], tenant: str | None) -> dict[str, str]:
    """Return the values to bind; the executor rejects a unit without its tenant."""
    bound = {name: tenant if value == TENANT else value for name, value in settings.items()}
    return {name: value for name, value in bound.items() if value is not None}
