"""A simulated day of production, end to end: rates are those over all requests, sent or not.

A day of requests comes over OTLP to a collector of its own process. Some clients keep a fifth of their
traces (head sampling), the collector evaluates a tenth and every failure (tail sampling), some requests
come late, when their hours are added up, and the collector is killed with `kill -9` while it receives.
Then all is archived. `SQLOBS_DAY_REQUESTS=100000 pytest -m slow -s tests/collector/test_production_day.py`
prints the figures of a larger day; quotas lower the rate of an hour of receipt, and are not part of it.
"""

from __future__ import annotations

import math
import os
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx
import pytest
from sqlalchemy import update

from sqlobs_collector.archive.archiver import Archiver
from sqlobs_collector.archive.files import ArchiveFiles
from sqlobs_collector.origin import Origin
from sqlobs_collector.quality.figures import Tally, checker_tallies, tally_of
from sqlobs_collector.quality.hourly import add_up_changes
from sqlobs_collector.sampling import randomness, threshold
from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.quality import QualityReader, Who
from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import EVALUATION
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_crash import Collector, post

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Engine

REQUESTS = int(os.environ.get("SQLOBS_DAY_REQUESTS", "8000"))
WITHIN_S = 120 + REQUESTS / 20
DAY_NS = 24 * HOUR_NS
START_NS = (time.time_ns() // DAY_NS - 2) * DAY_NS
BATCH = 100
KILLED_AT = (0.3, 0.7)
"""Shares of the day that are sent then."""
HEADS = {"web": 1.0, "mobile": 0.2}
"""The share of the traces that each workflow keeps."""
REFERENCE = "SELECT count(*) FROM orders"
ANSWERS = {
    "right": REFERENCE,
    "wrong": "SELECT count(*) + 1 FROM orders",
    "invented": "SELECT revenue FROM orders",
}
FAILED: dict[str, object] = {
    "sqlobs__failure__code": "schema.unknown_column",
    "sqlobs__failure__codes": ["schema.unknown_column"],
    "sqlobs__hallucinated__columns": ["revenue"],
}
SHARES = {"right": 0.88, "wrong": 0.08, "invented": 0.04}
RATES = ("ex", "schema_hallucination")
ALL = Who(Origin("", "", ""), "")


@dataclass(frozen=True)
class Request:
    """A request as its user has it, whether or not anything of it is sent."""

    trace_id: str
    at_ns: int
    workflow: str
    kind: str
    is_late: bool

    @property
    def is_sent(self) -> bool:
        return randomness(self.trace_id) >= threshold(HEADS[self.workflow])

    def passes(self, rate: str) -> bool:
        return self.kind == "right" if rate == "ex" else self.kind != "invented"

    def record(self, number: int) -> dict[str, object]:
        is_valid = self.kind != "invented"
        failed = {} if is_valid else FAILED
        made = records.log(
            number,
            at_ns=self.at_ns,
            body={
                "sqlobs.question.text": "How many orders are there?",
                "sqlobs.query.text": ANSWERS[self.kind],
                "sqlobs.reference.query.text": REFERENCE,
            },
            sqlobs__workflow=self.workflow,
            sqlobs__outcome="answered",
            sqlobs__query__capture="raw",
            sqlobs__verdict="ok" if is_valid else "failed",
            sqlobs__syntactic=True,
            sqlobs__schematic=is_valid,
            sqlobs__sampling__probability=HEADS[self.workflow],
            **failed,
        )
        return made | {"trace_id": bytes.fromhex(self.trace_id)}


def day(source: random.Random) -> list[Request]:
    """Requests of a day, in the order of time: few at night."""
    found = []
    for _ in range(REQUESTS):
        hour = source.choices(
            range(24), [1 + 4 * math.sin(math.pi * hour / 24) for hour in range(24)]
        )
        found.append(
            Request(
                f"{source.getrandbits(128):032x}",
                START_NS + hour[0] * HOUR_NS + source.randrange(HOUR_NS),
                source.choices(list(HEADS), [0.7, 0.3])[0],
                source.choices(list(SHARES), list(SHARES.values()))[0],
                is_late=source.random() < 0.1,
            )
        )
    return sorted(found, key=lambda one: one.at_ns)


def send(
    collector: Collector, requests: Sequence[Request], *, first: int, killed_at: set[int]
) -> None:
    """Send requests in batches, each until it is acknowledged; the collector is killed after some."""
    with httpx.Client(timeout=30) as client:
        for number, start in enumerate(range(0, len(requests), BATCH)):
            some = requests[start : start + BATCH]
            made = (one.record(first + start + place) for place, one in enumerate(some))
            body = records.logs(*made).SerializeToString()
            if number in killed_at:
                post(client, collector.url, body)  # and again: its answer was lost
                collector.kill()
                collector.launch()
            assert post(client, collector.url, body) == 200


def figures(engine: Engine, since_ns: int, until_ns: int) -> dict[str, dict[str, float]]:
    """Rates and their intervals, as pages read them."""
    chosen = RequestFilter(workspace="default", since_ns=since_ns, until_ns=until_ns)
    reader = QualityReader(engine)
    units = reader.chosen_units(chosen, who=ALL)
    tallies = {name: tally for (_, name), tally in checker_tallies(units).items()}
    for sums in reader.chosen_evaluations(chosen, who=ALL):
        tallies.setdefault(sums.evaluation, Tally()).join(tally_of(sums))
    return {name: tallies[name].figures for name in RATES if name in tallies}


def hours(engine: Engine) -> list[dict[str, dict[str, float]]]:
    starts = (START_NS + hour * HOUR_NS for hour in range(24))
    return [figures(engine, start, start + HOUR_NS) for start in starts]


def compared(
    requests: Sequence[Request], shown: Sequence[dict]
) -> Iterator[tuple[str, int, float]]:
    """Yield of each rate in how many hours its interval covers the truth, and its mean error."""
    for rate in RATES:
        covered, errors = 0, []
        for hour, found in enumerate(shown):
            of_hour = [one for one in requests if (one.at_ns - START_NS) // HOUR_NS == hour]
            truth = sum(one.passes(rate) for one in of_hour) / len(of_hour)
            one = found[rate]
            covered += one["weighted_lower"] - 1e-9 <= truth <= one["weighted_upper"] + 1e-9
            errors.append(one["weighted"] - truth)
        yield rate, covered, sum(errors) / len(errors)


def archive(engine: Engine, files: ArchiveFiles) -> None:
    """Let texts expire and move all requests into the archive."""
    now_ns = time.time_ns() + 400 * DAY_NS
    store = Store(engine)
    with engine.begin() as connection:
        connection.execute(update(EVALUATION).values(emitted_ns=1))
    with store.writing() as writer:
        while writer.expire_payloads(sampled_out_ns=now_ns, any_ns=now_ns, limit=10_000):
            pass
    Archiver(store, files, after_days=1, keep_days=10_000, clock_ns=lambda: now_ns).archive()
    add_up_changes(store)


@pytest.mark.slow
@pytest.mark.timeout(240 + REQUESTS / 10)
def test_rates_of_a_day_are_those_over_all_its_requests(tmp_path, shop):
    requests = day(random.Random(1))
    sent = [one for one in requests if one.is_sent]
    in_time = [one for one in sent if not one.is_late]
    late = [one for one in sent if one.is_late]
    collector = Collector(tmp_path / "day", shop, rate=0.1, always=["failed"])
    collector.launch()
    batches = len(in_time) / BATCH
    send(collector, in_time, first=0, killed_at={int(share * batches) for share in KILLED_AT})
    settle(collector, len(in_time))
    send(collector, late, first=len(in_time), killed_at={0})
    settle(collector, len(sent))
    collector.stop()
    engine = open_store(collector.data_dir)
    add_up_changes(Store(engine))
    whole, by_hour = figures(engine, START_NS, START_NS + DAY_NS), hours(engine)
    told = list(compared(requests, by_hour))
    print(  # noqa: T201 - the figures
        f"\n{len(requests):,} requests, {len(sent):,} sent, {len(late):,} of them late"
    )
    for rate, covered, error in told:
        truth = sum(one.passes(rate) for one in requests) / len(requests)
        one = whole[rate]
        print(  # noqa: T201 - the figures
            f"  {rate}: truth {truth:.4f}, day {one['weighted']:.4f} from"
            f" {one['weighted_lower']:.4f} to {one['weighted_upper']:.4f};"
            f" {covered} of 24 hours covered, mean error of an hour {error:+.4f}"
        )
        assert one["weighted_lower"] <= truth <= one["weighted_upper"]
        assert covered >= 21
    archive(engine, ArchiveFiles(f"file://{tmp_path}/cold"))
    assert collector.query("SELECT count(*) FROM unit") == [(0,)]
    for before, after in zip(
        [whole, *by_hour],
        [figures(engine, START_NS, START_NS + DAY_NS), *hours(engine)],
        strict=True,
    ):
        assert after == {name: pytest.approx(shown, rel=1e-9) for name, shown in before.items()}
    engine.dispose()


def settle(collector: Collector, count: int) -> None:
    """Wait until all that was sent is stored, evaluated and added up."""
    unfinished = "SELECT count(*) FROM unit WHERE state IN ('queued', 'running', 'held')"
    total = "SELECT count(*) FROM unit"
    wait_until(lambda: collector.query(total)[0][0] >= count, within_s=WITHIN_S)
    wait_until(lambda: collector.query(unfinished) == [(0,)], within_s=WITHIN_S)
    wait_until(
        lambda: collector.query("SELECT count(*) FROM stale_hour") == [(0,)], within_s=WITHIN_S
    )
    assert collector.query(total) == [(count,)]
