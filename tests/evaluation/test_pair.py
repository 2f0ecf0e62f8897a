from __future__ import annotations

import json
import re
import sqlite3

import pytest

from sqlobs.errors import ConfigError
from sqlobs.evaluation.pair import LOG_NAME, evaluate_pair
from sqlobs.execution.executor import Executor
from sqlobs.execution.target import Target
from sqlobs.metrics.credit_score import FAILED, PartialCredit
from sqlobs.metrics.diagnosis import Diagnosis
from sqlobs.metrics.match import Match

ALL = "SELECT phone FROM school ORDER BY phone"


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    """Return a database of ten schools."""
    path = tmp_path_factory.mktemp("pair") / "schools.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE school (phone TEXT, city TEXT, state TEXT, street TEXT)")
        connection.executemany(
            "INSERT INTO school VALUES (?, ?, 'CA', ?)",
            [(f"p{number}", f"c{number}", f"s{number}") for number in range(10)],
        )
    connection.close()
    return Target.from_url("schools", f"sqlite:///{path}")


@pytest.fixture(scope="module")
def executor(target):
    """Run all pairs of this module in one pool of workers."""
    with Executor([target], workers=1) as running:
        yield running


def test_the_documented_example_scores_as_documented(target, executor):
    """Ten right rows with four columns for one: recall 1, precision a quarter."""
    predicted = "SELECT phone, city, state, street FROM school"
    evaluation = evaluate_pair(predicted, ALL, target, executor=executor)
    assert evaluation.metrics == {"EX": 0, "EXP": 0.25, "EXR": 1.0, "F1": 0.4}
    assert evaluation.diagnosis == Diagnosis("over_prediction", is_close=False)
    assert evaluation.match == Match(equal=False)
    lenient = evaluate_pair(
        predicted, ALL, target, penalize_extra_pred_cols=False, executor=executor
    )
    assert lenient.metrics["F1"] == 1.0
    assert evaluation.latency_s >= 0
    assert evaluation.reference_latency_s >= 0


def test_a_failed_prediction_scores_zero_and_a_failed_reference_nothing(target, executor):
    """Without the reference's rows nothing is known of the prediction."""
    wrong = evaluate_pair("SELECT nothing FROM school", ALL, target, executor=executor)
    assert (wrong.credit, wrong.match) == (FAILED, None)
    assert wrong.predicted.outcome.status == "error"
    unknown = evaluate_pair(ALL, "SELECT nothing FROM school", target, executor=executor)
    assert (unknown.credit, unknown.diagnosis) == (PartialCredit(ex=None), None)


def test_an_order_that_the_reference_asks_for_counts_in_the_default_rule(target, executor):
    """SQLMorph's EX is a set; the default rule is not."""
    backwards = evaluate_pair(f"{ALL} DESC", ALL, target, executor=executor)
    assert (backwards.metrics["EX"], backwards.match) == (1, Match(equal=False))


def test_a_url_is_enough_and_the_evaluation_is_logged(target, tmp_path):
    """One call, no set-up; the log has a line for it."""
    evaluate_pair(ALL, ALL, target.url, technique="EXACT_COLUMN_AND_PARTIAL_CELL", log_dir=tmp_path)
    (line,) = (tmp_path / LOG_NAME).read_text().splitlines()
    entry = json.loads(line)
    assert entry["metrics"] == {"EX": 1, "EXP": 1.0, "EXR": 1.0, "F1": 1.0}
    assert (entry["mistake"], entry["reference"]["rows"]) == ("perfect", 10)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"technique": "FOO"}, "unknown technique 'FOO': use one of EXECUTION_ACCURACY"),
        (
            {"log_dir": "/nowhere/at/all"},
            "log_dir '/nowhere/at/all' is not a folder: create it first",
        ),
    ],
)
def test_wrong_settings_are_told_before_anything_runs(settings, sentence):
    """A sentence that says what to do; the database is not even opened."""
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        evaluate_pair("SELECT 1", "SELECT 1", "sqlite:////nowhere.db", **settings)


def test_the_folder_of_the_log_may_be_a_text(target, executor, tmp_path):
    """As in SQLMorph's own examples."""
    evaluate_pair(ALL, ALL, target, executor=executor, log_dir=str(tmp_path))
    assert len((tmp_path / LOG_NAME).read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("predicted", "reference", "is_right"),
    [(None, None, True), (None, ALL, False), (ALL, None, False)],
)
def test_no_statement_agrees_with_no_statement_alone(
    target, executor, tmp_path, predicted, reference, is_right
):
    """Both sides say that nothing answers the question, or one of them is wrong; nothing runs."""
    found = evaluate_pair(predicted, reference, target, executor=executor, log_dir=tmp_path)
    assert (found.metrics["F1"], found.match) == (float(is_right), Match(equal=is_right))
    assert found.reference.outcome.status == found.predicted.outcome.status == "not_run"
    assert json.loads((tmp_path / LOG_NAME).read_text())["predicted_sql"] == predicted
