"""Benchmarks' own figures from the command line: Spider, BIRD."""

from __future__ import annotations

import json
import sqlite3

import pytest

from sqlobs.cli import main
from sqlobs.runs.run import Run

TABLES = {
    "db_id": "school",
    "table_names_original": ["Pupil", "Mark"],
    "column_names_original": [
        [-1, "*"],
        *([0, "ID"], [0, "Name"], [0, "Age"]),
        *([1, "Pupil_ID"], [1, "Points"]),
    ],
    "foreign_keys": [[4, 1]],
}
ROWS = """
CREATE TABLE Pupil (ID INTEGER PRIMARY KEY, Name TEXT, Age INTEGER);
CREATE TABLE Mark (Pupil_ID INTEGER REFERENCES Pupil(ID), Points INTEGER);
INSERT INTO Pupil VALUES (1, 'Ann', 9), (2, 'Bo', 10), (3, 'Cy', 10);
INSERT INTO Mark VALUES (1, 5), (1, 5), (2, 7);
"""
QUESTIONS = (
    ("SELECT Name FROM Pupil", "SELECT name FROM pupil"),
    ("SELECT count(*) , Age FROM Pupil GROUP BY Age", "SELECT count(*) , Age FROM Pupil"),
    ("SELECT Name FROM Pupil WHERE Age > 9", "SELECT Name FROM Pupil WHERE Age > 8"),
    ("SELECT max(Points) FROM Mark", "WITH x AS (SELECT 7) SELECT * FROM x"),
)


@pytest.fixture
def spider(tmp_path, monkeypatch):
    """Spider's folder with one database, and a file of predictions."""
    folder = tmp_path / "spider"
    database(folder / "database" / "school" / "school.sqlite", ROWS)
    (folder / "tables.json").write_text(json.dumps([TABLES]))
    cases = [{"db_id": "school", "question": "?", "query": gold} for gold, _ in QUESTIONS]
    (folder / "dev.json").write_text(json.dumps(cases))
    (tmp_path / "preds.sql").write_text("".join(f"{sql}\n" for _, sql in QUESTIONS))
    monkeypatch.chdir(tmp_path)
    return folder


def database(path, script):
    """Create a SQLite database."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
    connection.close()


def lines(text):
    """Return lines without the width of their columns."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_a_spider_folder_prints_the_table_of_its_evaluator(spider, capsys):
    """Hardness is computed; exact set match ignores literals, and what does not parse fails."""
    assert main(["evaluate", "--input", "spider", "--predictions", "preds.sql"]) == 0
    shown = lines(capsys.readouterr().out)
    for line in (
        "easy medium hard extra all",
        "count 3 1 0 0 4",
        "execution 0.667 0.000 n/a n/a 0.500",
        "exact match 0.667 0.000 n/a n/a 0.500",
        "select 1.000 1.000 n/a n/a 1.000",
        "group n/a 0.000 n/a n/a 0.000",
        "1 of 4 predictions are outside Spider's grammar",
    ):
        assert line in shown


def test_the_parts_of_spiders_match_are_scores(spider, tmp_path, capsys):
    """Reports, gates and comparisons know them; a part that both sides lack has no score."""
    command = ["evaluate", "--input", "spider", "--predictions", "preds.sql"]
    assert main([*command, "--fail-on", "spider_em<60%"]) == 1
    assert "spider_em<60%: failed, spider_em is 50%" in capsys.readouterr().out
    run = Run.read(tmp_path / "run" / "spider")
    assert [case.difficulty for case in run.cases] == ["easy", "medium", "easy", "easy"]
    assert [case.scores["spider_em"] for case in run.cases] == [1, 0, 1, 0]
    assert run.cases[1].scores["spider_group"] == 0
    assert "spider_group" not in run.cases[0].scores
    assert run.cases[1].clauses.parts["group(no Having)"] == (1, 0, 0)
    assert [case.clauses.is_supported for case in run.cases] == [True, True, True, False]
    (tmp_path / "preds.sql").write_text("".join(f"{sql}\n" for sql, _ in QUESTIONS))
    assert main([*command, "--run-dir", "right"]) == 0
    capsys.readouterr()
    assert main(["report", "--compare", "run/spider", "right"]) == 0
    assert "Exact set match (Spider)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ("none.json", "none.json: no such file or directory"),
        ("broken.json", "The entry of database 'school' in tables.json is broken."),
    ],
)
def test_broken_tables_are_one_sentence(spider, tmp_path, capsys, tables, message):
    """`--spider-tables` names a file that is missing, or lacks a field."""
    (tmp_path / "broken.json").write_text(json.dumps([{"db_id": "school"}]))
    command = ["evaluate", "--input", "spider", "--predictions", "preds.sql"]
    assert main([*command, "--spider-tables", tables]) == 2
    assert message in capsys.readouterr().err


