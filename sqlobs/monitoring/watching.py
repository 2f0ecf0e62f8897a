"""The figures of `sqlobs watch`: the collector's gauges by workflow, over one window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.monitoring.exposition import counts, picked
from sqlobs.semconv import collector
from sqlobs.semconv.evaluations import (
    FIRST_ATTEMPT_RATE,
    FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.monitoring.exposition import Sample
    from sqlobs.semconv.collector import CollectorMetric, Window

_FIGURES: Final = (
    ("valid and grounded", collector.QUALITY_PASS_RATE, "sql_correctness"),
    ("schema hallucination", collector.SCHEMA_HALLUCINATION_RATE, "schema_hallucination"),
    ("first-attempt pass rate", collector.FIRST_ATTEMPT_PASS_RATE, FIRST_ATTEMPT_RATE),
    (
        "first-attempt hallucination",
        collector.FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE,
        FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE,
    ),
    ("runs", collector.QUALITY_PASS_RATE, "execution"),
    ("EX", collector.QUALITY_PASS_RATE, "ex"),
    ("judged correct, with reference", collector.QUALITY_PASS_RATE, "flex"),
    ("judged correct, without", collector.QUALITY_PASS_RATE, "flex_noref"),
    ("cell F1", collector.QUALITY_SCORE, "f1"),
)
"""A row's title, its gauge, and the evaluation whose effective sample size applies."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One rate or mean with its 95 % interval."""

    name: str
    value: float
    lower: float | None
    upper: float | None
    of: int | None
    """Effective sample size; None if the collector does not expose it."""


@dataclass(frozen=True, slots=True)
class WorkflowView:
    """The figures of one workflow in the window."""

    service: str
    workflow: str
    requests: int
    """Number of requests, unweighted."""
    outcomes: Mapping[str, float]
    """Share of each outcome, out of all requests."""
    verdicts: Mapping[str, float]
    """Share of each verdict, out of the answered requests with a verdict."""
    failures: Mapping[str, float]
    """Share of each primary failure code, out of the same requests, the largest first."""
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class View:
    """Everything that `sqlobs watch` shows at one moment."""

    window: Window
    workflows: tuple[WorkflowView, ...]
    states: Mapping[str, int]
    """Number of units by the state they entered, since the collector started."""
    queue: int
    queue_age_s: float
    journal_lag_s: float


def view_of(samples: Sequence[Sample], *, window: Window) -> View:
    """Return the view that a collector's samples describe."""
    names = {
        (each.labels["service_name"], each.labels["sqlobs_workflow"])
        for each in picked(samples, collector.OUTCOME_SHARE.name, window=window)
    }
    return View(
        window=window,
        workflows=tuple(_workflow(samples, *name, window=window) for name in sorted(names)),
        states=dict(sorted(counts(picked(samples, collector.UNITS.name), by="state").items())),
        queue=round(_only(samples, collector.QUEUE_SIZE)),
        queue_age_s=_only(samples, collector.QUEUE_AGE),
        journal_lag_s=_only(samples, collector.JOURNAL_LAG),
    )


def _workflow(
    samples: Sequence[Sample], service: str, workflow: str, *, window: Window
) -> WorkflowView:
    own = [
        each
        for each in samples
        if each.labels.get("window") == window
        and each.labels.get("sqlobs_workflow") == workflow
        and each.labels.get("service_name") == service
    ]
    requests = picked(own, collector.QUALITY_REQUESTS.name, evaluation="outcome")
    figures = (_figure(own, *row) for row in _FIGURES)
    failures = _shares(own, collector.FAILURE_SHARE, "failure_code")
    return WorkflowView(
        service=service,
        workflow=workflow,
        requests=round(sum(each.value for each in requests)),
        outcomes=_shares(own, collector.OUTCOME_SHARE, "outcome"),
        verdicts=_shares(own, collector.VERDICT_SHARE, "verdict"),
        failures=dict(sorted(failures.items(), key=lambda one: (-one[1], one[0]))),
        figures=tuple(figure for figure in figures if figure is not None),
    )


def _shares(own: Sequence[Sample], metric: CollectorMetric, label: str) -> dict[str, float]:
    return {each.labels[label]: each.value for each in picked(own, metric.name, stat="weighted")}


def _figure(
    own: Sequence[Sample], shown: str, metric: CollectorMetric, evaluation: str
) -> Figure | None:
    where = {"evaluation": evaluation}
    named = where if "evaluation" in metric.labels else {}
    stats = {each.labels["stat"]: each.value for each in picked(own, metric.name, **named)}
    if "weighted" not in stats:
        return None
    sizes = picked(own, collector.QUALITY_SAMPLES.name, **where)
    return Figure(
        shown,
        stats["weighted"],
        stats.get("weighted_lower"),
        stats.get("weighted_upper"),
        round(sum(each.value for each in sizes)) if sizes else None,
    )


def _only(samples: Sequence[Sample], metric: CollectorMetric) -> float:
    return sum(each.value for each in picked(samples, metric.name))
