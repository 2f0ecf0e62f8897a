"""What Grafana asks Prometheus for a panel: its variables substituted, steps aligned."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx

from tests.monitoring.expressions import substituted
from tests.monitoring.replay import HOUR_S, HOURS, backfill, write
from tests.monitoring.running import process
from tests.servers import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.monitoring.replay import Series

RESOLUTION_S = 60
MOST_POINTS = 1000


@dataclass(frozen=True)
class Grafana:
    """Queries of panels against one Prometheus."""

    url: str
    until_s: float

    def now(self, expression: str, *, hours: float = HOURS) -> list[dict]:
        """Return what a number, table or bar shows."""
        asked = self._substituted(expression, hours, RESOLUTION_S)
        return self._get("query", query=asked, time=self.until_s)

    def range(self, expression: str, *, hours: float = HOURS) -> list[dict]:
        """Return what a graph shows."""
        step_s = self.step_s(hours)
        asked = self._substituted(expression, hours, step_s)
        end_s = self.until_s - self.until_s % step_s
        return self._get(
            "query_range", query=asked, start=end_s - hours * HOUR_S, end=end_s, step=step_s
        )

    def step_s(self, hours: float) -> int:
        """Return the seconds between two points."""
        least = math.ceil(hours * HOUR_S / MOST_POINTS / RESOLUTION_S)
        return RESOLUTION_S * max(1, least)

    def _substituted(self, expression: str, hours: float, step_s: int) -> str:
        rate_s = max(step_s + RESOLUTION_S, 4 * RESOLUTION_S)
        return substituted(
            expression,
            **{
                "$__rate_interval_ms": str(rate_s * 1000),
                "$__rate_interval": f"{rate_s}s",
                "$__interval_ms": str(step_s * 1000),
                "$__interval": f"{step_s}s",
                "$__range_s": f"{hours * HOUR_S:.0f}",
                "$__range": f"{hours * HOUR_S:.0f}s",
                "$window": "24h",
            },
        )

    def _get(self, path: str, **parameters: object) -> list[dict]:
        answer = httpx.post(f"{self.url}/api/v1/{path}", data=parameters, timeout=60)
        assert answer.is_success, answer.text
        return answer.json()["data"]["result"]


@contextmanager
def replayed(
    directory: Path, series: Iterator[Series], *, hours: float = HOURS
) -> Iterator[Grafana]:
    """Run a Prometheus that has scraped series until now."""
    until_s = float(time.time_ns() // 10**9 // RESOLUTION_S * RESOLUTION_S)
    samples, storage = directory / "samples", directory / "storage"
    write(series, samples, until_s=until_s, hours=hours)
    backfill(samples, storage)
    samples.unlink()
    address = f"127.0.0.1:{free_port()}"
    configuration = directory / "prometheus.yml"
    configuration.write_text("scrape_configs: []\n")
    with process(
        "prometheus",
        f"--config.file={configuration}",
        f"--storage.tsdb.path={storage}",
        f"--web.listen-address={address}",
        ready=f"http://{address}/-/ready",
    ):
        yield Grafana(f"http://{address}", until_s)
