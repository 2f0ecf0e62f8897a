"""The collector beside the demo's service: a process of its own, on free ports of the loopback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from sqlobs.demo.judge import PRICE, RECORDED_JUDGE
from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

COLLECTOR_LOG: Final = "collector.log"
COLLECTOR_CONFIG: Final = "collector.yaml"
COLLECTOR_DATA: Final = "collector"
GOLDEN: Final = "golden.jsonl"

_NEEDED: Final = (
    *("alembic", "fastapi", "grpc", "jinja2", "multipart", "orjson", "prometheus_client"),
    *("uvicorn", "yaml"),
)
"""What the extra `collector` brings."""
_STARTS_WITHIN_S: Final = 120.0
_STOPS_WITHIN_S: Final = 30.0
_POLL_S: Final = 0.05
_LISTENING: Final = re.compile(r"http (?P<http>\S+), grpc \S+, admin (?P<admin>[^\s,]+)")
_HINTS: Final = "Revenue leaves out cancelled orders. Countries are ISO codes. Today is 2025-09-30."
_CONFIG: Final = """\
# The collector of `sqlobs demo`, over what the demo left: `sqlobs-collector serve --config {path}`.
data_dir: {data}
targets:
  shop:
    url: {database}
    default: true
    hints: {hints}
golden:
  file: {golden}
"""


@dataclass(frozen=True, slots=True)
class RunningCollector:
    """Where a collector listens."""

    http: str
    """The value for SQLOBS_COLLECTOR_ENDPOINT."""
    admin: str


def is_installed() -> bool:
    """Return whether the extra `collector` is there."""
    return all(find_spec(name) is not None for name in _NEEDED)


def prepare(directory: Path) -> None:
    """Write the collector's configuration and its golden file."""
    golden = (resources.files("sqlobs.demo") / GOLDEN).read_text(encoding="utf-8")
    (directory / GOLDEN).write_text(golden, encoding="utf-8")
    path = (directory / COLLECTOR_CONFIG).resolve()
    written = _CONFIG.format(
        path=path,
        data=json.dumps(str(path.parent / COLLECTOR_DATA)),
        database=json.dumps(f"sqlite:///{path.parent / 'shop.db'}"),
        hints=json.dumps(_HINTS),
        golden=json.dumps(str(path.parent / GOLDEN)),
    )
    path.write_text(written, encoding="utf-8")


@contextmanager
def running(
    directory: Path, *, backend: str | None = None, judge: str | None = None
) -> Iterator[RunningCollector]:
    """Run a collector over a prepared directory until the block ends.

    Args:
        directory: Directory of its configuration, log and data.
        backend: The OTLP/HTTP endpoint that gets traces, metrics and evaluations; None: none.
        judge: The base URL of the judge's model; None: there is no judge.

    Raises:
        InputError: It does not start.
    """
    log = directory / COLLECTOR_LOG
    config = directory / COLLECTOR_CONFIG
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-m", "sqlobs_collector", "serve", "--config", str(config)],
            env=_environment(os.environ, backend=backend, judge=judge),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield _started(process, log)
    finally:
        process.terminate()
        process.wait(_STOPS_WITHIN_S)


def _environment(
    environment: Mapping[str, str], *, backend: str | None, judge: str | None
) -> dict[str, str]:
    """Return the collector's environment: the caller's, without telemetry settings of its own."""
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith(("OTEL_", "SQLOBS_"))
    }
    settings = {f"listen.{each}": "127.0.0.1:0" for each in ("http", "grpc", "admin")}
    if backend is not None:
        settings |= {"forward.url": backend}
    if judge is not None:
        prices = {RECORDED_JUDGE: PRICE}
        settings |= {"judge.base_url": judge, "judge.model": RECORDED_JUDGE}
        settings |= {"judge.categories": "false"}  # verdicts are recorded, reasons are not
        settings |= {"judge.price": json.dumps(prices), "judge.daily_usd": "1"}
    return kept | {
        f"SQLOBS_COLLECTOR__{key.upper().replace('.', '__')}": value
        for key, value in settings.items()
    }


def _started(process: subprocess.Popen[bytes], log: Path) -> RunningCollector:
    deadline_s = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < deadline_s and process.poll() is None:
        if found := _LISTENING.search(log.read_text(encoding="utf-8")):
            return RunningCollector(
                http=f"http://{found['http']}", admin=f"http://{found['admin']}"
            )
        time.sleep(_POLL_S)
    lines = log.read_text(encoding="utf-8").strip().splitlines() or ["no output"]
    raise InputError(f"The demo's collector did not start: {lines[-1]} (see {log}).")
