"""Exporters of our own providers: those of `OTEL_*` variables, else the collector, else none.

Tests: `tests/telemetry/test_providers.py`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.metrics.export import MetricExporter, MetricExportResult, MetricsData
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from sqlobs.errors import ConfigError
from sqlobs.tracing.wrapping.standin import Proxy

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

    from sqlobs.tracing.sending.collector_client import Collector

Signal = Literal["traces", "metrics", "logs"]

EXPORT_S: Final = 10.0
"""Seconds for one export to the collector, retries included."""

_logger = logging.getLogger("sqlobs")
_GRPC_PORT: Final = 4317


def exporter_names(signal: Signal) -> list[str] | None:
    """Return the exporters that the environment names for a signal.

    Returns:
        Names of entry points, `otlp` resolved to its protocol; empty for `none`; None where no
        variable is set.
    """
    names = os.environ.get(f"OTEL_{signal.upper()}_EXPORTER", "").strip()
    if not names and _otlp(signal, "ENDPOINT"):
        names = "otlp"
    if not names:
        return None
    found = [name.strip() for name in names.split(",")]
    return [_with_protocol(name, signal) for name in found if name and name != "none"]


def load_exporter(name: str, signal: Signal) -> Any:  # noqa: ANN401 - an exporter or a reader, as the entry point says
    """Return a new exporter by the name of its entry point.

    Raises:
        ConfigError: No installed package provides the exporter.
    """
    found = tuple(entry_points(group=f"opentelemetry_{signal}_exporter", name=name))
    if not found:
        raise ConfigError(
            f"OTEL_{signal.upper()}_EXPORTER: unknown exporter {name!r}. Install its package"
        )
    return found[0].load()(**_bounds(name, signal))


def _bounds(name: str, signal: Signal) -> dict[str, object]:
    """Return arguments that limit the size of the responses an exporter reads; gRPC has its own."""
    own = (f"OTEL_PYTHON_EXPORTER_OTLP_HTTP_{place}CREDENTIAL_PROVIDER" for place in
           (f"{signal.upper()}_", ""))  # fmt: skip
    if name != "otlp_proto_http" or any(map(os.environ.get, own)):
        return {}  # the user's own session
    from sqlobs.tracing.sending.bounded_session import BoundedSession

    return {"session": BoundedSession()}


def prepare_exporters(signal: Signal) -> None:
    """Import the exporters that the environment names; a broken one is logged at first use."""
    for name in exporter_names(signal) or ():
        with suppress(Exception):
            for found in entry_points(group=f"opentelemetry_{signal}_exporter", name=name):
                found.load()


class CollectorSpanExporter(SpanExporter):
    """Spans to the collector, under the collector's headers only."""

    def __init__(self, client: Collector) -> None:
        self._client = client

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send a batch."""
        payload = encode_spans(spans).SerializeToString()
        reply = self._client.deliver("/v1/traces", payload, within_s=EXPORT_S)
        return SpanExportResult.SUCCESS if reply.is_accepted else SpanExportResult.FAILURE


class CollectorMetricExporter(MetricExporter):
    """Metrics to the collector, under the collector's headers only."""

    def __init__(self, client: Collector) -> None:
        super().__init__()
        self._client = client

    def export(
        self,
        metrics_data: MetricsData,
        timeout_millis: float = EXPORT_S * 1000,
        **_: Any,  # noqa: ANN401 - the interface's
    ) -> MetricExportResult:
        """Send what was collected."""
        payload = encode_metrics(metrics_data).SerializeToString()
        within_s = min(EXPORT_S, timeout_millis / 1000)
        reply = self._client.deliver("/v1/metrics", payload, within_s=within_s)
        return MetricExportResult.SUCCESS if reply.is_accepted else MetricExportResult.FAILURE

    def force_flush(self, timeout_millis: float = 10_000) -> bool:  # noqa: ARG002 - the interface's
        """Return at once: nothing waits here."""
        return True

    def shutdown(self, timeout_millis: float = 30_000, **_: Any) -> None:  # noqa: ANN401 - the interface's
        """Do nothing: the creator of the client closes it."""


class Owned(Proxy):
    """One of our exporters: counts failures, and does not export in a forked child.

    The SDK restarts its export threads after a fork: the child would send its copy of the parent's
    queue a second time.
    """

    def __init__(self, exporter: object, signal: Signal, failed: Callable[[], None]) -> None:
        super().__init__(exporter)
        self._self_signal = signal
        self._self_failed = failed
        self._self_pid = os.getpid()

    def export(self, batch: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the wrapped
        """Export, unless this process is a child of the one that made the exporter.

        Returns:
            The wrapped exporter's result; None in a child, or if it raised. No SDK reads it.
        """
        if os.getpid() != self._self_pid:
            return None
        try:
            result = self.__wrapped__.export(batch, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - older SDKs would log each one with its traceback
            _warn_once(self._self_signal, type(error).__name__)
            self._self_failed()
            return None
        if result.name != "SUCCESS":
            self._self_failed()
        return result


@cache
def _warn_once(signal: Signal, error: str) -> None:
    _logger.warning(
        "sqlobs: %s could not be exported (%s; logged once, all failures are counted in "
        "sqlobs.export.failures)",
        signal,
        error,
    )


def _otlp(signal: Signal, name: str) -> str | None:
    """Return the variable of a signal, else that of all signals."""
    own = os.environ.get(f"OTEL_EXPORTER_OTLP_{signal.upper()}_{name}")
    return own or os.environ.get(f"OTEL_EXPORTER_OTLP_{name}")


def _with_protocol(name: str, signal: Signal) -> str:
    """Resolve `otlp`: the configured protocol, gRPC on its own port, else HTTP as specified."""
    if name != "otlp":
        return name
    protocol = _otlp(signal, "PROTOCOL")
    if protocol:
        return "otlp_proto_grpc" if protocol.strip() == "grpc" else "otlp_proto_http"
    endpoint = _otlp(signal, "ENDPOINT")
    is_grpc = endpoint is not None and _port(endpoint) == _GRPC_PORT
    return "otlp_proto_grpc" if is_grpc else "otlp_proto_http"


def _port(endpoint: str) -> int | None:
    try:
        return urlsplit(endpoint).port
    except ValueError:
        return None
