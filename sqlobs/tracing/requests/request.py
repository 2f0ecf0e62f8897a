"""One request as it runs: its span, its attempts, and what has been told about it."""

from __future__ import annotations

import threading
from time import perf_counter, time_ns
from typing import TYPE_CHECKING, get_args

from opentelemetry.context import Context, get_current

from sqlobs import semconv
from sqlobs.errors import InputError
from sqlobs.tracing.checking import unchecked
from sqlobs.tracing.conditions.given import NOTHING
from sqlobs.tracing.conditions.resolution import UNRESOLVED, label_text
from sqlobs.tracing.conditions.scope import SPAN_KEY, Frame, current_scope
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.span_identity import identity_of
from sqlobs.tracing.requests.answer import Attempt, text_in
from sqlobs.tracing.requests.attempts import try_now
from sqlobs.tracing.requests.chunks import Chunks
from sqlobs.tracing.requests.claim import take
from sqlobs.tracing.requests.ending import Ending
from sqlobs.tracing.requests.generation import Generation, SettableOutcome
from sqlobs.tracing.requests.rollup import ROLLUP_KEY, Rollup
from sqlobs.tracing.waiting import Waiting

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from sqlobs.check.report.model import CheckReport
    from sqlobs.tracing.conditions.arguments import Arguments
    from sqlobs.tracing.conditions.given import Given
    from sqlobs.tracing.conditions.resolution import Resolved
    from sqlobs.tracing.records.record import ExecutionRecord
    from sqlobs.tracing.requests.ambient import Ambient
    from sqlobs.tracing.requests.claim import Claims
    from sqlobs.tracing.requests.operation import GenerationOperation
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.types import Outcome
    from sqlobs.unit import SpanIdentity


