"""The accuracy page has one row per measurement, and a new measurement replaces the old one."""

from __future__ import annotations

import dataclasses

import pytest

from scripts import accuracy_page
from scripts.accuracy_page import Measurement, read_measurements, record

FIRST = Measurement("postgres:15", "PostgreSQL 15.18", True, 200, 150, 190, 3, 5, 2)


@pytest.fixture(autouse=True)
def _empty(tmp_path, monkeypatch):
    path = tmp_path / "accuracy.json"
    path.write_text("[]")
    monkeypatch.setattr(accuracy_page, "RECORDED", path)


def test_a_repeated_measurement_replaces_its_row():
    unseen = dataclasses.replace(FIRST, seen=False, statements=10)
    for measured in (FIRST, unseen, dataclasses.replace(FIRST, agreed=191, undecided=1)):
        record(measured)
    assert read_measurements() == [unseen, dataclasses.replace(FIRST, agreed=191, undecided=1)]


def test_each_share_states_its_denominator():
    record(FIRST)
    assert (
        "| `postgres:15` | PostgreSQL 15.18 | yes | 200 | 95.00% (190 of 200) | 2.00% (3 of 150)"
        " | 10.00% (5 of 50) | 1.00% (2 of 200) |\n<!-- end -->"
    ) in accuracy_page.accuracy_page()
