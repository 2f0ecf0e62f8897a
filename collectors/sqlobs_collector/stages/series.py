"""The series of the applications: this process's own, or those of all receivers of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs_collector.sdkmetrics import SdkMetrics
from sqlobs_collector.shared_series import SeriesSender, SharedSeries

if TYPE_CHECKING:
    from sqlobs_collector.receiver.intake import MetricsConsumer
    from sqlobs_collector.sdkmetrics import ShownSeries
    from sqlobs_collector.sharing.duty import Duty
    from sqlobs_collector.stages.running import Running


def start_series(running: Running, duty: Duty | None) -> tuple[MetricsConsumer, ShownSeries]:
    """Start what takes points, and what shows series.

    Args:
        running: The process.
        duty: What one process does for all; None: another process does it.
    """
    dropped = running.flow.series_dropped
    if running.config.store.url is None:
        own = SdkMetrics(dropped=dropped)
        return own, own
    sender = SeriesSender(running.store, dropped=dropped)
    if "receive" in running.config.roles:
        running.start(sender)
    shown = SharedSeries(running.store, duty, dropped=dropped)
    if not running.config.roles.isdisjoint({"singleton", "console"}):
        running.start(shown)
    return sender, shown
