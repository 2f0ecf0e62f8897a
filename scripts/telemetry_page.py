"""The page of telemetry: every name that sqlobs emits, from the tables in `sqlobs.semconv`."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from sqlobs import semconv
from sqlobs.semconv.collector import COLLECTOR_METRICS, Stat
from sqlobs.semconv.metrics import METRICS, SERIES_FOLDED
from sqlobs.tracing.sending.adaptive_counts import ENDING_S, NAMES_LIMIT, NEWEST
from sqlobs.tracing.sending.instruments import SERIES_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.semconv import Attribute
    from sqlobs.semconv.collector import CollectorMetric
    from sqlobs.semconv.metrics import Metric

_PAGE = """\
# Telemetry

<!-- Made by scripts/docs.py from sqlobs/semconv: do not edit. -->

Contract version 1. The names are public: dashboards, alerts and the collector read them, and a
rename is a breaking change. Scope of tracer, meter and logger: `{scope}`; schema: {schema_url}.

`gen_ai.*` names on spans and events are those of OpenTelemetry's GenAI semantic conventions {genai}.
Spans of other instrumentations are read in the names of these and of earlier releases, and in those
of OpenInference. Labels of our own metrics that no release may rename begin with `sqlobs.`.

## Spans

| name | kind | what it is |
|---|---|---|
| `{generation}` | INTERNAL | one text-to-SQL request |
| `{attempt}` | INTERNAL | one attempt of a repair loop |
| `{llm}` | CLIENT | a model call that no client instrumentation covers (`trace_llm`) |
| `{retrieval}` | CLIENT | schema linking or another lookup (`trace_retrieval`) |
| `{execute}` | INTERNAL; a `db.*` CLIENT span on request | the application's execution (`trace_execution`) |
| `{context}` | INTERNAL | a block of `context()` outside any other span: one trace of the generations and executions inside, with input, output and status of the last one |
| `{evaluate}` | INTERNAL | a late result, by the collector: a trace of its own, linked to the evaluated span |

A span whose SQL fails has the status ERROR with verdict and code, such as
`failed: schema.unknown_column`; `mark_failures_as_errors=False` leaves it UNSET. An execution that
fails has the status ERROR with SQLSTATE and message. Each finding is an event `{finding}`, and what
the traced code raised an event `{exception}`.

After 100 generations in one block of `context()`, and after its end, a span starts a trace of its
own that links to the block's.

A span waits up to 5 seconds for its check, then ends as `pending`. The check continues: its
verdict follows as a log record, and the unit and the metrics include it exactly once.

## Log records

| event name | sent to | what it is |
|---|---|---|
| `{unit}` | the collector only | everything that the collector needs to execute and judge one request; texts are in the body |
| `{execution}` | the collector only | an execution that arrived after its request's unit |
| `{evaluation}` | the collector; without one, the logger provider | a result that arrived after its span had ended; feedback |

## Attributes

SQL on spans is truncated at 16 KiB and a question at 8 KiB, both between tokens; an array at 20
entries. `{truncated}` lists the truncated attributes.

| attribute | type | meaning | values or example |
|---|---|---|---|
{attributes}

## Outcomes

`sqlobs.outcome` is how a request ended: `answered`, `abstained` (the model refused), `clarified`
(the model asked a question back), `cancelled` or `error`. An answer that should contain SQL but
does not is `answered` and fails (`syntax.no_sql`). `abstained` and `clarified` have their own
shares and count in no other rate, except that an abstention counts in the [scores](scores.md) that
compare with a known reference.

- The application sets it: `current_generation().set(outcome="abstained")`, `"clarified"` or
  `"answered"`; this takes precedence. A function that returns None without an attempt abstains;
  after attempts, its last attempt is the answer.
- Otherwise the check detects it, in English and only if an answer contains no SQL: a refusal such
  as "I am sorry, I cannot answer that." or a question back such as "Which year do you mean?".
  Anything that is not clearly one of the two fails. `detect_refusals=False`
  (`SQLOBS_DETECT_REFUSALS=false`) disables detection. With `check="off"`, only the application
  can set the outcome.

## Metrics

Every request counts once, regardless of trace sampling. Tokens, cost and model are known for every
request if they come from the returned completion, `trace_llm` or `context(model=)`; if they come
from the spans of a client instrumentation, only for recorded spans. A label with an unknown value
is omitted from the series, except that the model label is `unknown`.

| metric | kind, unit | meaning |
|---|---|---|
{metrics}

### The number of series

Model and prompt version are labels without any setting. Of each metric, the newest {newest} and the
busiest of the {limit} combinations of workflow, dialect, model and prompt version have series of their
own, in each process. An evicted combination's series ends {ending_min:.0f} minutes later; its further
requests count with the prompt version, and if necessary the model, `other`. It returns, counting from 0,
once it is at least twice as busy as the least busy one. A series that is not in the other metrics'
first {series} is counted with the workflow, target and error type `other`. Sums over all series are
therefore exact; `{folded}` says how much of a metric is in `other`.

### In Prometheus

