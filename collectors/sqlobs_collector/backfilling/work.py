"""The work on one chunk: read its units, run and score them, store the results."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from sqlobs.execution.executor import Executor
from sqlobs.execution.local import close_local_engines
from sqlobs.scores.local_verdicts import LocalVerdicts
from sqlobs_collector.assembly import (
    evaluation_selection_of,
    golden_set,
    judge_queue_of,
    quotas_of,
    schemas_of,
    store_place,
    target_settings,
    targets_of,
)
from sqlobs_collector.backfilling.running import SKIPPED, UnitResult
from sqlobs_collector.evaluation.scorer import Scorer
from sqlobs_collector.secrets import Secret
from sqlobs_collector.sharing.store_clock import StoreClock
from sqlobs_collector.store.golden import GoldenReader
from sqlobs_collector.store.reading import StoreReader
from sqlobs_collector.store.target_usage import StoreUsage
from sqlobs_collector.store.writing import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Engine

    from sqlobs_collector.backfilling.places import Results, Source
    from sqlobs_collector.backfilling.running import Chunk, Evaluate
    from sqlobs_collector.config import CollectorConfig


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a worker needs to know; it may be on another machine."""

    config: CollectorConfig
    source: Source
    results: Results

    @contextmanager
    def open(self) -> Iterator[Evaluate]:
        """Open the store, and start a process that runs statements."""
        with ExitStack() as stack:
            engine = store_place(self.config).engine()
            stack.callback(engine.dispose)
            scorer = self._scorer(engine, stack)

            def evaluate(chunk: Chunk) -> Sequence[UnitResult]:
                left = self.results.left(engine, chunk.unit_ids)
                units = self.source.read(engine, chunk, left) if left else []
                scored = [scorer.scored(unit, reports) for unit, reports in units]
                kept = self.results.keep(engine, scored) if scored else []
                others = set(chunk.unit_ids) - {one.unit_id for one in kept}
                return [*kept, *(UnitResult(one, SKIPPED) for one in sorted(others))]

            yield evaluate

    def _scorer(self, engine: Engine, stack: ExitStack) -> Scorer:
        config, reader = self.config, StoreReader(engine)
        # One connection a worker, so that all together have no more than there are workers.
        targets = [replace(one, max_connections=1) for one in targets_of(config)]
        executor = None
        if targets:
            executor = Executor(targets, workers=1, ledger=StoreUsage(Store(engine)))
            stack.callback(executor.close)
        local = None
        if config.evaluate.local_engines:
            local = LocalVerdicts(config.evaluate.local_engines)
            stack.callback(close_local_engines)
        clock = StoreClock(engine)
        schemas, quotas = schemas_of(config, reader), quotas_of(config, engine, clock)
        if config.quotas:
            clock.compare()
            quotas.refresh()
        judge = judge_queue_of(config, schemas, quotas.judge_rate)
        return Scorer(
            executor=executor,
            targets=target_settings(config),
            golden=golden_set(config, GoldenReader(engine)),
            wanted=evaluation_selection_of(config),
            schemas=schemas,
            local=local,
            inquirer=judge if self.results.asks_judge else None,
        )


def with_secrets(value: Any) -> Any:  # noqa: ANN401 - settings of any kind
    """Return settings whose secrets stand in place of references, which other machines lack."""
    if isinstance(value, Secret):
        return Secret(value.reveal())
    if isinstance(value, BaseModel):
        known = {name: with_secrets(getattr(value, name)) for name in type(value).model_fields}
        return value.model_copy(update=known)
    if isinstance(value, dict):
        return {name: with_secrets(one) for name, one in value.items()}
    return value
