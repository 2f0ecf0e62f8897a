"""The metrics of the SDK: every request counts once, sampled or not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from opentelemetry.metrics import Counter, Histogram, Meter, NoOpMeter

from sqlobs import semconv
from sqlobs.failure_codes import group_of
from sqlobs.fork_guard import forget_in_child
from sqlobs.semconv import metrics
from sqlobs.semconv.labels import MAX_LABEL, OTHER, model_label
from sqlobs.tracing.description.late_evaluations import opinion_of
from sqlobs.tracing.records.span_identity import context_of
from sqlobs.tracing.sending.observable_metrics import evaluation_labels, observable_metrics_on
from sqlobs.tracing.sending.schema_drift import CHANGES, WatchedSchema
from sqlobs.types import WITHOUT_SQL, Label, Verdict

if TYPE_CHECKING:
    from opentelemetry.context import Context

    from sqlobs.check.report.model import CheckReport
    from sqlobs.semconv.metrics import Metric
    from sqlobs.tracing.records.record import (
        ExecutionRecord,
        FeedbackRecord,
        GenerationRecord,
        StageTimes,
    )
    from sqlobs.tracing.sending.adaptive_counts import AdaptiveCounts
    from sqlobs.unit import SpanIdentity

    Labels = dict[str, str | bool]
    Series = tuple[tuple[str, str | bool], ...]
    """Labels as the key of a dictionary."""

SERIES_LIMIT: Final = 1_500
"""Series of one synchronous instrument: below an SDK's limit, which loses their labels."""

_LAST_NUMBERED_ATTEMPT: Final = 3
_OPEN_LABELS: Final = (semconv.SQLOBS_WORKFLOW, semconv.SQLOBS_TARGET_NAME, semconv.ERROR_TYPE)


