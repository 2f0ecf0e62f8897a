"""The archive: lossless whatever interrupts it, and readable without sqlobs."""

from __future__ import annotations

import io
import json
from contextlib import closing, suppress
from itertools import count

import duckdb
import httpx
import pytest
from sqlalchemy import select, update

from sqlobs_collector.archive import archiver as archiving
from sqlobs_collector.archive.archiver import Archiver
from sqlobs_collector.archive.erasing import ArchiveEraser
from sqlobs_collector.archive.files import ArchiveFiles
from sqlobs_collector.archive.reading import ArchiveReader
from sqlobs_collector.cli import main
from sqlobs_collector.origin import Origin
from sqlobs_collector.quality.figures import Tally, checker_tallies, tally_of
from sqlobs_collector.quality.hourly import add_up_changes
from sqlobs_collector.store.archiving import ColdRows
from sqlobs_collector.store.erasing import Subject
from sqlobs_collector.store.export import Selection, write_lines
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.quality_sums import Who
from sqlobs_collector.store.rows import Evaluated
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import EVALUATION_ROLLUP, ROLLUP, UNIT
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.stores import on_both
from tests.collector.test_units import DIGESTS, KEY, NOW_NS, Station, unit

store_kind = on_both(pytest.mark.slow)
DAY_NS = 86_400 * 10**9
UNITS = 12


@pytest.fixture
def files(tmp_path):
    return ArchiveFiles(f"file://{tmp_path}/cold")


@pytest.fixture
def station(tmp_path, store_kind):
    """A store with settled requests of three days, whose texts have expired."""
    (tmp_path / "digest.key").write_bytes(KEY)
    built = Station(tmp_path, store_kind)
    fill(built, range(UNITS))
    yield built
    built.close()


def asked(number: int, **named):
    return unit(
        number,
        at_ns=NOW_NS - number % 3 * DAY_NS - number * 10**9,
        user__id=f"user {number % 2}",
        sqlobs__tenant=f"tenant {number % 2}",
        gen_ai__conversation__id=f"conversation {number}",
        gen_ai__request__model=f"model {number % 2}",
        sqlobs__generation__duration=0.5,
        sqlobs__syntactic=True,
        **named,
    )


def feedback(number: int, at_ns: int = NOW_NS):
    return records.log(
        number,
        event="gen_ai.evaluation.result",
        at_ns=at_ns,
        gen_ai__evaluation__name="feedback",
        gen_ai__evaluation__score__label="fail",
        sqlobs__feedback__kind="thumb",
        sqlobs__feedback__value="down",
    )


def fill(station: Station, numbers) -> None:
    """Receive, evaluate and settle requests; their texts expire."""
    station.receive(records.logs(*(asked(number) for number in numbers)))
    station.receive(records.logs(*(feedback(number) for number in numbers if number % 4 == 0)))
    settle(station)


def settle(station: Station) -> None:
    station.later(2)
    with station.engine.begin() as connection:
        queued = select(UNIT.c.id).where(UNIT.c.state.in_(("queued", "held")))
        ids = list(connection.execute(queued).scalars())
        connection.execute(update(UNIT).where(UNIT.c.id.in_(ids)).values(state="done"))
    with Store(station.engine).writing() as writer:
        writer.put_evaluations(
            [Evaluated(one, "ex", "1", "pass", "engine", 7, value=1.0) for one in ids]
        )
    station.change("UPDATE evaluation SET emitted_ns = 1")
    station.later(1500)
    add_up_changes(Store(station.engine))


def wait(station: Station) -> None:
    """Until all is a day old; the housekeeper, whose retention is hours here, does nothing."""
    station.now_ns += 86_400 * 10**9


def run(station: Station, files: ArchiveFiles, **more):
    settings = {"after_days": 1, "keep_days": 10_000, "clock_ns": lambda: station.now_ns} | more
    return Archiver(Store(station.engine), files, **settings).archive()


def exported(station: Station, files: ArchiveFiles) -> list[dict]:
    """Both tiers, without what depends on the tier."""
    output = io.BytesIO()
    reader = ArchiveReader(files)
    write_lines(station.engine, Selection(), file=output, has_texts=False, archived=reader.units)
    found = [json.loads(line) for line in output.getvalue().splitlines()]
    return sorted(found, key=lambda one: (one["trace_id"], one["span_id"]))


