"""Results that the limits cut are decided whole: by their counts, then by their digests."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from sqlobs.evaluation.case import Case
from sqlobs.evaluation.evaluator_settings import EvaluatorSettings
from sqlobs.evaluation.pair import evaluate_pair
from sqlobs.evaluation.session import evaluate_run
from sqlobs.evaluation.session_settings import SessionSettings
from sqlobs.execution.executor import Executor
from sqlobs.execution.target import Limits, Target
from sqlobs.metrics.match import DIFFERENT, EQUAL
from sqlobs.scores.whole_results import compare_whole

ROWS = 150
LIMITS = Limits(max_rows=100)
SWAPPED = (
    "SELECT CASE id WHEN 120 THEN 121 WHEN 121 THEN 120 ELSE id END FROM item ORDER BY id LIMIT 140"
)
NOISY = "SELECT id, price * 3 / 3 FROM item"
SLOW = "SELECT id, (SELECT count(*) FROM item a, item b, item c, item d) FROM item WHERE id > 0"

CASES = [
    ("SELECT id, kind FROM item", "SELECT id, kind FROM item ORDER BY id DESC", "ok", None),
    ("SELECT id FROM item -- all", "SELECT id + 0 FROM item;", "ok", None),
    (
        "SELECT id FROM item",
        "SELECT id FROM item UNION ALL SELECT 7",
        "mismatch",
        "150 rows in the reference's result, 151 in the prediction's",
    ),
    (
        "SELECT id FROM item",
        "SELECT CASE id WHEN 150 THEN 7 ELSE id END FROM item",
        "mismatch",
        "the complete results differ",
    ),
    ("SELECT kind FROM item ORDER BY kind", "SELECT kind FROM item ORDER BY kind", "ok", None),
    (
        "SELECT kind, id FROM item ORDER BY kind",
        "SELECT kind, id FROM item ORDER BY kind, id DESC",
        "ok",
        None,
    ),
    (
        "SELECT id FROM item ORDER BY id LIMIT 140",
        SWAPPED,
        "mismatch",
        "the complete results differ",
    ),
    ("SELECT id, price FROM item", NOISY, "ok", None),
    ("SELECT id, price FROM item", "SELECT id, price + (id = 150) FROM item", "other_error", None),
]
EQUAL_SETS = [
    ("SELECT id, price FROM item", "SELECT id, price FROM item ORDER BY price DESC"),
    ("SELECT id FROM item", "SELECT id * 1.0 FROM item"),
    ("SELECT kind, id FROM item ORDER BY id", "SELECT kind, id FROM item ORDER BY id DESC"),
]
"""The last has another order than it promises: right as a set, and a mismatch."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A database with more items than are fetched."""
    path = tmp_path_factory.mktemp("whole") / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, kind TEXT, price REAL)")
        rows = ((number, f"k{number % 7}", number / 10 + 0.01) for number in range(1, ROWS + 1))
        connection.executemany("INSERT INTO item VALUES (?, ?, ?)", rows)
    connection.close()
    return path


def _rows(shop, tmp_path, pairs, **limits):
    cases = [
        Case(index=index, references=(reference,), predicted_sql=predicted)
        for index, (reference, predicted) in enumerate(pairs)
    ]
    settings = EvaluatorSettings(limits=replace(LIMITS, **limits), with_check=False)
    run = evaluate_run(
        cases, tmp_path, SessionSettings(place=f"sqlite:///{shop}", evaluator=settings)
    )
    return run.cases


def test_counts_and_digests_decide_if_the_fetched_rows_do_not(shop, tmp_path):
    """Same rows, one row more, another row, another order, ties, floats: as if all were fetched."""
    rows = _rows(shop, tmp_path, [case[:2] for case in CASES])
    assert [(row.bucket, row.reason) for row in rows[:-1]] == [case[2:] for case in CASES[:-1]]
    assert [row.scores["ex"] for row in rows] == [
        None if bucket == "other_error" else float(bucket == "ok") for *_, bucket, _ in CASES
    ]
    assert [row.scores["same_row_count"] for row in rows] == [1, 1, 0, *[1] * 6]
    assert (rows[-1].bucket, rows[-1].reason) == ("other_error", "truncated")
    assert rows[0].mistake == "perfect"


def test_the_score_of_a_truncated_result_never_contradicts_that_of_the_complete_one(shop, tmp_path):
    """A score that is neither open nor approximate is the one that all rows would have."""
    cut = _rows(shop, tmp_path / "cut", [*(case[:2] for case in CASES), *EQUAL_SETS])
    whole = _rows(
        shop, tmp_path / "whole", [*(case[:2] for case in CASES), *EQUAL_SETS], max_rows=1000
    )
    for row, other in zip(cut, whole, strict=True):
        decided = {
            name: score
            for name, score in row.scores.items()
            if score is not None and name not in row.approximate
        }
        assert decided == {name: other.scores[name] for name in decided}, row.predicted_sql


