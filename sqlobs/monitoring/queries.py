"""The dashboard's queries: one function per question, over the contract's names alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring import schema_hallucination as hallucination
from sqlobs.monitoring.blindness import UNCHECKED, ratio
from sqlobs.monitoring.promql import (
    SERVICE,
    WORKFLOW,
    AnyOf,
    Selection,
    aggregated,
    block,
    gained,
    gained_sum,
    label,
    lines,
    total,
)
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.semconv.collector import CollectorMetric, Stat
    from sqlobs.semconv.metrics import Metric

RANGE: Final = "$__range"
"""The dashboard's time range; Grafana substitutes it."""
STEP: Final = "$__rate_interval"
"""The time range behind one point of a graph, at least four scrapes."""
JUDGED: Final = AnyOf(("flex", "flex_noref"))
"""The evaluations in which a judge says whether an answer is correct."""

_VARIABLES: Final = {
    SERVICE[0]: "service",
    SERVICE[1]: "environment",
    WORKFLOW[-1]: "workflow",
}
"""The dashboard variable that filters by each label."""
_PASSED: Final = AnyOf(("ok", "suspect"))
_DECIDED: Final = AnyOf(("ok", "suspect", "failed"))
_FAILURE: Final = (SERVICE[0], WORKFLOW[-1], label(semconv.SQLOBS_FAILURE_CODE))
_LATEST: Final = "2m"
"""Counts arrive within two minutes: a failure newer than this has just happened."""


def chosen(
    metric: Metric | CollectorMetric,
    matches: Mapping[str, str | AnyOf] | None = None,
    *,
    suffix: str = "",
) -> Selection:
    """Return a metric's series, filtered by the dashboard's variables."""
    bare = Selection(metric, matches or {}, suffix=suffix)
    narrowed = [name for name in _VARIABLES if name in bare.labels and name not in bare.matches]
    return Selection(metric, bare.matches, tuple(_matcher(name) for name in narrowed), suffix)


def recorded(name: str, labels: Sequence[str] = WORKFLOW) -> str:
    """Return a recorded series, filtered by the dashboard's variables."""
    matchers = ", ".join(_matcher(name) for name in labels if name in _VARIABLES)
    return f"{name}{{{matchers}}}"


def requests(window: str) -> str:
    """The number of requests."""
    return f"sum {block((gained_sum(chosen(metrics.GENERATIONS), window, by=WORKFLOW),))}"


def verdict(name: str, window: str) -> str:
    """The number of requests with this verdict."""
    having = chosen(metrics.GENERATIONS, {semconv.SQLOBS_VERDICT: name})
    return gained_sum(having, window, by=(label(semconv.SQLOBS_VERDICT),))


def hallucination_rate(window: str) -> str:
    """The schema-hallucination rate of a recorded window over all selected workflows."""
    failed, evaluated = hallucination.failed(window), hallucination.evaluated(window)
    return f"sum({recorded(failed)}) / (sum({recorded(evaluated)}) > 0)"


def hallucination_by_workflow(window: str) -> str:
    """The recorded schema-hallucination rate of each workflow."""
    return recorded(hallucination.ratio(window))


def first_attempt(window: str, *, by: Sequence[str] = ()) -> str:
    """The share of first attempts with verdict ok or suspect, out of those evaluated."""
    return _share_of(
        metrics.ATTEMPTS,
        {semconv.SQLOBS_ATTEMPT_NUMBER: "1"},
        semconv.SQLOBS_VERDICT,
        (_PASSED, _DECIDED),
        window=window,
        by=by,
    )


def first_attempt_hallucination(window: str, *, by: Sequence[str]) -> str:
    """The name of the share of evaluated first attempts that invented a name."""
    return _share_of(
        metrics.ATTEMPTS,
        {semconv.SQLOBS_ATTEMPT_NUMBER: "1"},
        semconv.SQLOBS_SCHEMA_HALLUCINATION_LABEL,
        (AnyOf(("fail",)), AnyOf(("pass", "fail"))),
        window=window,
        by=by,
    )


def failed_by_version(window: str) -> str:
    """The share of failed requests out of those with a verdict, by model and prompt version."""
    by = (label(semconv.GEN_AI_REQUEST_MODEL), label(semconv.GEN_AI_PROMPT_VERSION))
    parts = (AnyOf(("failed",)), _DECIDED)
    return _share_of(
        metrics.VERSION_GENERATIONS, {}, semconv.SQLOBS_VERDICT, parts, window=window, by=by
    )


def failure_codes(window: str) -> str:
    """The ten most frequent primary codes of failed requests."""
    counts = gained_sum(chosen(metrics.FAILURES), window, by=(label(semconv.SQLOBS_FAILURE_CODE),))
    return f"sort_desc(topk(10, {block((counts,))} > 0))"


