"""Judges many items concurrently, within the endpoint's limit, and keeps their order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judgment import Judgment
    from sqlobs.judge.verdicts.judging import Judge

T = TypeVar("T")
R = TypeVar("R")


async def judge_all(
    judge: Judge,
    items: Sequence[JudgeItem],
    *,
    concurrency: int,
    seen: Callable[[Judgment], None] | None = None,
) -> list[Judgment]:
    """Judge all items.

    Args:
        judge: The judge.
        items: The items to judge.
        concurrency: Maximum items in flight; the endpoint's own limit applies, too.
        seen: Called with each judgment on completion, in any order.
    """

    async def judged(item: JudgeItem) -> Judgment:
        judgment = await judge.judge(item)
        if seen is not None:
            seen(judgment)
        return judgment

    return await each(judged, items, concurrency=concurrency)


async def each(
    work: Callable[[T], Awaitable[R]], inputs: Sequence[T], *, concurrency: int
) -> list[R]:
    """Run the work for every input with bounded concurrency; return the results in order."""
    done: dict[int, R] = {}

    async def worker(waiting: Iterator[tuple[int, T]]) -> None:
        for place, given in waiting:
            done[place] = await work(given)

    waiting = enumerate(inputs)
    async with asyncio.TaskGroup() as group:
        for _ in range(min(concurrency, len(inputs))):
            group.create_task(worker(waiting))
    return [done[place] for place in range(len(inputs))]
