"""The dashboards over a scripted replay in the real Prometheus: data on every panel, exact counts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sqlobs.monitoring import queries
from sqlobs.monitoring.dashboards.pages import dashboards
from sqlobs.monitoring.settings import RuleSettings
from tests.monitoring import replay
from tests.monitoring.grafana import replayed
from tests.monitoring.pictures import legend, override
from tests.monitoring.test_dashboards import PANELS

pytestmark = pytest.mark.slow

DAY_S = 86_400


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Prometheus with six hours of every metric."""
    directory = tmp_path_factory.mktemp("replay")
    with replayed(directory, replay.all_series()) as grafana:
        yield grafana


@pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)
def test_every_panel_has_data(shop, panel):
    for target in panel["targets"]:
        if panel["type"] == "timeseries":
            found = shop.range(target["expr"])
        else:
            found = shop.now(target["expr"])
        assert found, target["expr"]


COLORED = {
    name: panel
    for name, panel in PANELS.items()
    if any(
        one["properties"][0]["id"] == "color"
        for one in panel.get("fieldConfig", {}).get("overrides", [])
    )
}


@pytest.mark.parametrize("panel", COLORED.values(), ids=COLORED)
def test_colors_that_are_bound_to_names_find_their_series(shop, panel):
    """A color that no series has is a color that somebody believes to be there."""
    names = [
        legend(target, one) for target in panel["targets"] for one in shop.range(target["expr"])
    ]
    overrides = panel["fieldConfig"]["overrides"]
    assert [name for name in names if override(overrides, name, "color") is None] == []


def test_the_export_interval_is_read_from_the_data(shop):
    """The hidden variable of the dashboards: exports of 60 s, though scrapes come every 15 s."""
    [found] = shop.now(queries.resolution())
    assert found["value"][1] == "60"


def test_releases_are_marked_once(shop):
    [annotations] = {
        annotation["expr"]
        for document in dashboards(RuleSettings()).values()
        for annotation in document["annotations"]["list"]
        if annotation["name"] == "Deployments"
    }
    [mark] = shop.range(annotations)
    assert mark["metric"] == {"service_name": "shop", "service_version": "1.1"}
    times = [float(at) - replay.ORIGIN_S[0] for at, _ in mark["values"]]
    assert 0 <= min(times) - replay.RELEASE_S <= 120


FAILURES = PANELS["sqlobs-quality Failures, with their traces"]["targets"][0]["expr"]
ERRORS = PANELS["sqlobs-overview Failed share"]["targets"][0]["expr"]


def shop_series(name, process, count, **labels):
    """One counter of a process that has counted for a month, with its start."""
    identity = {
        "service_name": "shop",
        "deployment_environment_name": "prod",
        "service_instance_id": process.instance,
    }
    lasting = replace(process, until_s=math.inf)
    yield replay.Series(name, {**identity, "sqlobs_workflow": "answer", **labels}, count, lasting)


def failures():
    """Failed requests of two processes, one often, one rarely; both had 1,000 before."""
    for process, every_s in zip(replay.PROCESSES[:2], (97, 1310), strict=True):
        yield from shop_series(
            "sqlobs_failures_total",
            process,
            lambda at_s, n=every_s: 1000 + math.floor(at_s / n),
            sqlobs_failure_code="schema.unknown_table",
        )
        start = shop_series(
            "sqlobs_start_time_seconds", process, lambda _: replay.ORIGIN_S[0] + replay.STARTED_S
        )
        yield from (replace(one, labels={**one.labels, "sqlobs_workflow": ""}) for one in start)


def verdicts():
    """Half the requests of a process fail, whatever happens to the scrapes."""
    [process, *_] = replay.PROCESSES
    for verdict in ("ok", "failed"):
        yield from shop_series(
            "sqlobs_version_generations_total",
            process,
            lambda at_s: 5000 + math.floor(at_s / 20),
            sqlobs_verdict=verdict,
        )


@pytest.fixture(scope="module")
def week(tmp_path_factory):
    """Seven days of two processes, with both gaps; Prometheus was new at the beginning."""
    directory = tmp_path_factory.mktemp("week")
    series = [*failures(), *verdicts()]
    with replayed(directory, iter(series), hours=7 * 24) as grafana:
        yield grafana


@pytest.mark.parametrize("hours", [1, 6, 7 * 24 - 1])
def test_the_bars_of_failures_add_up_to_the_true_count(week, hours):
    """Exports every 60 s, scrapes every 15 s: two percent, or one failure."""
    shown = sum(
        float(value) for one in week.range(FAILURES, hours=hours) for _, value in one["values"]
    )
    end_s = 7 * DAY_S
    start_s = end_s - hours * replay.HOUR_S - week.step_s(hours)
    true = sum(
        math.floor(end_s / every_s) - math.floor(start_s / every_s) for every_s in (97, 1310)
    )
    assert shown == pytest.approx(true, rel=0.02, abs=1)


def test_no_share_jumps_after_a_gap(week):
    """80 s and ten minutes without a scrape: the share stays the half that it is."""
    [one] = week.range(ERRORS, hours=7 * 24 - 0.5)
    values = {float(value) for _, value in one["values"]}
    assert values == {0.5}


def test_a_new_prometheus_shows_no_lifetime_totals(week):
    """The first point would be the 1,000 failures of the month before."""
    values = [
        float(value) for one in week.range(FAILURES, hours=7 * 24) for _, value in one["values"]
    ]
    assert max(values) < 20
