"""Which statements of a database are recorded, and what a driver's cursor tells of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from sqlobs.tracing.instance import default_instance
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.stages.execution import ExecutionOperation, statement_text
from sqlobs.tracing.stages.joining import may_join

if TYPE_CHECKING:
    from sqlobs.tracing.instance import Sqlobs
    from sqlobs.tracing.stages.execution import Execution, SpanKindOption

Recorded = Literal["generated", "all"]
"""`generated`: what is run inside a generation, and the answer of one around; or `all`."""

_BUFFERING: Final = frozenset(
    {"psycopg", "psycopg2", "psycopg2cffi", "psycopg_c", "pg8000", "pymysql", "MySQLdb"}
)
"""Drivers that hold the whole result when `execute` returns: there a count of 0 is an empty one."""
_MOST_ROWS: Final = 2**63
"""Beyond it a count is a driver's way to say that it knows none."""


class Statements:
    """The statements that one engine or connection runs."""

    def __init__(
        self,
        *,
        target: str | None,
        records: Recorded,
        kind: SpanKindOption,
        instance: Sqlobs | None,
    ) -> None:
        self._instance = instance or default_instance()
        self._target = target
        self._kind: SpanKindOption = kind
        self.takes_all = records == "all"
        self._instance.holder.declare_executions()

    def begin(self, sql: object) -> Execution | None:
        """Start the execution of a statement; None: it is not recorded. Never raises."""
        with INTERNAL_ERRORS.contained("begin"):
            text = statement_text(sql)
            if self.takes_all or may_join(self._instance.runtime, text or ""):
                return ExecutionOperation(
                    self._instance.holder, sql=text, target=self._target, kind=self._kind
                ).begin(None)
        return None


def rows_of(cursor: object) -> int | None:
    """Return how many rows a query gave, where the driver says so before they are read.

    `rowcount` is no answer where it is -1, where there is no result (then it counts the rows that
    were changed), and where it is 0 because nothing was fetched so far.
    """
    count = getattr(cursor, "rowcount", None)
    if not isinstance(count, int) or not has_result(cursor) or not 0 <= count < _MOST_ROWS:
        return None
    return count if count or _is_buffered(cursor) else None


def columns_of(cursor: object) -> int | None:
    """Return how many columns a query gave."""
    description = getattr(cursor, "description", None)
    return None if description is None else len(description)


def has_result(cursor: object) -> bool:
    """Return whether there are rows to read."""
    return getattr(cursor, "description", None) is not None


def _is_buffered(cursor: object) -> bool:
    kind = type(cursor)
    return kind.__module__.partition(".")[0] in _BUFFERING and "Server" not in kind.__name__
