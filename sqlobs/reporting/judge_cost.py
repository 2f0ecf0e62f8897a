"""What the judges of a run cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.runs.case import CaseResult, JudgeVerdict
    from sqlobs.runs.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCost:
    """What the verdicts of a run cost, answers of interrupted attempts included."""

    tokens: int
    usd: float | None
    """None if the price of the model is unknown."""
    verdicts: int
    repeated: int = 0
    """Calls that interruptions cut off, and that were made again; the server may bill both."""

    @property
    def sentence(self) -> str:
        """The cost in one sentence."""
        each = f", {self.usd / self.verdicts:.6f} per verdict" if self.usd and self.verdicts else ""
        price = "price unknown" if self.usd is None else f"{self.usd:,.4f} USD{each}"
        again = (
            f" Calls made again after interruptions: {self.repeated:,}." if self.repeated else ""
        )
        return f"Judging: {self.tokens:,} tokens, {price}.{again}"


def judge_cost(run: Run) -> JudgeCost | None:
    """Return the cost of a run's judges; None without judges."""
    tokens, usd = run.settings.get("judge_tokens"), run.settings.get("judge_cost_usd")
    if not isinstance(tokens, int):
        return None
    verdicts = sum(
        found.correct is not None
        for case in run.cases
        for found in verdicts_by_judge(case).values()
    )
    repeated = run.settings.get("judge_repeated_calls")
    return JudgeCost(
        tokens=tokens,
        usd=float(usd) if isinstance(usd, int | float) else None,
        verdicts=verdicts,
        repeated=repeated if isinstance(repeated, int) else 0,
    )


def cost_lines(run: Run) -> Iterator[str]:
    """Yield the sentence about the cost of judging, if there was a judge."""
    found = judge_cost(run)
    if found is not None:
        yield found.sentence


def verdicts_by_judge(case: CaseResult) -> dict[str, JudgeVerdict]:
    """Return all verdicts on a case by the judge's name."""
    paired = {} if case.judge is None else {case.judge.judge.partition("/")[0]: case.judge}
    return {**paired, **case.verdicts}
