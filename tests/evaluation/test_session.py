"""A set of cases is evaluated on real databases: each case ends in one bucket, whatever it does."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from typing import TYPE_CHECKING

import openpyxl
import pytest

from sqlobs.errors import ConfigError, InputError
from sqlobs.evaluation.case import Case
from sqlobs.evaluation.databases import Databases, redacted
from sqlobs.evaluation.difference import shown_cell
from sqlobs.evaluation.evaluator_settings import EvaluatorSettings
from sqlobs.evaluation.resumption import Lines, Progress
from sqlobs.evaluation.runner import evaluate_cases
from sqlobs.evaluation.session import PROGRESS, evaluate_run
from sqlobs.evaluation.session_settings import SessionSettings
from sqlobs.execution.target import Limits
from sqlobs.metrics.credit_score import CreditSettings, Technique
from sqlobs.metrics.row_matching import RowMatching
from sqlobs.reporting.inspection_text import inspection
from sqlobs.reporting.junit import junit_document
from sqlobs.reporting.page.anatomy import case_document
from sqlobs.reporting.workbook.document import write_workbook
from sqlobs.runs.case import CaseResult, ResultDifference
from sqlobs.runs.lines import case_of, line_of
from sqlobs.runs.run import Run
from sqlobs.scores.comparison import ScoreSettings

if TYPE_CHECKING:
    from pathlib import Path

ROWS = Lines(line_of, case_of)
SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
STATEMENTS = [
    ("SELECT name FROM book", "SELECT name FROM book ORDER BY name DESC", "ok", None),
    ("SELECT id FROM book", "SELECT id FROM book WHERE id > 1", "mismatch", None),
    (None, None, "ok", None),
    (None, "SELECT 1", "mismatch", "one_side_none"),
    ("SELECT 1", None, "mismatch", "one_side_none"),
    ("SELECT 1", " ", "skipped", "empty_prediction"),
    ("SELECT 1", "DELETE FROM book", "non_select", "prediction: not_read_only: delete"),
    ("SELECT gone", "SELECT 1", "gold_fail", "reference: no such column: gone"),
    ("SELECT 1", "SELECT nmae FROM book", "pred_fail", "prediction: no such column: nmae"),
    ("SELECT 1", "SELEC 1", "pred_fail", 'prediction: near "SELEC": syntax error'),
    ("SELECT 1", SLOW, "timeout", "prediction: interrupted"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database with three books."""
    path = tmp_path_factory.mktemp("library") / "library.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "CREATE TABLE book (id INTEGER PRIMARY KEY, name TEXT);"
            "INSERT INTO book VALUES (1, 'Ada'), (2, 'Emma'), (3, 'Ulysses');"
        )
    connection.close()
    return path


def cases_of(*pairs):
    return [
        Case(
            index=index,
            references=() if reference is None else (reference,),
            predicted_sql=predicted,
        )
        for index, (reference, predicted, *_) in enumerate(pairs)
    ]


def settings_for(library: Path, **asked) -> SessionSettings:
    limits = Limits(timeout_s=0.3)
    return SessionSettings(
        place=f"sqlite:///{library}", evaluator=EvaluatorSettings(limits=limits, **asked)
    )


def test_every_case_ends_in_one_bucket_with_its_reason(library, tmp_path):
    """Failures are data: nothing that a statement does stops the run."""
    run = evaluate_run(cases_of(*STATEMENTS), tmp_path, settings_for(library))
    assert [(row.bucket, row.reason) for row in run.cases] == [
        (bucket, reason) for _, _, bucket, reason in STATEMENTS
    ]
    assert [row.esm for row in run.cases] == [True, False, True, *[False] * 8]
    assert run.summary.unanswerable == 2, "whatever was predicted"
    assert Run.read(tmp_path) == run
    assert not (tmp_path / "eval" / PROGRESS).exists()
    canon = (tmp_path / "eval" / "canon" / "preds.txt").read_text().splitlines()
    assert canon[:3] == [
        "select name from book order by name desc",
        "select id from book where id > 1",
        "None",
    ]