class Request:
    """One request, from the call of the traced function until its ending is handed over.

    Defaults lie on the class, so that a call pays only for what differs.
    """

    overrides: Given = NOTHING
    """What `Generation.set` told."""
    inner: Given = NOTHING
    """What contexts told that were entered inside the request."""
    sql_set: str | None = None
    outcome_set: SettableOutcome | None = None
    question_set: str | None = None
    chunks: Chunks | None = None
    end_ns: int = 0
    overhead_s: float = 0.0
    last_report: CheckReport | None = None
    span: Span | None = None
    attempts: tuple[Attempt, ...] = ()
    executions: tuple[ExecutionRecord, ...] = ()
    """Those that ended inside."""
    waiting: Waiting | None = None
    """What the caller waits for at the end: the fallback's answer, in the mode `wait`."""
    answer: Attempt | None = None
    """The final statement, once the request has ended."""
    _identity: SpanIdentity | None = None
    _resolved: Resolved | None = None
    _handle: Generation | None = None
    _is_settled: bool = False
    """The check is done, or will never be."""
    _settling: Waiting | None = None
    """What those wait for who asked for the report before it was there."""
    _context: Context | None = None
    is_open: bool = True

    def __init__(
        self, runtime: Runtime, operation: GenerationOperation, arguments: Arguments
    ) -> None:
        started = perf_counter()
        scope = current_scope()
        outer = scope.request
        self.runtime = runtime
        self.operation = operation
        self.ambient: Ambient | None = scope.ambient
        self.outer = outer if outer is not None and outer.can_hold(runtime) else None
        self.lock = threading.Lock()  # guards attempts and executions
        self.rollup: Rollup = Rollup() if self.outer is None else self.outer.rollup
        self._arguments: Arguments | None = arguments
        self.claims: Claims = ["end", "span", "delivery"]
        self.start_ns = time_ns()
        self._context = self._start_span()
        if self.outer is None:
            if runtime.keeps_recent:
                runtime.recent.append(self)
            if scope.ambient is not None:
                scope.ambient.started(self)
        self.overhead_s = perf_counter() - started

    def _start_span(self) -> Context | None:
        tracer = self.runtime.tracer
        if tracer is None:
            return None
        current = get_current()
        span = tracer.start_span(
            self.operation.span_name if self.outer is None else semconv.SPAN_ATTEMPT,
            context=current,
            start_time=self.start_ns,
        )
        self.span = span
        if not span.is_recording():  # no SDK, or not sampled: ids may be the parent's
            self._identity = identity_of(span, current)
        return Context({**current, SPAN_KEY: span, ROLLUP_KEY: self.rollup})

    def frame(self) -> Frame:
        """Return what the body sees as current.

        Not kept here: the two would refer to each other, and each request wait for the collector
        of cycles.
        """
        return Frame(self, self._context)

    # -- what others ask ------------------------------------------------------------------------

    @property
    def request(self) -> Request:
        """The request that code inside belongs to: a request is its own scope."""
        return self

    @property
    def handle(self) -> Generation:
        """What user code holds of this request."""
        if self._handle is None:
            self._handle = Generation(self)
        return self._handle

    @property
    def is_repeatable(self) -> bool:
        """Nothing was seen of this counted request but its answer."""
        return not (
            self.attempts
            or self.executions
            or self.chunks is not None
            or self.outer is not None
            or self.rollup.is_touched
        )

    def can_hold(self, runtime: Runtime) -> bool:
        """Say whether a generation that starts now inside this one is an attempt of it."""
        return self.is_open and self.runtime is runtime

    @property
    def identity(self) -> SpanIdentity:
        """The ids of the span; ids of our own where nobody gives any."""
        if self._identity is None:
            self._identity = identity_of(self.span)
        return self._identity

    @property
    def is_told_nothing(self) -> bool:
        """Decorator and configuration are all that was told."""
        return self.ambient is None and self.overrides is NOTHING and self.inner is NOTHING

    @property
    def is_uncorrected(self) -> bool:
        """A returned text is the answer as it is."""
        return self.sql_set is None and self.outcome_set is None and not self.operation.is_agent

    @property
    def duration_s(self) -> float:
        """From the call to the return, or to the end of the stream."""
        return (self.end_ns - self.start_ns) / 1e9

    @property
    def id(self) -> str:
        """The id that feedback names: that of the counted request around."""
        return self.identity.traceparent if self.outer is None else self.outer.id

    @property
    def root(self) -> Request:
        """The counted request: the outermost one around."""
        return self if self.outer is None else self.outer.root

    @property
    def is_pending(self) -> bool:
        """The request has ended and its check is still to come."""
        return self.answer is not None and self.answer.report is None

    def answers(self) -> tuple[Attempt, ...]:
        """Return what an execution may be the execution of: the answer, or attempts so far."""
        return self.attempts if self.answer is None else (self.answer,)

    def resolve(self) -> Resolved:
        """Return what holds for this request now, by precedence; asks the user's callables."""
        if self._resolved is None:
            self._resolved = self.operation.resolve(self, self._arguments)
        return self._resolved

    def read_question(self) -> str | None:
        """Return the question; only asked for where somebody records it."""
        if self.question_set is not None or self._arguments is None:
            return self.question_set
        return self.operation.read_question(self._arguments)

    def release(self) -> None:
        """Let go of the span: handles and executions that come later need the ids alone."""
        self._identity = self.identity
        self.span = self._context = None

    # -- what user code tells -------------------------------------------------------------------

    def told(self, given: Given) -> None:
        """Take over a context that is entered inside the request."""
        self.inner = given.over(self.inner)
        self._resolved = None

    def correct(
        self,
        given: Given,
        *,
        sql: object,
        outcome: SettableOutcome | None,
        question: object,
    ) -> None:
        """Take over what `Generation.set` was called with; what holds no text is not told.

        Raises:
            InputError: There is no such outcome; all else is taken over.
        """
        self.overrides = given.over(self.overrides)
        self._resolved = None
        text = None if sql is None else text_in(sql)
        self.sql_set = self.sql_set if text is None else text
        self.question_set = self.question_set if question is None else label_text(question)
        if outcome is None:
            return
        if outcome not in get_args(SettableOutcome):
            raise InputError(f"outcome: use one of {', '.join(get_args(SettableOutcome))}")
        self.outcome_set = outcome

    def attempt(self, sql: object) -> CheckReport:
        """Check a statement now and count it as an attempt; never raises."""
        try:
            return try_now(self, sql)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("attempt", error)
            return unchecked(sql if type(sql) is str else "", reason="error")

    def add_attempt(self, text: str, *, worked: bool | None = None) -> tuple[Attempt, int]:
        """Return the attempt of a text and its number; the same text again is the same attempt."""
        with self.lock:
            if not self.attempts or self.attempts[-1].text != text:
                self.attempts = (*self.attempts, Attempt(text, worked=worked))
            return self.attempts[-1], len(self.attempts)

    def add_execution(self, execution: ExecutionRecord) -> None:
        """Note an execution that ended inside."""
        with self.lock:
            self.executions = (*self.executions, execution)

    def settle(self, report: CheckReport | None) -> None:
        """Take over the report of the answer and wake those who wait for it; None = no check."""
        self.last_report = report or self.last_report
        self._is_settled = True
        if self._settling is not None:
            self._settling.is_over()

    def settling(self) -> Waiting | None:
        """Return what to wait for until the report is there; None where nothing will come.

        Inside the request nothing is waited for: its end is what the check comes after.
        """
        if self.is_open:
            return None
        with self.lock:
            waiting = self._settling = self._settling or Waiting()
        # `settle` takes no lock: it either sees what is set above, or was called before this.
        return None if self._is_settled else waiting

    # -- how it ends ----------------------------------------------------------------------------

    def returned(self, value: object) -> None:
        """The function returned, or the block was left (then the value is `NOTHING_RETURNED`)."""
        self._finish("answered", value)

    def raised(self, error: BaseException) -> None:
        """The function raised; what is no `Exception` is a cancellation."""
        if isinstance(error, Exception):
            self._finish("error", None, error=error)
        else:
            self._finish("cancelled", None)

    def chunk(self, value: object) -> None:
        """The stream gave a chunk."""
        if self.chunks is None:
            self.chunks = Chunks(keeps_all=self.operation.collect is not None)
        try:
            self.chunks.add(value)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            self.chunks.add_unread()
            INTERNAL_ERRORS.caught("chunk", error)

    def exhausted(self, value: object) -> None:
        """The stream came to its end; a generator's return value is its answer, if it has one."""
        self._finish("answered", self._collected() if value is None else value)

    def closed(self, *, is_abandoned: bool = False) -> None:
        """The stream was closed or dropped; after a finish reason its text is complete."""
        is_complete = self.chunks is not None and self.chunks.finish_reason is not None
        self._finish(
            "answered" if is_complete else "cancelled",
            self._collected() if is_complete else None,
            is_abandoned=is_abandoned,
        )

    def _collected(self) -> object:
        chunks = self.chunks or Chunks()
        collect = self.operation.collect
        if collect is None:
            return chunks.answer
        try:
            return collect(chunks.items)
        except Exception as error:  # noqa: BLE001 - the user's callable must not break the stream
            INTERNAL_ERRORS.caught("collect", error)
            return chunks.answer

    def _finish(
        self,
        outcome: Outcome,
        value: object,
        *,
        error: Exception | None = None,
        is_abandoned: bool = False,
    ) -> None:
        started = perf_counter()
        if not take(self.claims, "end"):
            return
        self.end_ns = time_ns()
        self.is_open = False
        try:
            if type(value) is str and self.is_uncorrected and Ending.repeat(self, value, started):
                return
            ending = Ending.of(self, outcome, value=value, error=error, is_abandoned=is_abandoned)
            ending.begin(started)
        except Exception as fault:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("generation.end", fault)
            self._give_up(outcome)
        finally:
            self._arguments = None  # the user's objects are not ours to keep

    def _give_up(self, outcome: Outcome) -> None:
        """Count a request whose end has failed: what it is worth is unknown, but it was made."""
        try:
            Ending(self, outcome, UNRESOLVED).refuse("error")
        except Exception as fault:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("generation.count", fault)
            if self.span is not None:
                self.span.end(end_time=self.end_ns)
            if self.waiting is not None:
                self.waiting.is_over()
