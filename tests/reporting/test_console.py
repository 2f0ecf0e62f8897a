"""What the terminal shows."""

from __future__ import annotations

from sqlobs.reporting.console import console_block, slices_block
from sqlobs.reporting.inspection_text import inspection, inspection_document
from sqlobs.runs.case import CaseResult, JudgeVerdict, ResultDifference
from sqlobs.runs.lines import case_document
from sqlobs.runs.run import Run
from tests.reporting.samples import HOSTILE, hostile_run, mismatched, passed, small_run

SEED = """\
=== EVAL SUMMARY ===
total: 30
empty_preds: 0 ; unanswerable: 1
EM  - 4/30 13.3% (of attempted: 4/30 13.3%)
ESM - 27/30 90.0% (of attempted: 27/30 90.0%)

=== ESM breakdown ===
          ok: 27
    mismatch: 3
     skipped: 0
  non_select: 0
   gold_fail: 0
   pred_fail: 0
     timeout: 0
 other_error: 0"""


def test_the_summary_equals_the_pipeline_s():
    """The numbers of the pipeline's own example give its own lines."""
    cases = (
        CaseResult(index=0, em=True),
        *(passed(index, em=index < 4) for index in range(1, 27)),
        *(passed(index, em=False, bucket="mismatch") for index in range(27, 30)),
    )
    assert console_block(Run(name="run", cases=cases)) == SEED


def test_what_was_not_asked_for_has_no_line():
    """Without EM and ESM only the counts remain; without cases there is no rate."""
    skipped = passed(0, em=None, bucket="skipped", reason="not_asked")
    assert console_block(Run(name="run", cases=(skipped,))).splitlines() == [
        "=== EVAL SUMMARY ===",
        "total: 1",
        "empty_preds: 0 ; unanswerable: 0",
    ]
    empty = console_block(Run(name="run", cases=()))
    assert "EM  - 0/0 n/a (of attempted: 0/0 n/a)" in empty


def test_the_main_rate_is_shown_by_difficulty_and_database():
    """With its denominator; a run of one difficulty on one database has no such lines."""
    run = Run(
        name="r",
        cases=(
            passed(0, difficulty="simple", db="shop"),
            mismatched(1, difficulty="hard", db="shop"),
            passed(2, difficulty="hard", db="bank"),
        ),
    )
    assert slices_block(run).splitlines() == [
        "",
        "",
        "=== EXECUTION MATCH, 95 % intervals ===",
        "Difficulty simple  100.0 %  20.7–100.0  1 of 1",  # noqa: RUF001 - a range
        "Difficulty hard     50.0 %    9.5–90.5  1 of 2",  # noqa: RUF001
        "Database bank      100.0 %  20.7–100.0  1 of 1",  # noqa: RUF001
        "Database shop       50.0 %    9.5–90.5  1 of 2",  # noqa: RUF001
    ]
    assert slices_block(Run(name="r", cases=(passed(0), passed(1)))) == ""


def test_inspection_shows_reason_statements_findings_and_rows():
    """Buckets in order, and of each the first cases with what differs."""
    shown = inspection(small_run(), max_examples=1)
    mismatch = shown[shown.index("--- mismatch") : shown.index("--- skipped")].splitlines()
    assert [line for line in mismatch if not line.startswith(("  gold", "  pred"))] == [
        "--- mismatch: 1 of 1 ---",
        "",
        "[1] q1 moderate over prediction",
        "  question: Which five poetry books of the nineties were lent most often?",
        "  1 row missing (title, loans)",
        "    - Dune | 7",
        "  2 rows extra (title, loans)",
        "    + Dune | 8",
        "    + Emma | 1",
        "",
    ]
    assert "  reason:   prediction: no such column: b.category" in shown
    assert (
        "  check:    schema.unknown_column: Unknown column category. Did you mean genre?" in shown
    )
    assert "  pred:     (empty)" in shown
    assert "--- ok" not in shown


def test_inspection_shows_what_judge_and_execution_dispute():
    """Equal results that are judged incorrect are in bucket `ok`, which has no examples."""
    verdict = JudgeVerdict(
        judge="flex/flex_equal.v1/m",
        correct=False,
        explanation="The year is not filtered.",
        categories=("incorrect_filtering_condition", "abused_clauses"),
        category_reasons={"incorrect_filtering_condition": "1990 is missing."},
    )
    run = Run(name="judged", cases=(passed(0, id="a", judge=verdict), passed(1, id="b")))
    shown = inspection(run).splitlines()
    at = shown.index("--- equal results, judged incorrect: 1 of 1 ---")
    assert shown[at + 2].startswith("[0] a")
    assert shown[-3:] == [
        "  judge:    incorrect (flex/flex_equal.v1/m): The year is not filtered.",
        "            incorrect_filtering_condition: 1990 is missing.",
        "            abused_clauses",
    ]
    assert inspection_document(run)["judged"] == {"false_positive": [case_document(run.cases[0])]}


def test_inspection_without_examples_is_the_breakdown():
    """Nothing but the counts."""
    run = small_run()
    assert inspection(run, max_examples=0) == "\n".join(
        console_block(run).splitlines()[-9:],
    )


def test_inspection_says_where_the_order_differs():
    """Rows on one side only are listed alone; a changed order is a sentence."""
    run = Run(
        name="r",
        cases=(
            mismatched(0, difference=ResultDifference(first_at=1)),
            mismatched(1, question=None, difference=ResultDifference(missing=((1,),))),
            CaseResult(index=2, predicted_sql="SELECT 1", bucket="mismatch"),
        ),
    )
    shown = inspection(run).splitlines()
    assert "  the order differs starting at row 2" in shown
    assert shown.index("  1 row missing (title, loans)") == shown.index("    - 1") - 1
    assert not [line for line in shown if "extra" in line]
    assert "  gold:     None (unanswerable)" in shown


def test_hostile_text_moves_no_cursor():
    """Control and direction marks are shown as signs; every example keeps to its lines."""
    shown = inspection(hostile_run(), max_examples=len(HOSTILE))
    assert not {"\x00", "\x07", "\u202e", "\ud800"} & set(shown)
    assert "nul ␀ and bell ␇" in shown
    shown.encode()
