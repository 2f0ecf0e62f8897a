"""A leaderboard as the terminal shows it, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from sqlobs.reporting.wording import label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.metrics.leaderboard import Leaderboard, Place


def leaderboard_block(board: Leaderboard) -> str:
    """Return the table, then how far the ranking moved, then the means by type."""
    return "\n".join(_lines(board))


def leaderboard_document(board: Leaderboard) -> dict[str, object]:
    """Return the leaderboard as plain JSON; scores in percent."""
    return asdict(board)


def movement(place: Place) -> str:
    """Return how many ranks a system won or lost, with an arrow; `-` where it kept its rank."""
    if not place.movement:
        return "-"
    return f"{'↑' if place.movement > 0 else '↓'}{abs(place.movement)}"


def summary_line(board: Leaderboard) -> str:
    """Say in one sentence how far the ranking by execution was off."""
    if board.mean_rank_change is None or board.mean_delta is None:
        return "No systems."
    return (
        f"Mean rank change {board.mean_rank_change:.2f}, maximum {board.max_rank_change};"
        f" mean FLEX - EX {board.mean_delta:+.2f}."
    )


def _lines(board: Leaderboard) -> Iterator[str]:
    rows = [
        ("Rank", "", "System", "Type", "FLEX", "EX", "FLEX-EX"),
        *(
            (
                str(place.rank),
                movement(place),
                label(place.name),
                label(place.kind or ""),
                *(f"{score:.2f}" for score in (place.flex, place.ex)),
                f"{place.delta:+.2f}",
            )
            for place in board.places
        ),
    ]
    yield from _aligned(rows, "><<<>>>")
    yield ""
    yield summary_line(board)
    if board.kinds:
        yield ""
        kinds = [("Type", "Systems", "FLEX", "EX", "FLEX-EX")]
        kinds += [
            (label(k.kind), str(k.count), f"{k.flex:.2f}", f"{k.ex:.2f}", f"{k.delta:+.2f}")
            for k in board.kinds
        ]
        yield from _aligned(kinds, "<>>>>")


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> Iterator[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(sides))]
    for row in rows:
        cells = (f"{c:{side}{width}}" for c, side, width in zip(row, sides, widths, strict=True))
        yield "  ".join(cells).rstrip()
