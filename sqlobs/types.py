"""Frozen values that cross layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "failed", "suspect", "not_evaluated"]
"""The one word about a statement; `CheckReport.verdict` says how it is found."""

Outcome = Literal["answered", "abstained", "clarified", "cancelled", "error"]
"""How a request ended, whatever the SQL is worth."""

Label = Literal["pass", "fail", "not_evaluated"]
"""The label of one evaluation."""


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A stretch of text, counted in characters; `line` and `column` start at 1."""

    start: int
    end: int
    line: int
    column: int


def label_of(decided: bool | None) -> Label:  # noqa: FBT001 - a tri-state, not a flag
    """Return the evaluation label of a tri-state: true, false, or not evaluated."""
    if decided is None:
        return "not_evaluated"
    return "pass" if decided else "fail"
