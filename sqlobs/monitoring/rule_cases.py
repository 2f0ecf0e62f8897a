"""The histories that the rules are tested with, and every alert that fires in them.

`rate_cases.py` beside it has those about failure rates.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring.promql import Selection
from sqlobs.monitoring.rate_cases import rate_cases, slow_rate_cases
from sqlobs.monitoring.rule_tests import (
    ANSWERS,
    COLLECTOR,
    SHOP,
    Case,
    Firing,
    counter,
    evaluations,
    flow,
    gauge,
    generations,
    of_workflow,
    sample,
    up_series,
)
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.monitoring.settings import RuleSettings

STEP_S: Final = 60
SLOW_STEP_S: Final = 300
"""Steps of histories of hours, and of days."""
_DAY: Final = 86_400 // SLOW_STEP_S
_TARGET: Final = semconv.SQLOBS_TARGET_NAME.replace(".", "_")


def cases(settings: RuleSettings) -> Iterator[Case]:
    """Yield histories of hours."""
    yield from chain(
        rate_cases(),
        _usage_cases(),
        _collector_cases(settings),
        _state_cases(),
        _evaluator_cases(),
        _blindness_cases(),
        _loss_cases(),
        _sample_cases(settings),
    )


def slow_cases(settings: RuleSettings) -> Iterator[Case]:
    """Yield histories of days."""
    yield from slow_rate_cases(settings)
    cost = of_workflow(metrics.USAGE_COST, {semconv.GEN_AI_REQUEST_MODEL: "gpt-4o"})
    yield Case(
        "requests cost five times as much as the day before",
        {cost: f"0+0.1x{_DAY + 24} {0.1 * (_DAY + 24) + 0.5}+0.5x24"},
        firing={_DAY + 20: (), _DAY + 44: (Firing("SqlobsCost", "ticket"),)},
    )


def _usage_cases() -> Iterator[Case]:
    total = {semconv.SQLOBS_STAGE: "total"}
    fast, slow, every = (
        of_workflow(metrics.STAGE_DURATION, total, suffix="_bucket", le=le)
        for le in ("0.64", "5.12", "+Inf")
    )
    yield Case(
        "requests take ten times as long as usual",
        {
            fast: "0+10x60 600x60",
            slow: "0+10x120",
            every: "0+10x120",
            generations("ok"): "0+10x120",
        },
        firing={60: (), 66: (Firing("SqlobsLatency", "page"),)},
    )


def _collector_cases(settings: RuleSettings) -> Iterator[Case]:
    gone = Firing("SqlobsCollectorGone", "page", {"job": settings.job})
    yield Case(
        "a collector that does not answer",
        {up_series(settings): "1x10 0x30"},
        firing={12: (), 20: (gone,)},
    )
    yield Case(
        "a collector that nobody scrapes",
        {},
        firing={2: (), 10: (gone,)},
        is_collector_up=False,
    )
    down = Firing("SqlobsCollectorDown", "ticket", {"job": settings.job, "instance": "b:4319"})
    yield Case(
        "one of two collectors is down",
        {up_series(settings, "b:4319"): "1x10 0x30"},
        firing={12: (), 20: (down,)},
    )


def _state_cases() -> Iterator[Case]:
    for name, metric, values, labels in (
        ("SqlobsCollectorBehind", collector.JOURNAL_LAG, "0x10 900x30", {}),
        ("SqlobsStoreDown", collector.STORE_UP, "1x10 0x30", {}),
        (
            "SqlobsReceiverStopped",
            collector.JOURNALS_STOPPED,
            "0x10 1x30",
            {"reason": "disk_full"},
        ),
        ("SqlobsTargetDown", collector.TARGET_UP, "1x10 0x30", {"target": "shop"}),
        ("SqlobsTargetHeld", collector.TARGET_HELD, "0x10 2x30", {"target": "shop"}),
        ("SqlobsJudgePaused", collector.JUDGE_PAUSED, "0x10 1x30", {}),
        ("SqlobsBudgetExhausted", collector.BUDGET_REMAINING, "5x10 0x30", {"kind": "judge_usd"}),
        ("SqlobsJudgeOverBudget", collector.JUDGE_STOPPED, "0x10 7x30", {"reason": "budget"}),
        ("SqlobsJournalDamaged", collector.JOURNAL_QUARANTINED, "0x10 1x30", {}),
    ):
        yield Case(
            f"a bad state of the collector: {name}",
            {gauge(metric, **labels): values},
            firing={9: (), 20: (Firing(name, "ticket", {**COLLECTOR, **labels}),)},
        )
    refused = {"signal": "logs", "reason": "unauthorized"}
    yield Case(
        "records that the collector rejects",
        {flow(collector.REJECTED, **refused): "_x5 7x60"},
        firing={5: (), 15: (Firing("SqlobsRecordsRejected", "ticket", refused),), 50: ()},
    )
    dropped = {"reason": "budget"}
    yield Case(
        "series that the collector drops",
        {flow(collector.SERIES_DROPPED, **dropped): "_x5 7x60"},
        firing={5: (), 15: (Firing("SqlobsSeriesDropped", "ticket", dropped),), 50: ()},
    )


def _evaluator_cases() -> Iterator[Case]:
    yield Case(
        "a unit that ends its evaluators, among many that are evaluated",
        {
            flow(collector.UNITS, state="done", reason=""): "_x5 100x60",
            flow(collector.UNITS, state="error", reason="error"): "_x5 1x90",
        },
        firing={5: (), 10: (Firing("SqlobsUnitsGivenUp", "ticket", SHOP),), 80: ()},
    )
    yield Case(
        "an unreachable target",
        {
            flow(collector.UNITS, state="done", reason=""): "_x5 100x60",
            flow(collector.UNITS, state="held", reason="target_unavailable"): "_x5 60x60",
        },
        firing={5: (), 20: (Firing("SqlobsUnitsUnscored", "ticket", SHOP),)},
    )
    judged = {**SHOP, "evaluation": "flex"}
    llm = {"evaluation": "flex", "kind": "llm"}
    yield Case(
        "a judge that gives no verdict",
        {
            flow(collector.EVALUATIONS, label="pass", **llm): "_x5 50x60",
            flow(collector.EVALUATIONS, label="not_evaluated", **llm): "_x5 50x60",
        },
        firing={5: (), 20: (Firing("SqlobsJudgeFailing", "ticket", judged),)},
    )


def _blindness_cases() -> Iterator[Case]:
    missing = Firing("SqlobsVerdictsMissing", "ticket")
    half = {generations("ok"): "0+10x120", generations("not_evaluated"): "0+10x120"}
    yield Case("half of the answers have no verdict", half, firing={1: (), 20: (missing,)})
    yield Case(
        "no other gauge masks missing verdicts",
        {**half, sample(collector.QUALITY_SAMPLES): "300x120"},
        firing={20: (missing,)},
    )
    stale = counter(Selection(metrics.SCHEMA_STALE, {semconv.SQLOBS_TARGET_NAME: "main"}))
    is_stale = Firing("SqlobsSchemaStale", "ticket", {**SHOP, _TARGET: "main"})
    yield Case(
        "a schema that cannot be refreshed is one ticket, not two",
        {
            generations("ok"): "0+10x120",
            generations("not_evaluated"): "0x5 10+10x115",
            stale: "0x5 1x60",
        },
        firing={15: (is_stale,)},
    )
    change = {semconv.SQLOBS_TARGET_NAME: "main", semconv.SQLOBS_SCHEMA_CHANGE: "column_removed"}
    drifted = {**SHOP, _TARGET: "main", "sqlobs_schema_change": "column_removed"}
    yield Case(
        "a migration removes columns",
        {counter(Selection(metrics.SCHEMA_DRIFT, change)): "0x10 2x120"},
        firing={9: (), 12: (Firing("SqlobsSchemaDrift", "info", drifted),), 80: ()},
    )
    yield Case(
        "a service whose metrics end after hours",
        {counter(Selection(metrics.BUILD_INFO)): "1x300"},
        firing={310: (), 330: (Firing("SqlobsServiceSilent", "ticket", SHOP),)},
    )
    yield Case(
        "a batch job of twenty minutes is silent by design",
        {counter(Selection(metrics.BUILD_INFO)): "_x20 1x20"},
        firing={70: (), 100: ()},
    )


def _loss_cases() -> Iterator[Case]:
    lost = Selection(metrics.EXPORT_FAILURES, {semconv.SQLOBS_SIGNAL: "unit"})
    yield Case(
        "units that do not reach the collector",
        {counter(lost): "_x5 7x60"},
        firing={5: (), 15: (Firing("SqlobsUnitsLost", "ticket", SHOP),), 50: ()},
    )
    folded = counter(Selection(metrics.SERIES_FOLDED))
    yield Case(
        "requests counted under other",
        {folded: "0x5 40x60"},
        firing={4: (), 12: (Firing("SqlobsSeriesFolded", "ticket", SHOP),)},
    )
    unsafe = {
        semconv.SQLOBS_FAILURE_GROUP: "safety",
        semconv.SQLOBS_FAILURE_CODE: "safety.unsafe_statement",
    }
    yield Case(
        "one statement that would change data",
        {of_workflow(metrics.FAILURES, unsafe): "_x5 1x120"},
        firing={4: (), 6: (Firing("SqlobsUnsafeStatements", "ticket"),), 85: ()},
    )


def _sample_cases(settings: RuleSettings) -> Iterator[Case]:
    seen = {
        sample(collector.QUALITY_SAMPLES): f"{2 * settings.objectives.min_requests}x120",
        sample(collector.SCHEMA_HALLUCINATION_RATE, stat="weighted_lower"): "0.7x120",
    }
    sampled = Firing("SqlobsSchemaHallucinationInSample", "page")
    yield Case(
        "a service without counters, seen through its units", seen, firing={3: (), 10: (sampled,)}
    )
    yield Case(
        "where counters exist, they take precedence",
        {**seen, evaluations("pass"): "0+10x120", evaluations("fail"): "0x120"},
        firing={20: ()},
    )
    judged = {"evaluation": "flex", "window": "24h"}
    incorrect = Firing("SqlobsIncorrect", "ticket", {**ANSWERS, "evaluation": "flex"})
    yield Case(
        "a judge finds half of the answers incorrect",
        {
            sample(collector.QUALITY_SAMPLES, **judged): "100x60",
            sample(collector.QUALITY_PASS_RATE, **judged, stat="weighted_upper"): "0.5x60",
        },
        firing={10: (), 20: (incorrect,)},
    )
