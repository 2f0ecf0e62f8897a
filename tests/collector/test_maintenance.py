from __future__ import annotations

import json
import sys
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from alembic import command
from alembic.script import ScriptDirectory

from sqlobs.execution.target import Target
from sqlobs_collector.audit import FILE_NAME
from sqlobs_collector.cli import main
from sqlobs_collector.datadir import DirectoryLock
from sqlobs_collector.store.database import migration_config, open_store
from sqlobs_collector.store.export import encoded
from sqlobs_collector.store.reading import StoreReader
from sqlobs_collector.store.rows import Evaluated
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.test_evaluation import Evaluation
from tests.collector.test_units import NOW_NS, unit

COUNT = "SELECT count(*) FROM orders"


@pytest.fixture
def station(tmp_path, shop, executor):
    """Two units: one that ran, one whose target nobody configured."""
    target = Target.from_url("shop", f"sqlite:///{shop}")
    built = Evaluation(tmp_path, targets=[target], executor=executor)
    body = {"sqlobs.query.text": COUNT, "sqlobs.question.text": "How many?"}
    known = {"body": body, "sqlobs__query__capture": "raw"}
    elsewhere = unit(2, at_ns=NOW_NS + 1, sqlobs__target__name="elsewhere", **known)
    built.receive(records.logs(unit(1, at_ns=NOW_NS, **known), elsewhere))
    built.evaluator.evaluate()
    yield built
    built.close()


def run(station, *arguments: str) -> int:
    return main([*arguments, "--data-dir", str(station.data_dir)])


def test_export_writes_units_with_their_evaluations(station, tmp_path, capsys):
    """One object a line, in the order of the requests; texts only on request."""
    out = tmp_path / "units.jsonl"
    assert run(station, "export", "--output", str(out), "--texts") == 0
    assert capsys.readouterr().err == f"2 units in {out}\n"
    first, second = map(json.loads, out.read_text().splitlines())
    assert (first["state"], second["state"], second["reason"]) == ("done", "done", "no_target")
    assert first["texts"]["sqlobs.question.text"] == "How many?"
    assert first["trace_id"] == records.trace_id(1).hex()
    [execution] = [one for one in first["evaluations"] if one["metric"] == "execution"]
    assert (execution["label"], execution["value"], execution["detail"]["rows"]) == (
        "pass",
        1.0,
        "1",
    )
    assert run(station, "export") == 0
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) == 2
    assert "How many?" not in shown


def test_an_export_without_texts_contains_no_text_of_users(station, tmp_path, capsys):
    """A judge's reasoning may quote a row, and so may the reasons why it sorted an answer, what a
    user says, and what an application reports; codes and counts are ours.
    """
    said = json.dumps({"model": "m", "categories": {"wrong_filter": "canary"}, "rows": "2-9"})
    with Store(station.engine).writing() as writer:
        for metric, kind, label, explanation in (
            ("flex", "llm", "fail", "canary is not in the result"),
            ("adherence", "llm", "not_evaluated", "the endpoint said canary"),
            ("feedback", "human", "fail", "canary"),
            ("schematic", "static", "fail", "canary: no such column"),
            ("syntactic", "static", "fail", "schema.unknown_table"),
        ):
            row = Evaluated(1, metric, "9", label, kind, created_ns=NOW_NS)
            writer.put_evaluations([replace(row, explanation=explanation, detail=said)])
    out = tmp_path / "evaluations.parquet"
    assert run(station, "export", "--output", str(out)) == 0
    [table] = [pq.read_table(out).to_pylist()]
    assert run(station, "export") == 0
    lines = capsys.readouterr().out
    assert "canary" not in lines + str(table)
    first = json.loads(lines.splitlines()[0])
    ours = {
        one["metric"]: (one["explanation"], one["detail"])
        for one in first["evaluations"]
        if one["version"] == "9"
    }
    kept = {"model": "m", "rows": "2-9"}
    assert ours == {
        **dict.fromkeys(("flex", "adherence", "feedback", "schematic"), (None, kept)),
        "syntactic": ("schema.unknown_table", kept),
    }
    assert run(station, "export", "--texts") == 0
    assert capsys.readouterr().out.count("canary") == 9


def test_bytes_of_a_record_leave_as_hex_digits():
    """OTLP has values that JSON has not."""
    assert encoded({"id": b"\x00\xff", "share": float("nan")}) == b'{"id":"00ff","share":null}'


def test_export_keeps_to_its_period(station, capsys):
    """By the time of the request: from one time on, before another."""
    assert run(station, "export", "--since", "2027-01-01", "--until", "2027-02-01") == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert run(station, "export", "--until", "2027-01-01T00:00+01:00") == 0
    assert capsys.readouterr().out == ""


def test_export_to_parquet_is_one_row_an_evaluation(station, tmp_path):
    """What DuckDB, Spark or a warehouse reads."""
    out = tmp_path / "evaluations.parquet"
    assert run(station, "export", "--output", str(out)) == 0
    table = pq.read_table(out)
    assert table.num_rows == 14, table.column("evaluation_metric").to_pylist()
    rows = table.select(["state", "evaluation_metric", "evaluation_label"]).to_pylist()
    assert {"state": "done", "evaluation_metric": "execution", "evaluation_label": "pass"} in rows


def test_backfill_queues_what_ended_for_a_reason(station, capsys):
    """Counted first; then evaluated again, as when the target was configured since."""
    assert run(station, "backfill", "--reason", "no_target", "--dry-run") == 0
    assert capsys.readouterr().out == "1 units would be evaluated again\n"
    assert [state for (state, *_) in station.states()] == ["done", "done"]
    assert run(station, "backfill", "--dry-run", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"units": 2, "queued": False}
    assert run(station, "backfill", "--reason", "no_target") == 0
    assert capsys.readouterr().out == "1 units are queued\n"
    assert [state for (state, *_) in station.states()] == ["done", "queued"]


