"""A unit that ends each process that evaluates it, as one does whose result does not fit into memory.

A supervisor starts the processes again, as systemd does: `pytest -m slow -s
tests/collector/test_poisoned_units.py`.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from sqlobs_collector.store.dispatcher import MOST_CLAIMS
from tests.collector.test_crash import post, request, trace
from tests.collector.test_kills import Process, is_there
from tests.servers import free_port

if TYPE_CHECKING:
    from tests.collector.stores import StoreKind

UNITS = 200
POISON = trace(100)
AFTER_S = 2.0
"""Between an end and the next start, as in the units of deploy/systemd."""
WITHIN_S = 240
DEADLY = f"""
import os, signal, sys
from sqlobs_collector.cli import main
from sqlobs_collector.evaluation.scorer import Scorer

ordinary = Scorer.scored

def scored(self, unit, reports):
    if unit.trace_id == "{POISON}":
        os.kill(os.getpid(), signal.SIGKILL)
    return ordinary(self, unit, reports)

Scorer.scored = scored
sys.exit(main())
"""


class Fleet:
    """A receiver, two evaluators that the unit ends, and a process with the console."""

    def __init__(self, directory: Path, kind: StoreKind, shop: Path) -> None:
        self.receiver, self.console, *self.evaluators = self.processes = [
            Process(
                directory / name,
                {
                    "roles": roles,
                    "data_dir": str(directory / name / "data"),
                    "listen": {
                        each: f"127.0.0.1:{free_port()}" for each in ("http", "grpc", "admin")
                    },
                    "store": {"url": kind.url},
                    "golden": {"digest_key": "the same everywhere"},
                    "targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}},
                    "evaluate": {"workers": 2},
                },
            )
            for name, roles in (
                ("receiver", ["receive"]),
                ("console", ["console", "singleton"]),
                ("one", ["evaluate"]),
                ("two", ["evaluate"]),
            )
        ]
        self.deaths = 0
        for evaluator in self.evaluators:
            evaluator.command = (sys.executable, "-c", DEADLY)

    def launch(self) -> None:
        for process in self.processes:
            process.launch()

    def supervise(self) -> None:
        """Start again what ended."""
        for process in self.processes:
            if process.running.poll() is not None:
                assert process.running.returncode == -9, process.log[-3000:]
                self.deaths += 1
                time.sleep(AFTER_S)
                process.launch()

    def end(self) -> None:
        for process in self.processes:
            if process.running is not None and process.running.poll() is None:
                process.kill()


def ask(process: Process, path: str) -> httpx.Response:
    """What the admin port says to an operator."""
    token = (Path(process.settings["data_dir"]) / "admin.token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}"}
    url = f"http://{process.settings['listen']['admin']}{path}"
    return httpx.get(url, headers=headers, timeout=30)


def given_up(process: Process) -> float:
    """How many units a process counts as given up."""
    return sum(
        sample.value
        for family in text_string_to_metric_families(ask(process, "/metrics").text)
        for sample in family.samples
        if sample.name == "sqlobs_collector_units_total"
        if (sample.labels["state"], sample.labels["reason"]) == ("error", "error")
    )


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(2 * WITHIN_S)
def test_a_unit_that_kills_its_evaluators_is_given_up_and_the_others_are_evaluated(
    databases, tmp_path, shop
):
    """Metrics, console and log name it; nobody does anything but start what ended."""
    kind = databases.migrated()
    began_s = time.monotonic()
    with ExitStack() as stack:
        fleet = Fleet(tmp_path, kind, shop)
        stack.callback(fleet.end)
        fleet.launch()
        wait(fleet, lambda: is_there(fleet.receiver.http))
        with httpx.Client(timeout=30) as client:
            assert post(client, fleet.receiver.http, request(range(UNITS))) == 200
        states = "SELECT state, count(*) FROM unit GROUP BY state ORDER BY state"
        ended = [("done", UNITS - 1), ("error", 1)]
        wait(fleet, lambda: query(kind, states) == ended)
        took_s = time.monotonic() - began_s
        assert query(kind, "SELECT trace_id, reason, attempts FROM unit WHERE state = 'error'") == [
            (POISON, "error", MOST_CLAIMS)
        ]
        assert query(kind, "SELECT count(DISTINCT unit_id) FROM evaluation") == [(UNITS - 1,)]
        assert fleet.deaths == MOST_CLAIMS
        assert sum(given_up(one) for one in fleet.evaluators) == 1
        assert sum(POISON in one.log for one in fleet.evaluators) == 1
        [told] = ask(fleet.console, f"/v1/why/{POISON}").json()["units"]
        assert (told["state"], told["reason"]) == ("error", "error")
        [step] = [one for one in told["steps"] if one["step"] == "given up"]
        assert step["reason"] == "error"
        assert f"its evaluation ended {MOST_CLAIMS} processes" in step["why"]
        page = ask(fleet.console, f"/requests/{told['generation_id']}")
        assert "Path through the collector: error" in page.text
        assert step["why"] in page.text
    print(  # noqa: T201 - the figures
        f"{UNITS} units, {fleet.deaths} deaths; {UNITS - 1} evaluated, 1 given up after {took_s:.0f} s"
    )


def query(kind: StoreKind, statement: str) -> list[tuple]:
    """Rows of the store."""
    with psycopg.connect(kind.url) as connection:
        return connection.execute(statement).fetchall()


def wait(fleet: Fleet, condition) -> None:
    """Wait, and start again what ended meanwhile."""
    deadline = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < deadline, [process.log[-1500:] for process in fleet.processes]
        fleet.supervise()
        time.sleep(0.2)
