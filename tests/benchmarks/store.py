"""Units per second from acknowledgment to row: PostgreSQL as the store against the embedded one.

A journal of acknowledged units is projected into each store by turns, texts, failures and notes of
hours included. PostgreSQL writes to disk at each commit. `python -m tests.benchmarks.store` prints
rates, CPU and the ratio of rates in a round.
"""

from __future__ import annotations

import gzip
import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg
from prometheus_client import CollectorRegistry

from sqlobs_collector.journal.entry import Entry
from sqlobs_collector.journal.log import JournalLog
from sqlobs_collector.journal.reader import JournalReader
from sqlobs_collector.pipeline_metrics import PipelineMetrics
from sqlobs_collector.sampling import SamplingRules
from sqlobs_collector.store.database import open_store, place_of
from sqlobs_collector.store.writing import Store
from sqlobs_collector.subjects import SubjectDigests
from sqlobs_collector.units.projector import Projector
from tests.benchmarks.scale import scaled
from tests.collector import records
from tests.collector.running import wait_until
from tests.servers import PostgresServer

UNITS = scaled(12_800, least=64)
AT_ONCE = 64
ROUNDS = scaled(5)
BAR = 0.5
_FAILED_SHARE = 10


class _Kept:
    """A journal whose files stay."""

    def __init__(self, log: JournalLog) -> None:
        self.identity = log.identity
        self.rotate = log.rotate
        self.set_aside = log.set_aside
        self._log = log

    @property
    def acknowledged(self) -> object:
        return self._log.acknowledged

    def retire(self, before: str) -> None:
        """Keep them."""


def body(first: int) -> bytes:
    now_ns = time.time_ns()
    made = (_unit(number, now_ns) for number in range(first, first + AT_ONCE))
    return gzip.compress(records.logs(*made).SerializeToString())


def _unit(number: int, now_ns: int) -> dict[str, object]:
    failed = {
        "sqlobs__verdict": "failed",
        "sqlobs__failure__code": "schema.unknown_column",
        "sqlobs__hallucinated__columns": ["totals"],
    }
    trace_id = random.Random(number).randbytes(16)  # by whose last bytes units are sampled
    made = records.log(
        number,
        at_ns=now_ns - number * 10**8,
        body={
            "sqlobs.question.text": f"What was the revenue of region {number} in the last quarter?",
            "sqlobs.query.text": "SELECT region, sum(total) FROM orders JOIN regions USING (id)"
            f" WHERE region = {number} GROUP BY region ORDER BY 2 DESC LIMIT 10",
        },
        sqlobs__workflow="answer",
        sqlobs__outcome="answered",
        sqlobs__syntactic=True,
        sqlobs__schematic=True,
        sqlobs__query__capture="raw",
        gen_ai__request__model=("gpt-4o", "qwen2.5-coder")[number % 2],
        gen_ai__prompt__version=f"v{number % 3}",
        **({"sqlobs__verdict": "ok"} if number % _FAILED_SHARE else failed),
    )
    return made | {"trace_id": trace_id}


@dataclass(frozen=True)
class Projected:
    """What projecting the units took, each."""

    seconds: float
    cpu_s: float
    """Of this process."""


def project(url: str | None, bodies: list[bytes]) -> Projected:
    """Project the units into an empty store."""
    with tempfile.TemporaryDirectory() as directory:
        data_dir = Path(directory)
        (data_dir / "journal").mkdir()
        log = JournalLog(data_dir / "journal", file_bytes=2**30)
        engine = open_store(place_of(data_dir, url))
        projector = Projector(
            JournalReader(data_dir / "journal", log.identity),
            Store(engine),
            rules=lambda _: SamplingRules(1, []),
            digests=SubjectDigests([b"key"]),
            journal=_Kept(log),
            flow=PipelineMetrics(CollectorRegistry()),
        )
        log.append(
            [Entry("default", "logs", "", "gzip", 1, each) for each in bodies],
            received_ns=time.time_ns(),
        )
        started, cpu = time.perf_counter(), time.process_time()
        while projector.project():
            pass
        units = len(bodies) * AT_ONCE
        took = Projected(
            (time.perf_counter() - started) / units, (time.process_time() - cpu) / units
        )
        log.close()
        engine.dispose()
    return took


def _backends(server: PostgresServer) -> int:
    """Count the connections to stores: a backend's CPU is known when it has ended."""
    with psycopg.connect(server.url()) as connection:
        named = "SELECT count(*) FROM pg_stat_activity WHERE datname LIKE 'store%'"
        return connection.execute(named).fetchone()[0]


def main() -> None:
    """Print units per second and CPU of both stores, and the ratio of their rates."""
    bodies = [body(first) for first in range(0, UNITS, AT_ONCE)]
    server = PostgresServer(is_durable=True).start()
    embedded, postgresql = [], []
    server_s = 0.0
    try:
        for number in range(ROUNDS):
            with psycopg.connect(server.url(), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE store_{number}")
            embedded.append(project(None, bodies))
            before = server.cpu_s()
            postgresql.append(project(server.url(f"store_{number}"), bodies))
            wait_until(lambda: not _backends(server))
            server_s += server.cpu_s() - before
    finally:
        server.stop()
    server_micros = server_s * 1e6 / (ROUNDS * len(bodies) * AT_ONCE)
    for name, took, more in (
        ("embedded", embedded, ""),
        ("PostgreSQL", postgresql, f", and {server_micros:.0f} µs of the server"),
    ):
        seconds = statistics.median(one.seconds for one in took)
        micros = statistics.median(one.cpu_s for one in took) * 1e6
        print(f"{name:<10} {1 / seconds:9,.0f} units a second, {micros:.0f} µs of CPU each{more}")
    ratio = statistics.median(
        mine.seconds / theirs.seconds for mine, theirs in zip(embedded, postgresql, strict=True)
    )
    print(f"rate of PostgreSQL against embedded {ratio:.2f} x  (bar {BAR})")


if __name__ == "__main__":
    main()
