"""A model call or a retrieval as it runs. Tests: `tests/tracing/test_stages.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import time_ns
from typing import TYPE_CHECKING, Final, Self, TypeAlias

from opentelemetry.context import Context, get_current
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context

from sqlobs import semconv
from sqlobs.tracing.completion_signal import Todo, once
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.scope import Frame, current_scope
from sqlobs.tracing.records.engine_errors import error_type_of
from sqlobs.tracing.requests.chunks import Chunks
from sqlobs.tracing.requests.context_span import parent_in
from sqlobs.tracing.requests.rollup import Rollup

if TYPE_CHECKING:
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.unit import AttributeValue


Ended: TypeAlias = "Callable[[Stage, object], Mapping[str, AttributeValue]]"
"""Called at the end of a stage with what was returned, None after an exception: adds to the rollup
of the generation, and returns attributes for the end of the span."""


class Body:
    """A body that runs with a span of its own; a block's handle is the body itself."""

    waiting = None
    """The caller never waits for its span."""
    end_ns = 0
    span: Span | None = None

    def __init__(
        self,
        runtime: Runtime,
        *,
        span_name: str | None,
        kind: SpanKind = SpanKind.CLIENT,
        attributes: Mapping[str, AttributeValue] | None = None,
        around: Context | None = None,
    ) -> None:
        """Start the body; without a name it has no span."""
        self.runtime = runtime
        self.scope = current_scope()
        self.around = get_current() if around is None else around
        self.start_ns = time_ns()
        parent, links, self.block = parent_in(self.around)
        self._context = None if around is None else parent
        if span_name is not None and runtime.tracer is not None:
            self.span = runtime.tracer.start_span(
                span_name,
                context=parent,
                links=links,
                kind=kind,
                attributes=attributes,
                start_time=self.start_ns,
            )
            self._context = set_span_in_context(self.span, parent)

    def frame(self) -> Frame:
        """Return what is current in the body."""
        return Frame(self.scope, self._context)

    @property
    def handle(self) -> Self:
        """The handle of a block."""
        return self

    @property
    def duration_s(self) -> float:
        """Seconds from start to end."""
        return (self.end_ns - self.start_ns) / 1e9


class Stage(Body):
    """One stage as it runs, and the handle of its `with` block."""

    chunks: Chunks | None = None
    """Of a streamed result."""

    def __init__(
        self,
        runtime: Runtime,
        ended: Ended | None = None,
        *,
        span_name: str | None = None,
        attributes: Mapping[str, AttributeValue] | None = None,
        around: Context | None = None,
    ) -> None:
        super().__init__(runtime, span_name=span_name, attributes=attributes, around=around)
        self._ended = ended
        request = self.scope.request
        self.rollup = Rollup() if request is None else request.rollup
        self.values: dict[str, AttributeValue] = {}
        """Attributes set by the block."""
        self._todo: Todo = ["end"]

    def set(self, attributes: Mapping[str, AttributeValue]) -> None:
        """Set attributes on the stage's span, if there is one.

        Tokens and model of a call (`gen_ai.usage.*`, `gen_ai.response.model`) roll up on the
        request, as those of a returned completion do.
        """
        with INTERNAL_ERRORS.contained("stage.set"):
            self.values |= attributes
            if self.span is not None:
                self.span.set_attributes(attributes)

    def returned(self, value: object) -> None:
        """End a body that returned, or whose stream is exhausted."""
        self._end(value, None)

    exhausted = returned

    def raised(self, error: BaseException) -> None:
        """End a body that raised."""
        self._end(None, error)

    def chunk(self, value: object) -> None:
        """Read a chunk of the stream."""
        with INTERNAL_ERRORS.contained("stage.chunk"):
            self.chunks = self.chunks or Chunks()
            self.chunks.add(value)

    def closed(self, *, is_abandoned: bool = False) -> None:  # noqa: ARG002 - the protocol's signature
        """End a stream that was closed or dropped."""
        self._end(None, None)

    def _end(self, value: object, error: BaseException | None) -> None:
        if not once(self._todo, "end"):
            return
        self.end_ns = time_ns()
        with INTERNAL_ERRORS.contained("stage.end"):
            attributes = {} if self._ended is None else self._ended(self, value)
            span = self.span
            if span is not None:
                span.set_attributes(attributes)
                if isinstance(error, Exception):
                    span.set_attribute(semconv.ERROR_TYPE, error_type_of(error))
                    span.set_status(Status(StatusCode.ERROR))
        if self.span is not None:
            self.span.end(end_time=self.end_ns)


class IdleStage(Stage):
    """The handle of every block that could not be traced: records nothing."""

    def __init__(self) -> None:
        pass

    def set(self, attributes: Mapping[str, AttributeValue]) -> None:
        """Record nothing."""


IDLE_STAGE: Final = IdleStage()
