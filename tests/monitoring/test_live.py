"""The way of an alert and of every panel, in the real Prometheus and Alertmanager."""

from __future__ import annotations

import json
import re
import time

import pytest

from sqlobs.judge.replay import ChatReply, serving
from sqlobs.monitoring.dashboards.pages import dashboards
from sqlobs.monitoring.files import RULES, generate
from sqlobs.monitoring.settings import RuleSettings
from tests.collector.running import RunningCollector, wait_until
from tests.monitoring.expressions import substituted
from tests.monitoring.running import alertmanager, prometheus, webhook
from tests.monitoring.traffic import Traffic, build
from tests.servers import installed

pytestmark = pytest.mark.slow

SCALED = RuleSettings(scale=0.01)
"""An hour is 36 seconds; metrics are exported and scraped every second."""
NOT_IN_THIS_TRAFFIC = {
    *(
        "Counted as `other`",
        "Failed exports",
        "Relayed to the backend a minute",
        "Requests rejected",
        "Failures of the store",
        "Requests beyond their quota",
    ),
    *("Golden sets", "Age of the schema", "Changes of the schema", "Stale schema"),
    *("Dropped checks", "Failed executions", "Names without a series of their own"),
}
"""Panels of what this traffic does not do; the replay has data for all."""
PAGE, NOTICE = "SqlobsSchemaHallucination", "SqlobsSchemaHallucinationFirst"


def queries():
    """Return every query of the dashboards as Grafana sends it, by panel and letter."""
    short = {
        "$__range_s": "120",
        "$__range": "2m",
        "$__interval_ms": "60000",
        "$__interval": "1m",
        "$__rate_interval_ms": "10000",
        "$__rate_interval": "10s",
    }
    return {
        f"{uid} {panel['title']} {target['refId']}": substituted(target["expr"], **short)
        for uid, document in dashboards(SCALED).items()
        for panel in document["panels"]
        for target in panel.get("targets", ())
        if panel["title"] not in NOT_IN_THIS_TRAFFIC
    }


def judged(request):
    """Reply as a judge that finds every answer right."""
    return ChatReply(json.dumps({"reasoning": "It is what was asked for.", "correct": True}))


@pytest.fixture
def collector(tmp_path):
    """A collector that runs what it gets on the shop's database, and asks a judge."""
    url = f"sqlite:///{build(tmp_path / 'shop.db')}"
    with serving(judged) as server:
        judge = {
            "base_url": server.base_url,
            "model": "judge",
            "price": {"judge": {"input": 1, "output": 2}},
            "daily_usd": 10,
            "calibration": {name: [[45, 5], [5, 45]] for name in ("flex", "flex_noref")},
        }
        running = RunningCollector(tmp_path / "data", targets={"shop": {"url": url}}, judge=judge)
        yield running.start()
        running.stop()


@pytest.fixture
def stack(tmp_path, collector):
    """Prometheus with the rules, Alertmanager and a webhook."""
    installed("prometheus")
    rules = tmp_path / RULES
    rules.write_text(generate(SCALED)[RULES])
    with (
        webhook() as listener,
        alertmanager(tmp_path, webhook=listener.url) as alerts,
        prometheus(
            tmp_path,
            rules=rules,
            job=SCALED.job,
            target=str(collector.addresses.admin),
            alertmanager=alerts,
        ) as server,
    ):
        yield server, listener


def test_an_invented_table_reaches_the_webhook_and_every_panel_has_data(
    stack, collector, monkeypatch, record_property
):
    """Healthy traffic is silent; the first invented table is a notice, many are a page; the page
    ends after they end; meanwhile every query of the dashboards has given data.
    """
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "1000")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
    server, listener = stack
    empty = queries()
    with Traffic(collector=collector.http, pause_s=0.12) as traffic:
        wait_until(lambda: _is_seen(server), within_s=30)
        assert not [told for told in listener.notices if told.labels["alertname"].startswith(PAGE)]
        traffic.invents = True
        page = wait_until(lambda: listener.told(PAGE, "firing"), within_s=30)
        _drop_those_with_data(empty, server)
        traffic.invents = False
        notice = listener.told(NOTICE, "firing")
        _wait_for_data(empty, server)
        ended = wait_until(lambda: listener.told(PAGE, "resolved"), within_s=60)
        exemplars = server.exemplars("sqlobs_failures_total")
    for name, told in {"notice": notice, "page": page, "resolved": ended}.items():
        record_property(f"{name}_s", round(told.at_s - traffic.first_invention_s, 1))
    assert page.labels | {"alertname": PAGE} == {
        "alertname": PAGE,
        "severity": "page",
        "service_name": "shop",
        "deployment_environment_name": "test",
        "sqlobs_workflow": "answer",
    }
    assert re.fullmatch(
        r"shop, workflow answer: [\d.]+% of the SQL names tables or columns that do not exist",
        page.annotations["summary"],
    )
    assert re.fullmatch(
        r"http://localhost:4319/failures\?rate=schema_hallucination&labels=service_name%3D%22shop%22,"
        r"deployment_environment_name%3D%22test%22,sqlobs_workflow%3D%22answer%22&at=\d{10}",
        page.annotations["console_url"],
    )
    assert notice.at_s <= page.at_s < ended.at_s
    trace_ids = {point["labels"]["trace_id"] for one in exemplars for point in one["exemplars"]}
    assert all(re.fullmatch(r"[0-9a-f]{32}", each) for each in trace_ids)
    assert trace_ids


def _is_seen(server):
    """Return whether enough healthy requests have been counted for a rate."""
    (count,) = server.query("workflow:sqlobs_schema_hallucination_evaluated:increase1h") or (None,)
    return count is not None and float(count["value"][1]) > 2 * SCALED.objectives.min_requests


def _wait_for_data(empty, server):
    """Wait until every query has given data; the collector computes its gauges every 10 s."""
    deadline = time.monotonic() + 30
    while _drop_those_with_data(empty, server):
        assert time.monotonic() < deadline, "\n".join(sorted(empty))
        time.sleep(0.5)


def _drop_those_with_data(empty, server):
    """Forget the queries that give data now; return the others."""
    for name in [name for name, expression in empty.items() if server.query(expression)]:
        del empty[name]
    return empty
