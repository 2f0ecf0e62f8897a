"""The filters in an address: those of every list, group, comparison and export of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from pydantic import BaseModel

from sqlobs.scores.registry import SCORES
from sqlobs.semconv.evaluations import FEEDBACK
from sqlobs_collector.explaining.question import (
    COLUMN_OF_LABEL,
    FOLDED,
    MODEL,
    QuestionError,
    read_duration,
    read_labels,
    read_time,
)
from sqlobs_collector.store.selection import COLUMNS, EvaluationResult, RequestFilter
from sqlobs_collector.units.paths import time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DEFAULT_SINCE: Final = "24h"
PARAMETERS: Final = (
    *("since", "until", "at", "labels", *COLUMNS, "name", "q", "evaluation", "feedback"),
)
"""What an address may filter by."""
_LABELS: Final = ("pass", "fail", "not_evaluated")
_FEEDBACK: Final = {"positive": "pass", "negative": "fail"}
_MOST_CHARACTERS: Final = 500
_MOST_WORDS: Final = 20
_NO_RESULT: Final = "evaluation must be NAME:LABEL, as in evaluation=ex:fail"
_NO_FEEDBACK: Final = "feedback must be positive or negative"
_NO_ORDER: Final = "since must be before until"
_LONGEST_S: Final = 3660 * 86_400

Pairs = list[tuple[str, str]]
"""The parameters of an address, in order; a name may come several times."""


class Period(BaseModel):
    """The period that an answer is about."""

    since: str
    until: str
    """Left out itself."""

    @classmethod
    def of(cls, chosen: RequestFilter) -> Period:
        """Return the period of a filter."""
        return cls(since=time_text(chosen.since_ns), until=time_text(chosen.until_ns))


def read_filter(workspace: str, given: Iterable[tuple[str, str]], *, now_ns: int) -> RequestFilter:
    """Read the filters of an address.

    Raises:
        QuestionError: One of them cannot be read.
    """
    pairs = [(name, text) for name, text in given if text]
    said = dict(pairs)
    until_ns = read_end(said.get("until") or said.get("at"), now_ns=now_ns)
    since_ns = read_start(said.get("since") or DEFAULT_SINCE, end_ns=until_ns)
    equal = _of_labels(said.get("labels", "")) | {
        name: text for name, text in pairs if name in COLUMNS
    }
    return RequestFilter(
        workspace=workspace,
        since_ns=since_ns,
        until_ns=until_ns,
        equal={name: "" if text == NONE else text for name, text in equal.items()},
        model_label=_known(said.get("labels", "")).get(MODEL),
        name=said.get("name"),
        searched=_words(said.get("q", "")),
        evaluated=(*_results(pairs), *_opinions(pairs)),
    )


NONE: Final = "(none)"
"""What stands for requests without a value, in an address."""


def read_end(text: str | None, *, now_ns: int) -> int:
    """Return the end of a period; a duration is that long ago, nothing is now."""
    if not text:
        return now_ns
    seconds = read_duration(text)
    return read_time("until", text) if seconds is None else max(1, now_ns - seconds * 10**9)


def read_start(text: str, *, end_ns: int) -> int:
    """Return the start of a period: a time, or a duration before the end.

    Raises:
        QuestionError: It is neither, or not before the end.
    """
    seconds = read_duration(text)
    if seconds is None:
        start_ns = read_time("since", text)
    else:
        start_ns = max(0, end_ns - min(seconds, _LONGEST_S) * 10**9)
    if start_ns >= end_ns:
        raise QuestionError(_NO_ORDER)
    return start_ns


def address(path: str, parameters: Iterable[tuple[str, str | None]]) -> str:
    """Return a path with those parameters that have a value."""
    given = [(name, text) for name, text in parameters if text]
    return f"{path}?{urlencode(given)}" if given else path


def _of_labels(text: str) -> dict[str, str]:
    """Return the columns of an alert's labels; what stands for many names narrows nothing."""
    return {
        COLUMN_OF_LABEL[name]: value
        for name, value in _known(text).items()
        if COLUMN_OF_LABEL.get(name) in COLUMNS and name != MODEL
    }


def _known(text: str) -> dict[str, str]:
    given = read_labels(text[: 4 * _MOST_CHARACTERS])
    return {name: value for name, value in given.items() if value not in FOLDED}


def _words(text: str) -> str | None:
    return " ".join(text[:_MOST_CHARACTERS].split()[:_MOST_WORDS]) or None


def _results(pairs: Pairs) -> Iterator[EvaluationResult]:
    for name, text in pairs:
        if name != "evaluation":
            continue
        metric, _, label = text.partition(":")
        if metric not in SCORES or label not in _LABELS:
            raise QuestionError(_NO_RESULT)
        yield EvaluationResult(metric, label)


def _opinions(pairs: Pairs) -> Iterator[EvaluationResult]:
    for name, text in pairs:
        if name != "feedback":
            continue
        if text not in _FEEDBACK:
            raise QuestionError(_NO_FEEDBACK)
        yield EvaluationResult(FEEDBACK, _FEEDBACK[text])
