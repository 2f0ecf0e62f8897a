"""The collector's own alerts: from its store to a webhook, without Prometheus."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread

import pytest
from prometheus_client import CollectorRegistry

from sqlobs.errors import ConfigError
from sqlobs.monitoring.notices import Notice
from sqlobs.monitoring.objectives import Objectives, WorkflowObjectives
from sqlobs.monitoring.settings import RuleSettings
from sqlobs_collector.notifying.alarms import Alarm
from sqlobs_collector.notifying.messages import Message, body_of
from sqlobs_collector.notifying.notifier import Notifier, Webhook
from sqlobs_collector.notifying.watch import Series, Watch
from sqlobs_collector.sdkmetrics import SdkMetrics
from sqlobs_collector.store.alert_counts import AlertCountReader
from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.incidents import IncidentReader
from sqlobs_collector.store.usage import UsageReader
from tests.collector import records
from tests.collector.running import RunningCollector, wait_until
from tests.collector.test_units import send, unit, why

SECOND_NS = 10**9
MINUTE_NS = 60 * SECOND_NS
PAGE = "SqlobsSchemaHallucination"


@contextmanager
def listening():
    """Collect the documents that are posted; gives the address and the list."""
    heard = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format, *args):  # noqa: A002 - the base's name
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/hook", heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def request(number, *, at_ns, verdict="ok", prompt="v1"):
    """A unit of a request that is well, invents a table, or has no verdict."""
    found = {
        "ok": {"sqlobs__schematic": True, "sqlobs__syntactic": True},
        "failed": {
            "sqlobs__schematic": False,
            "sqlobs__syntactic": True,
            "sqlobs__failure__code": "schema.unknown_table",
            "sqlobs__failure__codes": ["schema.unknown_table"],
            "sqlobs__hallucinated__tables": ["invoices"],
        },
        "not_evaluated": {},
    }[verdict]
    return unit(
        number,
        at_ns=at_ns,
        sqlobs__workflow="answer",
        sqlobs__verdict=verdict,
        gen_ai__request__model="gpt-4o",
        gen_ai__prompt__version=prompt,
        **found,
    )


def incident(now_ns, *, minutes=12):
    """Twenty minutes at ten requests a minute; at the end half of those of v2 invent a table."""
    numbers, sent = count(1), []
    for minute in range(40, 0, -1):
        for step in range(10):
            is_bad = minute <= minutes and step % 2 == 0
            at_ns = now_ns - minute * MINUTE_NS + step * 5 * SECOND_NS
            verdict, prompt = ("failed", "v2") if is_bad else ("ok", "v1")
            sent.append(request(next(numbers), at_ns=at_ns, verdict=verdict, prompt=prompt))
    return sent


class NoFlow:
    """Counts nothing."""

    def relayed(self, *, signal, outcome):
        """Forget it."""


@pytest.fixture
def store(collector):
    """A collector that has the requests of an incident; gives its data directory."""
    sent = incident(time.time_ns())
    send(collector, records.logs(*sent))
    wait_until(lambda: why(collector, records.trace_id(len(sent)).hex()))
    return collector.config.data_dir


def watch_of(engine, objectives):
    """Everything that is watched, without series."""
    watch = Watch(
        AlertCountReader(engine),
        UsageReader(engine),
        Series(CollectorRegistry(), SdkMetrics(dropped=lambda _: None)),
        objectives=objectives,
        started_ns=0,
    )
    return watch.alarms


@pytest.fixture
def notifier_at(store):
    """Makes a notifier on the incident's store, with a clock that a test moves."""
    engine = open_store(store)
    made = []

    def make(clock, **settings):
        made.append(
            Notifier(
                watch_of(engine, RuleSettings(**settings).objectives),
                IncidentReader(engine),
                settings=RuleSettings(**settings),
                webhook=Webhook("http://127.0.0.1:1/", "alertmanager", {}),
                flow=NoFlow(),
                clock_ns=lambda: clock[0],
            )
        )
        return made[-1]

    yield make
    for each in made:
        each.stop()
    engine.dispose()


