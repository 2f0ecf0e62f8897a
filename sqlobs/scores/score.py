"""What is known about one score, and the result of scoring one request with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from sqlobs.metrics.match import Match
from sqlobs.semconv import collector as gauges
from sqlobs.semconv.collector import CollectorMetric
from sqlobs.semconv.evaluations import pass_rate
from sqlobs.types import Label, label_of

if TYPE_CHECKING:
    from sqlobs.failure_codes import Reason
    from sqlobs.runs.case import CellMode, Stage
    from sqlobs.scores.comparison import Comparison
    from sqlobs.scores.whole_results import WholeResults

    Compute: TypeAlias = Callable[[Comparison], Match | float | None]
    FromDigests: TypeAlias = Callable[[WholeResults], bool | None]

Direction = Literal["higher", "lower"]
Need = Literal["check", "engine", "execution", "reference", "timing", "judge", "user"]
"""What a score is computed from."""
ColumnGroup = Literal["Evaluation Metrics", "BIRD Bench Metrics", "sqlobs"]

PERCENT: Final = 100.0
_DENOMINATORS: Final[dict[Need, str]] = {
    "judge": "requests the judge decided",
    "user": "requests with feedback",
    "reference": "executed requests with an executable reference",
    "execution": "executed requests",
    "engine": "requests on which the local engine decided",
    "check": "requests with a label",
}


@dataclass(frozen=True, slots=True)
class Score:
    """One score: its range is 0 to `best`."""

    name: str
    title: str
    """The label in reports."""
    about: str
    """One sentence for the documentation."""
    needs: frozenset[Need]
    best: float = 1.0
    """The value of a faultless prediction."""
    better: Direction = "higher"
    compute: Compute | None = None
    """Compares two results; `None` where a check, a judge or a user gives the score."""
    from_digests: FromDigests | None = None
    """Decides the score where a result was cut: equal, different, or `None` for still open."""
    cells: CellMode | None = None
    """How cells are compared; `None` where the technique of partial credit says so."""
    is_graded: bool = False
    """Values between 0 and `best` carry meaning."""
    is_partial: bool = False
    """Credit for single cells, by the technique of partial credit."""
    is_online: bool = False
    """The collector computes it, too."""
    is_published: bool = True
    """Reports show it under its own name; otherwise as the share that passes."""
    rate: str | None = None
    """The name of its share in gates and JSON, where that is not the share that passes."""
    own_gauge: CollectorMetric | None = None
    """A further gauge that shows this score alone."""
    column: str | None = None
    """The description of its column in the workbook, if it has one; page, terminal and JSON show
    every score."""
    group: ColumnGroup = "sqlobs"
    """The group of columns that it is in."""
    denominator: str | None = None
    """The requests that its rate or mean is taken over, where the needs do not say so."""

    @property
    def over(self) -> str:
        """The requests that its rate or mean is taken over."""
        needed = next(text for need, text in _DENOMINATORS.items() if need in self.needs)
        return self.denominator or needed

    @property
    def figure(self) -> str:
        """The name in gates and in JSON: `f1`, `execution_pass_rate`."""
        return self.name if self.is_published else self.rate or pass_rate(self.name)

    @property
    def gauges(self) -> tuple[CollectorMetric, ...]:
        """The gauges of the collector that show it; a mean has an interval within 0 to 1 only."""
        has_mean = self.is_graded and self.best == 1 and not self.is_timed
        further = (gauges.QUALITY_SCORE if has_mean else None, self.own_gauge)
        return (gauges.QUALITY_PASS_RATE, *filter(None, further))

    @property
    def stage(self) -> Stage:
        """How far a request of production must come to have it."""
        if "judge" in self.needs:
            return "judged"
        return "checked" if self.needs.isdisjoint({"engine", "execution"}) else "executed"

    @property
    def is_timed(self) -> bool:
        """Both statements must be timed; a correct prediction may exceed 1."""
        return "timing" in self.needs

    @property
    def range(self) -> str:
        """The values that it may have, in words."""
        is_open = self.is_timed and self.best == 1
        return "0 or more" if is_open else f"0 to {self.best:g}"

    @property
    def is_percent(self) -> bool:
        """Its values are percentages."""
        return self.best >= PERCENT

    def passed(self) -> ScoreResult:
        """Return the result of a faultless prediction."""
        return ScoreResult(self.name, "pass", self.best)

    def failed(self, explanation: str | None = None) -> ScoreResult:
        """Return the result of a prediction that gives no comparable rows."""
        return ScoreResult(self.name, "fail", 0.0, explanation=explanation)

    def not_evaluated(self, reason: Reason) -> ScoreResult:
        """Return the result where nothing can be said."""
        return ScoreResult(self.name, "not_evaluated", reason=reason)

    def graded(self, value: float) -> ScoreResult:
        """Return the result for a value: only the best one passes."""
        return ScoreResult(self.name, label_of(value == self.best), value)

    def matched(self, match: Match) -> ScoreResult:
        """Return the result for a comparison that may be undetermined."""
        if match.equal is None:
            return self.not_evaluated("truncated" if match.reason == "truncated" else "budget")
        return self.passed() if match.equal else self.failed()


@dataclass(frozen=True, slots=True)
class ScoreResult:
    """The result of one score for one request."""

    name: str
    label: Label
    value: float | None = None
    reason: Reason | None = None
    """Present exactly when the label is `not_evaluated`."""
    explanation: str | None = None
    """Why a prediction without comparable rows fails: a failure code or the rejection."""
    detail: Mapping[str, object] = field(default_factory=dict)
