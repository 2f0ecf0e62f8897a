"""The processes that answer requests: a program, servers with workers, forked children, a pool."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[3]
START_S = 60.0
END_S = 45.0
CLIENTS = 8
APP = "tests.tracing.exits.app:app"
GUNICORN = ["gunicorn", APP, "-w", "2", "-k", "uvicorn.workers.UvicornWorker", "--bind"]


@dataclass
class Ended:
    """What a host has left behind."""

    ids: set[str]
    """Of the requests that it has answered."""
    code: int
    said: list[str]
    """The lines about sqlobs in its log."""
    took_s: float
    """From the signal to the end of the last process."""
    log: str = field(repr=False, default="")


def served_over_http(
    command: Callable[[int], list[str]],
) -> Callable[[int, dict[str, str], Callable[[], None]], Ended]:
    """Return what runs a server, asks it so many times at once, and ends it right after."""

    def run(requests: int, environment: dict[str, str], started: Callable[[], None]) -> Ended:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
        with _Process(command(port), environment) as process:
            process.await_ready(port)
            started()
            ids = _asked(port, requests)
            return process.ended(ids)

    return run


def printed_by(kind: str) -> Callable[[int, dict[str, str], Callable[[], None]], Ended]:
    """Return what runs the script, which prints the ids of its requests, and ends it right after."""

    def run(requests: int, environment: dict[str, str], started: Callable[[], None]) -> Ended:
        command = [sys.executable, "-m", "tests.tracing.exits.script", kind, str(requests)]
        with _Process(command, environment, stdout=subprocess.PIPE) as process:
            assert process.popen.stdout is not None
            ids: set[str] = set()
            while len(ids) < requests:
                line = process.popen.stdout.readline()
                assert line, process.log
                if not ids:
                    started()
                ids.add(line.decode().strip())
            return process.ended(ids)

    return run


def _module(*arguments: str) -> list[str]:
    return [sys.executable, "-m", *arguments]


HOSTS = {
    "script": printed_by("script"),
    "uvicorn": served_over_http(
        lambda port: _module("uvicorn", APP, "--workers", "2", "--port", str(port))
    ),
    "gunicorn": served_over_http(lambda port: _module(*GUNICORN, f"127.0.0.1:{port}")),
    "preload": served_over_http(lambda port: _module(*GUNICORN, f"127.0.0.1:{port}", "--preload")),
    "fork": printed_by("fork"),
    "multiprocessing": printed_by("multiprocessing"),
}


class _Process:
    """A host, its log in a file; ended with the block."""

    def __init__(
        self, command: list[str], environment: dict[str, str], stdout: int | None = None
    ) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the block
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("OTEL_", "SQLOBS_"))}
        self.popen = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**clean, "PYTHONUNBUFFERED": "1", **environment},
            stdout=self._file if stdout is None else stdout,
            stderr=self._file,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.popen.poll() is None:
            os.killpg(self.popen.pid, signal.SIGKILL)  # the session that was started above
            self.popen.wait()
        if self.popen.stdout is not None:
            self.popen.stdout.close()
        self._file.close()

    @property
    def log(self) -> str:
        """What it has written so far."""
        self._file.seek(0)
        return self._file.read().decode(errors="replace")

    def await_ready(self, port: int) -> None:
        """Wait until it answers."""
        until = time.monotonic() + START_S
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_S)
            try:
                with closing(connection):
                    _get(connection, "/ready")
            except OSError:
                assert self.popen.poll() is None, self.log
                assert time.monotonic() < until, self.log
                time.sleep(0.05)
            else:
                return

    def ended(self, ids: set[str]) -> Ended:
        """End it by SIGTERM."""
        started = time.monotonic()
        self.popen.send_signal(signal.SIGTERM)
        code = self.popen.wait(END_S)
        took_s = time.monotonic() - started
        log = self.log
        said = [line for line in log.splitlines() if "sqlobs" in line and "Traceback" not in line]
        return Ended(ids, code, said, took_s, log)


def _asked(port: int, requests: int) -> set[str]:
    """Ask as many clients do: on threads of the server and on its event loop."""

    def ask(client: int) -> list[str]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            paths = cycle(("thread", "loop"))
            numbers = range(client, requests, CLIENTS)
            return [_get(connection, f"/{next(paths)}/q{number}") for number in numbers]
        finally:
            connection.close()

    with ThreadPoolExecutor(CLIENTS) as clients:
        return {found for ids in clients.map(ask, range(CLIENTS)) for found in ids}


def _get(connection: http.client.HTTPConnection, path: str) -> str:
    connection.request("GET", path)
    response = connection.getresponse()
    return str(json.loads(response.read()))
