from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlobs.metrics.spider.corpus import spider_corpus
from tests.parity import frames, spider

SCHOOL = {
    "db_id": "school",
    "table_names_original": ["Pupil", "Mark"],
    "column_names_original": [
        [-1, "*"],
        [0, "ID"],
        [0, "Name"],
        [0, "Age"],
        [1, "Pupil_ID"],
        [1, "Points"],
    ],
    "foreign_keys": [[4, 1]],
}
GOLD = [
    "SELECT name FROM pupil WHERE age > 12\tschool",
    "SELECT T1.name, max(T2.points) FROM pupil AS T1 JOIN mark AS T2 ON T1.id = T2.pupil_id GROUP BY T1.id\tschool",
    "SELECT name FROM pupil WHERE id NOT IN (SELECT pupil_id FROM mark)\tschool",
]
GUESSES = [
    "SELECT name FROM pupil WHERE age > value LIMIT 3",
    "SELECT T1.name, max(T2.points) FROM mark AS T2 JOIN pupil AS T1 ON T1.id = T2.pupil_id GROUP BY T2.pupil_id",
    "WITH x AS (SELECT 1) SELECT * FROM x",
]


def write_spider(folder: Path, *, gold=GOLD, guesses=GUESSES):
    """Write the three files and return the arguments that name them."""
    contents = {
        "--gold": "\n".join(gold) + "\n",
        "--pred": "\n".join(guesses) + "\n",
        "--tables": json.dumps([SCHOOL]),
    }
    arguments = []
    for option, content in contents.items():
        path = folder / option.strip("-")
        path.write_text(content)
        arguments += [option, str(path)]
    return arguments


def test_spider_files_give_hardness_counts_and_exact_matches(tmp_path, capsys):
    """The printed figures are counts over totals, by level; unparsed predictions count as wrong."""
    assert spider.main(write_spider(tmp_path)) == 0
    assert capsys.readouterr().out.splitlines() == [
        "hardness  easy 1  medium 1  hard 1  extra 0  all 3",
        "exact     easy 0/1  medium 1/1  hard 0/1  extra 0/0  all 1/3",
        "unparsed  1/3",
    ]


def test_files_of_unequal_length_are_refused_in_one_sentence(tmp_path, capsys):
    """A shifted prediction file must not be scored."""
    assert spider.main(write_spider(tmp_path, guesses=GUESSES[:2])) == 2
    assert "has 3 statements" in capsys.readouterr().err


def test_dialogues_are_exact_where_every_turn_is(tmp_path, capsys):
    """Blank lines part dialogues in both files, as in those of SParC and CoSQL."""
    gold = [GOLD[0], GOLD[1], "", GOLD[1], ""]
    guesses = [GUESSES[0], GUESSES[1], "", GUESSES[1], ""]
    assert spider.main(write_spider(tmp_path, gold=gold, guesses=guesses)) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "exact     easy 0/1  medium 2/2  hard 0/0  extra 0/0  all 2/3",
        "unparsed  0/3",
        "dialogues  1/2",
    ]


def write_suite(folder: Path):
    """Make two databases of the school: in the first one a filter makes no difference."""
    (folder / "school").mkdir(parents=True)
    for name, ages in (("school.sqlite", (13, 14)), ("school_2.sqlite", (11, 11, 14))):
        with closing(sqlite3.connect(folder / "school" / name)) as connection:
            connection.execute("CREATE TABLE pupil (id, name, age)")
            rows = [(number, f"p{number}", age) for number, age in enumerate(ages)]
            connection.executemany("INSERT INTO pupil VALUES (?, ?, ?)", rows)
            connection.commit()


