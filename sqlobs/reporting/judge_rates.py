"""The rates of a run's judges, raw and corrected by their calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.judge_correction import corrected_estimate
from sqlobs.reporting.figures import rate
from sqlobs.reporting.judge_cost import verdicts_by_judge
from sqlobs.reporting.judged import silence_of
from sqlobs.reporting.wording import one_line, shown_interval, shown_share, shown_value
from sqlobs.scores.registry import SCORES

if TYPE_CHECKING:
    from sqlobs.metrics.judge_correction import CorrectedEstimate
    from sqlobs.reporting.figures import Figure
    from sqlobs.runs.case import CaseResult
    from sqlobs.runs.run import Run

_PAIRED: Final = "flex"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRate:
    """The share of statements that a judge accepts."""

    name: str
    figure: Figure
    corrected: CorrectedEstimate | None
    """None without a calibration, or if it allows no correction."""
    silence: str | None
    """Why statements have no verdict."""

    @property
    def sentence(self) -> str:
        """The rate with its denominator and interval, and the corrected one."""
        figure = self.figure
        shown = f"{shown_value(figure)} ({shown_interval(figure)})" if figure.total else "n/a"
        text = f"{self.name}: {figure.count or 0} of {figure.total} judged, {shown}"
        if self.corrected is not None:
            ends = self.corrected.interval
            note = ", conservative" if self.corrected.is_conservative else ""
            text += (
                f"; corrected {shown_share(self.corrected.rate)} %"
                f" ({shown_share(ends.low)} to {shown_share(ends.high)}{note})"
            )
        return text + (f"; {one_line(self.silence)}" if self.silence else "")


def judge_rates(run: Run) -> list[JudgeRate]:
    """Return the rate of each judge that needs no reference, and of others with a calibration."""
    names = dict.fromkeys(name for case in run.cases for name in case.verdicts)
    if _PAIRED in run.calibrations:
        names = {_PAIRED: None, **names}
    return [_rate(run, name) for name in names]


def _rate(run: Run, name: str) -> JudgeRate:
    def decide(case: CaseResult) -> bool | None:
        found = verdicts_by_judge(case).get(name)
        return None if found is None else found.correct

    asked = [case for case in run.cases if name in verdicts_by_judge(case)]
    figure = rate(asked, decide, name=SCORES[name].figure, title=SCORES[name].title, stage="judged")
    table = run.calibrations.get(name)
    return JudgeRate(
        name=name,
        figure=figure,
        corrected=table and corrected_estimate(figure.count or 0, figure.total, table),
        silence=silence_of([verdicts_by_judge(case)[name] for case in asked]),
    )
