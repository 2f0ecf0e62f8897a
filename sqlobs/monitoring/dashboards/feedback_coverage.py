"""Feedback and coverage: what users say, what the engine says, and what nobody looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring import queries
from sqlobs.monitoring.dashboards.document import Page
from sqlobs.monitoring.dashboards.shared import (
    BARS_ADD_UP,
    FEEDBACK_COLORS,
    SHARE,
    STATUS_COLORS,
    WORKFLOW_LEGEND,
    legend,
)
from sqlobs.monitoring.panel_counters import MINUTES_15, POINT, RANGE
from sqlobs.monitoring.panels import Column, Face, Query, Style, bars, graph, stat, table
from sqlobs.monitoring.promql import SERVICE, AnyOf, label
from sqlobs.monitoring.queries import BY_WORKFLOW
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grafana_foundation_sdk.cog.builder import Builder
    from grafana_foundation_sdk.models.dashboard import Panel

_TARGET: Final = label(semconv.SQLOBS_TARGET_NAME)
_STATUS: Final = label(semconv.SQLOBS_EXECUTION_STATUS)
_PASS: Final = AnyOf(("pass",))
_BOTH: Final = AnyOf(("pass", "fail"))
_NEGATIVE: Final = AnyOf(("down", "1", "2", "corrected", "rejected", "reasked", "abandoned"))


def page() -> Page:
    """Return the dashboard of what others say of the answers, and of blind spots."""
    return Page(
        "sqlobs-feedback-coverage",
        "Text-to-SQL: feedback and coverage",
        "Feedback of users, verdicts of engines, and what was not checked.",
        {
            "Feedback of users": _feedback(),
            "Checker against engine": _engine(),
            "Repairs and executions": _executions(),
            "Blind spots": _blindness(),
        },
    )


def _feedback() -> Iterator[Builder[Panel]]:
    kind, value = label(semconv.SQLOBS_FEEDBACK_KIND), label(semconv.SQLOBS_FEEDBACK_VALUE)
    yield stat(
        Face("Negative feedback", "Share of the feedback in the time range.", 6, 8, SHARE),
        Query(queries.share(metrics.FEEDBACK, value, (_NEGATIVE, queries.ALL), RANGE)),
    )
    yield graph(
        Face("Feedback", f"Reactions by kind and value. {BARS_ADD_UP}", 18),
        Query(queries.count(metrics.FEEDBACK, POINT, by=(kind, value)), legend(kind, value)),
        style=Style(is_bars=True, colors=FEEDBACK_COLORS),
    )


def _engine() -> Iterator[Builder[Panel]]:
    static, engine = label(semconv.SQLOBS_STATIC_LABEL), label(semconv.SQLOBS_ENGINE_LABEL)
    yield table(
        Face(
            "Checker and engine, in the application",
            "Executed statements by the checker's label and the engine's: each disagreement is an"
            " error of one of them.",
            *(8, 8),
        ),
        Column("statements", queries.count(metrics.COMPARISONS, RANGE, by=(static, engine))),
        names={static: "checker", engine: "engine"},
        is_descending=True,
    )
    yield table(
        Face(
            "Checker and engine, in the collector",
            "Statements that a target or a local engine decided.",
            8,
        ),
        Column(
            "statements",
            queries.count(collector.COMPARISONS, RANGE, by=("static_label", "engine_label")),
        ),
        names={"static_label": "checker", "engine_label": "engine"},
        is_descending=True,
    )
    passed = {semconv.SQLOBS_STATIC_LABEL: "pass"}
    yield graph(
        Face(
            "Rejected by the engine after a pass",
            "Share of the statements that the checker passed, by workflow.",
            *(8, 8, SHARE),
        ),
        Query(
            queries.share(
                metrics.COMPARISONS,
                engine,
                (AnyOf(("fail",)), _BOTH),
                MINUTES_15,
                by=BY_WORKFLOW,
                where=passed,
            ),
            WORKFLOW_LEGEND,
        ),
    )


def _executions() -> Iterator[Builder[Panel]]:
    repairable = label(semconv.SQLOBS_REPAIRABLE)
    yield graph(
        Face(
            "Repairable share",
            "Failures whose suggestions pass the check, by workflow.",
            8,
            8,
            SHARE,
        ),
        Query(
            queries.share(
                metrics.REPAIRABLE,
                repairable,
                (AnyOf(("true",)), queries.ALL),
                MINUTES_15,
                by=BY_WORKFLOW,
            ),
            WORKFLOW_LEGEND,
        ),
    )
    yield graph(
        Face("Executions a minute", "By target and status.", 8),
        Query(
            queries.per_minute(metrics.EXECUTIONS, by=(_TARGET, _STATUS)),
            legend(_TARGET, _STATUS),
        ),
        style=Style(is_stacked=True, colors=STATUS_COLORS),
    )
    sqlstate = label(semconv.SQLOBS_EXECUTION_SQLSTATE_CLASS)
    failed = {semconv.SQLOBS_EXECUTION_STATUS: AnyOf(("error", "timeout"))}
    yield bars(
        Face(
            "Failed executions",
            "By target, status and class of the SQLSTATE, in the time range.",
            8,
        ),
        Query(
            queries.count(metrics.EXECUTIONS, RANGE, by=(_TARGET, _STATUS, sqlstate), where=failed),
            legend(_TARGET, _STATUS, sqlstate),
        ),
    )


def _blindness() -> Iterator[Builder[Panel]]:
    yield graph(
        Face("Answers without a verdict", "Share of the answers, by workflow.", 8, 8, SHARE),
        Query(queries.unchecked_share(MINUTES_15, by=BY_WORKFLOW), WORKFLOW_LEGEND),
    )
    reason = label(semconv.SQLOBS_REASON)
    yield graph(
        Face("Dropped checks", f"By reason. {BARS_ADD_UP}", 8),
        Query(queries.count(metrics.CHECK_DROPPED, POINT, by=(reason,)), legend(reason)),
        style=Style(is_bars=True),
    )
    empty = label(semconv.SQLOBS_RESULT_EMPTY)
    yield graph(
        Face("Empty results", "Share of the executions with a result, by workflow.", 8, 8, SHARE),
        Query(
            queries.share(
                metrics.EXECUTIONS,
                empty,
                (AnyOf(("true",)), AnyOf(("true", "false"))),
                MINUTES_15,
                by=BY_WORKFLOW,
            ),
            WORKFLOW_LEGEND,
        ),
    )
    yield graph(
        Face(
            "Age of the schema", "Time since the schema was last read from its source.", 8, 8, "s"
        ),
        Query(
            queries.latest(metrics.SCHEMA_AGE, by=(SERVICE[0], _TARGET)),
            legend(SERVICE[0], _TARGET),
        ),
    )
    yield graph(
        Face("Stale schema", "1 while a schema is missing, unreadable or too old.", 8),
        Query(
            queries.latest(metrics.SCHEMA_STALE, by=(SERVICE[0], _TARGET)),
            legend(SERVICE[0], _TARGET),
        ),
    )
    change = label(semconv.SQLOBS_SCHEMA_CHANGE)
    yield graph(
        Face("Changes of the schema", "Changes that the last refresh found.", 8),
        Query(queries.latest(metrics.SCHEMA_DRIFT, by=(_TARGET, change)), legend(_TARGET, change)),
    )
