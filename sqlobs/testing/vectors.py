"""Golden vectors: what each published evaluator returned, and how to ask our metric the same.

A file holds JSON objects, one a line or in one array: `id`, `metric`, `expected`, and as needed
`options`, `reference` and `predicted` (`columns`, `rows`), `reference_sql`, `predicted_sql`; the
published form has `gold_rows`, `pred_rows` and so on instead. Cells are JSON values or one of
`{"$dec": text}`, `{"$date": text}`, `{"$dt": text}`, `{"$bytes": hex}`, `{"$num": "nan" | "inf"}`.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import InputError
from sqlobs.types import ResultTable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Vector:
    """One input of a metric and its expected value."""

    id: str
    metric: str
    expected: Entry
    reference: ResultTable | None = None
    predicted: ResultTable | None = None
    reference_sql: str | None = None
    predicted_sql: str | None = None
    options: Entry = field(default_factory=dict)


def load_vectors(path: Path) -> list[Vector]:
    """Read a file of vectors, in sqlobs' form or the published one.

    Raises:
        InputError: The file contains no vectors.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if text.lstrip().startswith("["):
            entries = json.loads(text)
        else:
            entries = [json.loads(line) for line in text.splitlines() if line.strip()]
        return [_vector(entry) for entry in entries]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} contains no vectors ({type(error).__name__})") from None


def agrees(expected: object, actual: object, *, tolerance: float) -> bool:
    """Compare an answer with the golden one, numbers within a tolerance."""
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(
            key in actual and agrees(value, actual[key], tolerance=tolerance)
            for key, value in expected.items()
        )
    if isinstance(expected, list | tuple):
        if not isinstance(actual, list | tuple) or len(expected) != len(actual):
            return False
        return all(
            agrees(one, other, tolerance=tolerance)
            for one, other in zip(expected, actual, strict=True)
        )
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        return math.isclose(expected, actual, rel_tol=0, abs_tol=tolerance)
    return expected == actual


def cell(value: object) -> object:
    """Decode one cell."""
    if not isinstance(value, dict):
        return value
    ((kind, text),) = value.items()
    return _CELLS[kind](text)


_CELLS: Final[dict[str, Callable[[str], object]]] = {
    "$bytes": bytes.fromhex,
    "$date": dt.date.fromisoformat,
    "$dec": Decimal,
    "$dt": dt.datetime.fromisoformat,
    "$num": float,
}


def _vector(entry: Entry) -> Vector:
    reference = entry.get("reference", _published(entry, "gold"))
    predicted = entry.get("predicted", _published(entry, "pred"))
    return Vector(
        id=entry["id"],
        metric=entry["metric"],
        expected=entry["expected"],
        reference=_table(reference.get("columns"), reference.get("rows")),
        predicted=_table(predicted.get("columns"), predicted.get("rows")),
        reference_sql=entry.get("reference_sql", entry.get("gold_sql")),
        predicted_sql=entry.get("predicted_sql", entry.get("pred_sql")),
        options=entry.get("options", {}),
    )


def _published(entry: Entry, side: str) -> Entry:
    return {key: entry[f"{side}_{key}"] for key in ("columns", "rows") if f"{side}_{key}" in entry}


def _table(columns: list[str] | None, rows: list[list[object]] | None) -> ResultTable | None:
    if rows is None:
        return None if columns is None else ResultTable(tuple(columns), ())
    width = max(map(len, rows), default=0)
    names = columns if columns is not None else [f"c{place}" for place in range(width)]
    return ResultTable(tuple(names), tuple(tuple(map(cell, row)) for row in rows))
