"""Parses statements in files: `None`, alternatives, templates, answers that contain SQL."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlobs.metrics.published.defog import gold_alternatives
from sqlobs.metrics.text_match import UNANSWERABLE, is_unanswerable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlobs.runs.case import CaseResult

_logger = logging.getLogger(__name__)


def references_of(
    value: object, *, place: str, dialect: str | None = None, is_template: bool = False
) -> tuple[str, ...]:
    """Return all statements that a gold field holds; none = the question is unanswerable.

    Args:
        value: A statement, a list of them, a mapping from dialects to either, or nothing.
        place: Where it stands, for the warning that an empty field is read as `None`.
        dialect: Which entry of a mapping counts.
        is_template: Whether `;` parts alternatives and `{a, b}` stands for any of the columns.
    """
    found = tuple(_statements(value, dialect, is_template=is_template))
    if not found and not (isinstance(value, str) and value.strip() == UNANSWERABLE):
        _logger.warning("%s: no reference statement; read as None (unanswerable)", place)
    return found


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


def _statements(value: object, dialect: str | None, *, is_template: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from _statements(value.get(dialect), dialect, is_template=is_template)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _statements(entry, dialect, is_template=is_template)
    elif isinstance(value, str) and value.strip() and not is_unanswerable(value):
        yield from gold_alternatives(value) if is_template else (value,)
