"""The configuration of one instance: what `configure` got, and where telemetry goes.

Tests: `tests/telemetry/test_config.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlobs.config import Settings, load_settings
from sqlobs.tracing.options.option_layer import NO_OPTIONS, OptionLayer

if TYPE_CHECKING:
    from opentelemetry._logs import LoggerProvider
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from sqlobs.check.fallback import Fallback
    from sqlobs.check.native import Engine
    from sqlobs.check.policy import Policy
    from sqlobs.tracing.description.redaction import Redact
    from sqlobs.tracing.sending.collector_client import Collector


@dataclass(frozen=True, slots=True)
class Destination:
    """Providers and collector that replace the global ones and those of the settings."""

    tracer_provider: TracerProvider | None = None
    meter_provider: MeterProvider | None = None
    logger_provider: LoggerProvider | None = None
    collector: Collector | None = None
    delivers_inline: bool = False
    """Count and send on the calling thread."""


DEFAULT_DESTINATION = Destination()
"""The global providers, and the collector of the settings."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The arguments of `configure`, immutable."""

    destination: Destination = DEFAULT_DESTINATION
    settings: Settings | None = None
    """None: the environment is read at first use."""
    options: OptionLayer = NO_OPTIONS
    policy: Policy | None = None
    redact: Redact | None = None
    fallback: Fallback | None = None
    engine: Engine | None = None
    """Checks statements instead of the engines inside this process."""

    def with_environment(self) -> tuple[Settings, OptionLayer]:
        """Return settings and options, completed from environment variables.

        Raises:
            ConfigError: The value of a variable is invalid.
        """
        settings, options = self.settings or load_settings(), self.options
        if options.dialect is None and options.schema is None and settings.dialect is not None:
            options = replace(options, dialect=settings.dialect)
        return settings, options
