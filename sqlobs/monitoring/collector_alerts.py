"""The alerts on the collector itself: one entry of a table each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.monitoring.increments import HOUR, gained
from sqlobs.monitoring.losses import DROPPED, GIVEN_UP, REJECTED
from sqlobs.monitoring.promql import SERVICE, AnyOf, Selection, lines, number
from sqlobs.monitoring.rules import Alert, Group, Recording
from sqlobs.semconv import collector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.monitoring.settings import RuleSettings

Comparison = Literal[">", "==", "<="]
HIGHEST_SHARE: Final = 0.2
"""Share of evaluations without a result that is still no incident."""
_LAG_S: Final = 600
_FAILED_STATES: Final = AnyOf(("error", "held", "expired"))
_ENDED_STATES: Final = AnyOf(
    ("done", "refused", "truncated", "nondeterministic", *_FAILED_STATES.values)
)


@dataclass(frozen=True, slots=True)
class Share:
    """An alert that a part of an hour's counts is too large."""

    alert: str
    part: Selection
    of: Selection
    by: tuple[str, ...]


UNSCORED: Final = Share(
    "SqlobsUnitsUnscored",
    Selection(collector.UNITS, {"state": _FAILED_STATES}),
    Selection(collector.UNITS, {"state": _ENDED_STATES}),
    SERVICE,
)
UNJUDGED: Final = Share(
    "SqlobsJudgeFailing",
    Selection(collector.EVALUATIONS, {"kind": "llm", "label": "not_evaluated"}),
    Selection(collector.EVALUATIONS, {"kind": "llm"}),
    (*SERVICE, "evaluation"),
)
SHARES: Final = (UNSCORED, UNJUDGED)


def groups(settings: RuleSettings) -> Iterator[Group]:
    """Yield the alerts."""
    rules = (
        *_liveness(settings),
        *(state.alert() for state in STATES),
        *_losses(settings),
        *_units_given_up(settings),
        *_units_unscored(settings),
        *_judge_failing(settings),
    )
    yield Group("sqlobs-collector", 30, rules)


def _liveness(settings: RuleSettings) -> Iterator[Alert]:
    up = f'up{{job="{settings.job}"}}'
    yield Alert(
        name="SqlobsCollectorGone",
        severity="page",
        expr=f"max by (job) ({up}) == 0 or absent({up})",
        hold_s=300,
        scope="collector",
        summary="Prometheus cannot reach any sqlobs collector",
        description=(
            "Nothing is evaluated, and alerts on metrics that come through the collector cannot"
            " fire. Check that the collector is up and that Prometheus scrapes its admin port"
            " (4319)."
        ),
    )
    yield Alert(
        name="SqlobsCollectorDown",
        severity="ticket",
        expr=f"{up} == 0 and on (job) max by (job) ({up}) == 1",
        hold_s=300,
        scope="collector",
        summary="collector {{ $labels.instance }} does not answer; others do",
        description=(
            "Its share of requests is not evaluated. Look at its log and at `/readyz` on its admin"
            " port."
        ),
    )


@dataclass(frozen=True, slots=True)
class State:
    """An alert on a gauge that has a bad value."""

    name: str
    bad: tuple[tuple[collector.CollectorMetric, Comparison, float], ...]
    """Gauges, each with the comparison and the number at which it is bad."""
    summary: str
    description: str
    hold_s: float = 300

    def alert(self) -> Alert:
        """Return the alert."""
        bad = (f"{Selection(gauge)} {is_} {number(value)}" for gauge, is_, value in self.bad)
        return Alert(
            name=self.name,
            severity="ticket",
            expr=" or ".join(bad),
            hold_s=self.hold_s,
            scope="collector",
            summary=self.summary,
            description=self.description,
        )


