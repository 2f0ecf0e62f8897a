"""Results that the limits cut are decided whole: by their counts, then by their digests."""

from __future__ import annotations

import sqlite3

import pytest

from sqlobs.evaluation.case import Case
from sqlobs.evaluation.evaluator import EvaluatorSettings
from sqlobs.evaluation.pair import evaluate_pair
from sqlobs.evaluation.session import SessionSettings, evaluate_run
from sqlobs.execution.executor import Executor
from sqlobs.execution.target import Limits, Target
from sqlobs.metrics.match import DIFFERENT, EQUAL

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
        "the whole results differ",
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
        "the whole results differ",
    ),
    ("SELECT id, price FROM item", NOISY, "ok", None),
    ("SELECT id, price FROM item", "SELECT id, price + (id = 150) FROM item", "other_error", None),
]


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
    settings = EvaluatorSettings(limits=Limits(max_rows=100, **limits), with_check=False)
    run = evaluate_run(
        cases, tmp_path, SessionSettings(place=f"sqlite:///{shop}", evaluator=settings)
    )
    return run.cases


def test_counts_and_digests_decide_what_the_rows_at_hand_leave_open(shop, tmp_path):
    """Same rows, one row more, another row, another order, ties, floats: as if all were fetched."""
    rows = _rows(shop, tmp_path, [case[:2] for case in CASES])
    assert [(row.bucket, row.reason) for row in rows[:-1]] == [case[2:] for case in CASES[:-1]]
    assert [row.scores["ex"] for row in rows] == [
        None if bucket == "other_error" else float(bucket == "ok") for *_, bucket, _ in CASES
    ]
    assert [row.scores["same_row_count"] for row in rows] == [1, 1, 0, *[1] * 6]
    assert (rows[-1].bucket, rows[-1].reason) == ("other_error", "truncated")
    assert rows[0].mistake == "perfect"
    assert {"exp", "f1"} <= set(rows[0].approximate)
    assert "same_row_count" not in rows[0].approximate


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
