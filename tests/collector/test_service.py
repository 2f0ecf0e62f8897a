from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

import httpx
import pytest

from sqlobs_collector import cli
from sqlobs_collector.cli import main
from sqlobs_collector.receiver.grpc import GrpcReceiver
from sqlobs_collector.service import Addresses, Service
from tests.collector import records
from tests.collector.running import journaled

PROTOBUF = {"Content-Type": "application/x-protobuf"}
FREE = ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--admin", "127.0.0.1:0"]


@contextmanager
def serving(*arguments: str, data_dir):
    """A collector process; yields it with the addresses from its first line."""
    command = [sys.executable, "-m", "sqlobs_collector", "serve", *FREE, "--data-dir", data_dir]
    with subprocess.Popen(
        [*map(str, command), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "SQLOBS_COLLECTOR__JOURNAL__MIN_FREE_BYTES": "0"},
    ) as process:
        line = process.stdout.readline()
        where = dict(re.findall(r"(http|grpc|admin) (127\.0\.0\.1:\d+)", line))
        try:
            yield process, where
        finally:
            process.kill()


def test_a_term_signal_drains_and_ends_with_0(tmp_path):
    """Requests in progress are answered and kept, then the process ends."""
    acknowledged = []
    with serving(data_dir=tmp_path) as (process, where):
        assert httpx.get(f"http://{where['admin']}/readyz").json() == {
            "ready": True,
            "reasons": [],
            "store_trouble": None,
            "journal": {
                "unprojected_records": 0,
                "lag_s": 0.0,
                "lost_requests": 0,
                "lost_records": 0,
                "quarantined_files": [],
            },
        }
        assert httpx.get(f"http://{where['admin']}/healthz").text == "ok\n"

        def send() -> None:
            with httpx.Client() as client:
                for number in range(100_000):
                    body = records.logs(records.log(number)).SerializeToString()
                    try:
                        response = client.post(
                            f"http://{where['http']}/v1/logs", content=body, headers=PROTOBUF
                        )
                    except httpx.TransportError:
                        return
                    if response.status_code == 200:
                        acknowledged.append(body)
                        if len(acknowledged) == 20:
                            process.send_signal(signal.SIGTERM)

        client = threading.Thread(target=send)
        client.start()
        assert process.wait(20) == 0
        client.join()
        assert "Traceback" not in process.stderr.read()
    kept = {entry.body for entry in journaled(tmp_path)}
    assert len(acknowledged) >= 20
    assert set(acknowledged) <= kept


def test_a_second_collector_on_the_same_data_is_refused(tmp_path):
    """One writer per data directory: exit 2 and one sentence."""
    with serving(data_dir=tmp_path):
        command = [sys.executable, "-m", "sqlobs_collector", "serve", *FREE]
        second = subprocess.run(
            [*command, "--data-dir", str(tmp_path)], capture_output=True, text=True, check=False
        )
    assert second.returncode == 2
    assert second.stderr == (
        f"sqlobs-collector serve: another collector is using {tmp_path}: stop it, or set data_dir to "
        "another directory\n"
    )


@pytest.mark.parametrize("port", ["http", "grpc", "admin"])
def test_a_busy_port_is_one_sentence(tmp_path, capsys, port):
    """The message names the address and the setting; nothing is left running."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        flags = [*FREE, f"--{port}", address, "--data-dir", str(tmp_path)]
        assert main(["serve", *flags]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"cannot listen on {address} (address" in printed.err
    assert f"or set listen.{port} to another address" in printed.err
    assert printed.err.count("sqlobs-collector serve: ") == 1


def test_a_data_directory_that_cannot_be_written_is_one_sentence(tmp_path, capsys):
    """The message names the directory and the setting."""
    (tmp_path / "file").write_text("")
    assert main(["serve", *FREE, "--data-dir", str(tmp_path / "file" / "data")]) == 2
    assert capsys.readouterr().err == (
        f"sqlobs-collector serve: cannot create {tmp_path}/file/data (Not a directory): set data_dir to "
        "a directory that the collector can write to\n"
    )


def test_an_unknown_key_ends_with_2_before_a_port_opens(tmp_path, capsys):
    """The file is read and checked first."""
    path = tmp_path / "collector.yaml"
    path.write_text("lisen: {}")
    assert main(["serve", "--config", str(path), "--data-dir", str(tmp_path / "data")]) == 2
    assert capsys.readouterr().err == (
        f"sqlobs-collector serve: {path}: unknown setting lisen; did you mean listen?\n"
    )
    assert not (tmp_path / "data").exists()


def test_a_service_that_never_started_can_be_stopped(launch):
    """`stop` is idempotent and safe at any time."""
    collector = launch()
    collector.run(collector.service.stop())
    collector.run(collector.service.stop())
    found = collector.run(collector.service.readiness())
    assert (found.ready, found.reasons) == (False, ["the collector is starting or stopping"])


def test_a_start_that_fails_in_any_way_leaves_nothing_running(launch, monkeypatch):
    """A stage left running would keep the process alive after its traceback."""

    async def fail(*_: object, **__: object) -> None:
        raise OverflowError("too large for the server")

    monkeypatch.setattr(GrpcReceiver, "start", fail)
    before = set(threading.enumerate())
    with pytest.raises(OverflowError):
        launch()
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert [name for name in left if name.startswith("sqlobs-")] == []


def test_an_interrupt_while_starting_ends_like_one_later(tmp_path, monkeypatch, capsys):
    """The start is finished, then everything is stopped in order."""
    start = Service.start

    async def interrupted(service: Service) -> Addresses:
        os.kill(os.getpid(), signal.SIGINT)
        return await start(service)

    monkeypatch.setattr(Service, "start", interrupted)
    assert main(["serve", *FREE, "--data-dir", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""


def test_an_interrupt_before_the_start_ends_without_a_traceback(monkeypatch, capsys):
    """Ctrl-C while settings are read: 130, as shells have it."""

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_load_with_origins", interrupted)
    assert main(["serve", *FREE]) == 130
    assert capsys.readouterr() == ("", "")
