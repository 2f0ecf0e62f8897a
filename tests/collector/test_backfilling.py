"""Backfills beside the collector: one suite for the runners, and results as the evaluator's.

The tests on Ray need Ray: `make test-integrations` runs them.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
import yaml

from sqlobs.execution.target import Target
from sqlobs_collector.backfilling import command
from sqlobs_collector.backfilling.ray_runner import on_ray
from sqlobs_collector.backfilling.running import Chunk, PlainRunner, UnitResult
from sqlobs_collector.cli import main
from sqlobs_collector.evaluation.schemas import Schemas
from sqlobs_collector.store.reading import StoreReader
from tests.collector import records
from tests.collector.stores import EMBEDDED, on_both
from tests.collector.test_evaluation import Evaluation
from tests.collector.test_units import unit

if TYPE_CHECKING:
    from pathlib import Path

# Ray's own code warns.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
PAST_NS = 1_750_000_000 * 10**9
SQL = {
    "passes": ("SELECT count(*) FROM orders", "SELECT count(id) FROM orders"),
    "differs": ("SELECT id FROM orders", "SELECT id FROM orders WHERE id > 1"),
    "fails": ("SELECT nothing FROM orders", None),
    "is rejected": ("DELETE FROM orders", None),
    "has no reference": ("SELECT region FROM orders", None),
}
STORED = (
    "SELECT trace_id, metric, version, e.label, e.kind, e.value, e.reason, explanation, detail,"
    " e.probability, e.cost_usd, golden_set, side, categories, stands_in, u.state, u.reason"
    " FROM evaluation e JOIN unit u ON u.id = e.unit_id ORDER BY 1, 2, 3"
)
"""Whole rows, but for ids and times."""
NEEDS_RAY = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is NOT INSTALLED")
RUNNERS = ("plain", pytest.param("ray", marks=NEEDS_RAY))


@pytest.fixture(scope="module")
def ray_here():
    """One Ray for all tests of this module."""
    with on_ray(None, workers=2) as runner:
        yield runner


@pytest.fixture(params=RUNNERS)
def runner(request):
    """What the suite is about."""
    if request.param == "plain":
        return PlainRunner()
    return request.getfixturevalue("ray_here")


@dataclass(frozen=True)
class Recorded:
    """Work that writes down when it begins and ends."""

    path: Path
    fault: str = ""

    @contextmanager
    def open(self):
        yield self.evaluate

    def evaluate(self, chunk):
        first = chunk.unit_ids[0]
        self.note("begins", first)
        if first == 30 and self.fault == "raises":
            raise OSError("the store is unreachable")
        begun = self.path.read_text().count(f"begins {first}\n")
        if first == 30 and (self.fault == "ends always" or (self.fault == "ends" and begun == 1)):
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.01)
        self.note("ends", first)
        return [UnitResult(one, "done", None if one % 2 else "no_target") for one in chunk.unit_ids]

    def note(self, what, first):
        with self.path.open("a") as file:
            file.write(f"{what} {first}\n")


CHUNKS = [Chunk(0, tuple(range(first, first + 3))) for first in range(0, 60, 3)]


def expected(*, without=()):
    return [
        UnitResult(one, "done", None if one % 2 else "no_target")
        for one in range(60)
        if one not in without
    ]


def test_each_unit_has_one_row(runner, tmp_path):
    """In any order; each chunk is begun once."""
    work = Recorded(tmp_path / "log")
    assert sorted(runner.run(CHUNKS, work, workers=2)) == expected()
    lines = work.path.read_text().splitlines()
    assert len(lines) == len(set(lines)) == 2 * len(CHUNKS)
    assert list(runner.run([], work, workers=2)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_no_more_chunks_than_workers_are_evaluated_at_a_time(runner, tmp_path, workers):
    """In all processes together."""
    work = Recorded(tmp_path / "log")
    assert len(list(runner.run(CHUNKS, work, workers=workers))) == 60
    running, most = 0, 0
    for line in work.path.read_text().splitlines():
        running += 1 if line.startswith("begins") else -1
        most = max(most, running)
    assert 1 <= most <= workers


def test_an_exception_becomes_the_reason_of_its_chunk(runner, tmp_path):
    """The others are evaluated."""
    work = Recorded(tmp_path / "log", "raises")
    found = sorted(runner.run(CHUNKS, work, workers=2), key=lambda one: one.unit_id)
    assert found[30:33] == [UnitResult(one, "unfinished", "OSError") for one in (30, 31, 32)]
    assert found[:30] + found[33:] == expected(without=(30, 31, 32))


@NEEDS_RAY
@pytest.mark.parametrize("fault", ["ends", "ends always"])
def test_a_worker_that_ends_costs_nothing_but_its_chunk(ray_here, tmp_path, fault):
    """The chunk is begun again, but not for ever."""
    work = Recorded(tmp_path / "log", fault)
    found = sorted(ray_here.run(CHUNKS, work, workers=2), key=lambda one: one.unit_id)
    if fault == "ends":
        assert found == expected()
    else:
        lost = [UnitResult(one, "unfinished", "worker_ended") for one in (30, 31, 32)]
        assert found[:30] + found[33:] == expected(without=(30, 31, 32))
        assert found[30:33] == lost
    assert work.path.read_text().count("begins 30\n") == (2 if fault == "ends" else 4)


@pytest.fixture(params=RUNNERS)
def engine(request, monkeypatch):
    """A value of --engine."""
    if request.param == "ray":
        running = request.getfixturevalue("ray_here")
        monkeypatch.setattr(command, "on_ray", lambda *_, **__: nullcontext(running))
    return request.param


store_kind = on_both(pytest.mark.slow)


@pytest.fixture
def station(tmp_path, shop, executor, store_kind):
    """A store with evaluated units, of which one was corrected, and one's target is unknown."""
    (tmp_path / "data").mkdir()
    target = Target.from_url("shop", f"sqlite:///{shop}")
    built = Evaluation(tmp_path / "data", targets=[target], executor=executor, kind=store_kind)
    urls = {"shop": f"sqlite:///{shop}"}
    built.scorer._schemas = Schemas(StoreReader(built.engine), urls=urls)
    built.now_ns = PAST_NS
    sent = [
        unit(
            number,
            at_ns=PAST_NS + number,
            sqlobs__query__capture="raw",
            body={
                "sqlobs.query.text": sql,
                **({} if reference is None else {"sqlobs.reference.query.text": reference}),
            },
            **named,
        )
        for number, (sql, reference, named) in enumerate(
            [
                *((*pair, {}) for pair in SQL.values()),
                (*SQL["passes"], {"sqlobs__target__name": "elsewhere"}),
                ("SELECT id FROM orders", None, {"sqlobs__syntactic_reason": "check_off"}),
            ]
        )
    ]
    corrected = records.log(
        0,
        event="gen_ai.evaluation.result",
        at_ns=PAST_NS,
        gen_ai__evaluation__name="feedback",
        gen_ai__evaluation__score__label="fail",
        sqlobs__feedback__kind="correction",
        sqlobs__feedback__value="down",
        sqlobs__feedback__query__text="SELECT count(*) FROM orders WHERE id > 0",
    )
    built.receive(records.logs(*sent, corrected))
    while built.evaluator.evaluate():
        pass
    settings = {
        "data_dir": str(built.data_dir),
        "targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}},
        **({} if store_kind.url is None else {"store": {"url": store_kind.url}}),
        "golden": {"digest_key": "k"},
    }
    built.config = tmp_path / "collector.yaml"
    built.config.write_text(yaml.safe_dump(settings))
    yield built
    built.close()


