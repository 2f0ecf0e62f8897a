"""The Excel workbook, read back."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import openpyxl
import pytest

from sqlobs.errors import MissingExtraError
from sqlobs.metrics.denodo import DenodoDetail, denodo_summary
from sqlobs.reporting.page.view import view_of
from sqlobs.reporting.workbook.document import write_workbook
from sqlobs.runs.case import GenerationRecord, JudgeVerdict
from sqlobs.runs.run import Run
from tests.reporting.samples import (
    HOSTILE,
    denodo,
    hostile_run,
    large_run,
    mismatched,
    passed,
    reference_failed,
    refused,
    small_run,
)

RIGHT = denodo(1.0, 100.0, 100.0, same_rows=1.0, bird_f1=1.0)
WRONG = denodo(0.0, 40.0, 60.0, same_rows=0.0, bird_f1=0.5)
HEADERS = [
    *("Question ID", "Difficulty", "VQL Generated", "Ground Truth VQL"),
    *("Results Match", "Subsetting Percentage", "Percent Overlap", "Have Same Row Count"),
    *("Bird Standard F1", "VES Score"),
    *("sql_execution_time", "vector_store_search_time", "llm_time", "total_execution_time"),
]


def timed(seconds):
    """Return a generation record with the four timings."""
    return GenerationRecord(
        sql_execution_time=0.25,
        vector_store_search_time=0.5,
        llm_time=seconds - 0.75,
        total_execution_time=seconds,
    )


def scored_run():
    """Return four questions in three difficulties, and one whose reference fails."""
    return Run(
        name="run_20260301_120000",
        started_at="2026-03-01T12:00:00Z",
        cases=(
            passed(0, id="q0", difficulty="1", scores=RIGHT | {"ves_reward": 1.25}),
            passed(1, id="q1", difficulty="1", scores=RIGHT, generation=timed(2.0)),
            mismatched(2, id="q2", difficulty="2", scores=WRONG, generation=timed(4.0)),
            refused(3, difficulty=None, scores=WRONG, generation=timed(3.0)),
            reference_failed(4, id="q4", generation=timed(9.0)),
        ),
    )


@pytest.fixture
def workbook(tmp_path):
    """Return the workbook about `scored_run`, read back."""
    path = tmp_path / "report.xlsx"
    write_workbook(scored_run(), path)
    return openpyxl.load_workbook(path)


def values(sheet, *, rows):
    """Return rows of a sheet as lists."""
    return [list(row) for row in sheet.iter_rows(*rows, values_only=True)]


def test_details_have_the_evaluators_columns_in_order(workbook):
    """Group titles, headers, a line of description, data from the fourth row."""
    sheet = workbook["Details"]
    assert workbook.sheetnames == ["Summary", "Details", "Charts"]
    assert [cell.value for cell in sheet[2]][:14] == HEADERS
    merged = {str(area): sheet[str(area).split(":")[0]].value for area in sheet.merged_cells.ranges}
    assert {area: title for area, title in merged.items() if title != "sqlobs"} == {
        "A1:D1": "AI SDK Results and Answer",
        "E1:H1": "Evaluation Metrics",
        "I1:J1": "BIRD Bench Metrics",
        "K1:N1": "Timing Metrics",
    }
    assert [area.split(":")[0] for area, title in merged.items() if title == "sqlobs"] == ["O1"]
    assert all(cell.value for cell in sheet[3])
    assert sheet.freeze_panes == "B4"


def test_a_run_of_another_system_is_not_titled_after_the_ai_sdk(tmp_path):
    """Only the AI SDK reports how long its vector store searched."""
    path = tmp_path / "report.xlsx"
    write_workbook(small_run(), path)
    sheet = openpyxl.load_workbook(path)["Details"]
    assert [sheet["A1"].value, *(cell.value for cell in sheet[2])][:15] == [
        "Results and Answer",
        *HEADERS,
    ]


def test_a_run_that_was_not_timed_has_no_efficiency_at_all(tmp_path):
    """A zero for wrong rows beside N/A for right ones would average to 0."""
    cases = (passed(0, scores=RIGHT), mismatched(1, scores=WRONG), refused(2, scores=WRONG))
    path = tmp_path / "report.xlsx"
    write_workbook(Run(name="untimed", cases=cases), path)
    sheet = openpyxl.load_workbook(path)["Details"]
    assert [row[9] for row in values(sheet, rows=(4, 6))] == ["N/A"] * 3


def test_details_hold_numbers_as_numbers_and_say_what_is_not_there(workbook):
    """A score is a number cell; what was not measured is N/A, never 0."""
    right, second, wrong, refusal, failed = values(workbook["Details"], rows=(4, 8))
    assert right[:2] + right[4:14] == [
        *("q0", "simple", 1, 100, 100, 1, 1, 1.25),
        *["N/A"] * 4,
    ]
    assert second[8:14] == [1, "N/A", 0.25, 0.5, 1.25, 2]
    assert wrong[1:2] + wrong[4:10] == ["moderate", 0, 40, 60, 0, 0.5, 0]
    assert (refusal[0], refusal[1], refusal[15]) == ("3", "(none)", "Prediction fails")
    assert refusal[-1] == "schema.unknown_column"
    assert failed[4:10] == ["N/A"] * 6


def test_a_judged_run_has_flex_beside_ex(tmp_path):
    """By difficulty and over all, with intervals; why verdicts are missing; the categories."""

    def judged(make, index, *, correct, categories=(), **more):
        verdict = JudgeVerdict(judge="flex", correct=correct, categories=categories, **more)
        return make(index, judge=verdict, difficulty="simple")

    silent = {"reason": "timeout", "explanation": "no answer within 5 s"}
    cases = (
        judged(passed, 0, correct=True),
        judged(passed, 1, correct=False, categories=("abused_clauses",)),
        judged(mismatched, 2, correct=True, categories=("other_minor_issues",)),
        judged(mismatched, 3, correct=True),
        judged(passed, 4, correct=None, **silent),
    )
    write_workbook(Run(name="r", cases=cases), tmp_path / "judged.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "judged.xlsx")["Judge"]
    rows = [[cell for cell in row if cell is not None] for row in sheet.iter_rows(values_only=True)]
    overall = rows[2]
    assert overall[0] == "All"
    assert overall[1:4] == pytest.approx([0.75, 0.3006, 0.9544], abs=1e-4)
    assert [overall[place] for place in (1, 4, 7, 10)] == [0.75, 0.5, 0.25, 0.5]
    assert overall[13:] == [0.25, 4, 1]
    assert rows[4] == ["no judge verdict for 1 of 5 cases: 1 timeout (no answer within 5 s)"]
    assert rows[8:] == [
        ["abused_clauses", "Equal results, judged incorrect", 1, 1, 1],
        ["other_minor_issues", "Different results, judged correct", 1, 2, 0.5],
    ]


def test_a_judged_run_has_the_judge_s_columns(tmp_path):
    """Verdict, reasoning, categories and what was flagged; a run without a judge has none of them."""
    verdict = JudgeVerdict(
        judge="flex/v1/m",
        correct=False,
        explanation="A filter is missing.",
        categories=("incorrect_filtering_condition", "abused_clauses"),
        category_reasons={"abused_clauses": "DISTINCT is not needed."},
        suspicious=("role",),
    )
    run = replace(small_run(), cases=(passed(0, judge=verdict), passed(1)))
    write_workbook(run, tmp_path / "judged.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "judged.xlsx")["Details"]
    rows = list(sheet.iter_rows(values_only=True))
    assert rows[0][-6] == "Judge"
    assert [row[-6:] for row in rows[1:2] + rows[3:]] == [
        ("Judge", "Judged Correct", "Verdict", "Categories", "Category Reasons", "Suspect Content"),
        (
            "flex/v1/m",
            0,
            "A filter is missing.",
            "incorrect_filtering_condition, abused_clauses",
            "incorrect_filtering_condition\nabused_clauses: DISTINCT is not needed.",
            "role",
        ),
        ("N/A",) * 6,
    ]


def test_the_summary_has_a_row_a_difficulty_and_overall_last(workbook):
    """The figures are those of the metric, over the questions whose result is known."""
    rows = values(workbook["Summary"], rows=(2, 7))
    assert rows[0] == [
        *("Difficulty", "Percent Correct Queries", "Percent Subset", "Number of Samples"),
        *("Mean Time (s)", "Time Std Dev", "Percent Overlap", "Percent Row Count Match"),
        "Execution Match",
    ]
    assert rows[2:] == [
        ["(none)", 0, 40, 1, 3, 0, 60, 0, 0],
        ["moderate", 0, 40, 1, 4, 0, 60, 0, 0],
        ["simple", 100, 100, 2, 2, 0, 100, 100, pytest.approx(200 / 3)],
        ["Overall", 50, 70, 4, 3, pytest.approx(math.sqrt(2 / 3)), 80, 50, 40],
    ]
    note = workbook["Summary"]["A9"].value
    assert note == "Excluded: 1 of 5 questions with an unknown result."
    assert workbook["Summary"]["A10"].value == (
        "R-VES 111.8: 100 times the mean root of reward for that ratio, 0 if results differ."
    )
    assert workbook["Summary"]["A11"].value == (
        "Execution match 40.0 % (2 of 5 questions) respects duplicate rows and a required order;"
        " Percent Correct Queries is Results Match, which compares sets of rows."
    )


def test_execution_match_is_the_same_in_the_workbook_and_on_the_page(workbook):
    """The page's headline is a figure of the workbook, too."""
    headline = view_of(scored_run()).headline
    assert workbook["Summary"]["I7"].value == 100 * headline.value