class Instruments:
    """Records on one meter, which is looked up at first use, in the process that records."""

    def __init__(
        self,
        meter: Callable[[int], Meter],
        *,
        identity: Callable[[], Labels] = dict,
    ) -> None:
        """Prepare the instruments without making them.

        Args:
            meter: Returns a meter by number, 0 first, at the first record; the others are for
                series that the first one has no room for.
            identity: Returns the labels of every series; called once, at the first record.
        """
        self._meter = meter
        self._identity = identity
        self._instruments: _Made | None = None
        self._watching: list[Callable[[], object]] = []
        self._lock = threading.Lock()

    def start_at_zero(self, workflow: str) -> None:
        """Initialize the series of alerts to 0, so that `rate()` sees the first failure."""
        for labels in evaluation_labels(workflow):
            self._made.evaluations.add(tuple(labels.items()), by=0)

    def record_generation(
        self, record: GenerationRecord, *, awaited: frozenset[str] = frozenset()
    ) -> None:
        """Count one request in every metric that it belongs to, but for the awaited evaluations."""
        made = self._made
        if made.is_silent:
            return
        workflow = _labels(record.workflow)
        name, verdict = record.workflow, record.verdict
        made.counts[metrics.GENERATIONS.name].add((name,), (verdict, record.outcome))
        failing = record.report if verdict == "failed" else None
        code = None if failing is None else failing.failure_code
        for evaluation, label in record.evaluations:
            if evaluation not in awaited:
                self.count_evaluation(name, evaluation, label)
        self._count_version(record, verdict, code)
        if record.check_status == "dropped":
            reason = record.reason or "queue_full"
            self._add(metrics.CHECK_DROPPED, {**workflow, semconv.SQLOBS_REASON: reason})
        if failing is not None:
            self._count_failure(record.span, failing, workflow)
        self._count_attempts(record, verdict)
        self._record_times(record, workflow)
        self._count_usage(record, name)
        made.show_pages()

    def record_execution(self, record: ExecutionRecord) -> None:
        """Count one execution, and compare the static verdict with the engine's if both exist."""
        workflow = {} if record.workflow is None else _labels(record.workflow)
        labels: Labels = {**workflow, semconv.SQLOBS_EXECUTION_STATUS: record.status}
        if record.target is not None:
            labels[semconv.SQLOBS_TARGET_NAME] = record.target
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
        labels: Labels = {} if target is None else {semconv.SQLOBS_TARGET_NAME: target}
        self._watch(metrics.SCHEMA_AGE, labels, lambda: schema.age_s)
        self._watch(metrics.SCHEMA_STALE, labels, lambda: int(schema.is_stale))
        for change in CHANGES:
            by_change = {**labels, semconv.SQLOBS_SCHEMA_CHANGE: change}
            self._watch(metrics.SCHEMA_DRIFT, by_change, partial(schema.count, change))

    def close(self) -> None:
        """Count nothing more, and report watched values no more."""
        made, self._instruments = self._instruments, None
        if made is not None:
            made.evaluations.pass_on()
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
                    made = self._instruments = _Made(self._meter, self._identity())
                    self._watching += made.watch()
        return self._instruments

    def _add(
        self, metric: Metric, labels: Labels, *, by: float = 1, span: SpanIdentity | None = None
    ) -> None:
        made, context = self._made, None if span is None else context_of(span)
        made.counters[metric.name].add(by, made.labels[metric.name](labels), context=context)

    def _record(
        self, metric: Metric, value: float, labels: Labels, context: Context | None = None
    ) -> None:
        """Record a duration; with the context of a span, which becomes its exemplar."""
        made = self._made
        made.histograms[metric.name].record(
            value, made.labels[metric.name](labels), context=context
        )

    def count_evaluation(self, workflow: str, name: str, label: Label) -> None:
        """Count one online evaluation."""
        self._made.evaluations.add(
            (
                (semconv.SQLOBS_WORKFLOW, workflow),
                (semconv.GEN_AI_EVALUATION_NAME, name),
                (semconv.GEN_AI_EVALUATION_SCORE_LABEL, label),
            )
        )

    def _count_version(self, record: GenerationRecord, verdict: Verdict, code: str | None) -> None:
        context = record.context
        self._made.counts[metrics.VERSION_GENERATIONS.name].add(
            (
                record.workflow,
                context.dialect,
                model_label(context.model),
                _prompt_label(context.prompt_version),
            ),
            (
                verdict,
                None if code is None else group_of(code),
                record.hallucination_label,
            ),
        )

    def _count_failure(self, span: SpanIdentity, failing: CheckReport, workflow: Labels) -> None:
        code = failing.failure_code
        if code is not None:
            labels: Labels = {
                **workflow,
                semconv.SQLOBS_FAILURE_CODE: code,
                semconv.SQLOBS_FAILURE_GROUP: group_of(code),
            }
            self._add(metrics.FAILURES, labels, span=span)
        repairable = failing.fixed_sql is not None
        self._add(metrics.REPAIRABLE, {**workflow, semconv.SQLOBS_REPAIRABLE: repairable})

    def _count_attempts(self, record: GenerationRecord, verdict: Verdict) -> None:
        if record.outcome in WITHOUT_SQL:
            return
        attempts: list[tuple[int, str, str]] = [
            (attempt.number, attempt.verdict, attempt.hallucination_label)
            for attempt in record.attempts
        ]
        counts = self._made.counts[metrics.ATTEMPTS.name]
        for number, tried, label in attempts or [(1, verdict, "not_evaluated")]:
            counts.add((record.workflow,), (attempt_label(number), tried, label))

    def _record_times(self, record: GenerationRecord, workflow: Labels) -> None:
        context = context_of(record.span)
        failed = {} if record.error_type is None else {semconv.ERROR_TYPE: record.error_type}
        total: Labels = {**workflow, semconv.SQLOBS_STAGE: "total", **failed}
        self._record(metrics.STAGE_DURATION, record.duration_s, total, context)
        for stage, seconds in _stages(record.stages):
            labels: Labels = {**workflow, semconv.SQLOBS_STAGE: stage}
            self._record(metrics.STAGE_DURATION, seconds, labels, context)
        if record.report is not None:
            checked: Labels = {**workflow, semconv.SQLOBS_CHECK_METHOD: record.check_method}
            self._record(metrics.CHECK_DURATION, record.check_duration_s, checked)
        self._record(metrics.OVERHEAD_DURATION, record.overhead_s, workflow)

    def _count_usage(self, record: GenerationRecord, workflow: str) -> None:
        context = record.context
        names = (workflow, model_label(context.model), _prompt_label(context.prompt_version))
        usage, counts = record.usage, self._made.counts
        for kind, tokens in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            if tokens is not None:
                counts[metrics.USAGE_TOKENS.name].add(names, (kind,), tokens)
        if usage.cost_usd is not None:
            counts[metrics.USAGE_COST.name].add(names, (), usage.cost_usd)


def _prompt_label(version: str | None) -> str | None:
    return None if version is None else version[:MAX_LABEL]


