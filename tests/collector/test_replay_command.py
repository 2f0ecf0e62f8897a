from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from sqlobs_collector.cli import main
from sqlobs_collector.datadir import JOURNAL, DirectoryLock
from sqlobs_collector.journal.entry import Entry
from sqlobs_collector.store.embedded import FILE_NAME
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_quality import expose
from tests.collector.test_units import NOW_NS, Station, unit

DAY_NS = 86_400 * 10**9
COMPLAINT = {"sqlobs__feedback__kind": "thumb", "sqlobs__feedback__value": "down"}


def station_in(directory) -> Station:
    directory.mkdir()
    return Station(directory)


@pytest.fixture
def ours(tmp_path):
    """The station whose store is replayed into: it knows the second unit."""
    built = station_in(tmp_path / "ours")
    built.receive(records.logs(unit(2, sqlobs__syntactic=True)))
    yield built
    built.close()


@pytest.fixture
def theirs(tmp_path):
    """Another collector's: three units of three days, a complaint and a schema."""
    built = station_in(tmp_path / "theirs")
    units = (unit(number, at_ns=NOW_NS - (number - 1) * DAY_NS) for number in (1, 2, 3))
    built.receive(records.logs(*units))
    said = {"gen_ai__evaluation__name": "feedback", **COMPLAINT}
    built.receive(records.logs(records.log(1, event="gen_ai.evaluation.result", **said)))
    built.receive(b"{}", kind="schema", subject="v1")
    yield built
    built.close()


def replay(into: Station, *arguments: str, of: Station | None = None) -> int:
    chosen = [] if of is None else ["--journal", str(of.directory)]
    return main(["replay", "--data-dir", str(into.data_dir), *chosen, *arguments])


def units(station: Station) -> list[tuple]:
    return station.query("SELECT span_id, provenance, state FROM unit ORDER BY span_id")


def stored(*known: tuple[int, str]) -> list[tuple]:
    return [(records.span_id(number).hex(), came, "queued") for number, came in known]


def test_what_the_store_lacks_is_added_and_waits_for_evaluation(ours, theirs, capsys):
    """Units, what was said of them, schemas; twice is once, and what is there stays live."""
    assert replay(ours, of=theirs) == 0
    assert capsys.readouterr().out == "2 of 3 units in 3 entries are new\n"
    assert units(ours) == stored((1, "replay"), (2, "live"), (3, "replay"))
    assert ours.query("SELECT kind FROM report") == [("feedback",)]
    assert ours.query("SELECT version FROM schema_document") == [("v1",)]
    assert replay(ours, of=theirs) == 0
    assert capsys.readouterr().out == "0 of 3 units in 3 entries are new\n"
    assert len(units(ours)) == 3


def test_a_replay_touches_no_gauge_of_today(ours, theirs):
    """It fills the store, not the windows: it must not page anybody."""

    def shown() -> dict[tuple, float]:
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in expose(ours).collect()
            for sample in family.samples
        }

    before = shown()
    assert before
    theirs.receive(records.logs(unit(7, sqlobs__syntactic=False)))
    assert replay(ours, of=theirs) == 0
    assert shown() == before


def test_a_period_is_of_requests(ours, theirs, capsys):
    """From one time on, before another."""
    assert replay(ours, "--since", "2027-01-14", "--until", "2027-01-15", of=theirs) == 0
    assert capsys.readouterr().out == "0 of 1 units in 3 entries are new\n"
    assert ours.query("SELECT count(*) FROM report") == [(0,)]


def test_a_dry_run_counts_and_stores_nothing(ours, theirs, capsys):
    """The same figures as in earnest; as JSON for a machine."""
    assert replay(ours, "--dry-run", of=theirs) == 0
    assert capsys.readouterr().out == "2 of 3 units in 3 entries would be new\n"
    assert replay(ours, "--dry-run", "--json", of=theirs) == 0
    counts = json.loads(capsys.readouterr().out)
    found = {"entries": 3, "units": 3, "new_units": 2, "reports": 1, "schemas": 1}
    lost = {"lost": {"entries": 0, "records": 0}, "damaged": []}
    assert counts == {**found, **lost, "unreadable": 0, "caught_up": 0}
    assert units(ours) == stored((2, "live"))


def test_a_lost_store_is_restored_from_its_journal(ours, capsys):
    """What was never projected here is live, as at the next start; nothing is marked."""
    ours.close()
    for path in ours.data_dir.glob(f"{FILE_NAME}*"):
        path.unlink()
    assert replay(ours) == 0
    said = capsys.readouterr().out
    assert said.endswith("; 1 units that the collector had not processed are stored\n")
    assert units(ours) == stored((2, "live"))


