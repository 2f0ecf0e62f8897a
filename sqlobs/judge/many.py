"""Many items at once: as many in flight as the endpoint allows, judgments in the items' order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judgement import Judgement
    from sqlobs.judge.verdicts.judging import Judge

T = TypeVar("T")
R = TypeVar("R")


async def judge_all(
    judge: Judge,
    items: Sequence[JudgeItem],
    *,
    concurrency: int,
    seen: Callable[[Judgement], None] | None = None,
) -> list[Judgement]:
    """Judge all items.

    Args:
        judge: Who judges.
        items: What to judge.
        concurrency: How many are under way at once; the endpoint's own bound holds besides.
        seen: Called with each judgment as it comes, in any order.
    """

    async def judged(item: JudgeItem) -> Judgement:
        judgement = await judge.judge(item)
        if seen is not None:
            seen(judgement)
        return judgement

    return await each(judged, items, concurrency=concurrency)


async def each(
    work: Callable[[T], Awaitable[R]], inputs: Sequence[T], *, concurrency: int
) -> list[R]:
    """Do the work for every input, so many at a time; return what came of each, in order."""
    done: dict[int, R] = {}

    async def worker(waiting: Iterator[tuple[int, T]]) -> None:
        for place, given in waiting:
            done[place] = await work(given)

    waiting = enumerate(inputs)
    async with asyncio.TaskGroup() as group:
        for _ in range(min(concurrency, len(inputs))):
            group.create_task(worker(waiting))
    return [done[place] for place in range(len(inputs))]
