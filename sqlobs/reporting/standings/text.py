"""A leaderboard as the terminal shows it, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from sqlobs.reporting.wording import counted, label

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sqlobs.metrics.leaderboard import KindMean, Leaderboard, Place
    from sqlobs.reporting.judged import CategorySpread


def leaderboard_block(board: Leaderboard, *, spread: Sequence[CategorySpread] = ()) -> str:
    """Return the table, how far the ranking moved, the means by type, and the categories.

    Args:
        board: The leaderboard.
        spread: How often judges chose each category, over the runs on the board.
    """
    return "\n".join([*_lines(board), *_spread(spread)])


def leaderboard_document(
    board: Leaderboard, *, spread: Sequence[CategorySpread] = ()
) -> dict[str, object]:
    """Return the leaderboard as plain JSON; scores in percent, shares of categories in [0, 1]."""
    return {**asdict(board), "categories": [asdict(entry) for entry in spread]}


def movement(place: Place) -> str:
    """Return how many ranks a system won or lost, with an arrow; `-` where it kept its rank."""
    if not place.movement:
        return "-"
    return f"{'↑' if place.movement > 0 else '↓'}{abs(place.movement)}"


def shown_score(score: float | None, sign: str = "") -> str:
    """Return a score with two decimals, with its sign where `sign` is `+`; `n/a` where unknown."""
    return "n/a" if score is None else f"{score:{sign}.2f}"


def entitled(place: Place) -> str:
    """Return a system's name, with how many of its cases have no verdict, if there are any."""
    name = label(place.name)
    return f"{name} ({place.undecided} without a verdict)" if place.undecided else name


def summary_line(board: Leaderboard) -> str:
    """Say in one sentence how far the ranking by execution was off, or that it is the ranking."""
    if not board.places:
        return "No systems."
    if board.mean_rank_change is None or board.mean_delta is None:
        lacking = sum(place.flex is None for place in board.places)
        verb = "was" if lacking == 1 else "were"
        return f"Ranked by execution: {counted(lacking, 'system')} {verb} not judged."
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
                entitled(place),
                label(place.kind or ""),
                *_scores(place),
            )
            for place in board.places
        ),
    ]
    yield from _aligned(*_told(rows, "><<<>>>", board, without=(1, 4, 6)))
    yield ""
    yield summary_line(board)
    if board.kinds:
        yield ""
        kinds = [("Type", "Systems", "FLEX", "EX", "FLEX-EX")]
        kinds += [(label(k.kind), str(k.count), *_scores(k)) for k in board.kinds]
        yield from _aligned(*_told(kinds, "<>>>>", board, without=(2, 4)))


def _scores(entry: Place | KindMean) -> tuple[str, str, str]:
    """Return the judge's score, execution accuracy, and how far they are apart."""
    return shown_score(entry.flex), shown_score(entry.ex), shown_score(entry.delta, "+")


def _told(
    rows: Sequence[Sequence[str]], sides: str, board: Leaderboard, *, without: Collection[int]
) -> tuple[list[list[str]], str]:
    """Leave columns out that are about a judge, where nobody was judged."""
    left_out = () if board.has_verdicts or not board.places else without
    told = [place for place in range(len(sides)) if place not in left_out]
    return [[row[place] for place in told] for row in rows], "".join(sides[p] for p in told)


def _spread(spread: Sequence[CategorySpread]) -> Iterator[str]:
    if not spread:
        return
    yield ""
    rows = [("Category", "Side", "Mean", "Std Dev")]
    rows += [
        (
            label(entry.key),
            entry.side.replace("_", " "),
            f"{100 * entry.mean:.1f}%",
            f"{100 * entry.deviation:.1f}",
        )
        for entry in spread
    ]
    yield from _aligned(rows, "<<>>")


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> Iterator[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(sides))]
    for row in rows:
        cells = (f"{c:{side}{width}}" for c, side, width in zip(row, sides, widths, strict=True))
        yield "  ".join(cells).rstrip()
