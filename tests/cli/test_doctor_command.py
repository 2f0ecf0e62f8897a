"""`sqlobs doctor`, from the shell's side, against real endpoints."""

from __future__ import annotations

import json
import os
import socket

import pytest
import sqlglot.parser

from sqlobs.cli import main
from tests.collector.running import RunningCollector
from tests.servers import free_port


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """Take the tester's own telemetry settings away."""
    for name in [name for name in os.environ if name.startswith(("SQLOBS_", "OTEL_"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def collector(tmp_path):
    """A collector that wants a token."""
    running = RunningCollector(
        tmp_path / "data", **{"auth.tokens": {"team": {"ingest": ["s3cret"]}}}
    )
    yield running.start()
    running.stop()


def found(capsys, *arguments):
    """Run the command; its exit code and what it says by subject."""
    code = main(["doctor", "--json", *arguments])
    return code, {
        each["subject"]: (each["grade"], each["detail"])
        for each in json.loads(capsys.readouterr().out)
    }


def test_an_empty_environment_passes_with_a_warning_that_nothing_is_sent(capsys):
    """Nothing fails; that nothing is sent anywhere is said."""
    code, said = found(capsys)
    assert code == 0
    assert said["settings"] == ("ok", "defaults: no SQLOBS_* or OTEL_* variable is set")
    assert {subject for subject, (grade, _) in said.items() if grade == "warn"} <= {
        *("collector", "traces", "metrics", "parser")
    }
    assert said["collector"][0] == said["traces"][0] == said["metrics"][0] == "warn"
    assert said["span content"] == ("ok", "SELECT total_amount FROM orders WHERE region = ?")


def test_endpoints_that_take_otlp_are_sound(collector, capsys, monkeypatch):
    """The collector gets its token, the standard variables are followed, and no value is shown."""
    monkeypatch.setenv("SQLOBS_COLLECTOR_ENDPOINT", collector.http)
    monkeypatch.setenv("SQLOBS_COLLECTOR_HEADERS", "authorization=Bearer%20s3cret")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.http)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20s3cret")
    code, said = found(capsys)
    assert code == 0
    assert said["collector"] == ("ok", f"{collector.http}/v1/logs accepts OTLP")
    assert said["traces"] == ("ok", f"{collector.http}/v1/traces accepts OTLP")
    assert said["metrics"] == ("ok", f"{collector.http}/v1/metrics accepts OTLP")
    assert "s3cret" not in str(said)
    assert "OTEL_EXPORTER_OTLP_HEADERS" in said["settings"][1]


def test_the_admin_port_is_asked_where_one_is_named(collector, capsys, monkeypatch):
    """The collector's own token is found; what hinders is a warning: applications need no admin port."""
    monkeypatch.setenv("SQLOBS_COLLECTOR_ADMIN", collector.admin)
    assert found(capsys)[1]["admin"] == (
        "ok",
        f"{collector.admin} accepts the admin token of this user",
    )
    monkeypatch.setenv("SQLOBS_COLLECTOR_ADMIN_TOKEN", "s3cret")
    code, said = found(capsys)
    assert (code, said["admin"][0]) == (0, "warn")
    assert "does not allow this token to read; set SQLOBS_COLLECTOR_ADMIN_TOKEN" in said["admin"][1]
    monkeypatch.setenv("SQLOBS_COLLECTOR_ADMIN", collector.http)
    assert "this is the OTLP port" in found(capsys)[1]["admin"][1]


def test_a_wrong_token_is_a_failure_that_names_the_variable(collector, capsys, monkeypatch):
    """Exit code 1."""
    monkeypatch.setenv("SQLOBS_COLLECTOR_ENDPOINT", collector.http)
    monkeypatch.setenv("SQLOBS_COLLECTOR_HEADERS", "authorization=Bearer%20wrong")
    code, said = found(capsys)
    assert code == 1
    assert said["collector"] == (
        "fail",
        f"{collector.http}/v1/logs rejects the credentials; check SQLOBS_COLLECTOR_HEADERS",
    )


def test_doctor_hides_the_password_of_an_unreachable_endpoint(capsys, monkeypatch):
    """Over HTTP and over gRPC."""
    port = free_port()
    monkeypatch.setenv("SQLOBS_COLLECTOR_ENDPOINT", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://me:s3cret@127.0.0.1:{port}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    code, said = found(capsys)
    assert code == 1
    assert [said[each][0] for each in ("collector", "traces", "metrics")] == ["fail"] * 3
    assert said["traces"][1] == f"http://127.0.0.1:{port} cannot be reached: Connection refused"
    assert "s3cret" not in str(said)


def test_a_grpc_endpoint_is_tried_by_connecting(capsys, monkeypatch):
    """A request over gRPC would need the service's own client."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc")
        monkeypatch.setenv("OTEL_METRICS_EXPORTER", "none")
        code, said = found(capsys)
    assert code == 0
    assert said["traces"] == ("ok", f"{url} accepts connections (gRPC)")
    assert said["metrics"] == ("ok", "disabled by OTEL_METRICS_EXPORTER=none")


def test_an_invalid_setting_is_a_failure(capsys, monkeypatch):
    """The sentence names the variable, as `configure` would."""
    monkeypatch.setenv("SQLOBS_MODE", "sometimes")
    code, said = found(capsys)
    assert code == 1
    assert said["settings"][0] == "fail"
    assert "SQLOBS_MODE" in said["settings"][1]


def test_the_slow_parser_is_a_warning_that_names_the_extra(capsys, monkeypatch):
    """Three to four times slower is no failure."""
    monkeypatch.setattr(sqlglot.parser, "__file__", "/somewhere/sqlglot/parser.py")
    code, said = found(capsys)
    assert code == 0
    assert said["parser"][0] == "warn"
    assert 'pip install "sqlobs[fast]"' in said["parser"][1]


def test_text_output_has_one_line_per_diagnosis(capsys):
    """Grade, subject, detail."""
    assert main(["doctor"]) == 0
    first = capsys.readouterr().out.splitlines()[0].split()
    assert first[:2] == ["ok", "sqlobs"]


def test_an_unknown_variable_is_reported(capsys, monkeypatch):
    """A slip in its name would else go unnoticed; names of the collector's settings are its own."""
    monkeypatch.setenv("SQLOBS_COLECTOR_ENDPOINT", "http://127.0.0.1:4318")
    for known in (
        "MODE",
        "LLM_MODEL",
        "COLLECTOR_ADMIN",
        "COLLECTOR_ADMIN_TOKEN",
        "DSN",
        "COLLECTOR__SAMPLING__RATE",
    ):
        monkeypatch.setenv(f"SQLOBS_{known}", "auto")
    code, said = found(capsys)
    assert code == 0
    assert said["settings"][0] == "warn"
    hint = "; unknown variable SQLOBS_COLECTOR_ENDPOINT. Did you mean SQLOBS_COLLECTOR_ENDPOINT?"
    assert said["settings"][1].endswith(hint)


def test_an_unknown_dialect_fails(capsys, monkeypatch):
    """`configure` would refuse it, too."""
    monkeypatch.setenv("SQLOBS_DIALECT", "klingon")
    code, said = found(capsys)
    assert (code, said["dialect"][0]) == (1, "fail")
    assert "unknown SQL dialect 'klingon'" in said["dialect"][1]
