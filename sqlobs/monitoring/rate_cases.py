"""Histories about failure rates, and every alert that fires in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring import schema_hallucination as hallucination
from sqlobs.monitoring.annotations import MODEL, PROMPT
from sqlobs.monitoring.promql import INSTANCE, Selection
from sqlobs.monitoring.rule_tests import (
    ANSWERS,
    LONG_AGO_S,
    SHOP,
    Case,
    Firing,
    counter,
    evaluations,
    generations,
    of_version,
    of_workflow,
)
from sqlobs.semconv import metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.monitoring.settings import RuleSettings

_DAY: Final = 288
"""Steps of a day in slow histories."""
_PAGE: Final = Firing("SqlobsSchemaHallucination", "page")
_SLOW: Final = Firing("SqlobsSchemaHallucinationSlow", "ticket")
_FIRST: Final = Firing("SqlobsSchemaHallucinationFirst", "info")
_CANARY: Final = Firing(
    "SqlobsSchemaHallucinationVersion", "ticket", {**ANSWERS, MODEL: "gpt-4o", PROMPT: "v2"}
)
_FAIL: Final = evaluations("fail")
_PASS: Final = evaluations("pass")


def rate_cases() -> Iterator[Case]:
    """Yield histories of hours."""
    yield from _incident_cases()
    yield from _history_cases()
    yield from _path_cases()
    yield from _outage_cases()
    yield from _execution_cases()
    yield from _attempt_cases()
    yield from _feedback_cases()


def _incident_cases() -> Iterator[Case]:
    yield Case(
        "no invented name, no alert",
        {_PASS: "0+10x60", _FAIL: "0x60"},
        firing={60: ()},
    )
    yield Case(
        "the first failures ever page, although no scrape saw their series at zero",
        {_PASS: "0+10x120", _FAIL: "_x9 10+10x110"},
        firing={8: (), 9: (_SLOW, _FIRST), 10: (_PAGE, _SLOW, _FIRST)},
        values={10: {hallucination.failed("1h"): 20, hallucination.ratio("1h"): 20 / 120}},
    )
    yield Case(
        "one failure, the first ever, fires a notice but no page",
        {_PASS: "0+10x120", _FAIL: "_x29 1x90"},
        firing={28: (), 30: (_FIRST,), 40: (_FIRST,)},
    )
    yield Case(
        "a page resolves after the failures end; a ticket stays",
        {_PASS: "0+10x120", _FAIL: "0x5 0+10x10 100x105"},
        firing={15: (_PAGE, _SLOW, _FIRST), 90: (_SLOW,)},
    )
    yield Case(
        "missing verdicts do not end a page",
        {
            _PASS: "0+5x120",
            _FAIL: "0x5 5+5x30 150x90",
            generations("ok"): "0+10x35 350+5x90",
            generations("not_evaluated"): "0x35 5+5x90",
        },
        firing={
            35: (_PAGE, _SLOW, _FIRST),
            100: (_PAGE, _SLOW, Firing("SqlobsVerdictsMissing", "ticket")),
        },
    )
    yield Case(
        "a canary with a twentieth of the traffic is a ticket that names it",
        {
            _PASS: "0+9.5x120",
            _FAIL: "0x20 0.5+0.5x100",
            of_version("v1", "pass"): "0+9.5x120",
            of_version("v2", "fail"): "_x20 0.5+0.5x100",
        },
        firing={19: (), 40: (_CANARY, _FIRST)},
    )


def _history_cases() -> Iterator[Case]:
    started = Selection(metrics.START_TIME)
    yield Case(
        "a new Prometheus meets counters of a long life",
        {_PASS: "20000x120", _FAIL: "6000x120"},
        firing={2: (), 30: (), 90: ()},
    )
    yield Case(
        "a gap of 70 minutes",
        {
            _PASS: "20000+10x20 _x70 20900+10x60",
            _FAIL: "6000x20 _x70 6004x60",
            generations("ok"): "20000+10x20 _x70 20900+10x60",
        },
        start=f"{LONG_AGO_S}x20 _x70 {LONG_AGO_S}x60",
        firing={20: (), 92: (), 100: (), 145: ()},
    )
    yield Case(
        "a process that restarts under its old name",
        {_PASS: "500+10x60 0+10x60", _FAIL: "1x60 0x60"},
        start=f"{LONG_AGO_S}x60 3630x60",
        firing={30: (), 62: (), 90: ()},
        values={63: {hallucination.evaluated("5m"): 20}},
    )
    yield Case(
        "a process that restarts under its old name, and fails no more",
        {_PASS: "500+10x60 0+10x60", _FAIL: "300x60 stale _x60"},
        start=f"{LONG_AGO_S}x60 3630x60",
        firing={30: (), 62: (), 70: ()},
        values={63: {hallucination.failed("5m"): 0}},
    )
    yield Case(
        "a deploy of a release that fails from its first request",
        {
            _PASS: "0+10x30",
            evaluations("fail", **{INSTANCE: "b"}): "_x32 20+10x60",
            counter(started, **{INSTANCE: "b"}): "_x32 1860x60",
        },
        firing={31: (), 33: (_PAGE, _SLOW, _FIRST)},
    )


def _path_cases() -> Iterator[Case]:
    started = Selection(metrics.START_TIME)
    yield Case(
        "ten requests in a hundred fail on one of two pods, which are not mixed up",
        {
            _PASS: "0+9x60",
            _FAIL: "0x60",
            evaluations("pass", **{INSTANCE: "b"}): "0x60",
            evaluations("fail", **{INSTANCE: "b"}): "0+1x60",
            counter(started, **{INSTANCE: "b"}): f"{LONG_AGO_S}x60",
        },
        values={60: {hallucination.ratio("1h"): 0.1}},
    )
    yield Case(
        "a second path to Prometheus counts once",
        {
            _PASS: "0+10x60",
            evaluations("pass", job="otlp"): "0+10x60",
            _FAIL: "0x60",
            evaluations("fail", job="otlp"): "0x60",
        },
        values={30: {hallucination.evaluated("1h"): 300}},
    )


def _outage_cases() -> Iterator[Case]:
    first = {semconv.SQLOBS_ATTEMPT_NUMBER: "1"}
    syntax = Firing("SqlobsSyntaxFailures", "page")
    yield Case(
        "no answer can be parsed",
        {
            evaluations("pass", "syntactic"): "0+10x30 300x60",
            evaluations("fail", "syntactic"): "0x30 10+10x60",
            generations("ok"): "0+10x30 300x60",
            generations("failed"): "0x30 10+10x60",
            of_workflow(
                metrics.ATTEMPTS, {**first, semconv.SQLOBS_VERDICT: "ok"}
            ): "0+10x30 300x60",
            of_workflow(
                metrics.ATTEMPTS, {**first, semconv.SQLOBS_VERDICT: "failed"}
            ): "0x30 10+10x60",
        },
        firing={30: (), 45: (syntax,)},
    )
    yield Case(
        "every request ends in an exception",
        {
            generations("ok"): "0+10x30 300x60",
            generations("not_evaluated", "error"): "0x30 10+10x60",
        },
        firing={30: (), 45: (Firing("SqlobsApplicationErrors", "page"),)},
    )


def _execution_cases() -> Iterator[Case]:
    executed = {"ok": "0+10x60", "error": "_x20 3+3x60"}
    yield Case(
        "executions fail",
        {
            of_workflow(metrics.EXECUTIONS, {semconv.SQLOBS_EXECUTION_STATUS: status}): values
            for status, values in executed.items()
        },
        firing={19: (), 40: (Firing("SqlobsExecutionErrors", "ticket"),)},
    )


def _attempt_cases() -> Iterator[Case]:
    first = {semconv.SQLOBS_ATTEMPT_NUMBER: "1"}
    attempts = {"ok": "0+5x60", "failed": "0+5x60"}
    yield Case(
        "half of the first attempts fail, and repairs hide it",
        {
            **{
                of_workflow(metrics.ATTEMPTS, {**first, semconv.SQLOBS_VERDICT: verdict}): values
                for verdict, values in attempts.items()
            },
            _PASS: "0+10x60",
        },
        firing={40: (Firing("SqlobsFirstAttemptFailures", "ticket"),)},
    )
    compared = {("pass", "pass"): "0+10x60", ("pass", "fail"): "0+2x60", ("fail", "pass"): "0+1x60"}
    yield Case(
        "checker and engine disagree",
        {
            of_workflow(
                metrics.COMPARISONS,
                {semconv.SQLOBS_STATIC_LABEL: static, semconv.SQLOBS_ENGINE_LABEL: engine},
            ): values
            for (static, engine), values in compared.items()
        },
        firing={40: (Firing("SqlobsCheckerDisagreement", "ticket"),)},
    )


def _feedback_cases() -> Iterator[Case]:
    feedback = {"up": "0+1x60", "down": "0+1x60"}
    yield Case(
        "users are not content",
        {
            counter(
                Selection(
                    metrics.FEEDBACK,
                    {semconv.SQLOBS_FEEDBACK_KIND: "thumb", semconv.SQLOBS_FEEDBACK_VALUE: value},
                )
            ): values
            for value, values in feedback.items()
        },
        firing={50: (Firing("SqlobsNegativeFeedback", "ticket", SHOP),)},
    )


def slow_rate_cases(settings: RuleSettings) -> Iterator[Case]:
    """Yield days in which the budget burns a little too fast, and days in which it does not."""
    above, below = 1.5 * settings.objective, settings.objective / 2
    yield Case(
        "a rate above the objective for a day is a ticket",
        {_PASS: f"0+{50 * (1 - above):g}x{_DAY}", _FAIL: f"0+{50 * above:g}x{_DAY}"},
        firing={_DAY: (_SLOW,)},
    )
    yield Case(
        "a rate below the objective never alerts",
        {_PASS: f"0+{50 * (1 - below):g}x{_DAY}", _FAIL: f"0+{50 * below:g}x{_DAY}"},
        firing={6: (_FIRST,), _DAY // 2: (), _DAY: ()},
    )