def run(station, *arguments):
    return main([*arguments, "--config", str(station.config)])


def rows(station):
    """All evaluations without the times within their details."""
    found = station.query(STORED)
    return [(*row[:8], re.sub(r'"wait_s": [^,}]+', "", row[8] or ""), *row[9:]) for row in found]


def test_results_are_those_of_the_evaluator(station, engine, capsys):
    """Whole rows, states too; and nothing is evaluated twice."""
    before = rows(station)
    assert {row[1] for row in before} >= {"execution", "ex", "syntactic", "correction"}
    station.change("DELETE FROM evaluation")
    assert run(station, "backfill", "--engine", engine, "--workers", "2", "--json") == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == {
        "units": 7,
        "states": {"done": 6, "refused": 1},
        "reasons": {"refused": 1, "no_target": 1},
    }
    assert rows(station) == before
    again = re.search(r"--evaluated-before (\S+)$", said.err.strip())[1]
    stored = station.query("SELECT unit_id, created_ns FROM evaluation ORDER BY 1, 2")
    rest = ("--engine", engine, "--evaluated-before", again)
    assert run(station, "backfill", *rest) == 0
    assert capsys.readouterr().out == "0 units: nothing to do\n"
    assert station.query("SELECT unit_id, created_ns FROM evaluation ORDER BY 1, 2") == stored


def test_units_of_a_file_give_the_same_results(station, engine, tmp_path, capsys):
    """Into files: the store stays as it is. A second run finds all of them done."""
    before, states = rows(station), station.query("SELECT * FROM unit ORDER BY id")
    file, out = tmp_path / "units.parquet", tmp_path / "results"
    assert run(station, "export", "--records", "--output", str(file)) == 0
    assert capsys.readouterr().err == f"7 units with their records in {file}\n"
    station.change("DELETE FROM evaluation")
    wanted = ("backfill", "--engine", engine, "--from", str(file), "--output", str(out))
    assert run(station, *wanted, "--dry-run") == 0
    assert capsys.readouterr().out == "7 units: 7 pending\n"
    assert not out.exists()
    assert run(station, *wanted) == 0
    assert capsys.readouterr().out.startswith("7 units: 5 done")
    assert station.query("SELECT count(*) FROM evaluation") == [(0,)]
    assert station.query("SELECT * FROM unit ORDER BY id") == states
    table = pq.read_table(out).to_pylist()
    found = sorted(
        (row["trace_id"], row["evaluation_metric"], row["evaluation_label"], row["state"])
        for row in table
    )
    assert found == [(row[0], row[1], row[3], row[15]) for row in before]
    assert run(station, *wanted) == 0
    assert capsys.readouterr().out == "0 units: nothing to do\n"
    assert run(station, *wanted[:-2]) == 0  # into the store
    assert rows(station) == before


