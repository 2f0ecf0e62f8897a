"""A traced part of a request that is neither the generation nor its execution."""

from __future__ import annotations

from time import time_ns
from typing import TYPE_CHECKING, Protocol

from opentelemetry.context import get_current
from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

from sqlobs import semconv
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.scope import Frame, current_scope
from sqlobs.tracing.records.error_types import error_type_of
from sqlobs.tracing.requests.once import Todo, once
from sqlobs.tracing.requests.rollup import Rollup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.context import Context
    from opentelemetry.trace import Span

    from sqlobs.tracing.runtime import Runtime
    from sqlobs.unit import AttributeValue


class StageKind(Protocol):
    """What tells one kind of stage from another."""

    def ended(self, stage: Stage, value: object) -> Mapping[str, AttributeValue]:
        """Return what the end shows, after adding it to the generation's rollup.

        Args:
            stage: The stage, its end known.
            value: What was returned; None after an exception.
        """
        ...

    def saw(self, chunk: object) -> None:
        """A streamed result gave a chunk."""
        ...


class Stage:
    """One stage as it runs; also what its `with` block holds."""

    waiting = None
    """Its span waits for nothing."""

    def __init__(
        self,
        runtime: Runtime,
        kind: StageKind,
        *,
        span_name: str,
        attributes: Mapping[str, AttributeValue],
        around: Context | None = None,
        has_span: bool = True,
    ) -> None:
        scope = current_scope()
        self.runtime = runtime
        self.kind = kind
        self.rollup = Rollup() if scope.request is None else scope.request.rollup
        self.span: Span | None = None
        self.told: dict[str, AttributeValue] = {}
        """What the block has set."""
        self.end_ns = 0
        self.start_ns = time_ns()
        self._todo: Todo = ["end"]
        context = get_current() if around is None else around
        if has_span and runtime.tracer is not None:
            self.span = runtime.tracer.start_span(
                span_name,
                context=context,
                kind=SpanKind.CLIENT,
                attributes=attributes,
                start_time=self.start_ns,
            )
            context = set_span_in_context(self.span, context)
        self._scope = scope
        self._context = context if self.span is not None or around is not None else None

    def frame(self) -> Frame:
        """Return what the body sees as current."""
        return Frame(self._scope, self._context)

    @property
    def handle(self) -> Stage:
        """What a block holds: the stage itself."""
        return self

    @property
    def duration_s(self) -> float:
        """How long it took."""
        return (self.end_ns - self.start_ns) / 1e9

    def set(self, attributes: Mapping[str, AttributeValue]) -> None:
        """Set attributes on the stage's span, if there is one.

        Tokens and model of a call (`gen_ai.usage.*`, `gen_ai.response.model`) roll up on the
        request, as those of a returned completion do.
        """
        try:
            self.told |= attributes
            if self.span is not None:
                self.span.set_attributes(attributes)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("stage.set", error)

    def returned(self, value: object) -> None:
        """The body returned."""
        self._finish(value, None)

    def raised(self, error: BaseException) -> None:
        """The body raised."""
        self._finish(None, error)

    def chunk(self, value: object) -> None:
        """The body's stream gave a chunk."""
        try:
            self.kind.saw(value)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("stage.chunk", error)

    def exhausted(self, value: object) -> None:
        """The body's stream came to its end."""
        self._finish(value, None)

    def closed(self, *, is_abandoned: bool = False) -> None:  # noqa: ARG002 - the protocol's signature
        """The body's stream was closed or dropped."""
        self._finish(None, None)

    def _finish(self, value: object, error: BaseException | None) -> None:
        if not once(self._todo, "end"):
            return
        self.end_ns = time_ns()
        try:
            attributes = self.kind.ended(self, value)
            span = self.span
            if span is not None:
                span.set_attributes(attributes)
                if isinstance(error, Exception):
                    span.set_attribute(semconv.ERROR_TYPE, error_type_of(error))
                    span.set_status(Status(StatusCode.ERROR))
        except Exception as fault:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("stage.end", fault)
        if self.span is not None:
            self.span.end(end_time=self.end_ns)


class IdleStage(Stage):
    """Takes what a block tells that could not be traced, and records nothing."""

    def __init__(self) -> None:
        self.span = None
        self.told = {}
