"""Finds or makes tracer, meter and logger: the application's own, else private ones.

The application's global providers are never replaced. They are looked up at first use, so that
`configure` may run before or after the application's own set-up.
Tests: `tests/telemetry/test_providers.py` and `tests/tracing/test_foreign_providers.py`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from opentelemetry import _logs as logs_api
from opentelemetry import metrics as metrics_api
from opentelemetry import trace as trace_api
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

from sqlobs import semconv
from sqlobs._version import __version__
from sqlobs.errors import ConfigError
from sqlobs.tracing.configuration import DEFAULT_DESTINATION, Destination
from sqlobs.tracing.sending.exporters import (
    CollectorMetricExporter,
    CollectorSpanExporter,
    Owned,
    Signal,
    exporter_names,
    load_exporter,
    prepare_exporters,
)
from sqlobs.tracing.sending.late_processor import LateProcessor
from sqlobs.tracing.sending.service_resource import (
    found_resource,
    real_provider,
    service_resource,
)
from sqlobs.tracing.stages.usage import read_usage_from

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

    from sqlobs.config import Settings
    from sqlobs.tracing.sending.collector_client import Collector
    from sqlobs.unit import Attributes

_logger = logging.getLogger("sqlobs")

_SCOPE: Final = (semconv.SCOPE, __version__)
Provider = TypeVar("Provider")


class Providers:
    """The providers of one process, made or found at first use."""

    def __init__(
        self,
        settings: Settings,
        *,
        client: Collector | None = None,
        failed: Callable[[Signal], None] = lambda _: None,
        destination: Destination = DEFAULT_DESTINATION,
    ) -> None:
        self._settings = settings
        self._client = client
        self._failed = failed
        self._destination = destination
        self._lock = threading.RLock()
        self._private: list[Any] = []
        self._spans: LateProcessor | None = None
        self._is_stopped = False
        self._resource: Resource | None = None
        self._in_use: dict[Signal, Any] = {
            "traces": destination.tracer_provider,
            "metrics": destination.meter_provider,
            "logs": destination.logger_provider,
        }

    @property
    def tracer(self) -> trace_api.Tracer:
        """The tracer; a no-op where the SDK is disabled."""
        if self._settings.sdk_disabled:
            return trace_api.NoOpTracer()
        provider = self._found("traces", trace_api.get_tracer_provider, self._make_tracer_provider)
        read_usage_from(provider)
        return provider.get_tracer(*_SCOPE, schema_url=semconv.SCHEMA_URL)

    def meter(self, number: int = 0) -> metrics_api.Meter:
        """Return a meter; a no-op where the SDK is disabled, and after `shutdown`.

        Args:
            number: Above 0, a further meter of the same scope: an SDK's instrument holds a
                limited number of series.
        """
        if self._settings.sdk_disabled or self._is_stopped:
            return metrics_api.NoOpMeterProvider().get_meter(semconv.SCOPE)
        provider = self._found("metrics", metrics_api.get_meter_provider, self._make_meter_provider)
        return provider.get_meter(
            *_SCOPE,
            schema_url=semconv.SCHEMA_URL,
            attributes={"sqlobs.meter": number} if number else None,
        )

    @property
    def logger(self) -> logs_api.Logger:
        """The logger for late results; a no-op where the SDK is disabled."""
        if self._settings.sdk_disabled:
            return logs_api.NoOpLogger(semconv.SCOPE)
        provider = self._found("logs", logs_api.get_logger_provider, self._make_logger_provider)
        return provider.get_logger(*_SCOPE, schema_url=semconv.SCHEMA_URL)

    def _found(
        self, signal: Signal, find: Callable[[], Provider], make: Callable[[], Provider]
    ) -> Provider:
        """Return the provider of a signal: the destination's, the application's or a new one."""
        with self._lock:
            provider: Provider = self._in_use[signal] or real_provider(find()) or make()
            self._in_use[signal] = provider
            return provider

    def prepare(self) -> None:
        """Import exporters and detect the resource: both are slow."""
        if self._settings.sdk_disabled:
            return
        found_resource()
        signals: tuple[Signal, ...] = ("traces", "metrics", "logs")
        for signal in signals:
            prepare_exporters(signal)

    def rehearse(self, attributes: Attributes) -> None:
        """Write attributes on a span that is not exported: the first span is slow."""
        provider = TracerProvider(resource=found_resource(), shutdown_on_exit=False)
        provider.add_span_processor(LateProcessor(list))
        with provider.get_tracer(semconv.SCOPE).start_as_current_span("rehearsal") as span:
            span.set_attributes(dict(attributes))

    def attach(self) -> None:
        """Start exporting our own spans; those that ended before were kept."""
        if self._spans is not None:
            self._spans.attach()

    def install(self) -> None:
        """Look up the three providers now, and make the missing ones."""
        _ = self.tracer, self.meter(), self.logger

    @property
    def resource(self) -> Resource:
        """The resource of this process: the application's, or a new one, with an instance id."""
        with self._lock:
            if self._resource is None:
                self._resource = service_resource(self._settings.service_name, self._destination)
            return self._resource

    def flush(self, timeout_s: float) -> bool:
        """Flush the providers in use; False = timed out or failed."""
        return self._call_each("force_flush", timeout_s)

    def shutdown(self, timeout_s: float) -> bool:
        """Flush the application's providers and shut down our own; safe to call twice."""
        with self._lock:
            if self._is_stopped:
                return True
            self._is_stopped = True
        return self._call_each("shutdown", timeout_s)

    def _call_each(self, ours: str, timeout_s: float) -> bool:
        """Call a method of our own providers, and flush the application's: metrics first."""
        deadline = time.monotonic() + timeout_s
        calls = {
            signal: getattr(provider, ours if provider in self._private else "force_flush", None)
            for signal, provider in self._in_use.items()
        }  # None where there is no provider, or a foreign one lacks the method
        is_counted = _in_time(timeout_s * _METRICS_SHARE, [calls.pop("metrics")])
        return _in_time(max(0.0, deadline - time.monotonic()), calls.values()) and is_counted

    def _make_tracer_provider(self) -> trace_api.TracerProvider:
        names = exporter_names("traces")
        is_sent = self._client is not None if names is None else bool(names)
        sampler = None if is_sent else ALWAYS_OFF  # ids for handles, nothing recorded
        provider = TracerProvider(sampler=sampler, resource=self.resource, shutdown_on_exit=False)
        if is_sent:
            self._spans = LateProcessor(
                lambda: map(BatchSpanProcessor, self._exporters("traces", CollectorSpanExporter))
            )
            provider.add_span_processor(self._spans)
        return self._owned(provider, trace_api.set_tracer_provider)

    def _make_meter_provider(self) -> metrics_api.MeterProvider:
        exporters = self._exporters("metrics", CollectorMetricExporter)
        if not exporters and not self._settings.set_global:
            return metrics_api.NoOpMeterProvider()
        provider = MeterProvider(
            metric_readers=[
                one if isinstance(one, MetricReader) else PeriodicExportingMetricReader(one)
                for one in exporters
            ],
            resource=self.resource,
            shutdown_on_exit=False,
        )
        return self._owned(provider, metrics_api.set_meter_provider)

    def _make_logger_provider(self) -> logs_api.LoggerProvider:
        exporters = self._exporters("logs", None)
        if not exporters and not self._settings.set_global:
            return logs_api.NoOpLoggerProvider()
        provider = LoggerProvider(resource=self.resource, shutdown_on_exit=False)
        for exporter in exporters:
            provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
        return self._owned(provider, logs_api.set_logger_provider)

    def _owned(self, provider: Provider, install: Callable[[Provider], None]) -> Provider:
        if self._settings.set_global:
            install(provider)
        self._private.append(provider)
        return provider

    def _exporters(
        self, signal: Signal, to_collector: Callable[[Collector], object] | None
    ) -> list[Any]:
        """Return the exporters of a private provider; a broken one is logged and omitted."""
        names = exporter_names(signal)
        if names is not None:
            return [self._guarded(exporter, signal) for exporter in _load_all(names, signal)]
        if self._client is None or to_collector is None:
            return []
        return [self._guarded(to_collector(self._client), signal)]

    def _guarded(self, exporter: Any, signal: Signal) -> Any:  # noqa: ANN401 - exporters have no common type
        if isinstance(exporter, MetricReader):
            return exporter
        return Owned(exporter, signal, lambda: self._failed(signal))


def _load_all(names: Iterable[str], signal: Signal) -> list[object]:
    exporters = []
    for name in names:
        try:
            exporters.append(load_exporter(name, signal))
        except ConfigError as error:
            _logger.warning("sqlobs: %s", error)
        except Exception as error:  # noqa: BLE001 - a broken exporter must not harm the host
            _logger.warning("sqlobs: the %s exporter %r cannot start: %s", signal, name, error)
    return exporters


_METRICS_SHARE: Final = 0.6
"""Share of the timeout for metrics."""


def _in_time(timeout_s: float, calls: Iterable[Callable[[], object] | None]) -> bool:
    """Run the calls in parallel, within a timeout: the SDK ignores timeouts."""
    done: list[bool] = []
    threads = [
        threading.Thread(target=_report, args=(call, done), daemon=True)
        for call in calls
        if call is not None
    ]
    deadline = time.monotonic() + timeout_s
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return done == [True] * len(threads)


def _report(call: Callable[[], object], done: list[bool]) -> None:
    try:
        done.append(call() is not False)
    except Exception as error:  # noqa: BLE001 - a foreign provider's failure is not ours to raise
        _logger.debug("sqlobs: a provider failed to flush: %s", error)
        done.append(False)
