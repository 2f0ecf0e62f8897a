"""What is known of one request: set by user code, seen inside it, resolved from its options.

`generation_lifecycle` runs a request from its start to its delivery; here is what others read and
add. Tests: `tests/tracing/test_requests.py` and `tests/tracing/test_handles.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from sqlobs.errors import InputError
from sqlobs.tracing.completion_signal import CompletionSignal
from sqlobs.tracing.options.option_layer import NO_OPTIONS, OptionLayer, Resolved, label_text
from sqlobs.tracing.options.scope import Frame
from sqlobs.tracing.records.span_identity import identity_of
from sqlobs.tracing.requests.answer import Attempt, text_in
from sqlobs.tracing.requests.generation import Generation, SettableOutcome

if TYPE_CHECKING:
    import threading

    from opentelemetry.context import Context
    from opentelemetry.trace import Span

    from sqlobs.check.report.model import CheckReport
    from sqlobs.tracing.options.arguments import Arguments
    from sqlobs.tracing.records.record import ExecutionRecord
    from sqlobs.tracing.requests.chunks import Chunks
    from sqlobs.tracing.requests.context_block import ContextBlock
    from sqlobs.tracing.requests.operation import GenerationOperation
    from sqlobs.tracing.requests.rollup import Rollup
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.unit import SpanIdentity


class Request:
    """One call of a traced function. Class attributes are defaults: a call sets what differs."""

    runtime: Runtime
    operation: GenerationOperation
    context_block: ContextBlock | None
    outer: Request | None
    """The request around this one, whose attempt this one is."""
    lock: threading.Lock
    """Guards `attempts` and `executions`."""
    rollup: Rollup
    overrides: OptionLayer = NO_OPTIONS
    """Set by `Generation.set`."""
    inner: OptionLayer = NO_OPTIONS
    """Set by `context` blocks entered inside the request."""
    sql_set: str | None = None
    outcome_set: SettableOutcome | None = None
    question_set: str | None = None
    chunks: Chunks | None = None
    """The stream's chunks so far; None where the function did not return a stream."""
    start_ns: int = 0
    overhead_s: float = 0.0
    """Our own time on the caller's thread."""
    last_report: CheckReport | None = None
    span: Span | None = None
    attempts: tuple[Attempt, ...] = ()
    executions: tuple[ExecutionRecord, ...] = ()
    """Those that ended inside the request."""
    waiting: CompletionSignal | None = None
    """Blocks the caller until the fallback answers, in fallback mode `wait`."""
    answer: Attempt | None = None
    """The final statement, once the request has ended."""
    is_open: bool = True
    _arguments: Arguments | None = None
    _identity: SpanIdentity | None = None
    _resolved: Resolved | None = None
    _handle: Generation | None = None
    _is_settled: bool = False
    """The check is done, or will never be."""
    _settling: CompletionSignal | None = None
    """Blocks `wait` and `ready` until the report is there."""
    _context: Context | None = None

    def frame(self) -> Frame:
        """Return what is current in the body.

        A new one each time: kept here, the two would refer to each other, and only the garbage
        collector could free a request.
        """
        return Frame(self, self._context)

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
    def identity(self) -> SpanIdentity:
        """The span's ids; generated where no SDK gives any."""
        if self._identity is None:
            self._identity = identity_of(self.span)
        return self._identity

    @property
    def id(self) -> str:
        """The id for feedback: that of the outermost request."""
        return self.root.identity.traceparent

    @property
    def root(self) -> Request:
        """The outermost request around: the one that is counted."""
        return self if self.outer is None else self.outer.root

    @property
    def is_pending(self) -> bool:
        """The request has ended and its check is still to come."""
        return self.answer is not None and self.answer.report is None

    @property
    def is_uncorrected(self) -> bool:
        """A returned string is the answer as it is."""
        return self.sql_set is None and self.outcome_set is None and not self.operation.is_agent

    def answers(self) -> tuple[Attempt, ...]:
        """Return the statements that an execution may run: the answer, or the attempts so far."""
        return self.attempts if self.answer is None else (self.answer,)

    def resolve(self) -> Resolved:
        """Return the options in effect now; calls the user's callables."""
        if self._resolved is None:
            self._resolved = self.operation.resolve(self, self._arguments)
        return self._resolved

    def read_question(self) -> str | None:
        """Return the question; call it only where the question is recorded."""
        if self.question_set is not None or self._arguments is None:
            return self.question_set
        return self.operation.read_question(self._arguments)

    # -- what code inside adds ------------------------------------------------------------------

    def enter_block(self, options: OptionLayer) -> None:
        """Apply the options of a `context` block that is entered inside the request."""
        self.inner = options.over(self.inner)
        self._resolved = None

    def correct(
        self,
        options: OptionLayer,
        *,
        sql: object,
        outcome: SettableOutcome | None,
        question: object,
    ) -> None:
        """Apply `Generation.set`; `sql` without any text is ignored.

        Raises:
            InputError: The outcome is unknown; everything else is applied.
        """
        self.overrides = options.over(self.overrides)
        self._resolved = None
        text = None if sql is None else text_in(sql)
        self.sql_set = self.sql_set if text is None else text
        self.question_set = self.question_set if question is None else label_text(question)
        if outcome is None:
            return
        if outcome not in get_args(SettableOutcome):
            allowed = ", ".join(get_args(SettableOutcome))
            raise InputError(f"Unknown outcome {outcome!r}. Use one of {allowed}")
        self.outcome_set = outcome

    def add_attempt(self, text: str, *, worked: bool | None = None) -> tuple[Attempt, int]:
        """Return the attempt of a text and its number; the same text again is the same attempt."""
        with self.lock:
            if not self.attempts or self.attempts[-1].text != text:
                self.attempts = (*self.attempts, Attempt(text, worked=worked))
            return self.attempts[-1], len(self.attempts)

    def add_execution(self, execution: ExecutionRecord) -> None:
        """Add an execution that ended inside."""
        with self.lock:
            self.executions = (*self.executions, execution)

    # -- who waits for the report ---------------------------------------------------------------

    def settle(self, report: CheckReport | None) -> None:
        """Publish the report of the answer and wake those who wait for it; None = no check."""
        self.last_report = report or self.last_report
        self._is_settled = True
        if self._settling is not None:
            self._settling.set()

    def settling(self) -> CompletionSignal | None:
        """Return what to wait for until the report is there; None where none will come.

        Inside the request there is nothing to wait for: the check runs after its end.
        """
        if self.is_open:
            return None
        with self.lock:
            signal = self._settling = self._settling or CompletionSignal()
        # `settle` takes no lock: it either sees what is set above, or was called before this.
        if self._is_settled:
            return None
        self.runtime.worker.hurry()
        return signal
