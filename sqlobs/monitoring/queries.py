"""The dashboards' queries, over the contract's names alone and within the dashboards' variables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring.panel_counters import MINUTES_2, RANGE, STEP, counted, gained
from sqlobs.monitoring.promql import (
    SERVICE,
    WORKFLOW,
    AnyOf,
    Selection,
    aggregated,
    block,
    label,
    lines,
    total,
)
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.monitoring.panel_counters import Span
    from sqlobs.semconv.collector import CollectorMetric, Stat
    from sqlobs.semconv.metrics import Metric

MODEL: Final = label(semconv.GEN_AI_REQUEST_MODEL)
PROMPT: Final = label(semconv.GEN_AI_PROMPT_VERSION)
BY_WORKFLOW: Final = (SERVICE[0], WORKFLOW[-1])
BY_VERSION: Final = (MODEL, PROMPT)
JUDGED: Final = AnyOf(("flex", "flex_noref"))
"""The evaluations in which a judge says whether an answer is correct."""
PASSED: Final = AnyOf(("ok", "suspect"))
DECIDED: Final = AnyOf(("ok", "suspect", "failed"))
FAILED: Final = AnyOf(("failed",))
ALL: Final = AnyOf((".*",))
SOME: Final = AnyOf((".+",))

_VARIABLES: Final = {
    SERVICE[0]: "service",
    SERVICE[1]: "environment",
    WORKFLOW[-1]: "workflow",
    MODEL: "model",
    PROMPT: "prompt_version",
}
"""The dashboard variable that filters by each label."""
_FAILURE: Final = (*BY_WORKFLOW, label(semconv.SQLOBS_FAILURE_CODE))


def chosen(
    metric: Metric | CollectorMetric,
    matches: Mapping[str, str | AnyOf] | None = None,
    *,
    suffix: str = "",
) -> Selection:
    """Return a metric's series, filtered by the dashboard's variables."""
    bare = Selection(metric, matches or {}, suffix=suffix)
    taken = {label(name) for name in bare.matches}
    narrowed = [name for name in _VARIABLES if name in bare.labels and name not in taken]
    return replace(bare, within=tuple(_matcher(name) for name in narrowed))


def count(
    metric: Metric | CollectorMetric,
    span: Span,
    *,
    by: Sequence[str] = (),
    where: Mapping[str, str | AnyOf] | None = None,
) -> str:
    """Return what a counter gained, by labels or in all."""
    return counted(chosen(metric, where), span, by=by)


def per_minute(
    metric: Metric | CollectorMetric,
    *,
    by: Sequence[str] = (),
    where: Mapping[str, str | AnyOf] | None = None,
) -> str:
    """Return what a counter gains in a minute, by labels; a gap leaves a hole and no spike."""
    selection = chosen(metric, where)
    return total(f"60 * rate({selection}[{STEP.duration}])", selection, by=by)


def share(
    metric: Metric | CollectorMetric,
    attribute: str,
    part_and_whole: tuple[AnyOf, AnyOf],
    span: Span,
    *,
    by: Sequence[str] = (),
    where: Mapping[str, str | AnyOf] | None = None,
) -> str:
    """Return the share of some values of a label, 0 where none of them occurs."""
    part, whole = (
        count(metric, span, by=by, where={**(where or {}), attribute: values})
        for values in part_and_whole
    )
    return lines(block((part, "or", f"0 * {whole}")), "/", f"({whole} > 0)")


def percent(share: str) -> str:
    """Return a share in percent, for columns whose unit is in their header."""
    return f"100 * {block((share,))}"


def quantile(
    metric: Metric,
    level: float,
    span: Span,
    *,
    by: Sequence[str] = (),
    where: Mapping[str, str | AnyOf] | None = None,
) -> str:
    """Return a quantile of a histogram over a window, by labels."""
    buckets = chosen(metric, where, suffix="_bucket")
    rates = total(f"rate({buckets}[{span.duration}])", buckets, by=(*by, "le"))
    return f"histogram_quantile({level:g}, {rates})"


def latest(
    metric: Metric | CollectorMetric,
    operator: str = "max",
    *,
    by: Sequence[str] = (),
    where: Mapping[str, str | AnyOf] | None = None,
) -> str:
    """Return a gauge, aggregated by labels."""
    return aggregated(operator, str(chosen(metric, where)), by=by)


def hallucination_rate(span: Span, *, by: Sequence[str] = ()) -> str:
    """Return the share of evaluated requests that invent a name."""
    return share(
        metrics.VERSION_GENERATIONS,
        semconv.SQLOBS_SCHEMA_HALLUCINATION_LABEL,
        (AnyOf(("fail",)), AnyOf(("pass", "fail"))),
        span,
        by=by,
    )


def failed_share(span: Span, *, by: Sequence[str] = ()) -> str:
    """Return the share of failed requests out of those with a verdict."""
    parts = (FAILED, DECIDED)
    return share(metrics.VERSION_GENERATIONS, semconv.SQLOBS_VERDICT, parts, span, by=by)


def error_share(span: Span, *, by: Sequence[str] = ()) -> str:
    """Return the share of requests that ended in an error of the application."""
    parts = (AnyOf(("error",)), ALL)
    return share(metrics.GENERATIONS, semconv.SQLOBS_OUTCOME, parts, span, by=by)


def unchecked_share(span: Span, *, by: Sequence[str] = ()) -> str:
    """Return the share of answers without a verdict."""
    parts = (AnyOf(("not_evaluated",)), ALL)
    where = {semconv.SQLOBS_OUTCOME: "answered"}
    return share(metrics.GENERATIONS, semconv.SQLOBS_VERDICT, parts, span, by=by, where=where)


def first_attempt(span: Span, *, by: Sequence[str] = ()) -> str:
    """Return the share of first attempts with verdict ok or suspect, out of those evaluated."""
    where = {semconv.SQLOBS_ATTEMPT_NUMBER: "1"}
    parts = (PASSED, DECIDED)
    return share(metrics.ATTEMPTS, semconv.SQLOBS_VERDICT, parts, span, by=by, where=where)


def first_attempt_hallucination(span: Span, *, by: Sequence[str] = ()) -> str:
    """Return the share of evaluated first attempts that invented a name."""
    return share(
        metrics.ATTEMPTS,
        semconv.SQLOBS_SCHEMA_HALLUCINATION_LABEL,
        (AnyOf(("fail",)), AnyOf(("pass", "fail"))),
        span,
        by=by,
        where={semconv.SQLOBS_ATTEMPT_NUMBER: "1"},
    )


def failure_codes(span: Span) -> str:
    """Return the ten most frequent primary codes of failed requests."""
    counts = count(metrics.FAILURES, span, by=(label(semconv.SQLOBS_FAILURE_CODE),))
    return f"sort_desc(topk(10, {block((counts,))} > 0))"


def failures(span: Span) -> str:
    """Return the number of failed requests by workflow and code; its exemplars are traces."""
    return count(metrics.FAILURES, span, by=_FAILURE)


def since_last_failure() -> str:
    """Return how many seconds ago each workflow last failed with each code, to two minutes."""
    recent = block((gained(chosen(metrics.FAILURES), MINUTES_2),))
    failing = f"timestamp({recent} > 0)"
    # A subquery evaluates at full minutes: what is newer is queried directly.
    last = lines(failing, "or", f"max_over_time({failing}[{RANGE.duration}:1m])")
    return f"time() - {aggregated('max', last, by=_FAILURE)}"


def quality(evaluation: str | AnyOf, stat: Stat) -> str:
    """Return one of the collector's rates by workflow and evaluation, over the sample window."""
    where = {"evaluation": evaluation, "window": "$window", "stat": stat}
    by = (*BY_WORKFLOW, "evaluation")
    return latest(collector.QUALITY_PASS_RATE, by=by, where=where)


