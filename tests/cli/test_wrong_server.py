"""Commands that are pointed at a server of another kind, or at none."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sqlobs.cli import main
from tests.servers import free_port


class _Other(BaseHTTPRequestHandler):
    def do_GET(self):
        content = b'{"object": "list", "data": [{"id": "m"}]}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="module")
def other():
    """A server that answers JSON, as a model's does."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("why 4bf92f3577b34da6a3ce929d0e0e4736", "units"),
        ("watch --once", "metrics"),
        ("schema diff t.sql t.sql --dialect sqlite", "statements"),
        ("report", "units"),
        ("golden g.jsonl --yes", "cases"),
    ],
)
def test_a_server_that_is_not_a_collector_is_named(
    other, tmp_path, monkeypatch, capsys, command, kind
):
    """One sentence and exit code 2, whatever it answers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.sql").write_text("CREATE TABLE t (a INT);")
    assert main([*command.split(), "--admin", other]) == 2
    said = capsys.readouterr().err
    assert said.endswith(f"{other} did not return {kind}. Is it a collector's admin port?\n")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("command", ["why 4bf92f3577b34da6a3ce929d0e0e4736", "watch --once"])
def test_a_get_request_to_the_otlp_port_names_the_admin_port(command, tmp_path, capsys):
    """The usual mistake: 4318 in place of 4319."""
    from tests.collector.running import RunningCollector

    collector = RunningCollector(tmp_path / "data").start()
    try:
        assert main([*command.split(), "--admin", collector.http]) == 2
    finally:
        collector.stop()
    said = capsys.readouterr().err
    assert f"{collector.http}: this is the OTLP port of sqlobs-collector" in said
    assert "admin port (listen.admin, by default 4319)" in said


def test_an_unreachable_service_is_not_a_run_of_errors(tmp_path, capsys):
    """Not one question came through: that says nothing about the system."""
    questions = tmp_path / "questions.csv"
    questions.write_text("question,solution\nx,SELECT 1\ny,SELECT 2\n")
    url = f"http://127.0.0.1:{free_port()}/ask"
    arguments = ("--input", str(questions), "--output", str(tmp_path / "run"), "--api-url", url)
    assert main(["generate", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"sqlobs generate: {url} cannot be reached: ")


def test_an_unknown_dialect_is_reported_before_any_model_call(tmp_path, capsys):
    """Nothing is written."""
    questions = tmp_path / "questions.csv"
    questions.write_text("question,solution\nx,SELECT 1\n")
    arguments = ("--input", str(questions), "--output", str(tmp_path / "run"))
    assert main(["generate", *arguments, "--call", "json:dumps", "--dialect", "klingon"]) == 2
    assert "unknown SQL dialect 'klingon'" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
