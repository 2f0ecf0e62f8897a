"""Leaderboards and comparisons as pages and workbooks."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import openpyxl
import pytest

from sqlobs.errors import InputError
from sqlobs.metrics.ranking import Contestant, leaderboard
from sqlobs.reporting.comparison import compare
from sqlobs.reporting.comparison_text import comparison_block, comparison_document, shown_p
from sqlobs.reporting.console import judge_block
from sqlobs.reporting.disagreement import error_rates
from sqlobs.reporting.judged import category_spread, has_passed
from sqlobs.reporting.leaderboard.contestants import (
    contestant_of,
    contestants_of,
    costs_of,
    read_scores,
)
from sqlobs.reporting.leaderboard.page import leaderboard_html
from sqlobs.reporting.leaderboard.text import leaderboard_block, leaderboard_document
from sqlobs.reporting.leaderboard.workbook import write_leaderboard_workbook
from sqlobs.reporting.page.comparison import comparison_html
from sqlobs.reporting.page.document import html_document
from sqlobs.reporting.workbook.document import write_workbook
from sqlobs.runs.case import CaseResult, GenerationRecord, JudgeVerdict, RunOutcome
from sqlobs.runs.run import Run
from tests.reporting.samples import (
    HOSTILE,
    hostile_run,
    judged_run,
    large_run,
    mismatched,
    passed,
    reference_failed,
)


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
    """Return whether a page has no script, no handler and no address."""
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
    """A case without a verdict is incorrect, and told; the generating model names the system."""
    generation = GenerationRecord(model="model-a")
    cases = (
        judged(0, correct=True, generation=generation),
        judged(1, correct=None, generation=generation),
        mismatched(2, judge=JudgeVerdict(judge="flex", correct=True), generation=generation),
        passed(3, generation=generation),
    )
    run = Run(name="run_1", cases=cases)
    assert contestant_of(run) == Contestant(name="model-a", ex=75.0, flex=50.0, undecided=2)
    named = replace(run, settings={"model": "ours", "model_type": "open"})
    assert contestant_of(named) == Contestant(
        name="ours", ex=75.0, flex=50.0, kind="open", undecided=2
    )
    board = leaderboard([contestant_of(named)])
    for shown in (leaderboard_block(board), leaderboard_html(board)):
        assert "ours (2 without a verdict)" in shown
        assert "2 cases without a verdict count as incorrect." in shown
    nameless = Run(name="run_1", cases=(judged(0, correct=True),))
    assert contestant_of(nameless) == Contestant(name="run_1", ex=100.0, flex=100.0, judge="flex")


def test_what_nobody_has_to_judge_is_decided_by_execution():
    """Both sides agree that nothing answers, or the system gave nothing that could run."""
    one_side = {"bucket": "mismatch", "reason": "one_side_none"}
    cases = (
        judged(0, correct=True),
        CaseResult(index=1),
        passed(2, reference_sql=None, **one_side),
        passed(3, predicted_sql=None, **one_side),
        passed(4, predicted_sql="", bucket="skipped", reason="empty_prediction"),
        passed(5, bucket="non_select", predicted=RunOutcome(status="refused")),
        reference_failed(6),
        passed(7, bucket="timeout", reference=RunOutcome(status="timeout")),
        passed(8, bucket="other_error", reason="truncated"),
    )
    assert [has_passed(case) for case in cases] == [
        *(True, True, False, False, False, False),
        *(None, None, None),
    ]
    found = contestant_of(Run(name="a", cases=cases))
    assert (found.flex, found.undecided) == (pytest.approx(100 * 2 / 9), 3)


def by(judge, *verdicts, name):
    """Return a run of cases with verdicts of a judge."""
    cases = tuple(
        passed(index, judge=JudgeVerdict(judge=judge, correct=correct))
        for index, correct in enumerate(verdicts)
    )
    return Run(name=name, cases=cases)


def test_judges_have_columns_of_their_own_and_execution_ranks(tmp_path):
    """Two models of FLEX are two judges; its texts for equal and different results are one."""
    flex = by("flex/flex_equal.v1/model-x", True, False, name="run_1")
    both = replace(
        flex,
        name="run_2",
        cases=(
            *flex.cases,
            mismatched(2, judge=JudgeVerdict(judge="flex/flex_different.v1/model-x", correct=True)),
        ),
    )
    one = leaderboard(contestants_of([flex, both]))
    assert (one.judges, one.is_judged) == (("flex/model-x",), True)
    assert leaderboard_block(one).splitlines()[4].endswith("Judged by flex/model-x.")
    other = by("equivalence/equivalence.v1/model-x", True, True, name="run_3")
    board = leaderboard(contestants_of([flex, other]))
    assert leaderboard_block(board).splitlines() == [
        "Rank     System  Type  equivalence/model-x  flex/model-x      EX",
        "   1  -  run_1                         n/a         50.00  100.00",
        "   1  -  run_3                      100.00           n/a  100.00",
        "",
        "Ranked by execution: 2 judges, whose scores cannot be compared.",
    ]
    page = leaderboard_html(board)
    assert "2 systems, ranked by EX" in page
    assert '<th class="right">equivalence/model-x</th><th class="right">flex/model-x</th>' in page
    assert 'class="right delta"' not in page
    path = tmp_path / "board.xlsx"
    write_leaderboard_workbook(board, path)
    rows = list(openpyxl.load_workbook(path)["Leaderboard"].iter_rows(max_row=3, values_only=True))
    assert (rows[1][4:7], rows[2][4:7]) == (
        ("equivalence/model-x", "flex/model-x", "EX"),
        ("N/A", 50, 100),
    )
    alone = leaderboard(contestants_of([other]))
    assert "FLEX" not in leaderboard_block(alone) + leaderboard_html(alone)
    assert "Equivalence-EX" in leaderboard_block(alone).splitlines()[0]


def test_a_run_s_reports_name_the_judge_s_own_score(tmp_path):
    """The verdicts of `equivalence` are not FLEX, in the terminal, on the page, in the workbook."""
    run = by("equivalence/equivalence.v1/model-x", True, True, name="run_3")
    assert "Equivalence-EX" in judge_block(run)
    assert "<th>Equivalence</th><th>EX</th><th>Equivalence − EX</th>" in html_document(run)  # noqa: RUF001 - the sign
    path = tmp_path / "run.xlsx"
    write_workbook(run, path)
    headers = [cell.value for cell in openpyxl.load_workbook(path)["Judge"][2]]
    assert (headers[1], headers[13]) == ("Equivalence", "Equivalence - EX")


def test_given_scores_are_compared_with_a_judge_s_where_they_name_it(tmp_path):
    """Published figures without their model are compared with such figures only."""
    run = by("flex/flex_equal.v1/model-x", True, False, name="run_1")
    path = tmp_path / "scores.csv"
    path.write_text("name,ex,flex,judge\na,50,60,flex/model-x\nb,40,50,\n")
    named, unnamed = read_scores(path)
    assert leaderboard([contestant_of(run), named]).is_judged
    board = leaderboard([contestant_of(run), unnamed])
    assert not board.is_judged
    unstated = Run(name="run_2", cases=(judged(0, correct=True),))
    assert leaderboard([contestant_of(unstated), unnamed]).is_judged
    assert "FLEX (model not stated)  flex/model-x" in leaderboard_block(board)


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
    with pytest.raises(InputError, match="run_3 cannot be ranked: none of its cases was executed"):
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


def test_an_outage_of_the_judge_leaves_only_its_verdicts_open():
    """Half of the verdicts missing, predictions that failed among the cases; no rate is guessed."""
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
    assert (found.flex, found.undecided) == (pytest.approx(25.0), 6)


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


def test_an_empty_leaderboard_has_a_page():
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
    assert page.count("<details open>") == len(HOSTILE)
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


def test_long_lists_of_changes_show_the_number_of_omitted_ones():
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
    assert "now failing:" not in shown
    assert harmless(comparison_html(compare(runs)))
    same = comparison_block(compare([runs[0], runs[0]]))
    assert "No case changed." in same.splitlines()
    assert shown_p(1e-9) == "< 0.0001"


def test_false_positives_and_negatives_by_type_and_difficulty(tmp_path):
    """Means over the systems, as in the study's figures; cases without a verdict do not count."""
    first = Run(
        name="a",
        cases=(
            judged(0, correct=False, difficulty="easy"),
            judged(1, correct=True, difficulty="easy"),
            judged(2, correct=None, difficulty="easy"),
            judged(3, correct=True, difficulty="hard", bucket="mismatch"),
        ),
        settings={"model_type": "open"},
    )
    second = Run(
        name="b",
        cases=(
            judged(0, correct=True, difficulty="easy"),
            judged(3, correct=True, difficulty="hard"),
        ),
        settings={"model_type": "open"},
    )
    found = error_rates([first, second])
    assert [(e.by, e.name, e.systems, e.cases) for e in found] == [
        ("type", "open", 2, 5),
        ("difficulty", "easy", 2, 3),
        ("difficulty", "hard", 2, 2),
    ]
    by_name = {entry.name: (entry.false_positives, entry.false_negatives) for entry in found}
    assert by_name == {
        "open": (pytest.approx(1 / 6), pytest.approx(1 / 6)),
        "easy": (0.25, 0.0),
        "hard": (0.0, 0.5),
    }
    board = leaderboard([contestant_of(first), contestant_of(second)])
    shown = leaderboard_block(board, errors=found)
    assert "Difficulty easy        2      3            25.0%     25.0" in shown
    assert leaderboard_document(board, errors=found)["error_rates"][2]["false_negatives"] == 0.5
    assert "Difficulty hard" in leaderboard_html(board, errors=found)
    write_leaderboard_workbook(board, tmp_path / "board.xlsx", errors=found)
    assert openpyxl.load_workbook(tmp_path / "board.xlsx")["Error Rates"]["B3"].value == "open"


