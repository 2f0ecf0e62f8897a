"""Laws that hold for all metrics on statements and on timings, as registries."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.metrics.published.ibm import ibm_sql_match
from sqlobs.metrics.runtime_efficiency import efficiency, reward
from sqlobs.metrics.spider.database import SpiderDatabase
from sqlobs.metrics.spider.exact_match import exact_set_match
from sqlobs.metrics.text_match import exact_match, same_select_text
from sqlobs.metrics.tree_comparison import tree_match

DATABASE = SpiderDatabase.of(
    {"pupil": ["id", "name", "age"], "mark": ["pupil_id", "points"]},
    [("mark.pupil_id", "pupil.id")],
)

METRICS = {
    "canonical_text": exact_match,
    "trees": lambda one, other: tree_match(one, other).is_equivalent,
    "spider": lambda one, other: exact_set_match(one, other, database=DATABASE).is_exact,
    "ibm_text": same_select_text,
    "ibm": lambda one, other: ibm_sql_match(one, other).is_equivalent,
}

STATEMENTS = [
    "SELECT name FROM pupil",
    "SELECT name FROM pupil WHERE age > 3 AND name = 'a'",
    "SELECT name FROM pupil WHERE name = 'a' AND age > 3",
    "SELECT name, age FROM pupil",
    "SELECT age, name FROM pupil",
    "SELECT count(*) FROM pupil GROUP BY age HAVING count(*) > 1",
    "SELECT T1.name FROM pupil AS T1 JOIN mark AS T2 ON T1.id = T2.pupil_id",
    "SELECT T1.name FROM mark AS T2 JOIN pupil AS T1 ON T1.id = T2.pupil_id",
    "SELECT name FROM pupil ORDER BY age DESC LIMIT 3",
]
PAIRS = list(product(STATEMENTS, STATEMENTS))


@cache
def equal(name: str, one: str, other: str) -> bool:
    """Ask a metric once for each pair."""
    return METRICS[name](one, other)


every_metric = pytest.mark.parametrize("name", sorted(METRICS))


@every_metric
def test_a_statement_equals_itself_and_nothing_equals_an_empty_one(name):
    """Identity is the best score; no text is no answer."""
    metric = METRICS[name]
    assert all(metric(sql, sql) is True for sql in STATEMENTS)
    assert not any(metric(sql, "") for sql in STATEMENTS)


@every_metric
def test_which_statement_is_the_reference_does_not_matter(name):
    """Every metric on statements is symmetric where both sides can be parsed."""
    assert [equal(name, *pair) for pair in PAIRS] == [equal(name, *pair[::-1]) for pair in PAIRS]


@every_metric
def test_equality_is_transitive(name):
    """Statements fall into classes: what equals one of a class equals all of it."""
    classes = {
        sql: frozenset(other for other in STATEMENTS if equal(name, sql, other))
        for sql in STATEMENTS
    }
    assert all(classes[other] == held for held in classes.values() for other in held)


@pytest.mark.parametrize("name", sorted(METRICS.keys() - {"ibm_text"}))
def test_the_case_of_keywords_and_names_does_not_count(name):
    """A statement in upper case is the same one, literals apart."""
    metric = METRICS[name]
    plain = [sql for sql in STATEMENTS if "'" not in sql]
    assert all(metric(sql, sql.upper()) for sql in plain)


seconds = st.floats(1e-4, 10)


@given(st.lists(st.tuples(seconds, seconds), min_size=1, max_size=12), st.floats(0.1, 10))
def test_a_faster_clock_changes_no_ratio(times, factor):
    """Efficiency is a ratio: the unit of time and the speed of the machine cancel out."""
    reference, predicted = zip(*times, strict=True)
    here = efficiency(reference, predicted, is_correct=True)
    there = efficiency(
        [time * factor for time in reference],
        [time * factor for time in predicted],
        is_correct=True,
    )
    assert here.median_ratio == pytest.approx(there.median_ratio)
    assert efficiency(reference, reference, is_correct=True).reward == 1.0


@given(st.floats(0, 100), st.floats(0, 100))
def test_a_better_ratio_never_costs_reward(ratio, other):
    """The reward is one of six steps, and rises with the ratio."""
    low, high = sorted((ratio, other))
    assert reward(low) <= reward(high)
    assert reward(ratio) in {0, 0.25, 0.5, 0.75, 1, 1.25}


@given(st.lists(seconds, min_size=1, max_size=6))
def test_a_wrong_result_scores_nothing_however_fast(times):
    """Speed counts among right answers only."""
    found = efficiency(times, [time / 9 for time in times], is_correct=False)
    assert (found.ves, found.reward_score) == (0.0, 0.0)
    assert math.isclose(efficiency(times, times, is_correct=True).ves, 100.0)
