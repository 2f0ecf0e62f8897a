"""Every metric of the collector, once, under the name and with the labels that Prometheus sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Stat = Literal[
    "raw",
    "weighted",
    "weighted_lower",
    "weighted_upper",
    "corrected",
    "corrected_lower",
    "corrected_upper",
]
"""What a quality gauge shows: counted, weighted by 1 / probability, corrected for a judge's
errors, and the ends of 95 % intervals."""

OTLP_PORT: Final = (
    "this is the OTLP port of sqlobs-collector, which takes /v1/logs, /v1/traces and /v1/metrics;"
    " metrics and questions are answered on its admin port (listen.admin, by default 4319)"
)
"""What the OTLP port answers where something else is asked; our commands tell it from others."""

Window = Literal["1h", "24h", "7d"]
"""The windows of quality gauges, by the time of the request."""

ORIGIN_LABELS: Final = ("workspace", "service_name", "deployment_environment_name")
"""On every series, last: two workspaces may have a service of the same name."""

_QUALITY: Final = ("workflow", "window")


@dataclass(frozen=True, slots=True)
class CollectorMetric:
    """One metric on the collector's `/metrics`."""

    name: str
    """As it is queried: a counter's ends in `_total`."""
    kind: Literal["counter", "gauge"]
    brief: str
    own_labels: tuple[str, ...]
    """The labels before `ORIGIN_LABELS`."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Exactly the labels of a series."""
        return (*self.own_labels, *ORIGIN_LABELS)


COLLECTOR_METRICS: Final[dict[str, CollectorMetric]] = {}
"""Every metric by name, in the order of declaration."""


def _counter(name: str, brief: str, *labels: str) -> CollectorMetric:
    return _metric(f"sqlobs_collector_{name}_total", "counter", brief, labels)


def _gauge(name: str, brief: str, *labels: str) -> CollectorMetric:
    return _metric(f"sqlobs_{name}", "gauge", brief, labels)


def _metric(
    name: str, kind: Literal["counter", "gauge"], brief: str, labels: tuple[str, ...]
) -> CollectorMetric:
    metric = COLLECTOR_METRICS[name] = CollectorMetric(name, kind, brief, labels)
    return metric


# Flow: counters of this process -----------------------------------------------------------------

RECEIVED: Final = _counter("received", "Records acknowledged, by what they are.", "signal", "kind")
REJECTED: Final = _counter(
    "rejected",
    "Requests and records refused; a retryable refusal is counted each time.",
    "signal",
    "reason",
)
RELAYED: Final = _counter(
    "relayed", "Requests for the backend, by how they ended.", "signal", "outcome"
)
UNITS: Final = _counter(
    "units", "Units that entered a state, by the reason for it.", "state", "reason"
)
EVALUATIONS: Final = _counter(
    "evaluations", "Evaluations made here.", "evaluation", "label", "kind"
)
COMPARISONS: Final = _counter(
    "comparisons",
    "Statements run here, by the checker's label and the engine's.",
    "static_label",
    "engine_label",
)
JUDGE_TOKENS: Final = _counter(
    "judge_tokens", "Tokens of the judge's calls.", "model", "token_type"
)
JUDGE_COST: Final = _counter("judge_cost_usd", "Cost of the judge's calls, in USD.", "model")

