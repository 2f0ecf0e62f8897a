"""LangChain: traces model calls and retrievals of chains as stages of the generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlobs.tracing.instance import default_instance
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.stages.llm import LlmOperation
from sqlobs.tracing.stages.retrieval import RetrievalOperation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from uuid import UUID

    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import LLMResult

    from sqlobs.tracing.instance import Sqlobs
    from sqlobs.tracing.stages.stage import Stage
else:
    try:
        from langchain_core.callbacks import BaseCallbackHandler
    except ImportError:  # nobody will call it
        BaseCallbackHandler = object

__all__ = ["CallbackHandler"]

OPEN_RUNS: Final = 10_000
"""Maximum number of runs tracked at once; a run whose end is never reported must not leak."""


class CallbackHandler(BaseCallbackHandler):
    """Traces the model calls and retrievals of a chain; pass it in `config={"callbacks": [...]}`.

    The calls do not run within our spans: spans made inside them are siblings. A call that the
    client's instrumentation has traced is not traced twice. SQL that a tool runs is recorded by
    `trace_engine` of `sqlobs.integrations.sqlalchemy`.
    """

    run_inline = True
    """Where the chain is asynchronous, too: it takes microseconds, in the context of the call."""

    def __init__(self, instance: Sqlobs | None = None) -> None:
        """Make a handler; one serves any number of chains.

        Args:
            instance: The instance that traces; the default one if None.
        """
        self._instance = instance or default_instance()
        self._stages: dict[UUID, Stage] = {}

    def on_chat_model_start(
        self,
        serialized: Mapping[str, Any],  # noqa: ARG002 - the names of these methods are LangChain's
        messages: Sequence[Sequence[BaseMessage]],
        *,
        run_id: UUID,
        **run_details: Any,  # noqa: ANN401
    ) -> None:
        """Start a call of a chat model."""
        self._start(run_id, lambda: self._model_call(messages[0], run_details))

    def on_llm_start(
        self,
        serialized: Mapping[str, Any],  # noqa: ARG002
        prompts: Sequence[str],
        *,
        run_id: UUID,
        **run_details: Any,  # noqa: ANN401
    ) -> None:
        """Start a call of a model that completes text."""
        self._start(run_id, lambda: self._model_call(prompts, run_details))

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_told: object) -> None:
        """End a model call, with its model, tokens and finish reason."""
        self._end(run_id, lambda stage: stage.returned(_completion(response)))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_told: object) -> None:
        """End a model call that raised."""
        self._end(run_id, lambda stage: stage.raised(error))

    def on_retriever_start(
        self,
        serialized: Mapping[str, Any],  # noqa: ARG002
        query: str,
        *,
        run_id: UUID,
        **run_details: Any,  # noqa: ANN401
    ) -> None:
        """Start a retrieval."""
        self._start(run_id, lambda: self._retrieval(query, run_details))

    def on_retriever_end(
        self,
        documents: Sequence[Document],  # noqa: ARG002
        *,
        run_id: UUID,
        **_told: object,
    ) -> None:
        """End a retrieval."""
        self._end(run_id, lambda stage: stage.returned(None))

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **_told: object) -> None:
        """End a retrieval that raised."""
        self._end(run_id, lambda stage: stage.raised(error))

    def _start(self, run_id: UUID, begin: Callable[[], Stage]) -> None:
        with INTERNAL_ERRORS.contained("begin"):
            if len(self._stages) < OPEN_RUNS:
                self._stages[run_id] = begin()

    def _end(self, run_id: UUID, end: Callable[[Stage], None]) -> None:
        with INTERNAL_ERRORS.contained("stage.end"):
            stage = self._stages.pop(run_id, None)
            if stage is not None:
                end(stage)

    def _model_call(self, messages: Sequence[object], run_details: Mapping[str, Any]) -> Stage:
        metadata = run_details.get("metadata") or {}
        asked = run_details.get("invocation_params") or {}
        model = metadata.get("ls_model_name") or asked.get("model") or asked.get("model_name")
        provider = metadata.get("ls_provider")
        operation = LlmOperation(
            self._instance.holder, model=model, provider=provider, messages=messages
        )
        return operation.begin_reported()

    def _retrieval(self, query: str, run_details: Mapping[str, Any]) -> Stage:
        operation = RetrievalOperation(
            self._instance.holder, source=run_details.get("name"), query=query
        )
        return operation.begin(None)


def _completion(response: LLMResult) -> dict[str, object]:
    """Return what is recorded of a model's answer, in the form of OpenAI's completions."""
    message = getattr(response.generations[0][0], "message", None) if response.generations else None
    said: Mapping[str, Any] = getattr(message, "response_metadata", None) or {}
    output: Mapping[str, Any] = response.llm_output or {}
    text = response.generations[0][0].text if response.generations else None
    return {
        "id": said.get("id"),
        "model": said.get("model_name") or output.get("model_name"),
        "usage": getattr(message, "usage_metadata", None) or output.get("token_usage"),
        "choices": [
            {"finish_reason": said.get("finish_reason"), "message": {"content": text}},
        ],
    }
