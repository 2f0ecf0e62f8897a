"""PostgreSQL as the store: several writers, the same answers as SQLite, and the way there."""

from __future__ import annotations

import random
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from sqlobs_collector.cli import main
from sqlobs_collector.quality.hourly import add_up_changes
from sqlobs_collector.store import moving, systems
from sqlobs_collector.store.rows import Evaluated
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import ROLLUP, UNIT
from sqlobs_collector.store.writing import Store, StoreWriter
from tests.collector import records
from tests.collector.conftest import launching
from tests.collector.running import wait_until
from tests.collector.stores import EMBEDDED
from tests.collector.test_requests import asked, invented
from tests.collector.test_store import HOUR_NS, UNIT_ROW, put_unit, stale_hours
from tests.collector.test_units import NOW_NS, Station, send, unit
from tests.console.scene import playing

pytestmark = pytest.mark.postgres
DAY_S = 86_400
ROW = UNIT_ROW._replace(
    workspace="default",
    span_id="b",
    service_name="",
    environment="",
    workflow="",
    occurred_ns=1,
    received_ns=1,
    state_ns=1,
    provenance="live",
)


def test_collectors_that_start_at_once_migrate_once(databases, tmp_path):
    """Each waits for the one that came first, and finds the tables."""
    kind = databases.empty()
    with ThreadPoolExecutor(4) as pool:
        engines = list(pool.map(lambda _: kind.open(tmp_path), range(4)))
    with engines[0].connect() as connection:
        assert len(connection.execute(text("SELECT * FROM alembic_version")).all()) == 1
    for engine in engines:
        engine.dispose()


def test_two_collectors_that_start_at_once_store_a_unit_once(databases, tmp_path):
    """A client that retries at the other one sends nothing twice."""
    kind = databases.empty()
    with launching(tmp_path / "one", kind) as one, launching(tmp_path / "two", kind) as two:
        with ThreadPoolExecutor(2) as pool:
            collectors = list(pool.map(lambda launch: launch(), (one, two)))
        for collector in collectors:
            send(collector, records.logs(*(unit(number) for number in range(50))))
        for collector in collectors:
            collector.stop()
    engine = kind.open(tmp_path)
    with engine.connect() as connection:
        counts = text("SELECT count(*), count(DISTINCT (trace_id, span_id)) FROM unit")
        assert connection.execute(counts).all() == [(50, 50)]
        assert connection.execute(text("SELECT count(*) FROM journal")).all() == [(2,)]
    engine.dispose()


def test_writers_at_the_same_time_store_a_unit_once(databases, tmp_path):
    """Of two transactions with the same units, the later one waits and stores none of them."""
    kind = databases.migrated()
    engines = [kind.open(tmp_path) for _ in range(2)]
    rows = [
        ROW._replace(trace_id=f"{number:032x}", state="queued", occurred_ns=number * HOUR_NS)
        for number in range(200)
    ]
    together = threading.Barrier(2)

    def put(engine, rows):
        together.wait()
        with Store(engine).writing() as writer:
            return len(writer.units.put(rows).new)

    with ThreadPoolExecutor(2) as pool:
        added = list(pool.map(put, engines, (rows, rows)))
    assert sorted(added) == [0, 200]
    for engine in engines:
        engine.dispose()


def test_a_unit_that_comes_while_its_span_is_dropped_is_stored(databases, tmp_path):
    """It waits for whoever drops the span beyond a quota, and is then a new one."""
    kind = databases.migrated()
    dropping, receiving = kind.open(tmp_path), kind.open(tmp_path)
    span = ROW._replace(trace_id="a", source="span", state="held")
    with Store(dropping).writing() as writer:
        [known] = writer.units.put([span]).new
        writer.intake.refused({("default", 0): 1})

    def put():
        with Store(receiving).writing() as writer:
            return writer.units.put([known._replace(source="unit", state="queued")])

    with ThreadPoolExecutor(1) as pool:
        with Store(dropping).writing() as writer:
            assert len(writer.units.drop_beyond_quota([1], apart_ns=1)) == 1
            done = pool.submit(put)
            wait_until(lambda: waiting_locks(dropping, "transactionid") == 1)
        stored = done.result()
    assert ([row.source for row in stored.new], stored.replacing) == (["unit"], [])
    for engine in (dropping, receiving):
        engine.dispose()


def test_a_unit_is_a_repeat_on_a_later_day(databases, tmp_path):
    """Its span is what makes it one, not the time at which it comes."""
    station = Station(tmp_path, databases.migrated())
    station.receive(records.logs(unit(1)))
    station.later(3 * 3600)
    station.receive(records.logs(unit(1, at_ns=NOW_NS + 2 * DAY_S * 10**9)))
    assert station.query("SELECT count(*) FROM unit") == [(1,)]
    station.close()


