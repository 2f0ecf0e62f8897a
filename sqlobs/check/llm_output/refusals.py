"""Classifies an answer without SQL: the model declines, or asks a question back.

Conservative, and English only: what is not clearly one of the two counts as an answer, and so as
a failure. Switched off by `detect_refusals=False`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport

Declined = Literal["abstained", "clarified"]

LONGEST: Final = 2_000
"""Characters; a longer text explains something, whatever it begins with."""
NO_SQL: Final = "syntax.no_sql"

_SUBJECT: Final = r"\b(?:I|we)\b"
_CANNOT: Final = r"(?:can(?:no|')?t|can not|could(?:n't| not)|won't|will not|am not able to)"
_TASK: Final = (
    "answer|help|assist|generate|write|provide|create|produce|determine|find|translate|do|draw|"
    "give|compute|calculate|tell|fulfil|fulfill|complete|process|send|access|query|convert|build"
)
_NOT_DONE: Final = r"\bcan(?:no|')?t be (?:answered|translated|expressed|fulfilled|determined)\b"
_HOLD: Final = "contain|have|hold|include|store|provide|record"
_MORE: Final = "information|details?|context"
_ABSTAINS: Final = re.compile(
    "|".join(
        (
            # I'm sorry, but …; Sorry, charts are beyond what I can do.
            r"\A\W*(?:(?:I|we)(?:'m| am|'re| are) (?:very )?|my apologies|)(?:sorry|afraid)\b",
            r"\A\W*(?:I apologi[sz]e|my apologies|unfortunately)\b",
            # I cannot answer that; we could not find a table for it
            rf"{_SUBJECT} {_CANNOT}(?: \w+)? (?:{_TASK})\b",
            # I am unable to …; I'm not able to …; I must decline
            rf"{_SUBJECT}(?:'m| am|'re| are) (?:unable|not able|not allowed|not permitted)\b",
            rf"{_SUBJECT} (?:must|have to) (?:decline|refuse)\b",
            # I do not have access to …; I don't know
            rf"{_SUBJECT} (?:do not|don't) (?:have|know)\b",
            # The question cannot be answered with this schema
            rf"\b(?:question|request|query|this|that|it)\b[^.?!]{{0,60}}{_NOT_DONE}",
            # CANNOT_ANSWER: …; UNANSWERABLE
            r"\A\W*(?:cannot[ _]answer|can't answer|unanswerable|not answerable)\b",
            # The schema does not contain any weather data
            rf"\b(?:schema|database|tables?|data) (?:does not|doesn't|do not|don't) (?:{_HOLD})\b",
            # There is no table that …; no information about …
            r"\bthere (?:is|are) no (?:tables?|columns?|fields?)\b",
            r"\bthere is no (?:data|information) (?:about|on)\b",
        )
    ),
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    "|".join(
        (
            # Which region do you mean? Should I count returns?
            r"\b(?:do|did|would|could|can) you\b[^?]*\?\W*\Z",
            r"\b(?:should|shall) (?:I|we)\b[^?]*\?\W*\Z",
            # Please clarify which year; could you be more specific
            r"\bplease (?:clarify|specify|confirm|be more specific|rephrase|tell me|let me know)\b",
            r"\b(?:could|can) you (?:please )?(?:clarify|specify|confirm|be more specific)\b",
            # I need more information
            rf"{_SUBJECT}(?:'d| would)? need (?:some )?(?:more|further|additional) (?:{_MORE})\b",
            # CLARIFY: best by what?
            r"\A\W*(?:clarify|clarification)\b",
        )
    ),
    re.IGNORECASE,
)
_PLEASANTRY: Final = re.compile(
    r"[^.!?\n]*\b(?:anything else|help you with|assist you with|would you like (?:me )?to know)\b"
    r"[^.!?\n]*\?\W*\Z",
    re.IGNORECASE,
)
"""`Is there anything else I can help with?` is not a question back."""


def declined_by(report: CheckReport, text: str, *, question: str | None = None) -> Declined | None:
    """Return whether an answer declines or asks a question back instead of giving SQL.

    Args:
        report: What the check said; only an answer without SQL can decline.
        text: The answer.
        question: What was asked: a model that repeats it asks nothing back.
    """
    if report.syntactic is not False or NO_SQL not in report.failure_codes:
        return None
    return declined(text, question=question)


def declined(text: str, *, question: str | None = None) -> Declined | None:
    """Classify a text without SQL.

    >>> declined("I am sorry, I cannot answer that.")
    'abstained'
    >>> declined("Which year do you mean?")
    'clarified'
    >>> declined("Add up the totals by region.") is None
    True
    """
    said = text.strip().replace("\u2019", "'")
    if not said or len(said) > LONGEST or (question is not None and said == question.strip()):
        return None
    asked = _PLEASANTRY.sub("", said)
    if _ASKS.search(asked):
        return "clarified"
    return "abstained" if _ABSTAINS.search(said) else None