The names as translated by the OpenTelemetry exporters and by Prometheus's own OTLP receiver. A
histogram has the suffixes `_bucket`, `_sum` and `_count`. Every series also has the labels
{identity}.
They are attributes of the data points, so they arrive by every path, whatever it does with resource
attributes. Exporters may add resource and scope labels. `sqlobs doctor --prometheus URL` asks a
Prometheus whether names and labels arrive so, and says what to set if not.

| OpenTelemetry | Prometheus | labels |
|---|---|---|
{prometheus}

Schema-hallucination rate:

```promql
sum by (sqlobs_workflow) (rate({evaluations}{{gen_ai_evaluation_name="schema_hallucination", gen_ai_evaluation_score_label="fail"}}[5m]))
/
sum by (sqlobs_workflow) (rate({evaluations}{{gen_ai_evaluation_name="schema_hallucination", gen_ai_evaluation_score_label=~"pass|fail"}}[5m]))
```

First-attempt pass rate:

```promql
sum by (sqlobs_workflow) (rate({attempts}{{sqlobs_attempt_number="1", sqlobs_verdict=~"ok|suspect"}}[5m]))
/
sum by (sqlobs_workflow) (rate({attempts}{{sqlobs_attempt_number="1", sqlobs_verdict!="not_evaluated"}}[5m]))
```

## Metrics of the collector

The admin port's `/metrics` serves these and the metrics above as received. Each of these series has
the labels `service_name` and `deployment_environment_name`. Counters start at 0 with the process;
quality gauges are computed from the store by the time of the request, over fixed windows (`1h`
`24h` `7d`), so that replays and drained backlogs fire no alerts. A request whose clock is more
than five minutes ahead of the collector's counts from the time it was received. `stat`: {stats}.

| metric | kind | meaning | labels |
|---|---|---|---|
{collector}

## Evaluations

Evaluations have the names of the [scores](scores.md), where each one's meaning, range and
denominator are defined.

## Feedback

| kind | values |
|---|---|
{feedback}
"""


def telemetry_page() -> str:
    """Return the page of telemetry, made from the tables in `sqlobs.semconv`."""
    return _PAGE.format(
        scope=semconv.SCOPE,
        schema_url=semconv.SCHEMA_URL,
        genai=semconv.GENAI_VERSION,
        generation=semconv.SPAN_GENERATION,
        attempt=semconv.SPAN_ATTEMPT,
        llm=semconv.SPAN_LLM,
        retrieval=semconv.SPAN_RETRIEVAL,
        execute=semconv.SPAN_EXECUTE,
        context=semconv.SPAN_CONTEXT,
        evaluate=semconv.SPAN_EVALUATE,
        finding=semconv.EVENT_FINDING,
        exception=semconv.EVENT_EXCEPTION,
        unit=semconv.EVENT_UNIT,
        execution=semconv.EVENT_EXECUTION,
        evaluation=semconv.EVENT_EVALUATION,
        truncated=semconv.SQLOBS_TRUNCATED_ATTRIBUTES,
        attributes=_rows(map(_attribute, semconv.ATTRIBUTES.values())),
        metrics=_rows(map(_metric, METRICS.values())),
        prometheus=_rows(map(_series, METRICS.values())),
        newest=NEWEST,
        limit=NAMES_LIMIT,
        ending_min=ENDING_S / 60,
        series=f"{SERIES_LIMIT:,}",
        folded=SERIES_FOLDED.name,
        identity=_listed(semconv.IDENTITY),
        evaluations=METRICS["sqlobs.evaluations"].prometheus_name,
        attempts=METRICS["sqlobs.attempts"].prometheus_name,
        stats=" ".join(f"`{stat}`" for stat in get_args(Stat)),
        collector=_rows(map(_collector_metric, COLLECTOR_METRICS.values())),
        feedback=_rows(
            (f"`{kind}`", _words(values)) for kind, values in semconv.FEEDBACK_VALUES.items()
        ),
    )


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _words(values: Iterable[object]) -> str:
    return " ".join(f"`{str(value).replace('|', chr(92) + '|')}`" for value in values)


def _listed(attributes: Sequence[str]) -> str:
    *first, last = (f"`{name.replace('.', '_')}`" for name in attributes)
    return f"{', '.join(first)} and {last}"


def _attribute(attribute: Attribute) -> tuple[str, ...]:
    example = attribute.example
    shown = attribute.values or (example if isinstance(example, tuple) else (example,))
    if attribute.type == "bool":
        shown = ("true", "false")
    return f"`{attribute.name}`", attribute.type, attribute.brief, _words(shown)


def _metric(metric: Metric) -> tuple[str, ...]:
    buckets = f" Boundaries: {' '.join(map(str, metric.buckets))}." if metric.buckets else ""
    unit = f", `{metric.unit}`" if metric.unit else ""
    return f"`{metric.name}`", f"{metric.kind}{unit}", metric.brief + buckets


def _series(metric: Metric) -> tuple[str, ...]:
    return f"`{metric.name}`", f"`{metric.prometheus_name}`", _words(metric.prometheus_labels)


def _collector_metric(metric: CollectorMetric) -> tuple[str, ...]:
    return f"`{metric.name}`", metric.kind, metric.brief, _words(metric.own_labels)
