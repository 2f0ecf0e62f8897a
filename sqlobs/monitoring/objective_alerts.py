"""The alerts on the other failure rates: one entry of a table each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.monitoring.increments import MINUTES_13
from sqlobs.monitoring.promql import WORKFLOW, number
from sqlobs.monitoring.rates import OUTAGE_BOUNDS, PAGE_BOUNDS, TICKET_BOUND, Bound, Rate, any_of
from sqlobs.monitoring.rules import Alert, Group
from sqlobs.monitoring.service_rates import (
    DISAGREEMENT,
    ERRORS,
    EXECUTIONS,
    FEEDBACK,
    FIRST_ATTEMPTS,
    HALLUCINATION,
    SYNTAX,
    objective,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.monitoring.annotations import Scope
    from sqlobs.monitoring.rules import Severity
    from sqlobs.monitoring.settings import RuleSettings

_ON: Final = f"on ({', '.join(WORKFLOW)})"
_SHARE: Final = "{{ $value | humanizePercentage }} of the"


@dataclass(frozen=True, slots=True)
class OnRate:
    """An alert that a rate is above its objective beyond chance."""

    name: str
    severity: Severity
    key: str
    """The objective's key in the file."""
    rate: Rate
    summary: str
    description: str
    scope: Scope = "workflow"
    explained: str = ""
    shows: str = "/requests"
    unless: tuple[tuple[str, Rate], ...] = ()
    """Objectives' keys and rates that have an alert of their own, which says it better."""

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds of the rate of which one must be above the objective."""
        return OUTAGE_BOUNDS if self.severity == "page" else (*PAGE_BOUNDS, TICKET_BOUND)

    def alert(self, settings: RuleSettings) -> Alert:
        """Return the alert."""
        share = (
            objective(self.key)
            if self.scope == "workflow"
            else number(getattr(settings.objectives, self.key))
        )
        expr = any_of([bound.exceeds(self.rate, share) for bound in self.bounds])
        causes = "".join(f"\nunless {_ON} {_is_above(*each)}" for each in self.unless)
        return Alert(
            name=self.name,
            severity=self.severity,
            expr=f"({expr}){causes}" if causes else expr,
            hold_s=0,
            scope=self.scope,
            summary=self.summary,
            description=self.description,
            explained=self.explained,
            shows=self.shows,
        )


def _is_above(key: str, rate: Rate) -> str:
    return f"({rate.ratio_in(MINUTES_13)} > {objective(key)})"


ALERTS: Final = (
    OnRate(
        "SqlobsSyntaxFailures",
        "page",
        "syntax_failures",
        SYNTAX,
        summary=f"{_SHARE} SQL is invalid",
        description=(
            "The model's answers cannot be parsed: a changed answer format, a truncated completion,"
            " or the wrong dialect. The failure code says which."
        ),
        explained="syntactic",
    ),
    OnRate(
        "SqlobsApplicationErrors",
        "page",
        "application_errors",
        ERRORS,
        summary=f"{_SHARE} requests end in an exception",
        description=(
            "The decorated function raises. `error.type` on the spans names the exception: a"
            " provider that is down, a quota, or a bug of the last release."
        ),
        explained="error",
    ),
    OnRate(
        "SqlobsExecutionErrors",
        "ticket",
        "execution_errors",
        EXECUTIONS,
        summary=f"{_SHARE} executions fail or time out",
        description=(
            "The database rejects or stops statements. The SQLSTATE class on `sqlobs.execute`"
            " spans tells missing rights, timeouts and an unreachable server apart."
        ),
    ),
    OnRate(
        "SqlobsFirstAttemptFailures",
        "ticket",
        "first_attempt_failures",
        FIRST_ATTEMPTS,
        summary=f"{_SHARE} first attempts fail",
        description=(
            "Repairs hide it from users but cost time and money. Compare models and prompt"
            " versions by the code of the first attempt."
        ),
        explained="first_attempt",
        unless=(("schema_hallucination", HALLUCINATION), ("syntax_failures", SYNTAX)),
    ),
    OnRate(
        "SqlobsCheckerDisagreement",
        "ticket",
        "checker_disagreement",
        DISAGREEMENT,
        summary=f"checker and engine disagree on {_SHARE} executed statements",
        description=(
            "Verdicts are not to be trusted until it is known why: a stale schema, another search"
            " path, or a flaw of the checker. Labels of sqlobs_comparisons_total say which side."
        ),
    ),
    OnRate(
        "SqlobsNegativeFeedback",
        "ticket",
        "negative_feedback",
        FEEDBACK,
        summary=f"{_SHARE} feedback is negative",
        description=(
            "Users reject or correct answers that may pass every check. Read the corrected SQL of"
            " the last requests."
        ),
        scope="service",
        shows="/requests?feedback=negative",
    ),
)


def groups(settings: RuleSettings) -> Iterator[Group]:
    """Yield the alerts."""
    yield Group("sqlobs-objectives", 30, tuple(each.alert(settings) for each in ALERTS))
