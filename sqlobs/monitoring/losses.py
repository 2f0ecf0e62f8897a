"""Alerts on counters that must stand still: one entry each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring.increments import HOUR, MINUTES_15, Window, gained
from sqlobs.monitoring.promql import SERVICE, WORKFLOW, Selection
from sqlobs.semconv import collector, metrics

if TYPE_CHECKING:
    from sqlobs.monitoring.settings import RuleSettings


@dataclass(frozen=True, slots=True)
class Loss:
    """An alert that a counter rose in a window."""

    alert: str
    counter: Selection
    window: Window
    by: tuple[str, ...]

    def condition(self, settings: RuleSettings) -> str:
        """Return the condition in PromQL."""
        return f"{gained((self.counter,), self.window, by=self.by, settings=settings)} > 0"


REJECTED: Final = Loss(
    "SqlobsRecordsRejected", Selection(collector.REJECTED), MINUTES_15, ("signal", "reason")
)
DROPPED: Final = Loss(
    "SqlobsSeriesDropped", Selection(collector.SERIES_DROPPED), MINUTES_15, ("reason",)
)
GIVEN_UP: Final = Loss(
    "SqlobsUnitsGivenUp", Selection(collector.UNITS, {"state": "error"}), HOUR, SERVICE
)
UNITS_LOST: Final = Loss(
    "SqlobsUnitsLost",
    Selection(metrics.EXPORT_FAILURES, {semconv.SQLOBS_SIGNAL: "unit"}),
    MINUTES_15,
    SERVICE,
)
FOLDED: Final = Loss("SqlobsSeriesFolded", Selection(metrics.SERIES_FOLDED), HOUR, SERVICE)
UNSAFE: Final = Loss(
    "SqlobsUnsafeStatements",
    Selection(metrics.FAILURES, {semconv.SQLOBS_FAILURE_GROUP: "safety"}),
    HOUR,
    WORKFLOW,
)
LOSSES: Final = (REJECTED, DROPPED, GIVEN_UP, UNITS_LOST, FOLDED, UNSAFE)
