"""What goes wrong around a collector: a full disk, a target that is slow, locked or gone."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import httpx
import pytest

from sqlobs_collector.store.embedded import FILE_NAME
from tests.collector import records
from tests.collector.disks import mounted
from tests.collector.running import wait_until
from tests.collector.test_units import send, unit, why

SPACE_BYTES = 12 * 1024**2


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own with room for little."""
    path = tmp_path / "small"
    path.mkdir()
    with mounted(path, SPACE_BYTES):
        yield path


def post(collector, *numbers: int) -> httpx.Response:
    body = {"sqlobs.query.text": "SELECT 1 " + "-- padding" * 200}
    request = records.logs(*(unit(number, body=body) for number in numbers))
    return httpx.post(
        f"{collector.http}/v1/logs",
        content=request.SerializeToString(),
        headers={"Content-Type": "application/x-protobuf"},
    )


@pytest.mark.parametrize("min_free_bytes", [0, 2 * 1024**2], ids=["to the last byte", "watched"])
def test_a_full_disk_rejects_requests_temporarily_and_loses_nothing(
    launch, small_disk, min_free_bytes
):
    """503 until there is room again; every acknowledged unit is in the store in the end."""
    collector = launch(data_dir=small_disk / "data", journal__min_free_bytes=min_free_bytes)
    (small_disk / "ballast").write_bytes(bytes(SPACE_BYTES // 2))
    acknowledged, first = set(), 0
    while (answer := post(collector, *range(first, first + 100))).status_code == 200:
        acknowledged.update(range(first, first + 100))
        first += 100
    assert answer.status_code == 503
    assert 1 <= int(answer.headers["retry-after"]) <= 5
    assert httpx.get(f"{collector.admin}/healthz").status_code == 200
    (small_disk / "ballast").unlink()
    wait_until(lambda: post(collector, 1_000_000).status_code == 200)
    acknowledged.add(1_000_000)
    assert httpx.get(f"{collector.admin}/readyz").json()["ready"]

    def stored() -> int:
        with closing(sqlite3.connect(small_disk / "data" / FILE_NAME)) as connection:
            return connection.execute("SELECT count(*) FROM unit").fetchone()[0]

    wait_until(lambda: stored() == len(acknowledged), within_s=40)
    collector.stop()


def settled(collector, number: int) -> dict:
    """A unit once its evaluation is over, or held."""
    trace = records.trace_id(number).hex()
    ends = {"done", "held", "error", "refused", "truncated"}
    [path] = wait_until(
        lambda: [one for one in why(collector, trace) if one["state"] in ends], within_s=40
    )
    return path


def execution(path: dict) -> tuple:
    [step] = [one for one in path["steps"] if one.get("metric") == "execution"]
    return step["label"], step["reason"], step["explanation"]


def test_a_slow_statement_is_ended_at_its_limit_and_the_next_one_runs(launch, shop):
    """`execution.timeout` is the prediction's failure; what it would have returned is unknown."""
    target = {"url": f"sqlite:///{shop}", "default": True, "limits": {"timeout_s": 0.3}}
    collector = launch(targets={"shop": target})
    endless = (
        "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r"
    )
    for number, sql in enumerate((endless, "SELECT count(*) FROM orders"), 1):
        body = {"sqlobs.query.text": sql}
        send(collector, records.logs(unit(number, body=body, sqlobs__query__capture="raw")))
    slow, quick = settled(collector, 1), settled(collector, 2)
    assert (slow["state"], execution(slow)) == ("done", ("fail", None, "execution.timeout"))
    assert (quick["state"], execution(quick)) == ("done", ("pass", None, None))


@pytest.mark.parametrize(
    "url", ["postgresql://nobody@127.0.0.1:9/none", "sqlite:////no/such/file.db"]
)
def test_an_unreachable_target_holds_its_units_and_only_those(launch, shop, url):
    """Held with the reason, to be tried again; the other target's units are scored."""
    collector = launch(
        targets={"away": {"url": url}, "shop": {"url": f"sqlite:///{shop}", "default": True}}
    )
    body = {"sqlobs.query.text": "SELECT count(*) FROM orders"}
    known = {"body": body, "sqlobs__query__capture": "raw"}
    send(collector, records.logs(unit(1, sqlobs__target__name="away", **known), unit(2, **known)))
    held, done = settled(collector, 1), settled(collector, 2)
    assert (held["state"], held["reason"]) == ("held", "target_unavailable")
    assert execution(held)[:2] == ("not_evaluated", "target_unavailable")
    assert (done["state"], execution(done)[0]) == ("done", "pass")
