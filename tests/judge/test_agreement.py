"""A judge against people: the published study through the whole path, and its ablations."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from sqlobs.cli import main
from sqlobs.cli.judge_study import published
from sqlobs.judge.trust.agreement import agreement
from sqlobs.judge.trust.study import (
    DIFFERENCE_COLUMNS,
    FAULT_COLUMNS,
    read_pairs,
    recorded_ex,
)
from sqlobs.judge.verdicts.categories import DIFFERENCES, INTERNAL_ERRORS
from sqlobs.judge.verdicts.context import SWITCHES, context_of
from sqlobs.judge.verdicts.flex import flex_prompt
from tests.judge.servers import item

PAIRS = 6


def _record(number, *, ex, correct, text):
    return {
        "index": number,
        "schema": "CREATE TABLE boat (id INTEGER, berth INTEGER)",
        "question": f"Which boats lie in berth {number}?",
        "hint": "",
        "pred_sql": f"SELECT id FROM boat WHERE berth = {number} -- {ex}",
        "pred_exec": f"| {number} |\nshape=(1, 1)",
        "gt_sql": f"SELECT id FROM boat WHERE {number} = berth",
        "gt_exec": f"| {number if ex else -1}.0 |\nshape=(1, 1)",
        "ex": ex,
        "judge_text": text,
        "judge_result": correct,
    }


def _ticks(menu, *ticked):
    return {
        key: {"issued": key in ticked, "explanation": "x" if key in ticked else ""} for key in menu
    }


def _write(path, records):
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record) + "\n" for record in records)


@pytest.fixture
def study(tmp_path):
    """A study like the published one, with names of files that say the wrong set."""
    fenced = "Compared.\n```json\n{}\n```".format
    accepts = [True, True, True, False, False, True]
    equal = [
        _record(n, ex=1, correct=yes, text=fenced(json.dumps({"correct": yes})))
        for n, yes in enumerate(accepts)
    ]
    different = [
        _record(n, ex=0, correct=not yes, text=json.dumps({"correct": not yes}) + " because")
        for n, yes in enumerate(accepts)
    ]
    _write(tmp_path / "fn_gpt-4o-2024-08-06.jsonl.gz", equal)
    _write(tmp_path / "fp_gpt-4o-2024-08-06.jsonl.gz", different)
    with (tmp_path / "experts_agreement_200.csv").open("w", newline="") as lines:
        rows = csv.writer(lines)
        rows.writerow(
            "Index FN_consensus FN_avg FN_A FN_B FN_C FP_consensus FP_avg FP_A FP_B FP_C".split()
        )
        for number, yes in enumerate([1, 1, 0, 0, 0, 0.5]):
            whole = int(yes)
            rows.writerow([number, 1 - whole, 0, *[1 - whole] * 3, yes, 0, whole, whole, 1])
    faults = [
        {**record, "judge_result_category": _ticks(INTERNAL_ERRORS, "abused_clauses")}
        for record in equal
    ]
    differences = [
        {**record, "judge_result_category": _ticks(DIFFERENCES, *DIFFERENCES[:2])}
        for record in different
    ]
    _write(tmp_path / "categorized_fp100.jsonl.gz", faults)
    _write(tmp_path / "categorized_fn100.jsonl.gz", differences)
    with (tmp_path / "experts_categorization.csv").open("w", newline="") as lines:
        columns = [*FAULT_COLUMNS.values(), *DIFFERENCE_COLUMNS.values()]
        rows = csv.DictWriter(lines, columns, restval=0)
        rows.writeheader()
        for number in range(PAIRS):
            rows.writerow({"Clause Abusing": 1 + number % 2, "Structure": 3})
    return tmp_path


def test_24_sets_are_told_by_their_rows_not_by_their_files_names(study):
    """The published README passes the files swapped; taken literally it disagrees with people."""
    pairs = read_pairs(study)
    assert [pair.ex for pair in pairs] == [True] * PAIRS + [False] * PAIRS


def test_recorded_answers_give_their_figures_through_the_whole_path(study, capsys):
    """Prompt, HTTP, verdict, categories, statistics; sets are determined by `ex`, halves count as no."""
    assert main(["judge", "agreement", "--flex", str(study)]) == 0
    assert capsys.readouterr().out == snapshot("""\
