"""`sqlobs rules backtest` against a Prometheus with 30 days: `python -m tests.monitoring.backtesting`.

The days are those of `tests.monitoring.month`, written with `promtool tsdb create-blocks-from`.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sqlobs.monitoring.backtest import STEP_S, backtest
from sqlobs.monitoring.prometheus import PrometheusReader, Span
from sqlobs.monitoring.settings import RuleSettings
from tests.monitoring.month import DAY_S, KINDS, Incident, Month, incidents
from tests.monitoring.month import STEP_S as SCRAPED_EVERY_S
from tests.monitoring.running import process
from tests.servers import free_port, installed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.monitoring.backtest import Episode


def beginning(seconds: int) -> int:
    """Return the time so long ago, at which a history may begin."""
    return (time.time_ns() // 10**9 - seconds) // STEP_S * STEP_S


@contextmanager
def backfilled(month: Month, directory: Path, *, start_s: int) -> Iterator[str]:
    """Run a Prometheus that has the series of a history; gives its address."""
    exported, blocks = directory / "series.txt", directory / "blocks"
    with exported.open("w") as file:
        for name, values in month.series.items():
            exposed = name.replace('", ', '",')
            # Starts of processes are times of the history, too.
            moved = values + start_s if name.startswith("sqlobs_start_time") else values
            for place in np.flatnonzero(~np.isnan(moved)):
                at_s = start_s + int(place) * SCRAPED_EVERY_S
                file.write(f"{exposed} {moved[place]:.15g} {at_s}\n")
        file.write("# EOF\n")
    command = ["tsdb", "create-blocks-from", "openmetrics", "--quiet", str(exported), str(blocks)]
    subprocess.run([installed("promtool"), *command], check=True, capture_output=True)
    exported.unlink()
    configuration, address = directory / "prometheus.yml", f"127.0.0.1:{free_port()}"
    configuration.write_text("{}")
    with process(
        "prometheus",
        f"--config.file={configuration}",
        f"--storage.tsdb.path={blocks}",
        "--storage.tsdb.retention.time=365d",
        f"--web.listen-address={address}",
        ready=f"http://{address}/-/ready",
    ):
        yield f"http://{address}"


def unmatched(
    known: list[Incident], found: list[Episode], *, start_s: int
) -> tuple[list[Incident], list[Episode]]:
    """Return the incidents without their alert, and the pages that belong to none."""
    missed = [one for one in known if not any(_tells(each, one, start_s) for each in found)]
    pages = [each for each in found if each.severity == "page"]
    return missed, [each for each in pages if not any(_tells(each, one, start_s) for one in known)]


def _tells(episode: Episode, incident: Incident, start_s: int) -> bool:
    begins_s = episode.start_s - start_s
    is_then = incident.start_s <= begins_s <= incident.end_s
    return is_then and episode.alert == KINDS[incident.kind]


def main() -> int:
    """Print what the command finds, and what it misses; 1 if it misses or invents something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--incidents", type=int, default=40)
    given = parser.parse_args()
    known = incidents(days=given.days, count=given.incidents)
    month = Month(given.days * DAY_S, known, np.random.default_rng(20))
    start_s = beginning(given.days * DAY_S)
    with (
        tempfile.TemporaryDirectory() as directory,
        backfilled(month, Path(directory), start_s=start_s) as url,
    ):
        begun_s = time.monotonic()
        span = Span(start_s, start_s + given.days * DAY_S, STEP_S)
        found = backtest(PrometheusReader(url), RuleSettings(), span)
        took_s = time.monotonic() - begun_s
    missed, invented = unmatched(known, found, start_s=start_s)
    print(
        f"{len(found)} alerts in {given.days} days, asked for in {took_s:.0f} s;"
        f" {len(known) - len(missed)} of {len(known)} incidents have theirs,"
        f" {len(invented)} pages belong to none"
    )
    for one in (*missed, *invented):
        print(one)
    return 1 if missed or invented else 0


if __name__ == "__main__":
    raise SystemExit(main())
