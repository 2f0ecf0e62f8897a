"""OpenAI's client over the wire: a proxy of it, and the hook of OpenTelemetry's instrumentation."""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import entry_points
from types import SimpleNamespace

import openai
import pytest

from sqlobs.demo.loopback import LoopbackHandler, LoopbackServer, serving
from sqlobs.demo.model_server import ModelServer
from sqlobs.demo.recordings import RECORDED_MODEL, Completion, Recording
from sqlobs.integrations.openai import CompletionHook, trace_client
from tests.tracing.rig import BAD, GOOD

ANSWERS = {
    "good": GOOD,
    "bad": f"```sql\n{BAD}\n```",
    "prose": "You may write SELECT name FROM users to select names.",
    "chat": "Updates are made every night.",
}


@pytest.fixture(scope="module")
def model_url():
    """A model server with an answer to each of these."""
    recordings = {
        asked: Recording(asked, "hook", (Completion(answer, None, "answered", None),))
        for asked, answer in ANSWERS.items()
    }
    server = ModelServer(recordings)
    with serving(server):
        yield server.base_url


@pytest.fixture
def client(model_url):
    """A plain client of that server."""
    with openai.OpenAI(api_key="x", base_url=model_url, max_retries=0) as made:
        yield made


def asking(content, **more):
    """The arguments of a chat completion."""
    return {"model": "gpt-x", "messages": [{"role": "user", "content": content}], **more}


def text_of(completion):
    """The text of a completion."""
    return completion.choices[0].message.content


# -- the proxy of a client ------------------------------------------------------------------------

CALL = {
    "gen_ai.operation.name": "chat",
    "openinference.span.kind": "LLM",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-x",
    "gen_ai.response.id": "chatcmpl-recorded",
    "gen_ai.response.model": RECORDED_MODEL,
    "gen_ai.response.finish_reasons": ("stop",),
    "gen_ai.usage.input_tokens": 1,
    "gen_ai.usage.output_tokens": 6,
}


def whole(client):
    """Ask for a whole completion."""
    return text_of(client.chat.completions.create(**asking("good")))


def of_a_copy(client):
    """Ask a copy with other options."""
    return whole(client.with_options(timeout=5))


def streamed(client):
    """Read a stream."""
    options = {"stream": True, "stream_options": {"include_usage": True}}
    with client.chat.completions.create(**asking("good", **options)) as stream:
        return "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)


def helped(client):
    """Read by the stream helper."""
    if not hasattr(openai.resources.chat.Completions, "stream"):
        pytest.skip("this version of the client has its stream helper elsewhere")
    options = {"stream_options": {"include_usage": True}}
    with client.chat.completions.stream(**asking("good", **options)) as stream:
        return text_of(stream.get_final_completion())


@pytest.mark.parametrize("ask", [whole, of_a_copy, streamed, helped])
def test_a_traced_client_traces_its_calls(rig, client, ask):
    """A CLIENT span with model and tokens inside the generation, which sums them up."""
    traced = trace_client(client, instance=rig.sqlobs)
    generate = rig.sqlobs.trace_generation(name="generate")(lambda question: ask(traced))
    assert generate("q") == GOOD
    assert rig.tree == "invoke_workflow generate(chat gpt-x)"
    (call,) = [span for span in rig.spans if span.name == "chat gpt-x"]
    assert (call.kind.name, dict(call.attributes)) == ("CLIENT", CALL)
    assert rig.generation.attributes["sqlobs.usage.output_tokens"] == 6
    assert rig.generation.attributes["sqlobs.llm.duration"] > 0


def test_an_asynchronous_client(rig, model_url):
    """The span covers the awaited call, in a block of the client, too."""

    async def run():
        plain = openai.AsyncOpenAI(api_key="x", base_url=model_url)
        async with trace_client(plain, instance=rig.sqlobs) as client:

            @rig.sqlobs.trace_generation
            async def generate(question):
                return text_of(await client.chat.completions.create(**asking("good")))

            return await generate("q")

    assert asyncio.run(run()) == GOOD
    assert rig.tree == "invoke_workflow generate(chat gpt-x)"
    assert rig.generation.attributes["sqlobs.usage.input_tokens"] == 1


RESPONSE = {
    "id": "resp-1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-x-2026",
    "status": "completed",
    "output": [
        {
            "id": "msg-1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": GOOD, "annotations": []}],
        }
    ],
    "parallel_tool_calls": False,
    "tool_choice": "auto",
    "tools": [],
    "usage": {
        "input_tokens": 3,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 6,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 9,
    },
}