def told(messages):
    return sorted({(one.notice.labels["alertname"], one.status) for one in messages})


def test_an_incident_begins_and_ends_once(notifier_at):
    """A page and the canary's ticket, with names; the page mutes the slow ticket of its workflow."""
    clock = [time.time_ns()]
    notifier = notifier_at(clock)
    begun = list(notifier.evaluate())
    names = [PAGE, f"{PAGE}Version"]
    assert told(begun) == [(name, "firing") for name in names]
    page = next(one.notice for one in begun if one.notice.labels["alertname"] == PAGE)
    assert page.labels["sqlobs_workflow"] == "answer"
    assert page.annotations["failure_code"] == "schema.unknown_table"
    assert page.annotations["prompt_version"] == "v2"
    version = next(one.notice for one in begun if one.notice.labels["alertname"] == names[1])
    assert version.labels["gen_ai_request_model"] == "gpt-4o"
    assert version.labels["gen_ai_prompt_version"] == "v2"
    clock[0] += MINUTE_NS
    assert len(notifier.evaluate()) == len(begun)  # nothing new; the rest was not sent
    for _ in range(40):
        clock[0] += 20 * MINUTE_NS
        messages = notifier.evaluate()
    ended = [one for one in messages if one.status == "resolved"]
    assert (PAGE, "resolved") in told(ended)
    assert len(ended) == len({one.notice.labels["alertname"] for one in ended})


def test_a_workflow_has_its_own_objective(notifier_at):
    """Half of the requests may fail there."""
    own = WorkflowObjectives(workflow="answer", schema_hallucination=0.5)
    notifier = notifier_at([time.time_ns()], objectives=Objectives(workflows=(own,)))
    assert PAGE not in {one.notice.labels["alertname"] for one in notifier.evaluate()}


@contextmanager
def notifying(clock, alerts):
    """A notifier of alerts that hold."""
    notifier = Notifier(
        lambda now_ns: alerts,
        incidents=None,
        settings=RuleSettings(),
        webhook=Webhook("http://127.0.0.1:1/", "alertmanager", {}),
        flow=NoFlow(),
        clock_ns=lambda: clock[0],
    )
    yield notifier
    notifier.stop()


def told_with(*alerts):
    """What a notifier tells at once of alerts that hold for a minute, and six minutes later."""
    clock = [time.time_ns()]
    with notifying(clock, alerts) as notifier:
        first = told(notifier.evaluate())
        clock[0] += 6 * MINUTE_NS
        second = told(notifier.evaluate())
    return first, second


def test_a_condition_must_hold_as_long_as_the_rules_say():
    """Latency for three minutes, as `for` in the rule file."""
    slow = Alarm("SqlobsLatency", {"service_name": "shop", "sqlobs_workflow": "answer"}, 5.0)
    assert told_with(slow) == ([], [("SqlobsLatency", "firing")])


def test_a_stale_schema_explains_missing_verdicts(monkeypatch):
    """One ticket, not two."""
    place = {"service_name": "shop", "deployment_environment_name": "prod"}
    monkeypatch.setattr(Notifier, "_culprits", lambda *_: {})
    missing = Alarm("SqlobsVerdictsMissing", {**place, "sqlobs_workflow": "a"}, 0.5, "unchecked")
    stale = Alarm("SqlobsSchemaStale", {**place, "sqlobs_target_name": "main"}, 1.0)
    assert told_with(missing)[1] == [("SqlobsVerdictsMissing", "firing")]
    assert told_with(missing, stale)[1] == [("SqlobsSchemaStale", "firing")]


