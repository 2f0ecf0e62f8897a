"""Collector: what it received, what became of it, and what it is short of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring import queries
from sqlobs.monitoring.dashboards.document import Page
from sqlobs.monitoring.dashboards.shared import BARS_ADD_UP, LABEL_COLORS, SHARE, legend
from sqlobs.monitoring.panel_counters import POINT, RANGE
from sqlobs.monitoring.panels import (
    BAD,
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
from sqlobs.monitoring.promql import SERVICE, label
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grafana_foundation_sdk.cog.builder import Builder
    from grafana_foundation_sdk.models.dashboard import Panel

    from sqlobs.monitoring.settings import RuleSettings

_ALARM: Final[dict[float, str]] = {0: GOOD, 1: BAD}


def page(settings: RuleSettings) -> Page:
    """Return the dashboard of the collector and of the way to it."""
    return Page(
        "sqlobs-collector",
        "Text-to-SQL: collector",
        "What the collector received, how it was processed, and which limits it reaches.",
        {
            "At a glance": _glance(settings),
            "Received data": _intake(),
            "Limits": _limits(),
            "Processing": _work(),
            "In the applications": _applications(),
        },
    )


def _glance(settings: RuleSettings) -> Iterator[Builder[Panel]]:
    yield stat(
        Face("Collectors up", "Collectors whose admin port Prometheus can scrape.", 3, 4),
        Query(f'sum(up{{job="{settings.job}"}})'),
        steps={0: BAD, 1: GOOD},
    )
    yield stat(
        Face("Stores down", "Processes whose store does not take what they write.", 3, 4),
        Query(f"count({queries.latest(collector.STORE_UP, by=('instance',))} == 0) or vector(0)"),
        steps=_ALARM,
    )
    yield stat(
        Face("Receivers stopped", "Processes whose journal cannot be written.", 3, 4),
        Query(f"{queries.latest(collector.JOURNALS_STOPPED, 'sum')} or vector(0)"),
        steps=_ALARM,
    )
    yield stat(
        Face("Targets down", "Databases that do not answer.", 3, 4),
        Query(f"count({queries.latest(collector.TARGET_UP, by=('target',))} == 0) or vector(0)"),
        steps=_ALARM,
    )
    yield stat(
        Face("Backends held", "Database sessions that still run after their worker ended.", 3, 4),
        Query(f"{queries.latest(collector.TARGET_HELD, 'sum')} or vector(0)"),
        steps=_ALARM,
    )
    yield stat(
        Face("Judge paused", "1 while the judge fails its canaries.", 3, 4),
        Query(f"{queries.latest(collector.JUDGE_PAUSED)} or vector(0)"),
        steps=_ALARM,
    )
    yield stat(
        Face("Records lost", "Acknowledged requests lost to journal damage.", 3, 4),
        Query(queries.latest(collector.JOURNAL_LOST_RECORDS, "sum")),
        steps=_ALARM,
    )
    yield stat(
        Face("Damaged files", "Damaged journal files, kept for inspection.", 3, 4),
        Query(queries.latest(collector.JOURNAL_QUARANTINED, "sum")),
        steps=_ALARM,
    )


def _intake() -> Iterator[Builder[Panel]]:
    yield graph(
        Face("Records received a minute", "By signal and kind.", 8),
        Query(
            queries.per_minute(collector.RECEIVED, by=("signal", "kind")),
            legend("signal", "kind"),
        ),
        style=Style(is_stacked=True),
    )
    yield graph(
        Face("Requests rejected", f"By signal and reason. {BARS_ADD_UP}", 8),
        Query(
            queries.count(collector.REJECTED, POINT, by=("signal", "reason")),
            legend("signal", "reason"),
        ),
        style=Style(is_bars=True),
    )
    yield graph(
        Face("Relayed to the backend a minute", "By signal and outcome.", 8),
        Query(
            queries.per_minute(collector.RELAYED, by=("signal", "outcome")),
            legend("signal", "outcome"),
        ),
        style=Style(is_stacked=True),
    )
    yield graph(
        Face(
            "Collector lag",
            "Age of the oldest unprocessed journal entry and of the oldest unscored unit.",
            *(8, 8, "s"),
        ),
        Query(queries.latest(collector.JOURNAL_LAG), "journal"),
        Query(queries.latest(collector.QUEUE_AGE), "evaluation"),
    )
    yield graph(
        Face(
            "Waiting",
            "Records not yet in the store, and units that wait for evaluation or the judge.",
            8,
        ),
        Query(queries.latest(collector.JOURNAL_UNPROJECTED, "sum"), "records"),
        Query(queries.latest(collector.QUEUE_SIZE, "sum"), "units"),
        Query(queries.latest(collector.CANCELED), "canceled units"),
    )
    yield graph(
        Face("Bytes", "On disk, and received but not acknowledged.", 8, 8, "bytes"),
        Query(queries.latest(collector.JOURNAL_BYTES, "sum"), "journal"),
        Query(queries.latest(collector.UNACKNOWLEDGED_BYTES, "sum"), "unacknowledged"),
    )


def _limits() -> Iterator[Builder[Panel]]:
    yield graph(
        Face("Failures of the store", f"By reason. {BARS_ADD_UP}", 12),
        Query(queries.count(collector.STORE_FAILURES, POINT, by=("reason",)), legend("reason")),
        style=Style(is_bars=True),
    )
    yield graph(
        Face(
            "Requests beyond their quota",
            "Share of a workspace's requests that rates miss because of its intake quota.",
            *(12, 8, SHARE),
        ),
        Query(
            queries.latest(collector.QUALITY_CENSORED, by=("workspace", "window")),
            legend("workspace", "window"),
        ),
    )


def _work() -> Iterator[Builder[Panel]]:
    yield graph(
        Face("Units a minute", "By the state that they entered in the collector.", 8),
        Query(queries.per_minute(collector.UNITS, by=("state",)), "{{state}}"),
        style=Style(is_stacked=True),
    )
    yield graph(
        Face("Evaluations a minute", "By the collector; by label.", 8),
        Query(
            queries.per_minute(collector.EVALUATIONS, by=("label",)),
            legend("label"),
        ),
        style=Style(is_stacked=True, colors=LABEL_COLORS),
    )
    yield bars(
        Face("Why units were not evaluated", "By reason, in the time range.", 8),
        Query(
            queries.count(
                collector.UNITS, RANGE, by=("state", "reason"), where={"reason": queries.SOME}
            ),
            legend("state", "reason"),
        ),
    )


def _applications() -> Iterator[Builder[Panel]]:
    signal, queue = label(semconv.SQLOBS_SIGNAL), label(semconv.SQLOBS_QUEUE_NAME)
    yield graph(
        Face("Failed exports", f"Of the library's own providers. {BARS_ADD_UP}", 8),
        Query(
            queries.count(metrics.EXPORT_FAILURES, POINT, by=(SERVICE[0], signal)),
            legend(SERVICE[0], signal),
        ),
        style=Style(is_bars=True),
    )
    yield graph(
        Face("Queues of the applications", "Checks and units that wait.", 8),
        Query(
            queries.latest(metrics.QUEUE_SIZE, "sum", by=(SERVICE[0], queue)),
            legend(SERVICE[0], queue),
        ),
    )
    name = label(semconv.SQLOBS_METRIC_NAME)
    yield graph(
        Face(
            "Names without a series of their own",
            "Requests counted as `other` by the application, and points that the collector omits.",
            8,
        ),
        Query(queries.count(metrics.SERIES_FOLDED, POINT, by=(SERVICE[0], name)), legend(name)),
        Query(queries.count(collector.SERIES_DROPPED, POINT, by=("reason",)), legend("reason")),
        style=Style(is_bars=True),
    )
    build, checker = label(semconv.SQLOBS_BUILD_VERSION), label(semconv.SQLOBS_CHECKER_VERSION)
    version = label(semconv.SERVICE_VERSION)
    yield table(
        Face("What runs", "Processes by release of the service, of sqlobs and of the checker.", 24),
        Column(
            "processes",
            queries.latest(metrics.BUILD_INFO, "count", by=(SERVICE[0], version, build, checker)),
        ),
        names={SERVICE[0]: "service", version: "release", build: "sqlobs", checker: "checker"},
        is_descending=True,
    )
