"""What `/v1/explain` is asked: labels of an alert, a time, and what to compare with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, get_args

from sqlobs import semconv
from sqlobs.semconv.labels import OTHER, UNKNOWN
from sqlobs_collector.store.incidents import RateName

if TYPE_CHECKING:
    from collections.abc import Mapping

_COLUMNS: Final = {
    semconv.SERVICE_NAME: "service_name",
    semconv.DEPLOYMENT_ENVIRONMENT_NAME: "environment",
    semconv.SERVICE_VERSION: "service_version",
    semconv.SQLOBS_WORKFLOW: "workflow",
    semconv.GEN_AI_REQUEST_MODEL: "model",
    semconv.GEN_AI_PROMPT_VERSION: "prompt_version",
    semconv.SQLOBS_TENANT: "tenant",
    semconv.SQLOBS_SCHEMA_VERSION: "schema_version",
    semconv.SQLOBS_TARGET_NAME: "target",
}
COLUMN_OF_LABEL: Final = {name.replace(".", "_"): column for name, column in _COLUMNS.items()}
"""The column of the store for each label that narrows the requests."""
MODEL: Final = semconv.GEN_AI_REQUEST_MODEL.replace(".", "_")
FOLDED: Final = frozenset({OTHER, UNKNOWN})
"""Values that stand for many names on metrics, and for none in the store."""
_DEFAULT_RATE: Final = "schema_hallucination"
_PAIR: Final = re.compile(
    # service_name="shop", workflow=answer
    r'\s*(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^",{}]*))'
    r"\s*(?:,|$)"
)
_ESCAPED: Final = re.compile(r"\\(.)")
_DURATION: Final = re.compile(r"([0-9]{1,9})(s|m|h|d)")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_UNIX: Final = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,9})?")
"""`1768500000.5`"""
_UNIX_MS: Final = re.compile(r"[0-9]{13}")
"""`1768500000500`, as Grafana puts times into links"""
_NO_LABELS: Final = (
    'labels must be written as in PromQL: labels=service_name="shop",sqlobs_workflow="answer"'
)
_NO_TIME: Final = (
    "{name} must be a time such as 2026-11-24T09:30:00Z, or seconds or milliseconds since 1970;"
    " write + as %2B"
)
_NO_BASELINE: Final = (
    "baseline must be a duration such as 24h, or a time before the window such as"
    " 2026-11-24T09:30:00Z"
)
_NO_ORDER: Final = "{earlier} must be before {later}"


class QuestionError(Exception):
    """The question has no answer; the message says how to ask."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be explained."""

    rate: RateName
    equal: Mapping[str, str]
    """Values of columns."""
    model: str | None
    """The label of the model: requests may name it with provider and release date."""
    labels: Mapping[str, str]
    """The labels that were used."""
    ignored: tuple[str, ...]
    """Names of the labels that are no property of a request."""
    at_ns: int
    """The end of the window."""
    since_ns: int | None
    """Its start; None = as short as the number of failures allows."""
    baseline_s: int
    baseline_ns: int | None = None
    """Where the baseline starts, if a time was given."""


def read_question(parameters: Mapping[str, str], *, now_ns: int) -> Question:
    """Read the parameters of a request.

    Raises:
        QuestionError: One of them cannot be read, or the times are not in order.
    """
    labels = read_labels(parameters.get("labels", ""))
    used = {
        name: value
        for name, value in labels.items()
        if name in COLUMN_OF_LABEL and value not in FOLDED
    }
    at_ns = read_time("at", parameters["at"]) if parameters.get("at") else now_ns
    since_ns = read_time("since", parameters["since"]) if parameters.get("since") else None
    if since_ns is not None and since_ns >= at_ns:
        raise QuestionError(_NO_ORDER.format(earlier="since", later="at"))
    duration_s, start_ns = _baseline(parameters.get("baseline") or "24h")
    if start_ns is not None and start_ns >= (since_ns or at_ns):
        raise QuestionError(_NO_BASELINE)
    return Question(
        rate=_rate(parameters.get("rate") or _DEFAULT_RATE),
        equal={COLUMN_OF_LABEL[name]: value for name, value in used.items() if name != MODEL},
        model=used.get(MODEL),
        labels=used,
        ignored=tuple(sorted(labels.keys() - used.keys())),
        at_ns=at_ns,
        since_ns=since_ns,
        baseline_s=duration_s,
        baseline_ns=start_ns,
    )


def read_labels(text: str) -> dict[str, str]:
    """Read labels as PromQL writes them: `service_name="shop",sqlobs_workflow="answer"`.

    Raises:
        QuestionError: They are written in another way.
    """
    inner = text.strip().removeprefix("{").removesuffix("}").strip()
    found: dict[str, str] = {}
    place = 0
    while place < len(inner):
        pair = _PAIR.match(inner, place)
        if pair is None:
            raise QuestionError(_NO_LABELS)
        quoted, bare = pair["quoted"], pair["bare"]
        value = bare.strip() if quoted is None else _ESCAPED.sub(r"\1", quoted)
        if value:
            found[pair["name"]] = value
        place = pair.end()
    return found


def _rate(given: str) -> RateName:
    rates: tuple[RateName, ...] = get_args(RateName)
    for rate in rates:
        if rate == given:
            return rate
    raise QuestionError(f"rate must be one of {', '.join(rates)}")


def read_time(name: str, text: str) -> int:
    """Read a time, in nanoseconds since 1970.

    Raises:
        QuestionError: The text of the parameter is no time.
    """
    if _UNIX_MS.fullmatch(text):
        return int(text) * 10**6
    if _UNIX.fullmatch(text):
        return round(float(text) * 10**9)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or not 1970 <= moment.year < 2200:  # noqa: PLR2004 - what 64 bits of nanoseconds hold
        raise QuestionError(_NO_TIME.format(name=name))
    return round(moment.timestamp() * 10**9)


def _baseline(text: str) -> tuple[int, int | None]:
    seconds = read_duration(text)
    if seconds is None:
        try:
            return 0, read_time("baseline", text)
        except QuestionError:
            raise QuestionError(_NO_BASELINE) from None
    if not 0 < seconds <= 366 * _SECONDS["d"]:
        raise QuestionError("baseline must be longer than 0 and at most 366d")
    return seconds, None


def read_duration(text: str) -> int | None:
    """Read a duration such as `24h`, in seconds; None if the text is none."""
    duration = _DURATION.fullmatch(text)
    return None if duration is None else int(duration[1]) * _SECONDS[duration[2]]
