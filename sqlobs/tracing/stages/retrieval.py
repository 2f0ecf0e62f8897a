"""`trace_retrieval`: the search for the tables that a question is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.tracing.requests.operation import function_name
from sqlobs.tracing.stages.stage import IdleStage, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlobs.tracing.conditions.arguments import Arguments
    from sqlobs.tracing.decorators import Decorators
    from sqlobs.unit import AttributeValue

DEFAULT_SOURCE = "schema"


class RetrievalOperation:
    """Starts retrievals: what one `trace_retrieval` was declared with."""

    def __init__(self, instance: Decorators, *, source: str | None = None) -> None:
        self.instance = instance
        self.source = source

    def named_after(self, function: Callable[..., object]) -> RetrievalOperation:
        """Return the operation for a decorated function."""
        return RetrievalOperation(self.instance, source=self.source or function_name(function))

    def begin(self, arguments: Arguments) -> Stage:  # noqa: ARG002 - the protocol's signature
        """Start a retrieval."""
        return self.begin_block()

    @property
    def idle_handle(self) -> Stage:
        """What a block gets that could not be traced."""
        return IdleStage()

    def begin_block(self) -> Stage:
        """Start a retrieval."""
        source = self.source or DEFAULT_SOURCE
        return Stage(
            self.instance.runtime,
            Retrieval(),
            span_name=semconv.SPAN_RETRIEVAL.format(source=source),
            attributes={
                semconv.GEN_AI_OPERATION_NAME: "retrieval",
                semconv.GEN_AI_DATA_SOURCE_ID: source,
            },
        )


class Retrieval:
    """What is particular to a retrieval: its time is a stage of the request."""

    def ended(self, stage: Stage, value: object) -> Mapping[str, AttributeValue]:  # noqa: ARG002 - the protocol's signature
        """Add the time to the request."""
        stage.rollup.add_retrieval(stage.duration_s)
        return {}

    def saw(self, chunk: object) -> None:
        """What was retrieved is not recorded."""
