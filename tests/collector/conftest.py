from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collector.running import RunningCollector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., RunningCollector]]:
    """Start collectors with given settings; all are stopped at the end."""
    running: list[RunningCollector] = []

    def start(**settings: object) -> RunningCollector:
        data_dir = settings.pop("data_dir", tmp_path / "data")
        dotted = {name.replace("__", "."): setting for name, setting in settings.items()}
        collector = RunningCollector(data_dir, **dotted)
        running.append(collector)
        return collector.start()

    yield start
    for collector in running:
        collector.stop()


@pytest.fixture
def collector(launch: Callable[..., RunningCollector]) -> RunningCollector:
    """One collector with default settings."""
    return launch()
