"""Judges for the two labels of SQL Correctness, for statements that the checker left undecided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.check.fallback import FallbackRequest
from sqlobs.judge.judgment import Judgment, Usage
from sqlobs.types import label_of

if TYPE_CHECKING:
    from sqlobs.check.fallback import FallbackAnswer, LabelName
    from sqlobs.judge.fallback import LlmFallback
    from sqlobs.judge.item import JudgeItem


@dataclass(frozen=True, slots=True)
class LabelJudge:
    """Asks the checker's LLM fallback for one of the two labels; the score is a share of votes."""

    fallback: LlmFallback
    name: LabelName

    async def judge(self, item: JudgeItem) -> Judgment:
        """Return a judgment; an undecided one is `not_evaluated` with a reason."""
        answer = await self.fallback.ask(
            FallbackRequest(
                sql=item.sql,
                engine=item.dialect,
                dialect=item.dialect,
                schema=item.schema,
                hints=item.hints,
                facts=item.facts,
            )
        )
        return _judgment(answer, self.name, item)


def _judgment(answer: FallbackAnswer, name: LabelName, item: JudgeItem) -> Judgment:
    decided = answer.label(name)
    return Judgment(
        name=name,
        label=label_of(decided),
        score=None if decided is None else answer.score(name),
        reason=None if decided is not None else answer.reason or "undecided",
        explanation=answer.explanation,
        model=answer.model,
        prompt_version=answer.evaluator_version,
        usage=Usage(
            calls=answer.calls,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            cost_usd=answer.cost_usd,
        ),
        suspicious=answer.suspicious,
        decided_by="nobody" if decided is None else "judge",
        case_id=item.case_id,
    )
