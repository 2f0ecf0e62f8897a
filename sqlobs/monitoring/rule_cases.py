"""The metric histories that the rules are tested with: which alerts fire, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring import schema_hallucination as hallucination
from sqlobs.monitoring.promql import Selection
from sqlobs.monitoring.rule_tests import (
    SAMPLED,
    SHOP,
    Case,
    Firing,
    counter,
    evaluations,
    flow,
    generations,
    named,
    sample,
    up_series,
)
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.monitoring.settings import RuleSettings

STEP_S: Final = 60
SLOW_STEP_S: Final = 900
"""Step lengths of histories that span hours, and days."""
_DAY: Final = 86_400 // SLOW_STEP_S
"""Steps of a day."""

_PAGE: Final = Firing("SqlobsSchemaHallucination", "page")
_TICKET: Final = Firing("SqlobsSchemaHallucinationSlow", "ticket")
_FIRST: Final = Firing("SqlobsSchemaHallucinationFirst", "info")


def cases(settings: RuleSettings) -> Iterator[Case]:
    """Yield the histories that span hours."""
    yield from _hallucination_cases(settings)
    yield from _blindness_cases(settings)


def _hallucination_cases(settings: RuleSettings) -> Iterator[Case]:
    enough = max(settings.min_requests, settings.min_failures)
    yield Case(
        "no invented name, no alert",
        {evaluations("pass"): "0+10x60", evaluations("fail"): "0x60"},
        firing={60: ()},
    )
    yield Case(
        "the first failures ever fire a page, although no scrape saw their series at zero",
        {evaluations("pass"): f"{enough}x120", evaluations("fail"): f"_x10 {3 * enough}x110"},
        firing={9: (), 10: (_FIRST,), 13: (_FIRST, _PAGE)},
        values={10: {hallucination.failed("1h"): 3 * enough, hallucination.ratio("1h"): 0.75}},
    )
    yield Case(
        "one failure, the first ever, fires a notice but no page",
        {evaluations("pass"): "0+10x120", evaluations("fail"): "_x30 1x90"},
        firing={29: (), 30: (_FIRST,), 40: (_FIRST,)},
    )
    few = settings.min_requests - 1
    yield Case(
        "too few requests for a rate: no page, even if all of them fail",
        {evaluations("pass"): "0x120", evaluations("fail"): f"0 {few}x119"},
        firing={10: (_FIRST,), 30: (_FIRST,)},
    )
    yield Case(
        "a page resolves after the failures end; the ticket for the burned budget stays open",
        {evaluations("pass"): "0+10x80", evaluations("fail"): "0x5 0+90x10 900x70"},
        firing={15: (_FIRST, _PAGE), 75: (_TICKET,)},
    )
    yield Case(
        "a process that restarts under its old name does not alert",
        {evaluations("pass"): "500+10x60 0+10x60", evaluations("fail"): "1x60 0x60"},
        firing={30: (_FIRST,), 62: (), 90: ()},
    )
    yield Case(
        "a second path to Prometheus counts once",
        {
            evaluations("pass"): "0+10x60",
            evaluations("pass", job="otlp"): "0+10x60",
            evaluations("fail"): "0x60",
            evaluations("fail", job="otlp"): "0x60",
        },
        values={30: {hallucination.evaluated("1h"): 300}},
    )


def slow_cases(settings: RuleSettings) -> Iterator[Case]:
    """Yield the histories that span days: the budget burns slightly too fast, or slowly enough."""
    rate = min(2.5 * settings.objective, (settings.objective + 1) / 2)
    yield Case(
        "a rate above the objective for a day fires a ticket",
        {
            evaluations("pass"): f"0+{10_000 - round(10_000 * rate)}x{_DAY}",
            evaluations("fail"): f"0+{round(10_000 * rate)}x{_DAY}",
        },
        firing={_DAY: (*_page_at(rate, settings), _TICKET)},
    )
    yield Case(
        "a rate below the objective never alerts",
        {
            evaluations("pass"): f"0+{10_000 - round(5_000 * settings.objective)}x{_DAY}",
            evaluations("fail"): f"0+{round(5_000 * settings.objective)}x{_DAY}",
        },
        firing={_DAY // 2: (), _DAY: ()},
    )
    yield Case(
        "three failures in ten requests a day are not significant",
        {evaluations("pass"): "0x40 7x56", evaluations("fail"): "0x40 3x56"},
        firing={_DAY: ()},
    )


def _page_at(rate: float, settings: RuleSettings) -> tuple[Firing, ...]:
    """Return the page that fires with the ticket: a large objective leaves little headroom."""
    return (_PAGE,) if rate > settings.threshold(6) else ()


def _blindness_cases(settings: RuleSettings) -> Iterator[Case]:
    job = {"job": settings.job}
    gone = Firing("SqlobsCollectorGone", "page", {**job, "instance": "collector:4319"})
    yield Case(
        "a collector that does not respond",
        {up_series(settings): "1x10 0x30"},
        firing={12: (), 20: (gone,)},
    )
    yield Case(
        "a collector that is not scraped",
        {},
        firing={2: (), 10: (Firing("SqlobsCollectorGone", "page", job),)},
        is_collector_up=False,
    )
    unchecked = {
        generations("ok"): "0+10x120",
        generations("not_evaluated"): "0+10x120",
    }
    yield Case(
        "half of the answers without a verdict",
        unchecked,
        firing={2: (), 40: (Firing("SqlobsVerdictsMissing", "ticket"),)},
    )
    yield Case(
        "the service delegates checking to the collector, which performs it",
        {**unchecked, sample(collector.QUALITY_SAMPLES): "400x120"},
        firing={40: ()},
    )
    yield Case(
        "a service that stops sending metrics",
        {counter(Selection(metrics.BUILD_INFO)): "1x60"},
        firing={70: (), 85: (Firing("SqlobsServiceSilent", "ticket", SHOP),)},
    )
    lost = Selection(metrics.EXPORT_FAILURES, {semconv.SQLOBS_SIGNAL: "unit"})
    yield Case(
        "units that do not reach the collector",
        {counter(lost): "_x5 7x60"},
        firing={5: (), 15: (Firing("SqlobsUnitsLost", "ticket", SHOP),), 40: ()},
    )
    own = {"service_name": "sqlobs-collector", "deployment_environment_name": ""}
    lag = named(collector.JOURNAL_LAG.name, {**own, **job, "instance": "collector:4319"})
    shown = {"service_name": "sqlobs-collector", **job, "instance": "collector:4319"}
    yield Case(
        "a collector that is behind",
        {lag: "0x10 900x30"},
        firing={10: (), 20: (Firing("SqlobsCollectorBehind", "ticket", shown),)},
    )
    yield from _evaluator_cases()
    yield from _in_sample_cases(settings)


def _evaluator_cases() -> Iterator[Case]:
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


def _in_sample_cases(settings: RuleSettings) -> Iterator[Case]:
    seen = {
        sample(collector.QUALITY_SAMPLES): f"{2 * settings.min_requests}x120",
        sample(collector.SCHEMA_HALLUCINATION_RATE, stat="weighted_lower"): "0.7x120",
    }
    sampled = Firing("SqlobsSchemaHallucinationInSample", "page", SAMPLED)
    yield Case(
        "a service without counters, measured on its units", seen, firing={3: (), 10: (sampled,)}
    )
    yield Case(
        "where counters exist, they take precedence",
        {**seen, evaluations("pass"): "0+10x120", evaluations("fail"): "0x120"},
        firing={20: ()},
    )