def test_long_and_odd_texts_cost_no_unit(databases, tmp_path):
    """PostgreSQL limits an index row and knows no NUL: long ones keep a beginning and their hash."""
    station = Station(tmp_path, databases.migrated())
    names = ("sqlobs__workflow", "sqlobs__tenant", "gen_ai__request__model", "sqlobs__outcome")
    names += ("gen_ai__prompt__version", "gen_ai__conversation__id", "sqlobs__failure__code")
    rng = random.Random(7)
    for number, characters in enumerate(("0123456789abcdef", "äöüß京", "\0\n'\\")):
        long = {name: "".join(rng.choices(characters, k=9_000)) for name in names}
        made_up = ["".join(rng.choices(characters, k=9_000)) for _ in range(3)]
        station.receive(
            records.logs(
                unit(2 * number, **long, sqlobs__hallucinated__columns=made_up),
                unit(2 * number + 1, **long),
            )
        )
    assert station.rejected() == {}
    sizes = station.query("SELECT octet_length(tenant), octet_length(prompt_version) FROM unit")
    assert len(sizes) == 6
    assert all(190 < size <= 210 for pair in sizes for size in pair)
    assert station.query("SELECT count(DISTINCT tenant) FROM unit") == [(3,)]
    station.close()


def test_a_connection_that_was_lost_costs_no_unit(databases, tmp_path):
    """As after a restart of the server: the next attempt stores what waits in the journal."""
    station = Station(tmp_path, databases.migrated())
    station.receive(records.logs(unit(1)))
    others = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = {} AND pid <> {}"
    )
    with station.engine.connect() as connection:
        connection.execute(text(others.format("current_database()", "pg_backend_pid()")))
        connection.execute(text("SELECT 1"))
    station.receive(records.logs(unit(2)))
    assert station.query("SELECT count(*) FROM unit") == [(2,)]
    station.close()


def test_units_come_in_while_old_ones_expire(databases, tmp_path):
    """A transaction that expires and deletes is open, and another one stores units meanwhile."""
    kind = databases.migrated()
    old, new = kind.open(tmp_path), kind.open(tmp_path)
    with old.begin() as connection:
        for number in range(20):
            put_unit(connection, 1000 + number, occurred_ns=number + 1, payload=b"said")
    with old.begin() as expiring:
        writer = StoreWriter(expiring)
        assert writer.expiry.payloads(sampled_out_ns=10, any_ns=10, limit=100) == 9
        assert writer.expiry.units(before_ns=5, limit=100) == 4
        with new.begin() as connection:
            connection.execute(text("SET LOCAL lock_timeout = '5s'"))
            put_unit(connection, 1, occurred_ns=9 * HOUR_NS)
            StoreWriter(connection).put_evaluations([Evaluated(1, "ex", "1", "pass", "engine", 1)])
    with new.connect() as connection:
        assert connection.execute(select(UNIT.c.id).where(UNIT.c.id < 1000)).scalars().all() == [1]
        assert stale_hours(connection) == [("default", 0), ("default", 9)]
    for engine in (old, new):
        engine.dispose()


def test_a_request_that_comes_while_its_hour_is_added_up_is_added_up_next_time(databases, tmp_path):
    """Whoever adds up waits for the writers of the hour: no note of theirs is lost."""
    kind = databases.migrated()
    writing, adding = kind.open(tmp_path), kind.open(tmp_path)
    with writing.begin() as connection:
        put_unit(connection, 1)
    with ThreadPoolExecutor(1) as pool:
        with writing.begin() as connection:
            put_unit(connection, 2)
            done = pool.submit(add_up_changes, Store(adding))
            wait_until(lambda: waiting_locks(writing) == 1)
        assert done.result() == 1
    with adding.connect() as connection:
        requests = select(ROLLUP.c.requests).where(ROLLUP.c.hours == 1, ~ROLLUP.c.by_tenant)
        assert connection.execute(requests).scalars().all() == [2]
        assert stale_hours(connection) == []
    for engine in (writing, adding):
        engine.dispose()


def waiting_locks(engine, kind="advisory"):
    with engine.connect() as connection:
        return connection.execute(
            text("SELECT count(*) FROM pg_locks WHERE locktype = :kind AND NOT granted"),
            {"kind": kind},
        ).scalar_one()


