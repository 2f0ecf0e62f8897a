"""The alerts that say that nothing is seen: silence must not look like health."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring import schema_hallucination as hallucination
from sqlobs.monitoring.increments import HOUR, MINUTES_30
from sqlobs.monitoring.losses import FOLDED, UNITS_LOST, UNSAFE
from sqlobs.monitoring.promql import SERVICE, WORKFLOW, AnyOf, Selection, block, lines, number
from sqlobs.monitoring.rates import PAGE_BOUNDS, TICKET_BOUND, any_of
from sqlobs.monitoring.rules import Alert, Group, Recording
from sqlobs.monitoring.service_rates import UNCHECKED, matchers, objective
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.monitoring.settings import RuleSettings

_SAMPLE_BURN: Final = 6
_TARGET: Final = semconv.SQLOBS_TARGET_NAME.replace(".", "_")
UNCHECKED_BOUNDS: Final = (*PAGE_BOUNDS, TICKET_BOUND)
_STALE: Final = "service:sqlobs_schema:stale"
_SERVICE_UP: Final = "service:sqlobs_processes:count"
_LEAST_PRESENCE_S: Final = 7200
"""For so long in six hours a service must have been there: a batch job is silent by design."""
_RECORDED_EVERY_S: Final = 30
JUDGED: Final = AnyOf(("flex", "flex_noref"))
HARMFUL: Final = AnyOf(("table_removed", "column_removed", "type_changed"))


def groups(settings: RuleSettings) -> Iterator[Group]:
    """Yield the recordings and alerts about what is missing."""
    yield Group(
        "sqlobs-blindness",
        _RECORDED_EVERY_S,
        (
            Recording(_STALE, _stale(settings)),
            Recording(_SERVICE_UP, _present()),
            _schema_stale(),
            _schema_drift(settings),
            _verdicts_missing(settings),
            _service_silent(settings),
            _units_lost(settings),
            _series_folded(settings),
            _in_sample(settings),
            _incorrect(settings),
            _unsafe(settings),
        ),
    )


def _stale(settings: RuleSettings) -> str:
    by = ", ".join((*SERVICE, _TARGET))
    stale = f"max by ({by}) ({Selection(metrics.SCHEMA_STALE)}) > 0"
    limit = settings.objectives.schema_max_age_s
    if limit is None:
        return stale
    aged = f"max by ({by}) ({Selection(metrics.SCHEMA_AGE)}) > bool {number(limit)} > 0"
    return f"{stale} or ({aged})"


def _present() -> str:
    return f"count by ({', '.join(SERVICE)}) ({Selection(metrics.BUILD_INFO)})"


def _schema_stale() -> Alert:
    return Alert(
        name="SqlobsSchemaStale",
        severity="ticket",
        expr=_STALE,
        hold_s=300,
        scope="service",
        summary=f"the schema of target {{{{ $labels.{_TARGET} }}}} cannot be refreshed",
        description=(
            "The schema is missing or out of date, so unknown names have no verdict and the"
            " hallucination rate is too low. Check the loader and its database: the application"
            " logs the cause."
        ),
        shows="/requests?verdict=not_evaluated",
    )


def _schema_drift(settings: RuleSettings) -> Alert:
    drift = Selection(metrics.SCHEMA_DRIFT, {semconv.SQLOBS_SCHEMA_CHANGE: HARMFUL})
    by = ", ".join((*SERVICE, _TARGET, semconv.SQLOBS_SCHEMA_CHANGE.replace(".", "_")))
    hour = settings.duration(HOUR.seconds)
    return Alert(
        name="SqlobsSchemaDrift",
        severity="info",
        expr=lines(
            f"max by ({by}) ({drift}) > 0",
            f"unless max by ({by}) ({drift} offset {hour}) > 0",
        ),
        hold_s=0,
        scope="service",
        summary="{{ $value }} changes of kind {{ $labels.sqlobs_schema_change }} in the schema",
        description=(
            "A migration removed or changed what prompts may still name. Expect invented names;"
            " `sqlobs schema diff OLD NEW --queries FILE` shows which statements break."
        ),
        kept_s=0,
    )


def _verdicts_missing(settings: RuleSettings) -> Alert:
    share = objective("missing_verdicts")
    conditions = [bound.exceeds(UNCHECKED, share) for bound in UNCHECKED_BOUNDS]
    declared = "".join(
        f"\nunless {UNCHECKED.ratio_in(MINUTES_30)}{matchers(each)}"
        for each in settings.objectives.workflows
        if each.checked_by == "collector"
    )
    return Alert(
        name="SqlobsVerdictsMissing",
        severity="ticket",
        expr=lines(
            f"{block((any_of(conditions),))}{declared}",
            f"unless on ({', '.join(SERVICE)}) {_STALE}",
        ),
        hold_s=120,
        scope="workflow",
        summary="{{ $value | humanizePercentage }} of the answers have no verdict",
        description=(
            "Rates cover fewer requests than were answered. See `sqlobs.syntactic_reason` and"
            " `sqlobs.schematic_reason` on the spans: no schema, a stale schema, or a full check"
            " queue."
        ),
        explained="unchecked",
    )


def _service_silent(settings: RuleSettings) -> Alert:
    """Return the alert on a service that was there for hours and is gone.

    Where a schedule is declared for one of its workflows, SqlobsNoTraffic watches instead.
    """
    hours, day = settings.duration(21_600), settings.duration(86_400)
    least = _LEAST_PRESENCE_S // _RECORDED_EVERY_S
    usual = f"count_over_time({_SERVICE_UP}[{hours}] offset {day})"
    scheduled = "".join(
        f'\nunless {_SERVICE_UP}{{{SERVICE[0]}="{each.service}"}} offset {day}'
        for each in settings.objectives.workflows
        if each.schedule is not None and each.service is not None
    )
    return Alert(
        name="SqlobsServiceSilent",
        severity="ticket",
        expr=lines(
            f"(count_over_time({_SERVICE_UP}[{hours}]) >= {least} unless {_SERVICE_UP})",
            # At this time yesterday it was silent, too.
            f"unless ({usual} unless {_SERVICE_UP} offset {day}){scheduled}",
            f'and on () up{{job="{settings.job}"}} == 1',
        ),
        hold_s=900,
        scope="service",
        summary="sent metrics for hours and has stopped",
        description=(
            "Either the service was shut down or its telemetry no longer arrives. Check"
            " SQLOBS_COLLECTOR_ENDPOINT, the OTEL_EXPORTER_* variables and the network path."
        ),
    )


def _units_lost(settings: RuleSettings) -> Alert:
    return Alert(
        name="SqlobsUnitsLost",
        severity="ticket",
        expr=UNITS_LOST.condition(settings),
        hold_s=300,
        scope="service",
        summary="units are lost before they reach the collector",
        description=(
            "Requests are not evaluated by execution or judge. The service logs the cause once: a"
            " full queue, a rejected token, or an unreachable collector."
        ),
    )


def _series_folded(settings: RuleSettings) -> Alert:
    return Alert(
        name="SqlobsSeriesFolded",
        severity="ticket",
        expr=FOLDED.condition(settings),
        hold_s=300,
        scope="service",
        summary="{{ $value | humanize }} requests of an hour count under a name of `other`",
        description=(
            "More models, prompt versions or workflows are in use than the budget of series"
            " allows. Sums stay exact, but the culprit of an incident may be hidden. Look for an id"
            " or a timestamp in a name."
        ),
        kept_s=3600,
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
            f"max by ({on}) ({least}) > {number(settings.threshold(_SAMPLE_BURN))}",
            f"and on ({on}) {samples} >= {settings.objectives.min_requests}",
            f"unless on ({on}) {hallucination.evaluated('1h')} > 0",
        ),
        hold_s=300,
        scope="workflow",
        summary=(
            "at least {{ $value | humanizePercentage }} of the SQL names tables or columns that do"
            " not exist"
        ),
        description=(
            "Measured on the collector's units because the service's own counters are missing: its"
            " metrics do not arrive, or checking is off there."
        ),
        explained=hallucination.EVALUATION,
    )


def _incorrect(settings: RuleSettings) -> Alert:
    best = Selection(
        collector.QUALITY_PASS_RATE,
        {"evaluation": JUDGED, "window": "24h", "stat": "weighted_upper"},
    )
    samples = Selection(collector.QUALITY_SAMPLES, {"evaluation": JUDGED, "window": "24h"})
    on = ", ".join(("evaluation", *WORKFLOW))
    incorrect = settings.objectives.judged_incorrect
    return Alert(
        name="SqlobsIncorrect",
        severity="ticket",
        expr=lines(
            f"1 - max by ({on}) ({best}) > {number(incorrect)}",
            f"and on ({on}) {samples} >= {settings.objectives.min_requests}",
        ),
        hold_s=900,
        scope="workflow",
        summary="a judge finds at least {{ $value | humanizePercentage }} of the answers incorrect",
        description=(
            "The interval's lower end over a day is above the objective. Read the judge's reasons"
            " with `sqlobs why TRACE_ID`; `sqlobs report --admin` groups them."
        ),
        kept_s=3600,
        shows="/requests?evaluation={{ $labels.evaluation }}:fail",
    )


def _unsafe(settings: RuleSettings) -> Alert:
    return Alert(
        name="SqlobsUnsafeStatements",
        severity="ticket",
        expr=UNSAFE.condition(settings),
        hold_s=0,
        scope="workflow",
        summary=(
            "statements that would change data or call unsafe functions, in an hour:"
            " {{ $value | humanize }}"
        ),
        description=(
            "The model was asked, or tricked, to write more than a query. Read the questions, and"
            " make sure that the application's role can only read."
        ),
        shows="/failures",
    )
