"""Every metric of the collector, with its Prometheus name and labels."""

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
"""The statistic of a quality gauge: unweighted, weighted by 1 / probability, corrected for a
judge's errors, and the bounds of 95 % intervals.
"""

OTLP_PORT: Final = (
    "this is the OTLP port of sqlobs-collector, which accepts /v1/logs, /v1/traces and"
    " /v1/metrics; metrics and queries are served on its admin port (listen.admin, by default 4319)"
)
"""The OTLP port's response on any other path; `sqlobs` commands recognize a wrong port by it."""

Window = Literal["1h", "24h", "7d"]
"""The windows of quality gauges, by the time of the request."""

ORIGIN_LABELS: Final = ("workspace", "service_name", "deployment_environment_name")
"""The last labels of every series: two environments may have a service of the same name."""

_QUALITY: Final = ("sqlobs_workflow", "window")


@dataclass(frozen=True, slots=True)
class CollectorMetric:
    """One metric on the collector's `/metrics`."""

    name: str
    """The name in queries: a counter's ends in `_total`."""
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

RECEIVED: Final = _counter("received", "Acknowledged records by kind.", "signal", "kind")
REJECTED: Final = _counter(
    "rejected",
    "Rejected requests and records; a retryable rejection counts each time.",
    "signal",
    "reason",
)
RELAYED: Final = _counter(
    "relayed",
    "Requests relayed to the backend, by outcome; `unsupported`: it does not serve the signal.",
    "signal",
    "outcome",
)
SERIES_DROPPED: Final = _counter(
    "series_dropped",
    "Data points of the SDK's metrics that `/metrics` omits, because there are too many series.",
    "reason",
)
UNITS: Final = _counter(
    "units", "Units that entered a state, by state and reason.", "state", "reason"
)
EVALUATIONS: Final = _counter(
    "evaluations", "Evaluations by this collector.", "evaluation", "label", "kind"
)
COMPARISONS: Final = _counter(
    "comparisons",
    "Statements that a target or a local engine decided, by the checker's label and the engine's.",
    "static_label",
    "engine_label",
)
JUDGE_TOKENS: Final = _counter(
    "judge_tokens", "Tokens of the judge's calls.", "model", "token_type"
)
JUDGE_COST: Final = _counter("judge_cost_usd", "Cost of the judge's calls, in USD.", "model")
STORE_FAILURES: Final = _counter(
    "store_failures",
    "Failed statements and connections to the store, which are repeated, by reason.",
    "reason",
)

UNACKNOWLEDGED_BYTES: Final = _gauge(
    "collector_unacknowledged_bytes", "Bytes received and not yet acknowledged."
)
JOURNAL_BYTES: Final = _gauge("collector_journal_bytes", "Bytes that the journal's files occupy.")
JOURNAL_LAG: Final = _gauge(
    "collector_journal_lag_seconds",
    "Age of the oldest acknowledged record that is not in the store yet.",
)
JOURNAL_UNPROJECTED: Final = _gauge(
    "collector_journal_unprojected_records", "Acknowledged records that are not in the store yet."
)
JOURNAL_LOST_REQUESTS: Final = _gauge(
    "collector_journal_lost_requests",
    "Acknowledged requests lost to journal damage before they were in the store.",
)
JOURNAL_LOST_RECORDS: Final = _gauge(
    "collector_journal_lost_records",
    "Records (units, reports, spans, schemas) in the lost requests.",
)
JOURNAL_QUARANTINED: Final = _gauge(
    "collector_journal_quarantined_files", "Damaged journal files, kept for inspection."
)
JOURNALS_STOPPED: Final = _gauge(
    "collector_journals_stopped",
    "Processes, among all on the store, whose journal cannot be written: they acknowledge nothing.",
    "reason",
)
QUEUE_SIZE: Final = _gauge("collector_queue_size", "Units that wait for evaluation or the judge.")
QUEUE_AGE: Final = _gauge(
    "collector_queue_age_seconds", "Age of the oldest unit that waits for evaluation."
)
CANCELED: Final = _gauge(
    "collector_canceled_units", "Units in the store that were canceled before their evaluation."
)
TARGET_HELD: Final = _gauge(
    "collector_target_held_backends",
    "Database sessions that outlived their worker; while above 0, no statement is sent to this"
    " target.",
    "target",
)
BUDGET_REMAINING: Final = _gauge(
    "collector_budget_remaining",
    "The rest of today's budget (UTC), of a workspace or of all; `judge_usd` is in USD.",
    "kind",
)
JUDGE_STOPPED: Final = _gauge(
    "collector_judge_stopped_questions",
    "Questions to the judge that were not asked today (UTC): `workspace_budget`: the budget of the"
    " workspace is used up; `budget`: that of all workspaces is, or the rate limit is reached.",
    "reason",
)

STORE_UP: Final = _gauge(
    "collector_store_up",
    "1 while the store works for this process, 0 if it failed in the last 20 s.",
)
TARGET_UP: Final = _gauge(
    "collector_target_up",
    "1 while a target is reachable, 0 while it is not.",
    "target",
)

JUDGE_PAUSED: Final = _gauge(
    "collector_judge_paused", "1 while the judge is paused because it failed its canaries."
)

# Quality: gauges, computed from the store by the time of the request ----------------------------

SCHEMA_HALLUCINATION_RATE: Final = _gauge(
    "schema_hallucination_rate",
    "Share of the evaluated requests that invented a name: the alerting rate.",
    *_QUALITY,
    "stat",
)
FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE: Final = _gauge(
    "first_attempt_schema_hallucination_rate",
    "Share of the evaluated first attempts that invented a name, regardless of later repairs.",
    *_QUALITY,
    "stat",
)
QUALITY_PASS_RATE: Final = _gauge(
    "quality_pass_rate",
    "Share of the evaluated requests that pass.",
    "evaluation",
    *_QUALITY,
    "stat",
)
QUALITY_REQUESTS: Final = _gauge(
    "quality_requests",
    "Requests in the denominator, unweighted: of an evaluation, of a rate"
    " (`first_attempt_pass_rate`), or all requests (`outcome`).",
    "evaluation",
    *_QUALITY,
)
QUALITY_CENSORED: Final = _gauge(
    "quality_censored_share",
    "Share of a workspace's requests that its intake quota kept out of the window, by whole hours;"
    " absent where none was.",
    "window",
)
QUALITY_SCORE: Final = _gauge(
    "quality_score", "Mean score of graded evaluations.", "evaluation", *_QUALITY, "stat"
)
QUALITY_SAMPLES: Final = _gauge(
    "quality_effective_samples",
    "Kish's effective sample size of the weighted statistics.",
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
    "Share of the answered requests with a verdict that have this primary failure code.",
    "failure_code",
    *_QUALITY,
    "stat",
)
OUTCOME_SHARE: Final = _gauge(
    "quality_outcome_share",
    "Share of all requests with this outcome: `abstained` and `clarified` count in no other rate,"
    " except that an abstention counts in the scores that compare with a known reference.",
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
    "Share of the requests of the last 7 days on one side of the comparison of judge and `ex` that"
    " have this category, weighted; a request may have several.",
    "category",
    "side",
)
GOLDEN_PASS_RATE: Final = _gauge(
    "golden_pass_rate",
    "Share of the requests of the last 7 days with a case in the golden file that pass `ex`,"
    " weighted.",
    "set",
)
LAST_EVALUATION: Final = _gauge(
    "last_evaluation_timestamp_seconds", "Time of the latest evaluation.", "evaluation"
)
