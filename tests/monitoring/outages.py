"""Outages through the real Prometheus and Alertmanager: `python -m tests.monitoring.outages`.

Each outage is a service of its own, with counters that a page of metrics shows as a collector
would. Time is scaled; Alertmanager has the example's routes and inhibition. Each outage is one
alert within 15 minutes, also where several alerts fire, since the page mutes the tickets of its own
workflow and of no other; a page whose verdicts go missing afterwards does not resolve. Notices
(severity `info`) are left out.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.monitoring.files import RULES, generate
from sqlobs.monitoring.inhibition import inhibit_rules
from sqlobs.monitoring.objectives import Objectives, Schedule, WorkflowObjectives
from sqlobs.monitoring.promql import Selection
from sqlobs.monitoring.rule_tests import counter, evaluations, generations, of_workflow
from sqlobs.monitoring.settings import RuleSettings
from sqlobs.semconv import metrics
from tests.monitoring.running import alertmanager, prometheus, webhook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.monitoring.running import Prometheus, Webhook

USUAL_S = 4500
"""Of healthy traffic, scaled: what is usual is taken from before the last half hour."""
WITHIN_S = 900
MISSING_S = 5400
"""For so long, scaled, verdicts are missing while a page must not resolve."""
EACH_EXPORT = 10
"""Requests between two exports, a minute apart."""
PAGE, SLOW = "SqlobsSchemaHallucination", "SqlobsSchemaHallucinationSlow"
EXPECTED = {
    "stale": "SqlobsSchemaStale",
    "loader": "SqlobsSchemaStale",
    "unparsable": "SqlobsSyntaxFailures",
    "raising": "SqlobsApplicationErrors",
    "silent": "SqlobsNoTraffic",
    "slow": "SqlobsLatency",
    "inventing": PAGE,
}
"""The alert of each service's outage. A healthy service beside them has none."""
CREEPING = "creeping"
"""A service whose rate is above its objective, but not far above: a ticket after an hour."""
_TARGET = {semconv.SQLOBS_TARGET_NAME: "main"}
_OF_COLLECTOR = re.compile(r'(, )?(job="[^"]*", instance="[^"]*"|instance="[^"]*", job="[^"]*")')


class Shops:
    """The counters of all services, and what is wrong with them."""

    def __init__(self) -> None:
        self.is_out = False
        self.has_verdicts = True
        self._series: dict[str, float] = defaultdict(float)
        self._began_s = time.time_ns() / 10**9 - 10**6

    def export(self) -> None:
        """Count what happened since the export before."""
        for service in ("healthy", CREEPING, *EXPECTED):
            for name, value in self._asked(service).items():
                self._series[_of(name, service)] += value
            for name, value in self._shown(service).items():
                self._series[_of(name, service)] = value

    def text(self) -> str:
        """Return the page of metrics."""
        return "".join(f"{name} {value!r}\n" for name, value in list(self._series.items()))

    def _asked(self, service: str) -> Mapping[str, float]:
        kind = service if self.is_out else "healthy"
        count = 0 if kind == "silent" else EACH_EXPORT
        unparsable = count if kind == "unparsable" else 0
        raising = count if kind == "raising" else 0
        is_blind = kind in {"stale", "loader"} or (kind == "inventing" and not self.has_verdicts)
        unchecked = count // 2 if is_blind else 0
        invented = 1 if kind == CREEPING else 0
        if kind == "inventing" and self.has_verdicts:
            invented = count // 2
        well = count - unparsable - raising - unchecked - invented
        return {
            evaluations("pass"): well,
            evaluations("fail"): invented,
            evaluations("pass", "syntactic"): well + invented,
            evaluations("fail", "syntactic"): unparsable,
            generations("ok"): well,
            generations("failed"): invented + unparsable,
            generations("not_evaluated"): unchecked,
            generations("not_evaluated", "error"): raising,
            **_latencies(count, is_slow=kind == "slow"),
        }

    def _shown(self, service: str) -> Mapping[str, float]:
        kind = service if self.is_out else "healthy"
        return {
            counter(Selection(metrics.START_TIME)): self._began_s,
            counter(Selection(metrics.BUILD_INFO)): 1,
            counter(Selection(metrics.SCHEMA_STALE, _TARGET)): float(kind == "loader"),
            counter(Selection(metrics.SCHEMA_AGE, _TARGET)): 10**6 if kind == "stale" else 60,
        }


def _latencies(count: int, *, is_slow: bool) -> Mapping[str, float]:
    """Return buckets of requests that take less than 0.64 s, or ten times as long."""
    total = {semconv.SQLOBS_STAGE: "total"}
    below = {"0.64": 0 if is_slow else count, "5.12": 0 if is_slow else count, "10.24": count}
    return {
        of_workflow(metrics.STAGE_DURATION, total, suffix="_bucket", le=le): number
        for le, number in {**below, "+Inf": count}.items()
    }


