"""The answer of `/v1/explain`: what changed, since when, and requests that show it."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from sqlobs import semconv
from sqlobs.metrics.intervals import wilson_interval
from sqlobs.metrics.rate_change import (
    Counts,
    explain_change,
    groups_by_dimension,
    shifts_by_dimension,
)
from sqlobs_collector.explaining.onset import onset
from sqlobs_collector.explaining.question import read_question
from sqlobs_collector.explaining.sentences import summary
from sqlobs_collector.store.incidents import DIMENSIONS, Incident
from sqlobs_collector.store.payload import unpack
from sqlobs_collector.units.paths import said_of, summary_of, time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlobs.metrics.rate_change import Cell, Explanation, Group
    from sqlobs_collector.explaining.question import Question
    from sqlobs_collector.store.incidents import IncidentReader

Document = dict[str, object]
_WINDOWS_S: Final = (600, 1200, 3600, 21_600, 86_400, 259_200)
"""The windows that alerts look at, the shortest first."""
_FAILURES: Final = 5
_REQUESTS: Final = 20
"""What a window must hold to be long enough."""
_SHOWN: Final = 10
"""Explanations, names and codes."""
_EXAMPLES: Final = 5
_GROUPS: Final = 20
"""Of each dimension."""
_READ: Final = 500
"""Bad requests whose invented names are counted."""
_LOOKBACK_S: Final = 86_400
"""How long before the end a rise may have begun."""
_PARTS: Final = 8640
"""Of a period that is searched for a rise: 10 s of a day."""


class Explainer:
    """Explains changes of rates from the store."""

    def __init__(
        self, reader: IncidentReader, *, clock_ns: Callable[[], int] = time.time_ns
    ) -> None:
        self._reader = reader
        self._clock_ns = clock_ns

    def explain(self, workspace: str, parameters: Mapping[str, str]) -> Document:
        """Return why a rate changed.

        Args:
            workspace: Whose requests.
            parameters: Those of the URL.

        Raises:
            QuestionError: They cannot be read.
        """
        question = read_question(parameters, now_ns=self._clock_ns())
        incident = self._incident(workspace, question)
        baseline = _baseline(incident, question)
        cells = self._reader.cells(incident, baseline=baseline)
        before = sum((cell.before for cell in cells), Counts())
        now = sum((cell.now for cell in cells), Counts())
        found = explain_change(cells, DIMENSIONS)
        affected = incident.within(**_values(found))
        return {
            "summary": summary(question.rate, before, now, found),
            "rate": question.rate,
            "labels": dict(question.labels),
            "ignored_labels": list(question.ignored),
            "baseline": _period(baseline, before),
            "window": _period(incident, now),
            "change": _difference(before, now),
            "explanations": [_explained(one, before, now) for one in found[:_SHOWN]],
            "shifts": _shifts(cells),
            "groups": _groups(cells),
            "first_bad": self._first_bad(affected, baseline),
            **_shown(self._reader.bad(affected, limit=_READ)),
        }

    def _incident(self, workspace: str, question: Question) -> Incident:
        at_ns = question.at_ns
        whole = Incident(workspace, question.rate, _earliest(question), at_ns, question.equal)
        if question.model is not None:
            whole = replace(whole, models=self._reader.models(whole, label=question.model))

        def since(start_ns: int) -> Incident:
            return whole.of(start_ns, at_ns)

        if question.since_ns is not None:
            return since(question.since_ns)
        rise_ns = self._rise(since(max(0, question.at_ns - _LOOKBACK_S * 10**9)))
        if rise_ns is not None:
            return since(rise_ns)
        for seconds in _WINDOWS_S:
            incident = since(question.at_ns - seconds * 10**9)
            counts = self._reader.counts(incident)
            if counts.failed >= _FAILURES and counts.requests >= _REQUESTS:
                return incident
        return since(question.at_ns - _WINDOWS_S[2] * 10**9)

    def _first_bad(self, affected: Incident, baseline: Incident) -> Document | None:
        """Return the request with which the rise began, of those that explain it."""
        both = affected.of(baseline.since_ns, affected.until_ns)
        rise_ns = self._rise(both) or affected.since_ns
        first = self._reader.first_bad(affected.of(rise_ns, affected.until_ns))
        return None if first is None else _example(first)

    def _rise(self, incident: Incident) -> int | None:
        """Return when the last rise of a period began."""
        series = self._reader.series(incident, parts=_PARTS)
        place = onset([counts for _, counts in series])
        return None if place is None else series[place][0]


def _earliest(question: Question) -> int:
    """Return the start of all that may be looked at."""
    window_ns = question.at_ns - _WINDOWS_S[-1] * 10**9
    since_ns = min(question.since_ns or window_ns, window_ns) - question.baseline_s * 10**9
    return max(0, min(question.baseline_ns or since_ns, since_ns))


def _baseline(incident: Incident, question: Question) -> Incident:
    start_ns = question.baseline_ns
    if start_ns is None:
        start_ns = incident.since_ns - question.baseline_s * 10**9
    return incident.of(min(max(start_ns, 0), incident.since_ns), incident.since_ns)


def _values(found: Sequence[Explanation]) -> dict[str, str | None]:
    """Return the column and the value of the best explanation's requests."""
    group = found[0].group if found else None
    return {} if group is None else {group.dimension: group.value}


