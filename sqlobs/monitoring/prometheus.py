"""Questions to a Prometheus: an expression over a time.

Tests: `tests/monitoring/test_backtest.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypedDict

from sqlobs.errors import InputError, ResponseError
from sqlobs.responses import ACCEPTED, body_of
from sqlobs.urls import shown_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    Labels = tuple[tuple[str, str], ...]

_MOST_POINTS: Final = 10_000
"""Of a series in one response; Prometheus refuses more than 11,000."""
_MOST_BYTES: Final = 256 * 1024 * 1024
_PATIENCE_S: Final = 180.0


class _Found(TypedDict):
    metric: dict[str, str]
    values: list[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class Span:
    """Times at equal distances, in seconds; both ends belong to it."""

    start_s: int
    end_s: int
    step_s: int

    def parts(self) -> Iterator[Span]:
        """Yield spans that one response can hold."""
        length_s = _MOST_POINTS * self.step_s
        for start_s in range(self.start_s, self.end_s + 1, length_s):
            end_s = min(start_s + length_s - self.step_s, self.end_s)
            yield Span(start_s, end_s, self.step_s)


class PrometheusReader:
    """Reads from the HTTP API of a Prometheus."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def series(self, expression: str, span: Span) -> dict[Labels, dict[int, float]]:
        """Return the values of an expression by labels and time.

        Raises:
            InputError: Nothing answers, or something else, or the expression is rejected.
        """
        found: dict[Labels, dict[int, float]] = {}
        for part in span.parts():
            for one in self._ask(expression, part):
                labels = tuple(sorted(one["metric"].items()))
                values = {int(at_s): float(value) for at_s, value in one["values"]}
                found.setdefault(labels, {}).update(values)
        return found

    def _ask(self, expression: str, span: Span) -> list[_Found]:
        import httpx

        form = {
            "query": expression,
            "start": str(span.start_s),
            "end": str(span.end_s),
            "step": str(span.step_s),
        }
        url = f"{self._url}/api/v1/query_range"
        try:
            with (
                httpx.Client(timeout=_PATIENCE_S) as client,
                client.stream("POST", url, data=form, headers=ACCEPTED) as response,
            ):
                content = body_of(response, most_bytes=_MOST_BYTES, within_s=_PATIENCE_S)
        except (httpx.HTTPError, httpx.InvalidURL, ResponseError) as error:
            reason = str(error) or type(error).__name__
            raise InputError(
                f"cannot reach Prometheus at {shown_url(self._url)}: {reason}"
            ) from None
        return self._result(content)

    def _result(self, content: bytes) -> list[_Found]:
        where = shown_url(self._url)
        try:
            answer = json.loads(content)
            status = answer["status"]
            result: list[_Found] = answer["data"]["result"]
        except (ValueError, KeyError, TypeError):
            reason = _reason(content)
            raise InputError(f"{where} did not answer as Prometheus does{reason}") from None
        if status != "success":
            raise InputError(f"Prometheus at {where} rejects a query{_reason(content)}")
        return result


def _reason(content: bytes) -> str:
    try:
        said = json.loads(content)["error"]
    except (ValueError, KeyError, TypeError):
        return ""
    return f": {str(said)[:200]}"
