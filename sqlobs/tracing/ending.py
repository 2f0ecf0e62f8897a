"""The end of one request: checked, written on its span, counted and sent, each exactly once.

The span is ended by whoever claims it first: the request thread, the worker after its check, or
the watchdog at the deadline. Metrics and the unit follow once the check is done, whoever ended
the span.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from opentelemetry.trace import Status, StatusCode

from sqlobs.failure_codes import group_of
from sqlobs.tracing.answer import NOTHING_RETURNED, Attempt
from sqlobs.tracing.checking import unchecked
from sqlobs.tracing.claim import Claim
from sqlobs.tracing.completion import model_of, usage_of
from sqlobs.tracing.error_types import error_type_of
from sqlobs.tracing.faults import FAULTS
from sqlobs.tracing.record import AttemptRecord, GenerationRecord, Texts

if TYPE_CHECKING:
    from sqlobs.check.report import CheckReport
    from sqlobs.failure_codes import Reason
    from sqlobs.tracing.record import CallContext, CheckStatus
    from sqlobs.tracing.request import Request
    from sqlobs.tracing.resolution import Resolved
    from sqlobs.types import Outcome

_NO_TEXTS = Texts()


class Ending:
    """What the request thread knew when a request ended; checked there or on the worker."""

    __slots__ = (
        "_delivery",
        "_ending",
        "answer",
        "attempts",
        "check_s",
        "context",
        "error_type",
        "is_abandoned",
        "is_checked",
        "outcome",
        "question",
        "record",
        "report",
        "request",
        "resolved",
        "text",
    )

    def __init__(
        self,
        request: Request,
        outcome: Outcome,
        *,
        text: str | None,
        error: Exception | None,
        is_abandoned: bool,
    ) -> None:
        self.request = request
        self.outcome = outcome
        self.text = text
        self.error_type = None if error is None else error_type_of(error)
        self.is_abandoned = is_abandoned
        self.resolved: Resolved = request.resolve()
        self.context: CallContext = self.resolved.context
        self.question = request.read_question() if request.runtime.wants_question else None
        self.report: CheckReport | None = None
        self.check_s = 0.0
        self.is_checked = False
        self.attempts: tuple[AttemptRecord, ...] = ()
        self.record: GenerationRecord | None = None
        self._ending = Claim()
        self._delivery = Claim()
        self.answer = request.answer = None if text is None else Attempt(text)

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
            outcome, text = _answer_of(request, value)
            _note_completion(request, value)
        return cls(request, outcome, text=text, error=error, is_abandoned=is_abandoned)

    # -- on the request thread ------------------------------------------------------------------

    def begin(self, started: float) -> None:
        """End the span now, or leave that to the worker; then have it counted and sent."""
        request = self.request
        runtime = request.runtime
        if self._is_quick():
            self.check()
            self.close()
            request.overhead_s += perf_counter() - started
            runtime.dispatch(self)
        else:
            request.overhead_s += perf_counter() - started
            if not runtime.finisher.submit(self, has_deadline=True):
                self.refuse("queue_full")

    def _is_quick(self) -> bool:
        if self.text is None or self.request.outer is not None:
            return True
        return self.request.runtime.checks_inline(self.text, self.resolved)

    # -- on either thread -----------------------------------------------------------------------

    def check(self) -> None:
        """Check the answer, and what an agent executed before it."""
        self.is_checked = True
        if self.text is None or self.request.runtime.is_check_off:
            return
        started = perf_counter()
        try:
            self._check_attempts(self.text)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            FAULTS.caught("check", error)
            self.report = unchecked(self.text, reason="error")
        self.check_s = perf_counter() - started

    def _check_attempts(self, text: str) -> None:
        request = self.request
        self.report = report = self._check(text)
        if self.answer is not None:
            self.answer.report = report
        attempts = request.attempts
        if not attempts:
            self.attempts = (AttemptRecord(1, report),)
            return
        for attempt in attempts:
            attempt.report = attempt.report or self._check(attempt.text)
        records = [
            AttemptRecord(number, attempt.report)
            for number, attempt in enumerate(attempts, start=1)
            if attempt.report is not None
        ]
        if not request.operation.is_agent and records[-1].report.sql != report.sql:
            records.append(AttemptRecord(len(records) + 1, report))
            request.write_attempt(records[-1], start_ns=request.end_ns, end_ns=request.end_ns)
        self.attempts = tuple(records)

    def _check(self, text: str) -> CheckReport:
        return self.request.runtime.checker.check(text, self.resolved)

    def close(self) -> bool:
        """Write the verdict on the span and end it; False where somebody else has ended it."""
        status: CheckStatus = "complete"
        reason: Reason | None = None
        if self.report is None and self.outcome == "answered":
            status, reason = "skipped", "check_off"
        elif self.report is not None and self.report.reasons.get("syntactic") == "error":
            status, reason = "error", "error"
        self.record = record = self._record(status, reason)
        return self._write(record)

    def _write(self, record: GenerationRecord) -> bool:
        if not self._ending.take():
            return False
        request = self.request
        request.last_report = record.report or request.last_report
        if request.outer is not None:
            self._write_nested(request.outer)
            return True
        span = request.span
        if span is None:
            return True
        try:
            if span.is_recording():
                self._describe(record)
        finally:
            span.end(end_time=request.end_ns)
        return True

    def _describe(self, record: GenerationRecord) -> None:
        request = self.request
        span = request.span
        if span is None:
            return
        span.set_attributes(request.runtime.verdict_attributes(record))
        is_error = record.outcome == "error" or (
            record.verdict == "failed" and request.runtime.settings.mark_failures_as_errors
        )
        if is_error:
            span.set_status(Status(StatusCode.ERROR))

    def _write_nested(self, outer: Request) -> None:
        """A generation inside another is an attempt of that one, and its span says so."""
        request = self.request
        report = self.report
        span = request.span
        if report is not None and self.text is not None:
            attempt, number = outer.add_attempt(self.text)
            attempt.report = outer.last_report = report
            if span is not None and span.is_recording():
                attributes = request.runtime.attempt_attributes(AttemptRecord(number, report))
                span.set_attributes(attributes)
        if span is not None:
            if self.outcome == "error":
                span.set_status(Status(StatusCode.ERROR))
            span.end(end_time=request.end_ns)

    def deliver(self) -> None:
        """Count the request and send its unit."""
        if self.record is None or self.request.outer is not None or not self._delivery.take():
            return
        record = replace(self.record, overhead_s=self.request.overhead_s)
        self.request.runtime.deliver(record)

    # -- on the worker and the watchdog ---------------------------------------------------------

    def work(self) -> None:
        """Do what is left."""
        if not self.is_checked:
            self.check()
            if not self.close() and self.record is not None:
                self.request.runtime.deliver_late(self.record)
        self.deliver()

    def expire(self) -> None:
        """End the span without a verdict: the deadline has come; the check goes on."""
        self._write(self._record("pending", "pending"))

    def refuse(self, reason: Reason) -> None:
        """End the span without a check: nobody will make it."""
        record = self._record("dropped", reason)
        self._write(record)
        if self.record is None:
            self.record = record
        self.deliver()

    # -- the record -----------------------------------------------------------------------------

    def _record(self, status: CheckStatus, reason: Reason | None) -> GenerationRecord:
        request = self.request
        report = self.report if status in {"complete", "error"} else None
        context = self.context
        rollup = request.rollup
        if context.model is None and rollup.model is not None:
            context = replace(context, model=rollup.model)
        stages = rollup.stages
        if request.chunks is not None:
            first = (request.chunks.first_ns - request.start_ns) / 1e9
            stages = replace(stages, first_token_s=first)
        return GenerationRecord(
            workflow=request.operation.name,
            span=request.identity,
            start_ns=request.start_ns,
            end_ns=request.end_ns,
            outcome=self.outcome,
            error_type=self.error_type,
            report=report,
            reason=reason,
            check_status=status,
            check_method="native" if report and report.decided_by == "native" else "static",
            check_duration_s=self.check_s,
            texts=self._texts(report),
            context=context,
            schema_version=self.resolved.schema_version,
            attempts=self.attempts,
            executions=tuple(request.executions),
            stages=stages,
            usage=rollup.usage,
            is_abandoned=self.is_abandoned,
        )

    def _texts(self, report: CheckReport | None) -> Texts:
        resolved = self.resolved
        sql = self.text if report is None else report.sql
        return self.request.runtime.redaction.texts(
            sql=sql,
            masked_sql=None if report is None else report.masked_sql,
            question=self.question,
            reference=resolved.reference,
            hint=resolved.hint,
            syntax_message=None if report is None else _syntax_message(report),
        )


def _answer_of(request: Request, value: object) -> tuple[Outcome, str | None]:
    """Return how a request that returned has ended, and the text to check."""
    outcome = request.outcome_set or "answered"
    if outcome != "answered":
        return outcome, None
    if request.sql_set is not None:
        return "answered", request.sql_set
    if request.operation.is_agent or value is NOTHING_RETURNED:
        attempts = request.attempts
        worked = [attempt for attempt in attempts if attempt.worked]
        last = (worked or attempts)[-1:]
        return ("answered", last[0].text) if last else ("abstained", None)
    if value is None:
        return "abstained", None
    return "answered", request.operation.finder.find(value)


def _note_completion(request: Request, value: object) -> None:
    """Take model and tokens from a returned completion, where no child span told them."""
    chunks = request.chunks
    source = value if chunks is None else chunks
    if isinstance(source, str) or value is NOTHING_RETURNED:
        return
    rollup = request.rollup
    usage = usage_of(source)
    if usage is not None and rollup.usage.input_tokens is None:
        rollup.add_usage(usage, model=rollup.model or model_of(source))
    elif rollup.model is None and (model := model_of(source)):
        rollup.note_model(model)


def _syntax_message(report: CheckReport) -> str | None:
    for finding in report.findings:
        if group_of(finding.code) == "syntax":
            return finding.message
    return None
