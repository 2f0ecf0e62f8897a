"""`Sqlobs`: one configuration with its decorators; the module functions are those of a default."""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import contextmanager
from dataclasses import replace
from time import time_ns
from typing import TYPE_CHECKING, Any

from sqlobs.check.checker import profile_of
from sqlobs.config import load_settings
from sqlobs.fork_guard import IMPORTS
from sqlobs.schema.model import Schema
from sqlobs.tracing.checking import unchecked
from sqlobs.tracing.conditions.arguments import Arguments
from sqlobs.tracing.conditions.given import NOTHING, Given, level
from sqlobs.tracing.conditions.resolution import resolve
from sqlobs.tracing.conditions.scope import current_scope
from sqlobs.tracing.configuration import Configuration, Destination
from sqlobs.tracing.decorators import Decorators
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.record import FeedbackRecord
from sqlobs.tracing.requests.ambient import Ambient
from sqlobs.tracing.requests.answer import text_in
from sqlobs.tracing.requests.generation import NO_GENERATION, Generation
from sqlobs.tracing.sending.zeros import zeros_on
from sqlobs.tracing.taking import CONFIGURE, INSTANCE, require
from sqlobs.tracing.worker import exits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from opentelemetry._logs import LoggerProvider
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from sqlobs.check.engine.profile import Profile
    from sqlobs.check.fallback import Fallback
    from sqlobs.check.native.engine import Native
    from sqlobs.check.policy import Policy
    from sqlobs.check.report.model import CheckReport
    from sqlobs.config import CheckSwitch, Mode, Settings, Strictness
    from sqlobs.tracing.conditions.given import Prompt, SchemaProvider
    from sqlobs.tracing.description.redaction import Redact
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.tracing.sending.collector_client import Collector
    from sqlobs.tracing.sending.zeros import Zeros
    from sqlobs.types import FallbackMode