def test_a_leaderboard_shows_what_judging_each_run_cost(tmp_path):
    """In the terminal, on the page, in the workbook and as JSON; a run without a judge has none."""
    settings = {"judge_tokens": 1200, "judge_cost_usd": 0.0125, "judge_repeated_calls": 3}
    runs = [replace(judged_run(40, name="a"), settings=settings), large_run(40, name="b")]
    board, costs = leaderboard(contestants_of(runs)), costs_of(runs)
    assert [entry.name for entry in costs] == [contestants_of(runs)[0].name]
    line = f"{costs[0].name}: {costs[0].cost.sentence}"
    assert costs[0].cost.sentence.endswith("Calls made again after interruptions: 3.")
    assert leaderboard_block(board, costs=costs).splitlines()[-1] == line
    assert costs[0].cost.sentence in leaderboard_html(board, costs=costs)
    told = leaderboard_document(board, costs=costs)["judge_costs"]
    assert [(each["tokens"], each["usd"], each["repeated"]) for each in told] == [(1200, 0.0125, 3)]
    write_leaderboard_workbook(board, tmp_path / "b.xlsx", costs=costs)
    sheet = openpyxl.load_workbook(tmp_path / "b.xlsx")["Judging"]
    assert [cell.value for cell in sheet[3]][:3] == [costs[0].name, 1200, 0.0125]
