"""The metrics of the SDK: every request counts once, sampled or not."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.failure_codes import group_of
from sqlobs.semconv import metrics
from sqlobs.tracing.description.labels import BoundedLabel, ModelLabel
from sqlobs.tracing.records.span_identity import context_of
from sqlobs.tracing.sending.observable_metrics import observable_metrics_on
from sqlobs.tracing.sending.schema_drift import CHANGES
from sqlobs.tracing.sending.zero_series import WORKFLOW_LIMIT, evaluation_labels
from sqlobs.tracing.stages.feedback import opinion_of
from sqlobs.types import WITHOUT_SQL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from opentelemetry.metrics import Counter, Histogram, Meter

    from sqlobs.semconv.metrics import Metric
    from sqlobs.tracing.records.record import (
        ExecutionRecord,
        FeedbackRecord,
        GenerationRecord,
        StageTimes,
    )
    from sqlobs.tracing.sending.schema_drift import WatchedSchema
    from sqlobs.types import Label
    from sqlobs.unit import SpanIdentity

    Labels = dict[str, str | bool]

TARGET_LIMIT: Final = 50
PROMPT_VERSION_LIMIT: Final = 20

_LAST_NUMBERED_ATTEMPT: Final = 3


class Instruments:
    """Records on one meter, which is looked up at first use, in the process that records."""

    def __init__(
        self,
        meter: Callable[[], Meter],
        *,
        identity: Callable[[], Labels] = dict,
        models: Iterable[str] = (),
    ) -> None:
        """Prepare the instruments without making them.

        Args:
            meter: Returns the meter; called once, at the first record.
            identity: Returns the labels of every series; called once, at the first record.
            models: Model names kept as a label; every other is `other`.
        """
        self._meter = meter
        self._identity = identity
        self._model = ModelLabel(models)
        self._workflow = BoundedLabel(WORKFLOW_LIMIT)
        self._target = BoundedLabel(TARGET_LIMIT)
        self._prompt_version = BoundedLabel(PROMPT_VERSION_LIMIT)
        self._instruments: _Made | None = None
        self._watching: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def start_at_zero(self, workflow: str) -> None:
        """Initialize the series of alerts to 0, so that `rate()` sees the first failure."""
        for labels in evaluation_labels(self._workflow(workflow) or workflow):
            self._add(metrics.EVALUATIONS, labels, by=0)

    def record_generation(self, record: GenerationRecord) -> None:
        """Count one request in every metric that it belongs to."""
        workflow = self._labels(record.workflow)
        self._add(
            metrics.GENERATIONS,
            {
                **workflow,
                semconv.SQLOBS_VERDICT: record.verdict,
                semconv.SQLOBS_OUTCOME: record.outcome,
            },
        )
        for name, label in record.evaluations:
            self._count_evaluation(record.workflow, name, label)
        self._add(metrics.VERSION_GENERATIONS, self._version_labels(record))
        if record.check_status == "dropped":
            reason = record.reason or "queue_full"
            self._add(metrics.CHECK_DROPPED, {**workflow, semconv.SQLOBS_REASON: reason})
        self._count_failure(record, workflow)
        self._count_attempts(record, workflow)
        self._record_times(record, workflow)
        self._count_usage(record, workflow)

    def record_execution(self, record: ExecutionRecord) -> None:
        """Count one execution, and compare the static verdict with the engine's if both exist."""
        workflow = {} if record.workflow is None else self._labels(record.workflow)
        labels: Labels = {**workflow, semconv.SQLOBS_EXECUTION_STATUS: record.status}
        if (target := self._target(record.target)) is not None:
            labels[semconv.SQLOBS_TARGET_NAME] = target
        if record.sqlstate_class is not None:
            labels[semconv.SQLOBS_EXECUTION_SQLSTATE_CLASS] = record.sqlstate_class
        if record.is_empty is not None:
            labels[semconv.SQLOBS_RESULT_EMPTY] = record.is_empty
        self._add(metrics.EXECUTIONS, labels, span=record.span)
        if record.static_label is not None and record.engine_label is not None:
            compared: Labels = {
                **workflow,
                semconv.SQLOBS_STATIC_LABEL: record.static_label,
                semconv.SQLOBS_ENGINE_LABEL: record.engine_label,
            }
            self._add(metrics.COMPARISONS, compared, span=record.span)

    def record_feedback(self, record: FeedbackRecord) -> None:
        """Count one piece of feedback; kind and value come from closed lists."""
        opinion = opinion_of(record)
        self._add(
            metrics.FEEDBACK,
            {
                semconv.SQLOBS_FEEDBACK_KIND: opinion.kind,
                semconv.SQLOBS_FEEDBACK_VALUE: opinion.value,
            },
        )

    def count_export_failure(self, signal: str, *, by: int = 1) -> None:
        """Count failed exports of a signal: `traces`, `metrics`, `logs` or `unit`."""
        self._add(metrics.EXPORT_FAILURES, {semconv.SQLOBS_SIGNAL: signal}, by=by)

    def watch_queue(self, name: str, size: Callable[[], int]) -> None:
        """Report the depth of a queue (`check`, `unit`) whenever metrics are collected."""
        self._watch(metrics.QUEUE_SIZE, {semconv.SQLOBS_QUEUE_NAME: name}, size)

    def watch_schema(self, schema: WatchedSchema, *, target: str | None = None) -> None:
        """Report a schema's age and its last changes whenever metrics are collected."""
        label = self._target(target)
        labels: Labels = {} if label is None else {semconv.SQLOBS_TARGET_NAME: label}
        self._watch(metrics.SCHEMA_AGE, labels, lambda: schema.age_s)
        for change in CHANGES:
            by_change = {**labels, semconv.SQLOBS_SCHEMA_CHANGE: change}
            self._watch(metrics.SCHEMA_DRIFT, by_change, partial(schema.count, change))

    def reset(self) -> None:
        """Forget meter and watched values: in a forked child they are the parent's."""
        self._lock = threading.Lock()
        self._instruments = None
        while self._watching:
            self._watching.pop()()

    def _watch(self, metric: Metric, labels: Labels, read: Callable[[], float | None]) -> None:
        made = self._made
        self._watching.append(made.observed.add(metric, {**made.identity, **labels}, read))

    @property
    def _made(self) -> _Made:
        if self._instruments is None:
            with self._lock:
                if self._instruments is None:
                    self._instruments = _Made(self._meter(), self._identity())
        return self._instruments

    def _add(
        self, metric: Metric, labels: Labels, *, by: float = 1, span: SpanIdentity | None = None
    ) -> None:
        made, context = self._made, None if span is None else context_of(span)
        made.counters[metric.name].add(by, {**made.identity, **labels}, context=context)

    def _record(self, metric: Metric, value: float, labels: Labels, span: SpanIdentity) -> None:
        made = self._made
        shown = {**made.identity, **labels}
        made.histograms[metric.name].record(value, shown, context=context_of(span))

    def _labels(self, workflow: str) -> Labels:
        return {semconv.SQLOBS_WORKFLOW: self._workflow(workflow) or workflow}

    def _count_evaluation(self, workflow: str, name: str, label: Label) -> None:
        labels: Labels = {
            **self._labels(workflow),
            semconv.GEN_AI_EVALUATION_NAME: name,
            semconv.GEN_AI_EVALUATION_SCORE_LABEL: label,
        }
        self._add(metrics.EVALUATIONS, labels)

    def _version_labels(self, record: GenerationRecord) -> Labels:
        labels: Labels = {
            **self._labels(record.workflow),
            semconv.GEN_AI_REQUEST_MODEL: self._model(record.context.model),
            semconv.SQLOBS_VERDICT: record.verdict,
            semconv.SQLOBS_SCHEMA_HALLUCINATION_LABEL: dict(record.evaluations)[
                "schema_hallucination"
            ],
        }
        if record.context.dialect is not None:
            labels[semconv.SQLOBS_DIALECT] = record.context.dialect
        if (prompt := self._prompt_version(record.context.prompt_version)) is not None:
            labels[semconv.GEN_AI_PROMPT_VERSION] = prompt
        if (code := _failure_code(record)) is not None:
            labels[semconv.SQLOBS_FAILURE_GROUP] = group_of(code)
        return labels

    def _count_failure(self, record: GenerationRecord, workflow: Labels) -> None:
        code = _failure_code(record)
        if code is not None:
            labels: Labels = {
                **workflow,
                semconv.SQLOBS_FAILURE_CODE: code,
                semconv.SQLOBS_FAILURE_GROUP: group_of(code),
            }
            self._add(metrics.FAILURES, labels, span=record.span)
        if record.verdict == "failed" and record.report is not None:
            repairable = record.report.fixed_sql is not None
            self._add(metrics.REPAIRABLE, {**workflow, semconv.SQLOBS_REPAIRABLE: repairable})

    def _count_attempts(self, record: GenerationRecord, workflow: Labels) -> None:
        if record.outcome in WITHOUT_SQL:
            return
        attempts: list[tuple[int, str, str]] = [
            (attempt.number, attempt.verdict, attempt.hallucination_label)
            for attempt in record.attempts
        ]
        for number, verdict, label in attempts or [(1, record.verdict, "not_evaluated")]:
            labels: Labels = {
                **workflow,
                semconv.SQLOBS_ATTEMPT_NUMBER: attempt_label(number),
                semconv.SQLOBS_VERDICT: verdict,
                semconv.SQLOBS_SCHEMA_HALLUCINATION_LABEL: label,
            }
            self._add(metrics.ATTEMPTS, labels)

    def _record_times(self, record: GenerationRecord, workflow: Labels) -> None:
        failed = {} if record.error_type is None else {semconv.ERROR_TYPE: record.error_type}
        total: Labels = {**workflow, semconv.SQLOBS_STAGE: "total", **failed}
        self._record(metrics.STAGE_DURATION, record.duration_s, total, record.span)
        for stage, seconds in _stages(record.stages):
            labels: Labels = {**workflow, semconv.SQLOBS_STAGE: stage}
            self._record(metrics.STAGE_DURATION, seconds, labels, record.span)
        if record.report is not None:
            checked: Labels = {**workflow, semconv.SQLOBS_CHECK_METHOD: record.check_method}
            self._record(metrics.CHECK_DURATION, record.check_duration_s, checked, record.span)
        self._record(metrics.OVERHEAD_DURATION, record.overhead_s, workflow, record.span)

    def _count_usage(self, record: GenerationRecord, workflow: Labels) -> None:
        labels: Labels = {
            **workflow,
            semconv.GEN_AI_REQUEST_MODEL: self._model(record.context.model),
        }
        usage = record.usage
        for kind, tokens in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            if tokens is not None:
                by_type: Labels = {**labels, semconv.GEN_AI_TOKEN_TYPE: kind}
                self._add(metrics.USAGE_TOKENS, by_type, by=tokens)
        if usage.cost_usd is not None:
            self._add(metrics.USAGE_COST, labels, by=usage.cost_usd)


