"""What a selection and a gain look like, and which labels they refuse."""

from __future__ import annotations

import promql_parser
import pytest
from inline_snapshot import snapshot

from sqlobs import semconv
from sqlobs.monitoring.promql import AnyOf, Selection, gained, gained_sum
from sqlobs.semconv import collector, metrics

FAILURES = Selection(metrics.FAILURES, {semconv.SQLOBS_FAILURE_GROUP: AnyOf(("schema", "syntax"))})


def test_a_selection_is_spelled_as_prometheus_shows_the_metric():
    """Names and labels come from the contract; further matchers follow."""
    bucket = Selection(
        metrics.STAGE_DURATION, {semconv.SQLOBS_STAGE: "llm"}, ('job="x"',), suffix="_bucket"
    )
    assert str(FAILURES) == 'sqlobs_failures_total{sqlobs_failure_group=~"schema|syntax"}'
    assert str(bucket) == 'sqlobs_stage_duration_seconds_bucket{sqlobs_stage="llm", job="x"}'
    assert str(Selection(collector.QUEUE_SIZE)) == "sqlobs_collector_queue_size"
    assert "le" in bucket.labels


@pytest.mark.parametrize(
    ("metric", "name"),
    [(metrics.FAILURES, semconv.SQLOBS_VERDICT), (collector.UNITS, "sqlobs_workflow")],
)
def test_a_label_that_the_metric_does_not_have_is_refused(metric, name):
    """A panel over a label that nobody emits would stay empty forever."""
    with pytest.raises(ValueError, match="has no label"):
        Selection(metric, {name: "x"})


def test_the_increase_counts_a_series_that_starts_inside_the_window_by_its_value():
    """`increase` for those known before it, the value for the others."""
    assert gained(Selection(metrics.BUILD_INFO), "5m") == snapshot("""\
(increase(sqlobs_build_info[5m]) and last_over_time(sqlobs_build_info[1h] offset 5m))
or (max_over_time(sqlobs_build_info[5m]) unless last_over_time(sqlobs_build_info[1h] offset 5m))\
""")


def test_a_sum_of_gains_takes_each_stream_once():
    """The maximum over the paths to Prometheus first, then the sum."""
    expression = gained_sum(FAILURES, "5m", by=("service_name",))
    outer = promql_parser.parse(expression)
    inner = outer.expr
    assert (str(outer.op), outer.modifier.labels) == ("sum", ["service_name"])
    assert str(inner.op) == "max"
    assert set(inner.modifier.labels) == {
        "service_name",
        "deployment_environment_name",
        "service_instance_id",
        "sqlobs_workflow",
        "sqlobs_failure_code",
        "sqlobs_failure_group",
    }