def sums(station: Station) -> list[tuple]:
    """What panels read: hourly and longer sums, added up."""
    add_up_changes(Store(station.engine))
    with station.engine.connect() as connection:
        found = []
        for table, count in ((ROLLUP, "requests"), (EVALUATION_ROLLUP, "count")):
            rows = connection.execute(select(table).where(table.c.hours > 0)).mappings()
            totals: dict[tuple, float] = {}
            for row in rows:
                key = tuple(
                    str(row.get(name))
                    for name in ("workspace", "by_tenant", "hours", "hour", "tenant", "model")
                )
                totals[key] = totals.get(key, 0) + row[count]
            found += sorted(totals.items())
        return found


def figures(station: Station) -> dict[str, dict[str, float]]:
    """Rates, scores and their intervals over three whole days, as pages read them."""
    start_ns = (NOW_NS // DAY_NS - 3) * DAY_NS
    chosen = RequestFilter(workspace="default", since_ns=start_ns, until_ns=start_ns + 5 * DAY_NS)
    reader, who = QualityReader(station.engine), Who(Origin("", "", ""), "")
    tallies = {
        name: tally
        for (_, name), tally in checker_tallies(reader.chosen_units(chosen, who=who)).items()
    }
    for sums_of_one in reader.chosen_evaluations(chosen, who=who):
        tallies.setdefault(sums_of_one.evaluation, Tally()).join(tally_of(sums_of_one))
    return {name: tally.figures for name, tally in tallies.items()}


def test_rates_and_intervals_are_the_same_from_the_archive(station, files):
    """Requests with different probabilities, a third of them wrong, then none is in the store."""
    station.change("UPDATE unit SET probability = 0.25 WHERE id - id / 4 * 4 > 0")
    station.change(
        "UPDATE evaluation SET label = 'fail', value = 0.5 WHERE unit_id - unit_id / 3 * 3 = 0"
    )
    add_up_changes(Store(station.engine))
    before = figures(station)
    assert before["ex"]["weighted_lower"] < before["ex"]["weighted"]
    wait(station)
    run(station, files)
    assert left(station) == 0
    add_up_changes(Store(station.engine))
    assert figures(station) == {
        name: pytest.approx(shown, rel=1e-9) for name, shown in before.items()
    }


def left(station: Station) -> int:
    [(count,)] = station.query("SELECT count(*) FROM unit")
    return count


def test_an_export_and_the_sums_are_the_same_from_both_tiers(station, files):
    """Also the feedback, although it is without its words by then."""
    before, sums_before = exported(station, files), sums(station)
    assert run(station, files) == {}
    wait(station)
    assert run(station, files) == {"unit": UNITS, "report": 3}
    assert left(station) == 0
    assert exported(station, files) == before
    assert sums(station) == sums_before
    assert run(station, files) == {}


def test_files_are_read_with_duckdb_alone(station, files, tmp_path):
    """One for each kind, workspace and day, compressed with zstd."""
    wait(station)
    run(station, files)
    names = sorted(str(path.relative_to(tmp_path / "cold")) for path in tmp_path.glob("cold/*/*/*"))
    days = ("2027-01-13", "2027-01-14", "2027-01-15")
    assert names == [
        *(f"evaluation/default/{day}.parquet" for day in days),
        f"report/default/{days[-1]}.parquet",
        *(f"unit/default/{day}.parquet" for day in days),
    ]
    query = """
        SELECT model, count(*), count(*) FILTER (label = 'pass')
        FROM '{0}/unit/*/*.parquet' JOIN '{0}/evaluation/*/*.parquet'
        USING (workspace, trace_id, span_id) WHERE metric = 'ex' GROUP BY model ORDER BY model
    """
    with closing(duckdb.connect()) as connection:
        found = connection.execute(query.format(tmp_path / "cold")).fetchall()
        codec = connection.execute(
            f"SELECT DISTINCT compression FROM parquet_metadata('{tmp_path}/cold/unit/*/*.parquet')"
        ).fetchall()
    assert found == [("model 0", UNITS // 2, UNITS // 2), ("model 1", UNITS // 2, UNITS // 2)]
    assert codec == [("ZSTD",)]


class Killed(BaseException):
    """As `kill -9` ends a run: nothing that follows is done."""


STEPS = {
    "draft": (ArchiveFiles, "_verify"),
    "verified": (ArchiveFiles, "_sync"),
    "renamed": (archiving._Day, "_delete"),
    "reports": (Archiver, "_move_reports"),
    "old": (Archiver, "_delete_old"),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_run_that_is_killed_loses_and_repeats_nothing(station, files, monkeypatch, step):
    """At each step, for the first and for a later file; between two deletions, too."""
    before, sums_before = exported(station, files), sums(station)
    wait(station)
    monkeypatch.setattr(archiving, "AT_ONCE", 2)
    owner, name = STEPS[step]
    for survived in (0, 1, 3, 5):
        calls = iter(range(survived))
        original = getattr(owner, name)

        def killed(*given, calls=calls, original=original):
            if next(calls, None) is None:
                raise Killed
            return original(*given)

        with monkeypatch.context() as patched:
            patched.setattr(owner, name, killed)
            with suppress(Killed):
                run(station, files)
        assert exported(station, files) == before
    run(station, files)
    assert left(station) == 0
    assert exported(station, files) == before
    assert sums(station) == sums_before


def test_a_kill_between_two_deletions_counts_each_request_once(station, files, monkeypatch):
    """The sums and the deletion are one transaction."""
    before, sums_before = exported(station, files), sums(station)
    wait(station)
    monkeypatch.setattr(archiving, "AT_ONCE", 1)
    original, calls = ColdRows.delete_units, iter(range(2))

    def killed(*given, **named):
        if next(calls, None) is None:
            raise Killed
        return original(*given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(ColdRows, "delete_units", killed)
        with pytest.raises(Killed):
            run(station, files)
    assert left(station) == UNITS - 2
    assert exported(station, files) == before
    assert sums(station) == sums_before
    run(station, files)
    assert exported(station, files) == before
    assert sums(station) == sums_before


def test_late_arrivals_are_merged_and_repeats_are_not_doubled(station, files):
    """Into the file of their day; the one that was archived first stays."""
    wait(station)
    run(station, files)
    first = exported(station, files)
    fill(station, (0, 1, UNITS, UNITS + 3))
    station.receive(records.logs(feedback(2)))
    wait(station)
    assert run(station, files)["unit"] == 4
    assert left(station) == 0
    found = exported(station, files)
    assert len(found) == UNITS + 2
    spans = {one["span_id"]: one for one in found}
    assert [
        spans[one["span_id"]] for one in first if one["span_id"] != records.span_id(2).hex()
    ] == [one for one in first if one["span_id"] != records.span_id(2).hex()] or len(
        spans[records.span_id(0).hex()]["feedback"]
    ) >= 1
    assert len(spans[records.span_id(2).hex()]["feedback"]) == 1
    requests = [total for key, total in sums(station) if key[1:3] == ("False", "1")]
    assert sum(requests) == UNITS + 2


def test_what_somebody_works_on_stays(station, files):
    """A request with a text, in the queue, unemitted, or in review."""
    changes = (
        "UPDATE unit SET payload = 'x' WHERE span_id = '{}'",
        "UPDATE unit SET state = 'queued' WHERE span_id = '{}'",
        (
            "UPDATE evaluation SET emitted_ns = NULL WHERE unit_id ="
            " (SELECT id FROM unit WHERE span_id = '{}')"
        ),
        (
            "INSERT INTO wrong_finding SELECT id, 'ex', 'ada', 'pass', 'no', 1 FROM unit"
            " WHERE span_id = '{}'"
        ),
    )
    for number, change in enumerate(changes):
        station.change(change.format(records.span_id(number).hex()))
    wait(station)
    assert run(station, files)["unit"] == UNITS - len(changes)
    spans = station.query("SELECT span_id FROM unit ORDER BY span_id")
    assert spans == [(records.span_id(number).hex(),) for number in range(len(changes))]


def test_a_request_that_changes_meanwhile_is_archived_next_time(station, files, monkeypatch):
    """A verdict that comes between writing and deleting is not lost."""
    wait(station)
    original, times = archiving._Day._delete, count(9)

    def changed(day):
        with Store(station.engine).writing() as writer:
            [(one,)] = station.query("SELECT min(id) FROM unit")
            late = Evaluated(one, "late", "1", "fail", "llm", next(times), emitted_ns=1)
            writer.put_evaluations([late])
        return original(day)

    with monkeypatch.context() as patched:
        patched.setattr(archiving._Day, "_delete", changed)
        run(station, files)
    assert 1 <= left(station) <= 3
    run(station, files)
    assert left(station) == 0
    metrics = [one["metric"] for each in exported(station, files) for one in each["evaluations"]]
    assert metrics.count("late") >= 1
    assert metrics.count("ex") == UNITS


def test_days_beyond_the_retention_are_deleted(station, files):
    """`retention.unit_s` holds in the archive, too, day by day."""
    wait(station)
    run(station, files)
    run(station, files, keep_days=2)
    assert [one.day for one in files.names("unit")] == ["2027-01-14", "2027-01-15"]


def test_a_damaged_file_keeps_requests_in_the_store(station, files, tmp_path):
    """Nothing is merged into what cannot be read, and nothing deleted."""
    wait(station)
    run(station, files)
    fill(station, (UNITS,))
    wait(station)
    [path] = tmp_path.glob("cold/unit/default/2027-01-15.parquet")
    path.write_bytes(path.read_bytes()[:-300] + b"0" * 300)
    with pytest.raises((OSError, ValueError)):
        run(station, files)
    assert left(station) == 1


@pytest.mark.parametrize(
    ("kind", "value"),
    [("user", "user 1"), ("tenant", "tenant 1"), ("conversation", "conversation 3")],
)
def test_an_erasure_reaches_the_archive(station, files, kind, value):
    """Files are written again without the subject, and its late feedback is dropped."""
    wait(station)
    run(station, files)
    before = exported(station, files)
    removed = ArchiveEraser(files, Subject(kind, "default", value), DIGESTS).erase()
    expected = 1 if kind == "conversation" else UNITS // 2
    assert removed["archived_requests"] == removed["archived_evaluations"] == expected
    numbers = [3] if kind == "conversation" else [one for one in range(UNITS) if one % 2]
    gone = {records.span_id(number).hex() for number in numbers}
    assert exported(station, files) == [one for one in before if one["span_id"] not in gone]


def test_the_erase_command_reaches_the_archive(station, files, store_kind, tmp_path, capsys):
    """And reports what it removed from there."""
    wait(station)
    run(station, files)
    station.journal.close()
    config = {"archive": {"url": f"file://{tmp_path}/cold"}}
    if store_kind.url is not None:
        config["store"] = {"url": store_kind.url}
    path = tmp_path / "collector.json"
    path.write_text(json.dumps(config))
    given = ["erase", "--config", str(path), "--data-dir", str(tmp_path), "--tenant", "tenant 1"]
    assert main([*given, "--json"]) == 0
    removed = json.loads(capsys.readouterr().out)["removed"]
    assert removed["archived_requests"] == UNITS // 2
    assert removed["archived_reports"] == 0
    assert len(exported(station, files)) == UNITS // 2
    assert not any(key[4] == "tenant 1" for key, _ in sums(station) if len(key) > 4)


def test_a_collector_serves_and_exports_both_tiers(launch, tmp_path, store_kind, capsys):
    """`/v1/units` and `export` have archived requests behind those of the store."""
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    station = Station(data_dir, store_kind)
    fill(station, range(UNITS))
    wait(station)
    url = f"file://{tmp_path}/cold"
    run(station, ArchiveFiles(url))
    fill(station, (UNITS,))
    station.close()
    collector = launch(data_dir=data_dir, archive__url=url, archive__after_days=36_000)
    found, after = [], 0
    while after is not None:
        page = httpx.get(
            f"{collector.admin}/v1/units?after={after}", headers=collector.bearer
        ).json()
        found, after = found + [one["span_id"] for one in page["units"]], page["next"]
    assert sorted(found) == [records.span_id(number).hex() for number in range(UNITS + 1)]
    collector.stop()
    path = tmp_path / "collector.json"
    path.write_text(json.dumps({"archive": {"url": url}, "store": {"url": store_kind.url}}))
    output = tmp_path / "units.jsonl"
    given = ["export", "--config", str(path), "--data-dir", str(data_dir), "--output", str(output)]
    assert main(given) == 0
    assert len(output.read_text().splitlines()) == UNITS + 1
    assert main([*given[:-1], str(tmp_path / "units.parquet")]) == 0
    with closing(duckdb.connect()) as connection:
        counted = f"SELECT count(DISTINCT span_id) FROM '{tmp_path}/units.parquet'"
        assert connection.execute(counted).fetchall() == [(UNITS + 1,)]


BAD = {
    "{url: 'ftp://a/b'}": "'ftp://a/b' is not an address: write file:///path or s3://bucket/prefix",
    "{url: 'file:///a', after_days: 7}": "archive.after_days is 7, but texts are kept for 30 days",
    "{after_days: 0}": "archive.after_days: Input should be greater than or equal to 1",
}


@pytest.mark.parametrize(("given", "said"), BAD.items())
def test_a_bad_setting_gives_one_sentence(tmp_path, capsys, given, said):
    """Exit code 2, before a port opens."""
    path = tmp_path / "collector.yaml"
    path.write_text(f"archive: {given}\n")
    assert main(["serve", "--config", str(path), "--data-dir", str(tmp_path / "data")]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
