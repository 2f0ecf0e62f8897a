"""The size of a result, for types whose size is cheap to read.

Tests: `tests/tracing/test_executions.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlobs.types import ResultTable


@dataclass(frozen=True, slots=True)
class ResultSize:
    """The size of a result; None = unknown."""

    rows: int | None = None
    columns: int | None = None
    is_truncated: bool | None = None


def result_size_of(value: object) -> ResultSize:
    """Return the size of a list of rows or a `ResultTable`; unknown for any other type."""
    if isinstance(value, ResultTable):
        return ResultSize(len(value.rows), len(value.columns), value.truncated)
    if isinstance(value, list | tuple):
        return ResultSize(len(value), width_of(value[0]) if value else None)
    return ResultSize()


def width_of(row: object) -> int | None:
    """Return the number of columns of a row, or None for an unknown type; never raises."""
    if not issubclass(type(row), list | tuple | Mapping):
        return None
    try:
        return len(row)  # type: ignore[arg-type]  # one of those
    except Exception:  # noqa: BLE001 - a driver's own row without a length
        return None
