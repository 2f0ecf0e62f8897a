"""Cases come from files of every usual form; what is broken is named with its place."""

from __future__ import annotations

import json

import openpyxl
import pytest

from sqlobs import semconv
from sqlobs.errors import InputError
from sqlobs.evaluation.case import Case
from sqlobs.evaluation.loading.cases import LoadSettings, load_cases
from sqlobs.evaluation.loading.columns import Columns
from sqlobs.evaluation.loading.omissions import Omission
from sqlobs.evaluation.loading.run_files import write_run
from sqlobs.runs.case import GenerationRecord

CASE = Case(
    index=0,
    references=("SELECT 1",),
    predicted_sql="SELECT 2",
    id="7",
    question="How many?",
    difficulty="simple",
    db="shop",
    hint="count",
)

DENODO = """question_id,Question,Solution,difficulty,Context,db,Prediction
7,How many?,SELECT 1,simple,count,shop,SELECT 2
,,,,,,
"""


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def as_json(**fields):
    return json.dumps(fields)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "ours.jsonl",
            as_json(
                id=7,
                question="How many?",
                solution="SELECT 1",
                prediction="SELECT 2",
                difficulty="simple",
                db="shop",
                context="count",
            )
            + "\n\n",
        ),
        (
            "bird.json",
            "["
            + as_json(
                question_id=7,
                db_id="shop",
                question="How many?",
                evidence="count",
                SQL="SELECT 1",
                difficulty="simple",
                pred="SELECT 2",
            )
            + "]",
        ),
        (
            "collected.jsonl",
            as_json(
                id="7",
                question="How many?",
                sql="SELECT 2",
                reference="SELECT 1",
                difficulty="simple",
                database="shop",
                hints="count",
            ),
        ),
        (
            "fenced.jsonl",
            as_json(
                id="7",
                question="How many?",
                gold=["SELECT 1"],
                db="shop",
                hint="count",
                completion="Here it is:\n```sql\nSELECT 2\n```",
                difficulty="simple",
            ),
        ),
        (
            "denodo.csv",
            "\ufeff" + DENODO,
        ),
        ("semicolons.csv", DENODO.replace(",", ";")),
        ("tabs.tsv", DENODO.replace(",", "\t")),
    ],
)
def test_usual_names_of_fields_are_understood(tmp_path, name, text):
    """The words of Denodo, BIRD, Spider and our own exports mean the same."""
    found = load_cases(write(tmp_path / name, text), LoadSettings())
    assert (found.cases, found.has_predictions) == ((CASE,), True)


def test_excel_files_are_read(tmp_path):
    """The first sheet's first row names the columns; whole numbers stay whole."""
    book = openpyxl.Workbook()
    book.active.append(["id", "Frage", "Solution", "difficulty", "db", "context", "prediction"])
    book.active.append([7, "How many?", "SELECT 1", "simple", "shop", "count", "SELECT 2"])
    book.active.append([None] * 7)
    book.save(tmp_path / "cases.xlsx")
    settings = LoadSettings(columns=Columns.of(["question=Frage"]))
    assert load_cases(tmp_path / "cases.xlsx", settings).cases == (CASE,)


def test_a_formula_that_nobody_computed_is_no_empty_cell(tmp_path):
    """Programs that write formulas do not always compute them."""
    book = openpyxl.Workbook()
    book.active.append(["Question", "Solution"])
    book.active.append(["q", '="SELECT 1"'])
    book.save(tmp_path / "x.xlsx")
    with pytest.raises(InputError, match="row 2: a formula without its value"):
        load_cases(tmp_path / "x.xlsx", LoadSettings())


def test_statements_by_dialect_and_templates_give_all_alternatives(tmp_path):
    """Only the target's dialect counts; `;` and `{}` stand for several statements."""
    gold = {"sqlite": "SELECT {a, b} FROM t; SELECT 3", "postgres": "SELECT 4"}
    lines = [as_json(id=1, gold=gold), as_json(id=2, gold={"postgres": "SELECT 5"})]
    path = write(tmp_path / "cases.jsonl", "\n".join(lines))
    settings = LoadSettings(dialect="sqlite", is_template=True)
    assert [case.references for case in load_cases(path, settings).cases] == [
        ("SELECT a FROM t", "SELECT  b FROM t", "SELECT a,  b FROM t", "SELECT 3")
    ]


