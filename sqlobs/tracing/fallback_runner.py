"""Runs the LLM fallback on an event loop of its own.

Mode `wait` delays the end of the span until the answer; `late` and `always` send the answer as an
evaluation of its own. Tests: `tests/tracing/test_fallback.py`.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_all
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from sqlobs.check.fallback import FallbackAnswer, consult, is_asked, with_answer
from sqlobs.tracing.description.late_evaluations import llm_evaluations
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from sqlobs.check.fallback import Fallback
    from sqlobs.check.report.model import CheckReport
    from sqlobs.schema.model import Schema
    from sqlobs.tracing.description.redaction import Redaction
    from sqlobs.tracing.options.option_layer import Resolved
    from sqlobs.tracing.records.record import EvaluationRecord, GenerationRecord
    from sqlobs.types import FallbackMode

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
        emit: Callable[[EvaluationRecord], None],
        wait_s: float = WAIT_S,
    ) -> None:
        self._fallback = fallback
        self._mode = mode
        self._redaction = redaction
        self._emit = emit
        self._wait_s = wait_s
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

    def ask(self, report: CheckReport, resolved: Resolved) -> Answering | None:
        """Ask; None with too many questions in flight, or without a thread."""
        hint = self._redaction.clean("hint", resolved.hint)
        return self._submit(self._answer(report, resolved.schema, hint))

    def completed(self, report: CheckReport, resolved: Resolved) -> CheckReport:
        """Return a report completed by the fallback; blocks until it answers."""
        if not self.delays_span(report):
            return report
        answering = self.ask(report, resolved)
        return report if answering is None else with_answer(report, result_of(answering))

    def ask_late(self, record: GenerationRecord, schema: Schema | None) -> Answering | None:
        """Ask about a request that is already counted; the answer is sent on its own."""
        report = record.report
        if self.holds_spans or report is None or not self._may_ask(report):
            return None
        return self._submit(self._answer_late(record, report, schema))

    async def _answer(
        self, report: CheckReport, schema: Schema | None, hint: str | None
    ) -> FallbackAnswer:
        try:
            async with asyncio.timeout(self._wait_s):
                return await consult(self._fallback, report, schema=schema, hints=hint)
        except TimeoutError:
            return FallbackAnswer(reason="timeout", explanation="the fallback timed out")

    async def _answer_late(
        self, record: GenerationRecord, report: CheckReport, schema: Schema | None
    ) -> FallbackAnswer:
        answer = await self._answer(report, schema, record.texts.hint)
        for evaluation in llm_evaluations(record.span, report, answer, self._mode):
            self._emit(evaluation)
        return answer

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


def result_of(answering: Answering) -> FallbackAnswer:
    """Return an answer, waiting for it; never raises."""
    try:
        return answering.result(WAIT_S + _MARGIN_S)
    except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
        INTERNAL_ERRORS.caught("fallback", error)
        return FallbackAnswer(reason="error", explanation="the fallback gave no answer")
