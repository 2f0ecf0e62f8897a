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
"""The dashboard's whole span of time; Grafana puts it in."""
STEP: Final = "$__rate_interval"
"""The span of one point of a graph, at least four scrapes."""
JUDGED: Final = AnyOf(("flex", "flex_noref"))
"""The evaluations in which a judge says whether an answer is correct."""

_VARIABLES: Final = {
    SERVICE[0]: "service",
    SERVICE[1]: "environment",
    WORKFLOW[-1]: "workflow",
    "workflow": "workflow",
}
"""Which variable of the dashboard narrows a label."""
_PASSED: Final = AnyOf(("ok", "suspect"))
_DECIDED: Final = AnyOf(("ok", "suspect", "failed"))
_FAILURE: Final = (SERVICE[0], WORKFLOW[-1], label(semconv.SQLOBS_FAILURE_CODE))
_LATEST: Final = "2m"
"""The counts of a minute arrive within two: what is newer than this has just failed."""


def chosen(
    metric: Metric | CollectorMetric,
    matches: Mapping[str, str | AnyOf] | None = None,
    *,
    suffix: str = "",
) -> Selection:
    """Return a metric's series within the dashboard's variables."""
    bare = Selection(metric, matches or {}, suffix=suffix)
    narrowed = [name for name in _VARIABLES if name in bare.labels and name not in bare.matches]
    return Selection(metric, bare.matches, tuple(_matcher(name) for name in narrowed), suffix)


def recorded(name: str, labels: Sequence[str] = WORKFLOW) -> str:
    """Return a recorded series within the dashboard's variables."""
    matchers = ", ".join(_matcher(name) for name in labels if name in _VARIABLES)
    return f"{name}{{{matchers}}}"


def requests(window: str) -> str:
    """How many requests there were."""
    return f"sum {block((gained_sum(chosen(metrics.GENERATIONS), window, by=WORKFLOW),))}"


def verdict(name: str, window: str) -> str:
    """How many requests had a verdict."""
    having = chosen(metrics.GENERATIONS, {semconv.SQLOBS_VERDICT: name})
    return gained_sum(having, window, by=(label(semconv.SQLOBS_VERDICT),))


def hallucination_rate(window: str) -> str:
    """The failure rate of a recorded window over all workflows chosen."""
    failed, evaluated = hallucination.failed(window), hallucination.evaluated(window)
    return f"sum({recorded(failed)}) / (sum({recorded(evaluated)}) > 0)"


def hallucination_by_workflow(window: str) -> str:
    """The recorded failure rate of each workflow."""
    return recorded(hallucination.ratio(window))


def first_attempt(window: str, *, by: Sequence[str] = ()) -> str:
    """The share of first attempts that succeed."""
    return _share_of(
        metrics.ATTEMPTS,
        {semconv.SQLOBS_ATTEMPT_NUMBER: "1"},
        semconv.SQLOBS_VERDICT,
        (_PASSED, _DECIDED),
        window=window,
        by=by,
    )


def first_attempt_hallucination(window: str, *, by: Sequence[str]) -> str:
    """The share of first attempts that invented a name."""
    return _share_of(
        metrics.ATTEMPTS,
        {semconv.SQLOBS_ATTEMPT_NUMBER: "1"},
        semconv.SQLOBS_SCHEMA_HALLUCINATION_LABEL,
        (AnyOf(("fail",)), AnyOf(("pass", "fail"))),
        window=window,
        by=by,
    )


def failed_by_version(window: str) -> str:
    """The share of failed requests, by model and version of the prompt."""
    by = (label(semconv.GEN_AI_REQUEST_MODEL), label(semconv.GEN_AI_PROMPT_VERSION))
    parts = (AnyOf(("failed",)), _DECIDED)
    return _share_of(
        metrics.VERSION_GENERATIONS, {}, semconv.SQLOBS_VERDICT, parts, window=window, by=by
    )


