"""The model server, asked by the openai client."""

from __future__ import annotations

import openai
import pytest

from sqlobs.demo.model_server import serve_recordings
from sqlobs.demo.recordings import RECORDED_MODEL

QUESTION = "How many customers do we have?"
REPAIRED = "How many orders did we get in August 2025?"


@pytest.fixture
def client():
    """Talk to the server as an application does, by the openai client."""
    with (
        serve_recordings() as server,
        openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client,
    ):
        yield client


def _ask(client, *messages, **options):
    roles = ("user", "assistant")
    conversation = [
        {"role": "system", "content": "Answer with SQL."},
        *({"role": roles[place % 2], "content": text} for place, text in enumerate(messages)),
    ]
    return client.chat.completions.create(model=RECORDED_MODEL, messages=conversation, **options)


def test_a_recorded_question_gets_its_completion_with_usage(client):
    """The whole answer in the protocol's form; tokens are counted by length."""
    completion = _ask(client, QUESTION)
    assert completion.model == RECORDED_MODEL
    assert completion.choices[0].finish_reason == "stop"
    assert completion.choices[0].message.content == "SELECT COUNT(*) FROM customers"
    assert completion.usage.to_dict() == {
        "prompt_tokens": 12,
        "completion_tokens": 8,
        "total_tokens": 20,
    }


def test_each_answer_in_the_conversation_was_one_attempt(client):
    """The server keeps no state: the conversation says which answer is due; the last one repeats."""
    first = _ask(client, REPAIRED).choices[0].message.content
    second = _ask(client, REPAIRED, first, "Wrong.").choices[0].message.content
    third = _ask(client, REPAIRED, first, "Wrong.", second, "Wrong.").choices[0].message.content
    assert "order_date" in first
    assert "ordered_at" in second
    assert third == second


def test_a_stream_brings_the_same_text_in_pieces_then_usage(client):
    """Role first, pieces, finish reason, then usage where the caller asked for it."""
    chunks = list(_ask(client, QUESTION, stream=True, stream_options={"include_usage": True}))
    pieces = [choice.delta.content for chunk in chunks for choice in chunk.choices]
    assert "".join(piece for piece in pieces if piece) == "SELECT COUNT(*) FROM customers"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert [chunk.usage.total_tokens for chunk in chunks if chunk.usage] == [20]


def test_a_stream_without_that_wish_brings_no_usage(client):
    """As the protocol says: usage is opt-in for streams."""
    assert all(chunk.usage is None for chunk in _ask(client, QUESTION, stream=True))


def test_a_reader_may_leave_a_stream_and_ask_again(client):
    """A closed stream ends that connection only."""
    with _ask(client, QUESTION, stream=True) as stream:
        next(stream)
    assert _ask(client, QUESTION).choices[0].message.content == "SELECT COUNT(*) FROM customers"


def test_a_recorded_error_is_an_error_of_the_api(client):
    """The client raises what it would raise for a hosted model."""
    with pytest.raises(openai.BadRequestError, match="maximum context length"):
        _ask(client, "Summarise every order of every customer with all its items in one list")


def test_an_unknown_question_says_that_nothing_is_recorded(client):
    """The server never makes an answer up."""
    with pytest.raises(openai.NotFoundError, match="No recorded generation"):
        _ask(client, "What is the meaning of life?")


def test_the_model_is_listed(client):
    """`GET /v1/models`, which tools ask to see whether a server is there."""
    assert [model.id for model in client.models.list()] == [RECORDED_MODEL]
