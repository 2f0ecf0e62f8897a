"""The operation behind one `trace_generation`: its arguments, and what is computed from them once.

Tests: `tests/tracing/test_requests.py`, `test_arguments.py`, `test_repeated_answers.py` and
`tests/telemetry/test_config.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial, partialmethod
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.errors import InputError
from sqlobs.tracing.description.written_before import set_again, took_all
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.arguments import MISSING, Arguments
from sqlobs.tracing.options.option_layer import NO_OPTIONS, OptionLayer, Resolved, is_fixed, resolve
from sqlobs.tracing.options.scope import current_scope
from sqlobs.tracing.records.record import AttemptRecord
from sqlobs.tracing.requests.answer import AUTO
from sqlobs.tracing.requests.generation_lifecycle import TracedRequest
from sqlobs.tracing.requests.request import Request
from sqlobs.tracing.requests.rollup import Rollup

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from sqlobs.check.report.model import CheckReport
    from sqlobs.tracing.requests.generation import Generation
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.tracing.runtime_holder import RuntimeHolder
    from sqlobs.unit import AttributeValue

CAPACITY: Final = 256


@dataclass(slots=True)
class CachedVerdict:
    """One statement's verdict, and its span attributes."""

    report: CheckReport
    attempts: tuple[AttemptRecord, ...]
    attributes: dict[str, AttributeValue]
    """Of a request without attempts, stages or corrections; durations are replaced."""
    is_validated: bool = False
    """The SDK took the attributes as they are."""

    def write(self, span: Span, attributes: dict[str, AttributeValue]) -> None:
        """Set the attributes on a span, with durations of its own."""
        if self.is_validated:
            set_again(span, attributes)
        else:
            span.set_attributes(attributes)
            self.is_validated = took_all(span, attributes)


class VerdictCache:
    """A bounded map from answer text to verdict, for the options used last."""

    def __init__(self) -> None:
        self._runtime: Runtime | None = None
        self._resolved: Resolved | None = None
        self._verdicts: dict[str, CachedVerdict] = {}

    def find(self, text: str, runtime: Runtime, resolved: Resolved) -> CachedVerdict | None:
        """Return the verdict of a text under equal options, or None."""
        return self._verdicts.get(text) if self._holds(runtime, resolved) else None

    def keep(
        self,
        text: str,
        runtime: Runtime,
        resolved: Resolved,
        report: CheckReport,
        attributes: dict[str, AttributeValue],
    ) -> CachedVerdict:
        """Keep a verdict and return it; other options, or too many texts, clear the cache."""
        if not self._holds(runtime, resolved) or len(self._verdicts) >= CAPACITY:
            self._verdicts = {}
            self._runtime, self._resolved = runtime, resolved
        kept = CachedVerdict(report, (AttemptRecord(1, report),), attributes)
        self._verdicts[text] = kept
        return kept

    def _holds(self, runtime: Runtime, resolved: Resolved) -> bool:
        """Compare options; a runtime has those that `configure` got, such as the policy.

        Options of a schema source are equal, not identical.
        """
        if runtime is not self._runtime:
            return False
        return resolved is self._resolved or resolved == self._resolved


class SilentRequest(Request):
    """A request that records nothing; `attempt` still checks."""

    outer = None
    _is_settled = True

    def __init__(
        self, runtime: Runtime, operation: GenerationOperation, arguments: Arguments
    ) -> None:
        self.runtime = runtime
        self.operation = operation
        self.context_block = current_scope().context_block
        self._arguments = arguments
        if self.context_block is not None:
            self.context_block.started(self)

    @cached_property
    def lock(self) -> threading.Lock:  # type: ignore[override]  # made at first use
        """Guards the numbering of attempts."""
        return threading.Lock()

    @cached_property
    def rollup(self) -> Rollup:  # type: ignore[override]  # made at first use
        """Sums that are never read."""
        return Rollup()

    def _end(self, *_: object, is_abandoned: bool = False) -> None:  # noqa: ARG002 - as `closed`
        self.is_open = False

    returned = raised = exhausted = closed = _end

    def chunk(self, value: object) -> None:
        """Record nothing."""


DEFAULT_QUESTION = "question"
DEFAULT_NAME = "generation"


@dataclass(eq=False)
class GenerationOperation:
    """Starts the requests of one workflow."""

    holder: RuntimeHolder
    name: str | None = None
    options: OptionLayer = NO_OPTIONS
    question: str | Callable[..., str | None] | None = None
    sql: object = AUTO
    collect: Callable[[list[object]], object] | None = None

    def __post_init__(self) -> None:
        self.workflow = DEFAULT_NAME if self.name is None else self.name
        self.span_name = semconv.SPAN_GENERATION.format(name=self.workflow)
        self.is_agent = self.sql is None
        """The SQL comes from executions inside."""
        self.verdicts = VerdictCache()
        self._base: tuple[Runtime, OptionLayer, Resolved | None] | None = None

    def named_after(self, function: Callable[..., object]) -> GenerationOperation:
        """Return the operation for a decorated function."""
        name = function_name(function) if self.name is None else self.name
        self.holder.declare(name)
        return replace(self, name=name, question=self.question or DEFAULT_QUESTION)

    def begin(self, arguments: Arguments | None) -> TracedRequest | SilentRequest:
        """Start a request; for a `with` block `question` is the question itself."""
        runtime = self.holder.runtime
        kind = SilentRequest if runtime.is_disabled else TracedRequest
        if arguments is not None:
            return kind(runtime, self, arguments)
        self.holder.declare(self.workflow)
        request = kind(runtime, self, Arguments(None))
        request.question_set = self.question if isinstance(self.question, str) else None
        return request

    @property
    def idle_handle(self) -> Generation:
        """The handle of a block that could not be traced."""
        return self.holder.outside

    def resolve(self, request: Request, arguments: Arguments | None) -> Resolved:
        """Return a request's options: `set` over contexts over the decorator over `configure`."""
        known = self._base
        if known is None or known[0] is not request.runtime:
            known = self._base = self._read_base(request.runtime)
        _, base, fixed = known
        has_own = not (request.overrides is request.inner is NO_OPTIONS)
        if fixed is not None and request.context_block is None and not has_own:
            return fixed
        block = NO_OPTIONS if request.context_block is None else request.context_block.options
        options = request.overrides.over(request.inner.over(block))
        return resolve(options.over(base), arguments or Arguments(None))

    def _read_base(self, runtime: Runtime) -> tuple[Runtime, OptionLayer, Resolved | None]:
        options = self.options.over(runtime.options)
        return runtime, options, resolve(options, Arguments(None)) if is_fixed(options) else None

    def read_question(self, arguments: Arguments) -> str | None:
        """Return the question of a call, or None."""
        option = self.question
        if option is None:
            return None
        with INTERNAL_ERRORS.contained("question"):
            value = arguments.call(option) if callable(option) else arguments.read(option)
            if value is MISSING and option != DEFAULT_QUESTION:
                raise InputError(
                    f"Unknown argument question={option!r}. Name a parameter of the function"
                )
            return value if isinstance(value, str) else None
        return None


def function_name(function: Callable[..., object]) -> str:
    """Return the name of a callable; of a partial its function's, of an object its class's."""
    while isinstance(function, partial | partialmethod):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))
