"""Refusals and clarifying questions are distinguished from answers that should contain SQL."""

from __future__ import annotations

import pytest

from sqlobs.check.llm_output.refusals import LONGEST, declined

ABSTAINED = [
    "I am sorry, I cannot answer that.",
    "I'm sorry, but I can't draw charts. I can describe the data in words, though.",
    "I\u2019m sorry, charts are beyond what I can do here.",
    "Sorry, there is no such data.",
    "Unfortunately, the schema does not contain weather data.",
    "I cannot generate a query for this question.",
    "I don't have access to e-mail, so I cannot send the report. Is there anything else I can help with?",
    "As a language model I am not able to create images.",
    "I'm unable to write a query for that without a table of visits.",
    "The question cannot be answered with the given tables.",
    "CANNOT_ANSWER: visits are not recorded.",
    "UNANSWERABLE",
    "There is no table with competitors in this database.",
    "We do not have data on competitors.",
    "I must decline to delete these rows.",
]
CLARIFIED = [
    "Which year do you mean?",
    "Do you mean revenue or margin?",
    "Could you clarify which region you are interested in?",
    "Please specify the time range.",
    "I'm sorry, but I need more information: which customer is it about?",
    "Should I count returned orders as well?",
    "I cannot tell which table to use. Would you like orders or invoices?",
    "CLARIFY: Best by what: by money spent, or by margin?",
    "I would need more details about the period.",
]
ANSWERED = [
    "",
    "Add up the totals by region.",
    "The revenue in May was 4,200.",
    "Which region sold most in May?",
    "42",
    "{}",
    "You can join orders with customers and group by region.",
    "Here is the query you asked for:",
    "The query returns nothing if the region is unknown.",
    "Use a window function, which cannot be nested.",
    "Here is the query. Is there anything else I can help you with?",
    "Es tut mir leid, das geht nicht.",
    "I am sorry. " + "x" * LONGEST,
]


@pytest.mark.parametrize("text", ABSTAINED)
def test_a_refusal_is_abstained(text):
    """In the words that models use."""
    assert declined(text) == "abstained"


@pytest.mark.parametrize("text", CLARIFIED)
def test_a_question_back_is_clarified(text):
    """Also where it begins with an apology."""
    assert declined(text) == "clarified"


@pytest.mark.parametrize("text", ANSWERED)
def test_what_is_neither_should_have_held_sql(text):
    """Prose, an echo, other languages: no refusal, so a failure of the answer."""
    assert declined(text) is None


def test_a_model_that_repeats_the_question_asks_nothing():
    """The echo of a question to "you" is no question back."""
    question = "Which regions do you sell to?"
    assert (declined(question), declined(question, question=question)) == ("clarified", None)


@pytest.mark.parametrize(
    "piece", ["I cannot ", "do you ", "there is no ", "question ", "a?", "'m "]
)
def test_hostile_text_is_parsed_in_bounded_time(piece):
    """A pattern that backtracked over the greatest length that is looked at would never end."""
    assert declined((piece * LONGEST)[:LONGEST]) in {None, "abstained", "clarified"}
