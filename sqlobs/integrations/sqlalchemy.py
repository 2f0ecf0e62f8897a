"""SQLAlchemy: records the generated statements that an engine runs as executions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from sqlobs.integrations.statements import Statements, columns_of, rows_of
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.engine import ExceptionContext
    from sqlalchemy.ext.asyncio import AsyncEngine

    from sqlobs.integrations.statements import Recorded
    from sqlobs.tracing.instance import Sqlobs
    from sqlobs.tracing.stages.execution import Execution, SpanKindOption

__all__ = ["trace_engine"]

_MARK: Final = "sqlobs_execution"
"""Key of the execution on SQLAlchemy's statement context while the statement runs."""


def trace_engine(
    engine: Engine | AsyncEngine,
    *,
    target: str | None = None,
    records: Recorded = "generated",
    kind: SpanKindOption = "internal",
    instance: Sqlobs | None = None,
) -> None:
    """Record the generated statements that an engine runs, as `trace_execution` does.

    Generated is what is run as text (`text(sql)`, `exec_driver_sql`) inside a generation, and text
    that is the answer of one in the same `context` or trace. What the application builds with
    SQLAlchemy's own constructs is left alone. Nothing runs within our span, so that the spans of a
    driver's instrumentation lie beside it. For the same engine, the last call is in effect.

    Args:
        engine: The engine, or an asynchronous one.
        target: Alias of the database.
        records: `all` records every statement of the engine.
        kind: `client` makes it a database client span, for drivers without instrumentation.
        instance: The instance that records; the default one if None.
    """
    from sqlalchemy import event

    plain = getattr(engine, "sync_engine", engine)
    before = _LISTENERS.pop(plain, None)
    if before is not None:
        for name in _EVENTS:
            event.remove(plain, name, getattr(before, name))
    listener = _Listener(Statements(target=target, records=records, kind=kind, instance=instance))
    for name in _EVENTS:
        event.listen(plain, name, getattr(listener, name))
    _LISTENERS[plain] = listener


class _Listener:
    """What SQLAlchemy calls around each statement; the methods have its names."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    def before_cursor_execute(
        self,
        _connection: object,
        _cursor: object,
        statement: str,
        _parameters: object,
        context: object,
        _is_many: object,
    ) -> None:
        """Start the execution of a statement that is recorded."""
        sql = self._recorded(statement, context)
        execution = None if sql is None else self._statements.begin(sql)
        if execution is not None:
            setattr(context, _MARK, execution)

    def after_cursor_execute(
        self,
        _connection: object,
        cursor: object,
        _statement: str,
        _parameters: object,
        context: object,
        _is_many: object,
    ) -> None:
        """End the execution, with what the driver knows of the result."""
        execution = _taken(context)
        if execution is None:
            return
        with INTERNAL_ERRORS.contained("execution.result"):
            execution.set(rows=rows_of(cursor), columns=columns_of(cursor))
        execution.returned(None)

    def handle_error(self, exception_context: ExceptionContext) -> None:
        """End the execution with the driver's exception."""
        execution = _taken(exception_context.execution_context)
        if execution is not None:
            execution.raised(exception_context.original_exception)

    def _recorded(self, statement: str, context: object) -> str | None:
        """Return the statement as it was given; None if it is none of a model's."""
        try:
            invoked = getattr(context, "invoked_statement", None)
            text = getattr(getattr(invoked, "element", invoked), "text", None)
            if isinstance(text, str):  # the driver's spelling doubles each %
                return text.replace("\\:", ":")
        except Exception as error:  # noqa: BLE001 - the boundary: the statement runs unrecorded
            INTERNAL_ERRORS.caught("begin", error)
            return None
        return statement if invoked is None or self._statements.takes_all else None


_EVENTS: Final = ("before_cursor_execute", "after_cursor_execute", "handle_error")
_LISTENERS: WeakKeyDictionary[Any, _Listener] = WeakKeyDictionary()


def _taken(context: object) -> Execution | None:
    """Return the execution that a context holds, once."""
    execution: Execution | None = getattr(context, _MARK, None)
    if execution is not None:
        delattr(context, _MARK)
    return execution
