"""LangChain's own chains, models and retrievers, followed by our handler."""

from __future__ import annotations

import asyncio
import json
from uuid import uuid4

import pytest

from sqlobs.integrations.langchain import OPEN_RUNS, CallbackHandler
from sqlobs.tracing.requests.rollup import rollup_of
from tests.tracing.rig import GOOD

langchain = pytest.importorskip(
    "langchain_core", reason="langchain-core is NOT INSTALLED: nothing of this file ran"
)

from langchain_core.documents import Document  # noqa: E402 - after the skip
from langchain_core.language_models import FakeListLLM  # noqa: E402
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel  # noqa: E402
from langchain_core.messages import AIMessage  # noqa: E402
from langchain_core.retrievers import BaseRetriever  # noqa: E402

MESSAGE = AIMessage(
    GOOD,
    usage_metadata={"input_tokens": 100, "output_tokens": 20, "total_tokens": 120},
    response_metadata={"model_name": "gpt-x-2026", "finish_reason": "stop"},
)


class Model(GenericFakeChatModel):
    """A chat model that names itself, as LangChain's packages of providers do."""

    def _get_ls_params(self, stop=None, **kwargs):
        return {
            **super()._get_ls_params(stop, **kwargs),
            "ls_provider": "openai",
            "ls_model_name": "gpt-x",
        }


class Catalogue(BaseRetriever):
    """Finds tables; fails for an empty question."""

    def _get_relevant_documents(self, query, *, run_manager):
        if not query:
            raise LookupError
        return [Document("orders")]


@pytest.fixture
def callbacks(rig):
    """A chain's configuration with our handler."""
    return {"callbacks": [CallbackHandler(rig.sqlobs)]}


def model():
    """A model that gives the message again and again."""
    return Model(messages=iter([MESSAGE] * 9))


def test_model_calls_and_retrievals_are_stages(rig, callbacks):
    """Spans of their own inside the generation, with model, provider and tokens; sums on it."""

    @rig.sqlobs.trace_generation
    def generate(question):
        Catalogue().invoke(question, config=callbacks)
        return model().invoke(question, config=callbacks).content

    assert generate("q") == GOOD
    assert rig.tree == "invoke_workflow generate(retrieval Catalogue, chat gpt-x)"
    attributes = rig.generation.attributes
    assert attributes["sqlobs.usage.input_tokens"] == 100
    assert attributes["sqlobs.retrieval.duration"] > 0
    assert attributes["sqlobs.llm.duration"] > 0
    assert dict(rig.spans[2].attributes) == {
        "gen_ai.operation.name": "chat",
        "openinference.span.kind": "LLM",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.response.model": "gpt-x-2026",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
    }


def test_an_asynchronous_chain(rig, callbacks):
    """The handler runs in the context of the call."""

    @rig.sqlobs.trace_generation
    async def generate(question):
        await Catalogue().ainvoke(question, config=callbacks)
        return (await model().ainvoke(question, config=callbacks)).content

    assert asyncio.run(generate("q")) == GOOD
    assert rig.tree == "invoke_workflow generate(retrieval Catalogue, chat gpt-x)"


def test_a_streamed_answer(rig, callbacks):
    """The call lasts until its stream is read; the reader's spans are not inside of it."""

    @rig.sqlobs.trace_generation
    def generate(question):
        for chunk in model().stream(question, config=callbacks):
            with rig.tracer.start_as_current_span("reading"):
                yield chunk.content

    assert "".join(generate("q")) == GOOD
    assert rig.verdict == ("answered", "ok")
    tree = rig.tree
    assert tree.startswith("invoke_workflow generate(chat gpt-x, reading, ")


def test_a_model_that_completes_text(rig, callbacks):
    """It tells neither model nor tokens: nothing is invented."""
    assert FakeListLLM(responses=[GOOD]).invoke("q", config=callbacks) == GOOD
    (span,) = rig.spans
    assert {"gen_ai.operation.name": "chat"}.items() <= span.attributes.items()
    assert not any("usage" in name for name in span.attributes)


def test_what_raises_inside_a_chain(rig, callbacks):
    """The exception is the chain's own; the span has its class."""
    with pytest.raises(LookupError):
        Catalogue().invoke("", config=callbacks)
    with pytest.raises(StopIteration):
        Model(messages=iter(())).invoke("q", config=callbacks)
    assert [span.attributes["error.type"] for span in rig.spans] == ["LookupError", "StopIteration"]


def test_captured_prompts_are_recorded(outspoken):
    """Messages, texts to complete, and what was searched for."""
    callbacks = {"callbacks": [CallbackHandler(outspoken.sqlobs)]}
    model().invoke([("system", "Write SQL."), ("human", "How much?")], config=callbacks)
    FakeListLLM(responses=[GOOD]).invoke("How much?", config=callbacks)
    Catalogue().invoke("How much?", config=callbacks)
    chat, completion, retrieval = (span.attributes for span in outspoken.spans)
    user = {"role": "user", "parts": [{"type": "text", "content": "How much?"}]}
    system = {"role": "system", "parts": [{"type": "text", "content": "Write SQL."}]}
    assert json.loads(chat["gen_ai.input.messages"]) == [system, user]
    assert json.loads(completion["gen_ai.input.messages"]) == [user]
    assert retrieval["gen_ai.retrieval.query.text"] == "How much?"
    for answered in (chat, completion):
        (answer,) = json.loads(answered["gen_ai.output.messages"])
        assert answer["parts"] == [{"type": "text", "content": GOOD}]


def test_a_call_that_an_instrumentation_traces_is_not_traced_twice(rig):
    """Its span was read off already; another call beside it is ours."""
    handler = CallbackHandler(rig.sqlobs)

    @rig.sqlobs.trace_generation
    def generate(question):
        for is_told in (True, False):
            run = uuid4()
            handler.on_chat_model_start({}, [[]], run_id=run, metadata={"ls_model_name": "gpt-x"})
            if is_told:  # what the span processor does
                rollup_of().add_model_call(duration_s=1.0, model="theirs", is_foreign=True)
            handler.on_llm_end(_result(), run_id=run)
        return GOOD

    generate("q")
    assert rig.tree == "invoke_workflow generate(chat gpt-x)"
    assert rig.generation.attributes["sqlobs.usage.input_tokens"] == 100
    assert rig.generation.attributes["sqlobs.llm.duration"] >= 1


def test_runs_that_never_report_their_end_do_not_leak(rig, faults):
    """Their number is bounded; an end without a start is nothing, a strange result a fault."""
    handler = CallbackHandler(rig.sqlobs)
    for _ in range(OPEN_RUNS + 10):
        handler.on_chat_model_start({}, [[]], run_id=uuid4())
    assert len(handler._stages) == OPEN_RUNS
    handler.on_llm_end(_result(), run_id=uuid4())
    handler.on_llm_end(object(), run_id=next(iter(handler._stages)))
    assert faults.new == {"stage.end": 1}


def _result():
    from langchain_core.outputs import ChatGeneration, LLMResult

    return LLMResult(generations=[[ChatGeneration(message=MESSAGE)]])