def test_percentages_are_colored_by_their_band(workbook):
    """Below 50 red, below 70 orange, below 90 light green, else dark green; nothing else is."""
    sheet = workbook["Summary"]
    fills = [[cell.fill.fgColor.rgb for cell in row] for row in sheet["A4:H7"]]
    red, orange, light, dark = "FFF4A6A0", "FFF9CB8B", "FFB7DDA8", "FF3B7D3A"
    none = "00000000"
    assert fills == [
        [none, red, red, none, none, none, orange, red],
        [none, red, red, none, none, none, orange, red],
        [none, dark, dark, none, none, none, dark, dark],
        [none, orange, light, none, none, none, light, orange],
    ]


def test_four_native_charts_show_the_summary(workbook):
    """Correctness, overlap (the true column), time and its deviation, correct and incorrect."""
    charts = workbook["Summary"]._charts
    titles = ["".join(run.t for run in chart.title.tx.rich.p[0].r) for chart in charts]
    assert titles == [
        "Query Correctness by Difficulty Level",
        "Result Set Overlap by Difficulty Level",
        "Execution Time by Difficulty Level",
        "Correct and Incorrect Queries",
    ]
    assert [[series.val.numRef.f for series in chart.series] for chart in charts] == [
        ["Summary!$B$4:$B$6"],
        ["Summary!$G$4:$G$6"],
        ["Summary!$E$4:$E$6", "Summary!$F$4:$F$6"],
        ["Charts!$B$1:$B$2"],
    ]
    assert workbook["Charts"].sheet_state == "hidden"
    assert values(workbook["Charts"], rows=(1, 2)) == [["Correct", 2], ["Incorrect", 2]]


