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
        "EX 100.00 n/a 0.00 50.00",
        "Soft F1 100.00 n/a 40.00 70.00",
    ]
    assert [line.split()[0] for line in shown[start + 5 : start + 7]] == ["VES", "R-VES"]
    assert main(["report", "run/bird"]) == 0
    found = [each for each in lines(capsys.readouterr().out) if each.startswith("VES ")]
    assert len(found) == 3  # the scores of VES and of R-VES in Denodo's words, and BIRD's row
    assert not any("%" in line for line in found)
