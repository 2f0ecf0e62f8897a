"""The working parts of one instance in one process: checker, worker, fallback and senders.

Tests: `tests/tracing/test_requests.py`, `test_series.py` and `test_processes.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property, partial
from time import monotonic
from typing import TYPE_CHECKING

from sqlobs.check.engine.profile import Profile, profile_of
from sqlobs.schema.model import Schema
from sqlobs.tracing.checking import Checker, unchecked
from sqlobs.tracing.checking_process.auto_checker import AutoChecker
from sqlobs.tracing.checking_process.checker import ProcessChecker
from sqlobs.tracing.checking_process.messages import Terms
from sqlobs.tracing.description.attributes import Capture
from sqlobs.tracing.description.redaction import Redaction
from sqlobs.tracing.fallback_runner import WAIT_S, FallbackRunner
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.arguments import Arguments
from sqlobs.tracing.options.option_layer import OptionLayer, Resolved, resolve
from sqlobs.tracing.sending.schema_drift import WatchedSchema
from sqlobs.tracing.sending.senders import Senders
from sqlobs.tracing.stages.joining import RecentGenerations
from sqlobs.tracing.warm_up import start_warm_up
from sqlobs.tracing.worker import exits
from sqlobs.tracing.worker.background_worker import BackgroundWorker
from sqlobs.tracing.worker.task import Errand, Task

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from sqlobs.check.report.model import CheckReport
    from sqlobs.config import Settings
    from sqlobs.schema.source import SchemaSource
    from sqlobs.tracing.configuration import Configuration
    from sqlobs.tracing.records.record import ExecutionRecord, FeedbackRecord, GenerationRecord
    from sqlobs.unit import SpanIdentity

LAMBDA_VARIABLE = "AWS_LAMBDA_FUNCTION_NAME"
FLUSH_S = 5.0
_CHECKS_SHARE = 0.7
"""The worker's share of the time that is left at exit; the rest is for sending."""
FOLLOWED = 50
"""Schema sources whose age is shown; a service may have one for each customer."""


