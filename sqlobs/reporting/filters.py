"""Filters for the cases of a run, such as `joins > 1 && difficulty = hard`."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.reporting.engine_verdicts import standing_of
from sqlobs.reporting.failures import codes_of
from sqlobs.reporting.judged import VERDICT_WORDS, side_of
from sqlobs.reporting.slices import FEATURES
from sqlobs.scores.registry import CASE_SCORES, SHOWN_SCORES

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.runs.case import CaseResult
    from sqlobs.runs.run import Run

_CONDITION: Final = re.compile(r"\s*(\w+)\s*(==|=|!=|<=|>=|<|>)\s*(.*?)\s*", re.DOTALL)
_OPERATORS: Final[dict[str, Callable[[float, float], bool]]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EQUALITY: Final = frozenset({"=", "==", "!="})
_TEXTS: Final[dict[str, Callable[[CaseResult], str | None]]] = {
    "id": lambda case: case.id,
    "difficulty": lambda case: case.difficulty,
    "question_category": lambda case: case.category,
    "db": lambda case: case.db,
    "dialect": lambda case: case.dialect,
    "workflow": lambda case: case.workflow,
    "model": lambda case: case.generation.model if case.generation else None,
    "tenant": lambda case: case.request.tenant if case.request else None,
    "prompt_version": lambda case: case.request.prompt_version if case.request else None,
    "outcome": lambda case: case.outcome,
    "bucket": lambda case: case.bucket,
    "mistake": lambda case: case.mistake,
    "verdict": lambda case: case.check.verdict if case.check else None,
    "checker": standing_of,
    "judge": lambda case: VERDICT_WORDS[case.judge.correct] if case.judge else None,
    "side": side_of,
}
_SETS: Final[dict[str, Callable[[CaseResult], tuple[str, ...] | None]]] = {
    "code": codes_of,
    "category": lambda case: case.judge.categories if case.judge else None,
}
"""Fields with several texts: `=` holds if one of them is equal, `!=` if none is."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of one field with a number or a text."""

    field: str
    sign: str
    value: float | str

    def holds(self, case: CaseResult) -> bool:
        """Return whether a case meets the condition; False if it lacks the field."""
        if isinstance(self.value, str):
            texts = _texts(self.field, case)
            return texts is not None and (self.value in texts) is (self.sign != "!=")
        found = case.shape.get(self.field, case.scores.get(self.field))
        return found is not None and _OPERATORS[self.sign](found, self.value)


def _texts(field: str, case: CaseResult) -> tuple[str, ...] | None:
    if field in _SETS:
        return _SETS[field](case)
    text = _TEXTS[field](case)
    return None if text is None else (text,)


def parse_filter(text: str) -> tuple[Condition, ...]:
    """Read conditions `FIELD op VALUE`, joined by `&&`: all of them must hold.

    Fields with numbers are the features of the reference statement (`joins`, `subqueries`,
    `has_order`, …) and the scores (`ex`, `f1`, …); fields with texts are `difficulty`,
    `question_category`, `db`,
    `workflow`, `model`, `tenant`, `prompt_version`, `outcome`, `bucket`, `mistake`, `verdict`,
    `dialect`, `id`, `checker` (agrees, missed, false_alarm, undecided: the checker beside the local
    engine), and of a judged run `judge` (correct, incorrect, no verdict) and `side`
    (`false_positive`, …). `code` and `category` (of the judge) may have several values. Source: the
    filters of NL2SQL360.

    >>> parse_filter("joins >= 2 && difficulty = hard")[0]
    Condition(field='joins', sign='>=', value=2.0)

    Raises:
        InputError: the expression is invalid or its field is unknown.
    """
    return tuple(map(_condition, text.split("&&")))


def narrowed(run: Run, text: str | None) -> Run:
    """Return a run with only the cases that meet the conditions; its settings record the filter.

    Raises:
        InputError: the conditions are invalid, or no case meets them.
    """
    if text is None:
        return run
    conditions = parse_filter(text)
    cases = tuple(case for case in run.cases if all(each.holds(case) for each in conditions))
    if not cases:
        raise InputError(f"no case of {run.name} matches {text!r}")
    return replace(run, cases=cases, settings={**run.settings, "where": text.strip()})


def _condition(text: str) -> Condition:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise InputError(f"{text.strip()!r} is not a valid condition; write one like 'joins > 1'")
    field, sign, value = match.groups()
    if field in FEATURES or field in SHOWN_SCORES:
        return Condition(field, sign, _number(value, text))
    if field not in _TEXTS and field not in _SETS:
        known = ", ".join((*_TEXTS, *_SETS, *FEATURES, *CASE_SCORES))
        raise InputError(f"{text.strip()!r}: unknown field {field}; valid fields are {known}")
    if sign not in _EQUALITY:
        raise InputError(f"{text.strip()!r}: {field} is text; compare it with = or !=")
    return Condition(field, sign, value.strip("\"'"))


def _number(value: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InputError(f"{text.strip()!r}: {value!r} is not a number") from None
