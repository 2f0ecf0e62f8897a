"""Parses judge items from JSON objects, one per line of a case file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import InputError
from sqlobs.judge.item import JudgeItem

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "case_id": ("id", "case_id", "index"),
    "sql": ("predicted_sql", "sql", "pred_sql"),
    "question": ("question",),
    "dialect": ("dialect",),
    "schema": ("schema",),
    "hints": ("hints", "hint", "evidence"),
    "reference": ("reference_sql", "reference", "gt_sql", "gold_sql"),
    "predicted_result": ("predicted_result", "pred_exec"),
    "reference_result": ("reference_result", "gt_exec"),
    "predicted_error": ("predicted_error",),
}
"""Names under which a record may hold each field of an item, the preferred name first."""

_EQUAL: Final = ("results_equal", "ex")


@dataclass(frozen=True, slots=True)
class Source:
    """A record as an item, with its dataset fields."""

    item: JudgeItem
    difficulty: str | None = None
    sampled_by: str | None = None
    """How the item was drawn, as `sqlobs judge sample` notes it."""


def source_of(record: Mapping[str, Any], *, place: str) -> Source:
    """Parse the item of a record.

    Args:
        record: `id`, `predicted_sql`, and optionally `question`, `dialect`, `schema`,
            `hints`, `reference_sql`, `results_equal`, `predicted_result`, `reference_result` (as
            rendered), `predicted_error`, `difficulty`.
        place: File and line, for the message.

    Raises:
        InputError: It has no ID or no statement, or a field has the wrong type.
    """
    texts = {field: _text(record, names, place) for field, names in _NAMES.items()}
    for field in ("case_id", "sql"):
        if not texts[field]:
            raise InputError(f"{place}: no {_NAMES[field][0]}")
    difficulty = _text(record, ("difficulty", "hardness"), place)
    item = JudgeItem(**texts, results_equal=_equal(record, place))  # type: ignore[arg-type]  # sql is there
    return Source(item, difficulty, _text(record, ("sampled_by",), place))


def _text(record: Mapping[str, Any], names: tuple[str, ...], place: str) -> str | None:
    for name in names:
        value = record.get(name)
        if value is None or value == "":
            continue
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            raise InputError(f"{place}: {name} must be text")
        return value
    return None


def _equal(record: Mapping[str, Any], place: str) -> bool | None:
    for name in _EQUAL:
        value = record.get(name)
        if value is None:
            continue
        if value in (0, 1):
            return bool(value)
        raise InputError(f"{place}: {name} must be true or false")
    return None
