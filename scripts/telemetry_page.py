"""The page of telemetry: every name that sqlobs emits, from the tables in `sqlobs.semconv`."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from sqlobs import semconv
from sqlobs.semconv.collector import COLLECTOR_METRICS, Stat
from sqlobs.semconv.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.semconv import Attribute
    from sqlobs.semconv.collector import CollectorMetric
    from sqlobs.semconv.metrics import Metric

_PAGE = """\
# Telemetry

<!-- Made by scripts/docs.py from sqlobs/semconv: do not edit. -->

Contract version 1. The names are public: dashboards, alerts and the collector read them, and a
rename is a breaking change. Scope of tracer, meter and logger: `{scope}`; schema: {schema_url}.

## Spans

| name | kind | what it is |
|---|---|---|
| `{generation}` | INTERNAL | one text-to-SQL request |
| `{attempt}` | INTERNAL | one attempt of a repair loop |
| `{llm}` | CLIENT | a model call that no client instrumentation covers (`trace_llm`) |
| `{retrieval}` | CLIENT | schema linking or another look-up (`trace_retrieval`) |
| `{execute}` | INTERNAL; a `db.*` CLIENT span on request | the application's execution (`trace_execution`) |
| `{evaluate}` | INTERNAL | a late result, by the collector |

Failing SQL leaves the status UNSET (the call worked) unless `mark_failures_as_errors` is set.

A span waits 5 seconds for its check, and ends as `pending` after that. The check goes on: the
verdict follows as a log record, and unit and metrics have the verdict, once, whenever it comes.

## Log records

| event name | sent to | what it is |
|---|---|---|
| `{unit}` | the collector only | all that it executes and judges of one request; the texts are in the body |
| `{execution}` | the collector only | an execution that came after its request's unit |
| `{evaluation}` | the collector, else the logger provider | a result that came after its span had ended; feedback |

## Attributes

SQL on spans is cut at 16 KiB, a question at 8 KiB, an array at 20 entries, each between tokens; what
was cut is named in `{truncated}`.

| attribute | type | meaning | values or example |
|---|---|---|---|
{attributes}

## Outcomes

`sqlobs.outcome` says how a request ended: `answered`, `abstained` (a refusal), `clarified` (a
question back), `cancelled` or `error`. An answer that should contain SQL and does not is `answered`
and fails (`syntax.no_sql`). `abstained` and `clarified` have shares of their own. They
are in no other rate, except that an abstention counts in the [scores](scores.md) that compare with a
known reference.

- The application says so: `current_generation().set(outcome="abstained")`, or `"clarified"`; it
  wins, also with `outcome="answered"`. A function that returns None without an attempt abstains;
  after attempts its last attempt is the answer.
- Else the check finds it, in English and only if an answer contains no SQL: a refusal such as "I
  am sorry, I cannot answer that.", a question back such as "Which year do you mean?". What is not
  clearly one of the two fails. `detect_refusals=False` (`SQLOBS_DETECT_REFUSALS=false`) switches
  this off. An application with `check="off"` says it itself.

## Metrics

Every request counts once, whatever the trace sampler does. Tokens, cost and model are known of every
request where they come from the returned completion, `trace_llm` or `context(model=)`; from the spans
of a client instrumentation only where those are recorded. A label whose value is not known is left
out of the series; on a model's label it is `unknown`.

| metric | kind, unit | meaning |
|---|---|---|
{metrics}

### In Prometheus

What the OpenTelemetry exporters and Prometheus's own OTLP receiver make of the names. A histogram has
the suffixes `_bucket`, `_sum` and `_count`. Resource and scope labels come on top.

| OpenTelemetry | Prometheus | labels |
|---|---|---|
{prometheus}

Schema-hallucination rate:

```promql
sum by (gen_ai_workflow_name) (rate({evaluations}{{gen_ai_evaluation_name="schema_hallucination", gen_ai_evaluation_score_label="fail"}}[5m]))
/
sum by (gen_ai_workflow_name) (rate({evaluations}{{gen_ai_evaluation_name="schema_hallucination", gen_ai_evaluation_score_label=~"pass|fail"}}[5m]))
```

First-attempt pass rate:

```promql
sum by (gen_ai_workflow_name) (rate({attempts}{{sqlobs_attempt_number="1", sqlobs_verdict=~"ok|suspect"}}[5m]))
/
sum by (gen_ai_workflow_name) (rate({attempts}{{sqlobs_attempt_number="1", sqlobs_verdict!="not_evaluated"}}[5m]))
```

## Metrics of the collector

On the admin port's `/metrics`, beside the metrics above as they were received. Every series carries
`service_name` and `deployment_environment_name`. Counters are of the process; quality gauges are
computed from the store by the time of the request, over fixed windows (`1h` `24h` `7d`), so that
replays and drained backlogs page nobody. A request whose clock is more than five minutes ahead of
the collector's counts from when it was received. `stat`: {stats}.

| metric | kind | meaning | labels |
|---|---|---|---|
{collector}

## Evaluations

The names of evaluations are those of the [scores](scores.md), which say what each one means, its
range and its denominator.

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
        generation=semconv.SPAN_GENERATION,
        attempt=semconv.SPAN_ATTEMPT,
        llm=semconv.SPAN_LLM,
        retrieval=semconv.SPAN_RETRIEVAL,
        execute=semconv.SPAN_EXECUTE,
        evaluate=semconv.SPAN_EVALUATE,
        unit=semconv.EVENT_UNIT,
        execution=semconv.EVENT_EXECUTION,
        evaluation=semconv.EVENT_EVALUATION,
        truncated=semconv.SQLOBS_TRUNCATED_ATTRIBUTES,
        attributes=_rows(map(_attribute, semconv.ATTRIBUTES.values())),
        metrics=_rows(map(_metric, METRICS.values())),
        prometheus=_rows(map(_series, METRICS.values())),
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