UNACKNOWLEDGED_BYTES: Final = _gauge(
    "collector_unacknowledged_bytes", "Bytes received and not yet acknowledged."
)
JOURNAL_BYTES: Final = _gauge("collector_journal_bytes", "Bytes that the journal's files occupy.")
JOURNAL_LAG: Final = _gauge(
    "collector_journal_lag_seconds",
    "For how long the oldest acknowledged record that is not in the store has waited.",
)
JOURNAL_UNPROJECTED: Final = _gauge(
    "collector_journal_unprojected_records", "Acknowledged records that are not in the store yet."
)
JOURNAL_LOST_REQUESTS: Final = _gauge(
    "collector_journal_lost_requests",
    "Acknowledged requests that damage to the journal destroyed before they were in the store.",
)
JOURNAL_LOST_RECORDS: Final = _gauge(
    "collector_journal_lost_records", "The records (units, reports, spans, schemas) in them."
)
JOURNAL_QUARANTINED: Final = _gauge(
    "collector_journal_quarantined_files", "Damaged journal files, kept for inspection."
)
QUEUE_SIZE: Final = _gauge("collector_queue_size", "Units that wait for evaluation or the judge.")
QUEUE_AGE: Final = _gauge(
    "collector_queue_age_seconds", "Age of the oldest unit that waits for evaluation."
)
TARGET_HELD: Final = _gauge(
    "collector_target_held_backends",
    "Backends on a target's server that outlived their worker: above 0 no statement is sent there.",
    "target",
)
BUDGET_REMAINING: Final = _gauge(
    "collector_budget_remaining",
    "What is left of today's budget (UTC); `judge_usd` is in USD.",
    "kind",
)

TARGET_UP: Final = _gauge(
    "collector_target_up",
    "1 while a target answers, 0 while it does not.",
    "target",
)

JUDGE_PAUSED: Final = _gauge(
    "collector_judge_paused", "1 while the judge is mistaken about its canaries and not asked."
)

# Quality: gauges, computed from the store by the time of the request ----------------------------

SCHEMA_HALLUCINATION_RATE: Final = _gauge(
    "schema_hallucination_rate",
    "Share of the evaluated requests that invented a name: the rate that alerts watch.",
    *_QUALITY,
    "stat",
)
FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE: Final = _gauge(
    "first_attempt_schema_hallucination_rate",
    "Share of the evaluated first attempts that invented a name, whatever was repaired later.",
    *_QUALITY,
    "stat",
)
QUALITY_PASS_RATE: Final = _gauge(
    "quality_pass_rate",
    "Share that passes, of what was evaluated.",
    "evaluation",
    *_QUALITY,
    "stat",
)
QUALITY_REQUESTS: Final = _gauge(
    "quality_requests",
    "Requests in the denominator, as counted: of an evaluation, of a rate by its name "
    "(`first_attempt_pass_rate`), or all of them (`outcome`).",
    "evaluation",
    *_QUALITY,
)
QUALITY_SCORE: Final = _gauge(
    "quality_score", "Mean score of graded evaluations.", "evaluation", *_QUALITY, "stat"
)
QUALITY_SAMPLES: Final = _gauge(
    "quality_effective_samples",
    "Kish's effective sample size of the weighted figures.",
    "evaluation",
    *_QUALITY,
)
VERDICT_SHARE: Final = _gauge(
    "quality_verdict_share",
    "Share of the answered requests with a verdict.",
    "verdict",
    *_QUALITY,
    "stat",
)
FAILURE_SHARE: Final = _gauge(
    "quality_failure_share",
    "Share of the answered requests with a verdict whose primary failure code it is.",
    "failure_code",
    *_QUALITY,
    "stat",
)
OUTCOME_SHARE: Final = _gauge(
    "quality_outcome_share",
    "Share of all requests that ended so: `abstained` and `clarified` are in no other rate, except "
    "that an abstention counts in the scores that compare with a known reference.",
    "outcome",
    *_QUALITY,
    "stat",
)
FIRST_ATTEMPT_PASS_RATE: Final = _gauge(
    "first_attempt_pass_rate",
    "Share of the evaluated first attempts that are ok or suspect.",
    *_QUALITY,
    "stat",
)
JUDGE_SPEND: Final = _gauge(
    "quality_judge_cost_usd", "Cost of judging the requests of a window, in USD.", *_QUALITY
)
CATEGORY_SHARE: Final = _gauge(
    "judge_category_share",
    "Share of a category among the requests of the last 7 days on one side of judge and `ex`, "
    "weighted; a request may be in several.",
    "category",
    "side",
)
GOLDEN_PASS_RATE: Final = _gauge(
    "golden_pass_rate",
    "Share that passes `ex`, of the requests of the last 7 days with a case in the golden file, "
    "weighted.",
    "set",
)
LAST_EVALUATION: Final = _gauge(
    "last_evaluation_timestamp_seconds", "When an evaluation was last made.", "evaluation"
)
