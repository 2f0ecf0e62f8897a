"""Who is let in by the admin port, and how a user's own commands are."""

from __future__ import annotations

import os
import re
import socket
import threading
from contextlib import contextmanager

import httpx
import pytest

from sqlobs import admin
from sqlobs.cli import main
from sqlobs_collector.addresses import Address
from sqlobs_collector.admintoken import FILE_NAME, OwnToken
from sqlobs_collector.metricsview import WorkspaceView
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_units import send, unit, why

GUARDED = (
    "/v1/units",
    "/v1/explain",
    "/v1/cases",
    "/v1/statements",
    "/v1/why",
    f"/v1/why/{'0' * 32}",
)
OPEN = ("/healthz", "/readyz", "/metrics")
TRACE = records.trace_id(1).hex()


def statuses(collector, paths, **headers) -> set[int]:
    return {httpx.get(collector.admin + path, headers=headers).status_code for path in paths}


def test_what_is_stored_needs_the_token_of_a_private_file(launch):
    """Without configured tokens; the file is its owner's alone, and new at each start."""
    collector = launch()
    assert statuses(collector, GUARDED) == {401}
    assert statuses(collector, GUARDED, Authorization="Bearer wrong") == {401}
    assert statuses(collector, OPEN) == {200}
    assert statuses(collector, GUARDED, **collector.bearer) == {200}
    path = collector.config.data_dir / FILE_NAME
    assert path.stat().st_mode & 0o777 == 0o600
    before = collector.token
    collector.stop()
    assert not path.exists()
    again = launch(data_dir=collector.config.data_dir)
    assert again.token != before
    assert statuses(again, GUARDED, Authorization=f"Bearer {before}") == {401}


def test_metrics_name_no_workspace_to_strangers(collector):
    """On this machine; the operator sees the label."""
    send(collector, records.logs(unit(1)))
    wait_until(lambda: why(collector, TRACE))
    shown = httpx.get(f"{collector.admin}/metrics").text
    received = re.findall(r"^sqlobs_collector_received_total{(.*)} 1.0$", shown, re.MULTILINE)
    assert [re.findall("([a-z_]+)=", labels) for labels in received] == [
        ["deployment_environment_name", "kind", "service_name", "signal"]
    ]
    assert "workspace" not in shown
    assert 'workspace="default"' in collector.metrics()


def test_metrics_of_another_machine_need_a_token(launch):
    """Beyond the loopback only what says that it is well is open; a proxy tells whom it is for."""
    collector = launch()
    away = {"X-Forwarded-For": "203.0.113.9"}
    assert statuses(collector, ("/metrics",), **away) == {401}
    assert statuses(collector, ("/metrics",), **away, **collector.bearer) == {200}
    assert statuses(collector, ("/healthz", "/readyz"), **away) == {200}


def test_a_read_token_sees_the_metrics_of_its_workspace(launch):
    """With tokens `/metrics` needs one; the collector's own sees all, and no single workspace."""
    tokens = {name: {"ingest": [f"{name}-in"], "read": [f"{name}-out"]} for name in ("a", "b")}
    collector = launch(auth__tokens=tokens)
    for name in tokens:
        send(collector, records.logs(unit(1)), Authorization=f"Bearer {name}-in")
        out = {"Authorization": f"Bearer {name}-out"}
        wait_until(lambda out=out: why(collector, TRACE, **out))

    def workspaces(text: str) -> set[str]:
        return set(re.findall(r'workspace="(\w+)"', text))

    assert workspaces(collector.metrics()) == {"a", "b"}
    assert workspaces(collector.metrics(Authorization="Bearer a-out")) == {"a"}
    assert statuses(collector, ("/metrics",)) == {401}
    assert statuses(collector, ("/metrics",), Authorization="Bearer a-in") == {403}
    assert statuses(collector, ("/v1/units",), **collector.bearer) == {400}


