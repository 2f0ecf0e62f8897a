"""Six hours of every metric, as Prometheus would have scraped them: a script, no chance.

Two workflows, models and prompt versions on two processes; exports every 60 s, scrapes every 15 s.
After an hour a scrape gap of 80 s, after two hours one of 10 minutes; after four hours a release
(new processes, prompt version v15) that invents names for half an hour, with its alert.
"""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from sqlobs.semconv import collector
from sqlobs.semconv.collector import COLLECTOR_METRICS, ORIGIN_LABELS
from sqlobs.semconv.metrics import METRICS
from tests.servers import installed

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs.semconv.metrics import Metric

HOURS = 6
SCRAPE_S = 15
EXPORT_S = 60
HOUR_S = 3600
GAPS = ((HOUR_S, HOUR_S + 80), (2 * HOUR_S, 2 * HOUR_S + 600))
"""No scrape between these seconds."""
RELEASE_S = 4 * HOUR_S
FIXED_S = RELEASE_S + 1800
STARTED_S = -30 * 86_400
"""The first processes have counted for a month, Prometheus has not seen it."""

Values = Callable[[float], float]
Labels = dict[str, str]


@dataclass(frozen=True)
class Process:
    """One process of the application."""

    instance: str
    version: str
    prompt: str
    since_s: float
    until_s: float

    def lives(self, at_s: float) -> bool:
        """Whether it is scraped at a time."""
        return self.since_s <= at_s < self.until_s


@dataclass(frozen=True)
class Series:
    """What one series shows, by the second since the beginning."""

    name: str
    labels: Labels
    value: Values
    """At an export."""
    process: Process | None = None

    def at(self, at_s: float) -> float | None:
        """Return the scraped value: that of the last export."""
        process = self.process
        if any(start <= at_s < end for start, end in GAPS):
            return None
        if process is None:
            return self.value(at_s)
        exported_s = at_s - at_s % EXPORT_S
        if not process.lives(at_s) or exported_s < process.since_s:
            return None
        return self.value(exported_s)