def _of(name: str, service: str) -> str:
    """Return a series as a page of metrics shows it; Prometheus adds job and instance."""
    own = _OF_COLLECTOR.sub("", name).replace('service_name="shop"', f'service_name="{service}"')
    return own.replace("{, ", "{").replace('", ', '",')


@contextmanager
def exporting(shops: Shops, every_s: float) -> Iterator[str]:
    """Serve the page of metrics and count; gives the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(shops.text().encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stopped = threading.Event()

    def count() -> None:
        shops.export()
        while not stopped.wait(every_s):
            shops.export()

    threads = [
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}),
        threading.Thread(target=count),
    ]
    for thread in threads:
        thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        stopped.set()
        server.shutdown()
        for thread in threads:
            thread.join()
        server.server_close()


def settings(scale: float) -> RuleSettings:
    """Return rules in which the silent service has a schedule, since there is no week before."""
    silent = WorkflowObjectives(workflow="answer", service="silent", schedule=Schedule())
    creeping = WorkflowObjectives(
        workflow="answer", service=CREEPING, schema_hallucination=0.05, first_attempt_failures=0.5
    )
    objectives = Objectives(workflows=(silent, creeping), schema_max_age_s=86_400)
    return RuleSettings(objectives, scale=scale)


def told_of(listener: Webhook) -> dict[str, list[tuple[str, str, float]]]:
    """Return what the webhook was told of each service: alert, status and time."""
    found: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    for one in listener.notices:
        service = one.labels.get("service_name", "")
        if one.labels["severity"] == "info":
            continue
        found[service].append((one.labels["alertname"], one.status, one.at_s))
    return found


def run(scale: float, say: Callable[[str], None]) -> bool:
    """Run all outages; return whether each was told as expected."""
    shops, chosen = Shops(), settings(scale)
    with tempfile.TemporaryDirectory() as name, exporting(shops, 60 * scale) as target:
        directory = Path(name)
        (directory / RULES).write_text(generate(chosen)[RULES])
        with (
            webhook() as listener,
            alertmanager(directory, webhook=listener.url, inhibit_rules=inhibit_rules()) as alerts,
            prometheus(
                directory,
                rules=directory / RULES,
                job=chosen.job,
                target=target,
                alertmanager=alerts,
            ) as server,
        ):
            time.sleep(USUAL_S * scale)
            early = told_of(listener)
            say(f"healthy: {dict(early) or 'no alert'}")
            shops.is_out, onset_s = True, time.monotonic()
            time.sleep(WITHIN_S * scale)
            found = told_of(listener)
            are_told = [
                _is_one(service, found[service], onset_s, scale, say) for service in EXPECTED
            ]
            shops.has_verdicts = False
            time.sleep(MISSING_S * scale)
            later = told_of(listener)
            is_kept = (PAGE, "resolved") not in [one[:2] for one in later["inventing"]]
            say(
                f"inventing, {MISSING_S / 60:g} min without verdicts: {_listed(later['inventing'])}"
            )
            is_muted = _is_muted(server, later)
            say(f"creeping: {_listed(later[CREEPING])}; muted of inventing: {is_muted}")
    return all((not early, *are_told, is_kept, is_muted, not later["healthy"]))


def _is_muted(server: Prometheus, told: Mapping[str, list[tuple[str, str, float]]]) -> bool:
    """Return whether a ticket fires at two services, and is told of the one without a page."""
    firing = server.query(f'ALERTS{{alertname="{SLOW}", alertstate="firing"}}')
    services = {one["metric"]["service_name"] for one in firing}
    names = {service: {alert for alert, *_ in told[service]} for service in ("inventing", CREEPING)}
    return services >= names.keys() and names[CREEPING] == {SLOW} and SLOW not in names["inventing"]


def _is_one(
    service: str,
    told: list[tuple[str, str, float]],
    onset_s: float,
    scale: float,
    say: Callable[[str], None],
) -> bool:
    after = [f"{(at_s - onset_s) / scale / 60:.1f} min" for *_, at_s in told]
    say(f"{service}: {_listed(told)} after {', '.join(after) or 'no time'}")
    return [(alert, status) for alert, status, _ in told] == [(EXPECTED[service], "firing")]


def _listed(told: list[tuple[str, str, float]]) -> str:
    return ", ".join(f"{alert} {status}" for alert, status, _ in told) or "nothing"


def main() -> int:
    """Print what was told of each service, and when; 1 if it is not one alert each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.03, help="of all times")
    given = parser.parse_args()
    is_good = run(given.scale, lambda text: print(text, flush=True))
    return 0 if is_good else 1


if __name__ == "__main__":
    raise SystemExit(main())
