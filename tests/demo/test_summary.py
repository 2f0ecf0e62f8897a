"""The demo's figures, from records to text."""

from __future__ import annotations

import json

import pytest

from sqlobs import semconv
from sqlobs.demo.rendering import COLORED, WIDTH, render_span, render_summary
from sqlobs.demo.summary import Invention, Overhead, Rate, Received, Stage, summarize
from sqlobs.semconv import metrics

RESOURCE = {"service.name": "shop"}


def _point(metric, value, *, start=1, temporality="cumulative", **labels):
    """Make a point of a counter; labels are named by the last part of their names."""
    names = {name.rsplit(".", 1)[-1]: name for name in metric.attributes}
    return {
        "name": metric.name,
        "kind": "sum",
        "attributes": {names[label]: word for label, word in labels.items()},
        "start_unix_nano": start,
        "temporality": temporality,
        "value": value,
        "scope": "sqlobs",
        "resource": RESOURCE,
    }


def _generation(*, number, total_s, attributes=()):
    return {
        "name": "invoke_workflow answer",
        "kind": "internal",
        "trace_id": f"{number:032x}",
        "span_id": f"{number:016x}",
        "start_unix_nano": 0,
        "end_unix_nano": int(total_s * 1e9),
        "status": "unset",
        "scope": "sqlobs",
        "attributes": {semconv.SQLOBS_GENERATION_DURATION: total_s, **dict(attributes)},
    }


SPANS = [
    _generation(number=1, total_s=0.1),
    _generation(number=2, total_s=0.3),
    _generation(
        number=3,
        total_s=0.2,
        attributes={
            semconv.SQLOBS_HALLUCINATED_COLUMNS: ["customer_revenue", "mood"],
            semconv.SQLOBS_SUGGESTIONS: ["customer_revenue -> total_amount"],
            semconv.SQLOBS_CHECK_DURATION: 0.001,
        },
    ),
    _generation(
        number=4,
        total_s=0.4,
        attributes={
            semconv.SQLOBS_HALLUCINATED_TABLES: ["visits"],
            semconv.SQLOBS_HALLUCINATED_COLUMNS: ["customer_revenue"],
        },
    ),
    {**_generation(number=5, total_s=9), "name": "invoke_workflow foreign", "scope": "another"},
    {**_generation(number=6, total_s=9), "name": "sqlobs.execute"},
]

POINTS = [
    _point(metrics.GENERATIONS, 1, verdict="ok", outcome="answered"),
    _point(metrics.GENERATIONS, 2, verdict="ok", outcome="answered"),  # the series continues
    _point(metrics.GENERATIONS, 2, verdict="failed", outcome="answered"),
    _point(metrics.GENERATIONS, 1, verdict="not_evaluated", outcome="cancelled"),
    _point(metrics.GENERATIONS, 0, verdict="not_evaluated", outcome="error"),
    *(
        _point(metrics.EVALUATIONS, count, name=name, label=label)
        for name, label, count in (
            ("syntactic", "pass", 4),
            ("syntactic", "not_evaluated", 1),
            ("schematic", "pass", 2),
            ("schematic", "fail", 2),
            ("schema_hallucination", "pass", 2),
            ("schema_hallucination", "fail", 2),
        )
    ),
    _point(metrics.FAILURES, 1, code="schema.unknown_table", group="schema"),
    _point(metrics.FAILURES, 1, code="schema.unknown_column", group="schema"),
    _point(metrics.ATTEMPTS, 1, number="1", verdict="ok"),
    _point(metrics.ATTEMPTS, 3, number="1", verdict="failed"),
    _point(metrics.ATTEMPTS, 1, number="1", verdict="not_evaluated"),
    _point(metrics.ATTEMPTS, 1, number="2", verdict="ok"),
    {
        **_point(metrics.COMPARISONS, 2),
        "attributes": {semconv.SQLOBS_STATIC_LABEL: "pass", semconv.SQLOBS_ENGINE_LABEL: "pass"},
    },
    {
        **_point(metrics.COMPARISONS, 2),
        "attributes": {semconv.SQLOBS_STATIC_LABEL: "fail", semconv.SQLOBS_ENGINE_LABEL: "fail"},
    },
    _point(metrics.EXECUTIONS, 1, status="ok", empty=False),
    _point(metrics.EXECUTIONS, 1, status="ok", empty=True),
    _point(metrics.EXECUTIONS, 2, status="error"),
    _point(metrics.USAGE_TOKENS, 1200, type="input"),
    _point(metrics.USAGE_TOKENS, 300, type="output", start=1, temporality="delta"),
    _point(metrics.USAGE_TOKENS, 40, type="output", start=2, temporality="delta"),
    {
        **_point(metrics.OVERHEAD_DURATION, 0),
        "kind": "histogram",
        "bounds": [0.0005, 0.001, 0.002],
        "counts": [1, 2, 0, 1],
    },
]

UNITS = [{"event_name": "sqlobs.unit"}] * 5 + [{"event_name": "sqlobs.execution"}]


@pytest.fixture
def directory(tmp_path):
    """Write the telemetry of five requests as a receiver does."""
    for name, records in (("spans", SPANS), ("metrics", POINTS), ("units", UNITS)):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    return tmp_path


