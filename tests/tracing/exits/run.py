"""One host with one collector: which units came, and what was said about the others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.otlp import counted
from tests.tracing.exits.collector import MANNERS, Collector
from tests.tracing.exits.hosts import HOSTS

if TYPE_CHECKING:
    from tests.otlp import Backend

_LOST = re.compile(r"sqlobs: units lost: (\d+)")
"""As `sqlobs: units lost: 12; the process ended before they were sent`."""


@dataclass(frozen=True)
class Run:
    """What became of the units of one run."""

    host: str
    manner: str
    answered: int
    missing: int
    """Units that never came."""
    unknown: int
    """Units that came and that nobody has answered."""
    counted: int
    """Units lost, as the metric says."""
    said: tuple[str, ...]
    """Lines of the log about losses."""
    log: tuple[str, ...]
    code: int
    took_s: float

    @property
    def is_good(self) -> bool:
        """Nothing is missing."""
        return not (self.missing or self.unknown or self.counted or self.said)


def run(host: str, manner: str, *, requests: int, spool: str | None = None) -> Run:
    """Answer requests, end at once, and look at what came.

    Args:
        host: One of `HOSTS`.
        manner: One of `MANNERS`.
        requests: How many.
        spool: A directory that units are kept in; another process then sends them.
    """
    collector = Collector(MANNERS[manner])
    environment = {"SQLOBS_COLLECTOR_ENDPOINT": collector.endpoint}
    if spool is not None:
        environment["SQLOBS_SPOOL_DIR"] = spool
    with collector.running():
        ended = HOSTS[host](requests, environment, collector.started)
        if spool is not None:
            collector.come_back()
            HOSTS["script"](1, environment, lambda: None)
        units = collector.units
    return Run(
        host=host,
        manner=manner,
        answered=len(ended.ids),
        missing=len(ended.ids - units),
        unknown=len(units - ended.ids) - (spool is not None),
        counted=_counted(collector.received),
        said=tuple(line for line in ended.said if _LOST.search(line)),
        log=tuple(ended.said),
        code=ended.code,
        took_s=ended.took_s,
    )


def _counted(received: Backend) -> int:
    """Return how many units the last metrics of each process say are lost."""
    failures = counted(received, "sqlobs.export.failures")
    return round(
        sum(n for (_, labels), n in failures.items() if ("sqlobs.signal", "unit") in labels)
    )
