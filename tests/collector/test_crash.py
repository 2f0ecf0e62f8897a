from __future__ import annotations

import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING

import httpx
import pytest

from sqlobs_collector.store.database import FILE_NAME
from tests.collector import records
from tests.collector.running import wait_until

if TYPE_CHECKING:
    from pathlib import Path

KILLS = int(os.environ.get("SQLOBS_KILLS", "2"))
"""How often the collector is killed; the long run takes 20."""
BATCH = 40


class Sender:
    """Sends units batch by batch, each until it is acknowledged, on a thread."""

    def __init__(self, url: str, *, first: int) -> None:
        self._url = url
        self._first = first
        self.acknowledged: set[str] = set()
        self.attempts = 0
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self._send)

    def _send(self) -> None:
        number = self._first
        with httpx.Client(timeout=5) as client:
            while not self.is_done.is_set():
                numbers = range(number, number + BATCH)
                request = records.logs(*(records.log(one) for one in numbers))
                if self._is_taken(client, request.SerializeToString()):
                    self.acknowledged.update(records.trace_id(one).hex() for one in numbers)
                    number += BATCH

    def _is_taken(self, client: httpx.Client, body: bytes) -> bool:
        self.attempts += 1
        try:
            response = client.post(
                f"{self._url}/v1/logs",
                content=body,
                headers={"Content-Type": "application/x-protobuf"},
            )
        except httpx.TransportError:
            time.sleep(0.02)
            return False
        return response.status_code == 200


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def stored(data_dir: Path) -> list[str]:
    """The trace ids of all units in the store."""
    with closing(sqlite3.connect(data_dir / FILE_NAME)) as connection:
        return [trace for (trace,) in connection.execute("SELECT trace_id FROM unit")]


@pytest.mark.slow
@pytest.mark.timeout(120 + 40 * KILLS)
def test_no_acknowledged_unit_is_lost_or_doubled_by_kill_9(tmp_path):
    """Killed at random moments under load, restarted on what is there: each unit once."""
    moments = random.Random(KILLS)
    port = free_port()
    command = [sys.executable, "-m", "sqlobs_collector", "serve", "--data-dir", str(tmp_path)]
    command += ["--http", f"127.0.0.1:{port}", "--grpc", "127.0.0.1:0", "--admin", "127.0.0.1:0"]

    def launch() -> subprocess.Popen[str]:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert "data in" in process.stdout.readline()
        return process

    senders = [Sender(f"http://127.0.0.1:{port}", first=first) for first in (0, 10_000_000)]
    process = launch()
    for sender in senders:
        sender.thread.start()
    try:
        for _ in range(KILLS):
            time.sleep(moments.uniform(0.05, 1.0))
            process.kill()
            process.wait()
            process.stdout.close()
            process = launch()
        time.sleep(0.5)
        for sender in senders:
            sender.is_done.set()
            sender.thread.join()
        acknowledged = senders[0].acknowledged | senders[1].acknowledged
        wait_until(lambda: not acknowledged - set(stored(tmp_path)), within_s=60 + 10 * KILLS)
    finally:
        for sender in senders:
            sender.is_done.set()
            sender.thread.join()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        process.stdout.close()

    assert len(acknowledged) > KILLS * BATCH
    assert sum(sender.attempts for sender in senders) * BATCH > len(acknowledged)
    found = stored(tmp_path)
    assert len(found) == len(set(found))
    assert acknowledged - set(found) == set()
