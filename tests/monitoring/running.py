"""Prometheus and Alertmanager as processes on loopback, and the webhook that alerts end at."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import httpx
import yaml

from tests.servers import free_port, installed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

STARTS_WITHIN_S = 30


@contextmanager
def process(program: str, *arguments: str, ready: str) -> Iterator[None]:
    """Run a server until the block ends; `ready` answers 200 once it serves."""
    with tempfile.TemporaryFile("w+") as log:
        running = subprocess.Popen([installed(program), *arguments], stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + STARTS_WITHIN_S
            while not _answers(ready):
                log.seek(0)
                assert running.poll() is None, log.read()
                assert time.monotonic() < deadline, log.read()
                time.sleep(0.05)
            yield
        finally:
            running.terminate()
            running.wait(30)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=1).is_success
    except httpx.HTTPError:
        return False


@dataclass(frozen=True)
class Prometheus:
    """A running Prometheus."""

    url: str

    def query(self, expression: str) -> list[dict[str, object]]:
        """Return the samples of an expression, now."""
        answer = self._get("query", query=expression)
        assert answer["resultType"] == "vector", expression
        return answer["result"]

    def exemplars(self, expression: str) -> list[dict[str, object]]:
        """Return the exemplars of the series in an expression, of the last ten minutes."""
        now = time.time_ns() / 1e9
        return self._get("query_exemplars", query=expression, start=now - 600, end=now)

    def _get(self, path: str, **parameters: object):
        answer = httpx.get(f"{self.url}/api/v1/{path}", params=parameters, timeout=20)
        assert answer.is_success, answer.text
        return answer.json()["data"]


@contextmanager
def prometheus(
    directory: Path, *, rules: Path, job: str, target: str, alertmanager: str
) -> Iterator[Prometheus]:
    """Run Prometheus with a rule file, scraping one target every second."""
    address = f"127.0.0.1:{free_port()}"
    configuration = directory / "prometheus.yml"
    document = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(rules)],
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": [alertmanager]}]}]},
        "scrape_configs": [{"job_name": job, "static_configs": [{"targets": [target]}]}],
    }
    configuration.write_text(yaml.safe_dump(document))
    with process(
        "prometheus",
        f"--config.file={configuration}",
        f"--storage.tsdb.path={directory / 'prometheus'}",
        f"--web.listen-address={address}",
        "--enable-feature=exemplar-storage",
        ready=f"http://{address}/-/ready",
    ):
        yield Prometheus(f"http://{address}")


@contextmanager
def alertmanager(
    directory: Path, *, webhook: str, inhibit_rules: Sequence[Mapping[str, object]] = ()
) -> Iterator[str]:
    """Run Alertmanager, which tells the webhook almost at once; gives its address."""
    address = f"127.0.0.1:{free_port()}"
    configuration = directory / "alertmanager.yml"
    document = {
        "route": {
            "receiver": "webhook",
            "group_by": ["alertname", "service_name"],
            # Of alerts that begin together, one may mute another.
            "group_wait": "2s" if inhibit_rules else "0s",
            "group_interval": "1s",
            "repeat_interval": "1h",
        },
        "inhibit_rules": [*inhibit_rules],
        "receivers": [{"name": "webhook", "webhook_configs": [{"url": webhook}]}],
    }
    configuration.write_text(yaml.safe_dump(document))
    with process(
        "prometheus-alertmanager",
        f"--config.file={configuration}",
        f"--storage.path={directory / 'alertmanager'}",
        f"--web.listen-address={address}",
        "--cluster.listen-address=",
        ready=f"http://{address}/-/ready",
    ):
        yield address


@dataclass(frozen=True)
class Notice:
    """One alert as the webhook was told of it."""

    at_s: float
    """By the monotonic clock."""
    status: str
    labels: dict[str, str]
    annotations: dict[str, str]


@dataclass
class Webhook:
    """What a pager was told."""

    url: str
    notices: list[Notice] = field(default_factory=list)

    def told(self, alert: str, status: str) -> Notice | None:
        """Return the first notice of an alert with a status, if it came."""
        return next(
            (
                notice
                for notice in self.notices
                if (notice.labels["alertname"], notice.status) == (alert, status)
            ),
            None,
        )


@contextmanager
def webhook() -> Iterator[Webhook]:
    """Listen for notices until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            now_s = time.monotonic()
            listener.notices += [
                Notice(now_s, alert["status"], alert["labels"], alert["annotations"])
                for alert in body["alerts"]
            ]
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    listener = Webhook(f"http://127.0.0.1:{server.server_address[1]}/")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield listener
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
