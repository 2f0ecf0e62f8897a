"""A leaderboard as terminal text and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.ranking import Place
from sqlobs.reporting.disagreement import GROUPING_TITLES
from sqlobs.reporting.judged import score_title
from sqlobs.reporting.text_table import aligned
from sqlobs.reporting.wording import counted, label, shown_share

_SEVERAL: Final = 2

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.metrics.ranking import KindMean, Leaderboard
    from sqlobs.reporting.disagreement import ErrorRates
    from sqlobs.reporting.judged import CategorySpread
    from sqlobs.reporting.leaderboard.contestants import SystemCost


def leaderboard_block(
    board: Leaderboard,
    *,
    spread: Sequence[CategorySpread] = (),
    errors: Sequence[ErrorRates] = (),
    costs: Sequence[SystemCost] = (),
) -> str:
    """Return the table, rank changes, means by type, categories, error rates and cost.

    Args:
        board: The leaderboard.
        spread: The judges' category shares over the ranked runs.
        errors: False positives and negatives by type and by difficulty.
        costs: What judging each run cost.
    """
    return "\n".join([*_lines(board), *_spread(spread), *_errors(errors), *_costs(costs)])


def leaderboard_document(
    board: Leaderboard,
    *,
    spread: Sequence[CategorySpread] = (),
    errors: Sequence[ErrorRates] = (),
    costs: Sequence[SystemCost] = (),
) -> dict[str, object]:
    """Return the leaderboard as plain JSON; scores in percent, shares of categories in [0, 1]."""
    return {
        **asdict(board),
        "categories": [asdict(entry) for entry in spread],
        "error_rates": [asdict(entry) for entry in errors],
        "judge_costs": [{"name": entry.name, **asdict(entry.cost)} for entry in costs],
    }


def movement(place: Place) -> str:
    """Return how many ranks a system gained or lost, with an arrow; `-` if unchanged."""
    if not place.movement:
        return "-"
    return f"{'↑' if place.movement > 0 else '↓'}{abs(place.movement)}"


def shown_score(score: float | None, sign: str = "") -> str:
    """Format a score with two decimals, signed if `sign` is `+`; `n/a` if unknown."""
    return "n/a" if score is None else f"{score:{sign}.2f}"


def entitled(place: Place) -> str:
    """Return a system's name, with the number of its cases without a verdict, if any."""
    name = label(place.name)
    return f"{name} ({place.undecided} without a verdict)" if place.undecided else name


def summary_line(board: Leaderboard) -> str:
    """Return one sentence on how the judge changes the ranking, or why execution ranks."""
    if not board.places:
        return "No systems."
    if board.mean_rank_change is None or board.mean_delta is None:
        return f"Ranked by execution: {_why_by_execution(board)}."
    [judge] = board.judges
    by = f" Judged by {label(judge)}." if "/" in judge else ""
    return (
        f"Mean rank change {board.mean_rank_change:.2f}, maximum {board.max_rank_change};"
        f" mean {score_title(judge)} - EX {board.mean_delta:+.2f}.{by}"
    )


def _why_by_execution(board: Leaderboard) -> str:
    lacking = sum(place.flex is None for place in board.places)
    if lacking:
        return f"{counted(lacking, 'system')} {'was' if lacking == 1 else 'were'} not judged"
    return f"{counted(len(board.judges), 'judge')}, whose scores cannot be compared"


def undecided_line(board: Leaderboard) -> str | None:
    """Return how many cases without a verdict are in the scores; None if all have one."""
    count = sum(place.undecided for place in board.places)
    if not count:
        return None
    verb = "counts" if count == 1 else "count"
    return f"{counted(count, 'case')} without a verdict {verb} as incorrect."


def score_titles(board: Leaderboard) -> list[str]:
    """Return each judge's column header; with several judges, headers include their names."""
    if len(board.judges) < _SEVERAL:
        return [score_title(judge) for judge in board.judges]
    return [
        label(name) if "/" in name else f"{score_title(name)} (model not stated)"
        for name in board.judges
    ]


def scores_by_judge(entry: Place | KindMean, board: Leaderboard) -> list[float | None]:
    """Return a score for each judge on the board, known only for the entry's own judge.

    Systems grouped by type have one only if all of them have the same judge.
    """
    if len(board.judges) < _SEVERAL:
        return [entry.flex for _ in board.judges]
    own = entry.judge if isinstance(entry, Place) else None
    return [entry.flex if own == judge else None for judge in board.judges]


def _lines(board: Leaderboard) -> Iterator[str]:
    heads = _score_heads(board)
    rows = [
        ("Rank", *([""] if board.judges else []), "System", "Type", *heads),
        *(
            (
                str(place.rank),
                *([movement(place)] if board.judges else []),
                entitled(place),
                label(place.kind or ""),
                *_scores(place, board),
            )
            for place in board.places
        ),
    ]
    yield from aligned(rows, f"{'><' if board.judges else '>'}<<{'>' * len(heads)}")
    yield ""
    yield summary_line(board)
    undecided = undecided_line(board)
    if undecided is not None:
        yield undecided
    if board.kinds:
        yield ""
        kinds = [("Type", "Systems", *heads)]
        kinds += [(label(k.kind), str(k.count), *_scores(k, board)) for k in board.kinds]
        yield from aligned(kinds, f"<>{'>' * len(heads)}")


def _score_heads(board: Leaderboard) -> list[str]:
    """Return the score headers; a difference only with a single judge."""
    titles = score_titles(board)
    return [*titles, "EX", *([f"{titles[0]}-EX"] if len(titles) == 1 else [])]


def _scores(entry: Place | KindMean, board: Leaderboard) -> list[str]:
    """Return the judges' scores, execution accuracy, and the difference for a single judge."""
    scores = [shown_score(score) for score in scores_by_judge(entry, board)]
    delta = [shown_score(entry.delta, "+")] if len(scores) == 1 else []
    return [*scores, shown_score(entry.ex), *delta]


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
    yield from aligned(rows, "<<>>")


def _errors(errors: Sequence[ErrorRates]) -> Iterator[str]:
    if not errors:
        return
    yield ""
    rows = [("", "Systems", "Cases", "False positives", "Std Dev", "False negatives", "Std Dev")]
    rows += [
        (
            f"{GROUPING_TITLES[entry.by]} {label(entry.name)}",
            str(entry.systems),
            f"{entry.cases:,}",
            f"{shown_share(entry.false_positives)}%",
            shown_share(entry.false_positives_deviation),
            f"{shown_share(entry.false_negatives)}%",
            shown_share(entry.false_negatives_deviation),
        )
        for entry in errors
    ]
    yield from aligned(rows, "<>>>>>>")


def _costs(costs: Sequence[SystemCost]) -> Iterator[str]:
    if costs:
        yield ""
    for entry in costs:
        yield f"{label(entry.name)}: {entry.cost.sentence}"
