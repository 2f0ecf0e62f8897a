"""The Grafana dashboard: is it well, is it right, is it fast, and is anything not seen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import VariableOption, VariableRefresh, VariableSort

from sqlobs import semconv
from sqlobs.monitoring import queries
from sqlobs.monitoring.panels import (
    BAD,
    DATASOURCE,
    FAIR,
    GOOD,
    SHARED_CURSOR,
    Face,
    Query,
    bars,
    graph,
    stat,
    table,
)
from sqlobs.monitoring.promql import SERVICE, WORKFLOW, label
from sqlobs.monitoring.queries import JUDGED, RANGE, STEP
from sqlobs.semconv import metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grafana_foundation_sdk.cog.builder import Builder
    from grafana_foundation_sdk.models.dashboard import Panel, VariableModel

    from sqlobs.monitoring.promql import AnyOf
    from sqlobs.monitoring.settings import RuleSettings

UID: Final = "sqlobs"
_SHARE: Final = "percentunit"
_WORKFLOW: Final = "{{service_name}} {{workflow}}"
_ONLINE_WORKFLOW: Final = f"{{{{{SERVICE[0]}}}}} {{{{{WORKFLOW[-1]}}}}}"
_VERDICTS: Final = ("ok", "suspect", "not_evaluated", "failed")
"""In the order of their colours: green, yellow, blue, orange."""


def dashboard_json(settings: RuleSettings) -> str:
    """Return the dashboard as Grafana imports it."""
    document = json.dumps(dashboard_document(settings), indent=2, sort_keys=True)
    return document + "\n"


def dashboard_document(settings: RuleSettings) -> dict[str, Any]:
    """Return the dashboard as plain values."""
    builder = (
        dashboard.Dashboard("Text-to-SQL quality")
        .uid(UID)
        .description(
            "Verdicts, right answers, latency and spend of text-to-SQL, and what is not seen of "
            "it. Made by `sqlobs rules generate`."
        )
        .tags(["sqlobs", "text-to-sql"])
        .time("now-6h", "now")
        .refresh("30s")
        .tooltip(SHARED_CURSOR)
        .readonly()
    )
    for variable in _variables():
        builder.with_variable(variable)
    for row, panels in _rows(settings).items():
        builder.with_row(dashboard.Row(row))
        for panel in panels:
            builder.with_panel(panel)
    document: dict[str, Any] = json.loads(json.dumps(builder.build(), cls=JSONEncoder))
    return _numbered(document)


def _numbered(document: dict[str, Any]) -> dict[str, Any]:
    """Give every panel the number of its place, by which links refer to it."""
    for number, panel in enumerate(document["panels"], start=1):
        panel["id"] = number
    return document


def _variables() -> Iterator[Builder[VariableModel]]:
    yield dashboard.DatasourceVariable("datasource").label("Data source").type("prometheus")
    yield _label_variable("service", SERVICE[0], "")
    yield _label_variable("environment", SERVICE[1], 'service_name=~"$service"')
    yield _label_variable("workflow", WORKFLOW[-1], 'service_name=~"$service"')
    yield (
        dashboard.CustomVariable("window")
        .label("Window of samples")
        .values("1h,24h,7d")
        .current(VariableOption(selected=True, text="24h", value="24h"))
    )


def _label_variable(name: str, label_name: str, within: str) -> Builder[VariableModel]:
    series = metrics.GENERATIONS.prometheus_name + (f"{{{within}}}" if within else "")
    return (
        dashboard.QueryVariable(name)
        .label(name.capitalize())
        .datasource(DATASOURCE)
        .query(f"label_values({series}, {label_name})")
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(VariableSort.ALPHABETICAL_ASC)
        .multi(True)
        .include_all(True)
        # An environment that is not named is an empty label, which a list of values would miss.
        .all_value(".*")
        .current(VariableOption(selected=True, text="All", value="$__all"))
    )


def _rows(settings: RuleSettings) -> dict[str, Iterator[Builder[Panel]]]:
    return {
        "At a glance": _glance(settings),
        "Verdicts, every request": _verdicts(settings),
        "Right answers, sampled requests": _answers(),
        "Failing requests": _failing(),
        "Latency and spend": _latency_and_spend(),
        "What is not seen": _blindness(),
    }


def _glance(settings: RuleSettings) -> Iterator[Builder[Panel]]:
    objective = settings.objective
    yield stat(
        Face("Requests", "Questions in the time chosen, each once.", 4, 4),
        Query(queries.requests(RANGE)),
    )
    yield stat(
        Face(
            "Schema-hallucination rate, 1 h",
            f"Share of the SQL that names what the schema lacks; objective {objective:.4g}.",
            *(4, 4, _SHARE),
        ),
        Query(queries.hallucination_rate("1h")),
        steps={0: GOOD, objective: FAIR, settings.threshold(14.4): BAD},
    )
    yield stat(
        Face(
            "Budget left, 3 days",
            "Of the failures that the objective allows in three days; below 0: overdrawn.",
            *(4, 4, _SHARE),
        ),
        Query(f"1 - {queries.hallucination_rate('3d')} / {objective:.6g}"),
        steps={-1: BAD, 0: FAIR, 0.5: GOOD},
    )
    yield stat(
        Face("First-attempt pass rate", _FIRST_ATTEMPT, 4, 4, _SHARE),
        Query(queries.first_attempt(RANGE)),
    )
    yield stat(
        Face("Execution accuracy (EX)", _WEIGHTED, 4, 4, _SHARE),
        Query(queries.mean_quality("ex")),
    )
    yield stat(Face("Judged correct", _WEIGHTED, 4, 4, _SHARE), Query(queries.mean_quality(JUDGED)))


_WEIGHTED: Final = (
    "Of the window chosen, each sampled request weighted by 1 / its probability, workflows by "
    "their effective sample size."
)
_FIRST_ATTEMPT: Final = "First attempts that are ok or suspect, of those evaluated."
_INTERVAL: Final = (
    "Of the window chosen, weighted by 1 / probability, with the 95 % interval (Wilson's, on "
    "the effective sample size)."
)


def _verdicts(settings: RuleSettings) -> Iterator[Builder[Panel]]:
    yield graph(
        Face("Verdict mix", "Every request by its verdict, stacked to 100 %.", 12),
        *(Query(queries.verdict(verdict, STEP), verdict) for verdict in _VERDICTS),
        is_share=True,
    )
    yield graph(
        Face(
            "Schema-hallucination rate against its objective",
            f"Over the last hour, by workflow; dashed: the objective of {settings.objective:.4g}.",
            *(12, 8, _SHARE),
        ),
        Query(queries.hallucination_by_workflow("1h"), _ONLINE_WORKFLOW),
        limit=settings.objective,
    )
    yield bars(
        Face("Top failure codes", "Failed requests by primary code, in the time chosen.", 6),
        Query(queries.failure_codes(RANGE), f"{{{{{label(semconv.SQLOBS_FAILURE_CODE)}}}}}"),
    )
    yield graph(
        Face("First-attempt pass rate by workflow", _FIRST_ATTEMPT, 6, 8, _SHARE),
        Query(queries.first_attempt(STEP, by=(SERVICE[0], WORKFLOW[-1])), _ONLINE_WORKFLOW),
    )
    yield graph(
        Face(
            "First-attempt schema-hallucination rate",
            "First attempts that invented a name, whatever was repaired later.",
            *(6, 8, _SHARE),
        ),
        Query(
            queries.first_attempt_hallucination(STEP, by=(SERVICE[0], WORKFLOW[-1])),
            _ONLINE_WORKFLOW,
        ),
    )
    model, prompt = label(semconv.GEN_AI_REQUEST_MODEL), label(semconv.GEN_AI_PROMPT_VERSION)
    yield graph(
        Face(
            "Failed by model and prompt",
            "Of the requests with a verdict: what a change of model or prompt did.",
            *(6, 8, _SHARE),
        ),
        Query(queries.failed_by_version(STEP), f"{{{{{model}}}}} {{{{{prompt}}}}}"),
    )


def _answers() -> Iterator[Builder[Panel]]:
    yield _with_interval("EX with its interval", "ex")
    yield graph(
        Face("F1 of cells with its interval", _INTERVAL, 8, 8, _SHARE),
        Query(queries.score("f1", "weighted"), _WORKFLOW),
        Query(queries.score("f1", "weighted_lower"), f"{_WORKFLOW} lower"),
        Query(queries.score("f1", "weighted_upper"), f"{_WORKFLOW} upper"),
    )
    yield _with_interval(
        "Judged correct with its interval",
        JUDGED,
        Query(
            queries.quality(JUDGED, "corrected"), f"{_WORKFLOW} corrected for the judge's errors"
        ),
    )


def _with_interval(title: str, evaluation: str | AnyOf, *more: Query) -> Builder[Panel]:
    return graph(
        Face(title, _INTERVAL, 8, 8, _SHARE),
        Query(queries.quality(evaluation, "weighted"), _WORKFLOW),
        Query(queries.quality(evaluation, "weighted_lower"), f"{_WORKFLOW} lower"),
        Query(queries.quality(evaluation, "weighted_upper"), f"{_WORKFLOW} upper"),
        *more,
    )


def _failing() -> Iterator[Builder[Panel]]:
    code = label(semconv.SQLOBS_FAILURE_CODE)
    yield table(
        Face("Latest failing workflows", "By their latest failure in the time chosen.", 12, 9, "s"),
        Query(queries.since_last_failure(), "seen before"),
        names={SERVICE[0]: "service", WORKFLOW[-1]: "workflow", code: "code"},
    )
    yield graph(
        Face(
            "Failures, with their traces",
            "Failed requests by workflow and code; a diamond is a trace: click it.",
            *(12, 9),
        ),
        Query(queries.failures(STEP), f"{{{{{WORKFLOW[-1]}}}}} {{{{{code}}}}}", has_exemplars=True),
    )


def _latency_and_spend() -> Iterator[Builder[Panel]]:
    stage = f"{{{{{label(semconv.SQLOBS_STAGE)}}}}}"
    yield graph(
        Face("Latency by stage", "Median and 95th percentile; the stages overlap.", 12, 8, "s"),
        Query(queries.latency(0.5), f"{stage} p50"),
        Query(queries.latency(0.95), f"{stage} p95"),
    )
    yield graph(
        Face(
            "Judge spend",
            "What judging the requests of the window chosen has cost.",
            *(4, 8, "currencyUSD"),
        ),
        Query(queries.judge_spend(), _WORKFLOW),
    )
    yield graph(
        Face("Judge budget left today", "Until midnight UTC; at 0 nothing is judged.", 4),
        Query(queries.budget_remaining(), "{{kind}}"),
    )
    yield graph(
        Face("Judge tokens", "Tokens of the judge's calls, by model.", 4),
        Query(queries.judge_tokens(STEP), "{{model}} {{token_type}}"),
    )


def _blindness() -> Iterator[Builder[Panel]]:
    yield graph(
        Face("Answers without a verdict", "Over the last hour, by workflow.", 6, 8, _SHARE),
        Query(queries.unchecked(), _ONLINE_WORKFLOW),
    )
    yield graph(
        Face("Units by state", "What the collector does with sampled requests.", 6),
        Query(queries.units(STEP), "{{state}}"),
    )
    yield graph(
        Face(
            "Collector behind by",
            "Oldest entry not yet a unit, and unit not yet scored.",
            6,
            8,
            "s",
        ),
        Query(queries.collector_lag(), "journal"),
        Query(queries.queue_age(), "evaluation"),
    )
    yield table(
        Face("Alerts that fire", "Rules of sqlobs; each has a runbook in docs/alerts.md.", 6),
        Query(queries.firing(), "series"),
        names={"alertname": "alert", "severity": "severity", SERVICE[0]: "service"},
    )
