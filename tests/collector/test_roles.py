"""Several processes share one store, each with a part of the work."""

from __future__ import annotations

import json
from contextlib import ExitStack

import httpx
import pytest

from sqlobs.judge.replay import ChatReply, serving
from sqlobs_collector.cli import main
from tests.collector import records
from tests.collector.backend import Backend
from tests.collector.conftest import launching
from tests.collector.running import wait_until
from tests.collector.test_emission import read
from tests.collector.test_units import send, unit

UNKNOWN = (
    "roles.0: Input should be 'receive', 'evaluate', 'judge', 'emit', 'console' or 'singleton'"
)
UNSHARED = (
    "roles: the other roles need a store that processes can share: set store.url to a PostgreSQL"
    " database, or remove the setting to run all roles in one process"
)


@pytest.mark.parametrize(
    ("roles", "sentence"), [("receive", UNSHARED), ("recieve,judge", UNKNOWN), ("", UNKNOWN)]
)
def test_roles_that_are_not_possible_are_one_sentence(roles, sentence, tmp_path, capsys):
    """Nothing is created, no port opens."""
    data_dir = tmp_path / "data"
    assert main(["serve", "--data-dir", str(data_dir), "--roles", roles]) == 2
    assert capsys.readouterr().err == f"sqlobs-collector serve: configuration: {sentence}\n"
    assert not data_dir.exists()


def test_processes_that_look_golden_cases_up_need_the_same_key(tmp_path, capsys, monkeypatch):
    """Each would make one of its own, and find no case of the others."""
    monkeypatch.setenv("SQLOBS_COLLECTOR__STORE__URL", "postgresql://nobody@127.0.0.1:1/none")
    assert main(["serve", "--data-dir", str(tmp_path), "--roles", "evaluate"]) == 2
    assert (
        "set golden.digest_key, or SQLOBS_DIGEST_KEY, to the same value" in capsys.readouterr().err
    )


@pytest.mark.postgres
def test_a_receiver_alone_acknowledges_and_projects(databases, tmp_path):
    """It listens for records, has health and metrics, and nothing else; at its end all is stored."""
    kind = databases.migrated()
    with launching(tmp_path, kind) as launch:
        receiver = launch(roles="receive")
        send(receiver, records.logs(*(unit(number) for number in range(20))))
        assert httpx.get(f"{receiver.admin}/readyz").json()["ready"]
        served = {
            path: httpx.get(f"{receiver.admin}{path}", headers=receiver.bearer).status_code
            for path in ("/healthz", "/metrics", "/v1/units", "/")
        }
        metrics = receiver.metrics()
    assert served == {"/healthz": 200, "/metrics": 200, "/v1/units": 404, "/": 404}
    assert "sqlobs_collector_journal_bytes" in metrics
    assert "sqlobs_collector_queue_size" not in metrics
    engine = kind.open(tmp_path)
    with engine.connect() as connection:
        states = connection.exec_driver_sql("SELECT state, count(*) FROM unit GROUP BY state")
        assert [tuple(row) for row in states] == [("queued", 20)]
    engine.dispose()


@pytest.mark.slow
@pytest.mark.postgres
def test_processes_with_a_role_each_do_what_one_does(databases, tmp_path, shop):
    """Received, evaluated, judged, emitted and shown by five processes that share the store."""
    kind, backend = databases.migrated(), Backend()
    verdict = json.dumps({"reasoning": "It counts.", "correct": True})
    with ExitStack() as stack:
        stack.callback(backend.stop)
        judge = stack.enter_context(serving(lambda _: ChatReply(verdict)))
        launch = stack.enter_context(launching(tmp_path, kind))

        def process(role):
            return launch(
                data_dir=tmp_path / role,
                roles=role,
                golden__digest_key="the same everywhere",
                targets={"shop": {"url": f"sqlite:///{shop}", "default": True}},
                judge={
                    "base_url": judge.base_url,
                    "model": "gpt-4o",
                    "categories": False,
                    "canaries": False,
                },
                emit__url=backend.url,
                evaluate__metrics={"*": ["execution", "flex_noref"]},
            )

        console = process("console,singleton")
        for role in ("emit", "judge", "evaluate"):
            process(role)
        receiver = process("receive")
        asked = {
            "sqlobs.question.text": "How many orders are there?",
            "sqlobs.query.text": "SELECT count(*) FROM orders",
        }
        send(receiver, records.logs(unit(1, body=asked, sqlobs__query__capture="raw")))

        def evaluations():
            found = httpx.get(f"{console.admin}/v1/units", headers=console.bearer).json()["units"]
            return {one["metric"]: one["label"] for unit in found for one in unit["evaluations"]}

        wait_until(lambda: len(evaluations()) == 2, within_s=60)
        assert evaluations() == {"execution": "pass", "flex_noref": "pass"}
        wait_until(lambda: len(read(backend)[0]) == 2, within_s=60)
        wait_until(lambda: "sqlobs_quality_pass_rate" in console.metrics())
