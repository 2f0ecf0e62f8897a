"""The program that measures busy instances runs, and no series of theirs is lost."""

from __future__ import annotations

from tests.collector.damage import Process
from tests.monitoring.busy_instances import measure


def test_every_instance_is_on_the_page_and_nothing_is_dropped(tmp_path):
    """Two busy instances, and the one that sends the small requests."""
    collector = Process(tmp_path)
    collector.launch()
    try:
        found = measure(collector, instances=2, rounds=2)
    finally:
        collector.stop()
    assert {"instances": found["instances"], "dropped": found["dropped"]} == {
        "instances": 3,
        "dropped": 0,
    }
    assert found["probes"] > 0
