"""Counters and gauges, as the notifier sees them: of applications, and of the collector itself."""

from __future__ import annotations

from collections import defaultdict

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from prometheus_client import CollectorRegistry

from sqlobs import semconv
from sqlobs.monitoring.files import groups
from sqlobs.monitoring.objectives import Objectives
from sqlobs.monitoring.rules import Alert
from sqlobs.monitoring.settings import RuleSettings
from sqlobs.semconv import collector, metrics
from sqlobs_collector.notifying import counters, rates
from sqlobs_collector.notifying.counters import CounterWatch, known_labels
from sqlobs_collector.notifying.watch import Series
from sqlobs_collector.origin import Origin
from sqlobs_collector.pipeline_metrics import PipelineMetrics
from sqlobs_collector.sdkmetrics import SdkMetrics

START_NS = 1_795_000_000 * 10**9
MINUTE_NS = 60 * 10**9
SHOP = {"service_name": "shop", "deployment_environment_name": "prod"}
ANSWER = {**SHOP, "sqlobs_workflow": "answer"}
PROCESS = {**SHOP, "service_instance_id": "a"}
CANNOT_TELL = {
    "SqlobsCollectorGone",
    "SqlobsCollectorDown",
    "SqlobsServiceSilent",
    "SqlobsSchemaHallucinationInSample",
    "SqlobsSchemaHallucinationFirst",
}
"""What docs/alerts.md says the collector itself cannot tell."""


class Scene:
    """Series that a test sets, and a watch that looks at them."""

    def __init__(self, **chosen):
        self.values = defaultdict(dict)
        self.now_ns = START_NS
        self.put(metrics.START_TIME, 1, **PROCESS)
        self._watch = CounterWatch(
            lambda names: {
                name: dict(series) for name, series in self.values.items() if name in names
            },
            Objectives(**chosen),
            started_ns=START_NS,
        )
        self.look()

    def put(self, metric, value, **labels):
        self.values[metric.name][known_labels(labels)] = value

    def look(self, *, after_min=0):
        self.now_ns += after_min * MINUTE_NS
        return {one.alert: dict(one.labels) for one in self._watch.alarms(self.now_ns)}

    def executions(self, *, ok, failed):
        for status, count in (("ok", ok), ("error", failed)):
            self.put(metrics.EXECUTIONS, count, **PROCESS, sqlobs_workflow="answer",
                     sqlobs_execution_status=status)  # fmt: skip


def test_executions_that_fail_are_an_alert():
    """A third of them; what was counted before the collector started is not."""
    scene = Scene()
    scene.executions(ok=1000, failed=500)
    assert scene.look() == {}
    scene.executions(ok=1060, failed=500)
    assert scene.look(after_min=5) == {}
    scene.executions(ok=1100, failed=520)
    assert scene.look(after_min=5) == {"SqlobsExecutionErrors": ANSWER}
    scene.executions(ok=1400, failed=520)
    assert scene.look(after_min=70) == {}


def test_a_process_that_is_new_counts_from_zero():
    """Its start says so."""
    scene = Scene()
    scene.put(metrics.START_TIME, (START_NS + MINUTE_NS) / 10**9, **PROCESS)
    scene.executions(ok=40, failed=20)
    assert scene.look(after_min=2) == {"SqlobsExecutionErrors": ANSWER}


def test_feedback_and_disagreement_are_alerts():
    """Of a service, and of a workflow."""
    scene = Scene()
    scene.put(metrics.START_TIME, START_NS / 10**9, **PROCESS)
    for value in ("up", "down"):
        scene.put(metrics.FEEDBACK, 30, **PROCESS, sqlobs_feedback_kind="thumb",
                  sqlobs_feedback_value=value)  # fmt: skip
    for static, engine, count in (("pass", "pass", 60), ("pass", "fail", 20)):
        scene.put(metrics.COMPARISONS, count, **PROCESS, sqlobs_workflow="answer",
                  sqlobs_static_label=static, sqlobs_engine_label=engine)  # fmt: skip
    assert scene.look(after_min=2) == {
        "SqlobsNegativeFeedback": SHOP,
        "SqlobsCheckerDisagreement": ANSWER,
    }


def test_a_stale_schema_and_drift_are_alerts():
    """Drift for as long as it is new."""
    scene = Scene()
    target = {**PROCESS, "sqlobs_target_name": "main"}
    scene.put(metrics.SCHEMA_STALE, 1, **target)
    scene.put(metrics.SCHEMA_DRIFT, 2, **target, sqlobs_schema_change="column_removed")
    scene.put(metrics.SCHEMA_DRIFT, 2, **target, sqlobs_schema_change="table_added")
    place = {**SHOP, "sqlobs_target_name": "main"}
    assert scene.look(after_min=1) == {
        "SqlobsSchemaStale": place,
        "SqlobsSchemaDrift": {**place, "sqlobs_schema_change": "column_removed"},
    }
    scene.put(metrics.SCHEMA_STALE, 0, **target)
    scene.look(after_min=59)
    assert scene.look(after_min=5) == {}