12 pairs, judged by gpt-4o-2024-08-06 (recorded) and three experts
experts: 6 correct, 6 incorrect; Fleiss kappa 53.25

          kappa    95 % interval    acc     EQ    NEQ   sens   spec  errors
judge     33.33       -23.5-83.3   66.7   66.7   66.7   66.7   66.7  0
EX       -33.33       -83.3-21.1   33.3   33.3   33.3   33.3   33.3  0
PABAK: judge 33.33, EX -33.33
EX recomputed from the records for 12 of 12 pairs

faults                                    kappa    acc   prec recall  chosen by experts
all                                       0.625  0.917  0.500  1.000  3 of 36
incorrect_schema_linking                      -  1.000      -      -  0 of 6
incorrect_filtering_condition                 -  1.000      -      -  0 of 6
missing_handling_of_nullable_column           -  1.000      -      -  0 of 6
missing_handling_of_multiple_rows             -  1.000      -      -  0 of 6
abused_clauses                            0.000  0.500  0.500  1.000  3 of 6
other_fatal_issues                            -  1.000      -      -  0 of 6

differences                               kappa    acc   prec recall  chosen by experts
all                                       0.545  0.800  0.500  1.000  6 of 30
different_output_structure                    -  1.000  1.000  1.000  6 of 6
different_output_value_representation     0.000  0.000  0.000      -  0 of 6
incorrect_ground_truth_query                  -  1.000      -      -  0 of 6
multiple_answers_available                    -  1.000      -      -  0 of 6
other_minor_issues                            -  1.000      -      -  0 of 6
""")


def test_the_figures_can_be_read_by_a_machine(study, capsys):
    """The same as JSON, with the class balance beside every accuracy."""
    assert main(["judge", "agreement", "--flex", str(study), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["judge"]["table"] == [[4, 2], [2, 4]]
    assert (figures["judge"]["correct_count"], figures["judge"]["incorrect_count"]) == (6, 6)
    assert figures["ex_recomputed"] == 12


def test_an_endpoint_without_a_response_is_counted(study, capsys):
    """Errors stay a category of their own; the command fails, with the reason."""
    arguments = [
        "--judge-url",
        "http://127.0.0.1:9/v1",
        "--judge-model",
        "m",
        "--judge-timeout",
        "5",
    ]
    assert main(["judge", "agreement", "--flex", str(study), "--json", *arguments]) == 1
    figures = json.loads(capsys.readouterr().out)
    assert (figures["judge"]["errors"], figures["judge"]["accuracy"]) == (12, 0.0)
    assert figures["reasons"] == {"judge_unavailable": 12}


@pytest.mark.parametrize("switch", SWITCHES)
def test_each_ablation_leaves_out_what_it_says(switch):
    """And nothing else: the prompt shows it."""
    pair = item(hints="Berths count from 1.", predicted_result="p", reference_result="r")
    whole, cut = flex_prompt(pair), flex_prompt(pair, context_of([switch]))
    gone = set(whole.fields) - set(cut.fields)
    assert (
        gone
        == {
            "no-question": {"question"},
            "no-knowledge": {"hints"},
            "no-criteria": set(),
            "no-reference": {"reference_sql"},
            "results=both": set(),
            "results=none": set(),
        }[switch]
    )
    assert ("What makes it incorrect" in cut.system) is (switch != "no-criteria")
    added = {"predicted_result", "reference_result"} if switch == "results=both" else set()
    assert set(cut.fields) - set(whole.fields) == added


ABLATIONS = {
    "no-question": (80.10, 90.0, 84, 96),
    "no-knowledge": (79.09, 89.5, 82, 97),
    "no-criteria": (74.08, 87.0, 81, 93),
    "no-reference": (29.36, 64.0, 72, 56),
    "results=both": (81.08, 90.5, 82, 99),
    "results=none": (82.06, 91.0, 88, 94),
}
"""Tables 4 and 5 of the paper: kappa, accuracy, EQ, NEQ."""


@pytest.mark.parametrize("switch", ["no-question", "no-criteria", "results=both"])
def test_an_ablation_goes_through_the_whole_path(study, capsys, switch):
    """Recorded answers are found by what is still shown, and said to use the full context."""
    assert main(["judge", "agreement", "--flex", str(study), "--context", switch]) == 0
    shown = capsys.readouterr().out
    assert "the recorded answers are for the full context" in shown
    assert "paper (" not in shown  # these are not its two hundred pairs
    assert published([switch], 200) == ABLATIONS[switch]
    assert published(["no-question", "no-criteria"], 200) is None


def test_a_prompt_can_be_looked_at(study, capsys):
    """`--show-prompt` prints what would be sent, with the switches thrown."""
    assert main(["judge", "agreement", "--flex", str(study), "--show-prompt", "0"]) == 0
    shown = capsys.readouterr().out
    assert '"question": "Which boats lie in berth 0?"' in shown
    options = ["--show-prompt", "0", "--context", "no-question", "--context", "results=both"]
    assert main(["judge", "agreement", "--flex", str(study), *options]) == 0
    shown = capsys.readouterr().out
    assert '"question":' not in shown
    assert '"predicted_result": "| 0 |\\nshape=(1, 1)"' in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--flex", "/nowhere"], "/nowhere/experts_agreement_200.csv: no such file or directory"),
        (
            ["--flex", "{study}", "--judge-url", "http://x/v1"],
            "--judge-url and --judge-model must be given together",
        ),
        (
            [
                "--flex",
                "{study}",
                "--judge-url",
                "http://x/v1",
                "--judge-model",
                "m",
                "--judge-key",
                "sk-1",
            ],
            "--judge-key: write env:NAME with the name of the environment variable",
        ),
        (["--flex", "{study}", "--show-prompt", "12"], "--show-prompt must be between 0 and 11"),
    ],
)
def test_a_usage_error_gives_one_sentence(study, arguments, sentence, capsys):
    """Exit code 2, no traceback."""
    filled = [argument.format(study=study) for argument in arguments]
    assert main(["judge", "agreement", *filled]) == 2
    assert capsys.readouterr().err == f"sqlobs judge: {sentence}\n"


def test_accuracy_alone_would_rate_a_judge_that_accepts_everything_as_good():
    """Nine in ten correct: always yes is 90 % accurate, with no agreement beyond chance."""
    human = [True] * 90 + [False] * 10
    found = agreement(human, [True] * 100, [True] * 100)
    assert (found.accuracy, found.kappa.value, found.specificity) == (0.9, 0.0, 0.0)
    assert (found.correct_count, found.incorrect_count) == (90, 10)


@pytest.mark.parametrize(
    ("predicted", "reference", "equal"),
    [
        ("| 1 |\n| 2 |\nshape=(2, 1)", "| 2.0 |\n| 1 |\nshape=(2, 1)", True),
        ("| a |\nshape=(1, 1)", "| a |\nshape=(2, 1)", False),
        ("| a |\nshape=(1, 1)", "| b |\nshape=(1, 1)", False),
        ("No execution result", "No execution result", False),
        ("Empty execution result", "Empty execution result", False),
    ],
)
def test_recorded_renderings_are_compared_as_the_study_did(predicted, reference, equal):
    """Shapes and sets of rows, numbers as numbers; without a table nothing is equal."""
    assert recorded_ex(predicted, reference) is equal


@pytest.mark.shared
@pytest.mark.skipif("SQLOBS_SHARED" not in os.environ, reason="needs the published study")
def test_the_published_figures_come_out(capsys):
    """Kappa 87.04 and 62.00, Fleiss 79.32, categories .573 and .767."""
    study = Path(os.environ["SQLOBS_SHARED"]) / "data" / "flex_agreement"
    assert main(["judge", "agreement", "--flex", str(study), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    judge, ex = figures["judge"], figures["ex"]
    assert judge["table"] == [[95, 1], [12, 92]]
    assert ex["table"] == [[79, 17], [21, 83]]
    told = [
        round(100 * of[name], 2)
        for of in (judge, ex)
        for name in ("accuracy", "accuracy_equal", "accuracy_different")
    ]
    assert told == [93.5, 88, 99, 81, 79, 83]
    assert round(100 * judge["kappa"]["value"], 2) == 87.04
    assert round(100 * ex["kappa"]["value"], 2) == 62.0
    assert round(100 * figures["experts_fleiss"], 2) == 79.32
    assert figures["ex_recomputed"] == 200
    pooled = [figures[name][0] for name in ("fault_categories", "difference_categories")]
    assert [round(of["kappa"], 3) for of in pooled] == [0.573, 0.767]
