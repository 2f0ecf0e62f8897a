"""Leaderboards and comparisons as pages and workbooks."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import openpyxl
import pytest

from sqlobs.errors import InputError
from sqlobs.metrics.leaderboard import Contestant, leaderboard
from sqlobs.reporting.comparison import compare
from sqlobs.reporting.comparison_text import comparison_block, comparison_document, shown_p
from sqlobs.reporting.judged import category_spread
from sqlobs.reporting.page.comparison import comparison_html
from sqlobs.reporting.standings.contestants import contestant_of, contestants_of, read_scores
from sqlobs.reporting.standings.page import leaderboard_html
from sqlobs.reporting.standings.text import leaderboard_block, leaderboard_document
from sqlobs.reporting.standings.workbook import write_leaderboard_workbook
from sqlobs.runs.case import GenerationRecord, JudgeVerdict
from sqlobs.runs.run import Run
from tests.reporting.samples import HOSTILE, hostile_run, judged_run, large_run, mismatched, passed


class Elements(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, document):
        super().__init__()
        self.found = []
        self.feed(document)

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        self.found.append((tag, dict(attrs)))


def harmless(document):
    """Say whether a page holds no script, no handler and no address."""
    elements = Elements(document).found
    return not any(
        tag in {"script", "img", "link", "iframe"}
        or any(name.startswith(("on", "src", "href")) for name in attributes)
        for tag, attributes in elements
    )


def judged(index, *, correct, **fields):
    """Return a passing case with a judge's verdict."""
    return passed(index, judge=JudgeVerdict(judge="flex", correct=correct), **fields)


def test_scores_of_a_run_are_over_all_its_cases():
    """A judge that failed is no answer that is wrong; the model that generated names the system."""
    generation = GenerationRecord(model="model-a")
    cases = (
        judged(0, correct=True, generation=generation),
        judged(1, correct=None, generation=generation),
        mismatched(2, judge=JudgeVerdict(judge="flex", correct=True), generation=generation),
        passed(3, generation=generation),
    )
    run = Run(name="run_1", cases=cases)
    assert contestant_of(run) == Contestant(name="model-a", ex=75.0, flex=75.0, undecided=1)
    named = replace(run, settings={"model": "ours", "model_type": "open"})
    assert contestant_of(named) == Contestant(
        name="ours", ex=75.0, flex=75.0, kind="open", undecided=1
    )
    board = leaderboard([contestant_of(named)])
    assert "ours (1 without a verdict)" in leaderboard_block(board)
    assert "ours (1 without a verdict)" in leaderboard_html(board)
    nameless = Run(name="run_1", cases=(judged(0, correct=True),))
    assert contestant_of(nameless) == Contestant(name="run_1", ex=100.0, flex=100.0)


def test_a_run_without_verdicts_is_ranked_by_execution(tmp_path):
    """All are: nobody moves, and the text, page and workbook say why."""
    model = GenerationRecord(model="model-a")
    runs = [
        Run(name="run_1", cases=(passed(0, generation=model), mismatched(1, generation=model))),
        Run(name="run_2", cases=(passed(0, generation=model), passed(1, generation=model))),
    ]
    entries = contestants_of(runs)
    assert entries == [
        Contestant(name="model-a (run_1)", ex=50.0),
        Contestant(name="model-a (run_2)", ex=100.0),
    ]
    board = leaderboard(entries)
    assert leaderboard_block(board).splitlines() == [
        "Rank  System           Type      EX",
        "   1  model-a (run_2)        100.00",
        "   2  model-a (run_1)         50.00",
        "",
        "Ranked by execution: 2 systems were not judged.",
    ]
    page = leaderboard_html(board)
    assert "2 systems, ranked by EX" in page
    assert "n/a" not in page
    assert harmless(page)
    path = tmp_path / "board.xlsx"
    write_leaderboard_workbook(board, path)
    rows = list(openpyxl.load_workbook(path)["Leaderboard"].iter_rows(max_row=4, values_only=True))
    assert (rows[0][0], rows[2][:7]) == (
        "Ranked by EX",
        (1, "-", "model-a (run_2)", "", "N/A", 100, "N/A"),
    )
    with pytest.raises(InputError, match="run_3 cannot be ranked: no case of it was executed"):
        contestant_of(Run(name="run_3", cases=(passed(0, bucket="skipped", reason="not_asked"),)))


def test_one_system_without_a_judge_makes_execution_the_ranking():
    """The others' verdicts are shown beside it."""
    board = leaderboard(
        [
            Contestant(name="a", ex=50.0, flex=90.0, kind="open"),
            Contestant(name="b", ex=60.0, kind="open"),
            Contestant(name="c", ex=55.0, flex=54.5),
        ]
    )
    assert leaderboard_block(board).splitlines() == [
        "Rank     System  Type   FLEX     EX  FLEX-EX",
        "   1  -  b       open    n/a  60.00      n/a",
        "   2  -  c             54.50  55.00    -0.50",
        "   3  -  a       open  90.00  50.00   +40.00",
        "",
        "Ranked by execution: 1 system was not judged.",
        "",
        "Type  Systems  FLEX     EX  FLEX-EX",
        "open        2   n/a  55.00      n/a",
    ]
    assert (board.is_judged, board.mean_rank_change, board.mean_delta) == (False, None, None)
    assert "n/a" in leaderboard_html(board)