def test_a_target_gets_no_more_connections_than_it_may_have(station, monkeypatch):
    """Over all workers; units without a target have no such limit."""
    asked = []

    class Recording(PlainRunner):
        def run(self, chunks, work, *, workers):
            asked.append((sum(len(one.unit_ids) for one in chunks), workers))
            return super().run(chunks, work, workers=workers)

    monkeypatch.setattr(command, "PlainRunner", Recording)
    settings = yaml.safe_load(station.config.read_text())
    settings["targets"]["shop"]["max_connections"] = 1
    station.config.write_text(yaml.safe_dump(settings))
    assert run(station, "backfill", "--engine", "plain", "--workers", "3") == 0
    assert asked == [(6, 1), (1, 3)]


def test_a_unit_that_is_queued_meanwhile_is_the_collector_s(station, monkeypatch, capsys):
    """A complaint about it came after it was read: it keeps its place in the queue."""
    stale = "SELECT count(*) FROM evaluation WHERE unit_id = 2 AND created_ns > " + str(PAST_NS)
    places = command.places_of

    def complained(options):
        source, results = places(options)

        class Source(type(source)):
            def read(self, engine, chunk, wanted):
                found = super().read(engine, chunk, wanted)
                station.change("UPDATE unit SET state = 'queued' WHERE id = 2")
                return found

        return Source(source.backfill), results

    monkeypatch.setattr(command, "places_of", complained)
    assert run(station, "backfill", "--engine", "plain", "--json") == 0
    assert json.loads(capsys.readouterr().out)["states"] == {"done": 5, "refused": 1, "skipped": 1}
    assert station.query(stale) == [(0,)]
    assert station.query("SELECT state FROM unit WHERE id = 2") == [("queued",)]


def test_units_of_another_store_are_left_out(station, tmp_path, capsys):
    """Its ids are other units here."""
    file = tmp_path / "units.parquet"
    assert run(station, "export", "--records", "--output", str(file)) == 0
    station.change("UPDATE unit SET span_id = 'other' WHERE id < 7")
    before = rows(station)
    capsys.readouterr()
    assert run(station, "backfill", "--engine", "plain", "--from", str(file), "--json") == 0
    assert json.loads(capsys.readouterr().out)["states"] == {"skipped": 6, "done": 1}
    assert rows(station) == before


def test_a_store_that_fails_leaves_units_unfinished(station, tmp_path, capsys):
    """Exit code 1, the reason, and another run for them."""
    station.change("DROP TABLE evaluation")
    assert run(station, "backfill", "--engine", "plain") == 1
    said = capsys.readouterr().out
    assert re.fullmatch(
        r"7 units: 7 unfinished \(\w+Error\); run the command again for the unfinished ones\n", said
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--output", "x"), "--output needs --engine: set it to plain or ray"),
        (("--from", "x"), "--from needs --engine"),
        (("--engine", "plain", "--from", "x", "--reason", "y"), "omit --from"),
        (("--engine", "plain", "--from", "/no/such.parquet"), "cannot read /no/such.parquet"),
        (("--engine", "plain", "--from", "gs//x://y"), "--from gs//x://y cannot be used"),
        (("--engine", "plain", "--workers", "0"), "'0' is not a number from 1 to 10000"),
        (("--engine", "plain", "--evaluated-before", "noon"), "'noon' is not a time"),
        (("--engine", "ray", "--address", "auto"), "workers on other machines cannot open the"),
    ],
)
def test_an_impossible_backfill_is_one_sentence(tmp_path, capsys, arguments, sentence):
    """Exit code 2, and what to do."""
    EMBEDDED.open(tmp_path).dispose()
    assert main(["backfill", *arguments, "--data-dir", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") <= 2  # the second is how to continue


def test_an_export_without_records_is_not_a_source(station, tmp_path, capsys):
    """It says how to make one."""
    file = tmp_path / "evaluations.parquet"
    assert run(station, "export", "--output", str(file)) == 0
    assert run(station, "backfill", "--engine", "plain", "--from", str(file)) == 2
    assert "write it with `sqlobs-collector export --records`" in capsys.readouterr().err
    assert run(station, "export", "--records") == 2
    assert "--records writes a Parquet file: set --output" in capsys.readouterr().err


def test_without_ray_the_command_says_what_to_install(tmp_path, capsys, monkeypatch):
    """Before it does anything."""
    EMBEDDED.open(tmp_path).dispose()
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["backfill", "--engine", "ray", "--data-dir", str(tmp_path)]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        'sqlobs-collector backfill: --engine ray needs an extra: pip install "sqlobs[ray]"'
    )