def test_bird_cases_print_the_table_by_difficulty(tmp_path, monkeypatch, capsys):
    """EX, soft F1, VES and R-VES times 100 over all cases; VES is a score, not a percentage."""
    folder = tmp_path / "bird"
    database(folder / "dev_databases" / "school" / "school.sqlite", ROWS)
    golds = [gold for gold, _ in QUESTIONS[:2]]
    levels = ("simple", "challenging")
    cases = [
        {"question_id": at, "db_id": "school", "question": "?", "SQL": gold, "difficulty": level}
        for at, (gold, level) in enumerate(zip(golds, levels, strict=True))
    ]
    (folder / "dev.json").write_text(json.dumps(cases))
    (tmp_path / "p.json").write_text(json.dumps({"0": golds[0], "1": "SELECT 1"}))
    monkeypatch.chdir(tmp_path)
    command = ["evaluate", "--input", "bird", "--predictions", "p.json", "--ves", "2"]
    assert main(command) == 0
    shown = lines(capsys.readouterr().out)
    start = shown.index("=== BIRD ===")
    assert shown[start + 1 : start + 5] == [
        "simple moderate challenging total",
        "count 1 0 1 2",
        "EX (sets) 100.00 n/a 0.00 50.00",
        "Soft F1 100.00 n/a 40.00 70.00",
    ]
    assert [line.split()[0] for line in shown[start + 5 : start + 7]] == ["VES", "R-VES"]
    assert main(["report", "run/bird"]) == 0
    found = [each for each in lines(capsys.readouterr().out) if each.startswith("VES ")]
    assert len(found) == 3  # the scores of VES and of R-VES in Denodo's words, and BIRD's row
    assert not any("%" in line for line in found)


def test_a_folder_with_several_files_a_database_is_a_test_suite(spider, capsys):
    """Both results must be equal on every file, as in the layout of the test-suite repository."""
    fuzzed = ROWS.replace("(3, 'Cy', 10)", "(3, 'Cy', 9), (4, 'Di', 9)")
    database(spider / "database" / "school" / "school_fuzz.sqlite", fuzzed)
    (spider.parent / "preds.sql").write_text(
        "SELECT name FROM pupil\nSELECT count(*), Age FROM Pupil GROUP BY 2\n"
        "SELECT Name FROM Pupil WHERE ID > 1\nSELECT 7\n"
    )
    assert main(["evaluate", "--input", "spider", "--predictions", "preds.sql"]) == 0
    assert "execution 0.667 1.000 n/a n/a 0.750" in lines(capsys.readouterr().out)
    cases = Run.read(spider.parent / "run" / "spider").cases
    assert [case.is_match for case in cases] == [True, True, True, True]
    assert [case.scores["ex_testsuite"] for case in cases] == [1, 1, 0, 1]
    assert cases[0].suite == ("school/school_fuzz.sqlite",)


def test_spiders_test_suite_ignores_distinct_and_minds_any_order_by(spider, capsys):
    """As its script does; `ex` runs the statements as written."""
    pairs = (
        ("SELECT DISTINCT Pupil_ID FROM Mark", "SELECT Pupil_ID FROM Mark"),
        ("SELECT Age FROM Pupil WHERE Age > value", "SELECT Age FROM Pupil WHERE Age > 1"),
    )
    golds = [pairs[0][0], pairs[1][1]]
    guesses = [pairs[0][1], pairs[1][0]]
    cases = [{"db_id": "school", "question": "?", "query": gold} for gold in golds]
    (spider / "dev.json").write_text(json.dumps(cases))
    (spider.parent / "preds.sql").write_text("".join(f"{sql}\n" for sql in guesses))
    assert main(["evaluate", "--input", "spider", "--predictions", "preds.sql"]) == 0
    found = Run.read(spider.parent / "run" / "spider").cases
    assert [case.is_match for case in found] == [False, False]
    assert [case.scores["ex_testsuite"] for case in found] == [1, 1]


