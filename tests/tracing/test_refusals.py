"""Refusals and questions back: told by the application, or found in an answer without SQL."""

from __future__ import annotations

import pytest

from sqlobs import current_generation
from tests.tracing.rig import BAD, GOOD, Rig

REFUSAL = "I am sorry, I cannot answer that."
QUESTION_BACK = "Which year do you mean?"
MODES = ("inline", "deferred")
OUTCOMES = ("sqlobs.verdict", "sqlobs.outcome")
ATTEMPTS = ("sqlobs.attempt.number", "sqlobs.verdict", "sqlobs.schema_hallucination.label")


def answered(rig, *answers):
    """Send answers through a traced function."""

    @rig.sqlobs.trace_generation(name="w")
    def generate(question):
        del question
        return answers_left.pop(0)

    answers_left = [*answers]
    for _ in answers:
        generate("How many orders in May?")


def outcomes(rig):
    """Outcome, verdict and reason on each span."""
    names = ("sqlobs.outcome", "sqlobs.verdict", "sqlobs.syntactic_reason")
    return [tuple(span.attributes.get(name) for name in names) for span in rig.generations]


@pytest.mark.parametrize("mode", MODES)
def test_a_refusal_or_a_clarifying_question_is_not_a_failed_answer(mode):
    """Conservative: prose that is neither should have held SQL, and fails."""
    with Rig(mode=mode) as rig:
        answered(rig, REFUSAL, QUESTION_BACK, "Add up the totals.", "", GOOD, REFUSAL)
        assert outcomes(rig) == [
            ("abstained", "not_evaluated", "abstained"),
            ("clarified", "not_evaluated", "clarified"),
            ("answered", "failed", None),
            ("answered", "failed", None),
            ("answered", "ok", None),
            ("abstained", "not_evaluated", "abstained"),
        ]
        assert "sqlobs.failure.code" not in rig.generations[0].attributes
        assert "sqlobs.query.text" not in rig.generations[0].attributes
        assert rig.counts("sqlobs.generations", *OUTCOMES) == {
            ("not_evaluated", "abstained"): 2,
            ("not_evaluated", "clarified"): 1,
            ("failed", "answered"): 2,
            ("ok", "answered"): 1,
        }
        attempts = rig.counts("sqlobs.attempts", *ATTEMPTS)
        assert attempts == {
            ("1", "failed", "not_evaluated"): 2,
            ("1", "ok", "pass"): 1,
        }


def test_it_can_be_switched_off():
    """Then every answer without SQL fails."""
    with Rig(mode="inline", detect_refusals=False) as rig:
        answered(rig, REFUSAL)
        assert outcomes(rig) == [("answered", "failed", None)]


def test_the_application_s_outcome_takes_precedence(rig):
    """`set(outcome=…)` wins over what the text says, also where it says that SQL was meant."""

    @rig.sqlobs.trace_generation(name="w")
    def generate(outcome, answer):
        current_generation().set(outcome=outcome)
        return answer

    generate("abstained", "Fragen Sie den Vertrieb.")
    generate("clarified", "Welches Jahr?")
    generate("answered", REFUSAL)
    assert [outcome for outcome, *_ in outcomes(rig)] == ["abstained", "clarified", "answered"]


def test_a_repair_loop_that_ends_in_a_refusal_is_in_no_rate(rig):
    """Its first attempt failed, but the request gives no SQL on purpose."""

    @rig.sqlobs.trace_generation(name="w")
    def generate():
        generation = current_generation()
        assert not generation.attempt(BAD).ok
        return REFUSAL

    generate()
    assert outcomes(rig) == [("abstained", "not_evaluated", "abstained")]
    assert rig.counts("sqlobs.attempts", *ATTEMPTS) == {}


def test_an_invented_name_of_the_first_attempt_is_recorded_with_its_repair(rig):
    """After the repair all is clean; what the model did alone is on the span and in a counter."""

    @rig.sqlobs.trace_generation(name="w")
    def generate():
        current_generation().attempt(BAD)
        return GOOD

    generate()
    attributes = rig.generation.attributes
    assert (attributes["sqlobs.verdict"], attributes["sqlobs.attempts"]) == ("ok", 2)
    assert attributes["sqlobs.first_attempt.hallucinated"] is True
    assert rig.counts("sqlobs.attempts", *ATTEMPTS) == {
        ("1", "failed", "fail"): 1,
        ("2", "ok", "pass"): 1,
    }
