"""A run's rows are written and read without loss."""

from __future__ import annotations

import json

import pytest

from sqlobs.errors import InputError
from sqlobs.runs.case import (
    BUCKETS,
    CaseResult,
    CheckFinding,
    CheckSummary,
    GenerationRecord,
    JudgeVerdict,
    ResultDifference,
    RunOutcome,
    TimedRuns,
)
from sqlobs.runs.lines import case_of, line_of
from sqlobs.runs.run import Run
from sqlobs.runs.summary import PassRate, RunSummary

FULL = CaseResult(
    index=3,
    id="q3",
    question="Wie viele Bücher?\nAlle.",
    difficulty="hard",
    db="library",
    dialect="sqlite",
    reference_sql="SELECT count(*) FROM book",
    alternatives=("SELECT count(id) FROM book",),
    matched_alternative=1,
    predicted_sql="SELECT count(*) FROM boook",
    bucket="pred_fail",
    reason="prediction: no such table: boook",
    em=False,
    scores={"ex": 0.0, "f1": None},
    cell_mode={"ex": "canonical", "f1": "raw"},
    assignment="greedy",
    approximate=("f1",),
    mistake="wrong",
    is_close=True,
    timed=TimedRuns(count=10, kept=9, is_below_resolution=True),
    shape={"joins": 0},
    check=CheckSummary(
        sql="SELECT count(*) FROM boook",
        verdict="failed",
        syntactic=True,
        schematic=False,
        failure_code="schema.unknown_table",
        strict_labels=("syntactic",),
        findings=(
            CheckFinding(
                code="schema.unknown_table",
                severity="error",
                message="no table boook",
                identifier="boook",
                suggestion="book",
                start=21,
                end=26,
                line=1,
                column=22,
            ),
        ),
    ),
    reference=RunOutcome(status="ok", elapsed_ms=1.5, rows=1, columns=("n",)),
    predicted=RunOutcome(status="error", error="no such table: boook", engine_class="SQLITE_ERROR"),
    difference=ResultDifference(missing=((1, "a", None, 2.5, True),), missing_count=1),
    generation=GenerationRecord(model="m", input_tokens=10, cost=0.25, llm_time=1.25),
    judge=JudgeVerdict(judge="flex:1", correct=False, categories=("abused_clauses",)),
)


def test_a_case_survives_the_way_through_its_line():
    """Reading a line gives the value that was written."""
    assert case_of(line_of(FULL)) == FULL


def test_a_line_begins_with_the_fields_of_the_pipelines_document():
    """Programs that read the pipeline's files find what they look for."""
    names = list(json.loads(line_of(FULL)))
    assert names[5:15] == [
        *("gold", "pred", "em", "esm", "bucket", "reason"),
        *("gold_ms", "pred_ms", "gold_rows", "pred_rows"),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON (Expecting property name enclosed in double quotes)"),
        ("[]", "not a JSON object"),
        ('{"index": "x"}', "index: Input should be a valid integer"),
        ("{}", "index: Field required"),
    ],
)
def test_an_invalid_line_gives_one_error_sentence(line, message):
    """What is wrong with a line is said, and where in it."""
    with pytest.raises(InputError) as caught:
        case_of(line)
    assert str(caught.value).startswith(message)


def test_a_run_survives_its_directory(tmp_path):
    """Reading a directory gives the run that was written."""
    run = Run(
        name="run_20260101_000000",
        cases=(FULL, CaseResult(index=4)),
        settings={"exec_timeout": 30, "dsn_redacted": "sqlite:///library.db"},
        versions={"sqlobs": "1"},
        started_at="2026-01-01T00:00:00Z",
    )
    run.write(tmp_path)
    assert Run.read(tmp_path) == run
    assert json.loads((tmp_path / "eval" / "eval_summary.json").read_text())["esm"] == {
        "pass": 1,
        "rate": 50.0,
        "attempted": 2,
        "rate_attempted": 50.0,
    }


def test_a_broken_details_file_names_its_line(tmp_path):
    """The line that cannot be read is named."""
    (tmp_path / "eval").mkdir()
    (tmp_path / "eval" / "details.jsonl").write_text('{"index": 0}\n\nx\n')
    with pytest.raises(InputError, match=r"details.jsonl, line 3: not JSON"):
        Run.read(tmp_path)
    with pytest.raises(InputError, match="run `sqlobs evaluate` first"):
        Run.read(tmp_path / "elsewhere")


def test_the_summary_counts_over_all_and_over_those_attempted():
    """Empty predictions are not attempts; buckets add up to the total."""
    cases = [
        CaseResult(index=0, em=True),
        CaseResult(index=1, reference_sql="SELECT 1", predicted_sql="select 1;", em=True),
        CaseResult(index=2, reference_sql="SELECT 1", predicted_sql="", em=False, bucket="skipped"),
    ]
    summary = RunSummary.of(cases)
    assert (summary.total, summary.empty_predictions, summary.unanswerable) == (3, 1, 1)
    assert summary.exact == summary.execution == PassRate(2, 3, 2)
    assert (summary.exact.percent, summary.exact.percent_of_attempted) == (66.7, 100.0)
    assert tuple(summary.buckets) == BUCKETS
    assert sum(summary.buckets.values()) == 3
    assert RunSummary.of([]).exact.percent is None


def test_what_was_not_asked_for_has_no_rate():
    """A rate that nobody asked for is absent, not zero."""
    case = CaseResult(index=0, em=None, bucket="skipped", reason="not_asked")
    summary = RunSummary.of([case])
    assert (summary.exact, summary.execution, case.esm) == (None, None, None)
