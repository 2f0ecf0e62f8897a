"""A run's main rate by difficulty, database and features of the reference statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.reporting.figures import headline_rate, rate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlobs.reporting.figures import Figure
    from sqlobs.reporting.rates import Rate
    from sqlobs.runs.case import CaseResult

_MANY: Final = 3
"""Feature counts from here on form one level."""
_ENOUGH: Final = 5
MOST_LEVELS: Final = 12
"""Fields with more distinct values than this are not sliced."""
_DIFFICULTIES: Final = (
    ("simple", "moderate", "challenging"),
    ("easy", "medium", "hard", "extra"),
)
CASE_FIELDS: Final[tuple[tuple[str, str, Callable[[CaseResult], str | None]], ...]] = (
    ("difficulty", "Difficulty", lambda case: case.difficulty),
    ("question_category", "Category", lambda case: case.category),
    ("db", "Database", lambda case: case.db),
    ("workflow", "Workflow", lambda case: case.workflow),
    ("model", "Model", lambda case: case.generation.model if case.generation else None),
)
"""The fields of a case that a run is sliced by: name, title, and how it is read."""
FEATURES: Final = {
    "joins": "Joins",
    "subqueries": "Subqueries",
    "ctes": "Common table expressions",
    "predicates": "Predicates",
    "aggregates": "Aggregates",
    "functions": "Functions",
    "set_operations": "Set operations",
    "windows": "Window functions",
    "likes": "LIKE",
    "cases": "CASE",
    "arithmetic": "Arithmetic",
    "has_distinct": "DISTINCT",
    "has_group": "GROUP BY",
    "has_having": "HAVING",
    "has_order": "ORDER BY",
    "has_limit": "LIMIT",
}
"""The features of a statement, with their titles."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The levels of one feature with the rate of each: execution match, if known."""

    name: str
    title: str
    levels: tuple[Figure, ...]

    @property
    def spread(self) -> float:
        """The range of the rates of its levels with enough cases."""
        rates = [level.value or 0.0 for level in self.levels if level.total >= _ENOUGH]
        return max(rates) - min(rates) if rates else 0.0

    @property
    def is_feature(self) -> bool:
        """Whether it is a feature of the statement, not of the case."""
        return self.name in FEATURES


def slices_of(cases: Sequence[CaseResult]) -> list[Slice]:
    """Return the slices with at least two levels."""
    of = headline_rate(cases)
    found = [_slice(name, title, cases, value, of) for name, title, value in CASE_FIELDS]
    found += [_slice(name, title, cases, _level(name), of) for name, title in FEATURES.items()]
    return [item for item in found if 1 < len(item.levels) <= MOST_LEVELS]


def ordered_levels(levels: Iterable[str]) -> list[str]:
    """Return levels by number, then in their usual order where one is known, the rest by name."""
    return sorted(levels, key=_rank)


def _rank(level: str) -> tuple[int, int, str]:
    number, _, _ = level.partition(" ")
    if number.isdecimal():
        return 0, int(number), level
    known = {name: place for scale in _DIFFICULTIES for place, name in enumerate(scale)}
    place = known.get(level.casefold())
    return (2, 0, level) if place is None else (1, place, level)


def _slice(
    name: str,
    title: str,
    cases: Sequence[CaseResult],
    value: Callable[[CaseResult], str | None],
    of: Rate,
) -> Slice:
    """Return the cases by level; without levels where all cases have the same one."""
    groups: dict[str, list[CaseResult]] = {}
    for case in cases:
        level = value(case)
        if level is not None:
            groups.setdefault(level, []).append(case)
    levels = (
        rate(groups[level], of.decide, name=f"{name}={level}", title=level, stage=of.stage)
        for level in (ordered_levels(groups) if len(groups) > 1 else ())
    )
    return Slice(name, title, tuple(level for level in levels if level.total))


def _level(feature: str) -> Callable[[CaseResult], str | None]:
    is_flag = feature.startswith("has_")

    def level(case: CaseResult) -> str | None:
        count = case.shape.get(feature)
        if count is None:
            return None
        if is_flag:
            return "with" if count else "without"
        return f"{_MANY} or more" if count >= _MANY else str(count)

    return level