ANSWERS = (
    *("/v1/failures", "/v1/requests", "/v1/requests/export", "/v1/requests?q=region+orders"),
    *(
        "/v1/requests?q=orders.totals",
        "/v1/requests?verdict=failed",
        "/v1/requests?evaluation=ex:fail",
    ),
    *("/v1/requests?feedback=negative&tenant=acme", "/v1/requests?name=totals", "/v1/units"),
    *("/v1/overview?since=24h&by=model", "/v1/overview?since=7d&rate=sql_correctness"),
    *("/v1/explain?rate=failed&since=1d", "/v1/why", "/v1/statements", "/v1/cases", "/v1/golden"),
    *("/v1/golden/export", "/v1/judges", "/v1/views", "/v1/alerts", "/v1/review?rater=linus"),
    *("/v1/review/export", "/v1/compare?by=model&before=gpt-4o&now=qwen2.5-coder"),
)
_NOW = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?|\b1[789]\d{8}(\d{9})?\b"
)
_OF_A_RUN = re.compile(r"seconds|uptime|_created|_info|lag|process_|targets?_|python_")
"""Metrics of the process, not of the store."""


def test_a_store_that_was_moved_shows_the_same(databases, tmp_path, shop, capsys):
    """Requests that were evaluated, judged, labeled: each page and answer is the same, and each rate.

    The embedded collector played the scene. Then one collector serves each store, and both are
    asked at the same time: pages show the last hours.
    """
    data_dir, kind = tmp_path / "data", databases.empty()
    with launching(tmp_path) as launch, playing(launch, shop) as scene:
        addresses = [one for name, one in scene.addresses.items() if name != "settings"]
    assert main(["migrate", "--data-dir", str(data_dir), "--to", kind.url]) == 0
    assert "rows with 22 units are in" in capsys.readouterr().out
    shutil.copytree(data_dir, tmp_path / "moved" / "data")
    with served(EMBEDDED, tmp_path) as embedded, served(kind, tmp_path / "moved") as server:
        differing = {
            path: (here, there)
            for path in (*ANSWERS, *addresses, "/metrics")
            for here, there in [(said(embedded, path), said(server, path))]
            if here != there
        }
    assert differing == {}


@contextmanager
def served(kind, directory):
    """A client of a collector on a store whose hours are added up."""
    engine = kind.open(directory / "data")
    add_up_changes(Store(engine))
    engine.dispose()
    with launching(directory, kind) as launch:
        collector = launch(judge__base_url="http://127.0.0.1:1", judge__model="gpt-4o")
        own = {"base_url": collector.admin, "headers": collector.bearer}
        with httpx.Client(**own, timeout=60) as client:  # the first page of a console is slow
            yield client


def said(client, path):
    """The answer, without the current time and what differs between processes."""
    answer = client.get(path)
    if path != "/metrics":
        return answer.status_code, _NOW.sub("NOW", answer.text)
    return sorted(
        line for line in answer.text.splitlines() if line[:1] != "#" and not _OF_A_RUN.search(line)
    )


@pytest.mark.slow
def test_a_collector_evaluates_and_judges_on_postgresql(databases, tmp_path, shop):
    """What comes of each request is what comes of it on the embedded store."""
    embedded, server = (
        outcomes(kind, tmp_path / name, shop)
        for name, kind in (("embedded", EMBEDDED), ("server", databases.empty()))
    )
    assert len(embedded) == 22
    assert server == embedded


def outcomes(kind, directory, shop):
    """The evaluations of each request, but for the one that a correction queues again meanwhile."""
    with launching(directory, kind) as launch, playing(launch, shop) as scene:
        units = scene.client.get("/v1/units")["units"]
    named = ("metric", "version", "label", "value", "reason", "kind", "explanation", "probability")
    return {
        unit["trace_id"]: {
            "texts": unit["texts"],
            "state": unit["state"],
            "evaluations": sorted(
                tuple(str(one[name]) for name in named)
                for one in unit["evaluations"]
                if not unit["feedback"]
            ),
        }
        for unit in units
    }


def everything_moved(directory):
    """All rows of the moved tables, and what is found by a search."""
    with directory.connect() as connection:
        rows = {
            table.name: connection.execute(select(table).order_by(*table.primary_key)).all()
            for table in moving.TABLES
        }
        found = RequestFilter(workspace="default", searched="orders").resolved(connection).among
    return rows, found


@pytest.fixture
def filled(tmp_path):
    """The embedded store of a stopped collector."""
    (tmp_path / "data").mkdir()
    station = Station(tmp_path / "data")
    station.receive(records.logs(*(asked(number) for number in range(40))))
    station.receive(records.logs(*(invented(number) for number in range(40, 60))))
    station.receive(records.logs(*(feedback(number) for number in range(50, 60))))
    station.later(20)
    store = Store(station.engine)
    with store.writing() as writer:
        ids = [unit_id for (unit_id,) in station.query("SELECT id FROM unit ORDER BY id")]
        writer.put_evaluations(
            [Evaluated(one, metric, "1", "pass", "engine", 1) for one in ids for metric in "ab"]
        )
        writer.views.put("default", "mine", "verdict=failed", by="ada", at_ns=1)
    add_up_changes(store)
    station.close()
    return tmp_path / "data"