def test_every_figure_comes_from_the_records(directory):
    """Counters give counts and rates, spans give names and times; the last point of a series counts."""
    summary = summarize(directory)
    assert summary.requests == 5
    assert summary.received == Received(spans=6, generations=4, metric_series=24, units=5)
    assert summary.outcomes == {"answered": 4, "cancelled": 1}
    assert summary.verdicts == {"ok": 2, "failed": 2, "not_evaluated": 1}
    assert summary.failure_rates == {
        "syntactic": Rate(0, 4),
        "schematic": Rate(2, 4),
        "schema_hallucination": Rate(2, 4),
    }
    assert summary.first_attempt_pass_rate == Rate(1, 4)
    assert summary.attempts == {"1": {"ok": 1, "failed": 3, "not_evaluated": 1}, "2": {"ok": 1}}
    assert summary.failures == [("schema.unknown_column", 1), ("schema.unknown_table", 1)]
    assert summary.inventions == [
        Invention("customer_revenue", "total_amount", 2),
        Invention("mood", None, 1),
        Invention("visits", None, 1),
    ]
    assert summary.comparisons == {"pass": {"pass": 2}, "fail": {"fail": 2}}
    assert summary.executions == {"ok": 2, "error": 2, "empty": 1}
    assert summary.stages == (
        Stage("total", 4, 0.2, 0.4, 0.4),
        Stage("check", 1, 0.001, 0.001, 0.001),
        Stage("execution", 1, 9.0, 9.0, 9.0),
    )
    assert summary.tokens == {"input": 1200, "output": 340}
    assert summary.overhead == Overhead(p50_s=0.00075, p95_s=0.002)


SHOWN = """\
Requests
  counted   5   answered 4   abstained 0   clarified 0   cancelled 1   error 0
  received  4 request spans of 6 spans, 5 units, 24 metric series
  tokens    input 1,200   output 340

Failure rates, out of the evaluated requests
                                                      failed  of    rate  95 % interval
  not valid SQL (syntactic)                                0   4   0.0 %   0.0 - 49.0 %
  not grounded (schematic)                                 2   4  50.0 %  15.0 - 85.0 %
  invented or misplaced names (schema hallucination)       2   4  50.0 %  15.0 - 85.0 %

Why requests failed (primary code)
  schema.unknown_column  1  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇
  schema.unknown_table   1  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇

Names that are not in the schema
  name              requests  nearest name in the schema
  customer_revenue         2  total_amount
  mood                     1  -
  visits                   1  -

Attempts
  first-attempt pass rate 1 of 4: 25.0 %   (95 % interval 4.6 - 69.9 %)
  attempt  ok  suspect  failed  not_evaluated
  1         1        0       3              1
  2         1        0       0              0

Static verdict and the engine's verdict, executed statements
                        engine pass  engine fail  engine not_evaluated
  static pass                     2            0                     0
  static fail                     0            2                     0
  static not_evaluated            0            0                     0
  executions: ok 2   error 2   timeout 0   empty 1

Latency by stage, milliseconds
  stage      requests     p50     p95     max
  total             4   200.0   400.0   400.0
  check             1     1.0     1.0     1.0
  execution         1  9000.0  9000.0  9000.0
  sqlobs on the request's own thread, estimated from its histogram: p50 0.8, p95 2.0"""


def test_the_summary_is_readable_text(directory):
    """The whole output, aligned, within 100 columns, without a color."""
    shown = render_summary(summarize(directory))
    assert shown == SHOWN
    assert max(len(line) for line in shown.splitlines()) <= WIDTH


def test_color_adds_escape_sequences_only(directory):
    """On a terminal the same text, with headings and the alarming rate in color."""
    colored = render_summary(summarize(directory), palette=COLORED)
    for sequence in (COLORED.heading, COLORED.alarm, COLORED.end):
        assert sequence in colored
        colored = colored.replace(sequence, "")
    assert colored == SHOWN


def test_an_empty_collector_shows_no_requests(tmp_path):
    """No telemetry gives zeros, unknown rates and the widest interval, not a crash."""
    for name in ("spans", "metrics", "units"):
        (tmp_path / f"{name}.jsonl").write_text("")
    summary = summarize(tmp_path)
    assert summary.requests == 0
    assert summary.first_attempt_pass_rate == Rate(0, 0)
    assert "first-attempt pass rate 0 of 0: -   (95 % interval 0.0 - 100.0 %)" in render_summary(
        summary
    )


def test_a_span_is_shown_with_all_its_attributes_within_the_width():
    """Long texts are folded under their beginning, lists are JSON."""
    span = _generation(
        number=7,
        total_s=0.0125,
        attributes={
            semconv.SQLOBS_QUERY_TEXT: "SELECT name,\n  price FROM products WHERE "
            + "price > ? AND " * 9
            + "name = ?",
            semconv.SQLOBS_HALLUCINATED_COLUMNS: ["price"],
        },
    )
    assert (
        render_span(span)
        == """\
  invoke_workflow answer   internal, 12.5 ms
  trace 00000000000000000000000000000007   span 0000000000000007   status unset
  sqlobs.generation.duration   0.0125
  sqlobs.hallucinated.columns  ["price"]
  sqlobs.query.text            SELECT name,
                                 price FROM products WHERE price > ? AND price > ? AND price > ? AND
                               price > ? AND price > ? AND price > ? AND price > ? AND price > ? AND
                               price > ? AND name = ?"""
    )
