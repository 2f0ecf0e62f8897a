"""Overview: is my text-to-SQL healthy, and which workflow is the worst?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.monitoring import queries
from sqlobs.monitoring.dashboards.document import Page
from sqlobs.monitoring.dashboards.shared import (
    NOT_BY_VERSION,
    OUTCOME_COLORS,
    SHARE,
    USD,
    WORKFLOW_LEGEND,
    dashboard_link,
    explain_link,
    legend,
    point_links,
    traces_link,
)
from sqlobs.monitoring.panel_counters import HOUR, MINUTES_15, RANGE, Span
from sqlobs.monitoring.panels import (
    BAD,
    FAIR,
    GOOD,
    Column,
    Face,
    Query,
    Style,
    graph,
    stat,
    table,
)
from sqlobs.monitoring.promql import SERVICE, WORKFLOW, label
from sqlobs.monitoring.queries import BY_WORKFLOW, percent
from sqlobs.semconv import metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grafana_foundation_sdk.cog.builder import Builder
    from grafana_foundation_sdk.models.dashboard import Panel

    from sqlobs.monitoring.settings import RuleSettings

_TOTAL = {semconv.SQLOBS_STAGE: "total"}


def page(settings: RuleSettings) -> Page:
    """Return the dashboard that is read in half a minute."""
    return Page(
        "sqlobs-overview",
        "Text-to-SQL: overview",
        "Is text-to-SQL healthy? The worst workflow comes first.",
        {
            "Healthy?": _glance(settings),
            "Workflows, the worst first": _workflows(settings),
            "Traffic and alerts": _traffic(),
        },
    )


def _glance(settings: RuleSettings) -> Iterator[Builder[Panel]]:
    objective = settings.objective
    yield stat(
        Face("Alerts firing", "Firing alerts of sqlobs.", 4, 4),
        Query(queries.firing_count()),
        steps={0: GOOD, 1: BAD},
    )
    yield stat(
        Face(
            "Worst schema-hallucination rate, 1 h",
            f"Highest share of SQL with an unknown name by workflow; objective {objective:.4g}.",
            *(4, 4, SHARE),
        ),
        Query(f"max({queries.hallucination_rate(HOUR, by=BY_WORKFLOW)})"),
        steps={0: GOOD, objective: FAIR, settings.threshold(6): BAD},
    )
    yield stat(
        Face("Worst failed share, 1 h", "Of requests with a verdict, by workflow.", 4, 4, SHARE),
        Query(f"max({queries.failed_share(HOUR, by=BY_WORKFLOW)})"),
        steps={0: GOOD, 0.1: FAIR, 0.3: BAD},
    )
    yield stat(
        Face(
            "Worst error share, 1 h",
            "Requests that ended in an error of the application, by workflow." + NOT_BY_VERSION,
            *(4, 4, SHARE),
        ),
        Query(f"max({queries.error_share(HOUR, by=BY_WORKFLOW)})"),
        steps={0: GOOD, 0.01: FAIR, 0.05: BAD},
    )
    yield stat(
        Face(
            "Slowest p95, 1 h",
            "95th percentile of a request, by workflow." + NOT_BY_VERSION,
            4,
            4,
            "s",
        ),
        Query(f"max({_p95(HOUR)})"),
    )
    yield stat(
        Face("Cost", "Of model calls in the time range, in USD.", 4, 4, USD),
        Query(queries.count(metrics.USAGE_COST, RANGE)),
    )


def _p95(span: Span) -> str:
    return queries.quantile(metrics.STAGE_DURATION, 0.95, span, by=BY_WORKFLOW, where=_TOTAL)


def _workflows(settings: RuleSettings) -> Iterator[Builder[Panel]]:
    service, workflow = "${__data.fields.service}", "${__data.fields.workflow}"
    yield table(
        Face(
            "Workflows, the worst first",
            "Over the time range. Click a workflow for its quality, failed traces or explanation.",
            *(24, 8, "none"),
        ),
        Column("invents names, %", percent(queries.hallucination_rate(RANGE, by=BY_WORKFLOW))),
        Column("failed, %", percent(queries.failed_share(RANGE, by=BY_WORKFLOW))),
        Column("errors, %", percent(queries.error_share(RANGE, by=BY_WORKFLOW))),
        Column("without verdict, %", percent(queries.unchecked_share(RANGE, by=BY_WORKFLOW))),
        Column(
            "p95, s",
            _p95(RANGE),
        ),
        Column("requests", queries.count(metrics.GENERATIONS, RANGE, by=BY_WORKFLOW)),
        names={SERVICE[0]: "service", WORKFLOW[-1]: "workflow"},
        is_descending=True,
        links={
            "Quality of this workflow": dashboard_link("sqlobs-quality", workflow=workflow),
            "Failed requests": traces_link(service),
            "What explains it?": explain_link(settings, service, workflow, ""),
        },
    )
    yield graph(
        Face(
            "Schema-hallucination rate against its objective",
            f"By workflow; dashed: the objective of {settings.objective:.4g}.",
            *(12, 8, SHARE),
        ),
        Query(queries.hallucination_rate(MINUTES_15, by=BY_WORKFLOW), WORKFLOW_LEGEND),
        style=Style(limit=settings.objective, links=point_links(settings)),
    )
    yield graph(
        Face("Failed share", "Of requests with a verdict, by workflow.", 12, 8, SHARE),
        Query(queries.failed_share(MINUTES_15, by=BY_WORKFLOW), WORKFLOW_LEGEND),
        style=Style(links=point_links(settings)),
    )


def _traffic() -> Iterator[Builder[Panel]]:
    outcome = label(semconv.SQLOBS_OUTCOME)
    yield graph(
        Face("Requests a minute", "By outcome." + NOT_BY_VERSION, 12),
        Query(queries.per_minute(metrics.GENERATIONS, by=(outcome,)), legend(outcome)),
        style=Style(is_stacked=True, colors=OUTCOME_COLORS),
    )
    yield table(
        Face("Firing alerts", "Alerts of sqlobs; each has a runbook in docs/alerts.md.", 12),
        Column("series", queries.firing()),
        names={
            "alertname": "alert",
            "severity": "severity",
            SERVICE[0]: "service",
            WORKFLOW[-1]: "workflow",
            queries.MODEL: "model",
            queries.PROMPT: "prompt version",
        },
        is_descending=True,
    )
