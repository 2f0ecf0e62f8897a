"""Renders a result for a judge: rows truncated in the middle, long texts at the end."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.judge.item import Result
    from sqlobs.types import Cell, ResultTable, Row

ProfileName = Literal["seed", "repo"]

EMPTY: Final = "Empty execution result"
ABSENT: Final = "No execution result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """Limits of a rendering."""

    edge_rows: int
    """Rows kept at each end of a long table."""
    max_rows: int
    """Maximum rows; longer tables are truncated."""
    max_characters: int
    """Maximum characters; longer texts are truncated, numbers never."""
    has_header: bool


PROFILES: Final[dict[ProfileName, Rendering]] = {
    "seed": Rendering(edge_rows=50, max_rows=100, max_characters=50, has_header=True),
    "repo": Rendering(edge_rows=10, max_rows=20, max_characters=30, has_header=False),
}
"""The rules of the FLEX paper (appendix A.3) and of its published code."""


def render(result: Result | None, profile: ProfileName = "seed") -> str:
    """Return the text of a result; text is returned unchanged, None is `ABSENT`.

    Duplicate rows are kept. The last line is the shape of the full table.
    """
    if result is None:
        return ABSENT
    return result if isinstance(result, str) else render_table(result, PROFILES[profile])


def render_table(table: ResultTable, rendering: Rendering) -> str:
    """Return the text of a table."""
    count = len(table.rows)
    if not count:
        return EMPTY
    lines = _header(table.columns) if rendering.has_header else []
    lines += (_line(row, rendering) for row in _first(table.rows, rendering))
    if count > rendering.max_rows:
        lines.append("...")
        lines += (
            _line(table.rows[i], rendering) for i in range(count - rendering.edge_rows, count)
        )
    more = "+" if table.truncated else ""
    return "\n".join([*lines, f"shape=({count}{more}, {len(table.columns)})"])


def render_cell(cell: Cell, *, max_characters: int) -> str:
    """Return the text of a cell on one line; if truncated, followed by its full length."""
    if not isinstance(cell, str | bytes | bytearray | list | dict | tuple):
        return str(cell)
    text = str(cell).replace("\n", " ").strip()
    if len(text) <= max_characters:
        return text
    return f"{text[:max_characters]}... {len(text)} chars"


def _first(rows: Sequence[Row], rendering: Rendering) -> Iterable[Row]:
    return islice(rows, None if len(rows) <= rendering.max_rows else rendering.edge_rows)


def _header(columns: Sequence[str]) -> list[str]:
    names = " | ".join(name.replace("\n", " ") for name in columns)
    return [f"| {names} |", f"|{' --- |' * len(columns)}"]


def _line(row: Row, rendering: Rendering) -> str:
    cells = (render_cell(cell, max_characters=rendering.max_characters) for cell in row)
    return f"| {' | '.join(cells)} |"
