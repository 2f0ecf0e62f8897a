"""The tables of the benchmarks' own evaluators: Spider's by hardness, BIRD's by difficulty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.spider.corpus import ALL, LevelCounts
from sqlobs.metrics.spider.exact_match import PARTS, ExactMatch, PartScore
from sqlobs.metrics.spider.hardness import LEVELS
from sqlobs.reporting.dialogues import turn_lines
from sqlobs.reporting.text_table import head, row
from sqlobs.scores.score import PERCENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlobs.metrics.spider.corpus import PartRates
    from sqlobs.runs.case import CaseResult
    from sqlobs.runs.run import Run

    Levels = Mapping[str, Sequence[CaseResult]]

BIRD_LEVELS: Final = ("simple", "moderate", "challenging")
_TOTAL: Final = "total"


@dataclass(frozen=True, slots=True)
class _BirdScore:
    """A row of BIRD's table: a score of cases, and what each adds to the sum."""

    title: str
    score: str
    add: Callable[[float], float]


_BIRD_SCORES: Final = (
    _BirdScore("EX (sets)", "ex_set", float),
    _BirdScore("Soft F1", "soft_f1", float),
    _BirdScore("VES", "time_ratio", math.sqrt),
    _BirdScore("R-VES", "ves_reward", math.sqrt),
)


def benchmark_block(run: Run) -> str:
    """Return the table of the benchmark that the cases are from; "" if they are from none.

    The text starts with a newline.
    """
    lines = [*_spider_lines(run.cases), *turn_lines(run.cases), *_bird_lines(run.cases)]
    return "\n".join(["", "", *lines]) if lines else ""


def _spider_lines(cases: Sequence[CaseResult]) -> list[str]:
    if not any(case.clauses for case in cases):
        return []
    levels = _by_level(cases, LEVELS, ALL)
    counts = {name: _counts(held) for name, held in levels.items()}
    unsupported = counts[ALL].unsupported
    lines = [
        "=== SPIDER ===",
        *head({name: len(held) for name, held in levels.items()}),
        *_execution_lines(levels),
        row("exact match", (held.rate for held in counts.values())),
    ]
    for title, value in _PART_RATES.items():
        lines.append(f"--- {title}")
        lines += [
            row(part, (value(held.parts[part]) for held in counts.values())) for part in PARTS
        ]
    if unsupported:
        lines.append(
            f"{unsupported} of {counts[ALL].total} predictions are outside Spider's grammar"
        )
    return lines


_PART_RATES: Final[Mapping[str, Callable[[PartRates], float | None]]] = {
    "partial matching accuracy": lambda rates: rates.accuracy,
    "partial matching recall": lambda rates: rates.recall,
    "partial matching F1": lambda rates: rates.f1,
}


def _counts(cases: Sequence[CaseResult]) -> LevelCounts:
    counts = LevelCounts()
    for case in cases:
        if case.clauses is not None:
            scores = {part: PartScore(*case.clauses.parts[part]) for part in PARTS}
            is_exact = case.scores["spider_em"] == 1
            counts.add(ExactMatch(is_exact, scores, case.clauses.is_supported))
    return counts


def _execution_lines(levels: Levels) -> list[str]:
    """Return test-suite accuracy over all cases; a case that could not be compared counts as 0."""
    if all(case.scores.get("ex_testsuite") is None for case in levels[ALL]):
        return []
    return [row("execution", (_mean(held, "ex_testsuite", float) for held in levels.values()))]


def _bird_lines(cases: Sequence[CaseResult]) -> list[str]:
    """Return EX, soft F1, VES and R-VES times 100, over all cases as BIRD counts."""
    if not any(case.difficulty in BIRD_LEVELS for case in cases):
        return []
    levels = _by_level(cases, BIRD_LEVELS, _TOTAL)
    rows = [
        row(each.title, _hundredfold(levels, each), decimals=2)
        for each in _BIRD_SCORES
        if any(case.scores.get(each.score) is not None for case in cases)
    ]
    return (
        ["=== BIRD ===", *head({name: len(held) for name, held in levels.items()}), *rows]
        if rows
        else []
    )


def _hundredfold(levels: Levels, of: _BirdScore) -> list[float | None]:
    means = [_mean(held, of.score, of.add) for held in levels.values()]
    return [None if mean is None else PERCENT * mean for mean in means]


def _mean(cases: Sequence[CaseResult], score: str, add: Callable[[float], float]) -> float | None:
    return sum(add(case.scores.get(score) or 0.0) for case in cases) / len(cases) if cases else None


def _by_level(
    cases: Sequence[CaseResult], levels: Sequence[str], whole: str
) -> dict[str, list[CaseResult]]:
    found = {level: [case for case in cases if case.difficulty == level] for level in levels}
    return {**found, whole: list(cases)}
