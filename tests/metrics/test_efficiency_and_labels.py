from __future__ import annotations

import pytest

from sqlobs.metrics.labels import SqlCorrectness, label_agreement
from sqlobs.metrics.runtime_efficiency import (
    WRONG,
    efficiency,
    efficiency_of_ratios,
    reward,
    reward_efficiency_score,
    valid_efficiency_score,
)
from sqlobs.types import ExecutionOutcome, ResultTable

RAN = ExecutionOutcome("ok", ResultTable(("a",), ()))
FAILED = ExecutionOutcome("error", error="no such table")


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(0, 0), (0.01, 0.25), (0.25, 0.5), (0.5, 0.75), (0.99, 0.75), (1, 1), (1.99, 1), (2, 1.25)],
)
def test_the_reward_rises_in_steps(ratio, expected):
    """Each step starts at its bound."""
    assert reward(ratio) == expected


def test_a_wrong_result_earns_nothing_however_fast():
    """Efficiency is only valid for correct predictions."""
    assert efficiency([1.0], [0.001], is_correct=False) == WRONG
    assert efficiency_of_ratios([]) == WRONG
    assert WRONG.ves == 0.0


def test_timings_below_the_clocks_resolution_are_flagged():
    """A ratio of noise is distinguished from a measured one."""
    assert efficiency([1e-3], [2e-5], is_correct=True).is_below_resolution
    measured = efficiency([0.2, 0.4], [0.1, 0.1], is_correct=True)
    assert (measured.time_ratio, measured.median_ratio, measured.is_below_resolution) == (
        3,
        3,
        False,
    )
    assert measured.ves == pytest.approx(100 * 3**0.5)


def test_aggregates_of_nothing_are_unknown():
    """No query, no score."""
    assert valid_efficiency_score([]) is None
    assert reward_efficiency_score([]) is None


def test_correctness_is_a_list_of_labels_in_fixed_order():
    """No label means that both fail; what was not evaluated is named apart."""
    assert SqlCorrectness(True, True).labels == ("syntactic", "schematic")
    assert SqlCorrectness(False, True).labels == ("schematic",)
    assert SqlCorrectness(False, False).labels == ()
    assert SqlCorrectness(False, False).not_evaluated == ()


def test_labels_are_compared_with_people_by_f1():
    """Per label, over all labels, and their mean; a label never given has none."""
    human = [SqlCorrectness(True, False), SqlCorrectness(True, False)]
    found = label_agreement(human, [SqlCorrectness(True, False), SqlCorrectness(False, False)])
    assert found.f1_by_label == {"syntactic": pytest.approx(2 / 3), "schematic": None}
    assert (found.micro_f1, found.macro_f1) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    nothing = label_agreement([], [])
    assert (nothing.micro_f1, nothing.macro_f1) == (None, None)
