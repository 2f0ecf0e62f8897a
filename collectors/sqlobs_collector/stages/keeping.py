"""The stages that one process does for all: housekeeping, sums by hour, gauges and alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Gauge

from sqlobs.semconv import collector as metrics
from sqlobs_collector.assembly import (
    archiver_of,
    calibrations_of,
    notifier_of,
    retention_limits,
    sampling_rules,
)
from sqlobs_collector.notifying.watch import Series
from sqlobs_collector.pipeline_metrics import OURS, readable
from sqlobs_collector.quality.gauges import QualityGauges
from sqlobs_collector.quality.hourly import HourWorker
from sqlobs_collector.sharing.duty import OwnedMetrics
from sqlobs_collector.sharing.journal_trouble import StoppedJournals
from sqlobs_collector.store.intake import IntakeReader
from sqlobs_collector.store.journals import StoppedJournalReader
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.units.housekeeping import Housekeeper

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.semconv.collector import CollectorMetric
    from sqlobs_collector.notifying.notifier import Notifier
    from sqlobs_collector.sdkmetrics import ShownSeries
    from sqlobs_collector.sharing.duty import Duty
    from sqlobs_collector.stages.running import Running


def start_keeping(running: Running, duty: Duty, *, on_units: Callable[[], None]) -> None:
    """Start all of them but the notifier; they work while this process has the duty.

    Args:
        running: The process.
        duty: What one process does for all.
        on_units: Called when units were queued.
    """
    config, engine = running.config, running.engine
    running.start(
        Housekeeper(
            duty,
            rules=sampling_rules(config),
            retention=retention_limits(config),
            flow=running.flow,
            on_units=on_units,
            clock_ns=running.clock_ns,
        )
    )
    running.start(HourWorker(duty, running.clock_ns))
    owned = CollectorRegistry()
    running.registry.register(OwnedMetrics(duty, owned))
    gauges = QualityGauges(
        QualityReader(engine),
        intake=IntakeReader(engine),
        calibrations=calibrations_of(config, engine),
        while_held=duty.while_held,
        clock_ns=running.clock_ns,
    )
    owned.register(gauges)
    running.start(gauges)
    archiver = archiver_of(config, duty, running.clock_ns)
    if archiver is not None:
        running.start(archiver)
    reader = running.reader
    _watch(owned, metrics.QUEUE_SIZE, read=lambda: reader.queue()[0])
    _watch(owned, metrics.CANCELED, read=reader.canceled)
    _watch(owned, metrics.QUEUE_AGE, read=lambda: _age_s(reader.queue()[1], running.clock_ns()))
    owned.register(StoppedJournals(StoppedJournalReader(engine)))


def start_notifier(running: Running, sdk_metrics: ShownSeries, duty: Duty | None) -> Notifier:
    """Evaluate the objectives, and tell a webhook of alerts, if there is one.

    Args:
        running: The process.
        sdk_metrics: Series of the applications.
        duty: What one process does for all; None: this one evaluates them for its pages alone.
    """
    return running.start(
        notifier_of(
            running.config,
            running.engine,
            running.flow,
            Series(running.registry, sdk_metrics),
            duty=duty,
            clock_ns=running.clock_ns,
        )
    )


def _watch(owned: CollectorRegistry, metric: CollectorMetric, read: Callable[[], float]) -> None:
    gauge = Gauge(metric.name, metric.brief, metric.labels, registry=owned)
    gauge.labels(*OURS).set_function(readable(read))


def _age_s(since_ns: int | None, now_ns: int) -> float:
    return 0.0 if since_ns is None else max(0, now_ns - since_ns) / 10**9
