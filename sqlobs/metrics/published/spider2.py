"""Spider 2.0: answers as tables, as texts, and as numbers in a text."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.types import Cell, ResultTable

Wanted = Literal["any", "all"]
"""How many of several references must be in an answer."""

TOLERANCE = 0.01
"""Numbers of tables this close are equal."""

_NUMBER: Final = re.compile(r"\b\d{1,3}(?:,\d{3})*\b(?:\.\d+)?%?|\b\d+\b(?:\.\d+)?%?")


def spider2_table_match(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    condition_columns: Sequence[int] = (),
    ignores_order: bool = False,
) -> bool:
    """Return whether every column of the reference is among the predicted columns.

    Surplus predicted columns are free, one predicted column may serve twice, numbers are equal
    within 0.01, NULL is 0. A reference without columns always matches. Truncated tables are
    compared on the fetched rows. Source: xlang-ai/Spider2, spider2-lite evaluate.py.

    Args:
        reference: The reference's table.
        predicted: The predicted table.
        condition_columns: The reference columns that count; none = all.
        ignores_order: Sort each column by itself first.
    """
    wanted = condition_columns or range(len(reference.columns))
    given = [
        _vector(predicted.column(place), ignores_order) for place in range(len(predicted.columns))
    ]
    return all(
        any(_close(_vector(reference.column(place), ignores_order), other) for other in given)
        for place in wanted
    )


def spider2_text_match(
    references: Sequence[str],
    answer: str,
    *,
    wanted: Wanted = "any",
    excluded: Iterable[str] = (),
) -> bool:
    """Search an answer for the references, ignoring case.

    Range 0 or 1, higher is better. Any part of the answer will do, of words too. No reference is
    found in none (`any`) and in every answer (`all`). Source: xlang-ai/Spider2, spider2
    evaluation_suite, eval_utils.py (`string_match`).

    Args:
        references: The texts that are right.
        answer: The system's answer.
        wanted: Whether any of them is enough, or all must be there.
        excluded: Texts that must not be there.
    """
    said = answer.lower()
    if any(text.lower() in said for text in excluded):
        return False
    return _decided(wanted, (text.lower() in said for text in references))


def spider2_number_match(
    references: Sequence[str | float],
    answer: str,
    *,
    is_percentage: bool = False,
    decimals: int = 4,
    wanted: Wanted = "any",
) -> bool:
    """Search the numbers of an answer for the references.

    Range 0 or 1, higher is better. `12,345.6` and `17.5%` (0.175) are numbers, signs are not read.
    Beside a single reference the answer must hold one number only. Source: xlang-ai/Spider2,
    spider2 evaluation_suite, eval_utils.py (`number_match`), whose one single reference may also
    stand outside of a list.

    Args:
        references: The numbers that are right, perhaps as texts with `%`.
        answer: The system's answer.
        is_percentage: Each reference is right as it is and a hundred times as great. With `all`
            both must be there, as in the source.
        decimals: Numbers are equal that differ by 10 to the power of minus this at most.
        wanted: Whether any of the references is enough, or all must be there.

    Raises:
        InputError: a reference is not a number.
    """
    said = [_number(text) for text in _NUMBER.findall(answer)]
    if len(references) == 1 and len(said) != 1:
        return False
    right = [_number(str(reference)) for reference in references]
    if is_percentage:
        right = [number for each in right for number in (each, each * 100)]
    tolerance: float = 10**-decimals
    return _decided(
        wanted, (any(abs(number - each) <= tolerance for number in said) for each in right)
    )


def _decided(wanted: Wanted, found: Iterable[bool]) -> bool:
    return any(found) if wanted == "any" else all(found)


def _number(text: str) -> float:
    bare = text.replace(",", "")
    try:
        return float(bare.replace("%", "")) / (100 if "%" in bare else 1)
    except ValueError:
        raise InputError(f"{text!r} is not a number") from None


def _vector(cells: Sequence[Cell], ignores_order: bool) -> list[Cell]:  # noqa: FBT001 - passed through
    vector = [0 if _is_null(cell) else cell for cell in cells]
    return sorted(vector, key=_order) if ignores_order else vector


def _is_null(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _order(cell: Cell) -> tuple[str, bool]:
    return str(cell), isinstance(cell, int | float)


def _close(cells: list[Cell], others: list[Cell]) -> bool:
    return len(cells) == len(others) and all(map(_equal, cells, others))


def _equal(cell: Cell, other: Cell) -> bool:
    if isinstance(cell, int | float) and isinstance(other, int | float):
        return math.isclose(cell, other, abs_tol=TOLERANCE)
    return cell == other
