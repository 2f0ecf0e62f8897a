"""`trace_execution`: the application's own run of the SQL, whose engine gives a free verdict."""

from __future__ import annotations

from time import time_ns
from typing import TYPE_CHECKING, Literal

from opentelemetry.context import get_current
from opentelemetry.trace import (
    SpanKind,
    set_span_in_context,
)

from sqlobs import semconv
from sqlobs.tracing.conditions.arguments import MISSING, Arguments
from sqlobs.tracing.conditions.resolution import asked, label_text
from sqlobs.tracing.conditions.scope import Frame, current_scope
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.tally import Tally, tally_of, width_of
from sqlobs.tracing.requests.claim import Claims, take

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.context import Context
    from opentelemetry.trace import Span

    from sqlobs.tracing.decorators import Decorators
    from sqlobs.tracing.runtime import Runtime

SpanKindOption = Literal["internal", "client"]


class ExecutionOperation:
    """Starts executions: what one `trace_execution` was declared with."""

    def __init__(
        self,
        instance: Decorators,
        *,
        sql: str | Callable[..., str | None] | None = None,
        target: str | Callable[..., str | None] | None = None,
        kind: SpanKindOption = "internal",
    ) -> None:
        self.instance = instance
        self.sql = sql
        self.target = target
        self.kind = kind

    def named_after(self, function: Callable[..., object]) -> ExecutionOperation:  # noqa: ARG002 - the protocol's signature
        """Return the operation for a decorated function; `sql` names its parameter."""
        return ExecutionOperation(
            self.instance, sql=self.sql or "sql", target=self.target, kind=self.kind
        )

    def begin(self, arguments: Arguments) -> Execution:
        """Start the execution of a decorated function."""
        option = self.sql
        sql = arguments.read(option or "sql") if not callable(option) else option
        return self._begin(None if sql is MISSING else sql, arguments)

    def begin_block(self) -> Execution:
        """Start the execution of a `with` block, where `sql` is the statement itself."""
        return self._begin(self.sql, Arguments(None))

    @property
    def idle_handle(self) -> Execution:
        """What a block gets that could not be traced."""
        return IdleExecution()

    def _begin(self, sql: object, arguments: Arguments) -> Execution:
        return Execution(
            self.instance.runtime,
            sql=statement_text(asked(sql, arguments, "sql")),
            target=label_text(asked(self.target, arguments, "target")),
            kind=self.kind,
        )


class Execution:
    """One execution as it runs; also what a `with trace_execution(...)` block holds."""

    waiting = None
    """Its span waits for nothing."""

    def __init__(
        self, runtime: Runtime, *, sql: str | None, target: str | None, kind: SpanKindOption
    ) -> None:
        scope = current_scope()
        self.runtime = runtime
        self.sql = sql
        self.scope = scope
        self.target = target
        self.kind = kind
        self.rows: int | None = None
        self.columns: int | None = None
        self.is_truncated: bool | None = None
        self.end_ns = 0
        self.error: BaseException | None = None
        self.span: Span | None = None
        self.around = get_current()
        self.claims: Claims = ["end", "span", "delivery"]
        self.start_ns = time_ns()
        self._context = self._start_span()

    def _start_span(self) -> Context | None:
        tracer = self.runtime.tracer
        if tracer is None:
            return None
        self.span = tracer.start_span(
            semconv.SPAN_EXECUTE,
            context=self.around,
            kind=SpanKind.CLIENT if self.kind == "client" else SpanKind.INTERNAL,
            start_time=self.start_ns,
        )
        return set_span_in_context(self.span, self.around)

    def frame(self) -> Frame:
        """Return what the body sees as current."""
        return Frame(self.scope, self._context)

    def set(
        self,
        *,
        rows: int | None = None,
        columns: int | None = None,
        truncated: bool | None = None,
    ) -> None:
        """Tell the size of the result where it cannot be seen.

        Args:
            rows: Rows of the result.
            columns: Columns of the result.
            truncated: Whether the result was cut at a limit.
        """
        self.rows = self.rows if rows is None else rows
        self.columns = self.columns if columns is None else columns
        self.is_truncated = self.is_truncated if truncated is None else truncated

    @property
    def handle(self) -> Execution:
        """What a block holds: the execution itself."""
        return self

    # -- the activity ---------------------------------------------------------------------------

    def returned(self, value: object) -> None:
        """The execution succeeded."""
        try:
            tally = tally_of(value)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("execution.result", error)
            tally = Tally()
        self.set(
            rows=tally.rows if self.rows is None else None,
            columns=tally.columns if self.columns is None else None,
            truncated=tally.is_truncated if self.is_truncated is None else None,
        )
        self._finish(None)

    def raised(self, error: BaseException) -> None:
        """The execution failed, or was cancelled."""
        self._finish(error)

    def chunk(self, value: object) -> None:
        """One row of a result that is read in steps."""
        self.rows = (self.rows or 0) + 1
        if self.columns is None:
            self.columns = width_of(value)

    def exhausted(self, value: object) -> None:  # noqa: ARG002 - the protocol's signature
        """All rows were read."""
        self.rows = self.rows or 0
        self._finish(None)

    def closed(self, *, is_abandoned: bool = False) -> None:
        """The reader stopped early: the SQL ran, the rows were not all read."""
        self.is_truncated = True
        self._finish(None, on_worker=is_abandoned)

    def _finish(self, error: BaseException | None, *, on_worker: bool = False) -> None:
        if not take(self.claims, "end"):
            return
        self.end_ns = time_ns()
        self.error = error
        try:
            from sqlobs.tracing.stages.execution_ending import ExecutionEnding

            ending = ExecutionEnding(self)
            if on_worker:
                ending.work()
            else:
                ending.begin()
        except Exception as fault:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("execution.end", fault)
            if self.span is not None:
                self.span.end(end_time=self.end_ns)


class IdleExecution(Execution):
    """Takes what a block tells that could not be traced, and records nothing."""

    def __init__(self) -> None:
        self.rows = self.columns = self.is_truncated = None


def statement_text(sql: object) -> str | None:
    """Return a statement as text: drivers take bytes, and psycopg what is composed of parts."""
    if sql is None or type(sql) is str:
        return sql
    try:
        if isinstance(sql, bytes):
            return sql.decode(errors="replace")
        composed = getattr(sql, "as_string", None)
        return str.__str__(str(sql) if composed is None else composed(None))
    except Exception as error:  # noqa: BLE001 - an object that cannot be spelled is not told
        INTERNAL_ERRORS.caught("sql", error)
        return None
