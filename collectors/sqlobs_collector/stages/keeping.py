"""The stages that one process does for all: housekeeping, sums by hour, gauges and alerts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sqlobs.semconv import collector as metrics
from sqlobs_collector.assembly import (
    archiver_of,
    calibrations_of,
    notifier_of,
    retention_limits,
    sampling_rules,
)
from sqlobs_collector.notifying.watch import Series
from sqlobs_collector.quality.gauges import QualityGauges
from sqlobs_collector.quality.hourly import HourWorker
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.units.housekeeping import Housekeeper

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs_collector.notifying.notifier import Notifier
    from sqlobs_collector.sdkmetrics import SdkMetrics
    from sqlobs_collector.stages.running import Running


def start_keeping(running: Running, *, on_units: Callable[[], None]) -> None:
    """Start all of them but the notifier.

    Args:
        running: The process.
        on_units: Called when units were queued.
    """
    config, engine = running.config, running.engine
    running.start(
        Housekeeper(
            running.store,
            rules=sampling_rules(config),
            retention=retention_limits(config),
            flow=running.flow,
            on_units=on_units,
        )
    )
    gauges = QualityGauges(QualityReader(engine), calibrations=calibrations_of(config, engine))
    running.registry.register(gauges)
    running.start(gauges)
    running.start(HourWorker(running.store))
    archiver = archiver_of(config, running.store)
    if archiver is not None:
        running.start(archiver)
    watch, reader = running.flow.watch, running.reader
    watch(metrics.QUEUE_SIZE, read=lambda: reader.queue()[0])
    watch(metrics.QUEUE_AGE, read=lambda: _age_s(reader.queue()[1]))


def start_notifier(running: Running, sdk_metrics: SdkMetrics) -> Notifier:
    """Evaluate the objectives, and tell a webhook of alerts, if there is one.

    A console alone evaluates them for its pages: another process tells the webhook.
    """
    return running.start(
        notifier_of(
            running.config,
            running.engine,
            running.flow,
            Series(running.registry, sdk_metrics),
            tells="singleton" in running.config.roles,
        )
    )


def _age_s(since_ns: int | None) -> float:
    return 0.0 if since_ns is None else max(0, time.time_ns() - since_ns) / 10**9