def test_a_row_says_what_was_found_about_its_case(library, tmp_path):
    """Scores, diagnosis, check, outcomes, differing rows: whole."""
    predicted = "SELECT id, nmae FROM book WHERE id > 1"
    pairs = [
        ("SELECT id, name FROM book", "SELECT id, name FROM book WHERE id > 1"),
        ("SELECT 1", predicted),
    ]
    first, second = evaluate_run(cases_of(*pairs), tmp_path, settings_for(library)).cases
    known = {
        "ex": 0.0, "ex_set": 0.0, "ex_testsuite": 0.0, "ex_subset": 0.0, "exp": 1.0,
        "exr": pytest.approx(2 / 3), "f1": pytest.approx(0.8), "soft_f1": 0.0,
        "results_match": 0.0, "subset": 0.0, "overlap": pytest.approx(200 / 3),
        "same_row_count": 0.0, "bird_f1": 0.0,
    }  # fmt: skip
    assert {name: first.scores[name] for name in known} == known
    modes = {
        **dict.fromkeys(("ex", "ex_subset"), "canonical"),
        **dict.fromkeys(("ex_set", "ex_testsuite", "exp", "exr", "f1", "soft_f1"), "raw"),
        **dict.fromkeys(("results_match", "overlap"), "raw"),
        **dict.fromkeys(("subset", "bird_f1"), "text"),
    }
    assert {name: first.cell_mode[name] for name in modes} == modes
    assert (first.assignment, first.approximate, second.cell_mode) == (None, (), {})
    assert (first.mistake, first.is_close) == ("under_prediction", False)
    assert first.difference == ResultDifference(missing=((1, "Ada"),), missing_count=1)
    assert (first.shape["predicates"], first.dialect, first.reference.rows) == (0, "sqlite", 3)
    assert (second.check.schematic, second.check.failure_code) == (False, "schema.unknown_column")
    [finding] = second.check.findings
    assert second.check.sql[finding.start : finding.end] == finding.identifier == "nmae"
    assert (first.check.strict_labels, second.check.strict_labels) == (
        ("syntactic", "schematic"),
        ("syntactic",),
    )
    assert (finding.suggestion, second.predicted.engine_class) == ("name", "SQLITE_ERROR")
    assert set(second.scores.values()) == {0.0}


def test_any_of_several_references_makes_a_case_right(library, tmp_path):
    """The alternative that agrees is named; one that does not run does no harm."""
    references = ("SELECT gone", "SELECT id FROM book", "SELECT name FROM book")
    case = Case(index=0, references=references, predicted_sql="SELECT name FROM book")
    [row] = evaluate_run([case], tmp_path, settings_for(library)).cases
    assert (row.bucket, row.matched_alternative, row.scores["f1"]) == ("ok", 2, 1.0)


def test_the_closest_of_several_references_is_the_one_that_everything_is_about(library, tmp_path):
    """Where none agrees, SQL, outcome, scores and differing rows are of the same reference."""
    references = ("SELECT 1", "SELECT id FROM book", "SELECT id FROM book WHERE id = 3")
    case = Case(index=0, references=references, predicted_sql="SELECT id FROM book WHERE id < 3")
    run = evaluate_run([case], tmp_path, settings_for(library))
    [row] = run.cases
    assert (row.bucket, row.matched_alternative, row.closest_sql) == ("mismatch", 1, references[1])
    assert (row.scores["f1"], row.reference.rows) == (pytest.approx(0.8), 3)
    assert row.difference == ResultDifference(missing=((3,),), missing_count=1)
    shown = inspection(run)
    assert "  gold:     SELECT id FROM book\n  of:       reference 2 of 3, closest match" in shown
    page = case_document(row)
    assert page["copy"] == [references[1], case.predicted_sql]
    shown_others = [texts.replace("\x1f", "") for texts, _, _ in page["alternatives"]]
    assert shown_others == [references[0], references[2]]
    assert "Showing reference 2 of 3, closest match." in page["verdict"]
    assert f"reference: {references[1]}\n" in junit_document(run)
    book = tmp_path / "run.xlsx"
    write_workbook(run, book)
    assert openpyxl.load_workbook(book)["Details"]["D4"].value == references[1]


def test_values_decide_which_reference_is_closest_where_columns_have_other_names(library, tmp_path):
    """Partial credit aligns columns by name: an alias must not make all references the same."""
    references = ("SELECT 'none'", "SELECT id AS number FROM book")
    case = Case(index=0, references=references, predicted_sql="SELECT id FROM book WHERE id < 3")
    [row] = evaluate_run([case], tmp_path, settings_for(library)).cases
    assert (row.matched_alternative, row.scores["f1"], row.reference.rows) == (1, 0.0, 3)


