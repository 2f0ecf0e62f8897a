"""What two results have in common is found once, and says the same as each score by itself."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from sqlobs.execution.outcome import Execution
from sqlobs.metrics.credit_score import PERFECT
from sqlobs.metrics.match import EQUAL
from sqlobs.metrics.ordering import Ordering
from sqlobs.scores.comparison import Comparison, ScoreSettings
from sqlobs.scores.registry import COMPARED_SCORES
from sqlobs.scores.scoring import ScoreContext, evaluate
from sqlobs.types import ExecutionOutcome, ResultTable

CELLS = st.sampled_from(
    [None, 0, 1, True, 1.0, 0.0, -0.0, Decimal("1.0"), Decimal("1.00"), "1", b"1", float("nan")]
)
TABLES = st.integers(0, 3).flatmap(
    lambda width: st.builds(
        ResultTable,
        st.just(tuple("abc"[:width])),
        st.lists(st.tuples(*[CELLS] * width), max_size=4).map(tuple),
        st.booleans(),
    )
)


class Unknown(Comparison):
    """A comparison that does not look whether both results are the same."""

    is_same = False


@given(TABLES, TABLES | st.none(), st.booleans())
def test_results_that_are_the_same_score_what_each_metric_says(left, right, is_ordered):
    """Including 1 and 1.0, which are equal and have other texts; `None` is the same table again."""
    other = ResultTable(left.columns, tuple(left.rows), left.truncated) if right is None else right
    known, unknown = (
        kind(left, other, Ordering(is_ordered=is_ordered), ScoreSettings())
        for kind in (Comparison, Unknown)
    )
    assert known.match == unknown.match
    assert known.sets == unknown.sets
    assert known.known_credit == unknown.known_credit
    for score in COMPARED_SCORES.values():
        assert score.compute is not None
        if known.is_same:
            found = score.compute(unknown)
            assert found in (EQUAL, score.best), score.name


def test_results_that_are_the_same_pass_by_every_score():
    """Also where a metric compares names of columns or texts of cells."""
    tables = (ResultTable((name, "z"), ((1, "a"), (None, "b"))) for name in ("x", "y"))
    reference, predicted = (
        Execution(outcome=ExecutionOutcome(status="ok", table=table)) for table in tables
    )
    scored = evaluate(
        ScoreContext(prediction=predicted, reference=reference), COMPARED_SCORES.values()
    )
    assert scored.values == {name: score.best for name, score in COMPARED_SCORES.items()}
    assert scored.credit == PERFECT
    assert scored.match == EQUAL