@pytest.mark.parametrize(
    ("metric", "good", "bad", "alert"),
    [
        (collector.JOURNAL_LAG, 0, 900, "SqlobsCollectorBehind"),
        (collector.STORE_UP, 1, 0, "SqlobsStoreDown"),
        (collector.JOURNALS_STOPPED, 0, 1, "SqlobsReceiverStopped"),
        (collector.TARGET_UP, 1, 0, "SqlobsTargetDown"),
        (collector.TARGET_HELD, 0, 2, "SqlobsTargetHeld"),
        (collector.JUDGE_PAUSED, 0, 1, "SqlobsJudgePaused"),
        (collector.BUDGET_REMAINING, 5, 0, "SqlobsBudgetExhausted"),
        (collector.JUDGE_STOPPED, 0, 7, "SqlobsJudgeOverBudget"),
        (collector.JOURNAL_QUARANTINED, 0, 1, "SqlobsJournalDamaged"),
    ],
)
def test_a_bad_state_of_the_collector_is_an_alert(metric, good, bad, alert):
    """With the gauge's own labels."""
    scene = Scene()
    own = dict.fromkeys(metric.own_labels, "x")
    scene.put(metric, good, **own, service_name="sqlobs-collector")
    assert scene.look() == {}
    scene.put(metric, bad, **own, service_name="sqlobs-collector")
    assert scene.look() == {alert: own}


def test_losses_and_missing_scores_are_alerts():
    """Counters that rise, and parts of counters that are too large; each for as long as its window."""
    scene = Scene()
    refused = {"signal": "logs", "reason": "unauthorized"}
    scene.put(collector.REJECTED, 7, **refused, service_name="sqlobs-collector")
    scene.put(collector.UNITS, 60, state="held", reason="target_unavailable", **SHOP)
    scene.put(collector.UNITS, 100, state="done", **SHOP)
    for label, count in (("pass", 50), ("not_evaluated", 50)):
        scene.put(collector.EVALUATIONS, count, evaluation="flex", kind="llm", label=label, **SHOP)
    unscored = {"SqlobsUnitsUnscored": SHOP, "SqlobsJudgeFailing": {"evaluation": "flex", **SHOP}}
    assert scene.look(after_min=1) == {"SqlobsRecordsRejected": refused, **unscored}
    assert scene.look(after_min=20) == unscored
    assert scene.look(after_min=70) == {}


def test_a_judge_that_finds_half_incorrect_is_an_alert():
    """The interval's end counts, and enough samples."""
    scene = Scene()
    judged = {"evaluation": "flex", "window": "24h", **ANSWER}
    scene.put(collector.QUALITY_PASS_RATE, 0.5, stat="weighted_upper", **judged)
    scene.put(collector.QUALITY_SAMPLES, 10, **judged)
    assert scene.look() == {}
    scene.put(collector.QUALITY_SAMPLES, 100, **judged)
    assert scene.look() == {"SqlobsIncorrect": {"evaluation": "flex", **ANSWER}}


def test_series_of_the_collector_and_of_applications_are_read():
    """From the registry, and as OTLP brings them."""
    registry = CollectorRegistry()
    flow = PipelineMetrics(registry)
    flow.unit(origin=Origin("default", "shop", "prod"), state="done", reason=None, count=3)
    request = ExportMetricsServiceRequest()
    resource = request.resource_metrics.add()
    for name, value in (("service.name", "shop"), ("service.instance.id", "a")):
        resource.resource.attributes.add(key=name).value.string_value = value
    scope = resource.scope_metrics.add()
    scope.scope.name = semconv.SCOPE
    metric = scope.metrics.add(name=metrics.SCHEMA_STALE.name)
    metric.gauge.data_points.add(as_int=1).attributes.add(
        key=semconv.SQLOBS_TARGET_NAME
    ).value.string_value = "main"
    sdk_metrics = SdkMetrics(dropped=lambda _: None)
    sdk_metrics.consume(request, workspace="default")
    found = Series(registry, sdk_metrics).read(
        frozenset({collector.UNITS.name, metrics.SCHEMA_STALE.name})
    )
    assert found[collector.UNITS.name] == {known_labels({**SHOP, "state": "done"}): 3}
    stale = {"service_name": "shop", "service_instance_id": "a", "sqlobs_target_name": "main"}
    assert found[metrics.SCHEMA_STALE.name] == {known_labels(stale): 1}


def test_every_alert_of_the_rule_file_is_watched_or_listed():
    """A new alert must be added to the notifier, or to what it cannot tell."""
    rules = [rule for group in groups(RuleSettings()) for rule in group.rules]
    watched = {
        *(one.alert for one in (*rates.WATCHED, *counters.RATES)),
        *(one.name for one in counters.STATES),
        *(one.alert for one in (*counters.LOSSES, *counters.SHARES)),
        *("SqlobsLatency", "SqlobsNoTraffic", "SqlobsCost"),
        *("SqlobsSchemaStale", "SqlobsSchemaDrift", "SqlobsIncorrect"),
    }
    assert watched | CANNOT_TELL == {rule.name for rule in rules if isinstance(rule, Alert)}
    assert not watched & CANNOT_TELL
