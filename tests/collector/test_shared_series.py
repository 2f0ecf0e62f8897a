"""The applications' metrics over two receivers are those over one, whoever got which points."""

from __future__ import annotations

import random
from collections import defaultdict
from contextlib import ExitStack

import httpx
import numpy as np
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.exc import OperationalError

from sqlobs_collector.sdkmetrics import SILENCE_S, SdkMetrics
from sqlobs_collector.shared_series import SeriesSender, SharedSeries
from sqlobs_collector.sharing.duty import Duty, LeasedDuty
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.conftest import launching
from tests.collector.running import wait_until
from tests.collector.stores import on_both
from tests.collector.test_units import Station
from tests.monitoring.promtool import History, rules_for

store_kind = on_both()
MINUTE_NS = 60 * 10**9
DELTA, CUMULATIVE = 1, 2
RATIO = "workflow:sqlobs_syntax_failures:ratio5m"


def ignore(_: int) -> None:
    """Count no dropped point."""


def request(service: str, *, start: int, minute: int, temporality: int, **totals: int):
    """What an application exports: its evaluations by label, and how long they took."""
    times = {"start_time_unix_nano": start, "time_unix_nano": minute * MINUTE_NS}
    points = [
        {
            **times,
            "as_int": total,
            "attributes": records.attributes(
                {
                    "sqlobs.workflow": "answer",
                    "gen_ai.evaluation.name": "syntactic",
                    "gen_ai.evaluation.score.label": label,
                }
            ),
        }
        for label, total in totals.items()
    ]
    histogram = {
        **times,
        "explicit_bounds": [1.0],
        "bucket_counts": list(totals.values()),
        "sum": float(sum(totals.values())),
    }
    resource = {"service.name": service, "service.instance.id": f"{service} 1"}
    return ExportMetricsServiceRequest(
        resource_metrics=[
            {
                "resource": {"attributes": records.attributes(resource)},
                "scope_metrics": [
                    {
                        "scope": {"name": "sqlobs"},
                        "metrics": [
                            {
                                "name": "sqlobs.evaluations",
                                "sum": {
                                    "data_points": points,
                                    "aggregation_temporality": temporality,
                                    "is_monotonic": True,
                                },
                            },
                            {
                                "name": "sqlobs.check.duration",
                                "histogram": {
                                    "data_points": [histogram],
                                    "aggregation_temporality": temporality,
                                },
                            },
                        ],
                    }
                ],
            }
        ]
    )


def exports(source: random.Random, minutes: int):
    """What two applications export in some minutes; the second restarts once, at half-time."""
    passed = failed = 0
    for minute in range(1, minutes + 1):
        more = {"pass": source.randrange(1, 30), "fail": source.randrange(0, 4)}
        yield request("differences", start=minute, minute=minute, temporality=DELTA, **more)
        has_restarted = minute > minutes // 2
        if minute == minutes // 2 + 1:
            passed = failed = 0
        passed, failed = passed + more["pass"], failed + more["fail"]
        yield request(
            "totals",
            start=1 + has_restarted,
            minute=minute,
            temporality=CUMULATIVE,
            **{"pass": passed, "fail": failed},
        )


@pytest.fixture
def station(tmp_path, store_kind):
    running = Station(tmp_path, store_kind)
    yield running
    running.close()


def shared(station: Station) -> tuple[list[SeriesSender], SharedSeries]:
    """Two receivers, and the process that shows their series."""
    store = Store(station.engine)
    senders = [SeriesSender(store, dropped=ignore) for _ in range(2)]
    return senders, SharedSeries(store, Duty(store), dropped=ignore)


@pytest.mark.parametrize("seed", range(3))
def test_series_are_the_same_whichever_receiver_gets_their_points(station, seed):
    """Also where one brings its points late: a total keeps its newest state."""
    source = random.Random(seed)
    alone, (senders, shown) = SdkMetrics(dropped=ignore), shared(station)
    for export in exports(source, 12):
        alone.consume(export, workspace="default")
        source.choice(senders).consume(export, workspace="default")
        if source.random() < 0.4:
            source.choice(senders).send()
    for sender in senders:
        sender.send()
    shown.refresh()
    assert "sqlobs_evaluations_total{" in shown.text()
    assert sorted(shown.text().splitlines()) == sorted(alone.text().splitlines())
    shown.refresh()
    assert sorted(shown.text().splitlines()) == sorted(alone.text().splitlines())


