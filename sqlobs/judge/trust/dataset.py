"""A dataset judged by FLEX: one row per pair, with its categories.

    rows = await flex_rows(endpoint, [item, ...])

Independent of file formats: `FlexRow.verdict` is stored in a run's row and summed up by reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.judge.many import each
from sqlobs.judge.verdicts.categories import Categorization, Categorizer, side_of
from sqlobs.judge.verdicts.flex import FlexJudge
from sqlobs.runs.case import JudgeVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judgment import Judgment
    from sqlobs.judge.verdicts.judging import Judge


@dataclass(frozen=True, slots=True)
class FlexRow:
    """An executed pair with its judgment and, if categorized, its categories."""

    item: JudgeItem
    judgment: Judgment
    categorization: Categorization

    @property
    def verdict(self) -> JudgeVerdict:
        """The verdict in a run's row."""
        judgment = self.judgment
        version = judgment.prompt_version or judgment.decided_by
        return JudgeVerdict(
            judge=f"{judgment.name}/{version}" + (f"/{judgment.model}" if judgment.model else ""),
            correct=judgment.is_correct,
            score=judgment.score,
            explanation=judgment.explanation or judgment.reason,
            categories=self.categorization.keys,
            category_reasons={
                found.key: found.explanation
                for found in self.categorization.categories
                if found.explanation
            },
            suspicious=judgment.suspicious,
            reason=judgment.reason,
            results_equal=self.item.results_equal,
            votes={
                member.model or f"member {place}": member.is_correct
                for place, member in enumerate(judgment.members, start=1)
            },
        )


async def flex_rows(
    endpoint: Endpoint,
    items: Sequence[JudgeItem],
    *,
    judge: Judge | None = None,
    categorize: bool = True,
    seen: Callable[[FlexRow], None] | None = None,
) -> list[FlexRow]:
    """Judge the pairs of a dataset, in order.

    Args:
        endpoint: The endpoint.
        items: Executed pairs.
        judge: Replaces `FlexJudge(endpoint)`, for example by an ensemble or a tuned judge.
        categorize: Whether a second call categorizes faults and differences.
        seen: Called with each row on completion, in any order.
    """
    judging = judge or FlexJudge(endpoint)
    categorizer = Categorizer(endpoint) if categorize else None

    async def row(item: JudgeItem) -> FlexRow:
        made = await flex_row(item, judging, categorizer)
        if seen is not None:
            seen(made)
        return made

    return await each(row, items, concurrency=endpoint.config.concurrency)


async def flex_row(item: JudgeItem, judge: Judge, categorizer: Categorizer | None) -> FlexRow:
    """Judge one pair and, with a categorizer, categorize its faults or differences."""
    judgment = await judge.judge(item)
    if categorizer is None:
        found = Categorization(side=side_of(item, judgment))
    else:
        found = await categorizer.categorize(item, judgment)
    return FlexRow(item, judgment, found)
