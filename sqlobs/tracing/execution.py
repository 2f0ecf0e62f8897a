"""`trace_execution`: the application's own run of the SQL, whose engine gives a free verdict."""

from __future__ import annotations

from time import time_ns
from typing import TYPE_CHECKING, Literal

from opentelemetry.context import get_current
from opentelemetry.trace import (
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from sqlobs import semconv
from sqlobs.semconv.systems import system_of
from sqlobs.tracing.arguments import MISSING
from sqlobs.tracing.claim import Claim, take
from sqlobs.tracing.engine_errors import engine_label_of, sqlstate_of, status_of
from sqlobs.tracing.error_types import error_type_of
from sqlobs.tracing.faults import FAULTS
from sqlobs.tracing.joining import Join, candidates_for
from sqlobs.tracing.record import ExecutionRecord
from sqlobs.tracing.scope import Frame, current_scope
from sqlobs.tracing.span_identity import identity_of
from sqlobs.tracing.tally import tally_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.context import Context
    from opentelemetry.trace import Span

    from sqlobs.failure_codes import Reason
    from sqlobs.tracing.arguments import Arguments
    from sqlobs.tracing.instance import Sqlobs
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.unit import AttributeValue, SpanIdentity

SpanKindOption = Literal["internal", "client"]


class ExecutionOperation:
    """Starts executions: what one `trace_execution` was declared with."""

    def __init__(
        self,
        instance: Sqlobs,
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
        sql = arguments.ask(option) if callable(option) else arguments.read(option or "sql")
        target = arguments.ask(self.target) if callable(self.target) else self.target
        return Execution(
            self.instance.runtime,
            sql=None if sql is MISSING else sql,
            target=target if isinstance(target, str) else None,
            kind=self.kind,
        )

    def begin_block(self) -> Execution:
        """Start the execution of a `with` block, where `sql` is the statement itself."""
        sql = self.sql() if callable(self.sql) else self.sql
        target = self.target() if callable(self.target) else self.target
        return Execution(self.instance.runtime, sql=sql, target=target, kind=self.kind)


class Execution:
    """One execution as it runs; also what a `with trace_execution(...)` block holds."""

    def __init__(
        self, runtime: Runtime, *, sql: object, target: str | None, kind: SpanKindOption
    ) -> None:
        scope = current_scope()
        self.runtime = runtime
        self.sql = None if sql is None else str(sql)
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
        self._end: Claim = [None]
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
        tally = tally_of(value)
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
        if self.columns is None and isinstance(value, tuple | list | dict):
            self.columns = len(value)

    def exhausted(self, value: object) -> None:  # noqa: ARG002 - the protocol's signature
        """All rows were read."""
        self.rows = self.rows or 0
        self._finish(None)

    def closed(self, *, is_abandoned: bool = False) -> None:
        """The reader stopped early: the SQL ran, the rows were not all read."""
        self.is_truncated = True
        self._finish(None, on_worker=is_abandoned)

    def _finish(self, error: BaseException | None, *, on_worker: bool = False) -> None:
        if not take(self._end):
            return
        self.end_ns = time_ns()
        self.error = error
        try:
            ending = ExecutionEnding(self)
            if on_worker:
                ending.work()
            else:
                ending.begin()
        except Exception as fault:  # noqa: BLE001 - the boundary: telemetry never harms the host
            FAULTS.caught("execution.end", fault)
            if self.span is not None:
                self.span.end(end_time=self.end_ns)


class ExecutionEnding:
    """The end of one execution: joined to its generation, compared, written, counted."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.runtime = execution.runtime
        self.record: ExecutionRecord | None = None
        self._ending: Claim = [None]
        self._delivery: Claim = [None]
        self._join = Join(
            execution.sql,
            candidates=candidates_for(self.runtime, execution.scope, execution.around),
            scope=execution.scope,
        )
        self._note()

    def _note(self) -> None:
        """Tell the open generation: stage time, and the agent's statement."""
        execution = self.execution
        request = self._join.open_request
        if request is None:
            return
        request.rollup.add_execution((execution.end_ns - execution.start_ns) / 1e9)
        if request.operation.is_agent and execution.sql is not None:
            self._join.take_attempt(request, worked=execution.error is None)

    def begin(self) -> None:
        """End the span now where that is quick, else on the worker."""
        if self._join.is_quick(self.runtime):
            self._close()
            self.runtime.dispatch(self)
        elif not self.runtime.finisher.submit(self, has_deadline=True):
            self.refuse("queue_full")

    def work(self) -> None:
        """Do what is left: the worker's part."""
        if self.record is None:
            self._close()
        self.deliver()

    def expire(self) -> None:
        """End the span without the comparison; that goes to the metrics alone."""
        self._write(self._record(joined=False))

    def refuse(self, reason: Reason) -> None:  # noqa: ARG002 - the protocol's signature
        """End the span without the comparison."""
        self.record = self._record(joined=False)
        self._write(self.record)
        self.deliver()

    def _close(self) -> None:
        try:
            self._join.check(self.runtime)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            FAULTS.caught("execution.check", error)
        self.record = self._record(joined=True)
        request = self._join.open_request
        if request is not None:
            request.executions.append(self.record)
        self._write(self.record)

    def _write(self, record: ExecutionRecord) -> None:
        if not take(self._ending):
            return
        execution = self.execution
        span = execution.span
        if span is None:
            return
        try:
            if span.is_recording():
                self._describe(span, record)
        finally:
            span.end(end_time=execution.end_ns)

    def _describe(self, span: Span, record: ExecutionRecord) -> None:
        attributes = self.runtime.execution_attributes(record)
        if self.execution.kind == "client":
            attributes |= self._database_attributes(span)
        span.set_attributes(attributes)
        joined = self._join.request
        if joined is not None and joined.identity.trace_id != record.span.trace_id:
            span.add_link(_link_context(joined.identity))
        error = self.execution.error
        if isinstance(error, Exception):
            span.set_status(Status(StatusCode.ERROR))

    def _database_attributes(self, span: Span) -> dict[str, AttributeValue]:
        report = self._join.report
        dialect = None if report is None else report.dialect
        attributes: dict[str, AttributeValue] = {semconv.DB_SYSTEM_NAME: system_of(dialect)}
        if report is not None and report.summary:
            span.update_name(report.summary)
            attributes[semconv.DB_QUERY_SUMMARY] = report.summary
        return attributes

    def deliver(self) -> None:
        """Count the execution."""
        if self.record is not None and take(self._delivery):
            self.runtime.deliver_execution(self.record)

    def _record(self, *, joined: bool) -> ExecutionRecord:
        execution = self.execution
        error = execution.error
        join = self._join
        request = join.request if joined else None
        state = None if error is None else sqlstate_of(error)
        return ExecutionRecord(
            status="ok" if error is None else status_of(error),
            start_ns=execution.start_ns,
            end_ns=execution.end_ns,
            span=identity_of(execution.span, execution.around),
            generation_id=None if request is None else request.id,
            workflow=None if request is None else request.root.operation.name,
            target=execution.target or join.target,
            error_type=None if error is None else error_type_of(error),
            sqlstate_class=None if state is None else state[:2],
            rows=execution.rows,
            columns=execution.columns,
            is_empty=None if execution.rows is None else execution.rows == 0,
            is_truncated=execution.is_truncated,
            fingerprint=None if join.report is None else join.report.fingerprint,
            static_label=None if request is None else join.static_label,
            engine_label=None if request is None else engine_label_of(error),
            joins_late=request is not None and join.open_request is None,
        )


def _link_context(identity: SpanIdentity) -> SpanContext:
    return SpanContext(
        identity.trace_id,
        identity.span_id,
        is_remote=False,
        trace_flags=TraceFlags(identity.sampled),
    )
