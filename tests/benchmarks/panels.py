"""What panels, lists and a request of the console take over millions of units, on both stores.

Units of 30 days in three workspaces, five workflows and eight prompt versions, with three and more
evaluations each. `python -m tests.benchmarks.panels` prints the console's response times, and the processor
time that an answer takes of the collector and of PostgreSQL; at last those of panels whose sums late
verdicts have made stale. `SQLOBS_PANEL_UNITS` is the number of units: 500,000 take seven minutes on each
store, 10,000,000 an hour and 31 GB on PostgreSQL. `SQLOBS_PANEL_STORES=postgresql` measures one store.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import psycopg
from sqlalchemy import func, select, text, update

from sqlobs_collector.quality.hourly import add_up_changes
from sqlobs_collector.store.database import open_store, place_of
from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.store.tables import STALE_HOUR, UNIT
from sqlobs_collector.store.writing import Store
from tests.benchmarks.scale import scaled
from tests.benchmarks.sizing import serving, wait_for
from tests.collector.copied import copy_all
from tests.console import million
from tests.console.measuring import p, timed
from tests.servers import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine

    from tests.benchmarks.sizing import Process

UNITS = scaled(int(os.environ.get("SQLOBS_PANEL_UNITS", "500000")), least=2_000)
STORES = os.environ.get("SQLOBS_PANEL_STORES", "postgresql,embedded").split(",")
SEEDS = 200_000
ROUNDS = scaled(20)
FOREVER_S = "1000000000"
SERVER = {
    "shared_buffers": "2GB",
    "maintenance_work_mem": "1GB",
    "max_wal_size": "4GB",
    "work_mem": "16MB",
}
BY = ("", "&by=model", "&by=tenant", "&by=service_version", "&workflow=chart")
FILTERS = (
    "",
    f"&model={million.MODELS[0]}",
    f"&tenant={million.TENANTS[3]}",
    f"&prompt_version={million.PROMPTS[0]}",
)
LISTED = (
    "&verdict=failed",
    "&verdict=failed&model=" + million.MODELS[0],
    "&verdict=failed&workflow=chart&environment=staging",
    "&failure_code=semantics.aggregation",
    "&name=total_code",
    "&evaluation=flex_noref:fail",
)
STATIC = ("syntactic_validity", "schematic_validity", "semantic_validity")
IDLE_S = 0.1
"""Processor time in a second, below which processes are idle."""
LATE_HOURS = 3
"""Of the last day, in which a verdict has come that is not added up yet."""
CHECKED = """
INSERT INTO evaluation (unit_id, metric, version, label, kind, created_ns, emitted_ns)
SELECT id, :metric, '1', CASE WHEN verdict = 'failed' THEN 'fail' ELSE 'pass' END, 'static', state_ns,
    state_ns FROM unit
