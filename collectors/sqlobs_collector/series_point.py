"""The state of a series of the SDK's metrics, and how points change it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

Labels = tuple[str, ...]
"""The workspace, the identity, and the labels of the metric, as declared."""


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """The state of one series: a total, or what was added to it."""

    metric: str
    labels: Labels
    bounds: tuple[float, ...]
    """Of a histogram's buckets."""
    values: tuple[float, ...]
    """One, or the observations per bucket and their sum."""
    is_delta: bool
    start_ns: int = 0
    """When the stream of a total began."""
    time_ns: int = 0
    exemplars: dict[int, str] = field(default_factory=dict)
    """The newest by line, as OpenMetrics writes them."""

    @property
    def key(self) -> tuple[str, Labels]:
        """What the series is found by."""
        return self.metric, self.labels

    def after(self, before: SeriesPoint | None) -> SeriesPoint:
        """Return the state after this point, in whatever order the points of a total arrive."""
        if before is None or before.bounds != self.bounds:
            return self
        exemplars = {**before.exemplars, **self.exemplars}
        if self.is_delta:
            values = zip(before.values, self.values, strict=True)
            return replace(
                before,
                values=tuple(one + more for one, more in values),
                time_ns=max(before.time_ns, self.time_ns),
                exemplars=exemplars,
            )
        is_late = (self.start_ns, self.time_ns) < (before.start_ns, before.time_ns)
        return before if is_late else replace(self, exemplars=exemplars)