def test_only_what_is_asked_for_is_found_out(library, tmp_path):
    """Switched off: no exact match, no execution, no check, and no database is needed."""
    asked = EvaluatorSettings(with_em=False, with_esm=False, with_check=False)
    run = evaluate_run(
        cases_of(STATEMENTS[0]), tmp_path, SessionSettings(place=None, evaluator=asked)
    )
    [row] = run.cases
    assert (row.em, row.esm, row.check, row.bucket, row.reason) == (
        *(None, None, None),
        *("skipped", "not_asked"),
    )
    assert (run.summary.exact, run.summary.execution) == (None, None)


@pytest.mark.parametrize("assignment", ["greedy", "optimal"])
def test_a_row_says_how_it_was_scored(library, tmp_path, assignment):
    """How rows were matched, how cells were compared, and what a part of the rows stands for."""
    credit = CreditSettings(matching=RowMatching(assignment=assignment))
    scores = ScoreSettings(technique=Technique.FREE_COLUMN_AND_PARTIAL_CELL, credit=credit)
    asked = EvaluatorSettings(limits=Limits(timeout_s=5, max_rows=2), scores=scores)
    settings = SessionSettings(place=f"sqlite:///{library}", evaluator=asked)
    pairs = [("SELECT name FROM book", "SELECT id FROM book"), ("SELECT 1", "SELECT 2")]
    cut, whole = evaluate_run(cases_of(*pairs), tmp_path, settings).cases
    cut_reasons = {cut.unscored[name] for name in ("exp", "exr", "f1", "soft_f1")}
    assert (cut.approximate, cut_reasons) == ((), {"truncated"})
    assert (whole.assignment, whole.cell_mode["f1"], whole.approximate) == (assignment, "text", ())
    read = Run.read(tmp_path)
    assert (read.cases, read.settings["assignment"]) == ((cut, whole), assignment)


def test_labels_are_decided_by_the_engine_and_by_the_strict_definition(library, tmp_path):
    """SQLite takes a number beside text; without a schema nothing strict is grounded."""
    [row] = evaluate_run(
        cases_of(("SELECT 1", "SELECT id FROM book WHERE id = 'x'")),
        tmp_path,
        settings_for(library),
    ).cases
    assert (row.check.syntactic, row.check.schematic) == (True, True)
    assert row.check.strict_labels == ("syntactic",)
    asked = EvaluatorSettings(with_esm=False)
    [row] = evaluate_run(
        cases_of(("SELECT 1", "SELECT 1")),
        tmp_path / "b",
        SessionSettings(place=None, evaluator=asked),
    ).cases
    assert (row.check.syntactic, row.check.schematic) == (None, None)
    assert row.check.strict_labels == ()


def test_efficiency_is_measured_for_correct_predictions_only(library, tmp_path):
    """A reward for the correct answer, 0 for what is wrong, none for what nobody ran."""
    settings = settings_for(library, timing_runs=2)
    statements = [*STATEMENTS[:3], *STATEMENTS[4:6], STATEMENTS[7], STATEMENTS[8]]
    rows = evaluate_run(cases_of(*statements), tmp_path, settings).cases
    assert rows[0].scores["ves_reward"] in {0.25, 0.5, 0.75, 1.0, 1.25}
    assert rows[0].scores["time_ratio"] == rows[0].scores["median_ratio"] > 0
    assert (rows[0].timed.count, rows[0].timed.kept) == (2, 2)
    names = ("ves_reward", "time_ratio", "median_ratio")
    untimed = [{name: row.scores[name] for name in names if name in row.scores} for row in rows[1:]]
    wrong, unknown = dict.fromkeys(names, 0.0), {}
    assert untimed == [wrong, unknown, wrong, wrong, unknown, wrong]
    assert {row.timed for row in rows[1:]} == {None}
    assert Run.read(tmp_path).cases == rows


def without_timings(path: Path) -> str:
    text = (path / "eval" / "details.jsonl").read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    for row in rows:
        row["gold_ms"] = row["pred_ms"] = None
        for side in ("reference", "predicted"):
            if row[side] is not None:
                row[side]["elapsed_ms"] = None
    return "\n".join(map(json.dumps, rows))


class KilledError(Exception):
    """Stands for a kill between two cases."""