def feedback(number):
    return records.log(
        number,
        event="gen_ai.evaluation.result",
        at_ns=NOW_NS,
        gen_ai__evaluation__name="feedback",
        gen_ai__evaluation__score__label="fail",
        sqlobs__feedback__kind="vote",
        sqlobs__feedback__value="down",
    )


def test_a_move_that_is_interrupted_loses_nothing_and_repeats_nothing(
    databases, filled, monkeypatch, capsys
):
    """Again and again after each commit, until one comes to its end: all rows are equal."""
    kind = databases.empty()
    monkeypatch.setattr(moving, "BATCH_ROWS", 7)
    arguments = ["migrate", "--data-dir", str(filled), "--to", kind.url]
    for commits in (2, 5, 9, 1):
        assert main_interrupted(monkeypatch, arguments, commits) == 2
        assert "was interrupted (killed): run the command again" in capsys.readouterr().err
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert re.search(r"rows with 60 units are in postgresql://\S+ \(\d+ of them were there\)", said)
    here, there = EMBEDDED.open(filled), kind.open(filled)
    assert everything_moved(there) == everything_moved(here)
    add_up_changes(Store(there))
    with here.connect() as one, there.connect() as other:
        order = (
            ROLLUP.c.hours,
            ROLLUP.c.hour,
            ROLLUP.c.by_tenant,
            ROLLUP.c.model,
            ROLLUP.c.verdict,
        )
        sums = select(ROLLUP).order_by(*order)
        assert set(other.execute(sums).all()) == set(one.execute(sums).all())
    with there.begin() as connection:
        added = connection.execute(text(_ADDED)).scalar_one()
        assert added == connection.execute(text("SELECT max(id) FROM unit")).scalar_one() == 61
    for engine in (here, there):
        engine.dispose()


_ADDED = (
    "INSERT INTO unit (workspace, trace_id, span_id, source, occurred_ns, received_ns,"
    " service_name, environment, workflow, state, state_ns)"
    " VALUES ('default', 'a', 'b', 'unit', 1, 1, '', '', '', 'done', 1) RETURNING id"
)


def main_interrupted(monkeypatch, arguments, commits):
    """Run the command; the connection breaks after some batches."""
    left = iter(range(commits))

    def copy_rows(*given):
        if next(left, None) is None:
            raise DBAPIError("COPY", None, OSError("killed"))
        return systems.copy_rows(*given)

    with monkeypatch.context() as patched:
        patched.setattr(moving, "copy_rows", copy_rows)
        return main(arguments)


def test_a_move_into_another_store_s_database_is_rejected(databases, filled, tmp_path, capsys):
    """One sentence; nothing is written."""
    kind = databases.migrated()
    engine = kind.open(tmp_path)
    with engine.begin() as connection:
        put_unit(connection, 7_000)
    assert main(["migrate", "--data-dir", str(filled), "--to", kind.url]) == 2
    said = capsys.readouterr().err
    assert "has rows in unit that" in said
    assert said.count("\n") == 1
    with engine.connect() as connection:
        assert connection.execute(select(UNIT.c.id)).scalars().all() == [7_000]
    engine.dispose()


BAD_TARGETS = {
    "mysql://root@127.0.0.1/x": "the store must be a PostgreSQL database",
    "env:NO_SUCH_VARIABLE": "the environment variable NO_SUCH_VARIABLE is not set",
    "postgresql://a@127.0.0.1:1/x": "cannot be opened (connection failed",
    "postgresql://a@127.0.0.1:port/x": "the address of the store cannot be read",
    "postgresql://a:secret@127.0.0.1:1/x?nothing=1": "invalid connection option",
}


@pytest.mark.parametrize(("url", "said"), BAD_TARGETS.items())
def test_an_impossible_target_gives_one_sentence(filled, capsys, url, said):
    """Exit code 2, no password, and the store as it was."""
    assert main(["migrate", "--data-dir", str(filled), "--to", url]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "secret" not in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("postgresql://a@127.0.0.1:1/x", 1),
        ("postgresql://a:secret@127.0.0.1:1/x?nothing=1", 2),
    ],
)
def test_a_start_without_the_server_is_to_be_repeated(tmp_path, capsys, monkeypatch, url, code):
    """Exit code 1, for which systemd starts it again; a wrong address stays a wrong setting."""
    monkeypatch.setenv("SQLOBS_COLLECTOR__STORE__URL", url)
    free = [f"--{name}=127.0.0.1:0" for name in ("http", "grpc", "admin")]
    assert main(["serve", "--data-dir", str(tmp_path), *free]) == code
    error = capsys.readouterr().err
    assert "the store postgresql://" in error
    assert error.count("\n") == 1


def test_a_move_needs_a_store(tmp_path, capsys):
    """The message names the setting."""
    assert main(["migrate", "--data-dir", str(tmp_path), "--to", "postgresql://a@h/x"]) == 2
    assert "no store in" in capsys.readouterr().err