class _Made:
    """The synchronous instruments of one meter, by name."""

    def __init__(self, meter: Meter, identity: Labels) -> None:
        self.identity = identity
        self.counters: dict[str, Counter] = {}
        self.histograms: dict[str, Histogram] = {}
        for metric in metrics.METRICS.values():
            if metric.kind == "counter":
                self.counters[metric.name] = meter.create_counter(
                    metric.name, unit=metric.unit, description=metric.brief
                )
            elif metric.kind == "histogram":
                self.histograms[metric.name] = meter.create_histogram(
                    metric.name,
                    unit=metric.unit,
                    description=metric.brief,
                    explicit_bucket_boundaries_advisory=metric.buckets,
                )
        self.observed = observable_metrics_on(meter, identity)


def attempt_label(number: int) -> str:
    """Return the metric label of an attempt's number: `1`, `2`, `3` or `4+`."""
    return str(number) if number <= _LAST_NUMBERED_ATTEMPT else f"{_LAST_NUMBERED_ATTEMPT + 1}+"


def _failure_code(record: GenerationRecord) -> str | None:
    report = record.evaluated
    return report.failure_code if report is not None and report.verdict == "failed" else None


def _stages(stages: StageTimes) -> Iterator[tuple[str, float]]:
    times = {"llm": stages.llm_s, "retrieval": stages.retrieval_s, "execution": stages.execution_s}
    return ((stage, seconds) for stage, seconds in times.items() if seconds is not None)
