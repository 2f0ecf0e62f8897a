"""The life cycle of one generation, from the call until it is counted and sent.

Read it from top to bottom: the call starts a span; the body runs, perhaps as a stream; the call
ends; the answer is checked, at once or on the worker; the span gets the verdict and ends; the
request is counted and its unit is sent. Each of `end`, `span` and `delivery` happens once, on
whichever thread comes first: the caller's, the worker's, the fallback's, or the watchdog's at the
deadline. Tests: `tests/tracing/test_requests.py`, `test_streams.py`, `test_background_worker.py`,
`test_repeated_answers.py` and `test_fallback.py`.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from time import perf_counter, time_ns
from typing import TYPE_CHECKING

from opentelemetry.context import Context, get_current
from opentelemetry.trace import Span, Status, StatusCode

from sqlobs import semconv
from sqlobs.check.llm_output.refusals import declined_by
from sqlobs.tracing.checking import unchecked
from sqlobs.tracing.completion_signal import CompletionSignal, Todo, once
from sqlobs.tracing.description.attributes import generation_attributes
from sqlobs.tracing.description.late_evaluations import late_evaluations
from sqlobs.tracing.description.span_events import exception_attributes, mark_failure
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.option_layer import UNRESOLVED, Resolved
from sqlobs.tracing.options.scope import SPAN_KEY, current_scope
from sqlobs.tracing.records.engine_errors import error_type_of
from sqlobs.tracing.records.record import AttemptRecord, CheckStatus, GenerationRecord
from sqlobs.tracing.records.span_identity import identity_of
from sqlobs.tracing.requests.answer import Attempt, answer_of
from sqlobs.tracing.requests.attempts import all_tried, described_attempt
from sqlobs.tracing.requests.chunks import Chunks
from sqlobs.tracing.requests.context_span import ContextSpan, parent_in
from sqlobs.tracing.requests.recording import record_of
from sqlobs.tracing.requests.request import Request
from sqlobs.tracing.requests.rollup import ROLLUP_KEY, Rollup

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.failure_codes import Reason
    from sqlobs.tracing.fallback_runner import Answering
    from sqlobs.tracing.options.arguments import Arguments
    from sqlobs.tracing.requests.operation import CachedVerdict, GenerationOperation
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.types import Outcome
    from sqlobs.unit import AttributeValue


class TracedRequest(Request):
    """A request that is checked, written on its span, counted and sent.

    It is the activity of the traced call, and the worker's task after that.
    """

    end_ns: int = 0
    outcome: Outcome = "answered"
    resolved: Resolved = UNRESOLVED
    """The options in effect at the end."""
    text: str | None = None
    """The text to check; None where there is none."""
    question: str | None = None
    error_type: str | None = None
    around: ContextSpan | None = None
    """The block of `context()` whose span is the parent of this one."""
    exception: dict[str, AttributeValue] | None = None
    """The event of what the function raised."""
    is_abandoned: bool = False
    """A stream that was neither exhausted nor closed."""
    is_checked: bool = False
    report: CheckReport | None = None
    attempt_records: tuple[AttemptRecord, ...] = ()
    check_s: float = 0.0
    waited_s: float = 0.0
    """How long the caller waits for the fallback's answer."""
    record: GenerationRecord | None = None

    # -- 1. the call ----------------------------------------------------------------------------

    def __init__(
        self, runtime: Runtime, operation: GenerationOperation, arguments: Arguments
    ) -> None:
        started = perf_counter()
        scope = current_scope()
        outer = scope.request
        is_inside = outer is not None and outer.is_open and outer.runtime is runtime
        self.runtime = runtime
        self.operation = operation
        self.context_block = scope.context_block
        self.outer = outer if is_inside else None  # whose attempt this one is
        self.lock = threading.Lock()
        self.rollup = Rollup() if self.outer is None else self.outer.rollup
        self._arguments = arguments
        self.todo: Todo = ["end", "span", "delivery"]
        self.start_ns = time_ns()
        self._context = self._start_span()
        if self.outer is None:
            if runtime.keeps_recent:
                runtime.recent.append(self)
            if scope.context_block is not None:
                scope.context_block.started(self)
        self.overhead_s = perf_counter() - started

    def _start_span(self) -> Context | None:
        tracer = self.runtime.tracer
        if tracer is None:
            return None
        current, links, self.around = parent_in(get_current(), is_generation=True)
        span = tracer.start_span(
            self.operation.span_name if self.outer is None else semconv.SPAN_ATTEMPT,
            context=current,
            links=links,
            start_time=self.start_ns,
        )
        self.span = span
        if not span.is_recording():  # no SDK, or not sampled: the ids may be the parent's
            self._identity = identity_of(span, current)
        return Context({**current, SPAN_KEY: span, ROLLUP_KEY: self.rollup})

    # -- 2. the body ----------------------------------------------------------------------------

    def chunk(self, value: object) -> None:
        """Collect a chunk of the stream."""
        if self.chunks is None:
            self.chunks = Chunks(keeps_all=self.operation.collect is not None)
        try:
            self.chunks.add(value)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            self.chunks.add_unknown()
            INTERNAL_ERRORS.caught("chunk", error)

    def returned(self, value: object) -> None:
        """End a call that returned, or a block (then the value is `NOTHING_RETURNED`)."""
        self._end("answered", value)

    def raised(self, error: BaseException) -> None:
        """End a call that raised; anything but an `Exception` is a cancellation."""
        if isinstance(error, Exception):
            self._end("error", None, error=error)
        else:
            self._end("cancelled", None)

    def exhausted(self, value: object) -> None:
        """End a stream; the return value of a generator, if any, is its answer."""
        self._end("answered", self._collected() if value is None else value)

    def closed(self, *, is_abandoned: bool = False) -> None:
        """End a stream that was closed or dropped; after a finish reason its text is complete."""
        is_complete = self.chunks is not None and self.chunks.finish_reason is not None
        self._end(
            "answered" if is_complete else "cancelled",
            self._collected() if is_complete else None,
            is_abandoned=is_abandoned,
        )

    def _collected(self) -> object:
        chunks = self.chunks or Chunks()
        collect = self.operation.collect
        if collect is None:
            return chunks.answer
        with INTERNAL_ERRORS.contained("collect"):
            return collect(chunks.items)
        return chunks.answer

    # -- 3. the end, on the caller's thread -----------------------------------------------------

    def _end(
        self,
        outcome: Outcome,
        value: object,
        *,
        error: Exception | None = None,
        is_abandoned: bool = False,
    ) -> None:
        started = perf_counter()
        if not once(self.todo, "end"):
            return
        self.end_ns = time_ns()
        self.is_open = False
        if self.around is not None:
            self.around.await_check(self)
        try:
            if self.runtime.repeats and type(value) is str and self._repeat(value, started):
                return
            self.is_abandoned = is_abandoned
            self._read_end(outcome, value, error)
            self._check_or_queue(started)
        except Exception as fault:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("generation.end", fault)
            self._give_up(outcome)
        finally:
            self._arguments = None  # do not keep the user's objects alive

    def _repeat(self, text: str, started: float) -> bool:
        """End a request with the cached verdict of the same answer; False where there is none.

        Most requests of a busy service end here.
        """
        self.resolved = self.resolve()
        known = self._known(text)
        if known is None:
            return False
        self.text = text
        self.answer = Attempt(text)
        self._close_as(known, started)
        self.overhead_s += perf_counter() - started
        self.runtime.dispatch(self)
        return True

    def _known(self, text: str | None) -> CachedVerdict | None:
        """Return the cached verdict of an answer that is all there is."""
        if text is None or not self.is_uncorrected or not self._is_repeatable:
            return None
        return self.operation.verdicts.find(text, self.runtime, self.resolved)

    def _close_as(self, known: CachedVerdict, started: float) -> bool:
        """Write a cached verdict on the span and end it; False where it had ended."""
        self.is_checked = True
        self.report = known.report
        if self.answer is not None:
            self.answer.report = known.report
        self.attempt_records = known.attempts
        attributes = known.attributes.copy()
        attributes[semconv.SQLOBS_GENERATION_DURATION] = (self.end_ns - self.start_ns) / 1e9
        attributes[semconv.SQLOBS_CHECK_DURATION] = self.check_s = perf_counter() - started
        self.settle(known.report)
        return self._end_span(attributes, known.report, known)

    @property
    def _is_repeatable(self) -> bool:
        """The answer is all there is: no attempt, execution, stream, stage or outer request."""
        return not (
            self.attempts
            or self.executions
            or self.chunks is not None
            or self.outer is not None
            or self.rollup.is_touched
        )

    def _read_end(self, outcome: Outcome, value: object, error: Exception | None) -> None:
        """Read what only the caller's thread can read: the answer, and the user's callables."""
        if outcome == "answered":
            outcome, self.text = answer_of(self, value)
        self.outcome = outcome
        self.resolved = self.resolve()
        if self.text is not None:
            self.answer = Attempt(self.text)
        if error is not None:
            self.error_type = error_type_of(error)
            self.exception = exception_attributes(error, self.runtime.message_of(error))
        if self.runtime.wants_question:
            self.question = self.read_question()

    def _check_or_queue(self, started: float) -> None:
        """Check and end the span now where that is quick, else on the worker."""
        runtime = self.runtime
        if self._is_quick():
            self._check()
            is_asking = self._ask_fallback()
            if not is_asking:
                self._close()
            self.overhead_s += perf_counter() - started
            if not is_asking:
                runtime.dispatch(self)
            return
        waits = runtime.fallback is not None and runtime.fallback.holds_spans
        self.overhead_s += perf_counter() - started
        if waits:
            self._hold_caller()
        if not runtime.worker.submit(self, has_deadline=not waits):
            self.drop("queue_full")
        elif waits:
            runtime.worker.hurry()

    def _is_quick(self) -> bool:
        if self.outer is not None:
            return True
        checks_inline, resolved = self.runtime.checks_inline, self.resolved
        for attempt in self.attempts:
            if attempt.report is None and not checks_inline(attempt.text, resolved):
                return False
        return self.text is None or checks_inline(self.text, resolved)

    def _give_up(self, outcome: Outcome) -> None:
        """Count a request whose end failed in our code: not evaluated, but it was made."""
        try:
            self.outcome, self.resolved = outcome, UNRESOLVED
            self.text = self.question = self.report = self.record = None
            self.attempt_records = ()
            self.drop("error")
        except Exception as fault:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("generation.count", fault)
            if self.span is not None:
                self.span.end(end_time=self.end_ns)
            if self.around is not None:
                self.around.learn(self, {}, "error")
            self._release_caller()

    # -- 4. the check, on the caller's thread or the worker -------------------------------------

    def _check(self) -> None:
        """Check the answer, and what an agent executed before it."""
        self.is_checked = True
        if self.runtime.is_check_off or (self.text is None and not self.attempts):
            return
        started = perf_counter()
        try:
            answer = self._checked_answer()
            self.attempt_records = all_tried(self, self.resolved, answer)
            self.report = None if answer is None else answer.report
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("check", error)
            self.report = None if self.text is None else unchecked(self.text, reason="error")
        self.check_s = perf_counter() - started

    def _checked_answer(self) -> Attempt | None:
        """Check the answer; None where there is none, or it declines or asks back."""
        if self.answer is None or self.text is None:
            return None
        runtime = self.runtime
        self.answer.report = report = runtime.checker.check(self.text, self.resolved)
        if self.outcome_set is not None or not runtime.settings.detect_refusals:
            return self.answer
        declined = declined_by(report, self.text, question=self.question)
        if declined is None:
            return self.answer
        self.outcome, self.text = declined, None
        return None

    # -- 5. the fallback, where the span waits for its answer -----------------------------------

    def _ask_fallback(self) -> bool:
        """Ask the fallback where the span waits for it; its answer then ends the span."""
        fallback, report = self.runtime.fallback, self.report
        if fallback is None or report is None or not fallback.delays_span(report):
            return False
        asked = perf_counter()
        answering = fallback.ask(report, self.resolved, self.identity)
        if answering is None:
            return False
        self._hold_caller()
        answering.add_done_callback(partial(self._answered, asked))
        return True

    def _answered(self, asked: float, answering: Answering) -> None:
        """End the span with the fallback's answer; runs on the fallback's thread."""
        try:
            fallback, before = self.runtime.fallback, self.report
            if fallback is not None and before is not None and self.answer is not None:
                report = fallback.answered(before, answering)
                self.report = self.answer.report = report
                self.attempt_records = tuple(
                    replace(one, report=report) if one.report is before else one
                    for one in self.attempt_records
                )
            self.check_s += perf_counter() - asked
            self._close()
            self.runtime.dispatch(self)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("fallback.end", error)
            self.drop("error")
        finally:
            self._release_caller()

    def _hold_caller(self) -> None:
        self.waiting = self.waiting or CompletionSignal()

    def _release_caller(self) -> None:
        if self.waiting is not None:
            self.waiting.set()

    # -- 6. the span gets its verdict and ends --------------------------------------------------

    def _close(self) -> bool:
        """Write the verdict on the span and end it; False where it had ended."""
        record = self._final_record()
        attributes = generation_attributes(record, self.runtime.capture)
        kept = self._keep_verdict(attributes)
        self.settle(self.report)
        return self._end_span(attributes, record.evaluated, kept)

    def _final_record(self) -> GenerationRecord:
        if self.record is None:
            status: CheckStatus = "complete"
            reason: Reason | None = None
            if self.report is None:
                status = "skipped"
                if self.outcome == "answered":
                    reason = "check_off" if self.runtime.is_check_off else "undecided"
            elif self.report.reasons.get("syntactic") == "error":
                status, reason = "error", "error"
            self.record = record_of(self, status, reason)
        return self.record

    def _keep_verdict(self, attributes: dict[str, AttributeValue]) -> CachedVerdict | None:
        """Cache the verdict where the same answer would be written on a span the same way."""
        report = self.report
        if report is None or self.text is None or report.reasons.get("syntactic") == "error":
            return None
        if self._is_undecided(report):
            return None  # next time the fallback may answer
        if self.outcome != "answered" or not (self.runtime.keeps_verdicts and self._is_repeatable):
            return None
        return self.operation.verdicts.keep(
            self.text, self.runtime, self.resolved, report, attributes
        )

    def _is_undecided(self, report: CheckReport) -> bool:
        """Return whether the fallback failed, or could not be called where the span waits."""
        if report.fallback is not None:
            return report.fallback.reason is not None
        fallback = self.runtime.fallback
        return fallback is not None and fallback.delays_span(report)

    def _end_span(
        self,
        attributes: dict[str, AttributeValue],
        evaluated: CheckReport | None = None,
        known: CachedVerdict | None = None,
    ) -> bool:
        """Describe the span and end it; False where another thread has ended it."""
        if not once(self.todo, "span"):
            return False
        if self.waiting is not None:
            self.waited_s = perf_counter() - self.waiting.since_s
        span = self.span
        if self.outer is not None:
            attributes = self._as_attempt_of(self.outer)
        if span is None:
            return True
        failure = None
        try:
            if span.is_recording():
                if known is None:
                    span.set_attributes(attributes)
                else:
                    known.write(span, attributes)
                failure = self._mark(span, evaluated)
        finally:
            span.end(end_time=self.end_ns)
            if self.around is not None:
                self.around.learn(self, attributes, failure)
        return True

    def _mark(self, span: Span, evaluated: CheckReport | None) -> str | None:
        """Say on the span what was raised, or what was found in the SQL; return why it fails."""
        if self.outcome == "error":
            span.set_status(Status(StatusCode.ERROR, self.error_type))
            if self.exception is not None:
                span.add_event(semconv.EVENT_EXCEPTION, self.exception)
            return self.error_type or "error"
        if evaluated is None or not evaluated.findings:
            return None
        runtime = self.runtime
        is_error = runtime.settings.mark_failures_as_errors
        return mark_failure(span, evaluated, runtime.redaction, is_error=is_error)

    def _as_attempt_of(self, outer: Request) -> dict[str, AttributeValue]:
        """Count this generation as an attempt of the one around, and return its attributes."""
        report = self.report
        if report is None or self.text is None:
            return {semconv.OPENINFERENCE_SPAN_KIND: "CHAIN"}
        attempt, number = outer.add_attempt(self.text)
        attempt.report = outer.last_report = report
        return described_attempt(self.runtime, AttemptRecord(number, report))

    # -- 7. the worker's task: the check that is left, then counting and sending ----------------

    @property
    def is_awaited(self) -> bool:
        """The span waits for the check."""
        return not self.is_checked

    def work(self) -> None:
        """Do what is left: first the check, which the span waits for, then the delivery."""
        if self.is_checked:
            self.deliver()
            return
        started = perf_counter()
        known = self._known(self.text) if self.outcome == "answered" else None
        if known is None:
            if self.text is not None:
                self.runtime.checker.await_process(self.text, self.resolved)
            self._check()
            if self._ask_fallback():
                return
        if not (self._close() if known is None else self._close_as(known, started)):
            for evaluation in late_evaluations(self._final_record()):
                self.runtime.senders.record_evaluation(evaluation)
        self.runtime.worker.postpone(self)
        self._release_caller()

    def expire(self) -> None:
        """End the span without a verdict at the deadline; the check continues."""
        record = record_of(self, "pending", "pending")
        self._end_span(generation_attributes(record, self.runtime.capture))

    def drop(self, reason: Reason) -> None:
        """End the span and count the request without a check: nobody will make it."""
        record = record_of(self, "error" if reason == "error" else "dropped", reason)
        self.record = self.record or record
        self.settle(None)
        self._end_span(generation_attributes(record, self.runtime.capture))
        self.deliver()
        self._release_caller()

    def deliver(self) -> None:
        """Count the request and send its unit."""
        if self.outer is not None or not once(self.todo, "delivery"):
            return
        record, overhead_s = self._final_record(), self.overhead_s + self.waited_s
        if record.overhead_s != overhead_s:  # it was made earlier
            record = replace(record, overhead_s=overhead_s)
        self.runtime.deliver(record, self.resolved.schema, source=self.resolved.source)
        # Handles and later executions need the ids alone.
        self._identity = self.identity
        self.span = self._context = None
        if self.is_checked:
            self.record = self.question = None