def test_17_charts_plot_what_they_are_named_for(workbook):
    """The evaluator's overlap chart plots subsets, and its pie counts a missing VES as wrong."""
    sheet = workbook["Summary"]
    overlap = sheet._charts[1].series[0].val.numRef.f
    assert (overlap, sheet["G2"].value) == ("Summary!$G$4:$G$6", "Percent Overlap")
    rewards = [row[9] for row in values(workbook["Details"], rows=(4, 5))]
    assert rewards == [1.25, "N/A"]
    assert values(workbook["Charts"], rows=(1, 1)) == [["Correct", 2]]


def test_no_text_becomes_a_formula_and_limits_hold(tmp_path):
    """Text stays text whatever it begins with; long text is cut and says how long it was."""
    path = tmp_path / "hostile.xlsx"
    write_workbook(hostile_run(), path)
    sheet = openpyxl.load_workbook(path)["Details"]
    rows = list(sheet.iter_rows(min_row=4))
    assert len(rows) == len(HOSTILE)
    assert {cell.data_type for row in rows for cell in row} <= {"s", "n"}
    formula = rows[5][0]
    assert (formula.value, formula.quotePrefix) == (HOSTILE[5], True)
    assert rows[3][0].value == "nul ␀ and bell ␇"
    long = rows[8][2].value
    assert len(long) == 32_767
    assert long.endswith("… [40,009 characters]")