PROCESSES = (
    Process("a1", "1.0", "v14", STARTED_S, RELEASE_S),
    Process("b1", "1.0", "v14", STARTED_S, RELEASE_S + 300),
    Process("a2", "1.1", "v15", RELEASE_S, math.inf),
    Process("b2", "1.1", "v15", RELEASE_S + 300, math.inf),
)
WORKFLOWS = ("answer", "report")
MODELS = {"gpt-4o": 0.7, "claude-sonnet-4": 0.3}
PER_MINUTE = 60.0
VALUES: dict[str, dict[str, float]] = {
    "sqlobs_workflow": {"answer": 0.7, "report": 0.3},
    "gen_ai_request_model": MODELS,
    "sqlobs_verdict": {"ok": 0.86, "suspect": 0.06, "failed": 0.05, "not_evaluated": 0.03},
    "sqlobs_outcome": {"answered": 0.93, "abstained": 0.03, "clarified": 0.02, "error": 0.02},
    "gen_ai_evaluation_name": {"syntactic": 1, "schematic": 1, "schema_hallucination": 1},
    "gen_ai_evaluation_score_label": {"pass": 0.95, "fail": 0.04, "not_evaluated": 0.01},
    "sqlobs_failure_code": {"schema.unknown_column": 0.02, "schema.unknown_table": 0.02},
    "sqlobs_failure_group": {"schema": 1},
    "sqlobs_schema_hallucination_label": {"pass": 0.96, "fail": 0.01, "not_evaluated": 0.03},
    "sqlobs_dialect": {"postgres": 1},
    "sqlobs_attempt_number": {"1": 1, "2": 0.1},
    "sqlobs_target_name": {"warehouse": 1},
    "sqlobs_execution_status": {"ok": 0.95, "error": 0.04, "timeout": 0.01},
    "sqlobs_execution_sqlstate_class": {"42": 1},
    "sqlobs_result_empty": {"true": 0.08, "false": 0.92},
    "sqlobs_static_label": {"pass": 0.95, "fail": 0.05},
    "sqlobs_engine_label": {"pass": 0.94, "fail": 0.06},
    "sqlobs_repairable": {"true": 0.03, "false": 0.02},
    "sqlobs_stage": {"total": 1, "llm": 0.8, "retrieval": 0.1, "execution": 0.05},
    "sqlobs_check_method": {"static": 1},
    "sqlobs_reason": {"queue_full": 0.01},
    "sqlobs_token_type": {"input": 900, "output": 70},
    "sqlobs_feedback_kind": {"thumb": 0.1},
    "sqlobs_feedback_value": {"up": 0.8, "down": 0.2},
    "sqlobs_queue_name": {"check": 1, "unit": 2},
    "sqlobs_signal": {"metrics": 0.002, "unit": 0.001},
    "sqlobs_schema_change": {"table_added": 1, "column_removed": 0},
    "sqlobs_build_version": {"0.1.0": 1},
    "sqlobs_checker_version": {"0.1.0+sqlglot-30.30.0": 1},
    "sqlobs_catalog_version": {"3d6f0a51": 1},
    "sqlobs_metric_name": {"sqlobs.version.generations": 0.01},
}
"""The values of each label, with their share of the requests."""
ILL = {"failed", "fail", "schema.unknown_table"}
"""Values that the bad release has more of."""
OF_COLLECTOR: dict[str, dict[str, float]] = {
    "signal": {"logs": 1, "traces": 1},
    "kind": {"unit": 1},
    "state": {"done": 0.9, "error": 0.1},
    "reason": {"target_unavailable": 0.1},
    "evaluation": {"ex": 0.8, "flex": 0.75, "f1": 0.85, "first_attempt_pass_rate": 0.9},
    "label": {"pass": 0.8, "fail": 0.2},
    "static_label": {"pass": 0.95, "fail": 0.05},
    "engine_label": {"pass": 0.94, "fail": 0.06},
    "model": {"judge": 1},
    "token_type": {"input": 900, "output": 70},
    "target": {"warehouse": 1},
    "window": {"1h": 1, "24h": 1, "7d": 1},
    "sqlobs_workflow": {"answer": 1, "report": 0.9},
    "stat": {
        "raw": 1,
        "weighted": 1,
        "weighted_lower": 0.93,
        "weighted_upper": 1.05,
        "corrected": 0.95,
        "corrected_lower": 0.85,
        "corrected_upper": 1.02,
    },
    "verdict": {"ok": 0.9, "failed": 0.1},
    "failure_code": {"schema.unknown_column": 0.06, "schema.unknown_table": 0.04},
    "category": {"wrong_column": 0.3, "missing_filter": 0.2},
    "side": {"judge_only": 1},
    "set": {"golden.jsonl": 0.82},
}
OF_METRIC: dict[str, dict[str, dict[str, float]]] = {
    collector.RELAYED.name: {"outcome": {"sent": 1, "unsupported": 0.2}},
    collector.OUTCOME_SHARE.name: {"outcome": {"answered": 0.93, "abstained": 0.07}},
    collector.BUDGET_REMAINING.name: {"kind": {"judge_usd": 1, "judge_calls": 4}},
    collector.SCHEMA_HALLUCINATION_RATE.name: {"sqlobs_workflow": {"answer": 0.02, "report": 0.03}},
    collector.FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE.name: {
        "sqlobs_workflow": {"answer": 0.04, "report": 0.05}
    },
    collector.FIRST_ATTEMPT_PASS_RATE.name: {"sqlobs_workflow": {"answer": 0.9, "report": 0.86}},
    collector.QUALITY_REQUESTS.name: {"evaluation": {"ex": 1, "flex": 1, "f1": 1, "outcome": 3}},
}
"""Values of labels that one metric has instead."""
COLLECTOR_VALUES = {
    collector.STORE_UP.name: 1.0,
    collector.TARGET_UP.name: 1.0,
    collector.BUDGET_REMAINING.name: 7.5,
    collector.QUALITY_REQUESTS.name: 400.0,
    collector.QUALITY_SAMPLES.name: 310.0,
    collector.JOURNAL_BYTES.name: 3e7,
    collector.UNACKNOWLEDGED_BYTES.name: 4e4,
    collector.QUEUE_SIZE.name: 12.0,
    collector.QUEUE_AGE.name: 4.0,
    collector.JOURNAL_LAG.name: 0.4,
    collector.JUDGE_SPEND.name: 1.3,
}
RATES = {name for name in COLLECTOR_METRICS if name.endswith(("_rate", "_share", "_score"))}


def is_ill(process: Process, at_s: float) -> float:
    """Return for how many seconds a process has run the bad release at a time."""
    return max(0.0, min(at_s, FIXED_S) - process.since_s) if process.version == "1.1" else 0.0


def of_sdk(metric: Metric, process: Process) -> Iterator[Series]:
    """Yield the series of a metric of the SDK from one process."""
    names = [name for name in metric.prometheus_labels if name in VALUES]
    for values in product(*(VALUES[name].items() for name in names)):
        labels = dict(zip(names, (value for value, _ in values), strict=True))
        rate = PER_MINUTE / 60 * math.prod(part for _, part in values)
        identity = {
            "service_name": "shop",
            "deployment_environment_name": "prod",
            "service_instance_id": process.instance,
            "service_version": process.version,
        }
        if "gen_ai_prompt_version" in metric.prometheus_labels:
            labels["gen_ai_prompt_version"] = process.prompt
        factor = 12.0 if ILL & set(labels.values()) else 0.0
        base = Series(metric.prometheus_name, identity | labels, lambda _: 0.0, process)
        yield from _shaped(base, metric, rate, factor)


