"""The figures of `sqlobs watch`: what the collector's gauges say of each workflow in a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring.exposition import counts, picked
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.monitoring.exposition import Sample
    from sqlobs.semconv.collector import CollectorMetric, Window

_RATES: Final = {
    "schema_hallucination": "no invented names",
    "execution": "runs",
    "ex": "EX",
    "flex": "judged correct, with reference",
    "flex_noref": "judged correct, without",
}
"""Evaluations that are told, and what they are called."""
_SCORES: Final = {"f1": "F1 of cells"}


@dataclass(frozen=True, slots=True)
class Figure:
    """One rate or mean with its 95 % interval."""

    name: str
    value: float
    lower: float | None
    upper: float | None
    of: int | None
    """Effective number of cases; None where the collector does not show it."""


@dataclass(frozen=True, slots=True)
class WorkflowView:
    """What is known of one workflow in the window."""

    service: str
    workflow: str
    verdicts: Mapping[str, float]
    """Share of each verdict."""
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class View:
    """Everything that is shown at one moment."""

    window: Window
    workflows: tuple[WorkflowView, ...]
    failures: Mapping[str, int]
    """Failed requests by code, since the services started; the most frequent first."""
    states: Mapping[str, int]
    """Units by the state they entered, since the collector started."""
    queue: int
    queue_age_s: float
    journal_lag_s: float


def view_of(samples: Sequence[Sample], *, window: Window) -> View:
    """Return what a collector's samples say."""
    code = semconv.SQLOBS_FAILURE_CODE.replace(".", "_")
    failures = counts(picked(samples, metrics.FAILURES.prometheus_name), by=code)
    names = {
        (each.labels["service_name"], each.labels["workflow"])
        for each in picked(samples, collector.VERDICT_SHARE.name, window=window)
    }
    return View(
        window=window,
        workflows=tuple(_workflow(samples, *name, window=window) for name in sorted(names)),
        failures=dict(failures.most_common()),
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
        and each.labels.get("workflow") == workflow
        and each.labels.get("service_name") == service
    ]
    shares = picked(own, collector.VERDICT_SHARE.name, stat="weighted")
    first = _figure(own, collector.FIRST_SHOT_RATE, "first-shot success")
    rates = (
        _figure(own, collector.QUALITY_RATE, shown, evaluation=name)
        for name, shown in _RATES.items()
    )
    scores = (
        _figure(own, collector.QUALITY_SCORE, shown, evaluation=name)
        for name, shown in _SCORES.items()
    )
    return WorkflowView(
        service=service,
        workflow=workflow,
        verdicts={each.labels["verdict"]: each.value for each in shares},
        figures=tuple(figure for figure in (first, *rates, *scores) if figure is not None),
    )


def _figure(
    own: Sequence[Sample], metric: CollectorMetric, shown: str, **labels: str
) -> Figure | None:
    stats = {each.labels["stat"]: each.value for each in picked(own, metric.name, **labels)}
    if "weighted" not in stats:
        return None
    sizes = picked(own, collector.QUALITY_SAMPLES.name, **labels) if labels else []
    return Figure(
        shown,
        stats["weighted"],
        stats.get("weighted_lower"),
        stats.get("weighted_upper"),
        round(sum(each.value for each in sizes)) if sizes else None,
    )


def _only(samples: Sequence[Sample], metric: CollectorMetric) -> float:
    return sum(each.value for each in picked(samples, metric.name))
