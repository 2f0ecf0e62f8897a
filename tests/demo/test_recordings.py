"""The recorded generations, held to what is known of them by SQLite itself."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from contextlib import closing
from typing import get_args

import pytest

from sqlobs.demo.recordings import Channel, Completion, ModelError, Recording, load_recordings
from sqlobs.demo.shop import build_shop
from sqlobs.failure_codes import CODES
from sqlobs.types import Outcome

RECORDINGS = load_recordings()

ENGINE_SAYS = {
    "schema.unknown_table": "no such table: ",
    "schema.unknown_column": "no such column: ",
    "schema.wrong_owner": "no such column: ",
    "schema.ambiguous_ref": "ambiguous column name: ",
    "schema.grouping": "misuse of aggregate",
    "syntax.dialect_mismatch": "no such function: ",
    "syntax.parse_error": "syntax error",
    "safety.unsafe_statement": "readonly database",
}


def _sql(content: str) -> str | None:
    """Find the statement by the recordings' own conventions, without our extraction."""
    fenced = re.search(r"```sql\n(.*?)\n```", content, re.DOTALL)
    bare = re.search(r"^(?:SELECT|WITH|DELETE)\b.*?(?:;|\Z)", content, re.DOTALL | re.MULTILINE)
    return fenced[1] if fenced else bare[0] if bare else None


@pytest.fixture(scope="module")
def connection(tmp_path_factory):
    """Open the shop read-only."""
    path = tmp_path_factory.mktemp("shop") / "shop.db"
    build_shop(path)
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as shop:
        yield shop


def test_the_mix_is_known():
    """How many questions end how, and how many first and later answers deserve which code."""
    finals = [recording.completions[-1] for recording in RECORDINGS]
    assert len(RECORDINGS) == len({recording.question for recording in RECORDINGS}) == 142
    assert Counter(recording.channel for recording in RECORDINGS) == {
        "chat": 117,
        "stream": 23,
        "stream_closed": 2,
    }
    assert Counter(completion.outcome for completion in finals) == {
        "answered": 130,
        "abstained": 5,
        "clarified": 3,
        "cancelled": 2,
        "error": 2,
    }
    assert Counter(len(recording.completions) for recording in RECORDINGS) == {1: 112, 2: 19, 3: 11}
    assert Counter(completion.code for completion in finals if completion.code) == {
        "schema.unknown_column": 6,
        "schema.wrong_owner": 2,
        "schema.unknown_table": 2,
        "syntax.dialect_mismatch": 2,
        "syntax.no_sql": 2,
        "syntax.parse_error": 1,
        "safety.unsafe_statement": 1,
    }


def test_the_words_of_every_recording_are_in_the_catalog():
    """Channel, outcome and code come from closed lists."""
    completions = [completion for recording in RECORDINGS for completion in recording.completions]
    assert {recording.channel for recording in RECORDINGS} <= set(get_args(Channel))
    assert {completion.outcome for completion in completions} <= set(get_args(Outcome))
    assert {completion.code for completion in completions} - {None} <= set(CODES)


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.question)
def test_the_database_agrees_with_what_is_known(connection, recording):
    """SQLite itself runs what is called good, and refuses what is called bad for that reason."""
    for completion in recording.completions:
        sql = _sql(completion.content)
        if completion.code == "syntax.no_sql" or completion.outcome in {
            "abstained",
            "clarified",
            "error",
        }:
            assert sql is None
        elif completion.code is None:
            connection.execute(sql).fetchall()
        else:
            with pytest.raises(sqlite3.OperationalError, match=ENGINE_SAYS[completion.code]):
                connection.execute(sql).fetchall()


def test_three_valid_answers_are_empty(connection):
    """A literal that is not stored so gives no row: the engine alone can tell."""
    empty = [
        recording.question
        for recording in RECORDINGS
        if recording.completions[-1].outcome == "answered"
        and recording.completions[-1].code is None
        and not connection.execute(_sql(recording.completions[-1].content)).fetchall()
    ]
    assert sorted(empty) == [
        "How many orders have been shipped to customers in Germany?",
        "Payments by credit card in September 2025",
        "Urgent tickets that are still open",
    ]


def test_a_recording_repeats_its_last_answer():
    """A fourth attempt hears what the third heard."""
    first, last = (Completion(text, None, "answered", None) for text in ("one", "two"))
    recording = Recording("?", "chat", (first, last))
    assert [recording.completion(attempt) for attempt in range(3)] == [first, last, last]


def test_a_failing_call_is_recorded_with_its_status():
    """The model's API can refuse: the recording holds what it said."""
    errors = [completion.error for recording in RECORDINGS for completion in recording.completions]
    assert [error for error in errors if error] == [
        ModelError(
            400, "content_filter", "The request was rejected by the provider's content filter."
        ),
        ModelError(
            400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."
        ),
    ]
