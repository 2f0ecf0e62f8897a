"""Tokens, money and time of a run."""

from __future__ import annotations

import statistics

import openpyxl
import pytest

from sqlobs.reporting.console import expense_block
from sqlobs.reporting.expense import expenses_of
from sqlobs.reporting.gates import check_gates, parse_gate
from sqlobs.reporting.json_report import report_document
from sqlobs.reporting.page.document import html_document
from sqlobs.reporting.workbook.document import write_workbook
from sqlobs.runs.case import GenerationRecord, RunOutcome
from sqlobs.runs.run import Run
from tests.reporting.samples import mismatched, passed, reference_failed, small_run

RAN = RunOutcome(status="ok", elapsed_ms=2.0, rows=1)


def costing(make, index, cost, seconds=None):
    """Return a case with what its answer took."""
    record = GenerationRecord(cost=cost, output_tokens=100, total_execution_time=seconds)
    return make(index, generation=record, reference=RAN, predicted=RAN)


@pytest.fixture
def run():
    """Two correct answers, two wrong ones, and one of unknown cost."""
    cases = (
        costing(passed, 0, 0.01, 1.0),
        costing(passed, 1, 0.02, 2.0),
        costing(mismatched, 2, 0.03, 3.0),
        costing(mismatched, 3, 0.06, 10.0),
        costing(passed, 4, None),
    )
    return Run(name="r", cases=cases)


def test_wrong_answers_are_in_what_correct_ones_cost(run):
    """All that was spent over the correct answers, both of the cases whose cost is known."""
    found = {expense.name: expense for expense in expenses_of(run.cases)}
    assert list(found) == [
        *("output_tokens", "cost", "total_execution_time"),
        *("predicted_ms", "reference_ms"),
    ]
    cost, time = found["cost"], found["total_execution_time"]
    assert (cost.total, cost.per_correct, cost.count) == (pytest.approx(0.12), 0.06, 4)
    assert (time.mean, time.median, time.p95) == (4.0, 2.0, 10.0)
    assert time.deviation == pytest.approx(statistics.stdev([1, 2, 3, 10]))
    assert (found["output_tokens"].total, found["output_tokens"].count) == (500, 5)


def test_nothing_is_divided_by_no_correct_answer():
    """A single case has no deviation; what failed to run has no time."""
    _, cost, *_ = expenses_of([costing(mismatched, 0, 0.5)])
    assert (cost.per_correct, cost.deviation, cost.total) == (None, None, 0.5)
    assert expenses_of([reference_failed(0)]) == []
    assert expense_block(Run(name="r", cases=(reference_failed(0),))) == ""


def test_every_report_shows_cost_and_time(run, tmp_path):
    """As a table in text and page, as numbers in JSON, as a note in the workbook."""
    lines = expense_block(run).splitlines()[2:]
    assert [line.split() for line in lines[1:4]] == [
        "Total Mean Std dev Median 95 % Per correct answer Cases".split(),
        "Output tokens 500.0 100.0 0.0 100.0 100.0 166.7 5".split(),
        "Cost 0.120000 0.030000 0.021602 0.020000 0.060000 0.060000 4".split(),
    ]
    assert (lines[0], len(set(map(len, lines[1:])))) == ("=== COST AND TIME ===", 1)
    document = report_document(run)["expenses"]
    assert document["cost"] == {
        "total": pytest.approx(0.12),
        "mean": pytest.approx(0.03),
        "deviation": pytest.approx(0.0216, abs=1e-4),
        "median": 0.02,
        "p95": 0.06,
        "per_correct": 0.06,
        "count": 4,
    }
    page = html_document(run)
    assert "Cost and time" in page
    assert "<td>0.021602</td>" in page
    write_workbook(run, tmp_path / "r.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "r.xlsx")["Summary"]
    notes = [row[0] for row in sheet.iter_rows(values_only=True)]
    assert "Cost 0.120000 over 4 questions, 0.060000 per correct answer." in notes


def test_a_gate_holds_the_cost_of_a_correct_answer(run):
    """It fails where the cost is unknown."""
    gates = [parse_gate("cost_per_correct>0.05"), parse_gate("cost_per_correct>0.07")]
    assert [verdict.is_failed for verdict in check_gates(run, gates)] == [True, False]
    (unknown,) = check_gates(small_run(), gates[:1])
    assert (unknown.value, unknown.is_failed) == (None, True)
