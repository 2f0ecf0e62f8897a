"""`trace_execution`: starts the executions of one decorator or block.

Tests: `tests/tracing/test_executions.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.arguments import MISSING, Arguments
from sqlobs.tracing.options.option_resolution import label_text, option_value
from sqlobs.tracing.stages.execution import Execution, IdleExecution

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.tracing.runtime_holder import RuntimeHolder
    from sqlobs.tracing.stages.execution import SpanKindOption


class ExecutionOperation:
    """Starts executions with the options of one `trace_execution`."""

    def __init__(
        self,
        holder: RuntimeHolder,
        *,
        sql: str | Callable[..., str | None] | None = None,
        target: str | Callable[..., str | None] | None = None,
        kind: SpanKindOption = "internal",
    ) -> None:
        self.holder = holder
        self.sql = sql
        self.target = target
        self.kind = kind

    def named_after(self, function: Callable[..., object]) -> ExecutionOperation:  # noqa: ARG002 - the protocol's signature
        """Return the operation for a decorated function; `sql` names its parameter."""
        return ExecutionOperation(
            self.holder, sql=self.sql or "sql", target=self.target, kind=self.kind
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
        """The handle of a block that could not be traced."""
        return IdleExecution()

    def _begin(self, sql: object, arguments: Arguments) -> Execution:
        return Execution(
            self.holder.runtime,
            sql=statement_text(option_value(sql, arguments, "sql")),
            target=label_text(option_value(self.target, arguments, "target")),
            kind=self.kind,
        )


def statement_text(sql: object) -> str | None:
    """Return a statement as text: drivers also accept bytes, and psycopg composed statements."""
    if sql is None or type(sql) is str:
        return sql
    try:
        if isinstance(sql, bytes):
            return sql.decode(errors="replace")
        composed = getattr(sql, "as_string", None)
        return str.__str__(str(sql) if composed is None else composed(None))
    except Exception as error:  # noqa: BLE001 - an object without a text counts as no statement
        INTERNAL_ERRORS.caught("sql", error)
        return None