def score(evaluation: str, stat: Stat) -> str:
    """Return a mean score of the collector's by workflow, over the sample window."""
    where = {"evaluation": evaluation, "window": "$window", "stat": stat}
    return latest(collector.QUALITY_SCORE, by=BY_WORKFLOW, where=where)


def mean_quality(evaluation: str | AnyOf, stat: Stat = "weighted") -> str:
    """Return a rate over all selected workflows, weighted by their effective sample sizes."""
    where: dict[str, str | AnyOf] = {"evaluation": evaluation, "window": "$window"}
    by = tuple(name for name in collector.QUALITY_SAMPLES.labels if name != "window")
    value = latest(collector.QUALITY_PASS_RATE, by=by, where={**where, "stat": stat})
    samples = latest(collector.QUALITY_SAMPLES, by=by, where=where)
    return f"sum({value} * {samples}) / (sum({samples}) > 0)"


def cost_per_correct() -> str:
    """Return USD spent on models per request that is correct, by the collector's estimate.

    Requests with a verdict times the share that is correct: execution accuracy, else the judge.
    """
    spent = count(metrics.USAGE_COST, RANGE)
    answers = count(metrics.GENERATIONS, RANGE, where={semconv.SQLOBS_OUTCOME: "answered"})
    correct = block((mean_quality("ex"), "or", mean_quality(JUDGED)))
    return f"{spent} / ({answers} * {correct} > 0)"


def firing() -> str:
    """Return the alerts of sqlobs that fire now."""
    return aggregated(
        "count",
        'ALERTS{alertname=~"Sqlobs.*", alertstate="firing"}',
        by=("alertname", "severity", SERVICE[0], WORKFLOW[-1], MODEL, PROMPT),
    )


def firing_count() -> str:
    """Return the number of alerts that fire now, 0 if none."""
    return f"count({firing()}) or vector(0)"


def deployments() -> str:
    """Return a series for each release that has just appeared."""
    info = chosen(metrics.BUILD_INFO)
    by = (SERVICE[0], label(semconv.SERVICE_VERSION))
    now = aggregated("count", str(info), by=by)
    before = aggregated("count", f"last_over_time({info}[1h] offset 2m)", by=by)
    return lines(now, f"unless {before}", f"and on ({SERVICE[0]}) {before}")


def resolution() -> str:
    """Return how many seconds lie between new values: the export or the scrape, the longer one.

    The age of a schema grows with every export; without one the default of OpenTelemetry, 60 s.
    """
    changes = f"max(changes({Selection(metrics.SCHEMA_AGE)}[10m]))"
    return f"clamp(round(600 / {changes}, 5), 5, 300) or vector(60)"


def _matcher(name: str) -> str:
    return f'{name}=~"${_VARIABLES[name]}"'
