"""A simulated day of production, end to end: rates are those over all requests, sent or not.

A day of requests comes over OTLP to receivers in processes of their own. Some clients keep a fifth of
their traces (head sampling), the collector evaluates a tenth, every failure (tail sampling), and less
where a quota says so, a judge half of that by a quota of its own; some requests come late, when their hours are added up, and a receiver is killed
with `kill -9` while it receives. Then all is archived. On PostgreSQL there are two receivers.

`SQLOBS_DAY_REQUESTS=100000 pytest -m slow -s tests/collector/test_production_day.py` prints the figures
of a larger day; 1,000,000 requests take an hour on a busy machine. A quota looks at the hour before, and the day passes in minutes: what the hour before
had is written for the collectors, who read it as always.
"""

from __future__ import annotations

import gc
import json
import os
import random
import threading
import time
from collections import Counter
from contextlib import contextmanager
from statistics import mean
from typing import TYPE_CHECKING

import httpx
import pytest
from sqlalchemy import delete, func, insert, select, update

from sqlobs.judge.replay import ChatReply, ChatRequest, serving
from sqlobs_collector.archive.archiver import Archiver
from sqlobs_collector.archive.files import ArchiveFiles
from sqlobs_collector.quality.hourly import add_up_changes
from sqlobs_collector.quotas import REFRESH_S
from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.store.tables import EVALUATION, INQUIRY, INTAKE, STALE_HOUR, UNIT
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.days import (
    ANSWERS,
    DAY_NS,
    RATES,
    START_NS,
    Sampled,
    compared,
    day,
    figures,
    hours,
    told,
)
from tests.collector.running import wait_until
from tests.collector.stores import EMBEDDED, on_both
from tests.collector.test_crash import post
from tests.collector.test_kills import Process, is_there
from tests.servers import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sqlalchemy import Engine

    from tests.collector.days import Request
    from tests.collector.stores import StoreKind

store_kind = on_both()
REQUESTS = int(os.environ.get("SQLOBS_DAY_REQUESTS", "8000"))
WITHIN_S = 120 + REQUESTS / 20
BATCH = 100
PARTS = 8
"""Of the day; each is an hour to the quotas."""
QUOTA = REQUESTS // PARTS // 9
"""Evaluations of a part: fewer than a tenth and the failures of a busy one."""
KILLS_EVERY_S = (2, 10)
ROLES = (["receive"], ["receive"], ["evaluate"], ["judge"], ["singleton"])
UNFINISHED = ("queued", "running", "held")


