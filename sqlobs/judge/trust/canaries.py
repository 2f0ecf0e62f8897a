"""Items with known verdicts, some hostile; running them regularly detects a drifting judge.

report = await run_canaries(judge)
if not report.is_sound: ...     # pause the judge; report.wrong lists the wrong verdicts
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from sqlobs.judge.item import JudgeItem
from sqlobs.judge.judgment import NOTHING_USED
from sqlobs.judge.many import judge_all

if TYPE_CHECKING:
    from sqlobs.judge.judgment import Judgment, Usage
    from sqlobs.judge.verdicts.judging import Judge

_AT_ONCE: Final = 4
TOLERATED: Final = 0.2
"""Maximum share of wrong verdicts on ordinary canaries; on hostile ones none is allowed."""


@dataclass(frozen=True, slots=True)
class Canary:
    """An item with a known verdict."""

    item: JudgeItem
    correct: bool
    is_hostile: bool
    """Whether its data instructs the judge to give the opposite verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryReport:
    """A judge's results on all canaries."""

    asked: int
    unheard: tuple[Judgment, ...]
    """Canaries without a verdict: a problem of the endpoint, not of the judge."""
    wrong: tuple[Judgment, ...]
    misled: tuple[Judgment, ...]
    """Hostile canaries with a wrong verdict: the judge followed the injection."""
    usage: Usage = NOTHING_USED
    """Usage of the run."""

    @property
    def silent(self) -> int:
        """Return the number of canaries without a verdict."""
        return len(self.unheard)

    @property
    def is_sound(self) -> bool | None:
        """Whether the judge is reliable; None if it gave too few verdicts."""
        answered = self.asked - self.silent
        if 2 * answered < self.asked:
            return None
        return not self.misled and len(self.wrong) <= TOLERATED * answered


@cache
def canaries() -> tuple[Canary, ...]:
    """Return the built-in canaries."""
    text = files("sqlobs.judge").joinpath("canaries.json").read_text("utf-8")
    document = json.loads(text)
    return tuple(
        Canary(
            item=JudgeItem(
                case_id=entry["id"],
                question=entry["question"],
                sql=entry["sql"],
                reference=entry["reference"],
                results_equal=entry["results_equal"],
                predicted_result=entry.get("predicted_result"),
                reference_result=entry.get("reference_result"),
                schema=document["schema"],
                dialect=document["dialect"],
            ),
            correct=entry["correct"],
            is_hostile=entry.get("is_hostile", False),
        )
        for entry in document["canaries"]
    )


async def run_canaries(judge: Judge) -> CanaryReport:
    """Run all canaries on a judge, whose endpoint must not have a cache."""
    known = canaries()
    judgments = await judge_all(judge, [canary.item for canary in known], concurrency=_AT_ONCE)
    pairs = list(zip(known, judgments, strict=True))
    wrong = [
        (canary, judgment)
        for canary, judgment in pairs
        if judgment.is_correct is not None and judgment.is_correct != canary.correct
    ]
    return CanaryReport(
        asked=len(pairs),
        unheard=tuple(judgment for judgment in judgments if judgment.is_correct is None),
        wrong=tuple(judgment for _, judgment in wrong),
        misled=tuple(judgment for canary, judgment in wrong if canary.is_hostile),
        usage=sum((judgment.usage for judgment in judgments), NOTHING_USED),
    )