def test_predictions_are_joined_by_id_or_by_position(tmp_path):
    """An id without an answer has an empty one; lines belong to cases in order."""
    path = write(tmp_path / "gold.sql", "SELECT 1\tshop\nSELECT 2\tbar\n")
    cases = load_cases(path, LoadSettings())
    assert [(case.references, case.db) for case in cases.cases] == [
        (("SELECT 1",), "shop"),
        (("SELECT 2",), "bar"),
    ]
    for name, text in {
        "lines.txt": "SELECT 5\nNone\n",
        "bird.json": as_json(**{"0": "SELECT 5\t----- bird -----\tshop", "1": "None"}),
        "by_id.jsonl": as_json(id=1, sql=None) + "\n" + as_json(id="0", sql="SELECT 5"),
    }.items():
        joined = cases.with_predictions(write(tmp_path / name, text), LoadSettings()).cases
        assert [case.predicted_sql for case in joined][:1] == ["SELECT 5"], name
    one = write(tmp_path / "one.jsonl", as_json(id=1, sql="SELECT 6"))
    joined = cases.with_predictions(one, LoadSettings()).cases
    assert [case.predicted_sql for case in joined] == ["", "SELECT 6"]


def test_a_benchmarks_folder_sets_its_databases(tmp_path):
    """Spider's and BIRD's layout: questions in dev.json, a folder a database."""
    (tmp_path / "database").mkdir()
    entry = as_json(db_id="shop", question="How many?", query="SELECT 1")
    write(tmp_path / "dev.json", f"[{entry}]")
    found = load_cases(tmp_path, LoadSettings())
    assert found.cases == (
        Case(index=0, references=("SELECT 1",), question="How many?", db="shop"),
    )
    assert found.dsn == f"sqlite:///{tmp_path}/database/{{db}}/{{db}}.sqlite"
    assert not found.has_predictions


def test_a_run_directory_keeps_what_a_line_cannot_hold(tmp_path):
    """Writing and reading a run gives the same cases, line breaks in literals included."""
    cases = (
        Case(
            index=0,
            references=("SELECT 'a\nb' -- x\nFROM t", "SELECT 2"),
            predicted_sql="SELECT 'c\nd'",
            id="x",
            question="Zwei\nZeilen?",
            difficulty="hard",
            generation=GenerationRecord(model="m", llm_time=0.5),
        ),
        Case(index=1, generation=GenerationRecord(status="refused")),
        Case(index=2, references=("SELECT 3",), predicted_sql="", generation=GenerationRecord()),
    )
    write_run(tmp_path, cases)
    assert (tmp_path / "gold.txt").read_text() == "SELECT 'a b'  FROM t\nNone\nSELECT 3\n"
    assert (tmp_path / "preds.txt").read_text() == "SELECT 'c d'\nNone\n\n"
    assert load_cases(tmp_path, LoadSettings()).cases == cases


def test_a_missing_reference_is_not_the_one_of_an_unanswerable_question(tmp_path):
    """An empty line is no reference, `None` says that nothing answers; files keep both apart."""
    write(tmp_path / "gold.txt", "\nNone\n")
    write(tmp_path / "preds.txt", "None\n\n")
    cases = load_cases(tmp_path, LoadSettings()).cases
    assert [(case.references, case.has_reference, case.predicted_sql) for case in cases] == [
        ((), False, None),
        ((), True, ""),
    ]
    write_run(tmp_path, cases)
    assert (tmp_path / "gold.txt").read_text() == "\nNone\n"
    assert load_cases(tmp_path, LoadSettings()).cases == cases


@pytest.mark.parametrize(
    ("gold", "is_known"),
    [
        ('"None"', True),
        ('["None"]', True),
        ('""', False),
        ('"  "', False),
        ("null", False),
        ("NaN", False),
        ("[]", False),
    ],
)
def test_what_says_that_a_question_is_unanswerable(gold, is_known, tmp_path):
    """Only the word does; an empty field says nothing."""
    path = write(
        tmp_path / "cases.jsonl", f'{{"question": "?", "gold": {gold}, "pred": "SELECT 1"}}'
    )
    [case] = load_cases(path, LoadSettings()).cases
    assert (case.references, case.has_reference) == ((), is_known)