@pytest.mark.parametrize(("reference", "predicted"), [CASES[0][:2], *EQUAL_SETS])
def test_equality_proved_by_digests_sets_every_score_that_follows(
    shop, tmp_path, reference, predicted
):
    """Equal sets of rows are credited in full, whatever their columns are called."""
    [row] = _rows(shop, tmp_path, [(reference, predicted)])
    names = ("ex_set", "results_match", "exp", "exr", "f1")
    assert [row.scores[name] for name in names] == [1.0] * 5
    assert row.scores["overlap"] == 100.0
    assert row.mistake == "perfect"
    assert not {*names, "overlap"} & {*row.approximate}


def test_rows_that_are_equal_within_the_tolerance_only_leave_sets_open(shop, tmp_path):
    """BIRD's rule knows no tolerance, and a date is not its text."""
    dated = "SELECT id, '2026-01-0' || (id % 9) AS day FROM item"
    rows = _rows(shop, tmp_path, [("SELECT id, price FROM item", NOISY), (dated, dated)])
    assert [row.scores["ex"] for row in rows] == [1.0, 1.0]
    assert [row.scores["results_match"] for row in rows] == [None, 1.0]


class Recorder:
    """An executor that remembers what it was asked to digest and to count."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.texts: list[str] = []

    def run_all(self, statements, **more):
        """Run statements."""
        self.texts += [sql for sql, _ in statements]
        return self._executor.run_all(statements, **more)

    def digest_all(self, statements, **more):
        """Digest their rows."""
        self.texts += [sql for sql, _ in statements]
        return self._executor.digest_all(statements, **more)


def test_rows_are_sorted_only_where_their_order_counts(shop):
    """Sorting is what a database spends most on; counting never needs it."""
    plain, ordered = "SELECT id FROM item", "SELECT id FROM item ORDER BY kind"
    found = {}
    with Executor([Target.from_url("shop", f"sqlite:///{shop}")], workers=1) as executor:
        for reference, predicted in ((plain, ordered), (ordered, ordered)):
            recorder = Recorder(executor)
            [execution] = executor.run_all([(reference, LIMITS)], target="shop")
            whole = compare_whole(
                (reference, predicted),
                execution,
                executor=recorder,
                target="shop",
                dialect="sqlite",
                limits=LIMITS,
            )
            assert (whole.match, whole.counts) == (EQUAL, (ROWS, ROWS))
            found[reference] = ["ORDER BY" in text for text in recorder.texts]
    assert found == {plain: [False] * 4, ordered: [False, False, True, True]}


def test_what_takes_too_long_to_digest_stays_undecided(shop, tmp_path):
    """The limits of a statement hold for its second run, too."""
    [row] = _rows(shop, tmp_path, [("SELECT id, 1 FROM item", SLOW)], timeout_s=0.2)
    assert (row.bucket, row.scores.get("ex")) in {("timeout", 0.0), ("other_error", None)}


def test_another_reference_may_still_be_the_right_one(shop, tmp_path):
    """The first is decided whole, and then the second is looked at."""
    case = Case(
        index=0,
        references=("SELECT id FROM item WHERE id <> 1", "SELECT id FROM item"),
        predicted_sql="SELECT id FROM item",
    )
    settings = EvaluatorSettings(limits=LIMITS, with_check=False)
    place = SessionSettings(place=f"sqlite:///{shop}", evaluator=settings)
    [row] = evaluate_run([case], tmp_path, place).cases
    assert (row.bucket, row.matched_alternative) == ("ok", 1)


def test_one_call_decides_whole_results_as_well(shop):
    """`evaluate_pair` counts and digests what is beyond its limits."""
    target = Target.from_url("shop", f"sqlite:///{shop}")
    every, backwards = "SELECT id FROM item", "SELECT id FROM item ORDER BY id DESC"
    with Executor([target], workers=1) as executor:
        found = [
            evaluate_pair(predicted, every, target, executor=executor, limits=LIMITS).match
            for predicted in (backwards, f"{every} UNION ALL SELECT 7")
        ]
        [unknown] = executor.digest_all([(every, LIMITS)], target="elsewhere")
    assert found == [EQUAL, DIFFERENT]
    assert (unknown.digest, unknown.reason) == (None, "no_target")


def test_one_call_credits_whole_results_that_are_equal(shop):
    """Metrics, match and diagnosis of `evaluate_pair` say the same."""
    reference, predicted = EQUAL_SETS[0]
    found = evaluate_pair(predicted, reference, f"sqlite:///{shop}", limits=LIMITS)
    assert found.metrics == {"EX": 1, "EXP": 1.0, "EXR": 1.0, "F1": 1.0}
    assert (found.match, found.diagnosis.mistake) == (EQUAL, "perfect")
    alone = evaluate_pair(
        predicted, reference, f"sqlite:///{shop}", technique="EXECUTION_ACCURACY", limits=LIMITS
    )
    assert alone.metrics == {"EX": 1, "EXP": None, "EXR": None, "F1": None}