def test_what_retention_took_comes_back_out_of_its_own_journal(ours, capsys):
    """Only what was projected before is read again: the rest is the collector's own."""
    ours.change("DELETE FROM unit")
    entry = Entry("default", "logs", "", "identity", 1, records.logs(unit(4)).SerializeToString())
    ours.journal.append([entry], received_ns=NOW_NS)
    assert replay(ours, "--json") == 0
    counts = json.loads(capsys.readouterr().out)
    assert (counts["entries"], counts["new_units"], counts["caught_up"]) == (1, 1, 1)
    assert units(ours) == stored((2, "replay"), (4, "live"))


@pytest.mark.parametrize("mode", [(), ("--dry-run",)])
def test_a_record_that_cannot_be_read_is_a_finding(ours, theirs, capsys, caplog, mode):
    """Exit code 1; the others of its batch are counted anyway."""
    broken = Entry("default", "logs", "", "identity", 1, b"\xff")
    theirs.journal.append([broken], received_ns=NOW_NS)
    assert replay(ours, "--json", *mode, of=theirs) == 1
    counts = json.loads(capsys.readouterr().out)
    assert (counts["new_units"], counts["unreadable"]) == (2, 1)
    assert "cannot be read or stored" in caplog.text


def test_an_invalid_replay_gives_one_error_sentence(ours, theirs, tmp_path, capsys):
    """Exit code 2: no journal, a collector at work."""
    data_dir = str(ours.data_dir)
    assert main(["replay", "--data-dir", data_dir, "--journal", str(tmp_path / "no")]) == 2
    assert "no journal in" in capsys.readouterr().err
    lock = DirectoryLock(ours.data_dir)
    lock.acquire()
    assert replay(ours, of=theirs) == 2
    assert "another collector is using" in capsys.readouterr().err
    lock.release()
    assert units(ours) == stored((2, "live"))


NOISE = "journal-20990101T000000.000000.log"


@pytest.mark.parametrize(("begin", "lost"), [(20, 0), (100, 1)])
def test_what_is_damaged_is_counted_and_named_and_the_rest_replayed(
    ours, theirs, capsys, begin, lost
):
    """Exit code 1: a file without its first entry, with its opening or not, and one that is none.

    Without the opening nothing tells how many entries there were before the next.
    """
    [path] = theirs.directory.glob("journal-*")
    content = bytearray(path.read_bytes())
    end = content.index(b'["default"')
    content[begin:end] = bytes(end - begin)
    path.write_bytes(content)
    (theirs.directory / NOISE).write_bytes(b"no journal" * 100)
    assert replay(ours, of=theirs) == 1
    said = capsys.readouterr().out
    assert f"{lost} entries with {lost} records are lost in 2 damaged files" in said
    assert said.endswith(f"\n  {path.name}\n  {NOISE}\n")
    assert replay(ours, "--json", of=theirs) == 1
    counts = json.loads(capsys.readouterr().out)
    assert (counts["entries"], counts["lost"]) == (2, {"entries": lost, "records": lost})
    assert counts["damaged"] == [path.name, NOISE]


def test_a_replayed_unit_is_evaluated_by_the_next_collector(tmp_path, launch, shop, theirs):
    """The whole way: another machine's journal, an empty directory, a service."""
    data_dir = tmp_path / "new"
    body = {"sqlobs.query.text": "SELECT count(*) FROM orders"}
    theirs.receive(records.logs(unit(9, body=body, sqlobs__query__capture="raw")))
    arguments = ["--journal", str(theirs.directory), "--since", "2027-01-15T08:00"]
    assert main(["replay", "--data-dir", str(data_dir), *arguments]) == 0
    assert not (data_dir / JOURNAL).exists()
    collector = launch(
        data_dir=data_dir, targets={"shop": {"url": f"sqlite:///{shop}", "default": True}}
    )

    def done() -> list[tuple]:
        with closing(sqlite3.connect(collector.config.data_dir / FILE_NAME)) as connection:
            query = "SELECT label FROM evaluation JOIN unit ON unit_id = id WHERE span_id = ?"
            chosen = f"{query} AND metric = 'execution'"
            return connection.execute(chosen, (records.span_id(9).hex(),)).fetchall()

    assert wait_until(done) == [("pass",)]