"""


@dataclass(frozen=True)
class Panel:
    """What is asked for, with its bar in milliseconds."""

    name: str
    bar_ms: int
    paths: Sequence[str]


def of_periods(path: str, more: Sequence[str]) -> list[str]:
    """Return addresses of a day and of 30 days."""
    return [f"{path}?since={since}{one}" for since in ("24h", "30d") for one in more]


DAY = Panel("24-hour panel", 50, [f"/v1/overview?since=24h{more}" for more in BY])
MONTH = Panel("30-day panel", 200, [f"/v1/overview?since=30d{more}" for more in BY])
GROUPS = Panel("groups of failures", 200, of_periods("/v1/failures", FILTERS))
LISTS = Panel("list of failed requests", 200, of_periods("/v1/requests", LISTED))


def fill(engine: Engine, end_ns: int) -> None:
    """Store all units, and add up their hours."""
    seeds = min(SEEDS, UNITS // 10)
    million.fill(Store(engine), seeds, end_ns=end_ns)
    with engine.begin() as connection:
        for metric in STATIC:
            connection.execute(text(CHECKED), {"metric": metric})
    began_s = time.monotonic()
    copy_all(engine, copies=UNITS // seeds, spread_ns=million.DAYS * million.DAY_NS // seeds)
    print(f"  {UNITS:,} units made in {time.monotonic() - began_s:,.0f} s", flush=True)
    began_s = time.monotonic()
    hours = add_up_changes(Store(engine))
    print(f"  {hours:,} hours added up in {time.monotonic() - began_s:,.0f} s", flush=True)


def be_late(engine: Engine, end_ns: int) -> None:
    """Let verdicts come late, in whole hours of the last day."""
    with engine.begin() as connection:
        for number in range(LATE_HOURS):
            hour = end_ns // HOUR_NS - 3 - 5 * number
            is_in = UNIT.c.occurred_ns.between(hour * HOUR_NS, (hour + 1) * HOUR_NS - 1)
            one = select(func.min(UNIT.c.id)).where(is_in, UNIT.c.workspace == million.WORKSPACE)
            late = update(UNIT).where(UNIT.c.id.in_(one)).values(verdict="failed")
            connection.execute(late)
        print(f"  hours to add up again: {len(connection.execute(select(STALE_HOUR)).all())}")


def answer(
    client: httpx.Client,
    panel: Panel,
    processes: Sequence[Process | PostgresServer],
    *,
    until: str,
) -> str:
    """Ask for all of a panel; return a line about it."""
    taken: dict[str, list[float]] = {}
    used: dict[str, list[float]] = {}
    for path in (f"{one}&until={until}" for one in panel.paths):
        timed(client, path)
        before = [one.cpu_s() for one in processes]
        taken[path] = [1e3 * timed(client, path) for _ in range(ROUNDS)]
        used[path] = [
            1e3 * (one.cpu_s() - start) / ROUNDS
            for one, start in zip(processes, before, strict=True)
        ]
    every = [one for each in taken.values() for one in each]
    slowest = max(taken, key=lambda path: statistics.median(taken[path]))
    costs = [statistics.mean(each) for each in zip(*used.values(), strict=True)]
    shown = " + ".join(f"{cost:.0f}" for cost in costs)
    most = max(sum(each) for each in used.values())
    return (
        f"  {panel.name:<28} p50 {statistics.median(every):5,.0f} ms, p95 {p(every, 95):5,.0f} ms (bar"
        f" {panel.bar_ms}), processor time {shown} ms, at most {most:.0f} ms; slowest"
        f" {statistics.median(taken[slowest]):,.0f} ms: {slowest.partition('&until')[0]}"
    )


def one_request(client: httpx.Client, end_ns: int) -> Panel:
    """Return the latest requests, each in full."""
    given = {"until": time_text(end_ns), "since": "30d", "limit": 20}
    found = client.get("/v1/requests", params=given).raise_for_status().json()["requests"]
    return Panel("one request", 20, [f"/v1/requests/{one['id']}?" for one in found])


def measure(home: Path, server: PostgresServer | None, end_ns: int) -> None:
    """Print what the console over a filled store takes."""
    url = None if server is None else server.url()
    shop = home / "shop.db"
    shop.touch()
    kept = {
        f"retention__{name}": FOREVER_S for name in ("unit_s", "payload_s", "sampled_out_payload_s")
    }
    roles = {} if url is None else {"store__url": url, "roles": "console"}
    with serving(home, shop, journal__min_free_bytes="0", **kept, **roles) as process:
        wait_for(lambda: httpx.get(f"{process.admin}/readyz").status_code == 200)
        token = (home / "admin.token").read_text(encoding="utf-8").strip()
        bearer = {"Authorization": f"Bearer {token}"}
        processes = [process, *(() if server is None else (server,))]
        with httpx.Client(base_url=process.admin, headers=bearer, timeout=300) as client:
            panels = [DAY, MONTH, GROUPS, LISTS, one_request(client, end_ns)]
            settle(processes)
            for panel in panels:
                print(answer(client, panel, processes, until=time_text(end_ns)), flush=True)
            if url is not None:  # nobody adds up here: a console alone
                be_late(open_store(place_of(home, url)), end_ns)
                for panel in (DAY, MONTH):
                    late = replace(panel, name=f"{panel.name}, late verdicts")
                    print(answer(client, late, processes, until=time_text(end_ns)), flush=True)


def settle(processes: Sequence[Process | PostgresServer]) -> None:
    """Wait for what a collector does at its start: it evaluates the alerts of all workspaces."""
    while True:
        before = sum(one.cpu_s() for one in processes)
        time.sleep(1)
        if sum(one.cpu_s() for one in processes) - before < IDLE_S:
            return


def time_text(at_ns: int) -> str:
    """Return a time as addresses have it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at_ns // 10**9))


def fill_and_measure(home: Path, server: PostgresServer | None) -> None:
    """Print the figures of a store of its own."""
    url = None if server is None else server.url()
    engine = open_store(place_of(home, url))
    end_ns = time.time_ns()
    fill(engine, end_ns)
    with engine.connect() as connection:
        for table in ("unit", "evaluation", "rollup"):
            counted = connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
            print(f"  rows of {table} {counted:,}", flush=True)
    engine.dispose()
    if url is not None:  # as autovacuum does after so many rows
        with psycopg.connect(url, autocommit=True) as connected:
            connected.execute("VACUUM ANALYZE")
    measure(home, server, end_ns)


def main() -> None:
    """Print the figures of each store."""
    for kind in STORES:
        print(f"{kind}: {UNITS:,} units", flush=True)
        with ExitStack() as stack:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = None
            if kind == "postgresql":
                server = PostgresServer(options=SERVER).start()
                stack.callback(server.stop)
            fill_and_measure(home, server)


if __name__ == "__main__":
    main()
