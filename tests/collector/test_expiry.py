"""Retention at scale: what stays is not looked at."""

from __future__ import annotations

import pytest
from sqlalchemy import event

from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.test_units import NOW_NS, Station, unit


@pytest.fixture
def station(tmp_path):
    made = Station(tmp_path)
    made.receive(records.logs(unit(1), unit(2)))
    yield made
    made.close()


def test_a_turn_looks_at_nothing_that_stays(station):
    """Each statement of a turn begins with an index: it ran every two seconds over all rows."""
    ran = []
    event.listen(
        station.engine,
        "before_cursor_execute",
        lambda _, __, statement, values, *___: ran.append((statement, values)),
    )
    with Store(station.engine).writing() as writer:
        assert writer.expiry.payloads(sampled_out_ns=0, any_ns=0, limit=10) == 0
        assert writer.expiry.payloads(sampled_out_ns=NOW_NS + 1, any_ns=NOW_NS + 1, limit=1) == 1
        assert writer.expiry.units(before_ns=0, limit=10) == 0
    steps = []
    with station.engine.connect() as connection:
        for statement, values in ran:
            if statement.startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
                plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
                steps += [row[-1] for row in plan]
    assert any("ix_unit_payload" in step for step in steps)
    assert any("ix_report_payload" in step for step in steps)
    scans = {step for step in steps if step.startswith(("SCAN unit", "SCAN report"))}
    assert scans == set()


def test_each_state_has_its_turn(station):
    """What was sampled out expires first; a limit holds for all states together."""
    station.receive(records.logs(*(unit(number) for number in range(3, 8))))
    station.change("UPDATE unit SET state = 'sampled_out' WHERE id > 4")
    left = "SELECT state, count(*) FROM unit WHERE payload IS NOT NULL GROUP BY 1 ORDER BY 1"
    with Store(station.engine).writing() as writer:
        assert writer.expiry.payloads(sampled_out_ns=NOW_NS + 1, any_ns=0, limit=2) == 2
    assert station.query(left) == [("queued", 4), ("sampled_out", 1)]
    with Store(station.engine).writing() as writer:
        assert writer.expiry.payloads(sampled_out_ns=0, any_ns=NOW_NS + 1, limit=10) == 5
        assert writer.expiry.units(before_ns=NOW_NS + 1, limit=6) == 6
    assert station.query("SELECT count(*) FROM unit") == [(1,)]
