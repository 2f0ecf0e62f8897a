"""Alternatives to FLEX: a five-point rubric, and equivalence of the statements alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from sqlobs.judge.verdicts.verdict import read_object, read_verdict
from sqlobs.judge.verdicts.voting import Opinion, Task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.judge.verdicts.prompt import JsonSchema

_WHOLE: Final = frozenset(
    "schema dialect question hints predicted_sql predicted_result reference_sql reference_result"
    " facts".split()
)
_STATEMENTS: Final = frozenset("schema dialect predicted_sql reference_sql".split())
_LEAST, _MOST, _PASSING = 1, 5, 4


def answer_form(key: str, kind: str) -> JsonSchema:
    """Return the answer format with reasoning and one more value."""
    return {
        "type": "object",
        "properties": {"reasoning": {"type": "string"}, key: {"type": kind}},
        "required": ["reasoning", key],
        "additionalProperties": False,
    }


def _points(text: str, data: Mapping[str, str]) -> Opinion | None:
    found = read_object(text, data, keys=frozenset({"points"}))
    points = found["points"] if found else None
    if isinstance(points, bool) or not isinstance(points, int | float) or abs(points) == math.inf:
        return None
    clamped = min(_MOST, max(_LEAST, points))
    return Opinion(
        is_good=clamped >= _PASSING,
        explanation=str(found.get("reasoning", "")) if found else "",
        score=(clamped - _LEAST) / (_MOST - _LEAST),
        is_coerced=clamped != points,
    )


def _equivalent(text: str, data: Mapping[str, str]) -> Opinion | None:
    found = read_verdict(text, data, key="equivalent")
    if found is None:
        return None
    return Opinion(
        is_good=found.correct, explanation=found.explanation, is_coerced=found.is_coerced
    )


RUBRIC: Final = Task(
    name="rubric",
    version="rubric.v1",
    needs=("question", "dialect", "schema", "reference"),
    shows=_WHOLE,
    answer=answer_form("points", "integer"),
    read=_points,
)
"""Grades 1 to 5; 4 and 5 are correct. The score is (points - 1) / 4."""

EQUIVALENCE: Final = Task(
    name="equivalence",
    version="equivalence.v1",
    needs=("dialect", "schema", "reference"),
    shows=_STATEMENTS,
    answer=answer_form("equivalent", "boolean"),
    read=_equivalent,
)
"""Compares the statements only, without question and results."""
