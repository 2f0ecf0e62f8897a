"""All that one instance was told, and the working parts that are made of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlobs.check.checker import profile_of
from sqlobs.check.engine.profile import Profile
from sqlobs.config import load_settings
from sqlobs.schema.model import Schema
from sqlobs.tracing.conditions.given import NOTHING
from sqlobs.tracing.runtime import Runtime
from sqlobs.tracing.sending.senders import Senders

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry._logs import LoggerProvider
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from sqlobs.check.fallback import Fallback
    from sqlobs.check.native.engine import Engine
    from sqlobs.check.policy import Policy
    from sqlobs.config import Settings
    from sqlobs.tracing.conditions.given import Given
    from sqlobs.tracing.description.redaction import Redact
    from sqlobs.tracing.sending.collector_client import Collector


@dataclass(frozen=True, slots=True)
class Destination:
    """Where telemetry goes, in the place of what is global or what the settings name."""

    tracer_provider: TracerProvider | None = None
    meter_provider: MeterProvider | None = None
    logger_provider: LoggerProvider | None = None
    collector: Collector | None = None
    delivers_inline: bool = False
    """Counted and sent on the calling thread."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """All that `configure` was told."""

    destination: Destination = Destination()
    settings: Settings | None = None
    """None: the environment is read at first use."""
    given: Given = NOTHING
    policy: Policy | None = None
    redact: Redact | None = None
    fallback: Fallback | None = None
    engine: Engine | None = None
    """Asked in place of the engines inside this process."""

    def runtime(
        self,
        *,
        workflows: Callable[[], tuple[str, ...]],
        keeps_recent: bool,
        retire: Callable[[Runtime], None],
    ) -> Runtime:
        """Make the working parts.

        Args:
            workflows: Gives the workflows that are declared so far.
            keeps_recent: Executions are traced: generations are remembered for them.
            retire: Told that the parts are about to end with their process.

        Raises:
            ConfigError: A variable of the environment is not usable.
        """
        settings = self.settings or load_settings()
        given = self.given
        if given.dialect is None and given.schema is None and settings.dialect is not None:
            given = replace(given, dialect=settings.dialect)
        to = self.destination
        return Runtime(
            settings,
            given,
            telemetry=Senders(
                settings,
                tracer_provider=to.tracer_provider,
                meter_provider=to.meter_provider,
                logger_provider=to.logger_provider,
                collector=to.collector,
                dialect=_dialect_of(given),
            ),
            policy=self.policy,
            redact=self.redact,
            fallback=self.fallback,
            engine=self.engine,
            workflows=workflows,
            keeps_recent=keeps_recent,
            delivers_inline=to.delivers_inline,
            retire=retire,
        )


def _dialect_of(given: Given) -> str | None:
    """Return sqlglot's name of the dialect that holds outside every request, if one does."""
    schema = given.schema if isinstance(given.schema, Schema) else None
    if given.dialect is not None and not isinstance(given.dialect, str | Profile):
        return None
    profile = profile_of(schema, given.dialect)
    return None if profile is None else profile.dialect
