from __future__ import annotations

import pytest

from sqlobs.evaluation.execution_match import execution_match
from sqlobs.types import ExecutionOutcome, ResultTable

ROWS = {"SELECT 1": ((1,),), "SELECT 2": ((2,),), "SELECT cut": ((1,),)}


def run(sql):
    """Answer from a table of statements, fail or break for others."""
    if sql == "SELECT broken":
        raise RuntimeError("the driver fell over")
    if sql == "SELECT slow":
        return ExecutionOutcome("timeout", error="30 s are over")
    if sql not in ROWS:
        return ExecutionOutcome("error", error="no such table")
    return ExecutionOutcome("ok", ResultTable(("a",), ROWS[sql], sql == "SELECT cut"))


@pytest.mark.parametrize(
    ("reference", "predicted", "bucket", "reason"),
    [
        ("None", None, "ok", None),
        ("SELECT 1", "SELECT 1", "ok", None),
        ("SELECT 1", "SELECT 2", "mismatch", None),
        ("None", "", "mismatch", "one_side_none"),
        ("SELECT 1", "None", "mismatch", "one_side_none"),
        ("SELECT 1", "  ", "skipped", "empty_prediction"),
        ("SELECT 1", "DROP TABLE t", "non_select", None),
        ("SELECT gone", "SELECT slow", "gold_fail", "reference: no such table"),
        ("SELECT slow", "SELECT 1", "timeout", "reference: 30 s are over"),
        ("SELECT 1", "SELECT gone", "pred_fail", "prediction: no such table"),
        ("SELECT 1", "SELECT slow", "timeout", "prediction: 30 s are over"),
        ("SELECT 1", "SELECT broken", "other_error", "RuntimeError: the driver fell over"),
        ("SELECT cut", "SELECT cut", "other_error", "truncated"),
    ],
)
def test_every_case_ends_in_one_bucket(reference, predicted, bucket, reason):
    """The order of decisions: unanswerable, skipped, not a query, failed, compared."""
    found = execution_match(
        reference, predicted, is_read_only=lambda sql: sql.startswith("SELECT"), run=run
    )
    assert (found.bucket, found.reason, found.is_match) == (bucket, reason, bucket == "ok")
