"""Every metric of the SDK: kind, unit, labels, buckets and Prometheus name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from sqlobs.semconv import (
    ERROR_TYPE,
    GEN_AI_EVALUATION_NAME,
    GEN_AI_EVALUATION_SCORE_LABEL,
    GEN_AI_PROMPT_VERSION,
    GEN_AI_REQUEST_MODEL,
    SQLOBS_ATTEMPT_NUMBER,
    SQLOBS_BUILD_VERSION,
    SQLOBS_CATALOG_VERSION,
    SQLOBS_CHECK_METHOD,
    SQLOBS_CHECKER_VERSION,
    SQLOBS_DIALECT,
    SQLOBS_ENGINE_LABEL,
    SQLOBS_EXECUTION_SQLSTATE_CLASS,
    SQLOBS_EXECUTION_STATUS,
    SQLOBS_FAILURE_CODE,
    SQLOBS_FAILURE_GROUP,
    SQLOBS_FEEDBACK_KIND,
    SQLOBS_FEEDBACK_VALUE,
    SQLOBS_METRIC_NAME,
    SQLOBS_OUTCOME,
    SQLOBS_QUEUE_NAME,
    SQLOBS_REASON,
    SQLOBS_REPAIRABLE,
    SQLOBS_RESULT_EMPTY,
    SQLOBS_SCHEMA_CHANGE,
    SQLOBS_SCHEMA_HALLUCINATION_LABEL,
    SQLOBS_SIGNAL,
    SQLOBS_STAGE,
    SQLOBS_STATIC_LABEL,
    SQLOBS_TARGET_NAME,
    SQLOBS_TOKEN_TYPE,
    SQLOBS_VERDICT,
    SQLOBS_WORKFLOW,
)

Kind = Literal["counter", "updown", "histogram", "gauge"]

_UNIT_SUFFIXES = {"s": "_seconds"}


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of the contract."""

    name: str
    kind: Kind
    unit: str
    """UCUM; a word in braces is an annotation that is not part of the Prometheus name."""
    brief: str
    attributes: tuple[str, ...]
    """The allowed labels of a series; a label with an unknown value is omitted."""
    buckets: tuple[float, ...] = ()
    folds: tuple[int, ...] = ()
    """Positions of the labels that become `other` beyond the limit of series, in this order."""

    @property
    def described(self) -> dict[str, str]:
        """The arguments by which OpenTelemetry makes any instrument."""
        return {"name": self.name, "unit": self.unit, "description": self.brief}

    @property
    def prometheus_name(self) -> str:
        """The metric's name after OpenTelemetry's translation (suffixes, underscores)."""
        suffix = _UNIT_SUFFIXES.get(self.unit, "")
        total = "_total" if self.kind == "counter" else ""
        return self.name.replace(".", "_") + suffix + total

    @property
    def prometheus_labels(self) -> tuple[str, ...]:
        """The labels in Prometheus spelling."""
        return tuple(name.replace(".", "_") for name in self.attributes)


METRICS: Final[dict[str, Metric]] = {}
"""Every metric by name, in the order of declaration."""

GENAI_BUCKETS: Final = (
    *(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64),
    *(1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92),
)
"""Seconds: the boundaries of the GenAI conventions for durations of model calls."""
CHECK_BUCKETS: Final = (
    *(0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01),
    *(0.02, 0.05, 0.1, 0.5, 1.0, 5.0),
)
"""Seconds: a check takes 0.1 ms with a cache hit and milliseconds without."""
OVERHEAD_BUCKETS: Final = (
    *(0.00001, 0.00002, 0.00005, 0.0001, 0.0002, 0.0005),
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.05),
    *(0.1, 0.5, 1.0, 5.0),
)
"""Seconds: the SDK's own time on the request thread starts at tens of microseconds; a caller that
waits for the fallback waits for seconds.
"""


def _metric(
    name: str,
    kind: Kind,
    unit: str,
    brief: str,
    *,
    attributes: tuple[str, ...],
    buckets: tuple[float, ...] = (),
    folds: tuple[int, ...] = (),
) -> Metric:
    metric = METRICS[name] = Metric(name, kind, unit, brief, attributes, buckets, folds)
    return metric


