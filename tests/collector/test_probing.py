"""What `validate` finds out about targets and judge, and what `serve` does about a missing one."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg
import pytest

from sqlobs_collector.cli import main
from sqlobs_collector.evaluation import reachability
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_units import send, unit, why
from tests.servers import MariaDbServer, PostgresServer, free_port


@pytest.fixture
def validate(tmp_path, capsys):
    """Run the command over settings; returns its exit code and what it says of them."""

    def run(*arguments: str, **settings: object) -> tuple[int, list[str]]:
        path = tmp_path / "collector.yaml"
        path.write_text(json.dumps(settings))
        code = main(["validate", "--config", str(path), *arguments])
        return code, capsys.readouterr().err.splitlines()

    return run


@contextmanager
def models(status: int, document: object):
    """A server that answers each GET with a document; yields its base URL."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


def test_validate_connects_to_every_target(validate, shop, tmp_path):
    """One line each; exit code 2 where one does not answer."""
    good = {"url": f"sqlite:///{shop}"}
    assert validate(targets={"shop": good}) == (0, ["targets.shop: answers"])
    bad = {"url": f"sqlite:///{tmp_path}/none.db"}
    code, said = validate(targets={"shop": good, "gone": bad})
    assert code == 2
    assert said[0] == "targets.shop: answers"
    assert said[1].startswith("targets.gone: unavailable: ")
    assert len(said) == 2
    assert validate("--offline", targets={"gone": bad}) == (0, [])


def test_validate_does_not_print_the_password_of_a_target(validate):
    """Not where it cannot be reached either."""
    url = f"postgresql://reader:canary@127.0.0.1:{free_port()}/shop"
    code, said = validate(targets={"shop": {"url": url}})
    assert (code, len(said)) == (2, 1)
    assert said[0].startswith("targets.shop: unavailable: ")
    assert "canary" not in said[0]


@pytest.mark.postgres
def test_validate_reports_which_logins_may_write(validate):
    """PostgreSQL: by the privileges on tables, inherited ones among them; bound settings or not."""
    server = PostgresServer()
    try:
        server.start()
        with psycopg.connect(server.url(), autocommit=True) as connection:
            for sql in (
                "CREATE TABLE orders (id int)",
                "CREATE ROLE reader LOGIN",
                "CREATE ROLE writers",
                "CREATE ROLE writer LOGIN IN ROLE writers",
                "GRANT SELECT ON orders TO reader, writer",
                "GRANT UPDATE ON orders TO writers",
            ):
                connection.execute(sql)
        reader = server.url("postgres", user="reader")
        targets = {
            "read": {"url": reader},
            "tenants": {"url": reader, "session": {"app.tenant_id": "$tenant"}},
            "write": {"url": server.url("postgres", user="writer")},
            "root": {"url": server.url()},
        }
        code, said = validate(targets=targets)
    finally:
        server.stop()
    assert code == 0
    told = dict(line.removeprefix("targets.").split(": ", 1) for line in said)
    assert {name: "has write privileges" in sentence for name, sentence in told.items()} == {
        "read": False,
        "tenants": False,
        "write": True,
        "root": True,
    }
    assert told["read"] == "answers, and its user has read privileges only"


@pytest.mark.mariadb
def test_validate_reads_the_grants_of_mariadb(validate):
    """Of a table, of a database, of all."""
    server = MariaDbServer()
    try:
        server.start()
        server.run(
            "CREATE DATABASE shop; CREATE TABLE shop.orders (id int);"
            "CREATE USER reader@'127.0.0.1'; GRANT SELECT ON shop.* TO reader@'127.0.0.1';"
            "CREATE USER writer@'127.0.0.1'; GRANT SELECT, INSERT ON shop.orders TO "
            "writer@'127.0.0.1';"
        )
        base = f"127.0.0.1:{server.port}/shop"
        targets = {name: {"url": f"mysql://{name}@{base}"} for name in ("reader", "writer")}
        code, said = validate(targets=targets)
    finally:
        server.stop()
    assert code == 0
    assert ["has write privileges" in line for line in said] == [False, True]


@pytest.mark.parametrize(
    ("status", "document", "code", "sentence"),
    [
        (200, {"data": [{"id": "m"}]}, 0, "judge: answers"),
        (200, {"data": [{"id": "n"}]}, 0, "judge: responds, but does not list the model m"),
        (200, ["nothing"], 0, "judge: answers"),
        (404, {}, 0, "judge: answers"),
        (401, {}, 2, "judge: rejects the key: check judge.api_key"),
    ],
)
def test_validate_asks_the_judge_for_its_models(validate, status, document, code, sentence):
    """That costs nothing."""
    with models(status, document) as base_url:
        judge = {"base_url": base_url, "model": "m", "api_key": "k"}
        assert validate(judge=judge) == (code, [sentence])


def test_an_unreachable_judge_is_reported(validate):
    """Without the address, whose path and query may hold a key."""
    judge = {"base_url": f"http://127.0.0.1:{free_port()}/canary/v1?key=canary", "model": "m"}
    assert validate(judge=judge) == (2, ["judge: unreachable (ConnectError)"])


def test_a_target_that_is_down_is_one_warning_and_a_gauge(launch, tmp_path, caplog, monkeypatch):
    """The collector starts, and tells when the target is there."""
    monkeypatch.setattr(reachability, "AGAIN_S", 0.1)
    path = tmp_path / "shop.db"
    collector = launch(targets={"shop": {"url": f"sqlite:///{path}", "default": True}})

    def up() -> str | None:
        found = re.search(
            r"^sqlobs_collector_target_up{(.*)} (.*)$", collector.metrics(), re.MULTILINE
        )
        assert 'target="shop",workspace="default"' in found[1]
        return found[2]

    wait_until(lambda: up() == "0.0")
    raw = {"sqlobs__query__capture": "raw", "body": {"sqlobs.query.text": "SELECT 1"}}
    send(collector, records.logs(unit(1, **raw)))
    wait_until(lambda: why(collector, records.trace_id(1).hex())[0]["state"] == "held")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE orders (id int)")
    wait_until(lambda: up() == "1.0")
    warnings = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    told = [one for one in warnings if one.startswith("target ")]
    assert [one.partition(" (")[0] for one in told] == ["target shop is unavailable"]
    assert told[0].endswith("): its units are retried for one hour")