@pytest.mark.parametrize("is_by_lines", [False, True])
def test_dialogues_have_a_match_of_questions_and_of_interactions(spider, capsys, is_by_lines):
    """SParC's `dev.json`, or its gold file with blank lines between dialogues."""
    golds = [[gold for gold, _ in QUESTIONS[:2]], [gold for gold, _ in QUESTIONS[2:]]]
    turns = [[{"utterance": "?", "query": sql} for sql in dialogue] for dialogue in golds]
    dialogues = [{"database_id": "school", "interaction": each} for each in turns]
    (spider / "dev.json").write_text(json.dumps(dialogues))
    here = spider.parent
    text = "\n\n".join("\n".join(f"{sql}\tschool" for sql in each) for each in golds)
    (here / "gold.sql").write_text(text + "\n")
    wrong = [QUESTIONS[0][0], "SELECT 1", "", QUESTIONS[2][0], QUESTIONS[3][0]]
    (here / "preds.sql").write_text("".join(f"{sql}\n" for sql in wrong))
    command = ["evaluate", "--input", "gold.sql" if is_by_lines else "spider"]
    command += ["--dsn", f"sqlite:///{spider}/database/{{db}}/{{db}}.sqlite"]
    command += ["--spider-tables", "spider/tables.json", "--predictions", "preds.sql"]
    assert main([*command, "--run-dir", "run/d", "--fail-on", "interaction_match<60%"]) == 1
    shown = lines(capsys.readouterr().out)
    start = shown.index("=== DIALOGUES ===")
    assert shown[start + 1 : start + 6] == [
        "turn 1 turn 2 dialogues",
        "count 2 2 2",
        "execution match 1.000 0.500 0.500",
        "test suite 1.000 0.500 0.500",
        "exact match 1.000 0.500 0.500",
    ]
    assert "interaction_match<60%: failed, interaction_match is 50%" in shown
    assert [case.turn for case in Run.read(here / "run" / "d").cases] == [1, 2, 1, 2]


def test_results_in_files_take_the_place_of_references(tmp_path, monkeypatch, capsys):
    """Spider 2.0: several files a question, columns that count, and order."""
    database(tmp_path / "school.sqlite", ROWS)
    results = tmp_path / "gold" / "exec_result"
    results.mkdir(parents=True)
    (results / "q1.csv").write_text("name,age\nAnn,9.001\nBo,10\nCy,10\n")
    (results / "q2_a.csv").write_text("n\n7\n")
    (results / "q2_b.csv").write_text("x,n\n,3\n")
    (results / "q3.csv").write_text("name\nCy\nBo\nAnn\n")
    conditions = [
        {"instance_id": "q1", "condition_cols": [0]},
        {"instance_id": "q2", "condition_cols": [[], [1]]},
        {"instance_id": "q3", "condition_cols": [], "ignore_order": True},
    ]
    text = "\n".join(map(json.dumps, conditions))
    (tmp_path / "gold" / "eval.jsonl").write_text(text)
    statements = {
        "q1": "SELECT Age, Name FROM Pupil",
        "q2": "SELECT count(*) FROM Pupil",
        "q3": "SELECT Name FROM Pupil ORDER BY 1",
        "q4": "SELECT nothing FROM Pupil",
    }
    (results / "q4.csv").write_text("a\n1\n")
    lines = [
        json.dumps({"instance_id": name, "question": "?", "prediction": sql})
        for name, sql in statements.items()
    ]
    (tmp_path / "cases.jsonl").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    command = ["evaluate", "--input", "cases.jsonl", "--dsn", "sqlite:///school.sqlite"]
    assert main([*command, "--gold-results", "gold", "--fail-on", "spider2_match<80%"]) == 1
    assert "spider2_match<80%: failed, spider2_match is 75%" in capsys.readouterr().out
    cases = Run.read(tmp_path / "run" / "cases").cases
    assert [case.bucket for case in cases] == ["ok", "ok", "ok", "pred_fail"]
    assert not any(case.is_unanswerable for case in cases)
    (tmp_path / "empty").mkdir()
    assert main([*command, "--gold-results", "empty"]) == 2
    assert "empty: no CSV files, neither there nor in exec_result" in capsys.readouterr().err