@pytest.mark.parametrize(
    ("reference", "predicted", "is_timed"),
    [
        ("SELECT v FROM n", "SELECT DISTINCT v FROM n", True),
        ("SELECT v FROM n ORDER BY v", "SELECT v FROM n ORDER BY v DESC", True),
        ("SELECT v FROM n", "SELECT v FROM n LIMIT 1", False),
        ("SELECT v FROM n", "SELECT v + 0.0000000001 FROM n", False),
    ],
)
def test_efficiency_rewards_equal_sets_of_rows(tmp_path, reference, predicted, is_timed):
    """As BIRD and Denodo have it: duplicates and order are no matter, and no tolerance is known."""
    path = tmp_path / "n.db"
    with sqlite3.connect(path) as connection:
        connection.executescript("CREATE TABLE n (v); INSERT INTO n VALUES (5), (6), (6);")
    connection.close()
    settings = settings_for(path, timing_runs=3)
    [row] = evaluate_run(cases_of((reference, predicted)), tmp_path, settings).cases
    assert row.scores["results_match"] == float(is_timed)
    rewards = [row.scores[name] > 0 for name in ("ves_reward", "time_ratio", "median_ratio")]
    assert rewards == [is_timed] * 3
    assert (row.timed is not None) == is_timed


def test_without_a_reference_there_is_no_efficiency_right_or_wrong(library, tmp_path):
    """Else unanswerable questions could only lower the mean; an abstention elsewhere is wrong."""
    pairs = [(None, None), (None, "SELECT 1"), ("SELECT 1", None)]
    settings = settings_for(library, timing_runs=3)
    run = evaluate_run(cases_of(*pairs), tmp_path, settings)
    assert [row.scores.get("ves_reward") for row in run.cases] == [None, None, 0.0]
    book = tmp_path / "run.xlsx"
    write_workbook(run, book)
    sheet = openpyxl.load_workbook(book)["Details"]
    assert [sheet[f"J{row}"].value for row in (4, 5, 6)] == ["N/A", "N/A", 0]


def test_execution_accuracy_alone_credits_no_cells(library, tmp_path):
    """A failed prediction gets no F1 either: the mean would be over failures."""
    scores = ScoreSettings(technique=Technique.EXECUTION_ACCURACY)
    pairs = [
        ("SELECT id FROM book", "SELECT id FROM book"),
        ("SELECT 1", "SELECT gone"),
        ("SELECT 1", None),
        (None, None),
    ]
    rows = evaluate_run(cases_of(*pairs), tmp_path, settings_for(library, scores=scores)).cases
    assert [row.scores["ex"] for row in rows] == [1, 0, 0, 1]
    assert [row.scores.get(name) for row in rows for name in ("exp", "exr", "f1")] == [None] * 12


def test_an_interrupted_run_resumes(library, tmp_path):
    """Twice interrupted and resumed, what was kept is kept and the files are the same."""
    cases = cases_of(*STATEMENTS[:-1])
    evaluate_run(cases, tmp_path / "whole", settings_for(library))

    class Watcher:
        finished: list[int] = []  # noqa: RUF012 - one list for all attempts

        def begin(self, *, total, finished):
            self.finished.append(finished)
            self.left = 3

        def advance(self, *, is_good):
            self.left -= 1
            if self.left == 0 and len(self.finished) < 3:
                raise KilledError

        def end(self):
            pass

    for _ in range(2):
        with pytest.raises(KilledError):
            evaluate_run(cases, tmp_path / "torn", settings_for(library), watcher=Watcher())
        with (tmp_path / "torn" / "eval" / PROGRESS).open("a") as file:
            file.write('{"index": 0, "gold": "SEL')  # a kill in the middle of a line
    evaluate_run(cases, tmp_path / "torn", settings_for(library), watcher=Watcher())
    first, second, third = Watcher.finished
    assert first == 0
    assert first + 3 <= second
    assert second + 3 <= third
    assert without_timings(tmp_path / "torn") == without_timings(tmp_path / "whole")