class Responses(LoopbackHandler):
    """Answers `POST /v1/responses`, whole or as events."""

    def do_POST(self):  # noqa: N802 - the name the base calls
        """Answer."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked.get("stream"):
            place = {"item_id": "msg-1", "output_index": 0, "content_index": 0, "logprobs": []}
            events = [
                {"type": "response.output_text.delta", "delta": GOOD[:6], **place},
                {"type": "response.output_text.delta", "delta": GOOD[6:], **place},
                {"type": "response.completed", "response": RESPONSE},
            ]
            lines = [
                f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': at})}\n\n"
                for at, event in enumerate(events)
            ]
            kind, body = "text/event-stream", "".join(lines)
        else:
            kind, body = "application/json", json.dumps(RESPONSE)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())


@pytest.mark.parametrize("streams", [False, True])
def test_the_responses_api(rig, streams):
    """Its completions and events say the same under other names."""
    server = LoopbackServer(Responses)
    with (
        serving(server),
        openai.OpenAI(api_key="x", base_url=f"{server.url}/v1", max_retries=0) as plain,
    ):
        client = trace_client(plain, instance=rig.sqlobs)

        @rig.sqlobs.trace_generation
        def generate(question):
            answer = client.responses.create(model="gpt-x", input=question, stream=streams)
            if not streams:
                return answer.output_text
            return "".join(event.delta for event in answer if event.type.endswith(".delta"))

        assert generate("q") == GOOD
    assert rig.tree == "invoke_workflow generate(chat gpt-x)"
    (call,) = [span for span in rig.spans if span.name == "chat gpt-x"]
    assert dict(call.attributes) == {
        "gen_ai.operation.name": "chat",
        "openinference.span.kind": "LLM",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.response.id": "resp-1",
        "gen_ai.response.model": "gpt-x-2026",
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.response.finish_reasons": ("completed",),
        "gen_ai.usage.output_tokens": 6,
    }


def test_a_traced_client_is_the_client(rig, client):
    """Kind, attributes and exceptions are the client's; the client itself is as it was."""
    with trace_client(client, instance=rig.sqlobs) as traced:
        assert isinstance(traced, openai.OpenAI)
        assert traced.base_url == client.base_url
        assert [model.id for model in traced.models.list()] == [RECORDED_MODEL]
        with pytest.raises(openai.NotFoundError):
            traced.chat.completions.create(**asking("unknown"))
        assert whole(client) == GOOD
    (span,) = rig.spans
    assert span.attributes["error.type"] == "openai.NotFoundError"


def test_a_method_that_was_replaced_is_followed_anew(rig, client, monkeypatch):
    """Tests put stand-ins in the place of the client's methods, through the proxy or below it."""
    traced = trace_client(client, instance=rig.sqlobs)
    assert whole(traced) == GOOD
    monkeypatch.setattr(traced.chat.completions, "create", lambda **_: "stand-in")
    assert traced.chat.completions.create(**asking("good")) == "stand-in"
    assert client.chat.completions.create(**asking("good")) == "stand-in"
    assert [span.name for span in rig.spans] == ["chat gpt-x", "chat gpt-x"]


def test_captured_prompts_are_recorded(outspoken, client):
    """Those of each API; instructions are the system's message."""
    traced = trace_client(client, instance=outspoken.sqlobs)
    whole(traced)
    with pytest.raises(openai.NotFoundError):
        traced.responses.create(model="gpt-x", instructions="Write SQL.", input="How much?")
    asked = [json.loads(span.attributes["gen_ai.input.messages"]) for span in outspoken.spans]
    assert asked == [
        [{"role": "user", "parts": [{"type": "text", "content": "good"}]}],
        [
            {"role": "system", "parts": [{"type": "text", "content": "Write SQL."}]},
            {"role": "user", "parts": [{"type": "text", "content": "How much?"}]},
        ],
    ]
    (answer,) = json.loads(outspoken.spans[0].attributes["gen_ai.output.messages"])
    assert answer["parts"] == [{"type": "text", "content": GOOD}]


def test_azures_client_is_named_so(rig, model_url):
    """The provider is the one of the GenAI conventions."""
    azure = openai.AzureOpenAI(
        api_key="x", azure_endpoint=model_url, api_version="v", max_retries=0
    )
    with azure, pytest.raises(openai.NotFoundError):
        trace_client(azure, instance=rig.sqlobs).chat.completions.create(**asking("good"))
    assert rig.spans[0].attributes["gen_ai.provider.name"] == "azure.ai.openai"