def processes(directory: Path, kind: StoreKind, shop: Path, judge: str) -> list[Process]:
    """Return one process with all roles, or several on PostgreSQL; receivers are the first."""
    directory.mkdir()
    shared = {} if kind is EMBEDDED else {"store": {"url": kind.url}}
    return [
        Process(
            directory / str(number),
            {
                **({} if roles is None else {"roles": roles}),
                **shared,
                "data_dir": str(directory / str(number) / "data"),
                "listen": {name: f"127.0.0.1:{free_port()}" for name in ("http", "grpc", "admin")},
                "golden": {"digest_key": "the same everywhere"},
                "targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}},
                "evaluate": {"workers": 1},
                "sampling": {"rate": 0.1, "always": ["failed"]},
                "quotas": {
                    "default": {"evaluations_per_hour": QUOTA, "judged_per_hour": QUOTA // 2}
                },
                "judge": {
                    "base_url": judge,
                    "model": "judge",
                    "canaries": False,
                    "categories": False,
                },
            },
        )
        for number, roles in enumerate(ROLES if shared else [None])
    ]


class Clients:
    """Send requests in batches to receivers in turn, each until one acknowledges it."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = urls
        self._sent = 0
        self._tries = 0
        self.interrupted = 0
        """Batches that were sent again, because their receiver was killed."""

    def send(self, requests: Sequence[Request]) -> None:
        with httpx.Client(timeout=30) as client:
            for start in range(0, len(requests), BATCH):
                some = requests[start : start + BATCH]
                made = (one.record(self._sent + place) for place, one in enumerate(some))
                body = records.logs(*made).SerializeToString()
                while not self._is_taken(client, body):
                    self.interrupted += 1
                    time.sleep(0.1)
                self._sent += len(some)

    def _is_taken(self, client: httpx.Client, body: bytes) -> bool:
        self._tries += 1
        try:
            return post(client, self._urls[self._tries % len(self._urls)], body) == 200
        except httpx.TransportError:
            return False


@contextmanager
def killed_now_and_then(receiver: Process) -> Iterator[list[float]]:
    """Kill a receiver at random moments, and start it again; yield when."""
    is_done, moments, source = threading.Event(), [], random.Random(2)

    def kill() -> None:
        while not is_done.wait(source.uniform(*KILLS_EVERY_S)):
            receiver.kill()
            moments.append(time.monotonic())
            receiver.launch()
            wait_until(lambda: is_there(receiver.http), within_s=60)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield moments
    finally:
        is_done.set()
        thread.join()


def remember(engine: Engine, requests: Sequence[Request]) -> None:
    """Let the hour before have had these requests, and wait until the receivers know."""
    failed = sum(one.kind == "invented" for one in requests)
    hour = time.time_ns() // HOUR_NS - 1
    row = {
        "workspace": "default",
        "hour": hour,
        "accepted": len(requests),
        "always": failed,
        "judgeable": QUOTA,
    }
    with engine.begin() as connection:
        connection.execute(delete(INTAKE).where(INTAKE.c.hour == hour))
        connection.execute(insert(INTAKE).values(row))
    time.sleep(REFRESH_S + 1)


def send_by_parts(engine: Engine, clients: Clients, requests: Sequence[Request]) -> None:
    """Send a day, each part of it under the quota that the part before asks for."""
    for part in range(PARTS):
        since_ns = START_NS + part * DAY_NS // PARTS
        some = [one for one in requests if since_ns <= one.at_ns < since_ns + DAY_NS // PARTS]
        clients.send(some)
        remember(engine, some)


def settle(engine: Engine, count: int) -> None:
    """Wait until all that was sent is stored, evaluated and added up."""
    total = select(func.count()).select_from(UNIT)
    for query, is_reached in (
        (total, lambda found: found >= count),
        (total.where(UNIT.c.state.in_(UNFINISHED)), lambda found: not found),
        (select(func.count()).select_from(INQUIRY), lambda found: not found),
        (select(func.count()).select_from(STALE_HOUR), lambda found: not found),
    ):
        wait_until(
            lambda query=query, is_reached=is_reached: is_reached(counted(engine, query)),
            within_s=WITHIN_S,
        )
    assert counted(engine, total) == count


def counted(engine: Engine, query) -> int:
    with engine.connect() as connection:
        return connection.execute(query).scalar_one()


def samples(engine: Engine) -> dict[str, Sampled]:
    """Return of each rate with what probability units are counted in it, and which are.

    The share that is judged is stored with what was judged: other units are taken to have the mean.
    """
    units = select(UNIT.c.trace_id, UNIT.c.probability, UNIT.c.head_probability)
    evaluated = select(UNIT.c.trace_id, EVALUATION.c.probability).join(
        EVALUATION, EVALUATION.c.unit_id == UNIT.c.id
    )
    decided = EVALUATION.c.label.in_(("pass", "fail"))
    with engine.connect() as connection:
        rows = connection.execute(units).all()
        compared, judged = (
            dict(connection.execute(evaluated.where(EVALUATION.c.metric == name, decided)).all())
            for name in ("ex", "flex")
        )
    others = mean(judged.values())
    return {
        "ex": Sampled({trace: probability for trace, probability, _ in rows}, compared.keys()),
        "flex": Sampled(
            {trace: probability * judged.get(trace, others) for trace, probability, _ in rows},
            judged.keys(),
        ),
        # Every unit has the checker's labels.
        "schema_hallucination": Sampled(
            {trace: head for trace, _, head in rows}, {trace for trace, _, _ in rows}
        ),
    }


def has_forgotten_texts(store: Store, now_ns: int) -> bool:
    """Let some texts expire, in a transaction of their own: one for all would read them again."""
    with store.writing() as writer:
        return writer.expiry.payloads(sampled_out_ns=now_ns, any_ns=now_ns, limit=10_000) > 0


def archive(engine: Engine, files: ArchiveFiles) -> None:
    """Let texts expire and move all requests into the archive."""
    now_ns = time.time_ns() + 400 * DAY_NS
    store = Store(engine)
    with engine.begin() as connection:
        connection.execute(update(EVALUATION).values(emitted_ns=1))
    while has_forgotten_texts(store, now_ns):
        pass
    Archiver(store, files, after_days=1, keep_days=10_000, clock_ns=lambda: now_ns).archive()
    add_up_changes(store)


def answer(asked: ChatRequest) -> ChatReply:
    """A judge that is always right."""
    is_right = not any(ANSWERS[kind] in str(asked) for kind in ("wrong", "invented"))
    return ChatReply(json.dumps({"reasoning": "It counts.", "correct": is_right}))


def live(engine: Engine, fleet: Sequence[Process], sent: Sequence[Request]) -> str:
    """Let processes receive, evaluate and judge requests; return what happened to them."""
    late = [one for one in sent if one.is_late]
    try:
        for process in fleet:
            process.launch()
        receivers = fleet[:2]
        for one in receivers:
            wait_until(lambda one=one: is_there(one.http), within_s=60)
        clients = Clients([one.http for one in receivers])
        with killed_now_and_then(receivers[0]) as kills:
            send_by_parts(engine, clients, [one for one in sent if not one.is_late])
            settle(engine, len(sent) - len(late))
            clients.send(late)
        settle(engine, len(sent))
    finally:
        for process in fleet:
            process.kill()
    return (
        f"{len(sent):,} sent, {len(late):,} of them late; {len(kills)} kills,"
        f" {clients.interrupted} posts interrupted"
    )


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    """Let what the test froze be collected after it."""
    yield
    gc.unfreeze()


@pytest.mark.slow
@pytest.mark.timeout(600 + REQUESTS / 10)
def test_rates_of_a_day_are_those_over_all_its_requests(tmp_path, shop, store_kind):
    requests = day(random.Random(1), REQUESTS)
    gc.freeze()  # a collection of a million of them is a second of silence in a transaction
    with serving(answer) as judge:
        fleet = processes(tmp_path / "day", store_kind, shop, judge.base_url)
        engine = store_kind.open(tmp_path / "day" / "0" / "data")
        happened = live(engine, fleet, [one for one in requests if one.is_sent])
    add_up_changes(Store(engine))
    sampled = samples(engine)
    gc.freeze()
    print(f"\n{len(requests):,} requests, {happened}")  # noqa: T201 - the figures
    for rate in ("ex", "flex"):
        shares = Counter(round(one, 3) for one in sampled[rate].probabilities.values())
        print(f"  {rate}, sampled with {sorted(shares)}")  # noqa: T201 - as above
    whole, by_hour = figures(engine, START_NS, START_NS + DAY_NS), hours(engine)
    for rate in RATES:
        check_day(rate, whole[rate], requests)
    check_windows(compared(engine, requests, sampled))
    archive(engine, ArchiveFiles(f"file://{tmp_path}/cold"))
    assert counted(engine, select(func.count()).select_from(UNIT)) == 0
    for before, after in zip(
        [whole, *by_hour],
        [figures(engine, START_NS, START_NS + DAY_NS), *hours(engine)],
        strict=True,
    ):
        assert after == {name: pytest.approx(shown, rel=1e-9) for name, shown in before.items()}
    engine.dispose()


def check_day(rate, shown, requests) -> None:
    truth = sum(one.passes(rate) for one in requests) / len(requests)
    low, high = shown["weighted_lower"], shown["weighted_upper"]
    print(  # noqa: T201 - the figures
        f"  {rate}: truth {truth:.4f}, day {shown['weighted']:.4f} from {low:.4f} to {high:.4f}"
    )
    assert low <= truth <= high


def check_windows(found) -> None:
    """93 to 97 % where 10 events are expected, 93 % and more elsewhere, but for chance."""
    for line in told(found):
        print(line)  # noqa: T201 - the figures
    for (_, kind), windows in found.items():
        chance = 3 * (0.95 * 0.05 / len(windows.covered)) ** 0.5
        if kind == "whole":
            assert windows.found == pytest.approx(windows.truths)
            continue
        assert windows.coverage >= 0.93 - chance
        if kind == "enough":
            assert windows.coverage <= 0.97 + chance
            assert abs(windows.bias) < max(0.01, 3 * windows.bias_error)
