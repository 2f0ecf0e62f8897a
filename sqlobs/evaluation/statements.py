"""Parses statements in files: `None`, alternatives, templates, answers that contain SQL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING

from sqlobs.errors import InputError
from sqlobs.metrics.published.defog import gold_alternatives
from sqlobs.metrics.text_match import is_unanswerable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlobs.runs.case import CaseResult


def references_of(
    value: object, *, dialect: str | None = None, is_template: bool = False
) -> tuple[str, ...] | None:
    """Return all statements that a gold field holds; none = the question is unanswerable.

    Args:
        value: A statement, `None` as text, a list of them, a mapping from dialects to either.
        dialect: Which entry of a mapping counts.
        is_template: Whether `;` parts alternatives and `{a, b}` stands for any of the columns.

    Returns:
        The statements; None if the field is empty, so that no reference is known.

    Raises:
        InputError: the field holds something else, such as a number.
    """
    texts = [text for text in _texts(value, dialect) if text.strip()]
    if not texts:
        return None
    statements = [text for text in texts if not is_unanswerable(text)]
    return tuple(
        chain.from_iterable(map(gold_alternatives, statements)) if is_template else statements
    )


def unread_templates(cases: Iterable[CaseResult]) -> int:
    """Count cases whose reference did not run and is a template, of several right statements."""
    return sum(
        case.bucket in {"non_select", "gold_fail"}
        and (case.reason or "").startswith("reference:")
        and _is_template(case.closest_sql or "")
        for case in cases
    )


def _is_template(sql: str) -> bool:
    """Return whether a text has parts behind `;`, or columns in braces: `SELECT {a, b} FROM t`."""
    return gold_alternatives(sql) != [sql.strip().rstrip(";").strip()]


def predicted_of(value: object, *, dialect: str | None = None) -> str | None:
    """Return the statement in an answer, else the answer as it is; None for `None` and null.

    An answer may be a text, or an object with one in it, such as a chat completion.
    """
    if value is None:
        return None
    from sqlobs.check.llm_output.answer_text import text_of

    text = text_of(value) or ("" if isinstance(value, str | dict | list) else str(value))
    if is_unanswerable(text):
        return None
    from sqlobs.check.llm_output.extraction import extract_sql

    found = extract_sql(text, dialect=dialect)
    return text if found is None else found.sql


def found_sql(answer: object, *, dialect: str | None = None) -> str | None:
    """Return the SQL in whatever a system returned; None if there is none."""
    from sqlobs.check.llm_output.answer_text import text_of
    from sqlobs.check.llm_output.extraction import extract_sql

    found = extract_sql(text_of(answer), dialect=dialect)
    return None if found is None else found.sql


def _texts(value: object, dialect: str | None) -> Iterator[str]:
    chosen = value.get(dialect) if isinstance(value, Mapping) else value
    for entry in chosen if isinstance(chosen, list | tuple) else (chosen,):
        if isinstance(entry, str):
            yield entry
        elif entry is not None and entry == entry:  # noqa: PLR0124 - NaN is an empty cell
            raise InputError(
                f"{json.dumps(entry, default=str)[:40]} is not a statement; a reference is a text,"
                " a list of texts, or an object from dialects to them"
            )
