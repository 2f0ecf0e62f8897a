"""Unit tests of rules for `promtool test rules`: series, and the alerts that fire on them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from sqlobs import semconv
from sqlobs.monitoring import schema_hallucination as hallucination
from sqlobs.monitoring.promql import INSTANCE, Selection
from sqlobs.semconv import metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlobs.monitoring.settings import RuleSettings
    from sqlobs.semconv import collector

SHOP: Final = {"service_name": "shop", "deployment_environment_name": "prod"}
COLLECTOR: Final = {"job": "sqlobs-collector", "instance": "collector:4319"}
LONG_AGO_S: Final = -1_000_000
ANSWERS: Final = {**SHOP, "sqlobs_workflow": "answer"}


@dataclass(frozen=True, slots=True)
class Firing:
    """An alert that fires."""

    name: str
    severity: str
    labels: Mapping[str, str] = field(default_factory=lambda: ANSWERS)

    def sample(self, settings: RuleSettings) -> dict[str, object]:
        """Return the sample of `ALERTS` for this firing alert."""
        labels = {
            "alertname": self.name,
            "alertstate": "firing",
            "severity": self.severity,
            **settings.labels,
            **self.labels,
        }
        return {"labels": named("ALERTS", labels), "value": 1}


@dataclass(frozen=True, slots=True)
class Case:
    """A history of series with one value per step, and the alerts that fire at given steps."""

    name: str
    series: Mapping[str, str]
    firing: Mapping[int, Sequence[Firing]] = field(default_factory=dict)
    """Firing alerts by step; all others must not fire."""
    values: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    """Expected values of single-sample expressions, by step."""
    is_collector_up: bool = True
    start: str = f"{LONG_AGO_S}x2000"
    """When the shop's process started, in seconds since the history's start."""
    step_s: int = 60

    def document(self, settings: RuleSettings) -> dict[str, Any]:
        """Return the case as an entry of the test file."""
        up = {up_series(settings): "1x2000"} if self.is_collector_up else {}
        series = {**up, counter(Selection(metrics.START_TIME)): self.start, **self.series}
        return {
            "name": self.name,
            "interval": settings.duration(self.step_s),
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "promql_expr_test": [*self._alerts(settings), *self._values(settings)],
        }

    def _alerts(self, settings: RuleSettings) -> Iterator[dict[str, Any]]:
        for step, firing in self.firing.items():
            yield {
                "expr": 'ALERTS{alertstate="firing"}',
                "eval_time": settings.duration(self.step_s * step),
                "exp_samples": [one.sample(settings) for one in firing],
            }

    def _values(self, settings: RuleSettings) -> Iterator[dict[str, Any]]:
        for step, values in self.values.items():
            for expression, value in values.items():
                yield {
                    "expr": f"sum({expression})",
                    "eval_time": settings.duration(self.step_s * step),
                    "exp_samples": [{"labels": "{}", "value": value}],
                }


def tests_document(
    cases: Iterable[Case],
    settings: RuleSettings,
    *,
    rules: str,
    groups: Sequence[str],
    step_s: int,
) -> dict[str, Any]:
    """Return the content of a test file.

    Args:
        cases: The histories to test.
        settings: The settings that the rules were generated from.
        rules: The name of the rule file beside it.
        groups: The names of its groups in order; each may read the recordings of those before it.
        step_s: Seconds between two values of a series, and between two evaluations.
    """
    return {
        "rule_files": [rules],
        # Without this, promtool evaluates the groups in any order and may read stale recordings
        "group_eval_order": list(groups),
        "evaluation_interval": settings.duration(step_s),
        "tests": [replace(case, step_s=step_s).document(settings) for case in cases],
    }


def evaluations(label: str, name: str = hallucination.EVALUATION, **target: str) -> str:
    """Return the shop's counter of an evaluation with a label."""
    return of_workflow(
        metrics.EVALUATIONS,
        {semconv.GEN_AI_EVALUATION_NAME: name, semconv.GEN_AI_EVALUATION_SCORE_LABEL: label},
        **target,
    )


def generations(verdict: str, outcome: str = "answered") -> str:
    """Return the shop's counter of requests with a verdict and an outcome."""
    return of_workflow(
        metrics.GENERATIONS, {semconv.SQLOBS_VERDICT: verdict, semconv.SQLOBS_OUTCOME: outcome}
    )


def of_workflow(
    metric: metrics.Metric, matches: Mapping[str, str], *, suffix: str = "", **target: str
) -> str:
    """Return a series of the shop's workflow `answer`."""
    where = {semconv.SQLOBS_WORKFLOW: "answer", **matches}
    return counter(Selection(metric, where, suffix=suffix), **target)


def of_version(version: str, label: str, **target: str) -> str:
    """Return the shop's counter of requests of a prompt version, by the label of invented names."""
    return of_workflow(
        metrics.VERSION_GENERATIONS,
        {
            semconv.GEN_AI_REQUEST_MODEL: "gpt-4o",
            semconv.GEN_AI_PROMPT_VERSION: version,
            semconv.SQLOBS_SCHEMA_HALLUCINATION_LABEL: label,
        },
        **target,
    )


def counter(selection: Selection, **target: str) -> str:
    """Return a series of one process of the shop, with the labels that the collector exposes."""
    scraped = {**COLLECTOR, **target}
    return _of(selection, {**SHOP, INSTANCE: "a", **scraped})


def flow(metric: collector.CollectorMetric, **labels: str) -> str:
    """Return one of the collector's counters for the shop."""
    return _of(Selection(metric, labels), {**SHOP, **COLLECTOR})


def gauge(metric: collector.CollectorMetric, **labels: str) -> str:
    """Return a gauge of the collector about itself."""
    return _of(Selection(metric, labels), COLLECTOR)


def sample(metric: collector.CollectorMetric, **labels: str) -> str:
    """Return a one-hour quality gauge for the shop."""
    where = {"evaluation": hallucination.EVALUATION, "sqlobs_workflow": "answer", "window": "1h"}
    known = {name: value for name, value in where.items() if name in metric.labels}
    return _of(Selection(metric, {**known, **labels}), SHOP)


def _of(selection: Selection, more: Mapping[str, str]) -> str:
    within = tuple(f'{name}="{value}"' for name, value in more.items())
    return str(Selection(selection.metric, selection.matches, within, selection.suffix))


def up_series(settings: RuleSettings, instance: str = COLLECTOR["instance"]) -> str:
    """Return the `up` series of Prometheus for a collector."""
    return named("up", {"job": settings.job, "instance": instance})


def named(name: str, labels: Mapping[str, str]) -> str:
    """Return a series in the notation of test files: `name{label="value"}`."""
    matchers = ", ".join(f'{key}="{value}"' for key, value in labels.items())
    return f"{name}{{{matchers}}}"
