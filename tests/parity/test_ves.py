"""VES is BIRD's formula: the same ratios of times give the same figure as a direct script."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.metrics import efficiency_of_ratios, valid_efficiency_score
from sqlobs.runs.run import Run
from tests.parity.ves import PAIRS, direct_ves, evaluated_ves, ves_of_ratios

RATIO = st.integers(1, 10_000).map(lambda n: n / 100)
"""Reference time over prediction time; equal ratios alone are what both programs differ on."""


@given(
    st.lists(
        st.one_of(st.just([]), st.lists(RATIO, min_size=2, max_size=40, unique=True)), min_size=1
    )
)
def test_equal_ratios_of_times_give_equal_figures(by_query):
    """Outliers are dropped alike; a wrong query counts 0."""
    ours = valid_efficiency_score(
        efficiency_of_ratios(ratios).time_ratio if ratios else 0.0 for ratios in by_query
    )
    assert ours == pytest.approx(ves_of_ratios(by_query), rel=1e-9)


@pytest.mark.timeout(300)
def test_both_programs_time_the_same_pairs(tmp_path):
    """Of six pairs with equal sets of rows both have a figure, of wrong ones neither has."""
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (v INTEGER, w TEXT)")
        connection.execute("INSERT INTO t VALUES (3, '003'), (10, '010')")
    connection.close()
    right, wrong = PAIRS[:6], PAIRS[6:]
    assert direct_ves(path, wrong, 2) == 0
    assert direct_ves(path, right, 2) > 0
    assert evaluated_ves(tmp_path, path, PAIRS, 2) > 0
    ratios = [case.scores["time_ratio"] for case in Run.read(tmp_path / "run").cases]
    assert [bool(ratio) for ratio in ratios] == [True] * len(right) + [False] * len(wrong)
