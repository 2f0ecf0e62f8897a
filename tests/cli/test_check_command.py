"""`sqlobs check`, from the shell's side."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

from sqlobs.cli import main
from sqlobs.evaluation.loading.columns import Columns
from sqlobs.evaluation.loading.predictions import read_predictions

DDL = """CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total_revenue REAL);
"""
STATIC = ["--dialect", "sqlite", "--no-native"]


@pytest.fixture
def schema(tmp_path):
    """Return the path of a script of the shop's schema."""
    path = tmp_path / "schema.sql"
    path.write_text(DDL)
    return str(path)


def test_a_grounded_statement_passes(schema, capsys):
    """One line, exit code 0."""
    code = main(["check", "SELECT name FROM customers", "--schema", schema, *STATIC])
    assert (code, capsys.readouterr().out) == (0, "ok: syntactic pass, schematic pass [sqlite]\n")


def test_a_wrong_name_is_underlined(schema, capsys):
    """The finding's place, its line with carets, and the repaired statement."""
    sql = "SELECT o.id,\n\to.total_revenu\nFROM orders o"
    assert main(["check", sql, "--schema", schema, *STATIC]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "failed: syntactic pass, schematic fail [sqlite]"
    assert shown[1].startswith("  error schema.unknown_column at line 2, column ")
    assert shown[1].endswith(" Did you mean total_revenue?")
    assert shown[2] == "     o.total_revenu"
    assert shown[3] == " " * shown[2].index("total") + "^" * len("total_revenu")
    assert shown[4:] == [
        "  passes with the suggestions applied:",
        "    SELECT o.id,",
        "    \to.total_revenue",
        "    FROM orders o",
    ]


def test_the_caret_stands_under_the_name_behind_wide_characters(schema, capsys):
    """A terminal gives some characters two columns and some none."""
    sql = "SELECT '日本', 'e\u0301', x FROM orders"
    assert main(["check", sql, "--schema", schema, *STATIC]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[2] == f"    {sql}"
    assert shown[3] == " " * (4 + len("SELECT 'xxxx', 'e', ")) + "^"


def test_of_a_long_line_the_part_with_the_name_is_shown(schema, capsys):
    """The line is cut, the caret is right."""
    sql = f"SELECT {'id, ' * 100}missing FROM orders"
    assert main(["check", sql, "--schema", schema, *STATIC]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert len(shown[2]) <= 104
    assert shown[2][shown[3].index("^") : shown[3].rindex("^") + 1] == "missing"


NO_SCHEMA = "names and types were not checked: give --schema, or --no-schema for the syntax only"
NO_DIALECT = "the syntax was not checked: give --dialect"


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (STATIC, 2, NO_SCHEMA),
        ([*STATIC, "--json"], 2, NO_SCHEMA),
        ([*STATIC, "--no-schema"], 0, None),
        (["--no-schema"], 2, NO_DIALECT),
        ([], 2, NO_DIALECT),
    ],
)
def test_what_was_not_checked_is_no_success(options, code, sentence, tmp_path, capsys):
    """A job without its schema is not green; anyone who wants the syntax alone says so."""
    batch = tmp_path / "batch.jsonl"
    batch.write_text('{"sql": "SELECT a FROM t"}\n')
    for given in ("SELECT a FROM t", str(batch)):
        assert main(["check", given, *options]) == code
        shown = capsys.readouterr()
        assert shown.err == ("" if sentence is None else f"sqlobs check: {sentence}\n")
        assert "no_schema" in shown.out or given == str(batch)


def test_a_failed_statement_fails_without_a_schema(capsys):
    """What is known to be wrong does not need one."""
    assert main(["check", "SELEC a FROM t", *STATIC]) == 1
    assert capsys.readouterr().err == ""


def test_schema_and_no_schema_exclude_each_other(schema, capsys):
    """One sentence, before anything is read."""
    assert main(["check", "SELECT 1", "--schema", schema, "--no-schema"]) == 2
    assert "--schema and --no-schema are mutually exclusive" in capsys.readouterr().err


RECORDS = [
    {"prediction": "SELECT nam FROM customers", "gold": "SELECT name FROM customers"},
    {"Completion": "```sql\nSELECT nam FROM customers\n```"},
    {"generated_sql": "SELECT nam FROM customers", "sql": "SELECT name FROM customers"},
    {"pred": "SELECT nam FROM customers", "query": "SELECT name FROM customers"},
    {"SQL": "SELECT nam FROM customers"},
    {"completion": {"choices": [{"message": {"content": "SELECT nam FROM customers"}}]}},
]


@pytest.mark.parametrize("record", RECORDS, ids=[",".join(record) for record in RECORDS])
def test_a_prediction_is_found_where_the_evaluation_finds_it(record, schema, tmp_path, capsys):
    """The same file, the same statement: one place knows the fields."""
    file = tmp_path / "predictions.jsonl"
    file.write_text(json.dumps({"question_id": "q1", **record}) + "\n")
    assert main(["check", str(file), "--schema", schema, *STATIC, "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["id"], report["sql"]) == ("q1", "SELECT nam FROM customers")
    assert report["hallucinated"] is True
    [answer] = read_predictions(file, Columns(), "sqlite").answers
    assert answer == report["sql"]


@pytest.mark.parametrize("given", ["answer.txt", "-"])
def test_answers_come_from_files_and_standard_input(given, schema, tmp_path, monkeypatch, capsys):
    """A model's whole answer may be given; what was stripped is named."""
    answer = "Here:\n```sql\nSELECT name FROM customers\n```\n"
    (tmp_path / "answer.txt").write_text(answer)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(answer.encode())))
    assert main(["check", given, "--schema", schema, *STATIC]) == 0
    assert capsys.readouterr().out == (
        "ok: syntactic pass, schematic pass [sqlite]\n  removed around the SQL: fence\n"
    )


def test_a_report_as_json_has_fields_and_what_follows_from_them(schema, capsys):
    """One line, for machines."""
    assert main(["check", "SELECT nam FROM customers", "--schema", schema, *STATIC, "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert {name: report[name] for name in ("verdict", "failure_code", "unknown_columns")} == {
        "verdict": "failed",
        "failure_code": "schema.unknown_column",
        "unknown_columns": ["nam"],
    }
    assert report["findings"][0]["suggestion"] == "name"


def test_a_batch_is_checked_line_by_line(schema, tmp_path, capsys):
    """Failed lines are shown with line and id, then the counts."""
    batch = tmp_path / "batch.jsonl"
    batch.write_text(
        '{"id": "q1", "sql": "SELECT name FROM customers"}\n\n'
        '{"id": "q2", "query": "SELECT x FROM customers"}\n'
        '{"completion": 1, "content": "I cannot answer."}\n'
    )
    assert main(["check", str(batch), "--schema", schema, *STATIC]) == 1
    shown = capsys.readouterr().out
    assert "line 3 (q2): failed: syntactic pass, schematic fail [sqlite]\n" in shown
    assert "line 4: failed: syntactic fail, " in shown
    assert shown.endswith(
        "3 statements: 1 ok, 0 suspect, 2 failed, 0 not evaluated\n"
        "       1  schema.unknown_column\n       1  syntax.no_sql\n"
    )


def test_a_batch_as_json_prints_one_report_per_line(schema, tmp_path, capsys):
    """Line number and id come first."""
    batch = tmp_path / "batch.jsonl"
    batch.write_text('{"id": 7, "sql": "SELECT 1"}\n{"sql": "SELECT 2"}\n')
    assert main(["check", str(batch), "--schema", schema, *STATIC, "--json"]) == 0
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["line"], one.get("id"), one["verdict"], one["sql"]) for one in reports] == [
        (1, 7, "ok", "SELECT 1"),
        (2, None, "ok", "SELECT 2"),
    ]