def test_cancel_takes_units_out_of_the_queue(station, capsys):
    """Counted first; then with a reason, by which `backfill` finds them, and a line of the audit."""
    station.receive(records.logs(*(unit(n, sqlobs__workflow="nightly") for n in (3, 4)), unit(5)))
    wanted = ["cancel", "--where", "workflow=nightly", "--reason", "target is slow"]
    assert run(station, *wanted, "--dry-run", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"units": 2, "canceled": False}
    assert not (station.data_dir / FILE_NAME).exists()
    assert run(station, *wanted) == 0
    assert capsys.readouterr().out == "2 units are canceled\n"
    assert station.query("SELECT state, reason FROM unit ORDER BY id")[2:] == [
        *[("canceled", "target is slow")] * 2,
        ("queued", None),
    ]
    line = json.loads((station.data_dir / FILE_NAME).read_text())
    assert (line["workspace"], line["action"]) == ("default", "cancel 2 units: target is slow")
    assert run(station, "export") == 0
    exported = map(json.loads, capsys.readouterr().out.splitlines())
    shown = [(one["state"], one["reason"]) for one in exported if one["workflow"] == "nightly"]
    assert shown == [("canceled", "target is slow")] * 2
    reader = StoreReader(station.engine)
    assert reader.canceled() == 2
    assert run(station, "backfill", "--reason", "target is slow") == 0
    assert capsys.readouterr().out == "2 units are queued\n"
    assert reader.canceled() == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--reason", " "), "--reason is not one line of up to 100 characters"),
        (("--reason", "a\nb"), "--reason is not one line of up to 100 characters"),
        (("--reason", "x", "--where", "state=held"), "--where state=held is not NAME=VALUE; names"),
        (("--reason", "x", "--workspace", "sales"), "set --workspace to one of default"),
        (("--reason", "x", "--since", "noon"), "'noon' is not a time"),
    ],
)
def test_a_cancellation_that_is_not_clear_cancels_nothing(station, capsys, arguments, message):
    """It says what is wrong."""
    station.receive(records.logs(unit(3)))
    assert run(station, "cancel", *arguments) == 2
    assert message in capsys.readouterr().err
    assert station.query("SELECT count(*) FROM unit WHERE state = 'queued'") == [(1,)]


def test_migrate_brings_a_store_up_to_date_after_a_copy(tmp_path, capsys):
    """Explicit for those who want to look first; twice is once."""
    engine, config = open_store(tmp_path), migration_config()
    newest = ScriptDirectory.from_config(config).get_current_head()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0012")
    engine.dispose()
    arguments = ["--data-dir", str(tmp_path)]
    assert main(["export", *arguments]) == 2
    assert "is at version 0012" in capsys.readouterr().err
    assert main(["migrate", *arguments]) == 0
    said = f"version 0012 -> {newest}; backup: store.before-{newest}.sqlite"
    assert said in capsys.readouterr().out
    assert main(["migrate", *arguments]) == 0
    assert f"is already at version {newest}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["export", "--since", "yesterday"], "'yesterday' is not a time"),
        (["export", "--output", "/no/such/file.jsonl"], "cannot write /no/such/file.jsonl"),
    ],
)
def test_an_impossible_request_gives_one_error_sentence(station, capsys, arguments, sentence):
    """Exit code 2, and what to do instead."""
    assert run(station, *arguments) == 2
    assert sentence in capsys.readouterr().err


def test_wrong_usage_is_one_sentence(capsys):
    """What is wrong, and where help is; no page of usage."""
    assert main([]) == 2
    assert main(["serve", "--unlikely"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        (
            "sqlobs-collector: the following arguments are required: COMMAND; "
            "see sqlobs-collector --help"
        ),
        "sqlobs-collector: unknown option: --unlikely. See sqlobs-collector serve --help.",
    ]


def test_what_the_system_refuses_is_one_sentence(tmp_path, capsys, monkeypatch):
    """A data directory that this user may not look into."""

    def refused(*_, **__):
        raise PermissionError(13, "Permission denied", "/var/lib/sqlobs/store.sqlite")

    monkeypatch.setattr("sqlobs_collector.maintenance.export", refused)
    assert main(["export", "--data-dir", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        "sqlobs-collector export: /var/lib/sqlobs/store.sqlite: permission denied\n"
    )


def test_without_its_extra_the_command_says_what_to_install(capsys, monkeypatch):
    """The command comes with the library; what it needs does not."""
    monkeypatch.delitem(sys.modules, "sqlobs_collector.config", raising=False)
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert main(["serve"]) == 2
    assert capsys.readouterr().err == (
        'sqlobs-collector: yaml is not installed: pip install "sqlobs[collector]"\n'
    )


def test_a_directory_without_a_store_is_named(tmp_path, capsys):
    """No command makes a store where none was asked for."""
    for name in ("migrate", "export", "backfill"):
        assert main([name, "--data-dir", str(tmp_path)]) == 2
        assert "no store in" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_migrate_leaves_a_running_collector_s_store_alone(tmp_path, capsys):
    """Its tables must not change under it."""
    open_store(tmp_path).dispose()
    lock = DirectoryLock(tmp_path)
    lock.acquire()
    assert main(["migrate", "--data-dir", str(tmp_path)]) == 2
    assert "another collector is using" in capsys.readouterr().err
    lock.release()