@pytest.mark.parametrize("gold", ["7", "true", '[{"a": 1}]', '["SELECT 1", 3]'])
def test_a_reference_that_is_no_statement_is_a_mistake(gold, tmp_path):
    """Its case is not evaluated as one without a reference."""
    path = write(tmp_path / "cases.jsonl", f'{{"gold": {gold}, "pred": "SELECT 1"}}')
    with pytest.raises(InputError, match=r"line 1: .* is not a statement; a reference is a text"):
        load_cases(path, LoadSettings())


def test_without_references_every_statement_is_a_prediction(tmp_path):
    """Also under a name that otherwise means the reference, and in lines of SQL."""
    own = LoadSettings(with_references=False)
    path = write(tmp_path / "cases.jsonl", as_json(question="?", sql="SELECT 1"))
    [case] = load_cases(path, own).cases
    assert (case.predicted_sql, case.has_reference) == ("SELECT 1", False)
    path = write(tmp_path / "cases.jsonl", as_json(gold="SELECT 2", pred="SELECT 1"))
    [case] = load_cases(path, own).cases
    assert (case.predicted_sql, case.references, case.has_reference) == ("SELECT 1", (), False)
    [line] = load_cases(write(tmp_path / "x.sql", "SELECT 1\tshop\n"), own).cases
    assert (line.predicted_sql, line.db) == ("SELECT 1", "shop")
    write(tmp_path / "preds.txt", "SELECT 1\n")
    assert load_cases(tmp_path, own).cases[0].predicted_sql == "SELECT 1"
    with pytest.raises(InputError, match=r"gold\.txt: no such file; give --no-gold"):
        load_cases(tmp_path, LoadSettings())


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.jsonl", b'{"a": 1}\n\n{"a"', "x.jsonl, line 3: not JSON (Expecting ':' delimiter)"),
        ("x.jsonl", b"[1]", "x.jsonl, line 1: not a JSON object"),
        ("x.jsonl", b"", "x.jsonl contains no case"),
        ("x.json", b'{"a": 1}', "x.json: not a JSON list of objects"),
        ("x.jsonl", b'{}\n{"a": "\xff"}', "x.jsonl, line 2: not UTF-8 text (byte 0xff)"),
        ("x.csv", b"a,b\n1,2,3\n", "x.csv, line 2: 3 fields, but 2 columns"),
        ("x.csv", b'a,b\n"1,2\n', "x.csv, line 2: unexpected end of data"),
        ("x.csv", b"", "x.csv: the file is empty"),
        ("x.xlsx", b"PK", "x.xlsx: not an Excel workbook (BadZipFile)"),
        ("x.doc", b"", "x.doc: cases are read from .jsonl, .ndjson, .json"),
    ],
)
def test_an_invalid_file_gives_one_error_sentence_with_the_position(
    tmp_path, name, content, message
):
    """What is wrong is said, and where."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_cases(tmp_path / name, LoadSettings())
    assert str(caught.value).startswith(f"{tmp_path}/{message}")


def test_ids_on_only_one_side_are_reported(tmp_path, caplog):
    """A case without a prediction is an empty one; a prediction without a case is passed over."""
    lines = "\n".join(as_json(id=name, gold="SELECT 1") for name in "abc")
    cases = load_cases(write(tmp_path / "cases.jsonl", lines), LoadSettings())
    answers = "\n".join(as_json(id=name, sql="SELECT 1") for name in "bxyz")
    path = write(tmp_path / "p.jsonl", answers)
    found = cases.with_predictions(path, LoadSettings())
    assert [case.predicted_sql for case in found.cases] == ["", "SELECT 1", ""]
    sentence = f"{path}: 2 cases have no prediction and count as empty, such as a"
    assert caplog.messages == [sentence]
    assert found.predictions_left_out == {("no_case", "x"): 3}
    caplog.clear()
    first = load_cases(tmp_path / "cases.jsonl", LoadSettings(most=2))
    first.with_predictions(path, LoadSettings(most=2))
    assert len(caplog.messages) == 1


def test_files_of_different_runs_are_rejected(tmp_path):
    """Unequal numbers of lines, foreign ids, repeated ids, and missing fields are mistakes."""
    write(tmp_path / "gold.txt", "SELECT 1\nSELECT 2\n")
    write(tmp_path / "preds.txt", "SELECT 1\n")
    with pytest.raises(InputError, match=r"gold.txt has 2 lines, preds.txt has 1"):
        load_cases(tmp_path, LoadSettings())
    cases = load_cases(tmp_path / "gold.txt", LoadSettings())
    for text, message in {
        "SELECT 1": "1 predictions for 2 cases",
        as_json(id=5, sql="x"): "no id matches a case",
        as_json(id=1, sql="x")
        + "\n"
        + as_json(sql="x"): "either every prediction or none must have an id",
        as_json(id=1, other="x"): "no field contains the prediction",
    }.items():
        name = "p.jsonl" if text.startswith("{") else "p.txt"
        with pytest.raises(InputError, match=message):
            cases.with_predictions(write(tmp_path / name, text), LoadSettings())
    with pytest.raises(InputError, match="write ROLE=NAME"):
        Columns.of(["query=x"])
    own = LoadSettings(columns=Columns.of(["question=Frage"]))
    with pytest.raises(InputError, match="no field 'Frage'"):
        load_cases(write(tmp_path / "x.jsonl", as_json(question="?")), own)


def test_a_collectors_export_gives_the_units_with_raw_sql(tmp_path):
    """What cannot be judged is left out and counted; the target names the database."""
    texts = {
        semconv.SQLOBS_QUERY_TEXT: "SELECT 2",
        semconv.SQLOBS_QUESTION_TEXT: "How many?",
        semconv.SQLOBS_REFERENCE_QUERY_TEXT: "SELECT 1",
    }
    ids = {"trace_id": "aa", "span_id": "bb", "target": "shop", "dialect": "sqlite"}
    lines = [
        as_json(**ids, texts=texts, evaluations=[], capture="raw"),
        as_json(**ids, texts=texts, evaluations=[], capture="masked"),
        as_json(texts=None, evaluations=[]),
        as_json(
            **{**ids, "span_id": "cc"},
            texts={semconv.SQLOBS_QUERY_TEXT: "SELECT 3"},
            evaluations=[],
            capture="raw",
        ),
    ]
    path = write(tmp_path / "units.jsonl", "\n".join(lines))
    found = load_cases(path, LoadSettings(dialect="sqlite"))
    case, unknown = found.cases
    assert (unknown.id, unknown.predicted_sql, unknown.has_reference) == (
        "aa-cc",
        "SELECT 3",
        False,
    )
    assert (case.id, case.question, case.db) == ("aa-bb", "How many?", "shop")
    assert (case.references, case.predicted_sql) == (("SELECT 1",), "SELECT 2")
    assert found.has_predictions
    assert found.left_out == {Omission("no_sql"): 2}


def test_lines_of_a_golden_file_about_one_question_are_alternatives(tmp_path):
    """The collector's own file can be asked of a system under test."""
    lines = [
        as_json(question="How many?", sql="SELECT 1"),
        as_json(question="How many?", sql="SELECT 2"),
        as_json(question="How many?", sql="SELECT 3", target="other"),
    ]
    found = load_cases(write(tmp_path / "golden.jsonl", "\n".join(lines)), LoadSettings())
    assert [(case.references, case.db) for case in found.cases] == [
        (("SELECT 1", "SELECT 2"), None),
        (("SELECT 3",), "other"),
    ]
    assert not found.has_predictions


def test_a_list_of_databases_is_one_and_its_suite(tmp_path):
    """Each once; a run's files keep them."""
    databases = ["shop", "shop_2", "shop", 3]
    path = write(
        tmp_path / "cases.jsonl", as_json(solution="SELECT 1", pred="SELECT 1", db=databases)
    )
    [case] = load_cases(path, LoadSettings()).cases
    assert (case.db, case.suite) == ("shop", ("shop_2", "3"))
    write_run(tmp_path, [case])
    assert load_cases(tmp_path, LoadSettings()).cases == (case,)
