"""What a team chooses: the objective, the minimum traffic for alerts, a time scale for trials."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sqlobs.errors import InputError

_HIGHEST_OBJECTIVE: Final = 0.5
_UNITS_MS: Final = (
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
)


@dataclass(frozen=True, slots=True)
class Links:
    """Where the annotations of alerts point to: base URLs without a slash at the end."""

    console: str = "http://localhost:4319"
    """The collector's admin port."""


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """The settings that the rules are generated from."""

    objective: float = 0.02
    """Highest share of requests that may invent or misplace a name, in (0, 0.5]."""
    min_requests: int = 20
    """Evaluated requests in the long window below which no rate alerts."""
    min_failures: int = 3
    """Failed requests in the long window below which no rate alerts."""
    scale: float = 1.0
    """Factor on every window, hold and interval; below 1 for trials only."""
    job: str = "sqlobs-collector"
    links: Links = field(default_factory=Links)
    """The `job` label under which Prometheus scrapes the collector."""

    def __post_init__(self) -> None:
        if not 0 < self.objective <= _HIGHEST_OBJECTIVE:
            raise InputError(
                f"objective {self.objective:g} must be a share above 0 and up to"
                f" {_HIGHEST_OBJECTIVE:g}; write 2 % as 0.02"
            )
        if not 0 < self.scale <= 1:
            raise InputError(f"scale {self.scale:g} must be above 0 and at most 1")
        if self.min_requests < 1 or self.min_failures < 1:
            raise InputError("the minimum numbers of requests and failures must be at least 1")
        if not self.job or not self.job.isprintable() or set(self.job) & set('"\\'):
            raise InputError(f"job {self.job!r} must not contain quotes or backslashes")

    def duration(self, seconds: float) -> str:
        """Return a duration at the chosen scale as Prometheus writes it: `1h`, `36s`, `600ms`."""
        whole_ms = max(1, round(seconds * self.scale * 1000))
        unit, size = next(
            (unit, size) for unit, size in _UNITS_MS if whole_ms >= size and not whole_ms % size
        )
        return f"{whole_ms // size}{unit}"

    def threshold(self, burn: float) -> float:
        """Return the failure rate at which the error budget burns `burn` times as fast as allowed.

        The usual factors assume a budget of a tenth of a percent; a rate cannot rise above 1, so
        the threshold of a large budget stops at one half.
        """
        return min(burn * self.objective, _HIGHEST_OBJECTIVE)
