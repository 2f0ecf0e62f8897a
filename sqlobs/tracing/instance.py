"""`Sqlobs`: the public API of one instance; the module functions are those of a default instance.

Tests: `tests/tracing/test_transparency.py`, `test_requests.py`, `tests/typing/api.py`, and
`tests/architecture/test_foundation.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import time_ns
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from sqlobs.arguments import require
from sqlobs.check.engine.profile import Profile, profile_of
from sqlobs.config import CheckSwitch, Mode, Settings, Strictness, load_settings
from sqlobs.errors import ConfigError
from sqlobs.schema.model import Schema
from sqlobs.tracing.accepted_arguments import (
    CONFIGURE,
    EXECUTION,
    GENERATION,
    INSTANCE,
    LLM,
    RETRIEVAL,
)
from sqlobs.tracing.configuration import Destination
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.option_layer import OptionLayer, Prompt, SchemaProvider, option_layer
from sqlobs.tracing.options.scope import current_scope
from sqlobs.tracing.records.record import FeedbackRecord
from sqlobs.tracing.requests.answer import AUTO, SqlOption
from sqlobs.tracing.requests.context_block import ContextBlock
from sqlobs.tracing.requests.declaration import Declaration
from sqlobs.tracing.requests.generation import Generation, OutsideGeneration
from sqlobs.tracing.requests.operation import GenerationOperation
from sqlobs.tracing.runtime_holder import RuntimeHolder
from sqlobs.tracing.stages.execution import Execution, ExecutionOperation, SpanKindOption
from sqlobs.tracing.stages.llm import LlmOperation
from sqlobs.tracing.stages.retrieval import RetrievalOperation
from sqlobs.tracing.worker import exits

if TYPE_CHECKING:
    from opentelemetry._logs import LoggerProvider
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider
    from typing_extensions import TypeVar

    from sqlobs.check.fallback import Fallback
    from sqlobs.check.native import Native
    from sqlobs.check.policy import Policy
    from sqlobs.prices import Price
    from sqlobs.tracing.description.redaction import Redact
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.tracing.stages.stage import Stage
    from sqlobs.tracing.wrapping.activity import Operation
    from sqlobs.types import FallbackMode

    Traceable: TypeAlias = Callable[..., Any] | classmethod[Any, Any, Any] | staticmethod[Any, Any]
    # What is traced keeps its type; without a function, the default is a decorator and a block
    G = TypeVar("G", bound=Traceable, default=Declaration[Generation])
    E = TypeVar("E", bound=Traceable, default=Declaration[Execution])
    S = TypeVar("S", bound=Traceable, default=Declaration[Stage])
    D = TypeVar("D", bound=Traceable)

_SETTINGS: Final = frozenset(CONFIGURE) & {*Settings.model_fields} - {"dialect", "native"}
"""The arguments of `configure` that are settings as they are given."""


class Sqlobs:
    """One configuration of sqlobs in a process; most programs need only the module functions.

    Two applications in one process, and tests, make instances of their own.
    """

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        logger_provider: LoggerProvider | None = None,
        delivers_inline: bool = False,
        **options: Any,  # noqa: ANN401 - typed by `configure`
    ) -> None:
        """Make an instance.

        Args:
            tracer_provider: Makes the spans; the process's own by default.
            meter_provider: Makes the metrics; the process's own by default.
            logger_provider: Takes late results; the process's own by default.
            delivers_inline: Count and send on the calling thread, for tests.
            **options: As for `configure`.

        Raises:
            ConfigError: An argument has the wrong type.
        """
        given = {name: value for name, value in locals().items() if name in INSTANCE}
        require(INSTANCE, **given)
        destination = Destination(**given)
        self.holder = RuntimeHolder(destination, outside=_OUTSIDE)
        if options:
            self.configure(**options)

    def configure(
        self,
        *,
        service_name: str | None = None,
        schema: Schema | SchemaProvider | Callable[..., object] | None = None,
        dialect: str | Profile | None = None,
        collector: str | None = None,
        mode: Mode | None = None,
        check: CheckSwitch | None = None,
        native: Native | None = None,
        strict: Strictness | None = None,
        policy: Policy | None = None,
        redact: Redact | None = None,
        fallback: Fallback | None = None,
        fallback_mode: FallbackMode | None = None,
        detect_refusals: bool | None = None,
        mark_failures_as_errors: bool | None = None,
        prices: Mapping[str, Price | Mapping[str, float]] | None = None,
        set_global: bool | None = None,
    ) -> None:
        """Set the options of every request; a second call with equal options does nothing.

        Call it before or after the application's own OpenTelemetry set-up: providers are looked
        up at the first request. Options not set here are read from the environment
        (`SQLOBS_MODE`, `SQLOBS_COLLECTOR_ENDPOINT`, …), else they have their default.

        Args:
            service_name: `service.name` of our own providers, where the application has none.
            schema: A `Schema`, a `SchemaSource`, or a callable that returns one.
            dialect: The SQL dialect; the schema's by default.
            collector: Base URL of the collector, which gets question and raw SQL of each request.
            mode: When the check runs: `auto` (inline where that takes about a millisecond),
                `inline` or `deferred`.
            check: Where SQL is checked: `application`; `process`, a process of its own, so that
                no check holds Python's lock here; or `auto`: in the application, and in such a
                process from the first traced call on an event loop or a second thread. `off`
                leaves checking to the collector.
            native: Whether engines inside this process (SQLite, DuckDB) check, too; or an `Engine`
                that replaces them, off the caller's thread.
            strict: `sql_correctness`, the definition of judge-based products.
            policy: Statements to reject beyond the engine's own rules.
            redact: Called with kind and text before any text leaves; returns the text to record,
                or None to withhold it.
            fallback: Called for undecided statements, e.g. `sqlobs.judge.fallback`; it gets the
                raw statement and the schema.
            fallback_mode: `late` (the answer is an evaluation of its own), `wait` (span and
                caller wait for it) or `always` (for decided statements, too, to compare).
            detect_refusals: An English answer without SQL that declines or asks back is
                `abstained` or `clarified`; False: it fails, as any answer without SQL.
            mark_failures_as_errors: Whether failing SQL sets the span's status to ERROR.
            prices: US dollars per million tokens by model, `{"gpt-4o": {"input": 2.5, "output":
                10}}`, for requests whose cost the application does not report.
            set_global: Install our providers at once if the application has none. A server that
                forks its workers configures in the worker: providers do not survive a fork.

        Raises:
            ConfigError: An argument has the wrong type or an invalid value.
            DialectError: The dialect is unknown, or differs from the schema's.
        """
        given = _given(locals())
        require(CONFIGURE, **given)
        profile_of(schema if isinstance(schema, Schema) else None, dialect)
        settings = load_settings(
            **{name: value for name, value in given.items() if name in _SETTINGS},
            dialect=dialect if isinstance(dialect, str) else None,
            collector_endpoint=collector,
            native=native if isinstance(native, bool) else None,
        )
        profile_of(None, settings.dialect)
        if settings.check == "process" and not isinstance(native, bool | None):
            raise ConfigError(
                "check='process': an Engine gives its verdicts in this process; give native=True"
                " or False"
            )
        configuration = replace(
            self.holder.configuration,
            settings=settings,
            options=OptionLayer(schema=schema, dialect=dialect),
            policy=policy,
            redact=redact,
            fallback=fallback,
            engine=None if native is None or isinstance(native, bool) else native,
        )
        self.holder.configure(configuration)
        if not settings.sdk_disabled:
            self._prepare(settings)

    def _prepare(self, settings: Settings) -> None:
        """Do what the first request would wait for, and what only the main thread can do."""
        if settings.set_global:
            self.runtime.senders.providers.install()
        self.runtime.prepare()
        if settings.flush_on_sigterm and self.runtime.senders.takes_units:
            exits.handle_sigterm()

    @property
    def runtime(self) -> Runtime:
        """The working parts, made at first use, in the process that uses them."""
        return self.holder.runtime

    # -- decorators -----------------------------------------------------------------------------

    def trace_generation(
        self,
        function: G | None = None,
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
    ) -> G:
        """Trace and check a function that turns a question into SQL.

        With keywords it is a decorator and a context manager. `schema`, `dialect`, `target`,
        `reference` and `hints` take a value or a callable. A callable is called with the
        arguments of the traced call that its parameters name; one with a single parameter of
        another name gets the mapping of all arguments. It must not do I/O.

        Args:
            function: The function, without keywords.
            name: The workflow's name; the function's by default.
            schema: A `Schema`, a `SchemaSource`, or a callable that returns one.
            dialect: The SQL dialect; the schema's by default.
            question: The parameter that holds the question (`question` by default), or a
                callable; as a context manager the question itself.
            sql: Where the SQL is in the result: found by default, the name of a field, or a
                callable of the result. None for agents: the SQL comes from executions inside.
            reference: The correct SQL, if known.
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
            self.holder,
            name=name,
            options=option_layer(
                schema=schema, dialect=dialect, reference=reference, hints=hints, target=target
            ),
            question=question,
            sql=sql,
            collect=collect,
        )
        return _declared(operation, function)

    def trace_execution(
        self,
        function: E | None = None,
        /,
        *,
        sql: str | Callable[..., str | None] | None = None,
        target: str | Callable[..., str | None] | None = None,
        kind: SpanKindOption = "internal",
    ) -> E:
        """Trace the application's own execution of SQL, and compare its result with the check.

        Args:
            function: The function, without keywords.
            sql: The parameter that holds the SQL (`sql` by default), or a callable; as a context
                manager the SQL itself.
            target: Alias of the database.
            kind: `client` makes it a database client span, for drivers without instrumentation.

        Raises:
            ConfigError: An argument has the wrong type.
        """
        require(EXECUTION, kind=kind)
        self.holder.declare_executions()
        operation = ExecutionOperation(self.holder, sql=sql, target=target, kind=kind)
        return _declared(operation, function)

    def trace_llm(
        self,
        function: S | None = None,
        /,
        *,
        model: str | Callable[..., str | None] | None = None,
        provider: str | None = None,
        messages: object = None,
    ) -> S:
        """Trace a model call; makes no second span if another instrumentation traces it.

        Args:
            function: The function, without keywords.
            model: The model, or a callable of the arguments; by default that of the context.
            provider: The provider, as the GenAI conventions name it (`openai`, `anthropic`, …).
            messages: The parameter that holds the prompt, a text or messages (`messages`, `input`
                or `prompt` by default), or a callable; as a context manager the prompt itself.
                Recorded only if capture of message content is on.

        Raises:
            ConfigError: An argument has the wrong type.
        """
        require(LLM, provider=provider)
        operation = LlmOperation(self.holder, model=model, provider=provider, messages=messages)
        return _declared(operation, function)

    def trace_retrieval(
        self,
        function: S | None = None,
        /,
        *,
        source: str | None = None,
        query: str | Callable[..., str | None] | None = None,
    ) -> S:
        """Trace the retrieval of the tables for a question.

        Args:
            function: The function, without keywords.
            source: The name of the data source; the function's name by default.
            query: The parameter that holds the query (`query` or `question` by default), or a
                callable; as a context manager the text itself. Recorded only if capture of
                message content is on.

        Raises:
            ConfigError: An argument has the wrong type.
        """
        require(RETRIEVAL, source=source)
        return _declared(RetrievalOperation(self.holder, source=source, query=query), function)

    # -- context and feedback -------------------------------------------------------------------

    def context(
        self,
        *,
        schema: Schema | SchemaProvider | Callable[..., object] | None = None,
        dialect: str | Profile | Callable[..., str | Profile | None] | None = None,
        target: str | Callable[..., str | None] | None = None,
        tenant: str | None = None,
        prompt: Prompt | None = None,
        model: str | None = None,
        conversation: str | None = None,
        user: str | None = None,
        session: str | None = None,
        reference: str | Callable[..., str | None] | None = None,
        hints: str | Callable[..., str | None] | None = None,
        case_id: str | None = None,
    ) -> ContextBlock:
        """Set options for all requests of a `with` block; `as` binds their handles.

        Outside any other span the block has a span of its own: one trace of the generations and
        executions inside.
        """
        options = option_layer(**_given(locals()))
        return ContextBlock(options, outside=_OUTSIDE, runtime=lambda: self.runtime)

    def record_feedback(
        self,
        generation_id: str,
        *,
        kind: str,
        value: str | float | None = None,
        corrected_sql: str | None = None,
        reason: str | None = None,
    ) -> None:
        """Record user feedback on a generation; never raises.

        Args:
            generation_id: The id of the handle, e.g. `context(...).generation.id`.
            kind: The kind of feedback, e.g. `thumb`.
            value: The value, e.g. `down`.
            corrected_sql: The correct SQL.
            reason: A comment in the user's words.
        """
        with INTERNAL_ERRORS.contained("feedback"):
            runtime = self.runtime
            clean = runtime.redaction.clean
            record = FeedbackRecord(
                generation_id=generation_id,
                kind=kind,
                timestamp_ns=time_ns(),
                value=value,
                corrected_sql=clean("sql", corrected_sql),
                reason=clean("reason", reason),
            )
            runtime.deliver_feedback(record)

    # -- flush and shutdown ---------------------------------------------------------------------

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Check, count and send all requests that have ended.

        Args:
            timeout_s: Longest wait, in seconds.

        Returns:
            Whether all was sent in time.
        """
        return self.holder.flush(timeout_s)

    async def aflush(self, timeout_s: float = 10.0) -> bool:
        """Flush as `flush` does, without blocking the event loop."""
        from anyio import to_thread

        return await to_thread.run_sync(self.flush, timeout_s)

    def shutdown(self, timeout_s: float = 10.0) -> bool:
        """Flush and stop; the application's own providers keep running. A later request restarts.

        Args:
            timeout_s: Longest wait, in seconds.

        Returns:
            Whether all was sent in time.
        """
        return self.holder.shutdown(timeout_s)


def current_generation() -> Generation:
    """Return the handle of the request that the running code belongs to; a no-op one outside."""
    request = current_scope().request
    return _OUTSIDE if request is None else request.handle


def default_instance() -> Sqlobs:
    """Return the instance behind the module functions."""
    return _default


_OUTSIDE = OutsideGeneration(lambda: default_instance().runtime)
"""The handle outside any request, of every instance."""
_default = Sqlobs()


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a method by name, from its `locals()`."""
    return {name: value for name, value in arguments.items() if name != "self"}


def _declared(operation: Operation[Any], function: D | None) -> D:
    if isinstance(function, str):
        raise ConfigError(
            f"Cannot decorate {function!r}: it is not a function. Pass texts by keyword"
        )
    declaration = Declaration(operation)
    return cast("D", declaration) if function is None else declaration(function)


aflush = _default.aflush
configure = _default.configure
context = _default.context
flush = _default.flush
record_feedback = _default.record_feedback
shutdown = _default.shutdown
trace_execution = _default.trace_execution
trace_generation = _default.trace_generation
trace_llm = _default.trace_llm
trace_retrieval = _default.trace_retrieval
