"""The second call of FLEX: why a statement is wrong, or correct despite different results.

There are two menus of categories: one for statements judged incorrect, one for statements judged
correct whose results differ. The keys are the paper's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlobs.judge.endpoint.asking import ask
from sqlobs.judge.judgment import NOTHING_USED, Usage
from sqlobs.judge.verdicts.context import Context, shown_fields
from sqlobs.judge.verdicts.prompt import JsonSchema, Prompt, framed
from sqlobs.judge.verdicts.verdict import read_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlobs.failure_codes import Reason
    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judgment import Judgment

Side = Literal["false_positive", "true_negative", "false_negative", "true_positive"]
"""Combinations of execution accuracy and verdict: equal & incorrect, different & incorrect, …"""

INTERNAL_ERRORS: Final = (
    "incorrect_schema_linking",
    "incorrect_filtering_condition",
    "missing_handling_of_nullable_column",
    "missing_handling_of_multiple_rows",
    "abused_clauses",
    "other_fatal_issues",
)
"""The menu of false positives and true negatives."""

DIFFERENCES: Final = (
    "different_output_structure",
    "different_output_value_representation",
    "incorrect_ground_truth_query",
    "multiple_answers_available",
    "other_minor_issues",
)
"""The menu of false negatives."""

MENUS: Final[Mapping[str, tuple[str, ...]]] = {
    "false_positive": INTERNAL_ERRORS,
    "true_negative": INTERNAL_ERRORS,
    "false_negative": DIFFERENCES,
}
"""The menu of each side; a true positive is not categorized."""

ERROR: Final = "error"
"""The one category of a statement that did not run."""
LLM_ERROR: Final = "llm_error"
"""The only category if the model gave no readable answer."""

_WITHOUT_RESULTS: Final = Context(results="none")
_CLAUSES: Final[Mapping[str, str]] = {
    r"distinct|group by|having": "semantics.aggregation",
    r"order by|limit|top": "semantics.ordering",
}
_CODES: Final[Mapping[str, str]] = {
    "incorrect_filtering_condition": "semantics.filter",
    "missing_handling_of_nullable_column": "semantics.null",
    "missing_handling_of_multiple_rows": "semantics.ordering",
}


@dataclass(frozen=True, slots=True)
class Category:
    """One category that applies, and why."""

    key: str
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Categorization:
    """The categories of a judgment."""

    side: Side | None
    """None without a verdict."""
    categories: tuple[Category, ...] = ()
    codes: tuple[str, ...] = ()
    """The failure codes that the faults map to; empty for differences, which concern the reference.
    """
    reason: Reason | None = None
    """Why there is no answer, if the category is `llm_error`."""
    usage: Usage = NOTHING_USED

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the categories that apply."""
        return tuple(category.key for category in self.categories)


def side_of(item: JudgeItem, judgment: Judgment) -> Side | None:
    """Return the combination of execution accuracy and verdict; None without a verdict."""
    if judgment.is_correct is None:
        return None
    if judgment.is_correct:
        return "true_positive" if item.results_equal else "false_negative"
    return "false_positive" if item.results_equal else "true_negative"


@dataclass(frozen=True, slots=True)
class Categorizer:
    """Categorizes judgments by a second call with the first one's reasoning and without results."""

    endpoint: Endpoint

    async def categorize(self, item: JudgeItem, judgment: Judgment) -> Categorization:
        """Return the categories of a judgment; empty for a true positive."""
        side = side_of(item, judgment)
        if side is None or side not in MENUS:
            return Categorization(side=side)
        if judgment.decided_by == "execution":
            error = Category(ERROR, judgment.explanation)
            return Categorization(side=side, categories=(error,))
        answer = await ask(self.endpoint, self.prompt(item, judgment), _reader(MENUS[side]))
        if answer.value is None:
            failure = answer.failure
            lost = Category(LLM_ERROR, failure.message if failure else "")
            return Categorization(
                side=side,
                categories=(lost,),
                reason=failure.reason if failure else None,
                usage=answer.usage,
            )
        return Categorization(
            side=side,
            categories=answer.value,
            codes=failure_codes(answer.value, item),
            usage=answer.usage,
        )

    def prompt(self, item: JudgeItem, judgment: Judgment) -> Prompt:
        """Return the prompt for a judgment."""
        is_difference = side_of(item, judgment) == "false_negative"
        version = "categories_fn.v1" if is_difference else "categories_fp.v1"
        fields = shown_fields(replace(item, facts=()), _WITHOUT_RESULTS)
        return framed(
            version,
            {**fields, "judgement": judgment.text or judgment.explanation},
            answer=menu_schema(DIFFERENCES if is_difference else INTERNAL_ERRORS),
            dialect=item.dialect,
        )


def menu_schema(menu: Sequence[str]) -> JsonSchema:
    """Return the answer format for a menu."""
    entry = {
        "type": "object",
        "properties": {"issued": {"type": "boolean"}, "explanation": {"type": "string"}},
        "required": ["issued", "explanation"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": dict.fromkeys(menu, entry),
        "required": list(menu),
        "additionalProperties": False,
    }


def failure_codes(categories: Sequence[Category], item: JudgeItem) -> tuple[str, ...]:
    """Return the failure codes that faults map to, each once, in order."""
    codes: dict[str, None] = {}
    for category in categories:
        if category.key == "incorrect_schema_linking":
            codes[_linking_code(item)] = None
        elif category.key == "abused_clauses":
            codes.update(dict.fromkeys(_clause_codes(category.explanation)))
        elif category.key in _CODES:
            codes[_CODES[category.key]] = None
    return tuple(codes)


def _reader(menu: Sequence[str]) -> Callable[[str, Mapping[str, str]], tuple[Category, ...] | None]:
    def read(text: str, data: Mapping[str, str]) -> tuple[Category, ...] | None:
        found = read_object(text, data, keys=frozenset(menu))
        if found is None or not all(_is_entry(found[key]) for key in menu):
            return None
        return tuple(
            Category(key, str(found[key].get("explanation", "")))
            for key in menu
            if found[key]["issued"]
        )

    return read


def _is_entry(entry: Any) -> bool:  # noqa: ANN401 - a model's JSON
    return isinstance(entry, dict) and isinstance(entry.get("issued"), bool)


def _clause_codes(explanation: str) -> list[str]:
    text = explanation.lower()
    return [code for words, code in _CLAUSES.items() if re.search(rf"\b(?:{words})\b", text)]


def _linking_code(item: JudgeItem) -> str:
    """Return the code for wrong tables; for wrong columns if both use the same tables."""
    tables = _tables(item.sql, item.dialect)
    reads_the_same = tables is not None and tables == _tables(item.reference, item.dialect)
    return "semantics.projection" if reads_the_same else "semantics.table_choice"


def _tables(sql: str | None, dialect: str | None) -> frozenset[str] | None:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    if sql is None:
        return None
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError, ValueError):
        return None
    return frozenset(table.name.lower() for table in tree.find_all(exp.Table))