def test_an_outage_of_the_judge_moves_no_score():
    """Half of the verdicts missing at random, predictions that failed among the cases."""
    failed = JudgeVerdict(judge="flex/execution", correct=False)
    cases = [judged(index, correct=index % 3 > 0) for index in range(12)]
    cases += [mismatched(index, judge=failed) for index in range(12, 16)]
    outage = [
        replace(case, judge=replace(case.judge, correct=None, reason="judge_unavailable"))
        if 6 <= case.index < 12
        else case
        for case in cases
    ]
    assert contestant_of(Run(name="a", cases=tuple(cases))).flex == pytest.approx(50.0)
    found = contestant_of(Run(name="a", cases=tuple(outage)))
    assert (found.flex, found.undecided) == (pytest.approx(50.0), 6)


def test_scores_come_from_json_lines_too(tmp_path):
    """The same columns, any case."""
    path = tmp_path / "scores.jsonl"
    path.write_text('{"System": "a", "FLEX": 64.08, "EX": "57.37", "kind": "open"}\n\n')
    assert read_scores(path) == [Contestant(name="a", flex=64.08, ex=57.37, kind="open")]
    path.write_text('{"name": "a", "ex": 57.37}\n{"name": "b", "ex": 1, "flex": ""}\n')
    assert read_scores(path) == [Contestant(name="a", ex=57.37), Contestant(name="b", ex=1.0)]
    path.write_text("[]\n")
    with pytest.raises(InputError, match="line 1: not a JSON object"):
        read_scores(path)


def test_a_board_of_nobody_is_drawn():
    """No systems, no division by their number."""
    board = leaderboard([])
    assert leaderboard_block(board).splitlines()[-1] == "No systems."
    assert leaderboard_document(board)["places"] == ()
    assert harmless(leaderboard_html(board))


def test_hostile_names_stay_names(tmp_path):
    """On the page and in the workbook, whatever a system is called."""
    board = leaderboard(
        [Contestant(name=name, ex=50.0, flex=float(i), kind=name) for i, name in enumerate(HOSTILE)]
    )
    page = leaderboard_html(board)
    assert harmless(page)
    assert "\x00" not in page
    assert "\u202e" not in page
    path = tmp_path / "board.xlsx"
    write_leaderboard_workbook(board, path)
    sheet = openpyxl.load_workbook(path)["Leaderboard"]
    assert {cell.data_type for row in sheet.iter_rows(min_row=3, max_col=7) for cell in row} <= {
        *("s", "n")
    }
    "\n".join(leaderboard_block(board)).encode()


def test_hostile_changes_stay_text():
    """Statements, questions and names of both runs are shown and not obeyed."""
    after = hostile_run()
    before = Run(name=HOSTILE[1], cases=tuple(replace(c, bucket="ok") for c in after.cases))
    comparison = compare([before, after])
    page = comparison_html(comparison)
    assert harmless(page)
    assert page.count("<details>") == len(HOSTILE)
    assert not {"\x00", "\u202e", "\ud800"} & set(page + comparison_block(comparison))
    assert len(comparison_document(comparison)["pairs"][0]["broken"]) == len(HOSTILE)


def test_the_spread_of_categories_is_shown(tmp_path):
    """Mean and deviation over the judged runs, as text, JSON and on the page."""
    runs = [judged_run(80, name=f"run {seed}", seed=seed) for seed in (5, 6)]
    spread = category_spread([run.cases for run in runs])
    board = leaderboard([contestant_of(replace(run, settings={"model": run.name})) for run in runs])
    lines = leaderboard_block(board, spread=spread).splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("Category "))
    first = spread[0]
    figures = [f"{100 * first.mean:.1f}%", f"{100 * first.deviation:.1f}"]
    assert lines[place + 1].split() == [first.key, "false", "positive", *figures]
    document = leaderboard_document(board, spread=spread)
    assert document["categories"][0]["mean"] == first.mean
    assert first.key in leaderboard_html(board, spread=spread)
    write_leaderboard_workbook(board, tmp_path / "board.xlsx", spread=spread)
    sheet = openpyxl.load_workbook(tmp_path / "board.xlsx")["Categories"]
    assert [cell.value for cell in sheet[3]] == [
        first.key, "Equal results, judged incorrect",
        pytest.approx(first.mean), pytest.approx(first.deviation),
    ]  # fmt: skip


def test_long_lists_of_changes_say_what_is_left_out():
    """The first of each kind, then a count; cases without a counterpart are counted."""
    before, after = large_run(80, seed=1), large_run(90, seed=2)
    shown = comparison_block(compare([before, after]), max_examples=2)
    assert shown.count("  library-") == 4
    assert "not compared: 10 cases without a counterpart or undecided" in shown
    assert shown.count(" more") == 2


def test_a_comparison_of_three_runs_says_how_p_was_adjusted():
    """Each pair, then the test of all at once."""
    runs = [large_run(80, seed=seed, name=f"run {seed}") for seed in (1, 2, 3)]
    shown = comparison_block(compare(runs), max_examples=0)
    assert shown.count("=== run 1 -> run ") == 2
    assert "Cochran's Q" in shown
    assert "newly broken:" not in shown
    assert harmless(comparison_html(compare(runs)))
    same = comparison_block(compare([runs[0], runs[0]]))
    assert "No case ends otherwise." in same.splitlines()
    assert shown_p(1e-9) == "< 0.0001"
