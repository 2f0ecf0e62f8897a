"""Quality: verdicts of all requests, what fails, and which model and prompt version it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.monitoring import queries
from sqlobs.monitoring.dashboards.document import Page
from sqlobs.monitoring.dashboards.shared import (
    BARS_ADD_UP,
    CODE,
    FIRST_ATTEMPT,
    NOT_BY_VERSION,
    OUTCOME_COLORS,
    SHARE,
    VERDICT_COLORS,
    VERSION_LEGEND,
    WORKFLOW_LEGEND,
    legend,
    point_links,
    traces_link,
)
from sqlobs.monitoring.panel_counters import MINUTES_15, POINT, RANGE, Span
from sqlobs.monitoring.panels import (
    BAD,
    FAIR,
    GOOD,
    Column,
    Face,
    Query,
    Style,
    bars,
    graph,
    stat,
    table,
)
from sqlobs.monitoring.promql import SERVICE, WORKFLOW, AnyOf, label
from sqlobs.monitoring.queries import BY_VERSION, BY_WORKFLOW
from sqlobs.semconv import metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grafana_foundation_sdk.cog.builder import Builder
    from grafana_foundation_sdk.models.dashboard import Panel

    from sqlobs.monitoring.settings import RuleSettings

_DAYS_3 = Span("3d", "259200")


def page(settings: RuleSettings) -> Page:
    """Return the dashboard of verdicts."""
    return Page(
        "sqlobs-quality",
        "Text-to-SQL: quality",
        "Verdicts of all requests: what fails, since when, with which model and prompt version.",
        {
            "At a glance": _glance(settings),
            "Verdicts (all requests)": _verdicts(settings),
            "Failing requests": _failing(settings),
            "Attempts and evaluations": _attempts(),
        },
    )


def _glance(settings: RuleSettings) -> Iterator[Builder[Panel]]:
    objective = settings.objective
    yield stat(
        Face("Requests", "Requests in the time range; repairs are not counted.", 6, 4),
        Query(queries.count(metrics.VERSION_GENERATIONS, RANGE)),
    )
    yield stat(
        Face(
            "Schema-hallucination rate",
            f"Share of the SQL with a name that is not in the schema; objective {objective:.4g}.",
            *(6, 4, SHARE),
        ),
        Query(queries.hallucination_rate(RANGE)),
        steps={0: GOOD, objective: FAIR, settings.threshold(6): BAD},
    )
    yield stat(
        Face(
            "Error budget left, 3 days",
            "Share of the failures that the objective allows in three days; negative if overspent.",
            *(6, 4, SHARE),
        ),
        Query(f"1 - {queries.hallucination_rate(_DAYS_3)} / {objective:.6g}"),
        steps={-1: BAD, 0: FAIR, 0.5: GOOD},
    )
    yield stat(
        Face("First-attempt pass rate", FIRST_ATTEMPT + NOT_BY_VERSION, 6, 4, SHARE),
        Query(queries.first_attempt(RANGE)),
    )


def _verdicts(settings: RuleSettings) -> Iterator[Builder[Panel]]:
    verdict = label(semconv.SQLOBS_VERDICT)
    yield graph(
        Face("Verdict mix", "Every request by its verdict, stacked to 100 %.", 12),
        Query(
            queries.count(metrics.VERSION_GENERATIONS, MINUTES_15, by=(verdict,)), legend(verdict)
        ),
        style=Style(is_share=True, colors=VERDICT_COLORS),
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
        Face("Invented names by model and prompt", "Share of evaluated requests.", 12, 8, SHARE),
        Query(queries.hallucination_rate(MINUTES_15, by=BY_VERSION), VERSION_LEGEND),
    )
    yield graph(
        Face(
            "Failed by model and prompt",
            "Share of requests with a verdict, to compare models and prompt versions.",
            *(12, 8, SHARE),
        ),
        Query(queries.failed_share(MINUTES_15, by=BY_VERSION), VERSION_LEGEND),
    )


def _failing(settings: RuleSettings) -> Iterator[Builder[Panel]]:
    yield table(
        Face(
            "Latest failing workflows",
            "By the time of their latest failure in the time range." + NOT_BY_VERSION,
            *(12, 9, "s"),
        ),
        Column("last failure", queries.since_last_failure()),
        names={SERVICE[0]: "service", WORKFLOW[-1]: "workflow", CODE: "code"},
        links={"Failed requests": traces_link("${__data.fields.service}")},
    )
    yield graph(
        Face(
            "Failures, with their traces",
            f"{BARS_ADD_UP} Click a diamond to open its trace." + NOT_BY_VERSION,
            *(12, 9),
        ),
        Query(queries.failures(POINT), legend(WORKFLOW[-1], CODE), has_exemplars=True),
        style=Style(is_bars=True, links=point_links(settings)),
    )
    yield bars(
        Face("Top failure codes", "Failed requests by primary code, in the time range.", 8),
        Query(queries.failure_codes(RANGE), legend(CODE)),
    )
    group = label(semconv.SQLOBS_FAILURE_GROUP)
    yield graph(
        Face("Failures by group", f"By the group of their code. {BARS_ADD_UP}", 8),
        Query(
            queries.count(
                metrics.VERSION_GENERATIONS,
                POINT,
                by=(group,),
                where={group: queries.SOME, semconv.SQLOBS_VERDICT: "failed"},
            ),
            legend(group),
        ),
        style=Style(is_bars=True),
    )
    outcome = label(semconv.SQLOBS_OUTCOME)
    yield graph(
        Face("Outcomes", "Requests by how they ended, stacked to 100 %." + NOT_BY_VERSION, 8),
        Query(queries.count(metrics.GENERATIONS, MINUTES_15, by=(outcome,)), legend(outcome)),
        style=Style(is_share=True, colors=OUTCOME_COLORS),
    )


def _attempts() -> Iterator[Builder[Panel]]:
    yield graph(
        Face("First-attempt pass rate by workflow", FIRST_ATTEMPT, 8, 8, SHARE),
        Query(queries.first_attempt(MINUTES_15, by=BY_WORKFLOW), WORKFLOW_LEGEND),
    )
    yield graph(
        Face(
            "First-attempt schema-hallucination rate",
            "First attempts with an unknown name, regardless of later repairs.",
            *(8, 8, SHARE),
        ),
        Query(queries.first_attempt_hallucination(MINUTES_15, by=BY_WORKFLOW), WORKFLOW_LEGEND),
    )
    name = label(semconv.GEN_AI_EVALUATION_NAME)
    verdict = label(semconv.GEN_AI_EVALUATION_SCORE_LABEL)
    parts = (AnyOf(("fail",)), AnyOf(("pass", "fail")))
    yield graph(
        Face("Failing evaluations", "Share of failures among the evaluated requests.", 8, 8, SHARE),
        Query(
            queries.share(metrics.EVALUATIONS, verdict, parts, MINUTES_15, by=(name,)),
            legend(name),
        ),
    )