@pytest.mark.parametrize(
    ("switches", "passed"),
    [
        ([], "easy 1/3  medium 0/0  hard 0/0  extra 0/0  all 1/3"),
        (["--plug_value"], "easy 2/3  medium 0/0  hard 0/0  extra 0/0  all 2/3"),
        (["--keep_distinct"], "easy 0/3  medium 0/0  hard 0/0  extra 0/0  all 0/3"),
    ],
)
def test_a_prediction_passes_on_every_database_of_its_suite(tmp_path, capsys, switches, passed):
    """One lacks a filter, one its value, one a DISTINCT: the switches forgive the last two."""
    write_suite(tmp_path / "databases")
    gold = [GOLD[0], GOLD[0], "SELECT DISTINCT age FROM pupil\tschool"]
    guesses = [
        "SELECT name FROM pupil",
        "SELECT name FROM pupil WHERE age > 1",
        "SELECT age FROM pupil",
    ]
    arguments = write_spider(tmp_path, gold=gold, guesses=guesses)
    assert spider.main([*arguments, "--db", str(tmp_path / "databases"), *switches]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"execution  {passed}"


@pytest.mark.parametrize("content", [b"{", b"[1]", b"[{}]", b"\xff"])
def test_a_broken_tables_file_is_refused_in_one_sentence(tmp_path, capsys, content):
    """No traceback for a file that is not what it should be."""
    arguments = write_spider(tmp_path)
    Path(arguments[-1]).write_bytes(content)
    assert spider.main(arguments) == 2
    assert capsys.readouterr().err.startswith("An input file cannot be read: ")


def test_an_unknown_database_is_named_with_its_line(tmp_path, capsys):
    """The message names the place."""
    assert spider.main(write_spider(tmp_path, gold=[*GOLD[:2], "SELECT 1\tnowhere"])) == 2
    assert capsys.readouterr().err == (
        "Line 3 names the database 'nowhere', which tables.json lacks.\n"
    )


FRAME = {
    "id": "one",
    "reference_sql": ["SELECT a, b FROM t"],
    "references": [{"columns": ["a", "b"], "rows": [[1, None], [2, 5]]}],
    "predicted": {"columns": ["b", "a"], "rows": [[5.0, 2], [None, 1]]},
    "expected": dict(
        zip(frames.METRICS, (1, 1, 1, 0), strict=True),
    ),
}


def test_frames_are_recomputed_and_disagreement_fails(tmp_path, capsys):
    """Agreement exits with 0; a recorded value that we do not find is printed and exits with 1."""
    path = tmp_path / "frames.jsonl"
    path.write_text(json.dumps(FRAME) + "\n")
    assert frames.main([str(path)]) == 0
    wrong = FRAME | {"expected": {"bird_execution_accuracy": 1}}
    path.write_text(json.dumps(wrong) + "\n")
    assert frames.main([str(path)]) == 1
    assert "one  bird_execution_accuracy: recorded 1, recomputed 0" in capsys.readouterr().out


@pytest.mark.shared
def test_published_frames_agree_in_all_metrics():
    """IBM's recorded frames: every metric of every prediction is recomputed exactly."""
    shared = os.environ.get("SQLOBS_SHARED")
    if shared is None:
        pytest.skip("SQLOBS_SHARED is not set")
    paths = sorted(Path(shared, "data", "frames").glob("*.jsonl*"))
    assert [frames.main([str(path)]) for path in paths] == [0] * len(paths)


SPIDER = {
    "SuperSQL.sql": [(224, 248), (342, 446), (107, 174), (73, 166), (746, 1034), 41],
    "TA-ACL.sql": [(186, 248), (195, 446), (69, 174), (8, 166), (458, 1034), 433],
}
"""Exact matches by level and over all, and predictions outside the grammar, as the original has."""


@pytest.mark.shared
@pytest.mark.parametrize("name", SPIDER)
def test_published_predictions_have_the_original_scripts_exact_matches(name):
    """Spider's development set with predictions of two systems, one of which writes freely."""
    folder = os.environ.get("SQLOBS_SPIDER")
    if folder is None:
        pytest.skip("SQLOBS_SPIDER names no folder with dev_gold.sql, tables.json, SuperSQL.sql, …")
    gold, tables = (Path(folder, each) for each in ("dev_gold.sql", "tables.json"))
    levels = spider_corpus(spider.read_cases(gold, Path(folder, name), tables))
    exact = [(level.exact, level.total) for level in levels.values()]
    assert [*exact, levels["all"].unsupported] == SPIDER[name]
