"""Processes on one store agree on the time, whatever their own clocks show."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from sqlalchemy.exc import OperationalError

from sqlobs_collector.sharing.store_clock import StoreClock
from tests.collector.stores import on_both

store_kind = on_both()
SECOND_NS = 10**9


def test_the_time_is_that_of_the_database(engine):
    """Where a process counts from does not matter; a hundredth of a second is a query's way."""
    clocks = [
        StoreClock(engine, monotonic_ns=lambda ahead_ns=ahead_ns: time.time_ns() + ahead_ns)
        for ahead_ns in (0, 600 * SECOND_NS, -600 * SECOND_NS)
    ]
    for clock in clocks:
        clock.compare()
        assert abs(clock() - time.time_ns()) < SECOND_NS


def test_time_goes_on_while_the_database_does_not_respond(engine):
    """Nobody waits for it: a receiver acknowledges meanwhile."""
    counted = SimpleNamespace(ns=0)
    clock = StoreClock(engine, monotonic_ns=lambda: counted.ns)
    clock.compare()
    before_ns = clock()

    def refuse():
        raise OperationalError("", {}, OSError())

    clock._engine = SimpleNamespace(connect=refuse)
    with pytest.raises(OperationalError):
        clock.compare()
    counted.ns += 5 * SECOND_NS
    assert clock() - before_ns == 5 * SECOND_NS