class Runtime:
    """The working parts of an instance, made at first use."""

    def __init__(
        self,
        configuration: Configuration,
        *,
        workflows: Callable[[], tuple[str, ...]] = tuple,
        keeps_recent: bool = True,
        retire: Callable[[Runtime], None] = lambda _: None,
    ) -> None:
        """Make the parts; providers are looked up at the first span.

        Args:
            configuration: What `configure` got.
            workflows: Returns the workflows declared so far.
            keeps_recent: Remember recent generations, as executions are traced.
            retire: Called when the parts are about to end with their process.

        Raises:
            ConfigError: The value of an environment variable is invalid.
        """
        self.settings, self.options = configuration.with_environment()
        settings = self.settings
        self.is_disabled = settings.sdk_disabled
        self.is_check_off = settings.check == "off"
        to, dialect = configuration.destination, _dialect_of(self.options)
        self.senders = Senders(settings, destination=to, dialect=dialect)
        self.redaction = Redaction(configuration.redact, settings=settings)
        self.capture = Capture(settings.capture_sql, settings.capture_content)
        self.fallback = (
            None
            if configuration.fallback is None
            else FallbackRunner(
                configuration.fallback,
                settings.fallback_mode,
                redaction=self.redaction,
                senders=self.senders,
            )
        )
        self.recent = RecentGenerations()
        self.keeps_recent = keeps_recent
        self.wants_question = settings.capture_content or self.senders.takes_units
        self._is_lambda = LAMBDA_VARIABLE in os.environ
        self._delivers_inline = to.delivers_inline or self._is_lambda
        is_alone = self.is_disabled or self._delivers_inline
        self.checker = _checker_of(configuration, settings, is_alone=is_alone)
        self._mode = "inline" if self._delivers_inline else settings.mode
        self.keeps_verdicts = not self.wants_question and self.redaction.is_off
        """A repeated answer gets the cached verdict, written as it was before."""
        self.repeats = self.keeps_verdicts and self._mode != "deferred"
        """It gets it at once, on the caller's thread."""
        self._workflows = workflows
        self._retire = retire
        self._started: set[str] = set()
        self._is_watched = False
        self._followed: set[tuple[int, str | None]] = set()
        self.worker = BackgroundWorker(
            capacity=settings.check_queue_size,
            is_warm=lambda: self.checker.is_loaded,
            on_start=partial(exits.join, self.leave, handles_sigterm=settings.flush_on_sigterm),
        )

    @cached_property
    def tracer(self) -> Tracer | None:
        """The tracer; None where spans are disabled."""
        return None if self.is_disabled else self.senders.providers.tracer

    def prepare(self) -> None:
        """Import what requests need, and load parser and schema on a thread."""
        self.senders.providers.prepare()
        if not (self.is_check_off or self._delivers_inline):
            start_warm_up(self)

    # -- the check ------------------------------------------------------------------------------

    @property
    def resolved(self) -> Resolved:
        """The options outside any request."""
        return resolve(self.options, Arguments(None))

    def checks_inline(self, sql: str, resolved: Resolved) -> bool:
        """Return whether a check runs on the caller's thread."""
        if self.is_check_off:
            return True
        self.checker.note_caller()
        if self._mode == "inline":
            return True
        return self._mode == "auto" and self.checker.is_quick(sql, resolved)

    def checked(self, sql: str | None, resolved: Resolved, span: SpanIdentity) -> CheckReport:
        """Check a statement now, with the fallback where spans wait for it.

        None is an attempt whose SQL was not found: undecided.
        """
        if sql is None:
            return unchecked("", reason="undecided")
        self.checker.note_caller()
        report = self.checker.check(sql, resolved)
        if self.fallback is None:
            return report
        return self.fallback.completed(report, resolved, span)

    def message_of(self, error: BaseException) -> str | None:
        """Return the message of an exception where message content may be recorded."""
        if not self.capture.content:
            return None
        with INTERNAL_ERRORS.contained("message"):
            return self.redaction.clean("message", str(error))
        return None

    # -- counting and sending -------------------------------------------------------------------

    def dispatch(self, task: Task) -> None:
        """Have the worker do what is left of a task; without a worker do it now."""
        if self._delivers_inline or not self.worker.submit(task):
            task.work()
        if self._is_lambda:
            self.senders.flush(FLUSH_S)

    def deliver(
        self, record: GenerationRecord, schema: Schema | None, *, source: SchemaSource | None = None
    ) -> None:
        """Count a request by its verdict, and send its unit; never raises."""
        with INTERNAL_ERRORS.contained("metrics"):
            self.start_series()
            self._follow(source, record.context.target)
            self.senders.send_unit(record, schema)
            self._count(record, schema)

    def _count(self, record: GenerationRecord, schema: Schema | None) -> None:
        """Count a request; the evaluations that a late answer is awaited for count by that."""
        fallback, instruments = self.fallback, self.senders.instruments
        answering = None if fallback is None else fallback.ask_late(record, schema)
        if fallback is None or answering is None:
            instruments.record_generation(record)
            return
        instruments.record_generation(record, awaited=fallback.awaited(record))
        if self._delivers_inline:
            fallback.flush(WAIT_S)

    def deliver_execution(self, record: ExecutionRecord) -> None:
        """Count an execution; never raises."""
        with INTERNAL_ERRORS.contained("metrics"):
            self.start_series()
            self.senders.record_execution(record)

    def deliver_feedback(self, record: FeedbackRecord) -> None:
        """Count and send feedback, off the calling thread."""
        self.dispatch(Errand(lambda: self.senders.record_feedback(record)))

    def start_series(self) -> None:
        """Write the zeros of all declared workflows, called or not; never raises.

        In the process that counts: a fork must not inherit the parent's series. Spans are exported
        from then on; making their exporters takes too long for a request.
        """
        with INTERNAL_ERRORS.contained("metrics"):
            self.senders.providers.attach()
            if not self._is_watched:
                self._is_watched = True
                self.senders.watch_queue(lambda: self.worker.size)
            for workflow in self._workflows():
                if workflow not in self._started:
                    self._started.add(workflow)
                    self.senders.instruments.start_at_zero(workflow)

    def _follow(self, source: SchemaSource | None, target: str | None) -> None:
        if source is None:
            return
        followed = (id(source), target)  # the watch keeps the source, so its id is not used again
        if followed not in self._followed and len(self._followed) < FOLLOWED:
            self._followed.add(followed)
            self.senders.instruments.watch_schema(WatchedSchema(source), target=target)

    # -- the end --------------------------------------------------------------------------------

    def flush(self, timeout_s: float) -> bool:
        """Check, count and send all that has ended so far; False if the time was too short."""
        until = monotonic() + timeout_s
        self.start_series()
        is_drained = self.worker.flush(timeout_s)
        if self.fallback is not None:
            # The fallback's answer hands the request to the worker again
            is_drained = self.fallback.flush(max(0.0, until - monotonic())) and is_drained
            is_drained = self.worker.flush(max(0.0, until - monotonic())) and is_drained
        return self.senders.flush(max(0.0, until - monotonic())) and is_drained

    def shutdown(self, timeout_s: float) -> bool:
        """Flush, then stop; a request that ends later is not counted."""
        until = monotonic() + timeout_s
        is_drained = self.worker.close(timeout_s * _CHECKS_SHARE)
        if self.fallback is not None:
            self.fallback.close(max(0.0, until - monotonic()) * _CHECKS_SHARE)
        self.checker.close()
        return self.senders.shutdown(max(0.0, until - monotonic())) and is_drained

    def leave(self, timeout_s: float) -> None:
        """Shut down as the process ends; if it continues, the next request makes a new runtime."""
        self._retire(self)
        self.shutdown(timeout_s)


def _checker_of(
    configuration: Configuration, settings: Settings, *, is_alone: bool
) -> AutoChecker | Checker | ProcessChecker:
    """Return who checks; a process is not worth it where few checks are made, one at a time."""
    policy, most = configuration.policy, settings.check_max_bytes
    terms = Terms(settings.native, settings.strict, policy, most)
    if settings.check == "process":
        return ProcessChecker(terms)
    if settings.check == "auto" and configuration.engine is None and not is_alone:
        return AutoChecker(terms)
    return Checker(
        native=settings.native if configuration.engine is None else configuration.engine,
        strict=settings.strict,
        policy=policy,
        max_bytes=most,
    )


def _dialect_of(options: OptionLayer) -> str | None:
    """Return sqlglot's name of the dialect outside any request, if it is known beforehand."""
    schema = options.schema if isinstance(options.schema, Schema) else None
    if options.dialect is not None and not isinstance(options.dialect, str | Profile):
        return None
    profile = profile_of(schema, options.dialect)
    return None if profile is None else profile.dialect
