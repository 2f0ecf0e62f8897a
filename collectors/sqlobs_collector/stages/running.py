"""What all stages of a process share, and how they are stopped."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from sqlobs_collector.sharing.duty import Duty, LeasedDuty

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AsyncExitStack

    from prometheus_client import CollectorRegistry
    from sqlalchemy import Engine

    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.store.reading import StoreReader
    from sqlobs_collector.store.writing import Store


class Stage(Protocol):
    """A part with threads of its own."""

    def start(self) -> None:
        """Begin to work."""

    def stop(self) -> None:
        """End; idempotent."""


AnyStage = TypeVar("AnyStage", bound=Stage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """The parts that every stage uses; what was started last is stopped first."""

    config: CollectorConfig
    registry: CollectorRegistry
    flow: PipelineMetrics
    engine: Engine
    store: Store
    reader: StoreReader
    worker: str
    """The id of the process, by which it takes work."""
    clock_ns: Callable[[], int]
    """The time that all processes on the store agree on."""
    exits: AsyncExitStack

    def duty(self, name: str) -> Duty:
        """Start to compete for what one process does for all; alone, this one does it."""
        if self.config.store.url is None:
            return Duty(self.store)
        return self.start(LeasedDuty(self.engine, name, self.worker))

    def start(self, stage: AnyStage) -> AnyStage:
        """Start a stage, to be stopped with the process."""
        stage.start()
        self.exits.push_async_callback(asyncio.to_thread, stage.stop)
        return stage
