"""Streams of the clients that people use: each chunk is read as that client means it."""

from __future__ import annotations

import asyncio
import gc
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import openai
import pytest

from sqlobs.demo.loopback import serving
from sqlobs.demo.model_server import ModelServer
from sqlobs.demo.recordings import Completion, Recording
from tests.tracing.rig import BAD

FENCED = f"```sql\n{BAD}\n```"
FOUND = {
    "sqlobs.outcome": "answered",
    "sqlobs.hallucinated.columns": ("totl",),
    "sqlobs.failure.code": "schema.unknown_column",
}


def seen(rig, names=FOUND):
    """Those attributes of the one generation."""
    return {name: rig.generation.attributes.get(name) for name in names}


# -- the OpenAI client's stream helper, over the wire ---------------------------------------------


@pytest.fixture(scope="module")
def model_url():
    """A model server that answers `q` with a statement in a fence."""
    if not hasattr(openai.resources.chat.Completions, "stream"):
        pytest.skip("this version of the client has its stream helper elsewhere")
    recording = Recording("q", "stream", (Completion(FENCED, None, "answered", None),))
    server = ModelServer({"q": recording})
    with serving(server):
        yield server.base_url


ASKED = {"model": "m", "messages": [{"role": "user", "content": "q"}]}


def in_a_block(helper):
    """Read the events in the block of the manager."""
    with helper as stream:
        return [event.type for event in stream]


def to_the_end(helper):
    """Have the stream read itself."""
    with helper as stream:
        return stream.get_final_completion().choices[0].message.content


def until_done(helper):
    """Have the stream read itself, then ask what came."""
    stream = helper.__enter__()
    stream.until_done()
    return stream.current_completion_snapshot.choices[0].message.content


@pytest.mark.parametrize("read", [in_a_block, to_the_end, until_done])
def test_openais_stream_helper(rig, model_url, read):
    """Returned as its manager; its events repeat what its chunks say, and count once."""
    with openai.OpenAI(api_key="x", base_url=model_url) as client:

        @rig.sqlobs.trace_generation
        def generate(question):
            return client.chat.completions.stream(**ASKED)

        read_here = read(client.chat.completions.stream(**ASKED))
        assert read(generate("q")) == read_here
    assert seen(rig) == FOUND
    assert rig.generation.attributes["gen_ai.request.model"] == "shop-sql-recorded"


def test_openais_stream_helper_entered_by_the_function(rig, model_url):
    """A function may enter the manager itself and return the stream."""
    with openai.OpenAI(api_key="x", base_url=model_url) as client:

        @rig.sqlobs.trace_generation
        def generate(question):
            return client.chat.completions.stream(**ASKED).__enter__()

        assert [event.type for event in generate("q")][-1] == "content.done"
    assert seen(rig) == FOUND


def test_openais_asynchronous_stream_helper(rig, model_url):
    """`async with`, and the methods that read the stream."""

    async def ask():
        async with openai.AsyncOpenAI(api_key="x", base_url=model_url) as client:

            @rig.sqlobs.trace_generation
            def generate(question):
                return client.chat.completions.stream(**ASKED)

            async with generate("q") as stream:
                return (await stream.get_final_completion()).choices[0].message.content

    assert asyncio.run(ask()) == FENCED
    assert seen(rig) == FOUND


def test_a_helper_whose_request_fails_is_an_error(rig, model_url):
    """The exception of the client reaches the caller, and the span."""
    with openai.OpenAI(api_key="x", base_url=model_url, max_retries=0) as client:
        asked = {**ASKED, "messages": [{"role": "user", "content": "unknown"}]}
        helper = rig.sqlobs.trace_generation(
            lambda question: client.chat.completions.stream(**asked)
        )("q")
        with pytest.raises(openai.NotFoundError):
            helper.__enter__()
    assert rig.verdict == ("error", "not_evaluated")


def test_a_stream_helper_that_is_not_entered_is_canceled(rig, model_url):
    """No request was made."""
    with openai.OpenAI(api_key="x", base_url=model_url) as client:
        rig.sqlobs.trace_generation(lambda question: client.chat.completions.stream(**ASKED))("q")
        gc.collect()
    assert rig.verdict == ("cancelled", "not_evaluated")
    assert rig.generation.attributes["sqlobs.stream.abandoned"] is True


# -- the shapes of other clients ------------------------------------------------------------------


def made(**fields):
    """An object with plain attributes."""
    return SimpleNamespace(**fields)


class AIMessageChunk:
    """LangChain's chunk of an answer."""

    def __init__(self, content, finish_reason=None):
        self.content = content
        self.response_metadata = {"finish_reason": finish_reason} if finish_reason else {}


def tool_call(arguments, *, index=0):
    """A chunk of a chat completion with a piece of a tool call."""
    call = {"index": index, "function": {"arguments": arguments}}
    return {"choices": [{"delta": {"tool_calls": [call]}}]}


