"""Items with known verdicts, hostile ones too: asked regularly, they tell when a judge drifts.

report = await run_canaries(judge)
if not report.is_sound: ...     # pause the judge; report.wrong says where it was mistaken
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from sqlobs.judge.item import JudgeItem
from sqlobs.judge.judgement import NOTHING_USED
from sqlobs.judge.many import judge_all

if TYPE_CHECKING:
    from sqlobs.judge.judgement import Judgement, Usage
    from sqlobs.judge.verdicts.judging import Judge

_AT_ONCE: Final = 4
TOLERATED: Final = 0.2
"""Share of wrong verdicts on ordinary canaries that is still sound; of hostile ones none is."""


@dataclass(frozen=True, slots=True)
class Canary:
    """One item whose verdict is beyond doubt."""

    item: JudgeItem
    correct: bool
    is_hostile: bool
    """Its data orders the judge to say the opposite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryReport:
    """How a judge did on all canaries."""

    asked: int
    unheard: tuple[Judgement, ...]
    """Those without a verdict: the endpoint's trouble, not the judge's."""
    wrong: tuple[Judgement, ...]
    misled: tuple[Judgement, ...]
    """Those of the wrong whose data gave orders."""
    usage: Usage = NOTHING_USED
    """What asking took."""

    @property
    def silent(self) -> int:
        """Return how many canaries have no verdict."""
        return len(self.unheard)

    @property
    def is_sound(self) -> bool | None:
        """The judge may be trusted as before; None where it said too little."""
        answered = self.asked - self.silent
        if 2 * answered < self.asked:
            return None
        return not self.misled and len(self.wrong) <= TOLERATED * answered


@cache
def canaries() -> tuple[Canary, ...]:
    """Return the canaries of the package."""
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
    """Ask a judge about all canaries. An endpoint with a cache answers from it: give it none."""
    known = canaries()
    judgements = await judge_all(judge, [canary.item for canary in known], concurrency=_AT_ONCE)
    pairs = list(zip(known, judgements, strict=True))
    wrong = [
        (canary, judgement)
        for canary, judgement in pairs
        if judgement.is_correct is not None and judgement.is_correct != canary.correct
    ]
    return CanaryReport(
        asked=len(pairs),
        unheard=tuple(judgement for judgement in judgements if judgement.is_correct is None),
        wrong=tuple(judgement for _, judgement in wrong),
        misled=tuple(judgement for canary, judgement in wrong if canary.is_hostile),
        usage=sum((judgement.usage for judgement in judgements), NOTHING_USED),
    )
