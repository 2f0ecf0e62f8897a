"""Runs the LLM fallback on an event loop of its own.

Mode `wait` delays the end of the span until the answer; `late` and `always` send the answer as an
evaluation of its own. Each call of a model has a span. Tests: `tests/tracing/test_fallback.py`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_all
from contextlib import suppress
from time import time_ns
from typing import TYPE_CHECKING, Final

from opentelemetry.context import Context
from opentelemetry.trace import Link, SpanKind, Status, StatusCode, Tracer

from sqlobs import semconv
from sqlobs.check.fallback import Fallback, FallbackAnswer, consult, is_asked, with_answer
from sqlobs.tracing.description.late_evaluations import (
    FAILED,
    awaited_evaluations,
    llm_evaluations,
)
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.span_identity import span_context_of
from sqlobs.tracing.stages.model_calls import span_name

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.schema.model import Schema
    from sqlobs.tracing.description.redaction import Redaction
    from sqlobs.tracing.options.option_layer import Resolved
    from sqlobs.tracing.records.record import GenerationRecord
    from sqlobs.tracing.sending.senders import Senders
    from sqlobs.types import FallbackMode, Label
    from sqlobs.unit import AttributeValue, SpanIdentity

WAIT_S: Final = 60.0
"""Longest wait for an answer."""
CAPACITY: Final = 256
"""Questions in flight; beyond it statements stay undecided."""
_MARGIN_S: Final = 1.0

Answering = Future[FallbackAnswer]


class FallbackRunner:
    """One fallback with its mode, and the questions in flight."""

    def __init__(
        self,
        fallback: Fallback,
        mode: FallbackMode,
        *,
        redaction: Redaction,
        senders: Senders,
    ) -> None:
        self._fallback = fallback
        self._mode = mode
        self._redaction = redaction
        self._senders = senders
        self._lock = threading.Lock()  # guards the start of the loop
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._open: set[Answering] = set()

    @property
    def holds_spans(self) -> bool:
        """Spans wait for answers."""
        return self._mode == "wait"

    def delays_span(self, report: CheckReport | None) -> bool:
        """Return whether a span waits for an answer on this report."""
        return self.holds_spans and report is not None and self._may_ask(report)

    def _may_ask(self, report: CheckReport) -> bool:
        """Return whether the fallback may see a statement; not if `redact` changes it."""
        if report.fallback is not None or not is_asked(report, self._mode):
            return False
        return self._redaction.clean("sql", report.sql) == report.sql

    def ask(self, report: CheckReport, resolved: Resolved, span: SpanIdentity) -> Answering | None:
        """Ask; None with too many questions in flight, or without a thread."""
        hint = self._redaction.clean("hint", resolved.hint)
        return self._submit(self._answer(report, resolved.schema, hint, span))

    def completed(self, report: CheckReport, resolved: Resolved, span: SpanIdentity) -> CheckReport:
        """Return a report completed by the fallback; blocks until it answers."""
        if not self.delays_span(report):
            return report
        answering = self.ask(report, resolved, span)
        return report if answering is None else self.answered(report, answering)

    @staticmethod
    def answered(report: CheckReport, answering: Answering) -> CheckReport:
        """Return a report with an answer, waiting for it; never raises."""
        answer = FallbackAnswer(reason="error", explanation="the fallback returned no answer")
        with INTERNAL_ERRORS.contained("fallback"):
            answer = answering.result(WAIT_S + _MARGIN_S)
        return with_answer(report, answer)

    def ask_late(self, record: GenerationRecord, schema: Schema | None) -> Answering | None:
        """Ask about a request whose span has ended.

        The answer is sent on its own, and counts for the evaluations that are open until then.
        """
        report = record.report
        if self.holds_spans or report is None or not self._may_ask(report):
            return None
        return self._submit(self._answer_late(record, report, schema))

    def awaited(self, record: GenerationRecord) -> frozenset[str]:
        """Return the evaluations that a late answer will count for."""
        return awaited_evaluations(record, self._mode)

    async def _answer(
        self, report: CheckReport, schema: Schema | None, hint: str | None, span: SpanIdentity
    ) -> FallbackAnswer:
        asked_ns = time_ns()
        try:
            async with asyncio.timeout(WAIT_S):
                answer = await consult(self._fallback, report, schema=schema, hints=hint)
        except TimeoutError:
            answer = FallbackAnswer(reason="timeout", explanation="the fallback timed out")
        _trace(self._senders.providers.tracer, span, answer, asked_ns=asked_ns)
        return answer

    async def _answer_late(
        self, record: GenerationRecord, report: CheckReport, schema: Schema | None
    ) -> FallbackAnswer:
        found: dict[str, Label] = {}
        try:
            answer = await self._answer(report, schema, record.texts.hint, record.span)
            for evaluation in llm_evaluations(record.span, report, answer, self._mode):
                found[evaluation.name] = evaluation.label
                self._senders.record_evaluation(evaluation)
            return answer
        finally:  # canceled at exit, too: each evaluation counts once
            for name in sorted(self.awaited(record)):
                label = found.get(name, "not_evaluated")
                self._senders.instruments.count_evaluation(record.workflow, name, label)

    def _submit(self, question: Coroutine[None, None, FallbackAnswer]) -> Answering | None:
        if len(self._open) >= CAPACITY:
            question.close()
            return None
        try:
            answering = asyncio.run_coroutine_threadsafe(question, self._running_loop())
        except Exception as error:  # noqa: BLE001 - no thread at exit or at the system's limit
            question.close()
            INTERNAL_ERRORS.caught("fallback", error)
            return None
        self._open.add(answering)
        answering.add_done_callback(self._open.discard)
        return answering

    # -- the loop -------------------------------------------------------------------------------

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="sqlobs-fallback", daemon=True
                )
                self._thread.start()
            return self._loop

    def flush(self, timeout_s: float) -> bool:
        """Wait for answers in flight; False at the timeout."""
        _, left = wait_for_all(tuple(self._open), timeout_s)
        return not left

    def close(self, timeout_s: float) -> None:
        """Wait for answers in flight, cancel the rest, stop the loop."""
        self.flush(timeout_s)
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is None or self._thread is None:
            return
        with suppress(Exception):  # errors of the fallback itself
            asyncio.run_coroutine_threadsafe(self._wind_up(), loop).result(_MARGIN_S)
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join(_MARGIN_S)
        if not self._thread.is_alive():
            loop.close()

    async def _wind_up(self) -> None:
        """Cancel open questions and close the connections of the fallback on this loop."""
        for task in asyncio.all_tasks():
            if task is not asyncio.current_task():
                task.cancel()
        close = getattr(self._fallback, "close", None)
        if close is not None:
            await close()


def _trace(
    tracer: Tracer, evaluated: SpanIdentity, answer: FallbackAnswer, *, asked_ns: int
) -> None:
    """Write the span of a call that has ended; none where no model was called.

    It is a trace of its own, linked to the evaluated span: as a child it would stretch the trace
    of a request that nobody waited with.
    """
    if not answer.calls or not evaluated.sampled:
        return
    span = tracer.start_span(
        span_name(answer.model),
        context=Context(),
        kind=SpanKind.CLIENT,
        attributes=dict(_attributes(evaluated, answer)),
        links=[Link(span_context_of(evaluated))],
        start_time=asked_ns,
    )
    if answer.reason in FAILED:
        span.set_status(Status(StatusCode.ERROR, answer.reason))
    span.end()


def _attributes(
    evaluated: SpanIdentity, answer: FallbackAnswer
) -> Iterator[tuple[str, AttributeValue]]:
    yield semconv.GEN_AI_OPERATION_NAME, "chat"
    yield semconv.OPENINFERENCE_SPAN_KIND, "LLM"
    yield semconv.GEN_AI_USAGE_INPUT_TOKENS, answer.input_tokens
    yield semconv.GEN_AI_USAGE_OUTPUT_TOKENS, answer.output_tokens
    yield semconv.SQLOBS_EVALUATOR_NAME, answer.evaluator
    yield semconv.SQLOBS_EVALUATOR_VERSION, answer.evaluator_version
    yield semconv.SQLOBS_EVALUATED_TRACE_ID, f"{evaluated.trace_id:032x}"
    if answer.model is not None:
        yield semconv.GEN_AI_REQUEST_MODEL, answer.model
    if answer.cost_usd is not None:
        yield semconv.SQLOBS_USAGE_COST, answer.cost_usd
    if answer.reason in FAILED:
        yield semconv.ERROR_TYPE, answer.reason
