"""The decorators: `trace_generation`, `trace_execution`, `trace_llm`, `trace_retrieval`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar, overload

from sqlobs.check.checker import profile_of
from sqlobs.errors import ConfigError
from sqlobs.schema.model import Schema
from sqlobs.tracing.conditions.given import level
from sqlobs.tracing.requests.answer import AUTO
from sqlobs.tracing.requests.declaration import BlockOperation, Declaration
from sqlobs.tracing.requests.operation import GenerationOperation
from sqlobs.tracing.stages.execution import ExecutionOperation
from sqlobs.tracing.stages.llm import LlmOperation
from sqlobs.tracing.stages.retrieval import RetrievalOperation
from sqlobs.tracing.taking import EXECUTION, GENERATION, LLM, RETRIEVAL, require

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.check.engine.profile import Profile
    from sqlobs.tracing.conditions.given import SchemaProvider
    from sqlobs.tracing.requests.answer import SqlOption
    from sqlobs.tracing.requests.generation import Generation
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.tracing.stages.execution import Execution, SpanKindOption
    from sqlobs.tracing.stages.stage import Stage

F = TypeVar("F", bound="Callable[..., Any] | classmethod[Any, Any, Any] | staticmethod[Any, Any]")


class Decorators(ABC):
    """What an instance decorates with."""

    @property
    @abstractmethod
    def runtime(self) -> Runtime:
        """The working parts, in the process that uses them."""

    @abstractmethod
    def declare(self, workflow: str) -> None:
        """Note a workflow whose series start at zero."""

    @abstractmethod
    def declare_executions(self) -> None:
        """Note that executions are traced, so that generations are remembered for them."""

    @overload
    def trace_generation(self, function: F, /) -> F: ...
    @overload
    def trace_generation(
        self,
        /,
        *,
        name: str | None = None,
        schema: Schema | SchemaProvider | Callable[..., object] | None = None,
        dialect: str | Profile | Callable[..., str | Profile | None] | None = None,
        question: str | Callable[..., str | None] | None = None,
        sql: SqlOption = AUTO,
        reference: str | Callable[..., str | None] | None = None,
        hints: str | Callable[..., str | None] | None = None,
        target: str | Callable[..., str | None] | None = None,
        collect: Callable[[list[Any]], object] | None = None,
    ) -> Declaration[Generation]: ...
    def trace_generation(
        self,
        function: Any = None,
        /,
        *,
        name: str | None = None,
        schema: Schema | SchemaProvider | Callable[..., object] | None = None,
        dialect: str | Profile | Callable[..., str | Profile | None] | None = None,
        question: str | Callable[..., str | None] | None = None,
        sql: SqlOption = AUTO,
        reference: str | Callable[..., str | None] | None = None,
        hints: str | Callable[..., str | None] | None = None,
        target: str | Callable[..., str | None] | None = None,
        collect: Callable[[list[Any]], object] | None = None,
    ) -> Any:
        """Trace and check a function that turns a question into SQL.

        With keywords it is a decorator and a context manager. `schema`, `dialect`, `target`,
        `reference` and `hints` take a value or a callable. A callable is called with the
        arguments of the traced call that its parameters name; one with a single parameter of
        another name gets the mapping of all arguments. It must not do I/O.

        Args:
            function: The function, where no keyword is given.
            name: The workflow's name; the function's by default.
            schema: What exists: a `Schema`, a `SchemaSource`, or a callable giving one.
            dialect: The SQL dialect; the schema's by default.
            question: The parameter that holds the question (`question` by default), or a
                callable; as a context manager the question itself.
            sql: Where the SQL is in the result: found by default, the name of a field, or a
                callable of the result. None for agents: the statements executed inside tell.
            reference: The correct SQL, where it is known.
            hints: Domain knowledge for judges.
            target: Alias of the database that the SQL is meant for; never a DSN.
            collect: Turns the list of a stream's chunks into a result.

        Returns:
            The decorated function, with the same signature, or the decorator.

        Raises:
            ConfigError: An argument has the wrong type.
            DialectError: The dialect is unknown, or differs from the schema's.
        """
        require(
            GENERATION,
            name=name,
            schema=schema,
            dialect=dialect,
            sql=None if sql is AUTO else sql,
            collect=collect,
        )
        if not callable(dialect):
            profile_of(schema if isinstance(schema, Schema) else None, dialect)
        operation = GenerationOperation(
            self,
            name=name,
            given=level(
                schema=schema, dialect=dialect, reference=reference, hints=hints, target=target
            ),
            question=question,
            sql=sql,
            collect=collect,
        )
        return _declared(operation, function)

    @overload
    def trace_execution(self, function: F, /) -> F: ...
    @overload
    def trace_execution(
        self,
        /,
        *,
        sql: str | Callable[..., str | None] | None = None,
        target: str | Callable[..., str | None] | None = None,
        kind: SpanKindOption = "internal",
    ) -> Declaration[Execution]: ...
    def trace_execution(
        self,
        function: Any = None,
        /,
        *,
        sql: str | Callable[..., str | None] | None = None,
        target: str | Callable[..., str | None] | None = None,
        kind: SpanKindOption = "internal",
    ) -> Any:
        """Trace the application's own execution of SQL, and compare the engine with the check.

        Args:
            function: The function, where no keyword is given.
            sql: The parameter that holds the SQL (`sql` by default), or a callable; as a context
                manager the SQL itself.
            target: Alias of the database.
            kind: `client` makes it a database client span, for drivers without instrumentation.

        Raises:
            ConfigError: An argument has the wrong type.
        """
        require(EXECUTION, kind=kind)
        self.declare_executions()
        operation = ExecutionOperation(self, sql=sql, target=target, kind=kind)
        return _declared(operation, function)

    @overload
    def trace_llm(self, function: F, /) -> F: ...
    @overload
    def trace_llm(
        self,
        /,
        *,
        model: str | Callable[..., str | None] | None = None,
        provider: str | None = None,
        messages: object = None,
    ) -> Declaration[Stage]: ...
    def trace_llm(
        self,
        function: Any = None,
        /,
        *,
        model: str | Callable[..., str | None] | None = None,
        provider: str | None = None,
        messages: object = None,
    ) -> Any:
        """Trace a model call that no instrumentation covers; silent where one does.

        Args:
            function: The function, where no keyword is given.
            model: The model that is asked, or a callable of the arguments; by default what the
                context says.
            provider: The provider, as the GenAI conventions name it (`openai`, `anthropic`, …).
            messages: The parameter that holds the prompt, a text or messages (`messages`, `input`
                or `prompt` by default), or a callable; as a context manager the prompt itself.
                Recorded only where capture of message content is switched on.

        Raises:
            ConfigError: An argument has the wrong type.
        """
        require(LLM, provider=provider)
        operation = LlmOperation(self, model=model, provider=provider, messages=messages)
        return _declared(operation, function)

    @overload
    def trace_retrieval(self, function: F, /) -> F: ...
    @overload
    def trace_retrieval(
        self,
        /,
        *,
        source: str | None = None,
        query: str | Callable[..., str | None] | None = None,
    ) -> Declaration[Stage]: ...
    def trace_retrieval(
        self,
        function: Any = None,
        /,
        *,
        source: str | None = None,
        query: str | Callable[..., str | None] | None = None,
    ) -> Any:
        """Trace the search for the tables that a question is about.

        Args:
            function: The function, where no keyword is given.
            source: What is searched; the function's name by default.
            query: The parameter that holds what is searched for (`query` or `question` by
                default), or a callable; as a context manager the text itself. Recorded only where
                capture of message content is switched on.

        Raises:
            ConfigError: An argument has the wrong type.
        """
        require(RETRIEVAL, source=source)
        return _declared(RetrievalOperation(self, source=source, query=query), function)


def _declared(operation: BlockOperation[Any], function: Any) -> Any:  # noqa: ANN401 - overloads type it
    if isinstance(function, str):
        raise ConfigError(f"a function is decorated, not {function!r}: give texts by keyword")
    declaration = Declaration(operation)
    return declaration if function is None else declaration(function)
