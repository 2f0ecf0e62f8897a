"""Conditions that choose among a run's cases."""

from __future__ import annotations

import json

import pytest

from sqlobs.cli import main
from sqlobs.errors import InputError
from sqlobs.metrics.tree_comparison import sql_shape
from sqlobs.reporting.filters import narrowed, parse_filter
from sqlobs.runs.case import GenerationRecord, JudgeVerdict
from sqlobs.runs.run import Run
from tests.reporting.samples import mismatched, passed

RUN = Run(
    name="mine",
    cases=(
        passed(
            0,
            id="a",
            difficulty="simple",
            shape={"joins": 0, "has_order": 0},
            judge=JudgeVerdict(
                judge="flex", correct=False, categories=("abused_clauses", "other_fatal_issues")
            ),
        ),
        passed(
            1,
            id="b",
            difficulty="hard",
            shape={"joins": 2, "has_order": 1},
            db="shop",
            judge=JudgeVerdict(judge="flex", correct=True),
        ),
        mismatched(2, id="c", difficulty="hard", shape={"joins": 3, "has_order": 0}),
        passed(3, id="d", difficulty=None, shape={}, generation=GenerationRecord(model="m x")),
    ),
)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("joins > 1", "bc"),
        ("joins>1&&joins<=2", "b"),
        ("has_order = 0", "ac"),
        ("joins != 0", "bc"),
        ("difficulty = hard && ex == 0", "c"),
        ("difficulty != hard", "a"),
        ("difficulty = 'hard' && bucket = ok", "b"),
        ("model = m x", "d"),
        ("verdict = ok && db = shop", "b"),
        ("code = result.mismatch", "c"),
        ("code != result.mismatch", "abd"),
        ("judge = incorrect", "a"),
        ("side = false_positive && category = abused_clauses", "a"),
        ("category = other_fatal_issues", "a"),
        ("category != abused_clauses", "b"),
    ],
)
def test_all_conditions_have_to_hold(text, ids):
    """A case that lacks a field meets no condition on it, not even that of being different."""
    found = narrowed(RUN, text)
    assert "".join(case.id for case in found.cases) == ids
    assert found.settings["where"] == text
    assert narrowed(RUN, None) is RUN


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("joins", "'joins' is not a valid condition; write one like 'joins > 1'"),
        ("joins > 1 &&", "'' is not a valid condition"),
        ("joints > 1", "unknown field joints; valid fields are id, difficulty"),
        ("joins > many", "'many' is not a number"),
        ("difficulty > hard", "difficulty is text; compare it with = or !="),
        ("joins > 9", "no case of mine matches 'joins > 9'"),
    ],
)
def test_an_invalid_request_gives_one_error_sentence(text, sentence):
    """It says what is wrong and what there is."""
    with pytest.raises(InputError) as raised:
        narrowed(RUN, text)
    assert sentence in str(raised.value)


def test_every_feature_of_a_statement_can_be_asked_for():
    """The names of the filters are those of the shape."""
    for name in sql_shape("SELECT 1").__slots__:
        assert parse_filter(f"{name} >= 1")[0].field == name


def test_reports_comparisons_and_inspections_keep_to_the_filter(tmp_path, capsys):
    """`--where` holds for whatever is shown of a run."""
    path = tmp_path / "run_20260301_120000"
    RUN.write(path)
    where = ["--where", "difficulty = hard"]
    assert main(["report", str(path), "--json", *where]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["total"], document["esm"]["pass"]) == (2, 1)
    assert main(["report", "--compare", str(path), str(path), "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out)["pairs"][0]["total"] == 2
    assert main(["inspect", "--run_dir", str(path), "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 2
    assert main(["inspect", "--run_dir", str(path), "--where", "joins > 9"]) == 2
    assert "no case of" in capsys.readouterr().err
