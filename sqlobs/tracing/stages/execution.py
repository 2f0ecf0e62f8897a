"""The life cycle of one execution: run, joined to its generation, compared, written, counted.

The engine gives a free verdict on the SQL, which is compared with the static check's.
Tests: `tests/tracing/test_executions.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import time_ns
from typing import TYPE_CHECKING, Literal

from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from sqlobs import semconv
from sqlobs.semconv.systems import system_of
from sqlobs.tracing.completion_signal import Todo, once
from sqlobs.tracing.description.attribute_set import SQL_CAP, cut_text
from sqlobs.tracing.description.attributes import execution_attributes
from sqlobs.tracing.description.span_events import engine_message, exception_attributes
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.arguments import MISSING, Arguments
from sqlobs.tracing.options.option_layer import label_text, option_value
from sqlobs.tracing.records.engine_errors import (
    engine_label_of,
    error_type_of,
    sqlstate_of,
    status_of,
)
from sqlobs.tracing.records.record import ExecutionRecord
from sqlobs.tracing.records.span_identity import identity_of, span_context_of
from sqlobs.tracing.stages.joining import Join, candidates_for
from sqlobs.tracing.stages.stage import Body
from sqlobs.types import ResultTable

if TYPE_CHECKING:
    from sqlobs.failure_codes import Reason
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.tracing.runtime_holder import RuntimeHolder
    from sqlobs.unit import AttributeValue


def size_of(value: object) -> tuple[int | None, int | None, bool | None]:
    """Return rows, columns and whether it is cut, of a list of rows or a `ResultTable`."""
    if isinstance(value, ResultTable):
        return len(value.rows), len(value.columns), value.truncated
    if isinstance(value, list | tuple):
        return len(value), width_of(value[0]) if value else None, None
    return None, None, None


def width_of(row: object) -> int | None:
    """Return the number of columns of a row, or None for an unknown type; never raises."""
    if not issubclass(type(row), list | tuple | Mapping):
        return None
    try:
        return len(row)  # type: ignore[arg-type]  # one of those
    except Exception:  # noqa: BLE001 - a driver's own row without a length
        return None


SpanKindOption = Literal["internal", "client"]


class Execution(Body):
    """One execution as it runs, and the handle of a `with trace_execution(...)` block."""

    rows: int | None = None
    columns: int | None = None
    is_truncated: bool | None = None
    error: BaseException | None = None
    _join: Join
    _record: ExecutionRecord | None = None

    # -- 1. the call ----------------------------------------------------------------------------

    def __init__(
        self, runtime: Runtime, *, sql: str | None, target: str | None, kind: SpanKindOption
    ) -> None:
        span_kind = SpanKind.CLIENT if kind == "client" else SpanKind.INTERNAL
        super().__init__(runtime, span_name=semconv.SPAN_EXECUTE, kind=span_kind)
        self.sql = sql
        self.target = target
        self.kind = kind
        self._todo: Todo = ["end", "span", "delivery"]

    def set(
        self,
        *,
        rows: int | None = None,
        columns: int | None = None,
        truncated: bool | None = None,
    ) -> None:
        """Set the size of a result that sqlobs cannot measure."""
        self.rows = self.rows if rows is None else rows
        self.columns = self.columns if columns is None else columns
        self.is_truncated = self.is_truncated if truncated is None else truncated

    # -- 2. the body ----------------------------------------------------------------------------

    def returned(self, value: object) -> None:
        """End an execution that succeeded."""
        known = self.rows, self.columns, self.is_truncated
        with INTERNAL_ERRORS.contained("execution.result"):
            self.rows, self.columns, self.is_truncated = size_of(value)
            self.set(rows=known[0], columns=known[1], truncated=known[2])
        self._end(None)

    def raised(self, error: BaseException) -> None:
        """End an execution that failed, or was canceled."""
        self._end(error)

    def chunk(self, value: object) -> None:
        """Count one row of a result that is read in steps."""
        self.rows = (self.rows or 0) + 1
        if self.columns is None:
            self.columns = width_of(value)

    def exhausted(self, value: object) -> None:  # noqa: ARG002 - the protocol's signature
        """End an execution whose rows were all read."""
        self.rows = self.rows or 0
        self._end(None)

    def closed(self, *, is_abandoned: bool = False) -> None:
        """End an execution whose reader stopped early: the SQL ran, its result is truncated."""
        self.is_truncated = True
        self._end(None, is_on_worker=is_abandoned)

    # -- 3. the end, on the caller's thread -----------------------------------------------------

    def _end(self, error: BaseException | None, *, is_on_worker: bool = False) -> None:
        if not once(self._todo, "end"):
            return
        self.end_ns = time_ns()
        self.error = error
        try:
            candidates = candidates_for(self.runtime, self.scope, self.around)
            self._join = Join(self.sql, candidates=candidates, scope=self.scope)
            self._add_to_generation()
            if is_on_worker:
                self.work()
            else:
                self._compare_or_queue()
        except Exception as fault:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("execution.end", fault)
            if self.span is not None:
                self.span.end(end_time=self.end_ns)

    def _add_to_generation(self) -> None:
        """Add the stage time, and an agent's statement, to the open generation."""
        request = self._join.open_request
        if request is None:
            return
        request.rollup.add_time("execution_s", self.duration_s)
        if request.operation.is_agent and self.sql is not None:
            self._join.take_attempt(request, worked=self.error is None)

    def _compare_or_queue(self) -> None:
        """Compare and end the span now where that is quick, else on the worker."""
        if self._join.is_quick(self.runtime):
            self._close()
            self.runtime.dispatch(self)
        elif not self.runtime.worker.submit(self, has_deadline=True):
            self.drop("queue_full")

    # -- 4. the comparison, then the span ends --------------------------------------------------

    def _close(self) -> None:
        with INTERNAL_ERRORS.contained("execution.check"):
            self._join.check(self.runtime)
        self._record = self._record_now(joined=True)
        request = self._join.open_request
        if request is not None:
            request.add_execution(self._record)
        self._end_span(self._record)

    def _end_span(self, record: ExecutionRecord) -> None:
        if not once(self._todo, "span") or self.span is None:
            return
        try:
            if self.span.is_recording():
                self._describe(self.span, record)
        finally:
            self.span.end(end_time=self.end_ns)

    def _describe(self, span: Span, record: ExecutionRecord) -> None:
        attributes = execution_attributes(record) | self._statement_attributes()
        if self.kind == "client":
            attributes |= self._database_attributes(span)
        span.set_attributes(attributes)
        joined = self._join.request
        if joined is not None and joined.identity.trace_id != record.span.trace_id:
            span.add_link(span_context_of(joined.identity))
        if isinstance(self.error, Exception):
            self._describe_failure(span, self.error)

    def _statement_attributes(self) -> dict[str, AttributeValue]:
        attributes: dict[str, AttributeValue] = {semconv.OPENINFERENCE_SPAN_KIND: "TOOL"}
        state = None if self.error is None else sqlstate_of(self.error)
        if state is not None:
            attributes[semconv.DB_RESPONSE_STATUS_CODE] = state
        if (text := self._query_text()) is not None:
            name = semconv.DB_QUERY_TEXT if self.kind == "client" else semconv.SQLOBS_QUERY_TEXT
            attributes[name] = attributes[semconv.INPUT_VALUE] = text
        return attributes

    def _describe_failure(self, span: Span, error: Exception) -> None:
        """Say what the engine said: in the status, for lists of spans, and as an event."""
        runtime, report = self.runtime, self._join.report
        message = engine_message(
            error,
            runtime.capture.sql,
            runtime.redaction,
            sql=self.sql or "",
            dialect=(report and report.dialect) or "",
        )
        span.add_event(semconv.EVENT_EXCEPTION, exception_attributes(error, message))
        said = [part for part in (sqlstate_of(error), message or error_type_of(error)) if part]
        span.set_status(Status(StatusCode.ERROR, ": ".join(said)))
        if self.block is not None:
            self.block.failure = ": ".join(said)

    def _database_attributes(self, span: Span) -> dict[str, AttributeValue]:
        report = self._join.report
        dialect = None if report is None else report.dialect
        attributes: dict[str, AttributeValue] = {semconv.DB_SYSTEM_NAME: system_of(dialect)}
        if report is not None and report.summary:
            span.update_name(report.summary)
            attributes[semconv.DB_QUERY_SUMMARY] = report.summary
        return attributes

    def _query_text(self) -> str | None:
        capture, report = self.runtime.capture.sql, self._join.report
        text = None if report is None else report.masked_sql
        if capture != "masked":
            text = self.sql if capture == "raw" else None
        cleaned = self.runtime.redaction.clean("sql", text)
        return None if cleaned is None else cut_text(cleaned, SQL_CAP)[0]

    def _record_now(self, *, joined: bool) -> ExecutionRecord:
        error, join = self.error, self._join
        request = join.request if joined else None
        state = None if error is None else sqlstate_of(error)
        return ExecutionRecord(
            status="ok" if error is None else status_of(error),
            start_ns=self.start_ns,
            end_ns=self.end_ns,
            span=identity_of(self.span, self.around),
            generation_id=None if request is None else request.id,
            workflow=None if request is None else request.root.operation.workflow,
            target=self.target or join.target,
            error_type=None if error is None else error_type_of(error),
            sqlstate_class=None if state is None else state[:2],
            rows=self.rows,
            columns=self.columns,
            is_empty=None if self.rows is None else self.rows == 0,
            is_truncated=self.is_truncated,
            fingerprint=None if join.report is None else join.report.fingerprint,
            static_label=None if request is None else join.static_label,
            engine_label=None if request is None else engine_label_of(error),
            joins_late=request is not None and join.open_request is None,
        )

    # -- 5. the worker's task -------------------------------------------------------------------

    @property
    def is_awaited(self) -> bool:
        """The span waits for the comparison."""
        return self._record is None

    def work(self) -> None:
        """Do what is left: the comparison, then the delivery."""
        if self._record is None:
            self._close()
        self.deliver()

    def expire(self) -> None:
        """End the span without the comparison at the deadline; metrics still get it."""
        self._end_span(self._record_now(joined=False))

    def drop(self, reason: Reason) -> None:  # noqa: ARG002 - the protocol's signature
        """End the span and count the execution without the comparison."""
        self._record = self._record_now(joined=False)
        self._end_span(self._record)
        self.deliver()

    def deliver(self) -> None:
        """Count the execution."""
        if self._record is not None and once(self._todo, "delivery"):
            self.runtime.deliver_execution(self._record)