def _period(incident: Incident, counts: Counts) -> Document:
    return {
        "since": time_text(incident.since_ns),
        "until": time_text(incident.until_ns),
        **_rated(counts),
    }


def _rated(counts: Counts) -> Document:
    interval = wilson_interval(counts.failed, counts.requests)
    return {
        "requests": counts.requests,
        "failed": counts.failed,
        "rate": counts.rate,
        "lower": interval.low if interval else None,
        "upper": interval.high if interval else None,
    }


def _difference(before: Counts, now: Counts) -> float | None:
    if before.rate is None or now.rate is None:
        return None
    return now.rate - before.rate


def _explained(one: Explanation, before: Counts, now: Counts) -> Document:
    change = _difference(before, now)
    part = one.mix + one.within
    return {
        **(_named(one.group) if one.group else {"dimension": None, "value": None}),
        "same_requests": [_named(other) for other in one.same_requests],
        "is_new": one.is_new,
        "share_of_change": part / change if change else None,
        "mix": one.mix,
        "within": one.within,
        "score": one.score,
        "baseline": _rated(one.before),
        "window": _rated(one.now),
    }


def _named(group: Group) -> Document:
    return {"dimension": group.dimension, "value": group.value}


def _shifts(cells: Sequence[Cell]) -> Document:
    """Return both sums of the decomposition by each dimension; each pair adds up to the change."""
    return {
        dimension: {"mix": mix, "within": within}
        for dimension, (mix, within) in shifts_by_dimension(cells, DIMENSIONS).items()
    }


def _groups(cells: Sequence[Cell]) -> Document:
    """Return the largest groups of each dimension, before and now, whether they explain or not."""
    return {
        dimension: [
            {"value": value, "baseline": _rated(before), "window": _rated(now)}
            for value, before, now in groups[:_GROUPS]
        ]
        for dimension, groups in groups_by_dimension(cells, DIMENSIONS).items()
    }


def _shown(rows: Sequence[Mapping[str, Any]]) -> Document:
    """Return what bad requests have in common, and some that differ."""
    names = Counter(name for row in rows for name in _invented(row))
    codes = Counter(row["failure_code"] for row in rows if row["failure_code"])
    return {
        "invented_names": [
            {"name": name, "kind": kind, "requests": count}
            for (kind, name), count in names.most_common(_SHOWN)
        ],
        "failure_codes": [
            {"code": code, "requests": count} for code, count in codes.most_common(_SHOWN)
        ],
        "examples": [_example(row) for row in _different(rows)],
    }


def _invented(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names that a request invented, each once, with what they would be."""
    if row["payload"] is None:
        return
    attributes = unpack(row["payload"]).attributes
    kinds = {
        "table": semconv.SQLOBS_HALLUCINATED_TABLES,
        "column": semconv.SQLOBS_HALLUCINATED_COLUMNS,
    }
    for kind, attribute in kinds.items():
        names = attributes.get(attribute)
        if isinstance(names, list):
            yield from {(kind, str(name)): None for name in names}


def _different(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return a few requests: such that differ in their statements first, then the newest."""
    by_statement: dict[object, Mapping[str, Any]] = {}
    others: list[Mapping[str, Any]] = []
    for row in rows:
        key = row["fingerprint"] or row["id"]
        if key in by_statement:
            others.append(row)
        else:
            by_statement[key] = row
    return [*by_statement.values(), *others][:_EXAMPLES]


def _example(row: Mapping[str, Any]) -> Document:
    return {**summary_of(row), **said_of(row["payload"])}