def failure_codes(window: str) -> str:
    """The ten codes that most failed requests have."""
    counts = gained_sum(chosen(metrics.FAILURES), window, by=(label(semconv.SQLOBS_FAILURE_CODE),))
    return f"sort_desc(topk(10, {block((counts,))} > 0))"


def quality(evaluation: str | AnyOf, stat: Stat, *, window: str = "$window") -> str:
    """A rate of the collector's by workflow, of the window chosen."""
    where = {"evaluation": evaluation, "window": window, "stat": stat}
    return _by_workflow(chosen(collector.QUALITY_PASS_RATE, where))


def mean_quality(evaluation: str | AnyOf, *, window: str = "$window") -> str:
    """A rate of the collector's over all workflows chosen, each by its effective sample size."""
    where = {"evaluation": evaluation, "window": window}
    return _mean(collector.QUALITY_PASS_RATE, where)


def score(evaluation: str, stat: Stat) -> str:
    """A mean score of the collector's by workflow, of the window chosen."""
    where = {"evaluation": evaluation, "window": "$window", "stat": stat}
    return _by_workflow(chosen(collector.QUALITY_SCORE, where))


def latency(quantile: float) -> str:
    """A quantile of the time that each stage takes, from histograms."""
    buckets = chosen(metrics.STAGE_DURATION, suffix="_bucket")
    by = (label(semconv.SQLOBS_STAGE), "le")
    rates = total(f"rate({buckets}[{STEP}])", buckets, by=by)
    return f"histogram_quantile({quantile:g}, {rates})"


def judge_spend() -> str:
    """What judging the requests of the window chosen has cost, in USD, by workflow."""
    return _by_workflow(chosen(collector.JUDGE_SPEND, {"window": "$window"}))


def judge_tokens(window: str) -> str:
    """Tokens of the judge's calls by model and kind."""
    return gained_sum(Selection(collector.JUDGE_TOKENS), window, by=("model", "token_type"))


def budget_remaining() -> str:
    """What is left of today's judge budgets, in USD or tokens."""
    return aggregated("min", str(Selection(collector.BUDGET_REMAINING)), by=("kind",))


def failures(window: str) -> str:
    """How many requests failed, by workflow and code; its exemplars are traces."""
    return gained_sum(chosen(metrics.FAILURES), window, by=_FAILURE)


def since_last_failure() -> str:
    """How many seconds ago each workflow last failed with each code, to two minutes."""
    failing = f"timestamp({block((gained(chosen(metrics.FAILURES), _LATEST),))} > 0)"
    # A subquery looks at full minutes: what is newer is asked apart.
    last = lines(failing, "or", f"max_over_time({failing}[{RANGE}:1m])")
    return f"time() - {aggregated('max', last, by=_FAILURE)}"


def unchecked() -> str:
    """The share of answers without a verdict, of the last hour."""
    return recorded(ratio(UNCHECKED))


def units(window: str) -> str:
    """How many units entered which state."""
    return gained_sum(chosen(collector.UNITS), window, by=("state",))


def collector_lag() -> str:
    """How far the collector is behind, in seconds."""
    return str(Selection(collector.JOURNAL_LAG))


def queue_age() -> str:
    """How long the oldest unit waits for evaluation, in seconds."""
    return str(Selection(collector.QUEUE_AGE))


def firing() -> str:
    """The alerts of this product that fire now."""
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
    return aggregated("max", str(selection), by=(SERVICE[0], "workflow"))


def _mean(metric: CollectorMetric, where: Mapping[str, str | AnyOf]) -> str:
    by = tuple(name for name in collector.QUALITY_SAMPLES.labels if name != "window")
    value = aggregated("max", str(chosen(metric, {**where, "stat": "weighted"})), by=by)
    samples = aggregated("max", str(chosen(collector.QUALITY_SAMPLES, where)), by=by)
    return f"sum({value} * {samples}) / (sum({samples}) > 0)"


def _matcher(name: str) -> str:
    return f'{name}=~"${_VARIABLES[name]}"'
