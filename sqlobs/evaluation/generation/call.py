"""A system under test that is a Python function, decorated with `trace_generation` or not."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from time import perf_counter
from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.generation.answer import Answer
from sqlobs.evaluation.statements import found_sql
from sqlobs.evaluation.user_code import named_function
from sqlobs.runs.case import Generated, GenerationRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.evaluation.case import Case
    from sqlobs.tracing.requests.request import Request

_OFFERED: Final = ("context", "db")
"""Passed by name to a function that has a parameter of that name."""


class CallSystem:
    """Calls a function with each question; a synchronous one on a separate thread."""

    def __init__(self, function: Callable[..., object], *, dialect: str | None = None) -> None:
        self._function = function
        self._dialect = dialect
        self._offered = [name for name in _OFFERED if name in _parameters(function)]

    @classmethod
    def named(cls, name: str, *, dialect: str | None = None) -> CallSystem:
        """Import `module:function`; modules of the working directory are found, too.

        Raises:
            InputError: the function does not exist, or its module cannot be imported.
        """
        return cls(named_function(name, option="--call"), dialect=dialect)

    async def ask(self, case: Case) -> Answer:
        """Call the function; model, tokens and stage times are what its span saw."""
        from sqlobs import context

        offered = {"context": case.hint, "db": case.db}
        named: dict[str, object] = {name: offered[name] for name in self._offered}
        started = perf_counter()
        with context() as ambient:
            returned = await self._call(case.question or "", named)
        elapsed_s = perf_counter() - started
        sql = found_sql(returned, dialect=self._dialect)
        request = next(iter(ambient.requests[-1:]), None)
        return Answer(case.index, sql, _record(sql, request, elapsed_s))

    async def close(self) -> None:
        """There is nothing to give up."""

    async def _call(self, question: str, named: dict[str, object]) -> object:
        if inspect.iscoroutinefunction(inspect.unwrap(self._function)):
            return await self._function(question, **named)  # type: ignore[misc]  # it is one
        returned = await _in_thread(lambda: self._function(question, **named))
        return await returned if inspect.isawaitable(returned) else returned


def _parameters(function: Callable[..., object]) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


async def _in_thread(function: Callable[[], object]) -> object:
    """Run a function in a daemon thread: one that never returns must not keep the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[object] = loop.create_future()
    around = contextvars.copy_context()

    def settle(value: object, error: Exception | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)

    def work() -> None:
        try:
            outcome, fault = around.run(function), None
        except Exception as error:  # noqa: BLE001 - any error is raised in the waiting thread
            outcome, fault = None, error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, outcome, fault)

    threading.Thread(target=work, name="sqlobs-question", daemon=True).start()
    return await future


def _record(sql: str | None, request: Request | None, elapsed_s: float) -> GenerationRecord:
    status: Generated = "refused" if sql is None else "answered"
    total = round(elapsed_s, 6)
    if request is None:
        return GenerationRecord(status=status, total_execution_time=total)
    rollup = request.rollup
    usage, stages = rollup.usage, rollup.stages
    return GenerationRecord(
        status=status,
        model=rollup.model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=usage.cost_usd,
        attempts=_attempts(sql, request),
        sql_execution_time=stages.execution_s,
        vector_store_search_time=stages.retrieval_s,
        llm_time=stages.llm_s,
        total_execution_time=total,
    )


def _attempts(sql: str | None, request: Request) -> int | None:
    """Count the attempts; an answer that is not the last of them is one more."""
    drafts = [attempt.text for attempt in request.attempts]
    is_another = sql is not None and (not drafts or found_sql(drafts[-1]) != sql)
    return len(drafts) + is_another or None