@pytest.mark.parametrize("name", ["evil.example", "evil.example:4319", "127.0.0.1.evil.example"])
def test_a_page_of_another_name_reaches_neither_port(launch, name):
    """DNS rebinding: the browser says which name led it here, whatever else the page sends."""
    collector = launch(auth__hosts=["collector.lan"])
    body = records.logs(unit(1)).SerializeToString()
    typed = {"Content-Type": "application/x-protobuf"}

    def answers(host: str) -> set[int]:
        headers = {**collector.bearer, "Host": host}
        read = statuses(collector, (*GUARDED, *OPEN), **headers)
        sent = httpx.post(f"{collector.http}/v1/logs", content=body, headers={**headers, **typed})
        return read | {sent.status_code}

    assert answers(name) == {421}
    assert (
        answers("localhost:1")
        == answers("[::1]:1")
        == answers("Collector.LAN")
        == answers("box")
        == {200}
    )
    refused = httpx.get(f"{collector.admin}/healthz", headers={"Host": name}).json()
    assert refused["error"].endswith("or the collector's IP address, or add the name to auth.hosts")


@pytest.mark.parametrize(
    "media", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_a_page_cannot_post_with_content_types_that_need_no_preflight(collector, media):
    """Other types make a browser ask first (OPTIONS), which nobody answers with a permission."""
    url = f"{collector.http}/v1/logs"
    headers = {"Origin": "http://evil.example", "Content-Type": media}
    body = records.logs(unit(1)).SerializeToString()
    assert httpx.post(url, content=body, headers=headers).status_code == 415
    asked = {"Access-Control-Request-Method": "POST", **headers}
    for address in (url, f"{collector.admin}/v1/units"):
        answer = httpx.options(address, headers=asked)
        assert not answer.is_success
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_where_tokens_are_needed_names_do_not_matter(launch):
    """A page has no token; a service in a cluster is called by its name."""
    collector = launch(auth__tokens={"a": {"read": ["t"]}})
    named = {"Host": "collector.sqlobs.svc:4319", "Authorization": "Bearer t"}
    assert statuses(collector, GUARDED, **named) == {200}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_user_s_own_commands_need_no_setting(launch, capsys, monkeypatch, host):
    """They find the token by the address, and send it through no proxy."""
    collector = launch()
    send(collector, records.logs(unit(1)))
    wait_until(lambda: why(collector, TRACE))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    address = f"http://{host}:{collector.addresses.admin.port}"
    assert main(["why", TRACE, "--admin", address]) == 0
    assert "received" in capsys.readouterr().out
    assert main(["watch", "--once", "--admin", address]) == 0
    assert "no requests in this window" not in capsys.readouterr().err


def test_a_link_ends_with_its_collector(launch, monkeypatch):
    """A later listener on the port is shown nothing."""
    collector = launch()
    at = collector.addresses.admin
    link = admin.link_of("127.0.0.1", at.port)
    killed = link.with_name("admin-127.0.0.1-1.token")
    killed.symlink_to(collector.config.data_dir / "no" / FILE_NAME)
    launch(data_dir=collector.config.data_dir.with_name("another"))
    assert not killed.is_symlink()
    assert link.readlink() == (collector.config.data_dir / FILE_NAME).absolute()
    assert admin.access_to(collector.admin).token == collector.token
    collector.stop()
    assert not link.is_symlink()
    assert admin.access_to(collector.admin) == admin.Access(collector.admin)


@pytest.fixture
def linked(tmp_path, monkeypatch):
    """A token that is linked for 127.0.0.1:4319, as a collector does it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    own = OwnToken(tmp_path)
    token = own.make().reveal()
    own.link(Address("127.0.0.1", 4319))
    yield tmp_path / FILE_NAME, token
    own.remove()


@pytest.mark.parametrize(
    ("asked", "sent_to"),
    [
        ("http://127.0.0.1:4319/", "http://127.0.0.1:4319"),
        ("http://localhost:4319", "http://127.0.0.1:4319"),
        ("http://127.0.0.1:4320", None),
        ("http://[::1]:4319", None),
        ("http://127.0.0.2:4319", None),
        ("http://collector:4319", None),
        ("http://127.0.0.1.evil.example:4319", None),
        ("http://127.0.0.1:4319@evil.example:4319", None),
        ("http://evil.example:4319/127.0.0.1:4319", None),
        ("http://127.0.0.1", None),
        ("nonsense", None),
    ],
)
def test_the_token_goes_to_the_address_of_its_link_alone(linked, asked, sent_to):
    """Never to another machine, and never to a name that could lead elsewhere."""
    _, token = linked
    access = admin.access_to(asked)
    if sent_to is None:
        assert access == admin.Access(asked.rstrip("/"))
    else:
        assert access == admin.Access(sent_to, token, is_own=True)


def test_a_file_that_others_can_read_or_wrote_is_not_trusted(linked, monkeypatch):
    """Owner and mode are looked at before the content."""
    path, token = linked
    address = "http://127.0.0.1:4319"
    assert admin.access_to(address).token == token
    path.chmod(0o640)
    assert admin.access_to(address).token is None
    path.chmod(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert admin.access_to(address).token is None
    monkeypatch.undo()
    for content in (
        "-----BEGIN PRIVATE KEY-----\n",
        f"{token}\n{token}\n",
        f"{token}\r\nx: y\n",
        "",
    ):
        path.write_text(content)
        assert admin.access_to(address).token is None
    path.unlink()
    path.mkdir()
    assert admin.access_to(address).token is None
    path.rmdir()


def test_what_is_set_goes_before_what_is_found(linked, monkeypatch):
    """An argument, then the variable, then the link."""
    monkeypatch.setenv(admin.TOKEN_VARIABLE, "set")
    address = "http://127.0.0.1:4319"
    assert admin.access_to(address, token="given") == admin.Access(address, "given")  # noqa: S106 - of nobody
    assert admin.access_to(address) == admin.Access(address, "set")


def test_a_token_that_cannot_be_linked_does_not_stop_the_collector(launch, monkeypatch, caplog):
    """A service user has no home: one line says what to do."""
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")
    collector = launch()
    assert statuses(collector, GUARDED, **collector.bearer) == {200}
    [line] = [record.getMessage() for record in caplog.records if "cannot link" in record.message]
    assert "SQLOBS_COLLECTOR_ADMIN_TOKEN" in line
    assert collector.token not in caplog.text


@contextmanager
def listening(answer: bytes):
    """A server that sends the same bytes to anyone who asks once, and keeps what was asked."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                asked.append(connection.recv(65536))
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", asked
        thread.join()


def test_a_redirect_takes_the_token_nowhere(tmp_path, monkeypatch, capsys):
    """An answer of 307 is none of a collector's."""
    monkeypatch.setenv(admin.TOKEN_VARIABLE, "t")
    moved = b"HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"
    with listening(moved) as (address, asked):
        assert main(["why", TRACE, "--admin", address]) == 2
    assert b"authorization: bearer t" in asked[0].lower()
    assert "returned status 307 and no collector response" in capsys.readouterr().err


def test_a_view_keeps_values_and_exemplars(collector):
    """Only series are left out, and one label."""
    send(collector, records.logs(unit(1)))
    wait_until(lambda: why(collector, TRACE))
    registry = collector.service.registry
    named = WorkspaceView(registry, "default")
    bare = WorkspaceView(registry, "default", is_named=False)
    of = {
        view: [sample for family in view.collect() for sample in family.samples]
        for view in (registry, named, bare)
    }
    counted = "sqlobs_collector_received_total"
    [full] = [one for one in of[registry] if one.name == counted]
    assert [one for one in of[named] if one.name == counted] == [full]
    labels = {name: text for name, text in full.labels.items() if name != "workspace"}
    assert [one for one in of[bare] if one.name == counted] == [full._replace(labels=labels)]