ANTHROPIC = [
    made(type="message_start", message=made(model="claude-x", usage=made(input_tokens=7))),
    made(type="content_block_start", content_block=made(type="text", text="")),
    made(type="content_block_delta", delta=made(type="text_delta", text="SELECT totl ")),
    made(type="text", text="SELECT totl ", snapshot="SELECT totl "),
    made(type="content_block_delta", delta=made(type="text_delta", text="FROM orders")),
    made(type="text", text="FROM orders", snapshot=BAD),
    made(type="content_block_stop", content_block=made(type="text", text=BAD)),
    made(type="message_delta", delta=made(stop_reason="end_turn"), usage=made(output_tokens=5)),
    made(type="message_stop"),
]
CHUNKS = {
    "bytes": [b"SELECT totl ", bytearray(b"FROM orders")],
    "bytes that cut a letter": ["SELECT totl FROM orders -- é".encode()[:-1], b"\xa9"],
    "anthropic": ANTHROPIC,
    "anthropic's tool": [
        made(type="content_block_delta", delta=made(partial_json='{"sql": "SELECT totl ')),
        made(type="content_block_delta", delta=made(partial_json='FROM orders"}')),
    ],
    "ollama's chat": [
        {"message": {"content": "SELECT totl "}, "done": False},
        {"message": {"content": "FROM orders"}, "done": True},
    ],
    "ollama's completion": [
        {"response": "SELECT totl ", "done": False},
        {"response": "FROM orders", "done": True},
    ],
    "langchain": [
        AIMessageChunk("SELECT totl "),
        AIMessageChunk([{"type": "text", "text": "FROM orders"}]),
        AIMessageChunk("", "stop"),
    ],
    "tool calls": [
        tool_call('{"sql": "SELECT totl '),
        tool_call("ignored", index=1),
        tool_call('FROM orders"}'),
    ],
    "responses' tool calls": [
        {"type": "response.function_call_arguments.delta", "delta": '{"sql": "SELECT totl '},
        {"type": "response.function_call_arguments.delta", "delta": 'FROM orders"}'},
    ],
    "text completions": [
        {"choices": [{"text": "SELECT totl "}]},
        {"choices": [{"text": "FROM orders"}]},
    ],
    "one object": [{"sql": BAD}],
    "progress, then the answer": [{"step": "linking"}, {"step": "writing"}, {"sql": BAD}],
}


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
def test_the_chunks_of_other_clients_are_joined(rig, chunks):
    """The consumer gets what the client gave; the text is the answer."""
    assert list(rig.sqlobs.trace_generation(lambda question: iter(chunks))("q")) == chunks
    assert seen(rig) == FOUND


@pytest.mark.parametrize(
    ("chunks", "complete"),
    [
        (ANTHROPIC[:-1], True),
        (ANTHROPIC[:-2], False),
        (CHUNKS["ollama's chat"], True),
        (CHUNKS["langchain"], True),
        (CHUNKS["langchain"][:-1], False),
    ],
    ids=["anthropic", "anthropic's text", "ollama", "langchain", "langchain's text"],
)
def test_a_stream_closed_after_its_finish_reason_is_answered(rig, chunks, complete):
    """Each client says in its own way that the model had finished."""

    class Stream:
        def __init__(self):
            self.chunks = iter(chunks)

        def __next__(self):
            return next(self.chunks)

        def close(self):
            pass

    stream = rig.sqlobs.trace_generation(lambda question: Stream())("q")
    for _ in chunks:
        next(stream)
    stream.close()
    assert rig.verdict == (("answered", "failed") if complete else ("cancelled", "not_evaluated"))


@pytest.mark.parametrize(
    "chunks",
    [
        [{"piece": "SELECT totl "}, {"piece": "FROM orders"}],
        [("SELECT totl ", {}), ("FROM orders", {})],
        [made(content="SELECT totl "), made(content="FROM orders")],
    ],
    ids=["mappings", "pairs", "messages"],
)
def test_pieces_of_an_unknown_kind_are_undecided(rig, chunks):
    """Nobody can tell whether they are pieces or whole answers: no verdict on the model."""
    assert list(rig.sqlobs.trace_generation(lambda question: iter(chunks))("q")) == chunks
    names = ("sqlobs.outcome", "sqlobs.verdict", "sqlobs.syntactic_reason")
    assert tuple(seen(rig, names).values()) == ("answered", "not_evaluated", "undecided")


def test_a_future_of_an_executor_ends_with_its_result(rig):
    """A function may hand its work to a pool and return at once."""
    with ThreadPoolExecutor(1) as pool:
        future = rig.sqlobs.trace_generation(lambda question: pool.submit(lambda: BAD))("q")
        assert future.result(10) == BAD
    assert seen(rig) == FOUND


def test_anthropic_s_model_and_tokens_are_recorded(rig):
    """The first event tells the model and what it read, the last one what it wrote."""
    list(rig.sqlobs.trace_generation(lambda question: iter(ANTHROPIC))("q"))
    told = seen(
        rig,
        ("gen_ai.request.model", "sqlobs.usage.input_tokens", "sqlobs.usage.output_tokens"),
    )
    assert tuple(told.values()) == ("claude-x", 7, 5)
