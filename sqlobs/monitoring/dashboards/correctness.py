"""Correctness of sampled requests: execution accuracy, judges raw and corrected, first attempts."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from sqlobs.monitoring import queries
from sqlobs.monitoring.dashboards.document import Page
from sqlobs.monitoring.dashboards.shared import OUTCOME_COLORS, SHARE, WORKFLOW_LEGEND, legend
from sqlobs.monitoring.panels import Column, Face, Query, Style, bars, graph, stat, table
from sqlobs.monitoring.promql import SERVICE, WORKFLOW, AnyOf
from sqlobs.monitoring.queries import BY_WORKFLOW, JUDGED, percent
from sqlobs.semconv import collector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from grafana_foundation_sdk.cog.builder import Builder
    from grafana_foundation_sdk.models.dashboard import Panel

    from sqlobs.semconv.collector import Stat

_WEIGHTED: Final = (
    "Over the sample window; each sampled request is weighted by 1 / its probability, workflows by"
    " their effective sample size."
)
_INTERVAL: Final = (
    "Over the sample window, weighted by 1 / probability, with the 95 % interval of the rate over"
    " all of its requests, sampled or not."
)
_BOUNDED: Final = Style(dashed=("lower", "upper"))
_EVALUATION_LEGEND: Final = f"{WORKFLOW_LEGEND} {{{{evaluation}}}}"


def page() -> Page:
    """Return the dashboard of the correct answer."""
    return Page(
        "sqlobs-correctness",
        "Text-to-SQL: correctness",
        "Whether answers are right, estimated from sampled requests, with intervals.",
        {
            "At a glance": chain(_glance(), _every_evaluation()),
            "Execution accuracy": _execution_accuracy(),
            "Judges": _judges(),
            "Checker, on the collector's units": _checker(),
        },
    )


def _window(stat_name: str) -> dict[str, str | AnyOf]:
    return {"window": "$window", "stat": stat_name}


def _glance() -> Iterator[Builder[Panel]]:
    yield stat(
        Face("Execution accuracy (EX)", _WEIGHTED, 5, 4, SHARE), Query(queries.mean_quality("ex"))
    )
    yield stat(Face("Judged correct", _WEIGHTED, 5, 4, SHARE), Query(queries.mean_quality(JUDGED)))
    yield stat(
        Face(
            "Judged correct, corrected",
            _WEIGHTED + " Corrected for the judge's errors, as calibrated on human labels.",
            *(5, 4, SHARE),
        ),
        Query(queries.mean_quality(JUDGED, "corrected")),
    )
    yield stat(
        Face("Requests compared (EX)", "Number of requests in the denominator, unweighted.", 4, 4),
        Query(_requests("ex")),
    )
    yield stat(
        Face("Requests judged", "Number of requests in the denominator, unweighted.", 5, 4),
        Query(_requests(JUDGED)),
    )


def _every_evaluation() -> Iterator[Builder[Panel]]:
    every, by = AnyOf((".+",)), (*BY_WORKFLOW, "evaluation")
    samples = queries.latest(collector.QUALITY_SAMPLES, by=by, where={"window": "$window"})
    rates: tuple[tuple[str, Stat], ...] = (
        ("passes, %", "weighted"),
        ("lower", "weighted_lower"),
        ("upper", "weighted_upper"),
        ("corrected, %", "corrected"),
        ("corrected lower", "corrected_lower"),
        ("corrected upper", "corrected_upper"),
    )
    yield table(
        Face(
            "Every evaluation with its 95 % interval, the worst first",
            f"{_INTERVAL} Corrected: without the judge's errors, as calibrated on human labels.",
            *(24, 9, "none"),
        ),
        *(Column(title, percent(queries.quality(every, stat))) for title, stat in rates),
        Column("effective samples", samples),
        names={SERVICE[0]: "service", WORKFLOW[-1]: "workflow", "evaluation": "evaluation"},
    )


def _requests(evaluation: str | AnyOf) -> str:
    where: Mapping[str, str | AnyOf] = {"evaluation": evaluation, "window": "$window"}
    by = (*BY_WORKFLOW, "evaluation")
    return f"sum({queries.latest(collector.QUALITY_REQUESTS, by=by, where=where)})"


def _execution_accuracy() -> Iterator[Builder[Panel]]:
    yield _with_interval("EX with 95 % interval", "ex")
    yield graph(
        Face("Cell F1 with 95 % interval", _INTERVAL, 8, 8, SHARE),
        Query(queries.score("f1", "weighted"), WORKFLOW_LEGEND),
        Query(queries.score("f1", "weighted_lower"), f"{WORKFLOW_LEGEND} lower"),
        Query(queries.score("f1", "weighted_upper"), f"{WORKFLOW_LEGEND} upper"),
        style=_BOUNDED,
    )
    yield bars(
        Face("Golden sets", "Share of the golden cases of 7 days that pass EX.", 8, 8, SHARE),
        Query(queries.latest(collector.GOLDEN_PASS_RATE, by=("set",)), legend("set")),
    )


def _judges() -> Iterator[Builder[Panel]]:
    yield _with_interval("Judged correct with 95 % interval", JUDGED)
    yield graph(
        Face(
            "Judged correct, corrected, with 95 % interval",
            "The judge's rate, corrected for its errors as calibrated on human labels.",
            *(8, 8, SHARE),
        ),
        Query(queries.quality(JUDGED, "corrected"), _EVALUATION_LEGEND),
        Query(queries.quality(JUDGED, "corrected_lower"), f"{_EVALUATION_LEGEND} lower"),
        Query(queries.quality(JUDGED, "corrected_upper"), f"{_EVALUATION_LEGEND} upper"),
        style=_BOUNDED,
    )
    yield bars(
        Face(
            "Categories that the judge assigns",
            "Share of each category among the requests of 7 days on which judge and EX agree or"
            " disagree.",
            *(8, 8, SHARE),
        ),
        Query(
            f"topk(10, {queries.latest(collector.CATEGORY_SHARE, by=('side', 'category'))})",
            legend("side", "category"),
        ),
    )
    by = (*BY_WORKFLOW, "evaluation")
    where = {"window": "$window"}
    yield graph(
        Face(
            "Effective sample size",
            "Kish's effective sample size: the number of equally weighted requests with the same"
            " precision.",
            12,
        ),
        Query(queries.latest(collector.QUALITY_SAMPLES, by=by, where=where), _EVALUATION_LEGEND),
    )
    evaluated = queries.latest(collector.LAST_EVALUATION, by=(SERVICE[0], "evaluation"))
    yield graph(
        Face("Time since the last evaluation", "By evaluation.", 12, 8, "s"),
        Query(f"time() - {evaluated}", legend(SERVICE[0], "evaluation")),
    )


def _checker() -> Iterator[Builder[Panel]]:
    yield graph(
        Face("Schema-hallucination rate, on units", _INTERVAL, 8, 8, SHARE),
        Query(_gauge(collector.SCHEMA_HALLUCINATION_RATE, "weighted"), WORKFLOW_LEGEND),
    )
    yield graph(
        Face(
            "First-attempt schema-hallucination rate, on units",
            "First attempts with an unknown name, regardless of later repairs.",
            *(8, 8, SHARE),
        ),
        Query(
            _gauge(collector.FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE, "weighted"), WORKFLOW_LEGEND
        ),
    )
    yield graph(
        Face("First-attempt pass rate, on units", _INTERVAL, 8, 8, SHARE),
        Query(_gauge(collector.FIRST_ATTEMPT_PASS_RATE, "weighted"), WORKFLOW_LEGEND),
    )
    yield bars(
        Face("Verdicts, on units", "Share of the answers with a verdict.", 8, 8, SHARE),
        Query(
            _gauge(collector.VERDICT_SHARE, "weighted", "verdict"),
            legend(WORKFLOW[-1], "verdict"),
        ),
    )
    yield bars(
        Face("Failure codes, on units", "Share of the answers with a verdict.", 8, 8, SHARE),
        Query(
            f"topk(10, {_gauge(collector.FAILURE_SHARE, 'weighted', 'failure_code')})",
            legend(WORKFLOW[-1], "failure_code"),
        ),
    )
    yield graph(
        Face("Outcomes, on units", "Share of all requests.", 8, 8, SHARE),
        Query(
            _gauge(collector.OUTCOME_SHARE, "weighted", "outcome"),
            legend(WORKFLOW[-1], "outcome"),
        ),
        style=Style(colors=OUTCOME_COLORS),
    )


def _gauge(metric: collector.CollectorMetric, stat_name: str, *more: str) -> str:
    return queries.latest(metric, by=(*BY_WORKFLOW, *more), where=_window(stat_name))


def _with_interval(title: str, evaluation: str | AnyOf) -> Builder[Panel]:
    return graph(
        Face(title, _INTERVAL, 8, 8, SHARE),
        Query(queries.quality(evaluation, "weighted"), _EVALUATION_LEGEND),
        Query(queries.quality(evaluation, "weighted_lower"), f"{_EVALUATION_LEGEND} lower"),
        Query(queries.quality(evaluation, "weighted_upper"), f"{_EVALUATION_LEGEND} upper"),
        style=_BOUNDED,
    )