STATES: Final = (
    State(
        "SqlobsCollectorBehind",
        ((collector.JOURNAL_LAG, ">", _LAG_S), (collector.QUEUE_AGE, ">", _LAG_S)),
        "the collector is {{ $value | humanizeDuration }} behind",
        "Execution accuracy and judge scores are delayed. Check sqlobs_collector_queue_size; raise"
        " evaluate.workers or lower sampling.rate.",
    ),
    State(
        "SqlobsStoreDown",
        ((collector.STORE_UP, "==", 0),),
        "the store does not take what {{ $labels.instance }} writes",
        "Requests are acknowledged into the journal, and are neither evaluated nor shown."
        " /readyz and sqlobs_collector_store_failures_total say why.",
    ),
    State(
        "SqlobsReceiverStopped",
        ((collector.JOURNALS_STOPPED, ">", 0),),
        "{{ $value }} receivers acknowledge nothing: {{ $labels.reason }}",
        "Applications keep their records and try again, until their queues are full. The console's"
        " overview names the receivers; /readyz of each says more.",
        hold_s=60,
    ),
    State(
        "SqlobsTargetDown",
        ((collector.TARGET_UP, "==", 0),),
        "target {{ $labels.target }} does not answer the collector",
        "Its units wait and are not scored. Check the database, the role and the network path.",
    ),
    State(
        "SqlobsTargetHeld",
        ((collector.TARGET_HELD, ">", 0),),
        "{{ $value }} statements still run on target {{ $labels.target }} after their worker ended",
        "No further statement is sent there. End the backends on the server, and check its"
        " statement timeout.",
    ),
    State(
        "SqlobsJudgePaused",
        ((collector.JUDGE_PAUSED, "==", 1),),
        "the judge is mistaken about its canaries and is not asked",
        "Its model or endpoint has changed. `sqlobs judge canaries` shows which it gets wrong.",
    ),
    State(
        "SqlobsBudgetExhausted",
        ((collector.BUDGET_REMAINING, "<=", 0),),
        "today's budget {{ $labels.kind }} is used up",
        "Nothing more is judged or executed until midnight UTC, in the workspace that the alert"
        " names or in all. Raise the budget or lower sampling.rate.",
    ),
    State(
        "SqlobsJudgeOverBudget",
        ((collector.JUDGE_STOPPED, ">", 0),),
        "{{ $value }} questions to the judge were not asked today: {{ $labels.reason }}",
        "`workspace_budget`: the workspace has used up its own budget, the others are judged;"
        " `budget`: all have, or the rate limit is reached. Raise the budget"
        " (judge.workspaces, judge.daily_usd) or lower judge.rate.",
    ),
    State(
        "SqlobsJournalDamaged",
        ((collector.JOURNAL_LOST_RECORDS, ">", 0), (collector.JOURNAL_QUARANTINED, ">", 0)),
        "the collector's journal is damaged",
        "Files are in quarantine, and acknowledged records may be lost. Check the disk; the log"
        " names the files.",
        hold_s=0,
    ),
)


def _losses(settings: RuleSettings) -> Iterator[Alert]:
    for loss, summary, description in (
        (
            REJECTED,
            "the collector rejects {{ $labels.signal }}: {{ $labels.reason }}",
            (
                "What is rejected for good is lost; the rest is sent again and is late. The reason"
                " tells a wrong token from a full disk and from broken records."
            ),
        ),
        (
            DROPPED,
            "the collector drops series of metrics: {{ $labels.reason }}",
            (
                "Rates and alerts miss what is dropped. Fewer instances per collector, or fewer"
                " model and prompt names, fit into its limit."
            ),
        ),
    ):
        yield Alert(
            name=loss.alert,
            severity="ticket",
            expr=loss.condition(settings),
            hold_s=300,
            scope="collector",
            summary=summary,
            description=description,
        )


def _units_given_up(settings: RuleSettings) -> Iterator[Alert]:
    yield Alert(
        name=GIVEN_UP.alert,
        severity="ticket",
        expr=GIVEN_UP.condition(settings),
        hold_s=0,
        scope="service",
        summary="{{ $value }} units ended the process that evaluated them, and were given up",
        description=(
            "A unit that has ended five evaluators is not tried again; the others are evaluated."
            " The log of a collector names the trace; `sqlobs why TRACE_ID` shows its path. Check"
            " the memory limit of the evaluators and the last lines of their logs."
        ),
    )


def _units_unscored(settings: RuleSettings) -> Iterator[Recording | Alert]:
    name = "service:sqlobs_units_unscored"
    yield from _share(name, UNSCORED, settings)
    yield Alert(
        name="SqlobsUnitsUnscored",
        severity="ticket",
        expr=_is_too_large(name, settings),
        hold_s=600,
        scope="service",
        summary="{{ $value | humanizePercentage }} of the sampled requests could not be evaluated",
        description=(
            "A target is unreachable or the evaluator fails. `sqlobs why TRACE_ID` shows the"
            " reason; sqlobs_collector_units_total counts units by state and reason."
        ),
    )


def _judge_failing(settings: RuleSettings) -> Iterator[Recording | Alert]:
    name = "service:sqlobs_unjudged"
    yield from _share(name, UNJUDGED, settings)
    yield Alert(
        name="SqlobsJudgeFailing",
        severity="ticket",
        expr=_is_too_large(name, settings),
        hold_s=600,
        scope="service",
        summary=(
            "{{ $value | humanizePercentage }} of the requests have no verdict of"
            " {{ $labels.evaluation }}"
        ),
        description=(
            "The judge is down, slow, out of budget, or returns invalid answers. `sqlobs why"
            " TRACE_ID` shows which; sqlobs_collector_budget_remaining shows the budget left today."
        ),
    )


def _share(name: str, share: Share, settings: RuleSettings) -> Iterator[Recording]:
    whole = _whole(name)
    yield Recording(whole, gained((share.of,), HOUR, by=share.by, settings=settings))
    some = gained((share.part,), HOUR, by=share.by, settings=settings)
    yield Recording(f"{name}:ratio1h", f"({lines(some, f'or 0 * {whole}')})\n/ ({whole} > 0)")


def _whole(name: str) -> str:
    return f"{name}_of:increase1h"


def _is_too_large(name: str, settings: RuleSettings) -> str:
    return lines(
        f"{name}:ratio1h > {number(HIGHEST_SHARE)}",
        f"and {_whole(name)} >= {settings.objectives.min_requests}",
    )