# -- the completion hook --------------------------------------------------------------------------


@pytest.fixture
def instrumented(rig, monkeypatch):
    """The client as OpenTelemetry's instrumentation has patched it, with our hook."""
    genai = "opentelemetry.instrumentation.genai.openai"
    module = pytest.importorskip(genai, reason=f"{genai} is NOT INSTALLED: nothing of this ran")
    instrumentor = module.OpenAIInstrumentor()
    instrumentor.instrument(
        tracer_provider=rig.provider,
        meter_provider=rig.meters,
        completion_hook=CompletionHook(rig.sqlobs),
        skip_dep_check=True,
    )
    yield
    instrumentor.uninstrument()


def test_the_hook_checks_what_no_decorator_sees(rig, client, instrumented):
    """A request inside the span of the call, with its time, model and tokens."""
    client.chat.completions.create(**asking("bad"))
    assert rig.tree == "chat gpt-x(invoke_workflow completion)"
    call, _ = rig.spans
    shown = {
        "sqlobs.workflow": "completion",
        "gen_ai.request.model": RECORDED_MODEL,
        "sqlobs.outcome": "answered",
        "sqlobs.verdict": "failed",
        "sqlobs.hallucinated.columns": ("totl",),
        "sqlobs.usage.input_tokens": call.attributes["gen_ai.usage.input_tokens"],
        "sqlobs.usage.output_tokens": call.attributes["gen_ai.usage.output_tokens"],
    }
    assert {name: rig.generation.attributes.get(name) for name in shown} == shown
    assert rig.generation.attributes["sqlobs.generation.duration"] > 0.04  # the server's pace
    assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"failed": 1}


def test_the_hook_sees_streams(rig, client, instrumented):
    """Streams are read to their end by their reader; then the hook is called."""
    assert streamed(client) == GOOD
    assert rig.verdict == ("answered", "ok")


def test_the_hook_leaves_the_rest_alone(rig, client, instrumented):
    """Completions without SQL, with SQL within prose, and those of a generation."""
    for asked in ("chat", "prose"):
        client.chat.completions.create(**asking(asked))
    assert rig.generations == []
    rig.sqlobs.trace_generation(lambda question: whole(client))("q")
    assert rig.generation.attributes["sqlobs.usage.output_tokens"] == 6
    assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"ok": 1}


def test_opentelemetry_finds_the_hook_by_its_name(monkeypatch):
    """`OTEL_INSTRUMENTATION_GENAI_COMPLETION_HOOK=sqlobs` names the entry point."""
    (point,) = entry_points(group="opentelemetry_genai_completion_hook", name="sqlobs")
    assert point.load() is CompletionHook
    genai = "opentelemetry.util.genai.completion_hook"
    module = pytest.importorskip(genai, reason=f"{genai} is NOT INSTALLED: its half did not run")
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_COMPLETION_HOOK", "sqlobs")
    assert isinstance(module.load_completion_hook()._wrapped, CompletionHook)


def message(role, *parts):
    """A message of the GenAI conventions."""
    return SimpleNamespace(role=role, parts=[SimpleNamespace(**part) for part in parts])


@pytest.mark.parametrize(
    ("arguments", "counted"),
    [
        ({"sql": GOOD}, {"ok": 1}),
        (f'{{"query": "{BAD}"}}', {"failed": 1}),
        ({"query": "the weather in Paris"}, {}),
        ({"city": "Paris"}, {}),
        (None, {}),
    ],
)
def test_the_hook_reads_tool_calls(rig, arguments, counted):
    """SQL that a model gives to a tool is its answer; other arguments are none."""
    call = {"type": "tool_call", "name": "run", "arguments": arguments}
    asked = message("user", {"type": "text", "content": "How much?"})
    CompletionHook(rig.sqlobs).on_completion(
        inputs=[message("system"), asked],
        outputs=[message("assistant", call)],
        system_instruction=[],
        tool_definitions=None,
        log_record=None,
    )
    assert rig.counts("sqlobs.generations", "sqlobs.verdict") == counted


def test_the_hook_never_raises(rig, faults):
    """What an instrumentation hands over may be anything."""
    hook = CompletionHook(rig.sqlobs)
    hook.on_completion(inputs=[], outputs=[])
    hook.on_completion(inputs=[], outputs=[message("assistant", {"type": "text", "content": 3})])
    assert faults.new == {"completion_hook": 1}
    assert rig.spans == []
