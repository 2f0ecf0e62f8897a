"""Dialogues in the terminal: right questions by turn, and dialogues without a wrong turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.reporting.figures import INTERACTIONS, interaction_figure
from sqlobs.reporting.text_table import head, row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.reporting.figures import Interaction
    from sqlobs.runs.case import CaseResult

_LAST: Final = 4
"""SParC's and CoSQL's evaluator puts all later turns into one column."""


def turn_lines(cases: Sequence[CaseResult]) -> list[str]:
    """Return the table of question match by turn and of interaction match; empty without dialogues.

    A turn that was not evaluated counts as wrong, as in the original.
    """
    held = [case for case in cases if case.dialogue is not None]
    if not held:
        return []
    turns: dict[str, list[CaseResult]] = {}
    for case in sorted(held, key=lambda case: case.turn or 1):
        turns.setdefault(_column(case.turn or 1), []).append(case)
    counts = {name: len(of) for name, of in turns.items()}
    counts["dialogues"] = len({case.dialogue for case in held})
    lines = [_line(held, turns, each) for each in INTERACTIONS]
    return ["=== DIALOGUES ===", *head(counts), *filter(None, lines)]


def _column(turn: int) -> str:
    return f"turn {turn}" if turn <= _LAST else f"turn > {_LAST}"


def _line(
    cases: Sequence[CaseResult], turns: dict[str, list[CaseResult]], of: Interaction
) -> str | None:
    whole = interaction_figure(cases, of)
    if not whole.total:
        return None
    shares = [sum(bool(of.decide(case)) for case in held) / len(held) for held in turns.values()]
    return row(of.short, [*shares, whole.value])
