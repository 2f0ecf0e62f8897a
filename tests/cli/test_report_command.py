"""`sqlobs report`, from the shell's side."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import openpyxl
import pytest

from sqlobs.cli import main
from sqlobs.metrics.paired_tests import paired_difference_interval
from sqlobs.reporting.wording import points_interval
from sqlobs.runs.case import JudgeVerdict
from sqlobs.runs.run import Run
from tests.reporting.samples import mismatched, passed, small_run


@pytest.fixture
def directory(tmp_path):
    """Return the directory of an evaluated run."""
    path = tmp_path / "run_20260301_120000"
    small_run().write(path)
    return path


def test_figures_are_printed_and_files_written(directory, tmp_path, capsys):
    """The pipeline's block, every figure, and the files that were asked for."""
    html, xlsx, junit = (tmp_path / f"r.{kind}" for kind in ("html", "xlsx", "xml"))
    files = ["--html", str(html), "--xlsx", str(xlsx), "--junit", str(junit)]
    assert main(["report", str(directory), *files]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "=== EVAL SUMMARY ==="
    line = next(line for line in shown if line.startswith("Grounded in the schema"))
    assert line.split()[4:] == ["85.7", "%", "48.7\u201397.4", "6", "of", "7"]
    assert html.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert openpyxl.load_workbook(xlsx).sheetnames[:2] == ["Summary", "Details"]
    assert junit.read_text(encoding="utf-8").count("<testcase") == 9


def test_a_crossed_gate_is_exit_code_1(directory, capsys):
    """Each gate is reported; one that fails is enough."""
    gates = ["--fail-on", "schematic_pass_rate<0.98", "--fail-on", "timeout>5"]
    assert main(["report", str(directory), *gates]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "schematic_pass_rate<0.98: failed, schematic_pass_rate is 0.8571",
        "timeout>5: passed, timeout is 1",
    ]
    assert main(["report", str(directory), "--fail-on", "timeout>5"]) == 0


def test_json_holds_every_figure_with_its_denominator(directory, capsys):
    """Fractions, never percent; slices, codes, diagnosis and gates beside the pipeline's keys."""
    assert main(["report", str(directory), "--json", "--fail-on", "esm<0.9"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["esm"] == {"pass": 2, "rate": 22.2, "attempted": 8, "rate_attempted": 25.0}
    assert document["figures"]["schematic_pass_rate"]["count"] == 6
    assert document["figures"]["schematic_pass_rate"]["interval"] == pytest.approx(
        [0.4869, 0.9743], abs=1e-4
    )
    assert document["failure_codes"] == {"result.mismatch": 1, "schema.unknown_column": 1}
    assert document["invented_names"] == [{"name": "category", "suggestion": "genre", "cases": 1}]
    assert list(document["slices"]["difficulty"]) == ["simple", "moderate", "challenging"]
    assert document["gates"] == [{"gate": "esm<0.9", "value": 2 / 9, "failed": True}]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{run}/nowhere"], "nowhere: no such directory"),
        (["{run}", "--fail-on", "esm"], "'esm' is not a valid gate"),
        (["{run}", "--html", "{run}"], "is a directory"),
        (["{run}", "--xlsx", "{run}/no/where.xlsx"], "no does not exist"),
        (["{run}", "--junit", "{run}/no/where.xml"], "no does not exist"),
    ],
)
def test_a_usage_error_gives_one_sentence(directory, arguments, sentence, capsys):
    """Exit code 2, nothing on standard output, no traceback."""
    assert main(["report", *(text.format(run=directory) for text in arguments)]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)


@pytest.fixture
def two_runs(tmp_path):
    """Return the directories of two judged runs over the same cases."""
    paths = []
    for place, (name, ends) in enumerate((("before", "++--"), ("after", "+-++"))):
        path = tmp_path / name
        cases = tuple(
            (passed if end == "+" else mismatched)(
                index, id=f"q{index}", judge=JudgeVerdict(judge="flex", correct=index <= place)
            )
            for index, end in enumerate(ends)
        )
        Run(name=name, cases=cases, settings={"model_type": "open"}).write(path)
        paths.append(str(path))
    return paths


def test_summaries_of_several_steps_share_a_file(directory, two_runs, tmp_path, capsys):
    """A run and a comparison are appended; a file that cannot be written is one sentence."""
    summary = tmp_path / "summary.md"
    assert main(["report", str(directory), "--summary", str(summary)]) == 0
    assert main(["report", "--compare", *two_runs, "--summary", str(summary)]) == 0
    titles = [line for line in summary.read_text().splitlines() if line.startswith("### ")]
    assert titles == ["### sqlobs: run\\_20260301\\_120000", "### sqlobs: comparison"]
    capsys.readouterr()
    assert main(["report", str(directory), "--summary", str(tmp_path)]) == 2
    sentence = f"--summary {tmp_path}: is a directory; give the name of a file"
    assert capsys.readouterr().err == f"sqlobs report: {sentence}\n"


def test_runs_are_compared_and_gated(two_runs, tmp_path, capsys):
    """What was fixed and broken is listed; `broken>0` fails; the page holds both statements."""
    html = tmp_path / "changes.html"
    arguments = ["report", "--compare", *two_runs, "--html", str(html), "--fail-on", "broken>0"]
    assert main(arguments) == 1
    shown = capsys.readouterr().out.splitlines()
    interval = points_interval(paired_difference_interval(1, 2, 1, 0))
    assert shown[:4] == [
        "=== before -> after ===",
        f"execution match: 50.0% -> 75.0%, +25.0 points (95 % interval {interval})",
        "4 cases: 1 pass in both, 0 in neither, 2 now passing, 1 now failing",
        "Not statistically significant (McNemar, exact p 1.0000).",
    ]
    first = shown.index("now failing (1 result.mismatch):")
    assert shown[first : first + 2] == [
        "now failing (1 result.mismatch):",
        "  q1  ok -> mismatch  Which five poetry books of the nineties were lent most often?",
    ]
    assert shown[-1] == "broken>0: failed, broken is 1"
    page = html.read_text(encoding="utf-8")
    assert (page.count("<details open>"), page.count("<details>")) == (1, 3)
    assert "<h2>Judged correct: now better</h2>" in page
    assert "<script" not in page
    assert main(["report", "--compare", *two_runs, "--fail-on", "difference<-0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gates"] == [
        {"gate": "difference<-0.1", "value": 0.25, "failed": False}
    ]
    assert main(["report", "--compare", *two_runs, "--json"]) == 0
    printed = capsys.readouterr().out
    assert main(["evaluate", "--compare", *two_runs, "--json"]) == 0
    assert capsys.readouterr().out == printed
    document = json.loads(printed)
    interval = paired_difference_interval(1, 2, 1, 0, confidence=0.9)
    assert document["pairs"][0]["regression"] == -interval.high
    gate = ["--fail-on", "regression>0", "--json"]
    assert main(["report", "--compare", *two_runs, *gate]) == 0
    [verdict] = json.loads(capsys.readouterr().out)["gates"]
    assert (verdict["gate"], verdict["failed"]) == ("regression>0", False)
    assert verdict["sentence"].startswith("regression>0: passed, regression is -0.")
    (pair,) = document["pairs"]
    assert (pair["fixed"], pair["broken"], pair["difference"]) == (["q2", "q3"], ["q1"], 0.25)


def test_a_terminal_without_unicode_shows_what_it_can(two_runs):
    """A sign that it lacks is a question mark, not a traceback."""
    completed = subprocess.run(
        [sys.executable, "-m", "sqlobs", "report", "--compare", *reversed(two_runs)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert "execution match: 75.0% -> 50.0%, ?25.0 points" in completed.stdout
    assert completed.stderr == ""


def test_judged_runs_and_given_scores_make_a_leaderboard(two_runs, tmp_path, capsys):
    """Rank, movement, difference, means by type; the same in JSON, page and workbook."""
    scores = tmp_path / "scores.csv"
    scores.write_text("Model,FLEX,EX,Type\nthird,40,80,open\n")
    html, xlsx = tmp_path / "board.html", tmp_path / "board.xlsx"
    files = ["--html", str(html), "--xlsx", str(xlsx)]
    assert main(["report", "--leaderboard", *two_runs, str(scores), *files]) == 0
    assert capsys.readouterr().out.splitlines()[:9] == [
        "Rank      System  Type   FLEX     EX  FLEX-EX",
        "   1  \u21911  after   open  50.00  75.00   -25.00",
        "   2  \u21931  third   open  40.00  80.00   -40.00",
        "   3  -   before  open  25.00  50.00   -25.00",
        "",
        "Mean rank change 0.67, maximum 1; mean FLEX - EX -30.00.",
        "",
        "Type  Systems   FLEX     EX  FLEX-EX",
        "open        3  38.33  68.33   -30.00",
    ]
    assert "after" in html.read_text(encoding="utf-8")
    book = openpyxl.load_workbook(xlsx)
    rows = list(book["Leaderboard"].iter_rows(min_row=3, max_row=5, values_only=True))
    assert rows[0][:7] == (1, "\u21911", "after", "open", 50, 75, -25)
    assert len(book["Leaderboard"]._charts) == 1
    assert [cell.value for cell in book["By Type"][3]][:2] == ["open", 3]
    assert main(["report", "--leaderboard", str(scores), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["places"][0]["delta"] == -40


def test_runs_that_were_not_judged_make_a_leaderboard(directory, capsys):
    """They are ranked by execution."""
    assert main(["report", "--leaderboard", str(directory), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    [place] = document["places"]
    assert (document["is_judged"], place["rank"], place["flex"]) == (False, 1, None)
    assert place["ex"] == pytest.approx(200 / 9)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("name,flex\na,1\n", "line 2: the number ex is missing, or flex for judged systems"),
        ("flex,ex\n1,2\n", "line 2: the field name is missing"),
        ("name,flex,ex\na,x,2\n", "line 2: the number ex is missing, or flex for judged systems"),
        ("name,flex,ex\na,nan,2\n", "line 2: the number ex is missing, or flex for judged systems"),
    ],
)
def test_invalid_scores_give_one_error_sentence(tmp_path, content, sentence, capsys):
    """The line is named."""
    path = tmp_path / "scores.csv"
    path.write_text(content)
    assert main(["report", "--leaderboard", str(path)]) == 2
    assert sentence in capsys.readouterr().err


def test_an_impossible_request_is_rejected(directory, two_runs, capsys):
    """Options are not left unheeded."""
    for arguments in (
        ["--compare", *two_runs, "--junit", "x.xml"],
        ["--leaderboard", *two_runs, "--fail-on", "esm<1"],
        ["--compare", two_runs[0]],
    ):
        assert main(["report", *arguments]) == 2
        assert capsys.readouterr().err.count("\n") == 1
