"""The current values on a collector's `/metrics`, as samples to select and add up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.admin import ask_admin
from sqlobs.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_OK: Final = 200


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of `/metrics`."""

    name: str
    labels: Mapping[str, str]
    value: float


def read_metrics(admin: str) -> list[Sample]:
    """Return the samples on a collector's `/metrics`.

    Args:
        admin: Base URL of its admin port.

    Raises:
        InputError: Nothing answers at this address, or something other than a collector.
        ConfigError: The collector requires a token, or rejects the given one.
        MissingExtraError: The extra `collector`, which brings the parser, is not installed.
    """
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError as error:
        raise MissingExtraError("reading a collector's metrics", extra="collector") from error
    answer = ask_admin(admin, "/metrics", accept="text/plain")
    no_metrics = InputError(f"{admin} did not return metrics. Is it a collector's admin port?")
    if answer.status != _OK:
        raise no_metrics
    try:
        text = answer.content.decode()
        return [
            Sample(sample.name, sample.labels, sample.value)
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        ]
    except ValueError:
        raise no_metrics from None


def picked(samples: Iterable[Sample], name: str, **labels: str) -> list[Sample]:
    """Return the samples of a metric whose labels have the given values."""
    return [each for each in samples if each.name == name and labels.items() <= each.labels.items()]


def counts(samples: Iterable[Sample], *, by: str) -> Counter[str]:
    """Return the sums of counters by the value of a label."""
    found = Counter[str]()
    for each in samples:
        found[each.labels.get(by, "")] += round(each.value)
    return found
