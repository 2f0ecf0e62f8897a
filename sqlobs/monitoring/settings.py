"""What a team chooses: objectives, addresses in alerts, labels, and the pace of tests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.monitoring.objectives import HIGHEST_SHARE, Objectives

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNITS_MS: Final = (
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
)
_LABEL: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
"""`team`"""
_URL: Final = re.compile(r"https?://[^\s\"'{}]+")
"""`https://grafana.example.com/grafana`"""


@dataclass(frozen=True, slots=True)
class Links:
    """Where the annotations of alerts point to: base URLs without a slash at the end."""

    docs: str = "http://localhost:4319/docs"
    """The directory that has `alerts.md`."""
    dashboard: str = "http://localhost:3000"
    """Grafana."""
    console: str = "http://localhost:4319"
    """The collector's admin port."""

    def __post_init__(self) -> None:
        for name, url in (
            ("docs URL", self.docs),
            ("dashboard URL", self.dashboard),
            ("console URL", self.console),
        ):
            if not _URL.fullmatch(url):
                raise InputError(f"{name} {url}: write an absolute URL such as https://host/path")


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """The choices that the rules are generated from."""

    objectives: Objectives = field(default_factory=Objectives)
    scale: float = 1.0
    """Factor on every window, hold and interval; below 1 for trials only."""
    job: str = "sqlobs-collector"
    """The `job` label under which Prometheus scrapes the collector."""
    links: Links = field(default_factory=Links)
    labels: Mapping[str, str] = field(default_factory=dict)
    """Further labels of every alert, for routing."""

    def __post_init__(self) -> None:
        if not 0 < self.scale <= 1:
            raise InputError(f"scale {self.scale:g} must be above 0 and at most 1")
        if not self.job or not self.job.isprintable() or set(self.job) & set('"\\'):
            raise InputError(f"job {self.job!r} must not contain quotes or backslashes")
        for name in self.labels:
            if not _LABEL.fullmatch(name) or name in {"severity", "alertname"}:
                raise InputError(
                    f"label {name}: use letters, digits and underscores, and not severity or"
                    " alertname"
                )

    @property
    def objective(self) -> float:
        """Highest share of requests that may invent or misplace a name."""
        return self.objectives.schema_hallucination

    def duration(self, seconds: float) -> str:
        """Return a duration at the chosen scale as Prometheus writes it: `1h`, `36s`, `600ms`."""
        whole_ms = max(1, round(seconds * self.scale * 1000))
        unit, size = next(
            (unit, size) for unit, size in _UNITS_MS if whole_ms >= size and not whole_ms % size
        )
        return f"{whole_ms // size}{unit}"

    def threshold(self, burn: float) -> float:
        """Return the failure rate at which the budget burns `burn` times as fast as it may.

        The usual factors assume a budget of a tenth of a percent; a rate cannot rise above 1, so
        the threshold of a large budget stops at one half.
        """
        return min(burn * self.objective, HIGHEST_SHARE)
