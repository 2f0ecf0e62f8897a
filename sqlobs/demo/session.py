"""One run of the demo: database, models, receiver, collector and service, then their figures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from opentelemetry.util.re import parse_env_headers

from sqlobs.demo import collector
from sqlobs.demo.collected import wait_for
from sqlobs.demo.judge import serve_judgments
from sqlobs.demo.model_server import serve_recordings
from sqlobs.demo.receiver import FILES, receive
from sqlobs.demo.recordings import RECORDED_MODEL
from sqlobs.demo.shop import build_shop, shop_ddl
from sqlobs.demo.summary import summarize
from sqlobs.demo.translation import SHOP_DIALECT
from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sqlobs.demo.collected import Collected
    from sqlobs.demo.receiver import Receiver
    from sqlobs.demo.summary import Rate, Summary

SERVICE_LOG: Final = "service.log"
SUMMARY_FILE: Final = "summary.json"
DATABASE: Final = "shop.db"
_LOOPBACK: Final = "127.0.0.1,localhost"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run."""

    directory: Path
    """Where database and telemetry go; files of an earlier run are replaced."""
    requests: int
    model: str | None = None
    """The model to ask for; None: the recorded one, or the first that the user's server has."""
    base_url: str | None = None
    """The user's own OpenAI-protocol server; None: recorded generations."""
    forward: str | None = None
    """An OTLP/HTTP endpoint that gets a copy of traces and metrics."""
    has_collector: bool = False
    """Whether a collector stands between the service and the receiver."""
    lacks_collector: bool = False
    """Whether one would, were its extra installed."""
    dialect: str = SHOP_DIALECT
    """What the shop and the answers are written in. Only SQLite runs them."""

    @property
    def is_recorded(self) -> bool:
        """Return whether the generations are recorded ones."""
        return self.base_url is None

    @property
    def has_database(self) -> bool:
        """Return whether there is a database that runs the SQL."""
        return self.dialect == SHOP_DIALECT

    @property
    def model_host(self) -> str:
        """The model server's address, without what may be secret in its URL."""
        parts = urlsplit(self.base_url or "")
        return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")


@dataclass(frozen=True, slots=True)
class Performance:
    """What came out of a run."""

    plan: Plan
    summary: Summary
    refusals: tuple[str, ...]
    """What the endpoint of `Plan.forward` refused."""
    collected: Collected | None = None
    """What the collector found, where there is one."""

    @property
    def is_complete(self) -> bool:
        """Return whether every request left its span, its unit and its count."""
        received = self.summary.received
        seen = {received.generations, received.units, self.summary.requests}
        return seen == {self.plan.requests}

    def as_json(self) -> str:
        """Return the figures as a JSON document, rates with value and interval."""
        document = asdict(self.summary)
        document["first_attempt_pass_rate"] = _rate(self.summary.first_attempt_pass_rate)
        rates = self.summary.failure_rates
        document["failure_rates"] = {name: _rate(rate) for name, rate in rates.items()}
        document["collected"] = None if self.collected is None else _collected(self.collected)
        document["recorded_generations"] = self.plan.is_recorded
        document["directory"] = str(self.plan.directory)
        return json.dumps(document, indent=2)


def _rate(rate: Rate) -> dict[str, object]:
    return {**asdict(rate), "value": rate.value, "interval": asdict(rate.interval)}


def _collected(found: Collected) -> dict[str, object]:
    scores = {
        name: {**asdict(score), "interval": asdict(score.interval)}
        for name, score in found.scores.items()
    }
    return {
        **asdict(found),
        "pass_rates": {name: _rate(rate) for name, rate in found.pass_rates.items()},
        "scores": scores,
        "schema_hallucination_rate": _rate(found.schema_hallucination_rate),
        "first_attempt_pass_rate": _rate(found.first_attempt_pass_rate),
    }


