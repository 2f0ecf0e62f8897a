"""LLM judging by the Batch API: all verdicts of a run once its statements have run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.judge_store import JudgeStore
from sqlobs.evaluation.judging import judge_of
from sqlobs.evaluation.rows import with_verdicts
from sqlobs.judge.endpoint.budget import Amount
from sqlobs.judge.trust.dataset import flex_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from sqlobs.evaluation.judging import EqualityName, JudgeSettings, Pair
    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judge_names import JudgeName
    from sqlobs.runs.case import CaseResult, JudgeVerdict

TICKET: Final = "judge.batch"
"""Names the batch that the server works on, next to the run's other files."""


@dataclass(slots=True)
class BatchJudge:
    """Collects what a run's judges are asked, and has batches answer it once all has run."""

    settings: JudgeSettings
    folder: Path
    is_resumed: bool = False
    """Whether an interrupted evaluation continues."""
    _items: dict[JudgeName, dict[int, JudgeItem]] = field(default_factory=dict)
    """By judge, then by the index of the case."""

    spent: Amount = field(default_factory=lambda: Amount(0, 0))
    """Tokens and money paid for all answers in the store."""
    repeated: int = 0
    """Calls that interruptions of this run cut off, and that are made again."""

    @property
    def equality(self) -> EqualityName:
        """The score that says whether results are equal."""
        return self.settings.equality

    @property
    def alone(self) -> tuple[JudgeName, ...]:
        """The judges that need no reference."""
        return self.settings.alone

    def verdict(self, pair: Pair) -> None:
        """Record a pair."""
        if self.settings.name is not None:
            self._record(self.settings.name, pair.case.index, pair.as_item())

    def verdicts(
        self, index: int, item: JudgeItem, names: Iterable[JudgeName]
    ) -> Mapping[str, JudgeVerdict]:
        """Record a statement; its verdicts come later."""
        for name in names:
            self._record(name, index, item)
        return {}

    def settled(self, rows: Sequence[CaseResult]) -> list[CaseResult]:
        """Return the rows with their verdicts; waits for the batches.

        Raises:
            ConfigError: they may take more than the budget, or the server does not do them.
        """
        if not self._items:
            return list(rows)
        with JudgeStore(self.folder, is_resumed=self.is_resumed) as store:
            self.repeated = store.repeated
            found = asyncio.run(self._judged(store))
            self.spent = store.total()
        return [self._settled(row, found) for row in rows]

    def _record(self, name: JudgeName, index: int, item: JudgeItem) -> None:
        self._items.setdefault(name, {})[index] = item

    def _settled(
        self, row: CaseResult, found: Mapping[JudgeName, Mapping[int, JudgeVerdict]]
    ) -> CaseResult:
        said: dict[str, JudgeVerdict] = {
            name: by_index[row.index] for name, by_index in found.items() if row.index in by_index
        }
        paired = None if self.settings.name is None else said.pop(self.settings.name, None)
        row = replace(row, judge=paired)
        return with_verdicts(row, said) if said else row

    async def _judged(self, store: JudgeStore) -> dict[JudgeName, dict[int, JudgeVerdict]]:
        from sqlobs.judge.endpoint.batch import in_batches

        settings = self.settings
        items = {name: dict(sorted(held.items())) for name, held in self._items.items()}

        async def work(endpoint: Endpoint) -> dict[JudgeName, dict[int, JudgeVerdict]]:
            return {
                name: await _verdicts(name, endpoint, items[name], settings)
                for name in settings.names
                if name in items
            }

        return await in_batches(
            work,
            settings.endpoints[0],
            store=store,
            ticket=self.folder / TICKET,
            poll_s=settings.poll_s,
        )


async def _verdicts(
    name: JudgeName, endpoint: Endpoint, items: Mapping[int, JudgeItem], settings: JudgeSettings
) -> dict[int, JudgeVerdict]:
    rows = await flex_rows(
        endpoint,
        list(items.values()),
        judge=judge_of(name, [endpoint], settings),
        categorize=name == settings.name and settings.sorts,
    )
    return {index: row.verdict for index, row in zip(items, rows, strict=True)}