@pytest.fixture
def model(monkeypatch):
    """Serve a model that says no to the function; the variables point at it."""
    from sqlobs.judge.replay import ChatReply, serving

    verdict = {
        "reasoning": "No such function.\nReally.",
        **dict.fromkeys(("grammar", "grounding", "aliases", "schematic"), True),
        **dict.fromkeys(("functions", "syntactic"), False),
        "wrong_names": [{"name": "ai_rank", "kind": "function"}],
    }
    with serving(lambda _: ChatReply(json.dumps(verdict))) as server:
        monkeypatch.setenv("SQLOBS_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("SQLOBS_LLM_MODEL", "small")
        yield server


def test_a_model_is_asked_where_the_checker_cannot_decide(model, schema, tmp_path, capsys):
    """Only then: of a batch one call is made for the statement that is undecided."""
    batch = tmp_path / "batch.jsonl"
    statements = ("SELECT name FROM customers", "SELECT ai_rank(name) FROM customers")
    batch.write_text("".join(json.dumps({"sql": sql}) + "\n" for sql in statements))
    arguments = ["check", str(batch), "--schema", schema, "--dialect", "hive", "--llm"]
    assert main([*arguments, "--hints", "ranks are new"]) == 1
    assert capsys.readouterr().out == (
        "line 2: failed: syntactic fail, schematic pass [hive, llm]\n"
        "  error syntax.dialect_mismatch at line 1, column 8: The model says that the function"
        " ai_rank is wrong.\n"
        "    SELECT ai_rank(name) FROM customers\n"
        "           ^^^^^^^\n"
        "  model small: No such function.\n\n"
        "2 statements: 1 ok, 0 suspect, 1 failed, 0 not evaluated\n"
        "       1  syntax.dialect_mismatch\n"
    )
    assert [request.fields["hints"] for request in model.requests] == ["ranks are new"]


def test_without_a_model_to_ask_the_variable_is_named(schema, monkeypatch, capsys):
    """One sentence, exit code 2."""
    monkeypatch.delenv("SQLOBS_LLM_MODEL", raising=False)
    assert main(["check", "SELECT 1", "--schema", schema, *STATIC, "--llm"]) == 2
    assert "SQLOBS_LLM_MODEL: is not set" in capsys.readouterr().err


def test_a_sqlite_file_is_a_schema(tmp_path, capsys):
    """Known by its first bytes, whatever its name."""
    import sqlite3

    connection = sqlite3.connect(tmp_path / "shop.bin")
    connection.executescript(DDL)
    connection.close()
    assert main(["check", "SELECT nam FROM customers", "--schema", str(tmp_path / "shop.bin")]) == 1
    assert "Did you mean name?" in capsys.readouterr().out


BAD_INPUT = [
    ("missing schema", ["SELECT 1", "--schema", "nowhere.sql", "--dialect", "sqlite"], "nowhere.sql: no such file or directory"),
    ("wrong dialect", ["SELECT 1", "--dialect", "postgrse"], "unknown SQL dialect 'postgrse': did you mean 'postgres'?"),
    ("unreadable DDL", ["SELECT 1", "--schema", "broken.sql", "--dialect", "sqlite"], "broken.sql: line 2: CREATE TABLE t cannot be read: a parenthesis is never closed."),
    ("no table", ["SELECT 1", "--schema", "empty.sql", "--dialect", "sqlite"], "empty.sql: the script defines no table or view: include the CREATE statements."),
    ("script without dialect", ["SELECT 1", "--schema", "good.sql"], "good.sql is a DDL script; give its dialect with --dialect"),
    ("conflicting dialects", ["SELECT 1", "--schema", "good.json", "--dialect", "mysql"], "good.json has dialect sqlite, but --dialect is mysql; give only one dialect"),
    ("malformed document", ["SELECT 1", "--schema", "bad.json"], 'bad.json: the schema document lacks "format": "sqlobs.schema/1".'),
    ("malformed JSONL", ["bad.jsonl", "--dialect", "sqlite"], "bad.jsonl, line 2: not JSON (Expecting value)"),
    ("JSONL of lists", ["list.jsonl", "--dialect", "sqlite"], "list.jsonl, line 1: not a JSON object"),
    ("dialect of a line", ["dialect.jsonl"], "dialect.jsonl, line 1: unknown SQL dialect 'klingon': use one of sqlglot's names, such as 'postgres' or 'sqlite'."),
    ("empty batch", ["empty.jsonl", "--dialect", "sqlite"], "empty.jsonl has no lines to check"),
    ("not UTF-8", ["latin.sql", "--dialect", "sqlite"], "latin.sql is not UTF-8 text: byte 0xe9 at offset 8"),
    ("missing file", ["nowhere.sql", "--dialect", "sqlite"], "nowhere.sql: no such file or directory"),
    ("directory of statements", [".", "--dialect", "sqlite"], ".: is a directory"),
    ("directory", ["SELECT 1", "--schema", ".", "--dialect", "sqlite"], ".: is a directory"),
    ("unreachable database", ["SELECT 1", "--schema", "sqlite:///nowhere.db"], "nowhere.db cannot be read: no such file."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"), [case[1:] for case in BAD_INPUT], ids=[case[0] for case in BAD_INPUT]
)
def test_invalid_input_gives_one_error_sentence(arguments, message, tmp_path, monkeypatch, capsys):
    """What is wrong and where, exit code 2, nothing on standard output."""
    from sqlobs import Schema

    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.sql").write_text(DDL)
    (tmp_path / "good.json").write_text(Schema.from_ddl(DDL, dialect="sqlite").to_json())
    (tmp_path / "broken.sql").write_text("-- shop\nCREATE TABLE t (a int,\n")
    (tmp_path / "empty.sql").write_text("SELECT 1;")
    (tmp_path / "bad.json").write_text("{}")
    (tmp_path / "bad.jsonl").write_text('{"sql": "SELECT 1"}\nSELECT 2\n')
    (tmp_path / "list.jsonl").write_text("[1]\n")
    (tmp_path / "dialect.jsonl").write_text('{"sql": "SELECT 1", "dialect": "klingon"}\n')
    (tmp_path / "empty.jsonl").write_text("\n")
    (tmp_path / "latin.sql").write_bytes("SELECT 'é'".encode("latin-1"))
    assert main(["check", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.err == f"sqlobs check: {message}\n"
    if "bad.jsonl" not in arguments:
        assert shown.out == ""


def test_an_empty_statement_is_no_directory(schema, capsys):
    """An answer without a letter is judged: there is no SQL in it."""
    assert main(["check", "", "--schema", schema, "--dialect", "sqlite"]) == 1
    assert "The answer contains no SQL." in capsys.readouterr().out
