"""The process of an engine: what it is sent, what it may not see, what happens when it hangs."""

from __future__ import annotations

import os

import pytest

from sqlobs import Schema, check_sql
from sqlobs.cli import main
from sqlobs.errors import ConfigError, MissingExtraError
from sqlobs.execution import local, local_engine
from sqlobs.execution.analyzers import kinds

SCHEMA = Schema.from_ddl(
    "CREATE TABLE sales.orders (id INT64); CREATE TABLE sales.Refunds (id INT64);"
    " CREATE VIEW sales.untyped AS SELECT * FROM elsewhere.t",
    dialect="bigquery",
)


@pytest.fixture
def engine(stand_in):
    """An engine whose process is the stand-in."""
    return local_engine(SCHEMA)


def test_only_the_tables_that_a_statement_names_are_sent(engine):
    """BigQuery's tables have exactly the case that was declared."""
    named = [
        engine.verdict(f"SELECT tables FROM {name}").identifier
        for name in ("sales.orders", "sales.ORDERS", "sales.Refunds JOIN orders")
    ]
    assert named == ["sales.orders", "", "sales.orders sales.Refunds"]


def test_only_queries_are_sent(engine):
    """Everything else gets no verdict."""
    for sql in ("DROP TABLE orders", "SET x = 1", "SELECT 1\0", "SELECT 1 " + "-" * 20_000):
        assert engine.verdict(sql) is None
    assert engine.verdict("/* a note */ (SELECT 1)").code is None


def test_a_process_that_hangs_or_ends_is_replaced(engine):
    """The statement gets no verdict, the next one does, from a new process."""
    first = engine.verdict("SELECT 1").engine
    assert engine.verdict("SELECT exit") is None
    second = engine.verdict("SELECT 1").engine
    assert engine.verdict("SELECT sleep") is None
    third = engine.verdict("SELECT 1").engine
    assert len({first, second, third}) == 3
    assert engine.verdict("SELECT undecided") is None
    assert engine.verdict("SELECT 1").engine == third


def test_the_process_does_not_get_the_environment(engine, monkeypatch):
    """Credentials of the application are not passed on."""
    monkeypatch.setenv("SQLOBS_SECRET", "hunter2")
    assert engine.verdict("SELECT secret").identifier == "nothing"


def test_a_table_of_the_schema_is_never_unknown(engine):
    """The text may name it by another path than the schema."""
    assert engine.verdict("SELECT ghosts FROM orders") is None
    assert engine.verdict("SELECT ghosts FROM orders2").code == "schema.unknown_table"


def test_a_table_without_types_gives_no_verdict(engine):
    """It cannot be made."""
    assert engine.verdict("SELECT 1 FROM sales.untyped") is None


def test_the_verdict_decides(engine):
    """The report says which engine it was."""
    report = check_sql("SELECT id FROM sales.orders", schema=SCHEMA, native=engine)
    assert (report.ok, report.decided_by) == (True, "native")
    assert report.engine.startswith("stand-in ")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_a_process_of_its_own(engine):
    """Two processes on one connection would read each other's answers."""
    ours = engine.verdict("SELECT 1").engine
    pid = os.fork()
    if not pid:
        theirs = engine.verdict("SELECT 1")
        local.close_local_engines()
        os._exit(0 if theirs is not None and theirs.engine != ours else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert engine.verdict("SELECT 1").engine == ours


@pytest.mark.parametrize(
    ("dialect", "title"),
    [("bigquery", "BigQuery"), ("spark", "Spark"), ("clickhouse", "ClickHouse")],
)
def test_a_missing_package_is_one_sentence(dialect, title, monkeypatch, tmp_path, capsys):
    """With the name of the extra, and exit code 2."""
    monkeypatch.setattr(kinds, "find_spec", lambda name: None)
    sentence = f'The engine of {title} needs an extra: pip install "sqlobs[{dialect}-native]"'
    schema = Schema.from_mapping({"t": {"a": "int"}}, dialect=dialect)
    with pytest.raises(MissingExtraError) as raised:
        local_engine(schema)
    assert str(raised.value) == sentence
    (tmp_path / "schema.json").write_text(schema.to_json())
    arguments = ["check", "SELECT a FROM t", "--schema", str(tmp_path / "schema.json")]
    assert main([*arguments, "--local-engine"]) == 2
    assert capsys.readouterr().err == f"sqlobs check: {sentence}\n"


def test_spark_without_java_is_one_sentence(monkeypatch):
    """The package alone does not run."""
    monkeypatch.setattr(kinds, "find_spec", lambda name: name)
    monkeypatch.setattr(kinds.shutil, "which", lambda name, path: None)
    with pytest.raises(ConfigError, match="The engine of Spark needs Java 17 or later"):
        local_engine(Schema.from_mapping({"t": {"a": "int"}}, dialect="spark"))


def test_other_dialects_have_no_local_engine(tmp_path, capsys):
    """The message lists those that have one; a schema is needed, too."""
    with pytest.raises(ConfigError) as raised:
        local_engine(Schema.from_mapping({"t": {"a": "int"}}, dialect="sqlite"))
    assert str(raised.value) == (
        "a local engine must be of bigquery, spark, clickhouse, not sqlite"
    )
    assert main(["check", "SELECT 1", "--dialect", "spark", "--local-engine"]) == 2
    assert capsys.readouterr().err == "sqlobs check: --local-engine needs --schema\n"