class _Made:
    """The instruments and counts of one meter, by name of the metric."""

    def __init__(self, meter: Callable[[int], Meter], identity: Labels) -> None:
        first = meter(0)
        self.is_silent = isinstance(first, NoOpMeter)
        self.identity = identity
        self.observed = observable_metrics_on(first, identity)
        self.observed.started(identity)
        self.counters: dict[str, Counter] = {}
        self.histograms: dict[str, Histogram] = {}
        self.counts: dict[str, AdaptiveCounts] = {}
        self.labels: dict[str, BudgetedLabels] = {}
        self._meter = meter
        for metric in metrics.METRICS.values():
            self._make(first, metric)
        name = metrics.EVALUATIONS.name
        self.evaluations = GatheredCounts(self.counters[name], self.labels[name])

    def show_pages(self) -> None:
        """Make the instruments that series with open names need by now."""
        for name, counts in self.counts.items():
            self.observed.show_pages(metrics.METRICS[name], counts, self._meter)

    def watch(self) -> list[Callable[[], object]]:
        """Report what is counted here and not by an instrument; returns functions that stop it."""
        return [
            self.observed.before_collection(self.evaluations.pass_on),
            *self._watch_folding(),
        ]

    def _watch_folding(self) -> list[Callable[[], object]]:
        """Report what synchronous instruments count as `other`."""
        return [
            self.observed.add(
                metrics.SERIES_FOLDED,
                {**self.identity, semconv.SQLOBS_METRIC_NAME: name},
                partial(_folded, labels),
            )
            for name, labels in self.labels.items()
        ]

    def _make(self, meter: Meter, metric: Metric) -> None:
        if metric.folds:
            self.counts[metric.name] = self.observed.counts(metric, self.identity)
        elif metric.kind == "counter" and metric is not metrics.SERIES_FOLDED:
            self.labels[metric.name] = BudgetedLabels(self.identity)
            self.counters[metric.name] = meter.create_counter(**metric.described)
        elif metric.kind == "histogram":
            self.labels[metric.name] = BudgetedLabels(self.identity)
            self.histograms[metric.name] = meter.create_histogram(
                **metric.described, explicit_bucket_boundaries_advisory=metric.buckets
            )


class BudgetedLabels:
    """The labels of one synchronous instrument, completed; the number of series is bounded."""

    def __init__(self, identity: Labels, *, limit: int = SERIES_LIMIT) -> None:
        self.folded = 0
        """What was counted as `other`."""
        self._identity = identity
        self._limit = limit
        self._known: dict[Series, Labels] = {}

    def __call__(self, labels: Labels) -> Labels:
        """Return all labels; beyond the limit, new values of open labels are `other`."""
        key = tuple(labels.items())
        if (known := self._known.get(key)) is not None:
            return known
        shown = {**self._identity, **labels}
        if len(self._known) >= self._limit:
            self.folded += 1
            return shown | {name: OTHER for name in _OPEN_LABELS if name in labels}
        self._known[key] = shown
        return shown


class GatheredCounts:
    """The counts of one synchronous counter since metrics were last collected.

    An SDK's counter takes 30 µs for each of the three evaluations of a request.
    """

    def __init__(self, counter: Counter, labels: BudgetedLabels) -> None:
        self._counter = counter
        self._labels = labels
        self.forget()
        forget_in_child(self)

    def forget(self) -> None:
        """Start anew in a forked child: the parent passes on what it has counted."""
        self._lock = threading.Lock()
        self._gathered: dict[Series, float] = {}

    def add(self, series: Series, *, by: float = 1) -> None:
        """Count in one series."""
        with self._lock:
            self._gathered[series] = self._gathered.get(series, 0) + by

    def pass_on(self) -> None:
        """Add everything to the counter."""
        with self._lock:
            gathered, self._gathered = self._gathered, {}
        for series, count in gathered.items():
            self._counter.add(count, self._labels(dict(series)))


def attempt_label(number: int) -> str:
    """Return the metric label of an attempt's number: `1`, `2`, `3` or `4+`."""
    return str(number) if number <= _LAST_NUMBERED_ATTEMPT else f"{_LAST_NUMBERED_ATTEMPT + 1}+"


def _folded(labels: BudgetedLabels) -> int | None:
    return labels.folded or None


def _labels(workflow: str) -> Labels:
    return {semconv.SQLOBS_WORKFLOW: workflow}


def _stages(stages: StageTimes) -> Iterator[tuple[str, float]]:
    times = {"llm": stages.llm_s, "retrieval": stages.retrieval_s, "execution": stages.execution_s}
    return ((stage, seconds) for stage, seconds in times.items() if seconds is not None)