class Sqlobs(Decorators):
    """One configuration of sqlobs in a process; most programs need only the module functions.

    Two applications in one process, and tests, make instances of their own.
    """

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        logger_provider: LoggerProvider | None = None,
        delivers_inline: bool = False,
        **options: Any,  # noqa: ANN401 - typed by `configure`
    ) -> None:
        """Make an instance.

        Args:
            tracer_provider: Makes the spans; the process's own by default.
            meter_provider: Makes the metrics; the process's own by default.
            logger_provider: Takes late results; the process's own by default.
            delivers_inline: Count and send on the calling thread, for tests.
            **options: As for `configure`.

        Raises:
            ConfigError: An argument has the wrong type.
        """
        require(
            INSTANCE,
            tracer_provider=tracer_provider,
            meter_provider=meter_provider,
            logger_provider=logger_provider,
            delivers_inline=delivers_inline,
        )
        self._lock = threading.Lock()  # guards the making of the runtime
        self._runtime: Runtime | None = None
        self._workflows: tuple[str, ...] = ()
        self._traces_executions = False
        self._meter_provider = meter_provider
        self._zeros: Zeros | None = None
        self._configuration = Configuration(
            destination=Destination(
                tracer_provider=tracer_provider,
                meter_provider=meter_provider,
                logger_provider=logger_provider,
                delivers_inline=delivers_inline,
            )
        )
        _INSTANCES.add(self)
        if options:
            self.configure(**options)

    def configure(
        self,
        *,
        service_name: str | None = None,
        schema: Schema | SchemaProvider | Callable[..., object] | None = None,
        dialect: str | Profile | None = None,
        collector: str | None = None,
        mode: Mode | None = None,
        check: CheckSwitch | None = None,
        native: Native | None = None,
        strict: Strictness | None = None,
        policy: Policy | None = None,
        redact: Redact | None = None,
        fallback: Fallback | None = None,
        fallback_mode: FallbackMode | None = None,
        models: tuple[str, ...] | list[str] | None = None,
        detect_refusals: bool | None = None,
        mark_failures_as_errors: bool | None = None,
        set_global: bool | None = None,
    ) -> None:
        """Set what holds for every request; the same again changes nothing.

        May come before or after the application's own OpenTelemetry set-up: providers are looked
        for at the first request. What is not given here is read from the environment
        (`SQLOBS_MODE`, `SQLOBS_COLLECTOR_ENDPOINT`, …), else it has its default.

        Args:
            service_name: `service.name` of our own providers, where the application has none.
            schema: What exists: a `Schema`, a `SchemaSource`, or a callable giving one.
            dialect: The SQL dialect; the schema's by default.
            collector: Base URL of the collector; it gets question and raw SQL of every request.
            mode: When the check runs: `auto` (inline where that takes about a millisecond),
                `inline` or `deferred`.
            check: `off` leaves checking to the collector.
            native: Whether engines inside this process (SQLite, DuckDB) are asked, too; or an
                `Engine` that is asked in place of them, off the request path.
            strict: `sql_correctness`, the definition of judge-based products.
            policy: What is forbidden beyond the engine's own rules.
            redact: Called with kind and text before any text leaves; gives the text to record,
                or None to withhold it.
            fallback: Asked where the check cannot decide, e.g. `sqlobs.judge.fallback`; it is
                sent the raw statement and the schema.
            fallback_mode: `late` (the answer comes as an evaluation of its own), `wait` (span
                and caller wait for it) or `always` (about decided statements, too, to compare).
            models: Model names kept as a metric label; every other is `other`.
            detect_refusals: An answer without SQL that declines or asks back, in English, is
                `abstained` or `clarified`; False: it fails, as every other answer without SQL.
            mark_failures_as_errors: Failing SQL sets the span's status to ERROR.
            set_global: Install our providers where the application has none, at once. A server
                that forks its workers configures in the worker: providers are of one process.

        Raises:
            ConfigError: An argument has the wrong type, or its value is not usable.
            DialectError: The dialect is unknown, or differs from the schema's.
        """
        require(
            CONFIGURE,
            service_name=service_name,
            schema=schema,
            dialect=dialect,
            collector=collector,
            mode=mode,
            check=check,
            native=native,
            strict=strict,
            policy=policy,
            redact=redact,
            fallback=fallback,
            fallback_mode=fallback_mode,
            models=models,
            detect_refusals=detect_refusals,
            mark_failures_as_errors=mark_failures_as_errors,
            set_global=set_global,
        )
        profile_of(schema if isinstance(schema, Schema) else None, dialect)
        settings = load_settings(
            service_name=service_name,
            dialect=dialect if isinstance(dialect, str) else None,
            collector_endpoint=collector,
            mode=mode,
            check=check,
            native=native if isinstance(native, bool) else None,
            strict=strict,
            fallback_mode=fallback_mode,
            models=None if models is None else tuple(models),
            detect_refusals=detect_refusals,
            mark_failures_as_errors=mark_failures_as_errors,
            set_global=set_global,
        )
        profile_of(None, settings.dialect)
        self._replace(
            replace(
                self._configuration,
                settings=settings,
                given=Given(schema=schema, dialect=dialect),
                policy=policy,
                redact=redact,
                fallback=fallback,
                engine=None if native is None or isinstance(native, bool) else native,
            )
        )
        if settings.set_global and not settings.sdk_disabled:
            self.runtime.telemetry.install()
        if not settings.sdk_disabled:
            self._prepare(settings)

    def _prepare(self, settings: Settings) -> None:
        """Do now what the first request would wait for, and what only the main thread can do."""
        self.runtime.prepare()
        if settings.flush_on_sigterm and self.runtime.telemetry.takes_units:
            exits.handle_sigterm()

    @contextmanager
    def rerouted(
        self,
        *,
        tracer_provider: TracerProvider,
        meter_provider: MeterProvider,
        logger_provider: LoggerProvider,
        collector: Collector,
    ) -> Iterator[None]:
        """Check, count and send inline, to these and nowhere else, while the block runs; for tests.

        What `configure` is told meanwhile stays.
        """
        before = self._configuration
        there = Destination(
            tracer_provider=tracer_provider,
            meter_provider=meter_provider,
            logger_provider=logger_provider,
            collector=collector,
            delivers_inline=True,
        )
        self._replace(replace(before, destination=there))
        try:
            yield
        finally:
            self._replace(replace(self._configuration, destination=before.destination))

    def _replace(self, configuration: Configuration) -> None:
        with self._lock:
            if configuration == self._configuration:
                return
            self._configuration = configuration
            retired, self._runtime = self._runtime, None
        if retired is not None:
            retired.shutdown(_RETIRE_S)

    @property
    def runtime(self) -> Runtime:
        """The working parts, made at first use, in the process that uses them."""
        return self._runtime or self._make_runtime()

    def _make_runtime(self) -> Runtime:
        with self._lock:
            with IMPORTS:
                self._runtime = self._runtime or self._configuration.runtime(
                    workflows=lambda: self._workflows,
                    keeps_recent=self._traces_executions,
                    retire=self._let_go,
                )
            return self._runtime

    def _let_go(self, runtime: Runtime) -> None:
        """Start anew with the next request, if any comes: these parts end with their process."""
        if self._runtime is runtime:
            self._runtime = None

    def declare(self, workflow: str) -> None:
        """Note a workflow whose series start at zero."""
        if workflow not in self._workflows:
            self._workflows = (*self._workflows, workflow)
            self._await_zeros(workflow)

    def _await_zeros(self, workflow: str) -> None:
        try:
            self._zeros = self._zeros or zeros_on(self._meter_provider)
            self._zeros.declare(workflow)
        except Exception as error:  # noqa: BLE001 - the boundary: a foreign provider may do anything
            INTERNAL_ERRORS.caught("metrics", error)

    def declare_executions(self) -> None:
        """Note that executions are traced, so that generations are remembered for them."""
        self._traces_executions = True
        if self._runtime is not None:
            self._runtime.keeps_recent = True

    # -- what user code asks --------------------------------------------------------------------

    def context(
        self,
        *,
        schema: Schema | SchemaProvider | Callable[..., object] | None = None,
        dialect: str | Profile | Callable[..., str | Profile | None] | None = None,
        target: str | Callable[..., str | None] | None = None,
        tenant: str | None = None,
        prompt: Prompt | None = None,
        model: str | None = None,
        conversation: str | None = None,
        user: str | None = None,
        session: str | None = None,
        reference: str | Callable[..., str | None] | None = None,
        hints: str | Callable[..., str | None] | None = None,
        case_id: str | None = None,
    ) -> Ambient:
        """Tell what holds for all requests of a block; the block's `as` holds their handles."""
        return Ambient(
            level(
                schema=schema,
                dialect=dialect,
                target=target,
                tenant=tenant,
                prompt=prompt,
                model=model,
                conversation=conversation,
                user=user,
                session=session,
                reference=reference,
                hints=hints,
                case_id=case_id,
            )
        )

    def check_outside(self, sql: object) -> CheckReport:
        """Check what `attempt` is given outside every request; never raises."""
        try:
            ambient = current_scope().ambient
            runtime = self.runtime
            told = NOTHING if ambient is None else ambient.given
            resolved = resolve(told.over(runtime.given), Arguments(None))
            text = text_in(sql)
            if text is None:
                return unchecked("", reason="undecided")
            return runtime.checker.check(text, resolved)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("attempt", error)
            return unchecked(sql if type(sql) is str else "", reason="error")

    def record_feedback(
        self,
        generation_id: str,
        *,
        kind: str,
        value: str | float | None = None,
        corrected_sql: str | None = None,
        reason: str | None = None,
    ) -> None:
        """Record what a person said about a generation; never raises.

        Args:
            generation_id: The id of the handle, e.g. `context(...).generation.id`.
            kind: What was given, e.g. `thumb`.
            value: What was said, e.g. `down`.
            corrected_sql: The SQL that would have been right.
            reason: The person's words.
        """
        try:
            runtime = self.runtime
            clean = runtime.redaction.clean
            record = FeedbackRecord(
                generation_id=generation_id,
                kind=kind,
                timestamp_ns=time_ns(),
                value=value,
                corrected_sql=clean("sql", corrected_sql),
                reason=clean("reason", reason),
            )
            runtime.deliver_feedback(record)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("feedback", error)

    # -- flush and shutdown ---------------------------------------------------------------------

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Check, count and send all that has ended so far.

        Args:
            timeout_s: How long to wait at most, in seconds.

        Returns:
            Whether all was sent in time.
        """
        try:
            runtime = self.runtime if self._workflows else self._runtime
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("begin", error)
            return True
        return runtime is None or runtime.flush(timeout_s)

    async def aflush(self, timeout_s: float = 10.0) -> bool:
        """Do as `flush` does, without blocking the event loop."""
        from anyio import to_thread

        return await to_thread.run_sync(self.flush, timeout_s)

    def shutdown(self, timeout_s: float = 10.0) -> bool:
        """Flush and stop; providers that are not ours go on. A later request starts anew.

        Args:
            timeout_s: How long to wait at most, in seconds.

        Returns:
            Whether all was sent in time.
        """
        with self._lock:
            runtime, self._runtime = self._runtime, None
        return runtime is None or runtime.shutdown(timeout_s)

    def forget_runtime(self) -> None:
        """Start anew in a forked child: threads, queues and instance id are the parent's."""
        self._lock = threading.Lock()
        self._runtime = None


_RETIRE_S = 2.0
_INSTANCES: weakref.WeakSet[Sqlobs] = weakref.WeakSet()


def _after_fork() -> None:
    for instance in list(_INSTANCES):
        instance.forget_runtime()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def current_generation() -> Generation:
    """Return the handle of the request that the running code belongs to; a no-op one outside."""
    request = current_scope().request
    return NO_GENERATION if request is None else request.handle


_default = Sqlobs()


def default_instance() -> Sqlobs:
    """Return the instance behind the module functions."""
    return _default
