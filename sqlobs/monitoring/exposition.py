"""What a collector's `/metrics` shows now, as samples that can be picked and added up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError, MissingExtraError, ResponseError
from sqlobs.responses import ACCEPTED, body_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TIMEOUT_S: Final = 10.0
_MOST_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of `/metrics`."""

    name: str
    labels: Mapping[str, str]
    value: float


def read_metrics(admin: str) -> list[Sample]:
    """Return what a collector shows.

    Args:
        admin: Base URL of its admin port.

    Raises:
        InputError: Nothing answers there, or no collector.
        MissingExtraError: The extra `collector`, which brings the parser, is not installed.
    """
    import httpx

    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError as error:
        raise MissingExtraError("reading a collector's metrics", extra="collector") from error
    url = f"{admin.rstrip('/')}/metrics"
    try:
        headers = {"Accept": "text/plain", **ACCEPTED}
        with httpx.stream("GET", url, headers=headers, timeout=_TIMEOUT_S) as answer:
            answer.raise_for_status()
            content = body_of(answer, most_bytes=_MOST_BYTES, within_s=_TIMEOUT_S)
    except (httpx.HTTPError, httpx.InvalidURL, ResponseError) as error:
        raise InputError(
            f"no collector answers at {admin} ({error}): start one, or name its admin address "
            "with --admin"
        ) from error
    try:
        return [
            Sample(sample.name, sample.labels, sample.value)
            for family in text_string_to_metric_families(content.decode("utf-8", "replace"))
            for sample in family.samples
        ]
    except ValueError:
        raise InputError(f"{admin} gives no metrics: is it a collector's admin port?") from None


def picked(samples: Iterable[Sample], name: str, **labels: str) -> list[Sample]:
    """Return the samples of a metric whose labels have the given values."""
    return [each for each in samples if each.name == name and labels.items() <= each.labels.items()]


def counts(samples: Iterable[Sample], *, by: str) -> Counter[str]:
    """Return the sums of counters by the value of a label."""
    found = Counter[str]()
    for each in samples:
        found[each.labels[by]] += round(each.value)
    return found
