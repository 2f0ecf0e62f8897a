"""What one `trace_generation` was declared with, and what follows from it once per process."""

from __future__ import annotations

from functools import partial, partialmethod
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.errors import InputError
from sqlobs.tracing.conditions.arguments import MISSING, Arguments
from sqlobs.tracing.conditions.given import NOTHING, Given
from sqlobs.tracing.conditions.resolution import Resolved, is_fixed, resolve
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.requests.answer import AUTO, Finder
from sqlobs.tracing.requests.generation import NO_GENERATION, Generation
from sqlobs.tracing.requests.memory import VerdictMemory
from sqlobs.tracing.requests.request import Request
from sqlobs.tracing.requests.silent import SilentRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.tracing.decorators import Decorators
    from sqlobs.tracing.runtime import Runtime

DEFAULT_QUESTION = "question"
DEFAULT_NAME = "generation"


class GenerationOperation:
    """Starts requests of one workflow."""

    def __init__(
        self,
        instance: Decorators,
        *,
        name: str | None = None,
        given: Given = NOTHING,
        question: str | Callable[..., str | None] | None = None,
        sql: object = AUTO,
        collect: Callable[[list[object]], object] | None = None,
    ) -> None:
        self.instance = instance
        self.given = given
        self.question = question
        self.collect = collect
        self.finder = Finder(sql)
        self.is_agent = sql is None
        """The SQL comes from executions inside."""
        self.name = name or ""
        self.has_name = name is not None
        self.set_name(self.name)
        self.memory = VerdictMemory()
        self._base: tuple[Runtime, Given, Resolved | None] | None = None

    def set_name(self, name: str) -> None:
        """Name the workflow."""
        self.name = name
        self.span_name = semconv.SPAN_GENERATION.format(name=name)

    def named_after(self, function: Callable[..., object]) -> GenerationOperation:
        """Return the operation for a decorated function."""
        copy = GenerationOperation(
            self.instance,
            name=self.name if self.has_name else function_name(function),
            given=self.given,
            question=self.question or DEFAULT_QUESTION,
            sql=self.finder.option,
            collect=self.collect,
        )
        self.instance.declare(copy.name)
        return copy

    def begin(self, arguments: Arguments) -> Request:
        """Start a request."""
        runtime = self.instance.runtime
        if runtime.is_disabled:
            return SilentRequest(runtime, self, arguments)
        return Request(runtime, self, arguments)

    @property
    def idle_handle(self) -> Generation:
        """What a block gets that could not be traced: the handle outside any request."""
        return NO_GENERATION

    def begin_block(self) -> Request:
        """Start the request of a `with` block, where `question` is the question itself."""
        if not self.has_name:
            self.has_name = True
            self.set_name(DEFAULT_NAME)
        self.instance.declare(self.name)
        request = self.begin(Arguments(None))
        request.question_set = self.question if isinstance(self.question, str) else None
        return request

    def resolve(self, request: Request, arguments: Arguments | None) -> Resolved:
        """Return what holds for a request: `set` over contexts over the decorator over all."""
        known = self._base
        if known is None or known[0] is not request.runtime:
            known = self._base = self._read_base(request.runtime)
        _, base, fixed = known
        if fixed is not None and request.is_told_nothing:
            return fixed
        ambient = NOTHING if request.ambient is None else request.ambient.given
        told = request.overrides.over(request.inner.over(ambient))
        return resolve(told.over(base), arguments or Arguments(None))

    def _read_base(self, runtime: Runtime) -> tuple[Runtime, Given, Resolved | None]:
        given = self.given.over(runtime.given)
        return runtime, given, resolve(given, Arguments(None)) if is_fixed(given) else None

    def read_question(self, arguments: Arguments) -> str | None:
        """Return the question of a call, or None."""
        option = self.question
        if option is None:
            return None
        try:
            value = arguments.ask(option) if callable(option) else arguments.read(option)
        except Exception as error:  # noqa: BLE001 - a failing callable counts as not told
            INTERNAL_ERRORS.caught("question", error)
            return None
        if value is MISSING and option != DEFAULT_QUESTION:
            fault = InputError(f"question={option!r}: the function has no such argument")
            INTERNAL_ERRORS.caught("question", fault)
        return value if isinstance(value, str) else None


def function_name(function: Callable[..., object]) -> str:
    """Return the name of a callable: of the function inside a partial, or of the object's class."""
    while isinstance(function, partial | partialmethod):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))
