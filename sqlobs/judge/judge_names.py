"""The names of all judges."""

from __future__ import annotations

from typing import Final, Literal, get_args

JudgeName = Literal[
    "flex", "flex_noref", "rubric", "equivalence", "adherence", "efficiency", "injection"
]
NAMES: Final[tuple[JudgeName, ...]] = get_args(JudgeName)
NEED_REFERENCE: Final[frozenset[JudgeName]] = frozenset({"flex", "rubric", "equivalence"})
