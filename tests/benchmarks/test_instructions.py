"""A request and a check execute no more Python instructions than is written down, within 5 %."""

from __future__ import annotations

import json

import pytest

from tests.benchmarks.instructions import RECORDED, InstructionCount, conditions, in_new_process

MOST = 1.05


def test_no_count_has_risen():
    """Whoever makes them rise for a reason writes them down with `--record`, and says why."""
    recorded = json.loads(RECORDED.read_text())
    if recorded["conditions"] != conditions():
        pytest.skip(f"INSTRUCTIONS NOT COUNTED: they are known for {recorded['conditions']} alone")
    counts = in_new_process()
    assert counts.keys() == recorded["counts"].keys()
    risen = {
        name: (known, counts[name])
        for name, known in recorded["counts"].items()
        if counts[name] > MOST * known
    }
    assert risen == {}


def test_a_rise_would_be_seen():
    """Counts are of the work that is done: twice the statements of a loop are twice the count."""

    def loop(turns: int) -> None:
        for _ in range(turns):
            str(turns)

    count = InstructionCount()
    few, many = (count.of(lambda turns=turns: loop(turns)) for turns in (100, 200))
    assert 1.9 < many / few < 2.1
