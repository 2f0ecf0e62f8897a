"""Alerts on missing data: silence must not look like health."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring import schema_hallucination as hallucination
from sqlobs.monitoring.promql import (
    SERVICE,
    WORKFLOW,
    AnyOf,
    Selection,
    block,
    gained_sum,
    lines,
    number,
)
from sqlobs.monitoring.rules import Alert, Group, Recording
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.monitoring.settings import RuleSettings

UNCHECKED: Final = "workflow:sqlobs_unchecked"
"""The recording rule for the share of answered requests without a verdict."""
_UNSCORED: Final = "service:sqlobs_units_unscored"
_UNJUDGED: Final = "service:sqlobs_unjudged"

_HIGHEST_SHARE: Final = 0.2
"""Highest share of requests or evaluations without a result that does not alert."""
_LAG_S: Final = 600
_HOUR_S: Final = 3600
_IN_SAMPLE_BURN: Final = 6
_FAILED_STATES: Final = ("error", "held", "expired")
_ENDED_STATES: Final = ("done", "refused", "truncated", "nondeterministic", *_FAILED_STATES)


def groups(settings: RuleSettings) -> Iterator[Group]:
    """Yield the recording rules and alerts about missing data."""
    rules: Sequence[Recording | Alert] = (
        *_shares(settings),
        _collector_gone(settings),
        _verdicts_missing(settings),
        _service_silent(settings),
        _units_lost(settings),
        _collector_behind(),
        _units_unscored(settings),
        _judge_failing(settings),
        _in_sample(settings),
    )
    yield Group("sqlobs-blindness", 30, rules)


def ratio(name: str) -> str:
    """Return the name under which the share over the last hour is recorded, as for `UNCHECKED`."""
    return f"{name}:ratio1h"


def _shares(settings: RuleSettings) -> Iterator[Recording]:
    answered = {semconv.SQLOBS_OUTCOME: "answered"}
    yield from _share(
        UNCHECKED,
        Selection(metrics.GENERATIONS, {**answered, semconv.SQLOBS_VERDICT: "not_evaluated"}),
        of=Selection(metrics.GENERATIONS, answered),
        by=WORKFLOW,
        settings=settings,
    )
    yield from _share(
        _UNSCORED,
        Selection(collector.UNITS, {"state": AnyOf(_FAILED_STATES)}),
        of=Selection(collector.UNITS, {"state": AnyOf(_ENDED_STATES)}),
        by=SERVICE,
        settings=settings,
    )
    by_judge = {"kind": "llm"}
    yield from _share(
        _UNJUDGED,
        Selection(collector.EVALUATIONS, {**by_judge, "label": "not_evaluated"}),
        of=Selection(collector.EVALUATIONS, by_judge),
        by=(*SERVICE, "evaluation"),
        settings=settings,
    )


def _share(
    name: str, part: Selection, *, of: Selection, by: Sequence[str], settings: RuleSettings
) -> Iterator[Recording]:
    hour = settings.duration(_HOUR_S)
    whole = _whole(name)
    yield Recording(whole, gained_sum(of, hour, by=by))
    some = gained_sum(part, hour, by=by)
    yield Recording(ratio(name), f"{block((some, f'or 0 * {whole}'))}\n/ ({whole} > 0)")


def _whole(name: str) -> str:
    return f"{name}_of:increase1h"


def _is_too_large(name: str, settings: RuleSettings) -> str:
    return lines(
        f"{ratio(name)} > {number(_HIGHEST_SHARE)}",
        f"and {_whole(name)} >= {settings.min_requests}",
    )


def _collector_gone(settings: RuleSettings) -> Alert:
    up = f'up{{job="{settings.job}"}}'
    return Alert(
        name="SqlobsCollectorGone",
        severity="page",
        expr=f"{up} == 0 or absent({up})",
        hold_s=300,
        summary="Prometheus cannot reach any sqlobs collector",
        description=(
            "Nothing is evaluated and no other sqlobs alert can fire. Check that the collector is"
            " up and that Prometheus scrapes its admin port (4319)."
        ),
    )


def _verdicts_missing(settings: RuleSettings) -> Alert:
    in_sample = Selection(
        collector.QUALITY_SAMPLES, {"evaluation": hallucination.EVALUATION, "window": "1h"}
    )
    return Alert(
        name="SqlobsVerdictsMissing",
        severity="ticket",
        expr=lines(
            _is_too_large(UNCHECKED, settings),
            f"unless on ({', '.join(WORKFLOW)}) {in_sample} > 0",
        ),
        hold_s=600,
        summary=(
            "{{ $labels.service_name }}, workflow {{ $labels.sqlobs_workflow }}: "
            "{{ $value | humanizePercentage }} of the answers have no verdict"
        ),
        description=(
            "Rates cover fewer requests than were answered. See `sqlobs.syntactic_reason` and"
            " `sqlobs.schematic_reason` on the spans: no schema, a stale schema, or a full check"
            " queue."
        ),
    )


def _service_silent(settings: RuleSettings) -> Alert:
    hour, look = settings.duration(_HOUR_S), settings.duration(900)
    info = Selection(metrics.BUILD_INFO)
    by = ", ".join(SERVICE)
    return Alert(
        name="SqlobsServiceSilent",
        severity="ticket",
        expr=lines(
            f"count by ({by}) (last_over_time({info}[{look}] offset {hour}))",
            f"unless count by ({by}) ({info})",
            f'and on () up{{job="{settings.job}"}} == 1',
        ),
        hold_s=900,
        summary="{{ $labels.service_name }} sent metrics an hour ago and has stopped",
        description=(
            "Either the service was shut down or its telemetry no longer arrives. Check"
            " SQLOBS_COLLECTOR_ENDPOINT, the OTEL_EXPORTER_* variables and the network path."
        ),
    )


def _units_lost(settings: RuleSettings) -> Alert:
    failures = Selection(metrics.EXPORT_FAILURES, {semconv.SQLOBS_SIGNAL: "unit"})
    return Alert(
        name="SqlobsUnitsLost",
        severity="ticket",
        expr=f"{gained_sum(failures, settings.duration(900), by=SERVICE)} > 0",
        hold_s=300,
        summary="{{ $labels.service_name }} loses units before they reach the collector",
        description=(
            "Requests are not evaluated by execution or judge. The service logs the cause once: a"
            " full queue, a rejected token, or an unreachable collector."
        ),
    )


def _collector_behind() -> Alert:
    lag, age = Selection(collector.JOURNAL_LAG), Selection(collector.QUEUE_AGE)
    return Alert(
        name="SqlobsCollectorBehind",
        severity="ticket",
        expr=f"{lag} > {_LAG_S} or {age} > {_LAG_S}",
        hold_s=300,
        summary="The collector is {{ $value | humanizeDuration }} behind",
        description=(
            "Execution accuracy and judge scores are delayed. Check sqlobs_collector_queue_size;"
            " raise evaluate.workers or lower sampling.rate."
        ),
    )


def _units_unscored(settings: RuleSettings) -> Alert:
    return Alert(
        name="SqlobsUnitsUnscored",
        severity="ticket",
        expr=_is_too_large(_UNSCORED, settings),
        hold_s=600,
        summary=(
            "{{ $labels.service_name }}: {{ $value | humanizePercentage }} of the sampled "
            "requests could not be evaluated"
        ),
        description=(
            "A target is unreachable or the evaluator fails. `sqlobs why TRACE_ID` shows the"
            " reason; sqlobs_collector_units_total counts units by state and reason."
        ),
    )


def _judge_failing(settings: RuleSettings) -> Alert:
    return Alert(
        name="SqlobsJudgeFailing",
        severity="ticket",
        expr=_is_too_large(_UNJUDGED, settings),
        hold_s=600,
        summary=(
            "{{ $labels.evaluation }} of {{ $labels.service_name }}: {{ $value |"
            " humanizePercentage }} of the requests have no judge verdict"
        ),
        description=(
            "The judge is down, slow, out of budget, or returns invalid answers. `sqlobs why"
            " TRACE_ID` shows which; sqlobs_collector_budget_remaining shows the budget left today."
        ),
    )


def _in_sample(settings: RuleSettings) -> Alert:
    where = {"evaluation": hallucination.EVALUATION, "window": "1h"}
    least = Selection(
        collector.SCHEMA_HALLUCINATION_RATE, {"window": "1h", "stat": "weighted_lower"}
    )
    samples = Selection(collector.QUALITY_SAMPLES, where)
    on = ", ".join(WORKFLOW)
    return Alert(
        name="SqlobsSchemaHallucinationInSample",
        severity="page",
        expr=lines(
            f"max by ({on}) ({least}) > {number(settings.threshold(_IN_SAMPLE_BURN))}",
            f"and on ({on}) {samples} >= {settings.min_requests}",
            f"unless on ({on}) {hallucination.evaluated('1h')} > 0",
        ),
        hold_s=300,
        summary=(
            "{{ $labels.service_name }}, workflow {{ $labels.sqlobs_workflow }}, invents names in "
            "at least {{ $value | humanizePercentage }} of its SQL"
        ),
        description=(
            "Measured on the collector's units because the service's own counters are missing: its"
            " metrics do not arrive, or checking is off there."
        ),
    )
