"""Latency and cost: where the time goes, tokens and money by workflow, model and prompt version."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.monitoring import queries
from sqlobs.monitoring.dashboards.document import Page
from sqlobs.monitoring.dashboards.shared import (
    NOT_BY_VERSION,
    USD,
    VERSION_LEGEND,
    WORKFLOW_LEGEND,
    legend,
)
from sqlobs.monitoring.panel_counters import MINUTES_15, RANGE
from sqlobs.monitoring.panels import Column, Face, Query, Style, graph, stat, table
from sqlobs.monitoring.promql import SERVICE, WORKFLOW, label
from sqlobs.monitoring.queries import BY_VERSION, BY_WORKFLOW, MODEL, PROMPT
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grafana_foundation_sdk.cog.builder import Builder
    from grafana_foundation_sdk.models.dashboard import Panel

_TOTAL = {semconv.SQLOBS_STAGE: "total"}
_PRICED = "Reported by the application, or computed from the setting `prices`."


def page() -> Page:
    """Return the dashboard of time and money."""
    return Page(
        "sqlobs-latency-cost",
        "Text-to-SQL: latency and cost",
        "Where the time goes, and tokens and money by workflow, model and prompt version.",
        {
            "Latency": _latency(),
            "Tokens and money of the application": chain(_money(), _money_by_name()),
            "Judge": _judge(),
        },
    )


_quantile = partial(queries.quantile, span=MINUTES_15)


def _latency() -> Iterator[Builder[Panel]]:
    stage = label(semconv.SQLOBS_STAGE)
    yield graph(
        Face(
            "Latency by stage, p95",
            "95th percentile over 15 minutes; the stages overlap." + NOT_BY_VERSION,
            *(8, 8, "s"),
        ),
        Query(_quantile(metrics.STAGE_DURATION, 0.95, by=(stage,)), legend(stage)),
    )
    yield graph(
        Face(
            "Latency by stage, median",
            "Over 15 minutes; the stages overlap." + NOT_BY_VERSION,
            *(8, 8, "s"),
        ),
        Query(_quantile(metrics.STAGE_DURATION, 0.5, by=(stage,)), legend(stage)),
    )
    yield graph(
        Face(
            "p95 by workflow",
            "95th percentile of a request, over 15 minutes." + NOT_BY_VERSION,
            *(8, 8, "s"),
        ),
        Query(
            _quantile(metrics.STAGE_DURATION, 0.95, by=BY_WORKFLOW, where=_TOTAL),
            WORKFLOW_LEGEND,
        ),
    )
    method = label(semconv.SQLOBS_CHECK_METHOD)
    yield graph(
        Face("Time of a check", "Median and 95th percentile, by method.", 12, 8, "s"),
        Query(
            _quantile(metrics.CHECK_DURATION, 0.5, by=(method,)),
            f"{legend(method)} p50",
        ),
        Query(
            _quantile(metrics.CHECK_DURATION, 0.95, by=(method,)),
            f"{legend(method)} p95",
        ),
    )
    yield graph(
        Face(
            "Overhead of sqlobs",
            "sqlobs' own time on the request thread, including waiting.",
            *(12, 8, "s"),
        ),
        Query(_quantile(metrics.OVERHEAD_DURATION, 0.5), "p50"),
        Query(_quantile(metrics.OVERHEAD_DURATION, 0.95), "p95"),
        Query(_quantile(metrics.OVERHEAD_DURATION, 0.99), "p99"),
    )


def _money() -> Iterator[Builder[Panel]]:
    yield stat(
        Face("Cost", f"Of model calls in the time range, in USD. {_PRICED}", 6, 4, USD),
        Query(queries.count(metrics.USAGE_COST, RANGE)),
    )
    yield stat(
        Face("Tokens", "Of model calls in the time range.", 6, 4),
        Query(queries.count(metrics.USAGE_TOKENS, RANGE)),
    )
    yield stat(
        Face("Cost of a request", "Mean over the time range, in USD.", 6, 4, USD),
        Query(
            f"{queries.count(metrics.USAGE_COST, RANGE)}"
            f" / ({queries.count(metrics.GENERATIONS, RANGE)} > 0)"
        ),
    )
    yield stat(
        Face(
            "Cost of a correct answer",
            "Cost in the time range divided by the number of correct answers, estimated from the"
            " sample window: by execution accuracy, otherwise by the judge.",
            *(6, 4, USD),
        ),
        Query(queries.cost_per_correct()),
    )


def _money_by_name() -> Iterator[Builder[Panel]]:
    yield table(
        Face(
            "Cost by workflow, model and prompt version",
            f"In the time range. {_PRICED}",
            *(12, 9, "none"),
        ),
        Column("USD", queries.count(metrics.USAGE_COST, RANGE, by=_BY_ALL)),
        Column("tokens", queries.count(metrics.USAGE_TOKENS, RANGE, by=_BY_ALL)),
        Column("requests", queries.count(metrics.VERSION_GENERATIONS, RANGE, by=_BY_ALL)),
        names={
            SERVICE[0]: "service",
            WORKFLOW[-1]: "workflow",
            MODEL: "model",
            PROMPT: "prompt version",
        },
        is_descending=True,
    )
    kind = label(semconv.SQLOBS_TOKEN_TYPE)
    yield graph(
        Face("Tokens a minute", "By model and kind.", 12, 9),
        Query(queries.per_minute(metrics.USAGE_TOKENS, by=(MODEL, kind)), legend(MODEL, kind)),
        style=Style(is_stacked=True),
    )
    yield graph(
        Face("Cost a minute, by workflow", "In USD.", 12, 8, USD),
        Query(queries.per_minute(metrics.USAGE_COST, by=BY_WORKFLOW), WORKFLOW_LEGEND),
        style=Style(is_stacked=True),
    )
    yield graph(
        Face("Cost a minute, by model and prompt version", "In USD.", 12, 8, USD),
        Query(queries.per_minute(metrics.USAGE_COST, by=BY_VERSION), VERSION_LEGEND),
        style=Style(is_stacked=True),
    )


_BY_ALL = (*BY_WORKFLOW, *BY_VERSION)


def _judge() -> Iterator[Builder[Panel]]:
    yield graph(
        Face("Judge cost of the sample window", "In USD, of the requests in it.", 6, 8, USD),
        Query(
            queries.latest(collector.JUDGE_SPEND, by=BY_WORKFLOW, where={"window": "$window"}),
            WORKFLOW_LEGEND,
        ),
    )
    yield graph(
        Face("Judge cost a minute", "In USD, by model.", 6, 8, USD),
        Query(queries.per_minute(collector.JUDGE_COST, by=("model",)), "{{model}}"),
        style=Style(is_stacked=True),
    )
    yield graph(
        Face("Judge tokens a minute", "By model and kind.", 6),
        Query(
            queries.per_minute(collector.JUDGE_TOKENS, by=("model", "token_type")),
            "{{model}} {{token_type}}",
        ),
        style=Style(is_stacked=True),
    )
    yield graph(
        Face(
            "Judge budget left today",
            "By workspace (none: of all) and kind. Resets at midnight UTC.",
            6,
        ),
        Query(
            queries.latest(collector.BUDGET_REMAINING, "min", by=("workspace", "kind")),
            legend("workspace", "kind"),
        ),
    )
    yield graph(
        Face(
            "Questions that judge budgets stopped today",
            "By workspace and reason: its own budget is used up, or that of all workspaces.",
            12,
        ),
        Query(
            queries.latest(collector.JUDGE_STOPPED, by=("workspace", "reason")),
            legend("workspace", "reason"),
        ),
    )
