"""Four paths to Prometheus give the same rates, and `doctor --prometheus` sees those that do not."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sqlobs.cli.metric_path import metric_path
from tests.monitoring.metric_paths import (
    PATHS,
    PODS,
    TRUE_RATE,
    labels_of,
    rate,
    record_paths,
    served,
    together,
)

pytestmark = pytest.mark.slow

GRADES = {
    "metric names": "ok",
    "service_name": "ok",
    "service_instance_id": "ok",
    "label conflicts": "ok",
    "merged series": "ok",
    "process starts": "ok",
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """What each path shows of ten processes, one of which fails."""
    found = record_paths(tmp_path_factory.mktemp("paths"))
    return {**found, "all": together(found)}


def grades(prometheus):
    return {one.subject: one.grade for one in metric_path(prometheus.url)}


def detail(prometheus, subject):
    [found] = [one.detail for one in metric_path(prometheus.url) if one.subject == subject]
    return found


@pytest.mark.parametrize("path", [*PATHS, "all"])
def test_ten_processes_of_which_one_fails_are_a_tenth(recorded, path, tmp_path):
    """By workflow and by version, within one percent of the rate; all four at once count once."""
    with served(recorded[path], tmp_path) as prometheus:
        assert rate(prometheus, "workflow") == pytest.approx(TRUE_RATE, rel=0.01)
        assert rate(prometheus, "version") == pytest.approx(TRUE_RATE, rel=0.01)
        assert grades(prometheus) == GRADES
        assert detail(prometheus, "merged series").startswith(f"{PODS} distinct processes")


def changed(recording, change):
    """The recording with the labels of each series changed; the last of equal series stays."""
    values = {}
    for (name, labels), points in recording.values.items():
        new_name, new_labels = change(name, dict(labels))
        values[new_name, labels_of(new_labels)] = points
    return replace(recording, values=values)


@pytest.mark.parametrize(
    ("change", "subject", "advice"),
    [
        (
            lambda name, labels: (name, {**labels, "service_instance_id": ""}),
            "service_instance_id",
            "rates merge processes",
        ),
        (
            lambda name, labels: (name.removesuffix("_total"), labels),
            "metric names",
            "add_metric_suffixes: true",
        ),
        (
            lambda name, labels: (name, {**labels, "exported_service_name": "shop"}),
            "label conflicts",
            "honor_labels: true",
        ),
    ],
    ids=["no instance", "no suffix", "renamed"],
)
def test_the_doctor_refuses_a_path_that_gives_other_rates(
    recorded, tmp_path, change, subject, advice
):
    with served(changed(recorded["otlp_receiver"], change), tmp_path) as prometheus:
        assert grades(prometheus)[subject] == "fail"
        assert advice in detail(prometheus, subject)


def test_the_command_ends_with_1_where_the_path_is_wrong(recorded, tmp_path):
    command = [Path(sys.executable).with_name("sqlobs"), "doctor", "--json", "--prometheus"]
    without = changed(
        recorded["direct"], lambda name, labels: (name, {**labels, "service_instance_id": ""})
    )
    with served(without, tmp_path) as prometheus:
        done = subprocess.run(
            [*command, prometheus.url], capture_output=True, text=True, timeout=60, check=False
        )
    assert (done.returncode, done.stderr) == (1, "")
    said = {one["subject"]: one["grade"] for one in json.loads(done.stdout)}
    assert said["service_instance_id"] == "fail"
    [away] = metric_path(prometheus.url)
    assert (away.grade, "cannot be reached" in away.detail) == ("fail", True)
