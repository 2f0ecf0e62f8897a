"""What one configured instance runs on in one process: providers, checker, worker, senders."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from functools import cached_property, partial
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from sqlobs.fork_guard import IMPORTS
from sqlobs.schema.model import Schema
from sqlobs.tracing.checking import INVALID, Checker, is_parser_loaded, unchecked
from sqlobs.tracing.conditions.arguments import Arguments
from sqlobs.tracing.conditions.resolution import resolve
from sqlobs.tracing.consultation import Consultation, result_of
from sqlobs.tracing.description.attributes import (
    Capture,
    attempt_attributes,
    execution_attributes,
    generation_attributes,
)
from sqlobs.tracing.description.late import late_evaluations
from sqlobs.tracing.description.redaction import Redaction
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.record import GenerationRecord
from sqlobs.tracing.stages.recent import Recent
from sqlobs.tracing.worker import exits
from sqlobs.tracing.worker.finisher import Finisher
from sqlobs.tracing.worker.task import Errand, Task
from sqlobs.unit import SpanIdentity

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.trace import Tracer

    from sqlobs.check.fallback import Fallback
    from sqlobs.check.native.engine import Engine
    from sqlobs.check.policy import Policy
    from sqlobs.check.report.model import CheckReport
    from sqlobs.config import Settings
    from sqlobs.schema.source import SchemaSource
    from sqlobs.tracing.conditions.given import Given
    from sqlobs.tracing.conditions.resolution import Resolved
    from sqlobs.tracing.description.redaction import Redact
    from sqlobs.tracing.records.record import (
        AttemptRecord,
        ExecutionRecord,
        FeedbackRecord,
    )
    from sqlobs.tracing.telemetry import Telemetry
    from sqlobs.unit import AttributeValue

LAMBDA_VARIABLE = "AWS_LAMBDA_FUNCTION_NAME"
FLUSH_S = 5.0
_CHECKS_SHARE = 0.7
"""Of the time that a process has left, for what the worker has to do; the rest is for sending."""
FOLLOWED = 50
"""Sources of schemas whose age is shown; a service may have one for each customer."""


class Runtime:
    """The working parts of an instance, made at first use."""

    def __init__(
        self,
        settings: Settings,
        given: Given,
        *,
        telemetry: Telemetry,
        policy: Policy | None = None,
        redact: Redact | None = None,
        fallback: Fallback | None = None,
        engine: Engine | None = None,
        workflows: Callable[[], tuple[str, ...]] = tuple,
        keeps_recent: bool = True,
        delivers_inline: bool = False,
        retire: Callable[[Runtime], None] = lambda _: None,
    ) -> None:
        self.settings = settings
        self.given = given
        self.telemetry = telemetry
        self.is_disabled = settings.sdk_disabled
        self.checker = Checker(
            native=settings.native if engine is None else engine,
            strict=settings.strict,
            policy=policy,
        )
        self.redaction = Redaction(redact, settings=settings)
        self.consultation: Consultation | None = None
        """The fallback that is asked where the check cannot decide."""
        if fallback is not None:
            self.consultation = Consultation(
                fallback,
                settings.fallback_mode,
                redaction=self.redaction,
                emit=telemetry.record_evaluation,
            )
        self.recent = Recent()
        self.keeps_recent = keeps_recent
        """Executions are traced somewhere: generations are remembered for them."""
        self.is_check_off = settings.check == "off"
        self.wants_question = settings.capture_content or telemetry.takes_units
        self._is_lambda = LAMBDA_VARIABLE in os.environ
        self._delivers_inline = delivers_inline or self._is_lambda
        self._mode = "inline" if self._delivers_inline else settings.mode
        self.repeats = (
            (self._mode != "deferred" or self.is_check_off)
            and not self.wants_question
            and self.redaction.is_off
        )
        """The same answer looks the same on a span, and that may be written at once."""
        self.capture = Capture.of(settings)
        """What texts may stand on spans."""
        self._workflows = workflows
        self._retire = retire
        self._started: set[str] = set()
        self._is_watched = False
        self._followed: set[tuple[int, str | None]] = set()
        self._resolved: Resolved | None = None
        self.finisher = Finisher(
            capacity=settings.check_queue_size,
            is_warm=is_parser_loaded,
            on_start=partial(exits.join, self, handles_sigterm=settings.flush_on_sigterm),
        )

    @cached_property
    def tracer(self) -> Tracer | None:
        """The tracer; None where spans are disabled. Providers are looked for at the first span."""
        return self.telemetry.tracer

    def prepare(self) -> None:
        """Import now what requests need, and have parser and schema ready soon, on a thread."""
        self.telemetry.prepare()
        resolved = self._known_beforehand()
        if self.is_check_off or self._delivers_inline or self.checker.is_warm(resolved):
            return
        self.finisher.hold()
        warm_up = threading.Thread(
            target=self._warm_up, args=(resolved,), name="sqlobs-warm-up", daemon=True
        )
        try:
            warm_up.start()
        except RuntimeError as error:  # the system's limit of threads: requests warm up themselves
            INTERNAL_ERRORS.caught("warm_up.start", error)
            self.finisher.release()

    def _warm_up(self, resolved: Resolved) -> None:
        try:
            self.checker.warm_up(resolved)
            with IMPORTS:
                self._rehearse(resolved)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("warm_up", error)
        finally:
            self.finisher.release()

    def _rehearse(self, resolved: Resolved) -> None:
        """Describe an invalid statement as a request would be, on a span that goes nowhere."""
        import sqlobs.check.llm_output.refusals
        import sqlobs.check.report.message_masking  # noqa: F401 - read where syntax errors are described

        record = GenerationRecord(
            workflow="",
            span=SpanIdentity(trace_id=1, span_id=1),
            start_ns=0,
            end_ns=0,
            outcome="answered",
            report=self.checker.check(INVALID, resolved),
        )
        self.telemetry.rehearse(self.generation_attributes(record))

    def _known_beforehand(self) -> Resolved:
        """Return what is told outside of requests and needs no call into the application."""
        is_known = isinstance(self.given.schema, Schema)
        given = self.given if is_known else replace(self.given, schema=None)
        return resolve(given, Arguments(None))

    # -- the check ------------------------------------------------------------------------------

    @property
    def resolved(self) -> Resolved:
        """What holds outside every request."""
        return resolve(self.given, Arguments(None))

    def checks_inline(self, sql: str, resolved: Resolved) -> bool:
        """Say whether a check is made on the request thread."""
        if self.is_check_off or self._mode == "inline":
            return True
        return self._mode == "auto" and self.checker.is_quick(sql, resolved)

    def checked(self, sql: str | None, resolved: Resolved) -> CheckReport:
        """Check a statement now, the fallback's labels in the report where spans wait for them.

        None is an attempt that was not understood.
        """
        if sql is None:
            return unchecked("", reason="undecided")
        report = self.checker.check(sql, resolved)
        if self.consultation is None:
            return report
        return self.consultation.settled(report, resolved)

    # -- what goes on spans ---------------------------------------------------------------------

    def generation_attributes(self, record: GenerationRecord) -> dict[str, AttributeValue]:
        """Return the attributes of a generation span."""
        return generation_attributes(record, self.capture)

    def attempt_attributes(self, attempt: AttemptRecord) -> dict[str, AttributeValue]:
        """Return the attributes of an attempt's span."""
        return attempt_attributes(attempt)

    def execution_attributes(self, record: ExecutionRecord) -> dict[str, AttributeValue]:
        """Return the attributes of an execution's span."""
        return execution_attributes(record)

    # -- what is counted and sent ---------------------------------------------------------------

    def dispatch(self, task: Deliverable) -> None:
        """Have an ended request counted and sent by the worker; here where there is none."""
        if self._delivers_inline or not self.finisher.submit(task):
            task.deliver()
        if self._is_lambda:
            self.telemetry.flush(FLUSH_S)

    def deliver(
        self, record: GenerationRecord, schema: Schema | None, *, source: SchemaSource | None = None
    ) -> None:
        """Count a request by its verdict, however late that came, and send it as its unit."""
        try:
            self._start_series()
            self._follow(source, record.context.target)
            self.telemetry.send_unit(record, schema)
            self.telemetry.count_generation(record)
            if self.consultation is not None:
                answering = self.consultation.ask_late(record, schema)
                if answering is not None and self._delivers_inline:
                    result_of(answering)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("metrics", error)

    def deliver_execution(self, record: ExecutionRecord) -> None:
        """Count an execution."""
        try:
            self._start_series()
            self.telemetry.record_execution(record)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("metrics", error)

    def deliver_feedback(self, record: FeedbackRecord) -> None:
        """Count and send feedback, off the calling thread."""
        errand = Errand(lambda: self.telemetry.record_feedback(record))
        if self._delivers_inline or not self.finisher.submit(errand):
            errand.work()
        if self._is_lambda:
            self.telemetry.flush(FLUSH_S)

    def deliver_late(self, record: GenerationRecord) -> None:
        """Send the verdict of a span that the deadline has ended."""
        for evaluation in late_evaluations(record):
            self.telemetry.record_evaluation(evaluation)

    def _start_series(self) -> None:
        """Write zeros in the process that counts: a fork must not inherit the parent's series.

        Spans are exported from then on; to make their exporters takes too long for a request.
        """
        self.telemetry.attach()
        if not self._is_watched:
            self._is_watched = True
            self.telemetry.watch_queue(lambda: self.finisher.size)
        for workflow in self._workflows():
            if workflow not in self._started:
                self._started.add(workflow)
                self.telemetry.start(workflow)

    def start_series(self) -> None:
        """Write the zeros of what is declared so far, called or not; never raises."""
        try:
            self._start_series()
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("metrics", error)

    def _follow(self, source: SchemaSource | None, target: str | None) -> None:
        """Show the age of a schema that is followed, wherever it was told, under its target."""
        if source is None:
            return
        followed = (id(source), target)  # the watch keeps the source, so its id is not used again
        if followed not in self._followed and len(self._followed) < FOLLOWED:
            self._followed.add(followed)
            self.telemetry.watch_schema(source, target=target)

    # -- the end --------------------------------------------------------------------------------

    def flush(self, timeout_s: float) -> bool:
        """Do and send all that has ended so far; False where the time did not suffice."""
        until = monotonic() + timeout_s
        self.start_series()
        is_drained = self.finisher.flush(timeout_s)
        if self.consultation is not None:
            # What was waited for is handed to the worker by its answer
            is_drained = self.consultation.flush(max(0.0, until - monotonic())) and is_drained
            is_drained = self.finisher.flush(max(0.0, until - monotonic())) and is_drained
        return self.telemetry.flush(max(0.0, until - monotonic())) and is_drained

    def shutdown(self, timeout_s: float) -> bool:
        """Flush, then stop; what ends later ends on its own thread and is counted no more."""
        until = monotonic() + timeout_s
        is_drained = self.finisher.close(timeout_s * _CHECKS_SHARE)
        if self.consultation is not None:
            self.consultation.close(max(0.0, until - monotonic()) * _CHECKS_SHARE)
        return self.telemetry.shutdown(max(0.0, until - monotonic())) and is_drained

    def leave(self, timeout_s: float) -> None:
        """Shut down as the process ends; should it go on, its next request starts anew."""
        self._retire(self)
        self.shutdown(timeout_s)


class Deliverable(Task, Protocol):
    """An ended request or execution."""

    def deliver(self) -> None:
        """Count and send it."""
        ...