GENERATIONS: Final = _metric(
    "sqlobs.generations",
    "counter",
    "{generation}",
    "Requests; each counts once.",
    attributes=(SQLOBS_WORKFLOW, SQLOBS_VERDICT, SQLOBS_OUTCOME),
    folds=(0,),
)
EVALUATIONS: Final = _metric(
    "sqlobs.evaluations",
    "counter",
    "{evaluation}",
    "Online evaluations, once per request and name; the alerts use this metric.",
    attributes=(SQLOBS_WORKFLOW, GEN_AI_EVALUATION_NAME, GEN_AI_EVALUATION_SCORE_LABEL),
)
FAILURES: Final = _metric(
    "sqlobs.failures",
    "counter",
    "{failure}",
    "Failed requests by primary code.",
    attributes=(SQLOBS_WORKFLOW, SQLOBS_FAILURE_CODE, SQLOBS_FAILURE_GROUP),
)
VERSION_GENERATIONS: Final = _metric(
    "sqlobs.version.generations",
    "counter",
    "{generation}",
    "Requests by model, prompt version and dialect.",
    attributes=(
        SQLOBS_WORKFLOW,
        SQLOBS_DIALECT,
        GEN_AI_REQUEST_MODEL,
        GEN_AI_PROMPT_VERSION,
        SQLOBS_VERDICT,
        SQLOBS_FAILURE_GROUP,
        SQLOBS_SCHEMA_HALLUCINATION_LABEL,
    ),
    folds=(3, 2),
)
ATTEMPTS: Final = _metric(
    "sqlobs.attempts",
    "counter",
    "{attempt}",
    "Attempts by number, except those of requests that abstain or ask a clarifying question."
    " First-attempt pass"
    " rate = attempts number 1 with ok or suspect / attempts number 1 except not_evaluated.",
    attributes=(
        SQLOBS_WORKFLOW,
        SQLOBS_ATTEMPT_NUMBER,
        SQLOBS_VERDICT,
        SQLOBS_SCHEMA_HALLUCINATION_LABEL,
    ),
    folds=(0,),
)
EXECUTIONS: Final = _metric(
    "sqlobs.executions",
    "counter",
    "{execution}",
    "Executions by the application.",
    attributes=(
        SQLOBS_WORKFLOW,
        SQLOBS_TARGET_NAME,
        SQLOBS_EXECUTION_STATUS,
        SQLOBS_EXECUTION_SQLSTATE_CLASS,
        SQLOBS_RESULT_EMPTY,
    ),
)
COMPARISONS: Final = _metric(
    "sqlobs.comparisons",
    "counter",
    "{comparison}",
    "Executed statements by the static verdict and the engine's verdict (confusion matrix).",
    attributes=(SQLOBS_WORKFLOW, SQLOBS_STATIC_LABEL, SQLOBS_ENGINE_LABEL),
)
REPAIRABLE: Final = _metric(
    "sqlobs.repairable",
    "counter",
    "{failure}",
    "Failed requests by whether the SQL passes after the suggestions are applied.",
    attributes=(SQLOBS_WORKFLOW, SQLOBS_REPAIRABLE),
)
STAGE_DURATION: Final = _metric(
    "sqlobs.stage.duration",
    "histogram",
    "s",
    "Duration of each part of the request.",
    attributes=(SQLOBS_WORKFLOW, SQLOBS_STAGE, ERROR_TYPE),
    buckets=GENAI_BUCKETS,
)
CHECK_DURATION: Final = _metric(
    "sqlobs.check.duration",
    "histogram",
    "s",
    "Duration of a check.",
    attributes=(SQLOBS_WORKFLOW, SQLOBS_CHECK_METHOD),
    buckets=CHECK_BUCKETS,
)
OVERHEAD_DURATION: Final = _metric(
    "sqlobs.overhead.duration",
    "histogram",
    "s",
    "The SDK's own time on the request thread; with the fallback's mode `wait`, waiting included.",
    attributes=(SQLOBS_WORKFLOW,),
    buckets=OVERHEAD_BUCKETS,
)
CHECK_DROPPED: Final = _metric(
    "sqlobs.check.dropped",
    "counter",
    "{check}",
    "Checks that were dropped.",
    attributes=(SQLOBS_WORKFLOW, SQLOBS_REASON),
)
USAGE_TOKENS: Final = _metric(
    "sqlobs.usage.tokens",
    "counter",
    "{token}",
    "Tokens of the request's model calls.",
    attributes=(
        SQLOBS_WORKFLOW,
        GEN_AI_REQUEST_MODEL,
        GEN_AI_PROMPT_VERSION,
        SQLOBS_TOKEN_TYPE,
    ),
    folds=(2, 1),
)
USAGE_COST: Final = _metric(
    "sqlobs.usage.cost",
    "counter",
    "{USD}",
    "Cost of the request's model calls in USD, if the application reports it or the model's price"
    " is set (`prices`).",
    attributes=(SQLOBS_WORKFLOW, GEN_AI_REQUEST_MODEL, GEN_AI_PROMPT_VERSION),
    folds=(2, 1),
)
FEEDBACK: Final = _metric(
    "sqlobs.feedback",
    "counter",
    "{feedback}",
    "User feedback.",
    attributes=(SQLOBS_FEEDBACK_KIND, SQLOBS_FEEDBACK_VALUE),
)
QUEUE_SIZE: Final = _metric(
    "sqlobs.queue.size",
    "updown",
    "{item}",
    "Items in the SDK's queues.",
    attributes=(SQLOBS_QUEUE_NAME,),
)
EXPORT_FAILURES: Final = _metric(
    "sqlobs.export.failures",
    "counter",
    "{failure}",
    "Failed exports by the SDK's own providers, and rejected units; each counts once.",
    attributes=(SQLOBS_SIGNAL,),
)
SCHEMA_AGE: Final = _metric(
    "sqlobs.schema.age",
    "gauge",
    "s",
    "Time since the schema was last read from its source.",
    attributes=(SQLOBS_TARGET_NAME,),
)
SCHEMA_STALE: Final = _metric(
    "sqlobs.schema.stale",
    "gauge",
    "",
    "1 while there is no schema, or the last refresh failed, or the schema is older than allowed.",
    attributes=(SQLOBS_TARGET_NAME,),
)
SCHEMA_DRIFT: Final = _metric(
    "sqlobs.schema.drift",
    "gauge",
    "{change}",
    "Changes that the last refresh of the schema found.",
    attributes=(SQLOBS_TARGET_NAME, SQLOBS_SCHEMA_CHANGE),
)
SERIES_FOLDED: Final = _metric(
    "sqlobs.series.folded",
    "counter",
    "{item}",
    "What a metric counted under `other` because it reached its limit of series, in its unit.",
    attributes=(SQLOBS_METRIC_NAME,),
)
START_TIME: Final = _metric(
    "sqlobs.start_time",
    "gauge",
    "s",
    "Unix time at which this process began to count.",
    attributes=(),
)
BUILD_INFO: Final = _metric(
    "sqlobs.build.info",
    "gauge",
    "",
    "Always 1; the labels are the versions in use.",
    attributes=(SQLOBS_BUILD_VERSION, SQLOBS_CHECKER_VERSION, SQLOBS_CATALOG_VERSION),
)
