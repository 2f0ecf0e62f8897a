"""Whether a Prometheus has our series as rules and dashboards read them: `doctor --prometheus`.

Tests: `tests/monitoring/test_metric_paths.py`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import httpx

from sqlobs.cli.diagnostics import Diagnosis
from sqlobs.errors import ResponseError
from sqlobs.monitoring.promql import INSTANCE, SERVICE, Selection
from sqlobs.responses import ACCEPTED, body_of
from sqlobs.semconv import metrics
from sqlobs.urls import shown_url

if TYPE_CHECKING:
    from collections.abc import Iterator

_TIMEOUT_S: Final = 10.0
_MOST_BYTES: Final = 4 * 1024 * 1024
_READ: Final = Selection(metrics.EVALUATIONS)
"""The series that the alerts read; every process has them from its start."""
_NAME: Final = metrics.EVALUATIONS.prometheus_name
_SPELLINGS: Final = rf'{{__name__=~"{metrics.EVALUATIONS.name.replace(".", "[._]")}([._]total)?"}}'
_PROCESS: Final = (SERVICE[0], INSTANCE)
_BY_PROCESS: Final = f"count by ({', '.join(_PROCESS)})"
_TRANSLATE: Final = (
    "set `translation_strategy: UnderscoreEscapingWithSuffixes` for Prometheus' OTLP receiver, or"
    " `add_metric_suffixes: true` for the OpenTelemetry Collector's exporter"
)
_KEEP: Final = (
    "remove what drops it between application and Prometheus (metric_relabel_configs, an attributes"
    " processor)"
)


class _NoAnswerError(Exception):
    """Prometheus could not be asked; the message says why."""


def metric_path(url: str) -> Iterator[Diagnosis]:
    """Yield diagnoses of the way to Prometheus: names, identity, merged series, starts."""
    try:
        yield from _path(url)
    except _NoAnswerError as error:
        yield Diagnosis("Prometheus", "fail", f"{shown_url(url)}: {error}")


def _path(url: str) -> Iterator[Diagnosis]:
    names = [one["metric"]["__name__"] for one in _ask(url, f"count by (__name__) ({_SPELLINGS})")]
    if not names:
        advice = "no series of sqlobs: is the service scraped, and has it answered a request?"
        yield Diagnosis("Prometheus", "warn", f"{shown_url(url)} has {advice}")
        return
    if _NAME not in names:
        wrong = f"{', '.join(sorted(names))} instead of {_NAME}: {_TRANSLATE}"
        yield Diagnosis("metric names", "fail", wrong)
        return
    yield Diagnosis("metric names", "ok", f"{_NAME}, as rules and dashboards read it")
    yield from (_identity(url, name) for name in _PROCESS)
    yield _renamed(url)
    yield _merged(url)
    yield _starts(url)


def _identity(url: str, name: str) -> Diagnosis:
    missing, whole = _count(url, f'{_NAME}{{{name}=""}}'), _count(url, _NAME)
    if not missing:
        return Diagnosis(name, "ok", f"on all {whole} series")
    wrong = f"missing on {missing} of {whole} series: rates merge processes and are wrong; {_KEEP}"
    return Diagnosis(name, "fail", wrong)


def _renamed(url: str) -> Diagnosis:
    """Return whether the labels of a scrape's target have pushed ours aside."""
    ours = [name for name in _READ.labels if _count(url, f'{_NAME}{{exported_{name}!=""}}')]
    if not ours:
        return Diagnosis("label conflicts", "ok", "no label of sqlobs is renamed to exported_…")
    wrong = f"{', '.join(ours)} renamed to exported_…: set `honor_labels: true` in the scrape job"
    return Diagnosis("label conflicts", "fail", wrong)


def _merged(url: str) -> Diagnosis:
    """Return whether one path shows two series that the rules take for one."""
    found = _count(url, f"count by ({', '.join((*_READ.labels, 'job', 'instance'))}) ({_NAME}) > 1")
    if found:
        wrong = f"{found} series differ only in labels that rules do not read, and count as one"
        return Diagnosis("merged series", "fail", f"{wrong}; {_KEEP}")
    processes = f"count by ({', '.join(_PROCESS)}) ({_NAME})"
    twice = (
        f"count by ({', '.join(_PROCESS)}) (count by ({', '.join((*_PROCESS, 'job'))}) ({_NAME}))"
    )
    paths = max((float(one["value"][1]) for one in _ask(url, twice)), default=1)
    more = f"; a process arrives by {paths:.0f} paths and counts once" if paths > 1 else ""
    return Diagnosis("merged series", "ok", f"{_count(url, processes)} distinct processes{more}")


def _starts(url: str) -> Diagnosis:
    start = metrics.START_TIME.prometheus_name
    missing = _count(
        url, f"count by ({', '.join(_PROCESS)}) ({_NAME} unless on ({INSTANCE}) {start})"
    )
    if not missing:
        return Diagnosis("process starts", "ok", f"{start} of every process")
    wrong = (
        f"{missing} processes without {start}: failures right after a start may be missed; {_KEEP}"
    )
    return Diagnosis("process starts", "warn", wrong)


def _count(url: str, expression: str) -> int:
    found = _ask(url, f"count({expression})")
    return int(float(found[0]["value"][1])) if found else 0


def _ask(url: str, expression: str) -> list[dict[str, Any]]:
    """Return the samples of an expression, now.

    Raises:
        _NoAnswerError: The server is unreachable, is not Prometheus, or rejects the request.
    """
    address = f"{url.rstrip('/')}/api/v1/query"
    try:
        with httpx.stream(
            "GET", address, params={"query": expression}, headers=ACCEPTED, timeout=_TIMEOUT_S
        ) as response:
            body = body_of(response, most_bytes=_MOST_BYTES, within_s=_TIMEOUT_S)
            answer = json.loads(body) if response.is_success else {}
    except (httpx.HTTPError, httpx.InvalidURL, ResponseError) as error:
        raise _NoAnswerError(f"cannot be reached ({type(error).__name__})") from None
    except ValueError:
        answer = {}
    found = answer.get("data", {}).get("result") if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise _NoAnswerError(
            f"is not a Prometheus server: HTTP {response.status_code} on /api/v1/query"
        )
    return found