def perform(plan: Plan) -> Performance:
    """Run the service once and return what the received telemetry says.

    Raises:
        InputError: The directory cannot be written, or the service cannot reach its model.
    """
    _prepare(plan)
    found: Collected | None = None
    with ExitStack() as stack:
        receiver = stack.enter_context(_receiving(plan))
        base_url = plan.base_url or stack.enter_context(serve_recordings(plan.dialect)).base_url
        station = _collector(plan, stack, backend=receiver.endpoint)
        otlp = receiver.endpoint if station is None else station.http
        environment = service_environment(os.environ, otlp=otlp, base_url=base_url)
        _run_service(plan, environment)
        if station is not None:
            found = wait_for(station.admin, units=plan.requests)
    summary = summarize(plan.directory)
    if found is not None:
        summary = replace(summary, received=replace(summary.received, units=found.units))
    performance = Performance(plan, summary, tuple(receiver.refusals), found)
    document = performance.as_json() + "\n"
    (plan.directory / SUMMARY_FILE).write_text(document, encoding="utf-8")
    return performance


def _receiving(plan: Plan) -> AbstractContextManager[Receiver]:
    """Return the receiver; copies carry the headers that any exporter of the user's would send."""
    headers = parse_env_headers(os.environ.get("OTEL_EXPORTER_OTLP_HEADERS", ""), liberal=True)
    return receive(plan.directory, forward=plan.forward, headers=headers)


def _collector(plan: Plan, stack: ExitStack, *, backend: str) -> collector.RunningCollector | None:
    """Start the collector, with the recorded judge where the generations are recorded, too."""
    if not plan.has_collector:
        return None
    collector.prepare(plan.directory)
    judge = stack.enter_context(serve_judgments()) if plan.is_recorded else None
    return stack.enter_context(collector.running(plan.directory, backend=backend, judge=judge))


def service_environment(
    environment: Mapping[str, str], *, otlp: str, base_url: str
) -> dict[str, str]:
    """Return the service's environment: the caller's, with telemetry and model pointed at ours.

    Other `OTEL_*` and `SQLOBS_*` settings of the caller are left out, so that every run is alike.
    """
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith(("OTEL_", "SQLOBS_"))
    }
    bypass = ",".join(filter(None, (environment.get("NO_PROXY"), _LOOPBACK)))
    return {
        "OPENAI_API_KEY": "none",
        **kept,
        "OPENAI_BASE_URL": base_url,
        "OTEL_EXPORTER_OTLP_ENDPOINT": otlp,
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "SQLOBS_COLLECTOR_ENDPOINT": otlp,
        "NO_PROXY": bypass,
        "no_proxy": bypass,
    }


def _prepare(plan: Plan) -> None:
    """Make the directory and the shop in it; remove what an earlier run has left."""
    directory = plan.directory
    try:
        directory.mkdir(parents=True, exist_ok=True)
        names = (*FILES, SERVICE_LOG, SUMMARY_FILE, DATABASE)
        for path in (*(directory / name for name in names), *directory.glob("schema-*.json")):
            path.unlink(missing_ok=True)
        shutil.rmtree(directory / collector.COLLECTOR_DATA, ignore_errors=True)
        (directory / "shop.sql").write_text(shop_ddl(plan.dialect), encoding="utf-8")
        if plan.has_database:
            build_shop(directory / DATABASE)
    except OSError as error:
        raise InputError(f"Cannot write to {directory}: {error.strerror}.") from error


def _run_service(plan: Plan, environment: Mapping[str, str]) -> None:
    log = plan.directory / SERVICE_LOG
    model = RECORDED_MODEL if plan.is_recorded else plan.model
    command = [sys.executable, "-m", "sqlobs.demo.traffic", f"--dialect={plan.dialect}"]
    command += [f"--database={plan.directory / DATABASE}"] if plan.has_database else []
    command += [f"--requests={plan.requests}", f"--concurrency={4 if plan.is_recorded else 2}"]
    command += [f"--model={model}"] if model else []
    with log.open("w", encoding="utf-8") as output:
        completed = subprocess.run(  # noqa: S603 - our own module, no shell
            command, env=dict(environment), stdout=output, stderr=subprocess.STDOUT, check=False
        )
    if completed.returncode:
        lines = log.read_text(encoding="utf-8").strip().splitlines() or ["no output"]
        server = "" if plan.is_recorded else f" (model server: {plan.model_host})"
        raise InputError(f"The demo's service stopped{server}: {lines[-1]} (see {log}).")
