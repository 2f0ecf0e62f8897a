"""From a run to a calibrated judge: sample, label, calibrate, tune."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter

import pytest

from sqlobs.cli import main
from sqlobs.errors import InputError
from sqlobs.judge.replay import ChatReply, serving
from sqlobs.judge.trust.drawing import Candidate, drawn_cases

CASES = 40


@pytest.fixture
def run(tmp_path):
    """An evaluated run: 40 cases, of which every second has a different result."""
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, price REAL)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(n, n) for n in range(CASES)])
    connection.close()
    lines = (
        {
            "id": f"q{n}",
            "question": f"Price of {n}?",
            "sql": f"SELECT price FROM t WHERE id = {n}",
            "prediction": f"SELECT price FROM t WHERE id = {n if n % 2 else n + 1}",
        }
        for n in range(CASES - 1)
    )
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    place = ("--run-dir", str(tmp_path / "run"), "--dsn", f"sqlite:///{tmp_path}/t.db")
    with serving(respond) as server:
        judge = ("--judge-url", server.base_url, "--judge-model", "m")
        assert main(["evaluate", "--input", str(tmp_path / "cases.jsonl"), *place, *judge]) == 0
    return tmp_path


def is_right(fields):
    """Return whether the prediction is for the item of the question."""
    wanted = fields["question"].removeprefix("Price of ").rstrip("?")
    return fields["predicted_sql"].endswith(f"= {wanted}")


def respond(request):
    """Judge well, except for one kind of items that are wrong and pass."""
    fields = request.fields
    if "judgement" in fields:
        return ChatReply(json.dumps({"explanations": {}, "categories": []}))
    is_fooled = fields["question"].endswith("0?") and "example" not in request.system.lower()
    return ChatReply(json.dumps({"reasoning": "?", "correct": is_right(fields) or is_fooled}))


def sample(run, *more):
    """Draw items of the run."""
    output = run / "items.jsonl"
    place = ("--dsn", f"sqlite:///{run}/t.db", "--output", str(output))
    assert main(["judge", "sample", str(run / "run"), *place, *more]) == 0
    return [json.loads(line) for line in output.read_text().splitlines()]


def test_sample_label_calibrate_and_tune_on_a_run(run, capsys, monkeypatch):
    """The whole way with one file: no item needs anything by hand."""
    capsys.readouterr()
    items = sample(run, "--count", "20", "--seed", "3")
    told = capsys.readouterr().out
    assert told.endswith("different results: 10 of 20\n  equal results: 10 of 19\n")
    assert "20 items written to" in told
    assert Counter(item["results_equal"] for item in items) == {True: 10, False: 10}
    first = items[0]
    assert first["schema"].startswith("CREATE TABLE t (")
    assert first["dialect"] == "sqlite"
    assert "price" in first["predicted_result"]
    assert sample(run, "--count", "20", "--seed", "3") == items
    answers = iter(items)
    file = str(run / "items.jsonl")

    def person(prompt):
        """Label what is shown, in the order in which it is shown."""
        return "" if prompt.startswith("why") else next(labels)

    from sqlobs.cli.judge_label import read_sources
    from sqlobs.judge.trust.labels import stratified

    shown = stratified(list(read_sources(file)), count=None, seed=0)
    by_id = {item["id"]: item for item in answers}
    labels = iter("y" if is_right(by_id[each.item.case_id]) else "n" for each in shown)
    monkeypatch.setattr("builtins.input", person)
    assert main(["judge", "label", file, "--rater", "ada"]) == 0
    capsys.readouterr()
    with serving(respond) as server:
        judge = ("--judge-url", server.base_url, "--judge-model", "m")
        assert main(["judge", "calibrate", file, *judge]) == 0
        told = capsys.readouterr().out
        assert "labeled: 10 correct, 10 incorrect" in told
        assert "sensitivity" in told
        assert main(["judge", "tune", file, *judge]) in {0, 1}
        assert (run / "items.jsonl.examples").exists()


def test_items_sampled_by_verdict_are_for_tuning(run, capsys):
    """Disputed cases are drawn more often, and a calibration refuses them."""
    items = sample(run, "--count", "8", "--by", "verdict")
    assert {item["sampled_by"] for item in items} == {"verdict"}
    told = capsys.readouterr().out
    assert "different results, judged correct: 2 of " in told
    label = {"id": items[0]["id"], "rater": "ada", "correct": True}
    (run / "items.jsonl.labels").write_text(json.dumps(label) + "\n")
    judge = ("--judge-url", "http://127.0.0.1:9/v1", "--judge-model", "m")
    assert main(["judge", "calibrate", str(run / "items.jsonl"), *judge]) == 2
    assert "were sampled by the judge's verdict" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [((), "no database to run on; give --dsn"), (("--dsn", "x"), "not a database URL")],
)
def test_a_mistake_is_one_sentence(run, capsys, monkeypatch, more, message):
    """Nothing is written."""
    monkeypatch.delenv("SQLOBS_DSN", raising=False)
    output = run / "none.jsonl"
    assert main(["judge", "sample", str(run / "run"), "--output", str(output), *more]) == 2
    assert message in capsys.readouterr().err
    assert not output.exists()


def candidates(equal, different, wrong):
    """Return cases with equal and different results; the judge calls some of each incorrect."""
    return [
        Candidate(case=(half, n), results_equal=half, judged_correct=n >= wrong)
        for half, size in ((True, equal), (False, different))
        for n in range(size)
    ]


def test_both_halves_have_the_size_of_the_smaller():
    """200 are wanted, 30 have different results: 30 of each are drawn, none twice."""
    drawn, strata = drawn_cases(candidates(100, 30, 5), count=200, by="execution", seed=1)
    assert Counter(each.results_equal for each in drawn) == {True: 30, False: 30}
    assert len({each.case for each in drawn}) == 60
    assert [(each.name, each.size, each.drawn) for each in strata] == [
        ("different results", 30, 30),
        ("equal results", 100, 30),
    ]


def test_verdicts_are_drawn_evenly_as_far_as_there_are_as_many():
    """5 of 100 are judged incorrect: all of them are among 20, and 10 are with different results."""
    drawn, _ = drawn_cases(candidates(100, 100, 5), count=40, by="verdict", seed=1)
    counts = Counter((each.results_equal, each.judged_correct) for each in drawn)
    assert counts == {(True, True): 15, (True, False): 5, (False, True): 15, (False, False): 5}


def test_a_sample_needs_both_kinds_and_verdicts_need_a_judge():
    """The message says what there is."""
    with pytest.raises(InputError, match="there are 9 and 0"):
        drawn_cases(candidates(9, 0, 0), count=4, by="execution", seed=0)
    plain = [Candidate(case=n, results_equal=bool(n % 2)) for n in range(9)]
    with pytest.raises(InputError, match="needs a judged run"):
        drawn_cases(plain, count=4, by="verdict", seed=0)
