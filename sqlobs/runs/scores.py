"""The names of the scores that a case, or a whole run, may have, and how to read each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlobs.runs.case import Stage

PERCENT: Final = 100.0


@dataclass(frozen=True, slots=True)
class Score:
    """How one score is shown: more is better for all of them."""

    name: str
    title: str
    best: float = 1.0
    """What a faultless prediction gets; the worst is 0."""
    is_timed: bool = False
    """It needs both statements timed; correct predictions may be better than faultless."""
    stage: Stage = "executed"
    """What gives it, of a request of production."""
    is_published: bool = True
    """It is known under this name; of any other evaluation the share that passes is shown."""

    @property
    def figure(self) -> str:
        """What the figure over a run's cases is called: `f1`, `execution_pass_rate`."""
        return self.name if self.is_published else f"{self.name}_pass_rate"

    @property
    def is_percent(self) -> bool:
        """Its values are percentages."""
        return self.best >= PERCENT


_ALL: Final = (
    Score("ex", "Execution accuracy"),
    Score("ex_set", "Execution accuracy (BIRD, sets)"),
    Score("ex_test_suite", "Execution accuracy (test suite)"),
    Score("ex_subset", "Execution accuracy (subset)"),
    Score("exp", "Execution precision"),
    Score("exr", "Execution recall"),
    Score("f1", "Execution F1"),
    Score("soft_f1", "Soft F1 (BIRD)"),
    Score("results_match", "Results Match"),
    Score("subset_percent", "Subsetting Percentage", best=100.0),
    Score("overlap_percent", "Percent Overlap", best=100.0),
    Score("same_row_count", "Have Same Row Count"),
    Score("bird_f1", "Bird Standard F1"),
    Score("ves_reward", "VES Score", best=1.25, is_timed=True),
    Score("time_ratio", "Reference time / prediction time", is_timed=True),
    Score("median_ratio", "… by the median of the runs", is_timed=True),
)

SCORES: Final = {score.name: score for score in _ALL}
"""All scores of a case by name, in the order in which they are shown."""

_OF_RUNS: Final = (
    Score("ves", "VES", best=PERCENT, is_timed=True),
    Score("r_ves", "R-VES", best=PERCENT * 1.25**0.5, is_timed=True),
)

PARTIAL_SCORES: Final = tuple(SCORES[name] for name in ("exp", "exr", "f1"))
"""Scores that say how close a wrong prediction comes."""

RUN_SCORES: Final = {score.name: score for score in _OF_RUNS}
"""Scores of a run that are put together from its cases' `time_ratio` and `ves_reward`."""


def _judged(name: str, title: str) -> Score:
    return Score(name, title, stage="judged", is_published=False)


_OF_PRODUCTION: Final = (
    Score("execution", "Accepted by the engine", is_published=False),
    Score("flex_noref", "Judged correct, without a reference", stage="judged"),
    _judged("adherence", "Judged to do what the question asks"),
    _judged("efficiency", "Judged to do no needless work"),
    _judged("injection", "Judged free of injected instructions"),
    Score("feedback", "Approved by users", stage="checked", is_published=False),
)

PRODUCTION_SCORES: Final = {score.name: score for score in _OF_PRODUCTION}
"""Scores that only requests of production have: 1 = passed, 0 = failed."""
