"""The end of one request: checked, written on its span, counted and sent, each exactly once.

The span is ended by whoever claims it first: the request thread, the worker after its check, or
the watchdog at the deadline. Metrics and the unit follow once the check is done, whoever ended
the span.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.check.fallback import with_answer
from sqlobs.check.llm_output.refusals import declined_by
from sqlobs.tracing.checking import unchecked
from sqlobs.tracing.consultation import result_of
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.error_types import error_type_of
from sqlobs.tracing.requests.answer import Attempt
from sqlobs.tracing.requests.attempts import all_tried
from sqlobs.tracing.requests.claim import take
from sqlobs.tracing.requests.outcome import answer_of
from sqlobs.tracing.requests.recording import record_of
from sqlobs.tracing.requests.writing import write
from sqlobs.tracing.waiting import Waiting

if TYPE_CHECKING:
    from sqlobs.check.fallback import FallbackAnswer
    from sqlobs.check.report.model import CheckReport
    from sqlobs.failure_codes import Reason
    from sqlobs.tracing.conditions.resolution import Resolved
    from sqlobs.tracing.consultation import Answering
    from sqlobs.tracing.records.record import AttemptRecord, CheckStatus, GenerationRecord
    from sqlobs.tracing.requests.request import Request
    from sqlobs.types import Outcome, Verdict
    from sqlobs.unit import AttributeValue


class Ending:
    """What the request thread knew when a request ended; checked there or on the worker."""

    text: str | None = None
    """What is to be checked; None = nothing."""
    error_type: str | None = None
    is_abandoned = False
    is_checked = False
    question: str | None = None
    report: CheckReport | None = None
    answer: Attempt | None = None
    attempts: tuple[AttemptRecord, ...] = ()
    check_s = 0.0
    record: GenerationRecord | None = None

    def __init__(
        self, request: Request, outcome: Outcome, resolved: Resolved | None = None
    ) -> None:
        self.request = request
        self.outcome = outcome
        self.resolved: Resolved = request.resolve() if resolved is None else resolved

    @classmethod
    def of(
        cls,
        request: Request,
        outcome: Outcome,
        *,
        value: object,
        error: Exception | None,
        is_abandoned: bool,
    ) -> Ending:
        """Read what the request thread alone can read: the answer, and the user's callables."""
        text = None
        if outcome == "answered":
            outcome, text = answer_of(request, value)
        ending = cls(request, outcome)
        if text is not None:
            ending.text = text
            ending.answer = request.answer = Attempt(text)
        if error is not None:
            ending.error_type = error_type_of(error)
        if is_abandoned:
            ending.is_abandoned = True
        if request.runtime.wants_question:
            ending.question = request.read_question()
        return ending

    # -- on the request thread ------------------------------------------------------------------

    @classmethod
    def repeat(cls, request: Request, text: str, started: float) -> bool:
        """End a request whose answer was given before just as that was ended; False where none was.

        Most requests of a busy service end here.
        """
        runtime = request.runtime
        known = request.operation.memory.find(text, request.resolve())
        if known is None or not runtime.repeats or not request.is_repeatable:
            return False
        ending = cls(request, "answered")
        ending.text = text
        ending.is_checked = True
        ending.answer = request.answer = Attempt(text)
        ending.report = ending.answer.report = known.report
        ending.attempts = known.attempts
        attributes = known.attributes.copy()
        attributes[semconv.SQLOBS_GENERATION_DURATION] = request.duration_s
        attributes[semconv.SQLOBS_CHECK_DURATION] = ending.check_s = perf_counter() - started
        request.settle(known.report)
        write(ending, attributes, is_error=ending._is_error(known.verdict))
        request.overhead_s += perf_counter() - started
        runtime.dispatch(ending)
        return True

    def begin(self, started: float) -> None:
        """End the span now, or leave that to the worker; then have it counted and sent."""
        request = self.request
        runtime = request.runtime
        if self._is_quick():
            self.check()
            if runtime.consultation is not None and self._consults():
                request.overhead_s += perf_counter() - started
                return
            self.close()
            request.overhead_s += perf_counter() - started
            runtime.dispatch(self)
        else:
            holds = runtime.consultation is not None and runtime.consultation.holds_spans
            request.waiting = Waiting() if holds else None
            request.overhead_s += perf_counter() - started
            if not runtime.finisher.submit(self, has_deadline=not holds):
                self.refuse("queue_full")

    def _consults(self) -> bool:
        """Ask the fallback where the span waits for it; the answer then ends the span."""
        request = self.request
        consultation, report = request.runtime.consultation, self.report
        if consultation is None or report is None or not consultation.decides(report):
            return False
        asked = perf_counter()
        answering = consultation.ask(report, self.resolved)
        if answering is None:
            return False
        request.waiting = request.waiting or Waiting()
        answering.add_done_callback(partial(self._answered, asked))
        return True

    def _answered(self, asked: float, answering: Answering) -> None:
        """End the span with the answer; on the thread of the fallback."""
        try:
            self._take_over(result_of(answering))
            self.check_s += perf_counter() - asked
            self.close()
            self.request.runtime.dispatch(self)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("fallback.end", error)
            self.refuse("error")
        finally:
            self._release_caller()

    def _release_caller(self) -> None:
        if self.request.waiting is not None:
            self.request.waiting.is_over()

    def _take_over(self, answer: FallbackAnswer) -> None:
        before = self.report
        if before is None:
            return
        self.report = report = with_answer(before, answer)
        if self.answer is not None:
            self.answer.report = report
        self.attempts = tuple(
            replace(one, report=report) if one.report is before else one for one in self.attempts
        )

    def _is_quick(self) -> bool:
        request = self.request
        if request.outer is not None:
            return True
        texts = [attempt.text for attempt in request.attempts if attempt.report is None]
        if self.text is not None:
            texts.append(self.text)
        return all(request.runtime.checks_inline(text, self.resolved) for text in texts)

    # -- on either thread -----------------------------------------------------------------------

    def check(self) -> None:
        """Check the answer, and what an agent executed before it."""
        self.is_checked = True
        if self.request.runtime.is_check_off or (self.text is None and not self.request.attempts):
            return
        started = perf_counter()
        try:
            self._read_answer()
            self.attempts = all_tried(self.request, self.resolved, self.answer)
            self.report = None if self.answer is None else self.answer.report
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("check", error)
            self.report = None if self.text is None else unchecked(self.text, reason="error")
        self.check_s = perf_counter() - started

    def _read_answer(self) -> None:
        """Check the answer; one that declines or asks back is none: nothing of it is evaluated."""
        if self.answer is None or self.text is None:
            return
        runtime = self.request.runtime
        self.answer.report = report = runtime.checker.check(self.text, self.resolved)
        if self.request.outcome_set is not None or not runtime.settings.detect_refusals:
            return
        found = declined_by(report, self.text, question=self.question)
        if found is not None:
            self.outcome, self.text, self.answer = found, None, None

    def close(self) -> bool:
        """Write the verdict on the span and end it; False where somebody else has ended it."""
        record = self._final_record()
        attributes = self.request.runtime.generation_attributes(record)
        self._remember(attributes)
        self.request.settle(self.report)
        return write(self, attributes, is_error=self._is_error(record.verdict))

    def _remember(self, attributes: dict[str, AttributeValue]) -> None:
        """Keep what an answer looks like on a span, where the same one will look the same again."""
        request, report = self.request, self.report
        if report is None or self.text is None or report.reasons.get("syntactic") == "error":
            return
        if self._is_left_open(report):
            return  # the next time it may be answered
        if self.outcome == "answered" and request.runtime.repeats and request.is_repeatable:
            request.operation.memory.keep(self.text, self.resolved, report, attributes)

    def _is_left_open(self, report: CheckReport) -> bool:
        """Say whether the fallback failed, or could not be asked although the span waits for it."""
        if report.fallback is not None:
            return report.fallback.reason is not None
        consultation = self.request.runtime.consultation
        return consultation is not None and consultation.decides(report)

    def _is_error(self, verdict: Verdict) -> bool:
        if self.outcome == "error":
            return True
        return verdict == "failed" and self.request.runtime.settings.mark_failures_as_errors

    def _final_record(self) -> GenerationRecord:
        if self.record is None:
            status: CheckStatus = "complete"
            reason: Reason | None = None
            if self.report is None:
                status = "skipped"
                reason = self._unread_reason if self.outcome == "answered" else None
            elif self.report.reasons.get("syntactic") == "error":
                status, reason = "error", "error"
            self.record = record_of(self, status, reason)
        return self.record

    @property
    def _unread_reason(self) -> Reason:
        """Why an answer has no report: nobody was to check it, or its text was not found."""
        return "check_off" if self.request.runtime.is_check_off else "undecided"

    def deliver(self) -> None:
        """Count the request and send its unit."""
        if self.request.outer is not None or not take(self.request.claims, "delivery"):
            return
        record = replace(self._final_record(), overhead_s=self.request.overhead_s)
        resolved = self.resolved
        self.request.runtime.deliver(record, resolved.schema, source=resolved.source)
        self.request.release()

    # -- on the worker and the watchdog ---------------------------------------------------------

    @property
    def is_awaited(self) -> bool:
        """The span waits for the check."""
        return not self.is_checked

    def work(self) -> None:
        """Do what is left: first the check, for which the span waits, then the delivery."""
        if self.is_checked:
            self.deliver()
            return
        self.check()
        if self._consults():
            return
        if not self.close():
            self.request.runtime.deliver_late(self._final_record())
        self.request.runtime.finisher.postpone(self)
        self._release_caller()

    def expire(self) -> None:
        """End the span without a verdict: the deadline has come; the check goes on."""
        record = record_of(self, "pending", "pending")
        write(self, self.request.runtime.generation_attributes(record), is_error=False)

    def refuse(self, reason: Reason) -> None:
        """End the span without a check: nobody will make it."""
        record = record_of(self, "error" if reason == "error" else "dropped", reason)
        self.record = self.record or record
        self.request.settle(None)
        write(self, self.request.runtime.generation_attributes(record), is_error=False)
        self.deliver()
        self._release_caller()