def test_what_is_kept_is_not_judged_again(tmp_path):
    """Only what was finished and not yet kept when the run broke off is done once more."""
    cases = [Case(index=number, db=str(number // 40)) for number in range(100)]
    judged = []

    def evaluate(some):
        assert len({case.db for case in some}) == 1
        for case in some:
            judged.append(case.index)
            yield CaseResult(index=case.index)

    def stop(row):
        if row.index == 50:
            raise KilledError

    with Progress(tmp_path / PROGRESS, "one", ROWS) as progress, pytest.raises(KilledError):
        evaluate_cases(cases, evaluate, workers=1, progress=progress, on_row=stop)
    judged.clear()
    with Progress(tmp_path / PROGRESS, "one", ROWS) as progress:
        rows = evaluate_cases(cases, evaluate, workers=3, progress=progress)
        assert sorted([*progress.finished, *judged]) == list(range(100))
        assert len(progress.finished) > 50
    assert [row.index for row in rows] == list(range(100))


def test_an_internal_error_is_raised():
    """What ends a thread ends the evaluation, and the other threads with it."""

    def evaluate(some):
        yield CaseResult(index=some[0].index)
        raise KilledError

    stopped = []
    with pytest.raises(KilledError):
        evaluate_cases([Case(index=0)], evaluate, workers=2, on_stop=lambda: stopped.append(1))
    assert stopped == [1]


def test_progress_of_another_question_is_dropped(tmp_path):
    """What was found about other cases, or asked otherwise, is not taken over."""
    with Progress(tmp_path / PROGRESS, "one", ROWS) as progress:
        progress.add([CaseResult(index=0)])
    with Progress(tmp_path / PROGRESS, "one", ROWS) as progress:
        assert progress.finished == {0: CaseResult(index=0)}
    with Progress(tmp_path / PROGRESS, "other", ROWS) as progress:
        assert progress.finished == {}


def test_an_invalid_dsn_is_reported_before_any_evaluation(tmp_path):
    """The database is named, its password is not."""
    cases = cases_of(STATEMENTS[0])
    for dsn, message in {
        f"sqlite:///{tmp_path}/none.db": "cannot evaluate on sqlite:///.*/none.db: cannot open the file",
        "postgresql://ann:secret@127.0.0.1:1/x": r"cannot evaluate on postgresql://ann:\*\*\*@127.0.0.1:1/x:",
        "nothing://x": "cannot execute on 'nothing'",
    }.items():
        with pytest.raises(ConfigError, match=message):
            evaluate_run(cases, tmp_path / "run", SessionSettings(place=dsn))


def test_a_database_for_each_case_is_named_by_the_case(tmp_path):
    """`{db}` wants a name, and a name is no path."""
    dsn = "sqlite:////dbs/{db}/{db}.sqlite"
    named = Case(index=0, db="a b")
    assert [target.path for target in Databases.of(dsn, [named]).distinct] == [
        "/dbs/a b/a b.sqlite"
    ]
    invalid = "is not a valid database name"
    for db, message in {None: "names no database", "../x": invalid, "..": invalid}.items():
        with pytest.raises(InputError, match=message):
            Databases.of(dsn, [dataclasses.replace(named, db=db)])


@pytest.mark.parametrize(
    ("dsn", "shown"),
    [
        ("sqlite:////a/b.db", "sqlite:////a/b.db"),
        ("postgresql://a:p/w@h:1/x?options=1", "postgresql://a:***@h:1/x"),
        ("postgresql://h/x?user=a&password=p", "postgresql://h/x"),
        ("postgresql://h/x?password=p@q", "postgresql://h:***@q"),
    ],
)
def test_no_password_is_ever_shown(dsn, shown):
    """What stands before the last @ and behind the first ? is hidden."""
    assert redacted(dsn) == shown


def test_cells_are_shown_as_json_can_hold_them():
    """Long, huge and binary values are cut or written as text."""
    huge = 10**5000
    cells = (None, True, 7, 2**60, 1.5, float("nan"), "x" * 300, b"\xff", huge)
    shown = tuple(map(shown_cell, cells))
    assert shown[:6] == (None, True, 7, str(2**60), 1.5, "nan")
    assert shown[6:8] == ("x" * 200 + "…", "0xff")
    assert len(shown[8]) == 201
    row = CaseResult(index=0, difference=ResultDifference(missing=(shown,)))
    json.loads(line_of(row))


STRANGE = [
    ("SELECT 9e999", "SELECT 9e999", "ok", 1.0),
    ("SELECT 9e999", "SELECT 1", "mismatch", 0.0),
    ("SELECT 1 AS a, 2 AS a", "SELECT 1 AS a, 2 AS a", "ok", 1.0),
    ("SELECT 1 AS a, 2 AS a", "SELECT 2 AS a, 1 AS a", "mismatch", 0.0),
    ("SELECT 9223372036854775807", "SELECT 9223372036854775806", "mismatch", 0.0),
    ("SELECT CAST(x'ff' AS TEXT)", "SELECT CAST(x'ff' AS TEXT)", "ok", 1.0),
    ("SELECT 1", "SELECT hex(hex(printf('%.600000c', 'x')))", "pred_fail", 0.0),
    ("SELECT " + ", ".join(map(str, range(3000))), "SELECT 1", "gold_fail", None),
    ("SELECT NULL", "SELECT ''", "mismatch", 0.0),
]


def test_strange_values_have_a_correct_score(library, tmp_path):
    """Infinity, repeated names, huge numbers and cells, bytes, too many columns: no traceback."""
    run = evaluate_run(cases_of(*STRANGE), tmp_path, settings_for(library))
    found = [(row.bucket, row.scores.get("ex")) for row in run.cases]
    assert found == [(bucket, score) for _, _, bucket, score in STRANGE]
    for line in (tmp_path / "eval" / "details.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=pytest.fail)


def test_a_locked_database_is_reported_before_any_evaluation(library, tmp_path):
    """Somebody who holds the file for writing is no fault of any statement."""
    path = tmp_path / "locked.db"
    path.write_bytes(library.read_bytes())
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(ConfigError, match="cannot open the file: database is locked"):
            evaluate_run(cases_of(STATEMENTS[0]), tmp_path, settings_for(path))
    finally:
        holder.close()


def test_own_functions_are_allowed_by_name():
    """Only what is named may be called besides the dialect's functions."""
    case = Case(index=0)
    found = Databases.of("sqlite:///x.db", [case], functions=frozenset({"tax"}))
    assert found.target_of(case).policy.allowed_functions == {"tax"}


@pytest.fixture(scope="module")
def branches(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The DSN of three databases with the same table: two are alike, in the third a name repeats."""
    folder = tmp_path_factory.mktemp("branches")
    for name, rows in {
        "one": "('Ada'), ('Eve')",
        "two": "('Bea')",
        "three": "('Ada'), ('Ada')",
    }.items():
        with sqlite3.connect(folder / f"{name}.db") as connection:
            connection.executescript(
                f"CREATE TABLE pupil (name TEXT); INSERT INTO pupil VALUES {rows}"
            )
            if name == "two":
                connection.execute("CREATE TABLE extra (name TEXT)")
        connection.close()
    return f"sqlite:///{folder}/{{db}}.db"


@pytest.mark.parametrize(
    ("suite", "predicted", "score"),
    [
        ((), "SELECT DISTINCT name FROM pupil", 1.0),
        (("two",), "SELECT DISTINCT name FROM pupil", 1.0),
        (("two", "three"), "SELECT DISTINCT name FROM pupil", 0.0),
        (("three", "two"), "SELECT name FROM pupil ORDER BY name DESC", 1.0),
        (("two",), "SELECT 'Ada' UNION SELECT 'Eve'", 0.0),
        (("two",), "SELECT nmae FROM pupil", 0.0),
    ],
)
def test_test_suite_accuracy_has_to_hold_on_every_database(
    branches, tmp_path, suite, predicted, score
):
    """A neighbor tells apart what the first database does not; the bucket is the first one's."""
    case = Case(
        index=0,
        references=("SELECT name FROM pupil",),
        predicted_sql=predicted,
        db="one",
        suite=suite,
    )
    [row] = evaluate_run([case], tmp_path, SessionSettings(place=branches)).cases
    assert (row.scores["ex_testsuite"], row.suite) == (score, suite)
    assert row.bucket == ("pred_fail" if "nmae" in predicted else "ok")


def test_a_reference_that_fails_on_one_database_of_a_suite_decides_nothing(branches, tmp_path):
    """The other databases agree, but no more is known."""
    sql = "SELECT name FROM extra"
    case = Case(index=0, references=(sql,), predicted_sql=sql, db="two", suite=("one",))
    [row] = evaluate_run([case], tmp_path, SessionSettings(place=branches)).cases
    assert (row.bucket, row.scores["ex_testsuite"]) == ("ok", None)


def test_a_suite_needs_a_place_for_its_names(library, tmp_path):
    """One DSN for all would be the same database several times."""
    case = Case(index=0, references=("SELECT 1",), predicted_sql="SELECT 1", db="a", suite=("b",))
    with pytest.raises(
        InputError, match=r"case 0 names several databases: put \{db\} into the DSN"
    ):
        evaluate_run([case], tmp_path, settings_for(library))
