"""`trace_retrieval`: the retrieval of tables for a question.

Tests: `tests/tracing/test_stages.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.tracing.description.attribute_set import QUESTION_CAP, cut_text
from sqlobs.tracing.requests.operation import function_name
from sqlobs.tracing.stages.prompts import prompt_in
from sqlobs.tracing.stages.stage import IDLE_STAGE, Stage

if TYPE_CHECKING:
    from sqlobs.tracing.options.arguments import Arguments
    from sqlobs.tracing.runtime_holder import RuntimeHolder
    from sqlobs.unit import AttributeValue

DEFAULT_SOURCE = "schema"
_PARAMETERS = ("query", "question")
"""Default names of the parameter with the query."""


@dataclass(frozen=True, eq=False)
class RetrievalOperation:
    """Starts retrievals with the options of one `trace_retrieval`."""

    idle_handle = IDLE_STAGE
    holder: RuntimeHolder
    source: str | None = None
    query: object = None

    def named_after(self, function: Callable[..., object]) -> RetrievalOperation:
        """Return the operation for a decorated function."""
        return replace(self, source=self.source or function_name(function))

    def begin(self, arguments: Arguments | None) -> Stage:
        """Start a retrieval."""
        source = self.source or DEFAULT_SOURCE
        return Stage(
            self.holder.runtime,
            _retrieved,
            span_name=semconv.SPAN_RETRIEVAL.format(source=source),
            attributes={
                semconv.GEN_AI_OPERATION_NAME: "retrieval",
                semconv.OPENINFERENCE_SPAN_KIND: "RETRIEVER",
                semconv.GEN_AI_DATA_SOURCE_ID: source,
                **self._query_attributes(arguments),
            },
        )

    def _query_attributes(self, arguments: Arguments | None) -> dict[str, AttributeValue]:
        runtime = self.holder.runtime
        if not runtime.capture.content:
            return {}
        query = prompt_in(self.query, arguments, _PARAMETERS)
        text = runtime.redaction.clean("question", query if isinstance(query, str) else None)
        if text is None:
            return {}
        shown = cut_text(text, QUESTION_CAP)[0]
        return {semconv.GEN_AI_RETRIEVAL_QUERY_TEXT: shown, semconv.INPUT_VALUE: shown}


def _retrieved(stage: Stage, _: object) -> Mapping[str, AttributeValue]:
    """Add the duration to the request."""
    stage.rollup.add_time("retrieval_s", stage.duration_s)
    return {}
