"""The objective for invented names: rates over several windows, and the alerts on them.

Windows and burn factors are those of the Site Reliability Workbook's chapter on alerting on
objectives, with two changes for text-to-SQL: a rate alerts only above a minimum traffic, and the
slow windows use Wilson's lower bound, so that three failures in ten requests do not alert.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring.promql import WORKFLOW, AnyOf, Selection, block, gained_sum, lines, number
from sqlobs.monitoring.rules import Alert, Group, Recording
from sqlobs.semconv import metrics
from sqlobs.semconv.evaluations import SCHEMA_HALLUCINATION, SCHEMA_HALLUCINATION_RATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlobs.monitoring.settings import RuleSettings

EVALUATION: Final = SCHEMA_HALLUCINATION
_PREFIX: Final = "workflow:sqlobs_schema_hallucination"
_RATE: Final = f"workflow:sqlobs_{SCHEMA_HALLUCINATION_RATE}"
_Z: Final = 1.645
"""Quantile of the normal distribution for a one-sided bound of 95 %."""
_WHERE: Final = "{{ $labels.service_name }}, workflow {{ $labels.sqlobs_workflow }},"


@dataclass(frozen=True, slots=True)
class Window:
    """A time window of a rate; its name does not depend on the scale."""

    name: str
    seconds: int


_5M: Final = Window("5m", 300)
_30M: Final = Window("30m", 1800)
_1H: Final = Window("1h", 3600)
_2H: Final = Window("2h", 7200)
_6H: Final = Window("6h", 21_600)
_1D: Final = Window("1d", 86_400)
_3D: Final = Window("3d", 259_200)
_FAST: Final = (_5M, _30M, _1H, _2H, _6H)
_SLOW: Final = (_1D, _3D)


@dataclass(frozen=True, slots=True)
class _Burn:
    """A burn-rate threshold that must be exceeded in a long window and still in a short one."""

    factor: float
    long: Window
    short: Window


_PAGES: Final = (_Burn(14.4, _1H, _5M), _Burn(6, _6H, _30M))
_TICKETS: Final = (_Burn(3, _1D, _2H), _Burn(1, _3D, _6H))


def ratio(window: str) -> str:
    """Return the name of the recorded rate over a window, such as `1h`."""
    return f"{_RATE}:ratio{window}"


def failed(window: str) -> str:
    """Return the name of the recorded number of failed requests."""
    return f"{_PREFIX}_failed:increase{window}"


def evaluated(window: str) -> str:
    """Return the name of the recorded number of evaluated requests."""
    return f"{_PREFIX}_evaluated:increase{window}"


def lower_bound(window: str) -> str:
    """Return the name of the recorded lower bound of the rate."""
    return f"{_RATE}:lower{window}"


def groups(settings: RuleSettings) -> Iterator[Group]:
    """Yield the recording rules of every window, then the alerts."""
    fast = [rule for window in _FAST for rule in _recordings(window, settings)]
    slow = [rule for window in _SLOW for rule in _recordings(window, settings)]
    bounds = [Recording(lower_bound(window.name), _wilson(window)) for window in _SLOW]
    yield Group("sqlobs-schema-hallucination", 30, (*fast, _page(settings), _first(settings)))
    # Long windows change slowly and are the most expensive to evaluate.
    yield Group("sqlobs-schema-hallucination-slow", 300, (*slow, *bounds, _ticket(settings)))


def _recordings(window: Window, settings: RuleSettings) -> Iterator[Recording]:
    span = settings.duration(window.seconds)
    valid = gained_sum(_labelled(AnyOf(("pass", "fail"))), span, by=WORKFLOW)
    bad = gained_sum(_labelled("fail"), span, by=WORKFLOW)
    name = window.name
    yield Recording(evaluated(name), valid)
    yield Recording(failed(name), lines(bad, "or", f"0 * {evaluated(name)}"))
    yield Recording(ratio(name), f"{failed(name)} / ({evaluated(name)} > 0)")


def _labelled(label: str | AnyOf) -> Selection:
    return Selection(
        metrics.EVALUATIONS,
        {
            semconv.GEN_AI_EVALUATION_NAME: EVALUATION,
            semconv.GEN_AI_EVALUATION_SCORE_LABEL: label,
        },
    )


def _wilson(window: Window) -> str:
    """Return the lower bound of the failure rate (Wilson 1927), 95 % one-sided."""
    rate, count = ratio(window.name), f"({evaluated(window.name)} > 0)"
    square = number(_Z**2)
    spread = f"sqrt({rate} * (1 - {rate}) / {count} + {number(_Z**2 / 4)} / ({count} * {count}))"
    return lines(
        block((f"{rate} + {number(_Z**2 / 2)} / {count}", f"- {_Z} * {spread}")),
        f"/ (1 + {square} / {count})",
    )


def _page(settings: RuleSettings) -> Alert:
    return Alert(
        name="SqlobsSchemaHallucination",
        severity="page",
        expr="\nor\n".join(_burning(burn, settings, measure=ratio) for burn in _PAGES),
        hold_s=120,
        summary=f"{_WHERE} invents names in {{{{ $value | humanizePercentage }}}} of its SQL",
        description=(
            "Generated SQL contains tables or columns that are not in the schema, far above the"
            f" objective of {_percent(settings.objective)}. Check the invented names on failing"
            " traces, then the latest change of prompt, model or schema."
        ),
    )


def _ticket(settings: RuleSettings) -> Alert:
    return Alert(
        name="SqlobsSchemaHallucinationSlow",
        severity="ticket",
        expr="\nor\n".join(_burning(burn, settings, measure=lower_bound) for burn in _TICKETS),
        hold_s=900,
        summary=f"{_WHERE} has exceeded its schema-hallucination objective for days",
        description=(
            "With 95 % confidence, at least {{ $value | humanizePercentage }} of the requests have"
            " a name that is not in the schema; the objective is"
            f" {_percent(settings.objective)}."
        ),
    )


def _first(settings: RuleSettings) -> Alert:
    before = settings.duration(_1H.seconds)
    return Alert(
        name="SqlobsSchemaHallucinationFirst",
        severity="info",
        expr=lines(
            f"{failed('1h')} > 0",
            f"unless {failed('3d')} offset {before} > 0",
        ),
        hold_s=0,
        summary=f"{_WHERE} invented a name for the first time in three days",
        description=(
            "A notice, regardless of traffic: an early sign of a harmful change of prompt, model"
            " or schema."
        ),
    )


def _burning(burn: _Burn, settings: RuleSettings, *, measure: Callable[[str], str]) -> str:
    threshold = number(settings.threshold(burn.factor))
    return block(
        (
            f"{measure(burn.long.name)} > {threshold}",
            f"and {ratio(burn.short.name)} > {threshold}",
            f"and {evaluated(burn.long.name)} >= {settings.min_requests}",
            f"and {failed(burn.long.name)} >= {settings.min_failures}",
        )
    )


def _percent(share: float) -> str:
    return f"{number(share * 100)} %"