def _shaped(base: Series, metric: Metric, rate: float, factor: float) -> Iterator[Series]:
    process = base.process
    assert process is not None

    def counted(at_s: float) -> float:
        extra = rate * factor * is_ill(process, at_s)
        whole = rate * (at_s - process.since_s) + extra
        return round(whole, 4) if metric.unit == "{USD}" else math.floor(whole)

    if metric.kind == "counter":
        priced = rate * 0.004 if metric.unit == "{USD}" else rate
        if metric.unit == "{USD}":
            yield replace(base, value=lambda at_s: round(priced * (at_s - process.since_s), 6))
        else:
            yield replace(base, value=counted)
    elif metric.kind == "histogram":
        for share, bound in zip((0.1, 0.4, 0.7, 0.9, 0.97, 1.0), _bounds(metric), strict=True):
            named = replace(base, name=f"{base.name}_bucket", labels={**base.labels, "le": bound})
            yield replace(named, value=lambda at_s, share=share: math.floor(share * counted(at_s)))
    elif metric.name == "sqlobs.start_time":
        yield replace(base, value=lambda _: ORIGIN_S[0] + process.since_s)
    elif metric.name == "sqlobs.schema.age":
        yield replace(base, value=lambda at_s: (at_s - process.since_s) % HOUR_S)
    else:
        value = 0.0 if metric.name == "sqlobs.schema.stale" else 1.0
        yield replace(base, value=lambda _: value)


ORIGIN_S = [0.0]
"""Unix time of second 0; set by `write`."""


def _bounds(metric: Metric) -> list[str]:
    middle = len(metric.buckets) // 2
    return [*(f"{bound:g}" for bound in metric.buckets[middle - 2 : middle + 3]), "+Inf"]


def of_collector() -> Iterator[Series]:
    """Yield the series of the collector's own metrics."""
    origin = dict(zip(ORIGIN_LABELS, ("default", "shop", "prod"), strict=True))
    scraped = {"job": "sqlobs-collector", "instance": "collector:4319"}
    for metric in COLLECTOR_METRICS.values():
        known = OF_COLLECTOR | OF_METRIC.get(metric.name, {})
        for values in product(*(known[name].items() for name in metric.own_labels)):
            labels = dict(zip(metric.own_labels, (value for value, _ in values), strict=True))
            part = math.prod(share for _, share in values)
            named = {**labels, **origin, **scraped}
            yield Series(metric.name, named, _collected(metric.name, metric.kind, part))
    yield Series("up", scraped, lambda _: 1.0)


def _collected(name: str, kind: str, part: float) -> Values:
    if kind == "counter":
        if "usd" in name:
            return lambda at_s: round(3 + 0.0002 * part * at_s, 6)
        return lambda at_s: math.floor(1000 + 0.2 * part * at_s)
    if name in RATES or name.startswith("sqlobs_golden"):
        return lambda at_s: min(1.0, part * (1 + 0.02 * math.sin(at_s / 1500)))
    if name == collector.LAST_EVALUATION.name:
        return lambda at_s: ORIGIN_S[0] + at_s - at_s % 300
    level = COLLECTOR_VALUES.get(name, 0.0)
    if name == collector.QUALITY_REQUESTS.name:
        return lambda at_s: math.floor(level * part * (1 + 0.1 * math.sin(at_s / 900)))
    return lambda at_s: level * (1 + 0.1 * math.sin(at_s / 900))


def alerts() -> Iterator[Series]:
    """Yield the alert that the bad release causes."""
    labels = {
        "alertname": "SqlobsSchemaHallucination",
        "alertstate": "firing",
        "severity": "page",
        "service_name": "shop",
        "sqlobs_workflow": "answer",
    }
    firing = Process("-", "", "", RELEASE_S + 480, math.inf)
    yield Series("ALERTS", labels, lambda _: 1.0, firing)


def all_series() -> Iterator[Series]:
    """Yield everything that is scraped."""
    for metric in METRICS.values():
        for process in PROCESSES:
            yield from of_sdk(metric, process)
    yield from of_collector()
    yield from alerts()


def write(series: Iterator[Series], path: Path, *, until_s: float, hours: float = HOURS) -> None:
    """Write series as OpenMetrics, the last sample at a Unix time."""
    ORIGIN_S[0] = until_s - hours * HOUR_S
    by_name: dict[str, list[Series]] = {}
    for one in series:
        by_name.setdefault(one.name, []).append(one)
    with path.open("w") as file:
        for name, members in by_name.items():
            file.write(f"# TYPE {name} unknown\n")
            for one in members:
                file.writelines(_lines(one, hours))
        file.write("# EOF\n")


def _lines(series: Series, hours: float) -> Iterator[str]:
    labels = ",".join(f'{name}="{value}"' for name, value in series.labels.items() if value)
    for at_s in range(0, round(hours * HOUR_S) + 1, SCRAPE_S):
        value = series.at(at_s)
        if value is not None:
            yield f"{series.name}{{{labels}}} {value!r} {ORIGIN_S[0] + at_s:.3f}\n"


def backfill(samples: Path, storage: Path) -> None:
    """Make the database of a Prometheus from OpenMetrics."""
    arguments = ("tsdb", "create-blocks-from", "openmetrics", str(samples), str(storage))
    done = subprocess.run(
        [installed("promtool"), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
