"""Real backends in environments of their own: `make test-integrations` installs them."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.collector.running import wait_until
from tests.servers import free_port

HOME = Path(os.environ.get("SQLOBS_BACKENDS", Path(__file__).parents[2] / ".backends"))
STARTS_WITHIN_S = 300


def program(backend, name):
    """A program of a backend's environment; without it the test is skipped, and says so."""
    path = HOME / backend / "bin" / name
    if not path.exists():
        target = "test-deploy" if backend == "deploy" else "test-integrations"
        pytest.skip(f"{backend} is NOT INSTALLED: run `make {target}`")
    return path


@contextmanager
def served(directory):
    """Run Phoenix on loopback; yields its URL."""
    command = [program("phoenix", "phoenix"), "serve"]
    http, grpc = free_port(), free_port()
    settings = {
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(http),
        "PHOENIX_GRPC_PORT": str(grpc),
        "PHOENIX_WORKING_DIR": str(directory),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    url = f"http://127.0.0.1:{http}"
    with (directory / "phoenix.log").open("w") as log:
        server = subprocess.Popen(
            command, env={**os.environ, **settings}, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        wait_until(lambda: is_healthy(url), within_s=STARTS_WITHIN_S)
        yield url
    finally:
        server.terminate()
        server.wait(30)


def is_healthy(url):
    try:
        return httpx.get(f"{url}/healthz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


@pytest.fixture(scope="session")
def phoenix(tmp_path_factory):
    """The URL of a running Phoenix."""
    with served(tmp_path_factory.mktemp("phoenix")) as url:
        yield url


@pytest.fixture
def sqlobs_command():
    """The command of this environment."""
    return Path(sys.executable).with_name("sqlobs")
