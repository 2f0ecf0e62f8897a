from __future__ import annotations

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.errors import InputError
from sqlobs.unit import SpanIdentity, Unit, normalize_question, question_digest

GENERATION_ID = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@given(st.integers(1, 2**128 - 1), st.integers(1, 2**64 - 1), st.booleans())
def test_a_generation_id_reads_back_as_written(trace_id, span_id, sampled):
    """The traceparent form loses nothing."""
    identity = SpanIdentity(trace_id, span_id, sampled)
    assert SpanIdentity.from_traceparent(identity.traceparent) == identity


def test_the_key_of_deduplication_leaves_out_the_flags():
    """A span and a unit that differ in the sampled flag are one."""
    first, second = (SpanIdentity(7, 9, sampled) for sampled in (False, True))
    assert first.key == second.key == "00-00000000000000000000000000000007-0000000000000009"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        GENERATION_ID[:-1],
        GENERATION_ID.upper(),
        "01" + GENERATION_ID[2:],
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        GENERATION_ID + "\n",
    ],
)
def test_an_invalid_generation_id_is_rejected_with_a_message(text):
    """Feedback under a wrong id must not vanish silently."""
    with pytest.raises(InputError, match="is not a generation ID"):
        SpanIdentity.from_traceparent(text)


def test_a_unit_reads_back_from_its_record():
    """Attributes and body of the record are all a unit is."""
    unit = Unit(
        attributes={"sqlobs.generation.id": GENERATION_ID, "sqlobs.attempts": 1},
        query_text="SELECT 'x'",
        question_text="which?",
    )
    assert unit.body == {"sqlobs.query.text": "SELECT 'x'", "sqlobs.question.text": "which?"}
    assert Unit.from_record(unit.attributes, unit.body) == unit
    assert unit.span.traceparent == GENERATION_ID


def test_a_unit_without_texts_has_an_empty_body():
    """Capture `none` sends verdict and ids alone."""
    unit = Unit(attributes={"sqlobs.generation.id": GENERATION_ID})
    assert unit.body == {}
    assert Unit.from_record(unit.attributes, None) == unit


@pytest.mark.parametrize(
    ("attributes", "body", "sentence"),
    [
        ({}, None, "is not a generation ID"),
        ({"sqlobs.generation.id": GENERATION_ID}, "text", "must be a map of strings"),
        (
            {"sqlobs.generation.id": GENERATION_ID},
            {"sqlobs.query.text": 5},
            "sqlobs.query.text in the body of a sqlobs.unit record must be a string",
        ),
    ],
)
def test_an_invalid_record_is_rejected_with_a_message(attributes, body, sentence):
    """What is no unit is rejected where it is read, not later."""
    with pytest.raises(InputError, match=sentence):
        Unit.from_record(attributes, body)


def test_the_digest_is_the_hmac_of_the_normalized_question():
    """The collector finds a reference by it, so the recipe is pinned."""
    expected = hmac.new(b"key", b"which region sold most", hashlib.sha256).hexdigest()
    assert question_digest("  Which\u00a0Region\tsold MOST ?! ", key=b"key") == expected
    assert question_digest("which region sold most", key=b"other") != expected


@given(st.text())
def test_normalizing_leaves_no_trace_of_case_space_or_final_punctuation(text):
    """However a question is typed, its normal form is the same."""
    normal = normalize_question(text)
    assert normalize_question(f"\n {text}  ?") == normal
    assert normal == " ".join(normal.split())
