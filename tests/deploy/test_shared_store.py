"""The processes of `compose/shared.yaml`, started by the commands of their containers."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from tests.collector import records
from tests.collector.conftest import databases
from tests.collector.running import wait_until
from tests.collector.test_units import unit
from tests.deploy.test_compose import collectors, command_in
from tests.servers import free_port

__all__ = ["command_in", "databases"]  # fixtures
pytestmark = [pytest.mark.slow, pytest.mark.postgres]

UNITS = 60
STATES = text("SELECT state, attempts, count(*) FROM unit GROUP BY state, attempts")
COLLECTOR = Path(sys.executable).with_name("sqlobs-collector")


class Container:
    """A process with the ports and the data directory of one container."""

    def __init__(self, arguments, data_dir):
        self.http = f"127.0.0.1:{free_port()}"
        self.admin = f"127.0.0.1:{free_port()}"
        environment = {
            **os.environ,
            "SQLOBS_COLLECTOR__DATA_DIR": str(data_dir),
            "SQLOBS_COLLECTOR__LISTEN__HTTP": self.http,
            "SQLOBS_COLLECTOR__LISTEN__GRPC": f"127.0.0.1:{free_port()}",
            "SQLOBS_COLLECTOR__LISTEN__ADMIN": self.admin,
        }
        self._process = subprocess.Popen([COLLECTOR, *arguments], env=environment)

    def is_ready(self):
        try:
            return httpx.get(f"http://{self.admin}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def stop(self):
        """End it as a container is ended."""
        self._process.terminate()
        assert self._process.wait(60) == 0


def test_all_processes_together_receive_and_evaluate(databases, command_in, tmp_path):
    """Each unit once, whichever receiver it was sent to; the console shows all of them."""
    kind = databases.migrated()
    (tmp_path / "store-url").write_text(kind.url)
    found = {name: each for name, each in collectors("shared").items() if name != "migrate"}
    with ExitStack() as stack:
        containers = {}
        for name, service in found.items():
            arguments = command_in(service)
            for number in range(service.get("deploy", {}).get("replicas", 1)):
                container = Container(arguments, tmp_path / f"{name}-{number}")
                stack.callback(container.stop)
                containers[name, number] = container
        wait_until(lambda: all(each.is_ready() for each in containers.values()), within_s=120)
        for number in range(UNITS):
            receiver = containers[f"receiver-{number % 2 + 1}", 0]
            answer = httpx.post(
                f"http://{receiver.http}/v1/logs",
                content=records.logs(unit(number)).SerializeToString(),
                headers={
                    "Content-Type": "application/x-protobuf",
                    "Authorization": "Bearer the ingest-token",
                },
            )
            assert answer.status_code == 200
        engine = kind.open(tmp_path)
        stack.callback(engine.dispose)

        def states():
            with engine.connect() as connection:
                return [tuple(row) for row in connection.execute(STATES)]

        wait_until(lambda: states() == [("done", 1, UNITS)], within_s=120)
        console = containers["console", 0]
        shown = httpx.get(
            f"http://{console.admin}/v1/units",
            headers={"Authorization": "Bearer the admin-token"},
        )
        assert len(shown.json()["units"]) == UNITS
