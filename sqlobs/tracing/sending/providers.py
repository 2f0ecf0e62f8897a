"""Finds or makes tracer, meter and logger: the application's own, else private ones.

The application's global providers are never replaced. They are looked up at first use, so that
`configure` may run before or after the application's own set-up.
Tests: `tests/telemetry/test_providers.py` and `tests/tracing/test_foreign_providers.py`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

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
from sqlobs.tracing.configuration import DEFAULT_DESTINATION
from sqlobs.tracing.sending.exporters import (
    CollectorMetricExporter,
    CollectorSpanExporter,
    Owned,
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
    from sqlobs.tracing.configuration import Destination
    from sqlobs.tracing.sending.collector_client import Collector
    from sqlobs.tracing.sending.exporters import Signal
    from sqlobs.unit import Attributes

_logger = logging.getLogger("sqlobs")

_SCOPE: Final = (semconv.SCOPE, __version__)


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
        self.reset()

    def reset(self) -> None:
        """Forget all providers: in a forked child our own are the parent's."""
        self._lock = threading.RLock()
        self._private: list[Any] = []
        self._spans: LateProcessor | None = None
        self._is_stopped = False
        self._resource: Resource | None = None
        self._tracer_provider = self._destination.tracer_provider
        self._meter_provider = self._destination.meter_provider
        self._logger_provider = self._destination.logger_provider

    @property
    def tracer(self) -> trace_api.Tracer:
        """The tracer; a no-op where the SDK is disabled."""
        if self._settings.sdk_disabled:
            return trace_api.NoOpTracer()
        with self._lock:
            self._tracer_provider = (
                self._tracer_provider
                or real_provider(trace_api.get_tracer_provider())
                or self._make_tracer_provider()
            )
            read_usage_from(self._tracer_provider)
            return self._tracer_provider.get_tracer(*_SCOPE, schema_url=semconv.SCHEMA_URL)

    def meter(self, number: int = 0) -> metrics_api.Meter:
        """Return a meter; a no-op where the SDK is disabled, and after `shutdown`.

        Args:
            number: Above 0, a further meter of the same scope: an SDK's instrument holds a
                limited number of series.
        """
        if self._settings.sdk_disabled or self._is_stopped:
            return metrics_api.NoOpMeterProvider().get_meter(semconv.SCOPE)
        with self._lock:
            self._meter_provider = (
                self._meter_provider
                or real_provider(metrics_api.get_meter_provider())
                or self._make_meter_provider()
            )
            return self._meter_provider.get_meter(
                *_SCOPE,
                schema_url=semconv.SCHEMA_URL,
                attributes={"sqlobs.meter": number} if number else None,
            )

    @property
    def logger(self) -> logs_api.Logger:
        """The logger for late results; a no-op where the SDK is disabled."""
        if self._settings.sdk_disabled:
            return logs_api.NoOpLogger(semconv.SCOPE)
        with self._lock:
            self._logger_provider = (
                self._logger_provider
                or real_provider(logs_api.get_logger_provider())
                or self._make_logger_provider()
            )
            return self._logger_provider.get_logger(*_SCOPE, schema_url=semconv.SCHEMA_URL)

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

    @property
    def resource_attributes(self) -> Mapping[str, object]:
        """The attributes of this process."""
        return self.resource.attributes

    def flush(self, timeout_s: float) -> bool:
        """Flush the providers in use; False = timed out or failed."""
        metrics, others = _metrics_first(self._in_use())
        return _in_order(
            timeout_s,
            [_call(provider, "force_flush") for provider in metrics],
            [_call(provider, "force_flush") for provider in others],
        )

    def shutdown(self, timeout_s: float) -> bool:
        """Flush the application's providers and shut down our own, metrics first.

        Safe to call twice.
        """
        with self._lock:
            if self._is_stopped:
                return True
            self._is_stopped = True
            private = self._private

        def end(provider: object) -> Callable[[], object] | None:
            return _call(provider, "shutdown" if provider in private else "force_flush")

        metrics, others = _metrics_first(self._in_use())
        return _in_order(timeout_s, list(map(end, metrics)), list(map(end, others)))

    def _in_use(self) -> list[object]:
        found = (self._tracer_provider, self._meter_provider, self._logger_provider)
        return [provider for provider in found if provider is not None]

    def _make_tracer_provider(self) -> trace_api.TracerProvider:
        names = exporter_names("traces")
        is_sent = self._client is not None if names is None else bool(names)
        sampler = None if is_sent else ALWAYS_OFF  # ids for handles, nothing recorded
        provider = TracerProvider(sampler=sampler, resource=self.resource, shutdown_on_exit=False)
        if is_sent:
            self._spans = LateProcessor(
                lambda: list(
                    map(BatchSpanProcessor, self._exporters("traces", CollectorSpanExporter))
                )
            )
            provider.add_span_processor(self._spans)
        if self._settings.set_global:
            trace_api.set_tracer_provider(provider)
        self._private.append(provider)
        return provider

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
        if self._settings.set_global:
            metrics_api.set_meter_provider(provider)
        self._private.append(provider)
        return provider

    def _make_logger_provider(self) -> logs_api.LoggerProvider:
        exporters = self._exporters("logs", None)
        if not exporters and not self._settings.set_global:
            return logs_api.NoOpLoggerProvider()
        provider = LoggerProvider(resource=self.resource, shutdown_on_exit=False)
        for exporter in exporters:
            provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
        if self._settings.set_global:
            logs_api.set_logger_provider(provider)
        self._private.append(provider)
        return provider

    def _exporters(
        self, signal: Signal, to_collector: Callable[[Collector], object] | None
    ) -> list[Any]:
        """Return the exporters of a private provider; a broken one is logged and omitted."""
        names = exporter_names(signal)
        if names is not None:
            return [self._owned(exporter, signal) for exporter in _load_all(names, signal)]
        if self._client is None or to_collector is None:
            return []
        return [self._owned(to_collector(self._client), signal)]

    def _owned(self, exporter: Any, signal: Signal) -> Any:  # noqa: ANN401 - exporters have no common type
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


def _call(provider: object, name: str) -> Callable[[], object] | None:
    """Return a method of a provider, or None: foreign providers may lack it."""
    return getattr(provider, name, None)


def _metrics_first(providers: Iterable[object]) -> tuple[list[object], list[object]]:
    found = list(providers)
    metrics: list[object] = [one for one in found if isinstance(one, metrics_api.MeterProvider)]
    return metrics, [one for one in found if one not in metrics]


_FIRST_SHARE: Final = 0.6
"""Share of the timeout for the first calls."""


def _in_order(
    timeout_s: float,
    first: Iterable[Callable[[], object] | None],
    then: Iterable[Callable[[], object] | None],
) -> bool:
    """Run the first calls, then the others even if the first timed out."""
    deadline = time.monotonic() + timeout_s
    is_first_done = _in_time(timeout_s * _FIRST_SHARE, first)
    return _in_time(max(0.0, deadline - time.monotonic()), then) and is_first_done


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