def test_points_wait_while_the_store_does_not_respond(station, monkeypatch):
    """They are added to those that came meanwhile; none is lost and none counts twice."""
    [sender, _], shown = shared(station)
    first, second = (
        request("shop", start=1, minute=1, temporality=DELTA, **{"pass": 5}) for _ in range(2)
    )
    sender.consume(first, workspace="default")
    with monkeypatch.context() as patched:
        down = OperationalError("SELECT 1", {}, Exception("down"))
        patched.setattr(Store, "writing", lambda _: (_ for _ in ()).throw(down))
        with pytest.raises(OperationalError):
            sender.send()
    sender.consume(second, workspace="default")
    assert sender.send() == 2
    assert sender.send() == 0
    shown.refresh()
    evaluations = shown.values(frozenset({"sqlobs.evaluations"}))["sqlobs.evaluations"]
    assert [value for _, value in evaluations] == [10]


def test_only_the_process_with_the_duty_shows_series_and_silent_ones_are_deleted(station):
    """Two processes would show each series twice."""
    store = Store(station.engine)
    [sender, _], _ = shared(station)
    duties = [LeasedDuty(station.engine, "singleton", name) for name in ("one", "two")]
    shows = [SharedSeries(store, duty, dropped=ignore) for duty in duties]
    sender.consume(
        request("shop", start=1, minute=1, temporality=DELTA, **{"pass": 5}), workspace="default"
    )
    sender.send()
    for duty, shown in zip(duties, shows, strict=True):
        duty.compete()
        shown.refresh()
    assert ["sqlobs_evaluations" in shown.text() for shown in shows] == [True, False]
    assert SharedSeries(store, None, dropped=ignore).text() == ""
    station.change(f"UPDATE sdk_series SET seen_ms = seen_ms - {SILENCE_S + 1} * 1000")
    shows[0].refresh()
    assert station.query("SELECT count(*) FROM sdk_series") == [(0,)]


def test_the_rates_of_the_rules_are_the_same_over_two_receivers(tmp_path, store_kind):
    """As Prometheus computes them with the generated rules, from scrapes of both."""
    if store_kind.url is not None:
        pytest.skip("the series are the same on both stores")
    station = Station(tmp_path, store_kind)
    source = random.Random(5)
    alone, (senders, shown) = SdkMetrics(dropped=ignore), shared(station)
    scrapes: list[dict[str, float]] = []
    minutes = 20
    history = exports(source, minutes)
    for _ in range(minutes):
        for export in (next(history), next(history)):
            alone.consume(export, workspace="one")
            source.choice(senders).consume(export, workspace="two")
        for sender in senders:
            sender.send()
        shown.refresh()
        scrapes.append({**scraped(alone.text()), **scraped(shown.text())})
    station.close()
    scraped_series = defaultdict(lambda: np.full(minutes, np.nan))
    for place, page in enumerate(scrapes):
        for name, value in page.items():
            scraped_series[name][place] = value
    told = History(interval_s=60, evaluation_s=60, series=dict(scraped_series))
    for service in ("differences", "totals"):
        for minute in (6, 9, 19):  # at 14, the reset of the totals hides them
            one, two = (f'{RATIO}{{service_name="{service} {side}"}}' for side in ("one", "two"))
            told.expect(f"sum({one}) - sum({two})", minute * 60, 0)
            told.expect(f"count({one} > 0)", minute * 60, 1)
    assert told.differences(tmp_path, rules_for([RATIO])) == ""


def scraped(page: str) -> dict[str, float]:
    """The counters of a page by series, each side as a service of its own."""
    found = {}
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            if sample.name != "sqlobs_evaluations_total":
                continue
            labels = dict(sample.labels)
            for name in ("service_name", "service_instance_id"):
                labels[name] = f"{labels[name]} {labels['workspace']}"
            pairs = ", ".join(f'{name}="{text}"' for name, text in sorted(labels.items()))
            found[f"{sample.name}{{{pairs}}}"] = sample.value
    return found


@pytest.mark.slow
@pytest.mark.postgres
def test_two_receiving_collectors_show_what_one_shows(databases, tmp_path):
    """Over HTTP, each with a journal of its own; the one with the duty has the page."""
    kind = databases.migrated()
    with ExitStack() as stack:
        alone = stack.enter_context(launching(tmp_path / "alone"))()
        launch = stack.enter_context(launching(tmp_path, kind))
        singleton = launch(data_dir=tmp_path / "singleton", roles="singleton")
        receivers = [
            launch(data_dir=tmp_path / name, roles="receive") for name in ("first", "second")
        ]
        source = random.Random(3)
        for export in exports(source, 10):
            for collector in (alone, source.choice(receivers)):
                answer = httpx.post(
                    f"{collector.http}/v1/metrics",
                    content=export.SerializeToString(),
                    headers={"content-type": "application/x-protobuf", **collector.bearer},
                )
                assert answer.status_code == 200

        def series(collector):
            page = collector.metrics().splitlines()
            return sorted(line for line in page if line.startswith("sqlobs_evaluations_total"))

        wait_until(lambda: series(singleton) == series(alone), within_s=60)
        assert len(series(alone)) == 4
        assert [series(one) for one in receivers] == [[], []]