def quality(evaluation: str | AnyOf, stat: Stat, *, window: str = "$window") -> str:
    """One of the collector's rates by workflow, over the selected window."""
    where = {"evaluation": evaluation, "window": window, "stat": stat}
    return _by_workflow(chosen(collector.QUALITY_PASS_RATE, where))


def mean_quality(evaluation: str | AnyOf, *, window: str = "$window") -> str:
    """One of the collector's rates over all workflows, weighted by effective sample size."""
    where = {"evaluation": evaluation, "window": window}
    return _mean(collector.QUALITY_PASS_RATE, where)


def score(evaluation: str, stat: Stat) -> str:
    """One of the collector's mean scores by workflow, over the selected window."""
    where = {"evaluation": evaluation, "window": "$window", "stat": stat}
    return _by_workflow(chosen(collector.QUALITY_SCORE, where))


def latency(quantile: float) -> str:
    """A latency quantile of each stage, from histograms."""
    buckets = chosen(metrics.STAGE_DURATION, suffix="_bucket")
    by = (label(semconv.SQLOBS_STAGE), "le")
    rates = total(f"rate({buckets}[{STEP}])", buckets, by=by)
    return f"histogram_quantile({quantile:g}, {rates})"


def judge_spend() -> str:
    """The cost of judging the requests of the selected window, in USD, by workflow."""
    return _by_workflow(chosen(collector.JUDGE_SPEND, {"window": "$window"}))


def judge_tokens(window: str) -> str:
    """Tokens of the judge's calls by model and token type."""
    return gained_sum(Selection(collector.JUDGE_TOKENS), window, by=("model", "token_type"))


def budget_remaining() -> str:
    """The rest of today's judge budgets, in USD or tokens."""
    return aggregated("min", str(Selection(collector.BUDGET_REMAINING)), by=("kind",))


def failures(window: str) -> str:
    """The number of failed requests by workflow and code; its exemplars link to traces."""
    return gained_sum(chosen(metrics.FAILURES), window, by=_FAILURE)


def since_last_failure() -> str:
    """Seconds since each workflow last failed with each code, to within two minutes."""
    failing = f"timestamp({block((gained(chosen(metrics.FAILURES), _LATEST),))} > 0)"
    # A subquery evaluates at full minutes only: newer failures need a query of their own.
    last = lines(failing, "or", f"max_over_time({failing}[{RANGE}:1m])")
    return f"time() - {aggregated('max', last, by=_FAILURE)}"


def unchecked() -> str:
    """The share of answers without a verdict over the last hour."""
    return recorded(ratio(UNCHECKED))


def units(window: str) -> str:
    """The number of units that entered each state."""
    return gained_sum(chosen(collector.UNITS), window, by=("state",))


def collector_lag() -> str:
    """Age of the oldest unprocessed journal entry, in seconds."""
    return str(Selection(collector.JOURNAL_LAG))


def queue_age() -> str:
    """Age of the oldest unit that waits for evaluation, in seconds."""
    return str(Selection(collector.QUEUE_AGE))


def firing() -> str:
    """The alerts of sqlobs that are firing now."""
    return aggregated(
        "count",
        'ALERTS{alertname=~"Sqlobs.*", alertstate="firing"}',
        by=("alertname", "severity", SERVICE[0]),
    )


def _share_of(
    metric: Metric,
    matches: Mapping[str, str],
    attribute: str,
    part_and_whole: tuple[AnyOf, AnyOf],
    *,
    window: str,
    by: Sequence[str],
) -> str:
    part, whole = (
        gained_sum(chosen(metric, {**matches, attribute: values}), window, by=by or SERVICE)
        for values in part_and_whole
    )
    if not by:
        part, whole = f"sum {block((part,))}", f"sum {block((whole,))}"
    return lines(block((part, "or", f"0 * {whole}")), "/", f"({whole} > 0)")


def _by_workflow(selection: Selection) -> str:
    return aggregated("max", str(selection), by=(SERVICE[0], WORKFLOW[-1]))


def _mean(metric: CollectorMetric, where: Mapping[str, str | AnyOf]) -> str:
    by = tuple(name for name in collector.QUALITY_SAMPLES.labels if name != "window")
    value = aggregated("max", str(chosen(metric, {**where, "stat": "weighted"})), by=by)
    samples = aggregated("max", str(chosen(collector.QUALITY_SAMPLES, where)), by=by)
    return f"sum({value} * {samples}) / (sum({samples}) > 0)"


def _matcher(name: str) -> str:
    return f'{name}=~"${_VARIABLES[name]}"'