def test_an_alert_is_told_when_what_muted_it_is_over(monkeypatch):
    """A page mutes the slow ticket of its own workflow and workspace alone."""
    monkeypatch.setattr(Notifier, "_culprits", lambda *_: {})
    place = {"service_name": "shop", "deployment_environment_name": "prod"}
    answer = {**place, "sqlobs_workflow": "answer"}
    page, own = (Alarm(name, answer, 0.5) for name in (PAGE, f"{PAGE}Slow"))
    others = [
        Alarm(f"{PAGE}Slow", {**answer, "sqlobs_workflow": "other"}, 0.5),
        Alarm(f"{PAGE}Slow", {**answer, "sqlobs_workspace": "beta"}, 0.5),
    ]
    clock, holding = [time.time_ns()], [own, page, *others]
    with notifying(clock, holding) as notifier:

        def told_of():
            clock[0] += 20 * MINUTE_NS
            messages = [(one.notice.labels, one.status) for one in notifier.evaluate()]
            notifier._unsent.clear()
            return [
                (labels["alertname"], status)
                for labels, status in messages
                if labels["sqlobs_workflow"] == "answer" and "sqlobs_workspace" not in labels
            ]

        assert len(notifier.evaluate()) == 3
        assert told_of() == [(PAGE, "firing")]
        holding.remove(page)
        assert told_of() == [(PAGE, "resolved")]
        assert told_of() == [(f"{PAGE}Slow", "firing")]


def test_what_cannot_be_sent_is_kept(notifier_at):
    """Nobody listens at the address."""
    notifier = notifier_at([time.time_ns()])
    begun = list(notifier.evaluate())
    assert not notifier.send()
    assert list(notifier.evaluate()) == begun


@pytest.mark.parametrize("form", ["alertmanager", "slack"])
def test_a_collector_tells_its_webhook(tmp_path, form, monkeypatch):
    """From the configuration to the document; no Prometheus is there."""
    monkeypatch.setattr("sqlobs_collector.notifying.notifier.EVERY_S", 0.2)
    with listening() as (url, heard):
        running = RunningCollector(
            tmp_path / "data",
            **{
                "notify.url": url,
                "notify.form": form,
                "notify.labels": {"team": "data"},
                "notify.docs_url": "https://docs.example.com",
            },
        ).start()
        try:
            send(running, records.logs(*incident(time.time_ns())))
            document = wait_until(lambda: heard and heard[0], within_s=60)
        finally:
            running.stop()
    if form == "slack":
        assert f"*[FIRING] {PAGE}* (page)" in document["text"]
        assert (
            "<https://docs.example.com/alerts.md#sqlobsschemahallucination|Runbook>"
            in (document["text"])
        )
        return
    assert document["status"] == "firing"
    alerts = {one["labels"]["alertname"]: one for one in document["alerts"]}
    assert alerts[PAGE]["labels"]["team"] == "data"
    assert not any("{{" in text for one in alerts.values() for text in one["annotations"].values())


def test_slack_reads_no_markup_of_a_name():
    """A workflow named as a link stays text."""
    labels = {"alertname": PAGE, "severity": "page"}
    notice = Notice(labels, {"summary": "<https://example.com|a> & b"})
    document = body_of([Message(notice, "firing", 0)], "slack")
    assert "&lt;https://example.com|a&gt; &amp; b" in document["text"]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"notify.docs_url": "docs"}, "notify: docs URL docs: write an absolute URL"),
        ({"notify.objectives": "/nowhere.yaml"}, "notify: cannot read /nowhere.yaml"),
        ({"notify.labels": {"a-b": "c"}}, "notify: label a-b: use letters"),
    ],
)
def test_a_setting_that_is_not_possible_is_one_sentence(tmp_path, setting, said):
    """Before anything is served."""
    running = RunningCollector(tmp_path / "data", **{"notify.url": "http://127.0.0.1:1", **setting})
    try:
        with pytest.raises(ConfigError, match=said):
            running.start()
    finally:
        running.stop()
