"""The rates of a run's judges, raw and corrected by their calibration, and what judging cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.judge_correction import corrected_estimate
from sqlobs.reporting.figures import rate
from sqlobs.reporting.judged import silence_of
from sqlobs.reporting.wording import one_line, shown_interval, shown_share, shown_value
from sqlobs.scores.registry import SCORES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.metrics.judge_correction import CorrectedEstimate
    from sqlobs.reporting.figures import Figure
    from sqlobs.runs.case import CaseResult, JudgeVerdict
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


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCost:
    """What the verdicts of a run cost, answers of interrupted attempts included."""

    tokens: int
    usd: float | None
    """None if the price of the model is unknown."""
    verdicts: int

    @property
    def sentence(self) -> str:
        """The cost in one sentence."""
        each = f", {self.usd / self.verdicts:.6f} per verdict" if self.usd and self.verdicts else ""
        price = "price unknown" if self.usd is None else f"{self.usd:,.4f} USD{each}"
        return f"Judging: {self.tokens:,} tokens, {price}."


def judge_rates(run: Run) -> list[JudgeRate]:
    """Return the rate of each judge that needs no reference, and of others with a calibration."""
    names = dict.fromkeys(name for case in run.cases for name in case.verdicts)
    if _PAIRED in run.calibrations:
        names = {_PAIRED: None, **names}
    return [_rate(run, name) for name in names]


def judge_cost(run: Run) -> JudgeCost | None:
    """Return the cost of a run's judges; None without judges."""
    tokens, usd = run.settings.get("judge_tokens"), run.settings.get("judge_cost_usd")
    if not isinstance(tokens, int):
        return None
    verdicts = sum(
        found.correct is not None for case in run.cases for found in _verdicts(case).values()
    )
    return JudgeCost(
        tokens=tokens, usd=float(usd) if isinstance(usd, int | float) else None, verdicts=verdicts
    )


def cost_lines(run: Run) -> Iterator[str]:
    """Yield the sentence about the cost of judging, if there was a judge."""
    found = judge_cost(run)
    if found is not None:
        yield found.sentence


def _rate(run: Run, name: str) -> JudgeRate:
    def decide(case: CaseResult) -> bool | None:
        found = _verdicts(case).get(name)
        return None if found is None else found.correct

    asked = [case for case in run.cases if name in _verdicts(case)]
    figure = rate(asked, decide, name=SCORES[name].figure, title=SCORES[name].title, stage="judged")
    table = run.calibrations.get(name)
    return JudgeRate(
        name=name,
        figure=figure,
        corrected=table and corrected_estimate(figure.count or 0, figure.total, table),
        silence=silence_of([_verdicts(case)[name] for case in asked]),
    )


def _verdicts(case: CaseResult) -> dict[str, JudgeVerdict]:
    """Return all verdicts on a case by the judge's name."""
    paired = {} if case.judge is None else {case.judge.judge.partition("/")[0]: case.judge}
    return {**paired, **case.verdicts}
