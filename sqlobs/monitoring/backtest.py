"""Which alerts the last days would have fired with given objectives, asked of a Prometheus.

Rates are computed from increments that Prometheus adds up, one query each; the conditions of the
rule file would ask for them again and again. The other alerts are asked for by their expressions,
with recordings written out, so that nothing need have been recorded.

Tests: `tests/monitoring/test_backtest.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from sqlobs.monitoring.files import groups
from sqlobs.monitoring.increments import MINUTES_5, gained
from sqlobs.monitoring.rate_conditions import CONDITIONS, is_watched, objective_of
from sqlobs.monitoring.rates import LONG_WINDOWS
from sqlobs.monitoring.rules import Alert, Recording

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlobs.monitoring.increments import Window
    from sqlobs.monitoring.prometheus import Labels, PrometheusReader, Span
    from sqlobs.monitoring.rate_conditions import Counted, RateCondition
    from sqlobs.monitoring.rates import Rate
    from sqlobs.monitoring.rules import Severity
    from sqlobs.monitoring.settings import RuleSettings

    Series = dict[Labels, dict[int, float]]

STEP_S: Final = MINUTES_5.seconds
"""Between two evaluations; what is over within it may be missed."""
_RECORDED: Final = re.compile(
    # workflow:sqlobs_requests:increase10m{sqlobs_workflow="a"}[1d:1h] offset 1h
    r"(?P<name>[a-z]+:sqlobs_\w+(:\w+)?)(?P<matchers>\{[^}]*\})?"
    r"(\[(?P<range>\w+)(:(?P<step>\w*))?\])?(\s+offset\s+(?P<offset>\w+))?"
)
_ASKED: Final = frozenset({"SqlobsSchemaHallucinationFirst", *(one.alert for one in CONDITIONS)})
"""Alerts that no expression is asked for: those on rates, and a notice that a page says better."""


@dataclass(frozen=True, slots=True)
class Episode:
    """An alert that would have fired."""

    alert: str
    severity: Severity
    labels: Labels
    start_s: int
    end_s: int
    """The last evaluation at which it fires."""


def backtest(reader: PrometheusReader, settings: RuleSettings, span: Span) -> list[Episode]:
    """Return the alerts of a time, the earliest first.

    Raises:
        InputError: Prometheus does not answer.
    """
    found = [*_on_rates(reader, settings, span), *_on_expressions(reader, settings, span)]
    return sorted(found, key=lambda one: (one.start_s, one.alert, one.labels))


def _on_rates(reader: PrometheusReader, settings: RuleSettings, span: Span) -> Iterator[Episode]:
    known: dict[str, _Increments] = {}
    for condition in CONDITIONS:
        rate = condition.rate
        if rate.name not in known:
            known[rate.name] = _Increments(rate, reader, settings, span)
        increments = known[rate.name]
        for labels in increments.places():
            yield from _episodes_of(condition, labels, increments, settings, span)


def _episodes_of(
    condition: RateCondition,
    labels: Labels,
    increments: _Increments,
    settings: RuleSettings,
    span: Span,
) -> Iterator[Episode]:
    chosen, place = settings.objectives, dict(labels)
    if not is_watched(condition, place, chosen):
        return
    objective = objective_of(condition.key, place, chosen)
    holds = [
        at_s
        for at_s in range(span.start_s, span.end_s + 1, span.step_s)
        if condition.holds(increments.at(labels, at_s), objective, chosen)
    ]
    yield from _episodes(
        condition.alert,
        condition.severity,
        labels,
        holds,
        kept_s=condition.kept_s,
        step_s=span.step_s,
    )


class _Increments:
    """What the counters of a rate gained in every window, by labels and time."""

    def __init__(
        self, rate: Rate, reader: PrometheusReader, settings: RuleSettings, span: Span
    ) -> None:
        self._rate = rate
        self._reader = reader
        self._settings = settings
        self._span = span
        self._known: dict[Window, tuple[Series, Series]] = {}

    def places(self) -> Sequence[Labels]:
        """Return the labels that anything was evaluated with."""
        return sorted(self._of(MINUTES_5)[1])

    def at(self, labels: Labels, at_s: int) -> Counted:
        """Return what gives failures and evaluated requests of a window up to a time."""

        def counted(window: Window) -> tuple[float, float]:
            failed, evaluated = self._of(window)
            return failed.get(labels, {}).get(at_s, 0), evaluated.get(labels, {}).get(at_s, 0)

        return counted

    def _of(self, window: Window) -> tuple[Series, Series]:
        if window not in self._known:
            if window in LONG_WINDOWS:
                failed, evaluated = (self._summed(each, window) for each in self._of(MINUTES_5))
            else:
                failed, evaluated = (
                    self._reader.series(
                        gained(each, window, by=self._rate.by, settings=self._settings), self._span
                    )
                    for each in (self._rate.failed, self._rate.evaluated)
                )
            self._known[window] = (failed, evaluated)
        return self._known[window]

    def _summed(self, short: Series, window: Window) -> Series:
        """Return the sums over a long window of increments of five minutes."""
        times = range(self._span.start_s, self._span.end_s + 1, self._span.step_s)
        width = window.seconds // self._span.step_s
        sums: Series = {}
        for labels, values in short.items():
            totals = [0.0, *accumulate(values.get(at_s, 0) for at_s in times)]
            sums[labels] = {
                at_s: totals[place + 1] - totals[max(0, place + 1 - width)]
                for place, at_s in enumerate(times)
            }
        return sums


def _on_expressions(
    reader: PrometheusReader, settings: RuleSettings, span: Span
) -> Iterator[Episode]:
    rules = [rule for group in groups(settings) for rule in group.rules]
    recorded = {rule.record: rule.expr for rule in rules if isinstance(rule, Recording)}
    for alert in rules:
        if isinstance(alert, Alert) and alert.name not in _ASKED:
            for labels, values in reader.series(expanded(alert.expr, recorded), span).items():
                holds = _held(sorted(values), hold_s=alert.hold_s, step_s=span.step_s)
                own = tuple(one for one in labels if one[0] != "__name__")
                yield from _episodes(
                    alert.name, alert.severity, own, holds, kept_s=alert.kept_s, step_s=span.step_s
                )


def expanded(expression: str, recorded: Mapping[str, str]) -> str:
    """Return an expression with the recordings that it reads written out."""

    def written(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in recorded:
            return match[0]
        inner = f"({expanded(recorded[name], recorded)})"
        if match["matchers"]:
            inner = f"({inner} and on (service_name, sqlobs_workflow) {_named(match['matchers'])})"
        if match["range"]:
            return f"{inner}[{match['range']}:{match['step'] or '5m'}]{_offset(match)}"
        return f"last_over_time({inner}[5m:5m]{_offset(match)})" if match["offset"] else inner

    return _RECORDED.sub(written, expression)


def _named(matchers: str) -> str:
    return f"group by (service_name, sqlobs_workflow) (sqlobs_generations_total{matchers})"


def _offset(match: re.Match[str]) -> str:
    return f" offset {match['offset']}" if match["offset"] else ""


def _held(times: Sequence[int], *, hold_s: float, step_s: int) -> list[int]:
    """Return the times at which a condition has held for long enough."""
    kept, since_s = list[int](), 0
    for place, at_s in enumerate(times):
        if place == 0 or at_s - times[place - 1] > step_s:
            since_s = at_s
        if at_s - since_s >= hold_s:
            kept.append(at_s)
    return kept


def _episodes(
    alert: str,
    severity: Severity,
    labels: Labels,
    holds: Sequence[int],
    *,
    kept_s: float,
    step_s: int,
) -> Iterator[Episode]:
    """Yield the times in which an alert fires: its condition's, and for a while after it."""
    start_s: int | None = None
    for place, at_s in enumerate(holds, 1):
        start_s = at_s if start_s is None else start_s
        if place == len(holds) or holds[place] - at_s > max(kept_s, step_s):
            yield Episode(alert, severity, labels, start_s, round(at_s + kept_s))
            start_s = None