class IdleExecution(Execution):
    """The handle of every block that could not be traced: records nothing."""

    def __init__(self) -> None:
        pass

    def set(
        self, *, rows: int | None = None, columns: int | None = None, truncated: bool | None = None
    ) -> None:
        """Record nothing."""


@dataclass(frozen=True, eq=False)
class ExecutionOperation:
    """Starts executions with the options of one `trace_execution`."""

    idle_handle = IdleExecution()
    holder: RuntimeHolder
    sql: str | Callable[..., str | None] | None = None
    target: str | Callable[..., str | None] | None = None
    kind: SpanKindOption = "internal"

    def named_after(self, function: Callable[..., object]) -> ExecutionOperation:  # noqa: ARG002 - the protocol's signature
        """Return the operation for a decorated function; `sql` names its parameter."""
        return replace(self, sql=self.sql or "sql")

    def begin(self, arguments: Arguments | None) -> Execution:
        """Start an execution; for a `with` block `sql` is the statement itself."""
        sql: object = self.sql
        if arguments is None:
            arguments = Arguments(None)
        elif not callable(self.sql):
            sql = arguments.read(self.sql or "sql")
        return Execution(
            self.holder.runtime,
            sql=statement_text(option_value(None if sql is MISSING else sql, arguments, "sql")),
            target=label_text(option_value(self.target, arguments, "target")),
            kind=self.kind,
        )


def statement_text(sql: object) -> str | None:
    """Return a statement as text: drivers also accept bytes, and psycopg composed statements."""
    if sql is None or type(sql) is str:
        return sql
    with INTERNAL_ERRORS.contained("sql"):
        if isinstance(sql, bytes):
            return sql.decode(errors="replace")
        composed = getattr(sql, "as_string", None)
        return str.__str__(str(sql) if composed is None else composed(None))
    return None