def test_numbers_that_excel_cannot_hold_are_not_written_as_numbers(tmp_path):
    """NaN and infinity are N/A."""
    path = tmp_path / "report.xlsx"
    scores = RIGHT | {"subset": math.nan, "overlap": math.inf}
    write_workbook(Run(name="r", cases=(passed(0, scores=scores),)), path)
    (row,) = values(openpyxl.load_workbook(path)["Details"], rows=(4, 4))
    assert row[5:7] == ["N/A", "N/A"]


def test_a_run_without_results_has_a_workbook_without_charts(tmp_path):
    """Nothing was executed: headers stand, no chart of nothing."""
    path = tmp_path / "report.xlsx"
    write_workbook(Run(name="r", cases=()), path)
    workbook = openpyxl.load_workbook(path)
    assert workbook["Summary"]._charts == []
    assert workbook["Details"].max_row == 3


def test_times_that_were_not_measured_have_no_chart(tmp_path):
    """Without a single timing there are three charts, not an empty fourth."""
    path = tmp_path / "report.xlsx"
    write_workbook(Run(name="r", cases=(passed(0, scores=RIGHT),)), path)
    assert len(openpyxl.load_workbook(path)["Summary"]._charts) == 3


def test_long_integers_keep_their_digits(tmp_path):
    """Excel's numbers have 15 digits: a longer one is text."""
    path = tmp_path / "report.xlsx"
    scores = RIGHT | {"results_match": 1.0, "bird_f1": 10**20}
    write_workbook(Run(name="r", cases=(passed(0, scores=scores),)), path)
    assert openpyxl.load_workbook(path)["Details"]["I4"].value == "1" + "0" * 20


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    """The sentence says what to install."""
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(MissingExtraError, match=r"sqlobs\[report\]"):
        write_workbook(scored_run(), tmp_path / "report.xlsx")


def test_the_same_run_gives_the_same_file(tmp_path):
    """No clock: a workbook can be compared with yesterday's."""
    paths = [tmp_path / name for name in ("a.xlsx", "b.xlsx")]
    for path in paths:
        write_workbook(large_run(20), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_summary_of_times_leaves_out_what_was_not_measured():
    """A question without a time is in the percentages and in no mean of times."""
    details = [
        DenodoDetail("easy", 1.0, 100.0, 2.0, overlap=100.0, same_row_count=1.0),
        DenodoDetail("easy", 0.0, 50.0, None, overlap=50.0),
        DenodoDetail("hard", 0.0, 0.0, None),
    ]
    found = denodo_summary(details)
    easy, hard = found["easy"], found["hard"]
    assert (easy.correct_percent, easy.mean_time_s, easy.time_deviation_s) == (50.0, 2.0, 0.0)
    assert (easy.overlap, easy.same_row_count_percent) == (75.0, 50.0)
    assert (hard.mean_time_s, hard.time_deviation_s, hard.sample_count) == (None, None, 1)
