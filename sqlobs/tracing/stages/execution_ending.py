"""The end of one execution: joined to its generation, compared, written, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.trace import (
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
)

from sqlobs import semconv
from sqlobs.semconv.systems import system_of
from sqlobs.tracing.description.caps import SQL_CAP, cut_text
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.engine_errors import engine_label_of, sqlstate_of, status_of
from sqlobs.tracing.records.error_types import error_type_of
from sqlobs.tracing.records.record import ExecutionRecord
from sqlobs.tracing.records.span_identity import identity_of
from sqlobs.tracing.requests.claim import take
from sqlobs.tracing.stages.joining import Join, candidates_for

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from sqlobs.failure_codes import Reason
    from sqlobs.tracing.stages.execution import Execution
    from sqlobs.unit import AttributeValue, SpanIdentity


class ExecutionEnding:
    """The end of one execution: joined to its generation, compared, written, counted."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.runtime = execution.runtime
        self.record: ExecutionRecord | None = None
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

    @property
    def is_awaited(self) -> bool:
        """The span waits for the comparison."""
        return self.record is None

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
            INTERNAL_ERRORS.caught("execution.check", error)
        self.record = self._record(joined=True)
        request = self._join.open_request
        if request is not None:
            request.add_execution(self.record)
        self._write(self.record)

    def _write(self, record: ExecutionRecord) -> None:
        if not take(self.execution.claims, "span"):
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
        error = self.execution.error
        state = None if error is None else sqlstate_of(error)
        if state is not None:
            attributes[semconv.DB_RESPONSE_STATUS_CODE] = state
        if (text := self._query_text()) is not None:
            attributes[semconv.DB_QUERY_TEXT] = text
        if report is not None and report.summary:
            span.update_name(report.summary)
            attributes[semconv.DB_QUERY_SUMMARY] = report.summary
        return attributes

    def _query_text(self) -> str | None:
        capture, report = self.runtime.capture.sql, self._join.report
        text = None if report is None else report.masked_sql
        if capture != "masked":
            text = self.execution.sql if capture == "raw" else None
        cleaned = self.runtime.redaction.clean("sql", text)
        return None if cleaned is None else cut_text(cleaned, SQL_CAP)[0]

    def deliver(self) -> None:
        """Count the execution."""
        if self.record is not None and take(self.execution.claims, "delivery"):
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
