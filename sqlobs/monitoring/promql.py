"""PromQL over the contract's metrics: selectors, and increases of counters over a window."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.semconv.metrics import Metric

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlobs.semconv.collector import CollectorMetric

BIRTH_LOOKBACK: Final = "1h"
"""A series without samples for this long before a window counts as started inside it."""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A label's value is one of these."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """Series of one metric whose labels have the given values."""

    metric: Metric | CollectorMetric
    matches: Mapping[str, str | AnyOf] = field(default_factory=dict)
    """Value by the name of one of the metric's attributes or labels."""
    within: tuple[str, ...] = ()
    """Further matchers in PromQL, such as those of a dashboard's variables."""
    suffix: str = ""
    """The suffix of a histogram's series: `_bucket`, `_count`, `_sum`."""

    def __post_init__(self) -> None:
        foreign = {label(name) for name in self.matches} - set(self.labels)
        if foreign:
            message = f"{self.metric.name} has no label {min(foreign)}"
            raise ValueError(message)

    def __str__(self) -> str:
        name = self.metric.prometheus_name if isinstance(self.metric, Metric) else self.metric.name
        matchers = [*(_matcher(*match) for match in self.matches.items()), *self.within]
        return f"{name}{self.suffix}{{{', '.join(matchers)}}}" if matchers else name + self.suffix

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that identify one stream of one process, whatever its path to Prometheus."""
        if isinstance(self.metric, Metric):
            bucket = ("le",) if self.suffix == "_bucket" else ()
            return (*SERVICE, INSTANCE, *self.metric.prometheus_labels, *bucket)
        # The collector's own counters are identified by the scrape target.
        return (*self.metric.labels, "job", "instance")


def label(attribute: str) -> str:
    """Return an attribute's name in Prometheus spelling: dots become underscores."""
    return attribute.replace(".", "_")


SERVICE: Final = (label(semconv.SERVICE_NAME), label(semconv.DEPLOYMENT_ENVIRONMENT_NAME))
INSTANCE: Final = label(semconv.SERVICE_INSTANCE_ID)
WORKFLOW: Final = (*SERVICE, label(semconv.SQLOBS_WORKFLOW))
"""The labels that every alert has."""


def gained(selection: Selection, window: str) -> str:
    """Return the increase of each series in a window; one started inside it counts by its value.

    `increase` alone starts at a series' first sample, so the very first failure, whose series
    starts at 1, would be missed.
    """
    known = f"last_over_time({selection}[{BIRTH_LOOKBACK}] offset {window})"
    return lines(
        f"(increase({selection}[{window}]) and {known})",
        f"or (max_over_time({selection}[{window}]) unless {known})",
    )


def gained_sum(selection: Selection, window: str, *, by: Sequence[str]) -> str:
    """Return the increase of counters by labels; a second path to Prometheus counts once."""
    return total(gained(selection, window), selection, by=by)


def total(expression: str, selection: Selection, *, by: Sequence[str]) -> str:
    """Return the sum of a per-series expression by labels, counting each process' stream once."""
    streams = aggregated("max", expression, by=selection.labels)
    return aggregated("sum", streams, by=by)


def aggregated(operator: str, expression: str, *, by: Sequence[str]) -> str:
    """Return an aggregation by labels with its argument indented."""
    return f"{operator} by ({', '.join(by)}) {block((expression,))}"


def lines(*parts: str) -> str:
    """Join the parts of an expression, one per line."""
    return "\n".join(parts)


def block(parts: Iterable[str]) -> str:
    """Return lines in parentheses, indented."""
    return lines("(", *(f"  {line}" for part in parts for line in part.splitlines()), ")")


def number(value: float) -> str:
    """Return a number as PromQL reads it, to six digits."""
    return f"{value:.6g}"


def _matcher(attribute: str, value: str | AnyOf) -> str:
    if isinstance(value, AnyOf):
        return f'{label(attribute)}=~"{"|".join(value.values)}"'
    return f'{label(attribute)}="{value}"'
