"""Prompts and completions on spans: only where the settings allow it, redacted and capped."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from sqlobs.tracing.description.attribute_set import LIST_CAP, MESSAGES_CAP
from tests.tracing.rig import GOOD, Rig

SWITCH = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
SYSTEM = {"role": "system", "content": "Write SQL."}
USER = {"role": "user", "content": [{"type": "text", "text": "How much for Ada?"}]}
EARLIER = {"role": "assistant", "content": "SELECT 'Ada'"}
COMPLETION = SimpleNamespace(
    model="m",
    usage=None,
    choices=[SimpleNamespace(message=SimpleNamespace(content=GOOD), finish_reason="stop")],
)
NAMES = ("gen_ai.input.messages", "gen_ai.output.messages", "sqlobs.messages.truncated")


def written(role, *texts, **more):
    """A message as the conventions write it."""
    return {"role": role, "parts": [{"type": "text", "content": text} for text in texts], **more}


def told(span):
    """What the span of a call tells of messages, read from its JSON."""
    found = {name: span.attributes[name] for name in NAMES if name in span.attributes}
    return {name: json.loads(value) if "gen_ai" in name else value for name, value in found.items()}


@pytest.fixture
def spans_of(monkeypatch):
    """Calls a function with an instance of these settings; gives its spans."""

    def call(function, *, content="span_only", sql="masked", **options):
        monkeypatch.setenv(SWITCH, content)
        monkeypatch.setenv("SQLOBS_CAPTURE_SQL", sql)
        with Rig(mode="inline", **options) as rig:
            function(rig.sqlobs)
            return rig.spans

    return call


def asks(messages):
    """A decorated call with these messages."""
    return lambda sqlobs: sqlobs.trace_llm(model="m")(lambda messages: COMPLETION)(messages)


@pytest.mark.parametrize(
    ("content", "sql", "expected"),
    [
        ("no_content", "raw", {}),
        ("event_only", "raw", {}),
        (
            "span_only",
            "masked",
            {NAMES[0]: [written("system", "Write SQL."), written("user", "How much for Ada?"),
                        written("assistant")]},
        ),
        (
            "span_and_event",
            "raw",
            {
                NAMES[0]: [written("system", "Write SQL."), written("user", "How much for Ada?"),
                           written("assistant", "SELECT 'Ada'")],
                NAMES[1]: [written("assistant", GOOD)],
            },
        ),
    ],
)  # fmt: skip
def test_the_settings_decide_which_messages_are_recorded(spans_of, content, sql, expected):
    """The switch governs prompts; what a model wrote is SQL, and waits for raw capture, too."""
    (span,) = spans_of(asks([SYSTEM, USER, EARLIER]), content=content, sql=sql)
    assert told(span) == expected


def of_another_parameter(sqlobs):
    sqlobs.trace_llm(model="m", messages="conversation")(lambda conversation: "x")([USER])


def of_a_callable(sqlobs):
    sqlobs.trace_llm(messages=lambda question: [{"role": "user", "content": question}])(
        lambda question: "x"
    )("How much for Ada?")


def of_a_text(sqlobs):
    sqlobs.trace_llm(lambda prompt: "x")("How much for Ada?")


def of_a_block(sqlobs):
    with sqlobs.trace_llm(messages=[USER]):
        pass


def of_langchains_messages(sqlobs):
    message = SimpleNamespace(type="human", content="How much for Ada?")
    sqlobs.trace_llm(lambda messages: "x")([message, SimpleNamespace(type="reasoning"), None])


@pytest.mark.parametrize(
    "call",
    [of_another_parameter, of_a_callable, of_a_text, of_a_block, of_langchains_messages],
)
def test_where_the_prompt_is_found(spans_of, call):
    """In a parameter, by a callable, in a block; a text, mappings or objects."""
    (span,) = spans_of(call)
    assert told(span) == {NAMES[0]: [written("user", "How much for Ada?")]}


def test_the_completion_of_a_stream_is_recorded_at_its_end(spans_of):
    """The texts of its chunks, joined."""

    def streamed(sqlobs):
        def chunks(prompt):
            yield from GOOD.split(" ")

        list(sqlobs.trace_llm(chunks)("p"))

    (span,) = spans_of(streamed, sql="raw")
    assert told(span)[NAMES[1]] == [written("assistant", GOOD.replace(" ", ""))]


def test_redact_sees_each_text_first(spans_of):
    """By kind: a text that it withholds is not there, one that it changed is there changed."""
    seen = []

    def redact(kind, text):
        seen.append((kind, text))
        return None if text == "Write SQL." else text.replace("Ada", "…")

    (span,) = spans_of(asks([SYSTEM, USER, EARLIER]), sql="raw", redact=redact)
    assert told(span)[NAMES[0]] == [
        written("system"),
        written("user", "How much for …?"),
        written("assistant", "SELECT '…'"),
    ]
    assert set(seen) == {
        ("prompt", "Write SQL."),
        ("prompt", "How much for Ada?"),
        ("completion", "SELECT 'Ada'"),
        ("completion", GOOD),
    }


def test_long_prompts_are_truncated_and_marked(spans_of):
    """The last messages are kept, and of their texts what the cap leaves room for."""
    words = "word " * MESSAGES_CAP
    long = [{"role": "user", "content": f"{at} {words}"} for at in range(LIST_CAP + 5)]
    (span,) = spans_of(asks([*long, USER]))
    kept = told(span)
    texts = [message["parts"][0]["content"] for message in kept[NAMES[0]]]
    assert len(texts) == LIST_CAP
    assert texts[-1] == "How much for Ada?"
    assert texts[-2].startswith(f"{LIST_CAP + 4} word")
    assert sum(map(len, texts)) <= MESSAGES_CAP
    assert kept["sqlobs.messages.truncated"] is True


@pytest.mark.parametrize("messages", [None, 5, [], [None, 3, {"role": 7}], {"role": "user"}])
def test_invalid_messages_are_not_recorded(spans_of, messages):
    """Nothing is invented, and nothing fails."""
    (span,) = spans_of(asks(messages))
    assert told(span) == {}


def test_unreadable_messages_do_not_affect_the_call(spans_of, faults):
    """A user's own sequence may raise."""

    class Broken(list):
        """A list that cannot be cut."""

        def __getitem__(self, index):
            raise ValueError

    (span,) = spans_of(asks(Broken([USER])))
    assert told(span) == {}
    assert faults.new == {"messages": 1}


@pytest.mark.parametrize(
    ("content", "expected"), [("no_content", None), ("span_only", "revenue of Ada")]
)
def test_what_was_searched_for(spans_of, content, expected):
    """The query of a retrieval is the question, in other words."""

    def search(sqlobs):
        @sqlobs.trace_retrieval
        def tables(question):
            return []

        tables("revenue of Ada")
        with sqlobs.trace_retrieval(query="revenue of Ada"):
            pass

    spans = spans_of(search, content=content)
    assert [span.attributes.get("gen_ai.retrieval.query.text") for span in spans] == [expected] * 2
