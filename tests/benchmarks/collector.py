"""Acknowledged records per second: durable, with everything behind it, and without any store.

One process receives OTLP/HTTP requests of 512 gzipped records with 20 attributes each from eight
connections of another process. `python -m tests.benchmarks.collector` prints rates and ratios.
"""

from __future__ import annotations

import asyncio
import gzip
import http.client
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from prometheus_client import CollectorRegistry

from sqlobs_collector import config as configuration
from sqlobs_collector.addresses import Address
from sqlobs_collector.journal.room import JournalLimits
from sqlobs_collector.journal.writer import JournalWriter
from sqlobs_collector.masking import Masker
from sqlobs_collector.pipeline_metrics import PipelineMetrics
from sqlobs_collector.quotas import Unlimited
from sqlobs_collector.receiver.credentials import Credentials
from sqlobs_collector.receiver.gate import ByteGate
from sqlobs_collector.receiver.http import HttpReceiver
from sqlobs_collector.receiver.intake import Intake, IntakeLimits
from sqlobs_collector.sdkmetrics import SdkMetrics
from sqlobs_collector.service import Service
from sqlobs_collector.subjects import SubjectDigests
from sqlobs_collector.webserver import WebServer
from tests.benchmarks.scale import SCALE, scaled

RECORDS = scaled(512, least=16)
ATTRIBUTES = 20
CONNECTIONS = 8
BODIES = scaled(64, least=CONNECTIONS)
SECONDS = 4 * SCALE
LIMIT = 64 * 1024**2
ROUNDS = scaled(3)
DURABLE_SHARE = 0.5
"""Acknowledged after the journal's sync, against the same receiver without a store."""
MODES = ("no store", "journal", "service")


class NoJournal:
    """Acknowledges without keeping."""

    async def append(self, _: object) -> None:
        """Keep nothing."""


def intake(journal: object) -> Intake:
    flow = PipelineMetrics(CollectorRegistry())
    return Intake(
        credentials=Credentials({}),
        limits=IntakeLimits(LIMIT, 1024**2, LIMIT),
        masker=Masker({}, [], digests=SubjectDigests([b"key"])),
        journal=journal,
        relay=None,
        metrics=SdkMetrics(dropped=flow.series_dropped),
        flow=flow,
        quotas=Unlimited(),
    )


async def serve(mode: str, data_dir: Path) -> None:
    """Serve until the parent closes our standard input."""
    anywhere = "127.0.0.1:0"
    if mode == "service":
        flags = {f"listen.{name}": anywhere for name in ("http", "grpc", "admin")}
        config = configuration.load(None, environ={}, flags={**flags, "data_dir": str(data_dir)})
        service = Service(config)
        address = (await service.start()).http
        stop = service.stop
    else:
        directory = data_dir / "journal"  # its mark lies beside it
        directory.mkdir()
        journal = JournalWriter(directory, limits=JournalLimits(10**12, 0))
        if mode == "journal":
            journal.start()
        receiver = HttpReceiver(
            intake(journal if mode == "journal" else NoJournal()),
            gate=ByteGate(LIMIT),
            max_body_bytes=LIMIT,
            body_timeout_s=60,
        )
        server = WebServer(receiver, grace_s=1)
        address = await server.start(Address.parse(anywhere), setting="listen.http")
        stop = server.stop
    print(address, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await stop()
    if mode == "journal":
        journal.stop()


def bodies() -> list[bytes]:
    """Requests of units whose ids differ, as an exporter sends them."""
    from tests.collector import records

    made = []
    for batch in range(BODIES):
        numbers = range(batch * RECORDS, (batch + 1) * RECORDS)
        units = [
            records.log(
                number,
                body={"sqlobs.query.text": f"SELECT total FROM orders WHERE id = {number}"},
                **{f"sqlobs__attribute__{index}": f"value {index}" for index in range(ATTRIBUTES)},
            )
            for number in numbers
        ]
        made.append(gzip.compress(records.logs(*units).SerializeToString(), 5))
    return made


def send(address: str, requests: list[bytes], until: float, counts: list[int]) -> None:
    host, _, port = address.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    headers = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
    sent = 0
    while time.monotonic() < until:
        connection.request("POST", "/v1/logs", requests[sent % len(requests)], headers)
        response = connection.getresponse()
        response.read()
        assert response.status == 200, response.status
        sent += 1
    connection.close()
    counts.append(sent)


def rate(mode: str, requests: list[bytes]) -> float:
    """Return the records that were acknowledged per second."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "tests.benchmarks.collector", mode, directory]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            address = server.stdout.readline().strip()
            if not address:
                sys.exit(f"The server of {mode!r} did not start: its error is printed above.")
            counts: list[int] = []
            started = time.monotonic()
            shares = [requests[index::CONNECTIONS] for index in range(CONNECTIONS)]
            threads = [
                threading.Thread(target=send, args=[address, share, started + SECONDS, counts])
                for share in shares
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            elapsed = time.monotonic() - started
            server.stdin.close()
            server.wait()
    return sum(counts) * RECORDS / elapsed


def main() -> None:
    """Print the rates, and the medians of their ratios to the receiver without a store."""
    requests = bodies()
    rounds = [{mode: rate(mode, requests) for mode in MODES} for _ in range(ROUNDS)]
    size = sum(map(len, requests)) // len(requests)
    print(f"OTLP/HTTP, {RECORDS} records x {ATTRIBUTES} attributes, gzip {size} bytes a request")
    for mode in MODES:
        found = statistics.median(one[mode] for one in rounds)
        ratio = statistics.median(one[mode] / one["no store"] for one in rounds)
        bar = f"   (bar {DURABLE_SHARE} or more)" if mode == "journal" else ""
        print(f"{mode:<10} {found:>10,.0f} records/s acknowledged   {ratio:.2f} x no store{bar}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        import uvloop

        uvloop.run(serve(sys.argv[1], Path(sys.argv[2])))
    else:
        main()
