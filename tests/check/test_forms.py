"""Forms: each has a probe, a message and a verdict per engine, and is recognized in its probe."""

from __future__ import annotations

import ast
import importlib
import re
import sqlite3
from pathlib import Path

import duckdb
import pytest
from sqlglot import tokenize

import sqlobs
from sqlobs import Schema, check_sql
from sqlobs.check.forms import FORMS
from sqlobs.check.forms.form import Tokens, Tree, Word
from sqlobs.check.parsing.statement import parse
from sqlobs.check.parsing.tokens import shape_of, spelled
from sqlobs.check.parsing.tokens import tokenize as cut_by_checker
from sqlobs.dialects.documents import document, manual, versions_of
from sqlobs.failure_codes import CODES
from tests.servers import MariaDbServer, PostgresServer

DIALECTS = ("sqlite", "postgres", "mysql", "duckdb")
NAMES = {
    "sqlite:3.40": ("sqlite", "3.40"),
    "duckdb:2.0": ("duckdb", "2.0"),
    "mariadb:10.11": ("mariadb", "10.11"),
    "postgres:15": ("postgres", "15"),
}
DOCUMENTED = "bigquery clickhouse oracle redshift snowflake trino tsql".split()
VERDICTS = {"rejected", "syntax error"}
SENTENCE = re.compile(r"[A-Z`].*[.]\Z", re.DOTALL)
BY_RECOGNIZER = {
    kind: [form for form in FORMS.values() if isinstance(form.recognizer, kind)]
    for kind in (Tokens, Tree, Word)
}


@pytest.fixture
def ask(monkeypatch, request):
    """Run every probe on an engine, the way `scripts/catalog/record_forms.py` does."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts" / "catalog"))
    scripts = importlib.import_module("record_forms")

    def verdicts(engine):
        if engine in {"sqlite", "duckdb"}:
            own = importlib.import_module(f"from_{engine}")
            return own.verdicts(own.connect())
        server = PostgresServer() if engine == "postgres" else MariaDbServer()
        request.addfinalizer(server.start().stop)
        if engine == "postgres":
            return scripts.of_postgres(f"host=127.0.0.1 port={server.port} user=postgres")
        return scripts.of_mariadb(server.url(""))

    return verdicts


def named(forms):
    """Return one parameter for each form, under its name."""
    return pytest.mark.parametrize("form", forms, ids=[form.name for form in forms])


@named(list(FORMS.values()))
def test_a_form_has_probe_message_and_code(form):
    """The message is a sentence; the name is usable as a key and in a regular expression."""
    assert form.probe
    assert SENTENCE.fullmatch(form.says("sqlite 3.40"))
    assert form.label
    assert form.code in CODES
    assert form.name.isidentifier()


def test_a_probe_is_written_once_for_a_recognizer():
    """Two forms of one recognizer with one probe could not have different verdicts."""
    for kind in (Tree, Word):
        probes = [form.probe for form in BY_RECOGNIZER[kind]]
        assert len(set(probes)) >= len(probes) - 2  # NULLS FIRST and LAST, TRUE and FALSE


@pytest.mark.parametrize(("engine", "version"), NAMES.values())
def test_recorded_verdicts_are_those_of_the_engine(engine, version, ask):
    """What the data files do not list, the engine accepts: every probe is run again."""
    installed = {"sqlite": sqlite3.sqlite_version, "duckdb": duckdb.__version__}.get(engine)
    if installed is not None and not installed.startswith(f"{version}."):
        pytest.skip(f"{engine} {installed} is installed, the verdicts are those of {version}")
    recorded = document(engine, version)["forms"]
    assert recorded == ask(engine)


@pytest.mark.parametrize("engine", ["sqlite", "duckdb", "mariadb", "mysql", "postgres"])
def test_a_version_changes_only_known_forms(engine):
    """What a version file sets or removes is a form; the rest is inherited."""
    for version in versions_of(engine):
        verdicts = document(engine, version)["forms"]
        assert verdicts.keys() <= FORMS.keys()
        assert set(verdicts.values()) <= VERDICTS


@pytest.mark.parametrize("engine", DOCUMENTED)
def test_a_documented_engine_rejects_only_known_forms(engine):
    """A form that its manual does not exclude is unknown: it is never reported."""
    verdicts = manual(engine)["forms"]
    assert verdicts.keys() <= FORMS.keys()
    assert set(verdicts.values()) == {"rejected"}


@pytest.mark.parametrize("engine", DOCUMENTED)
def test_a_form_that_a_manual_excludes_fails_a_label(engine):
    """An entry that changes no verdict would only look like knowledge."""
    ddl = "CREATE TABLE probe (x INTEGER); CREATE TABLE keyed (x INTEGER PRIMARY KEY);"
    schema = Schema.from_ddl(ddl, dialect=engine)
    reports = [check_sql(FORMS[name].probe, schema=schema) for name in manual(engine)["forms"]]
    assert [one.sql for one in reports if False not in (one.syntactic, one.schematic)] == []


def test_a_dialect_may_word_the_message_of_a_form():
    """The data of T-SQL name its own clauses; the form's own message stays for the others."""
    (finding,) = check_sql("SELECT 1 AS a FROM b LIMIT 1", dialect="tsql").errors
    assert finding.message == "`LIMIT` is not supported. Use `TOP` or `OFFSET … FETCH`."
    for engine in DOCUMENTED:
        assert manual(engine).get("messages", {}).keys() <= manual(engine)["forms"].keys()


def trees(sql):
    """Yield the tree of a statement in every dialect that parses it."""
    for dialect in (*DIALECTS, "spark", "snowflake", "oracle", "tsql", "clickhouse", "bigquery"):
        tree = parse(cut_by_checker(sql, dialect)).tree
        if tree is not None:
            yield tree


@named(BY_RECOGNIZER[Tree])
def test_a_tree_recognizes_its_probe(form):
    """In one dialect at least: the node is there, and what tells it apart holds."""
    tree = form.recognizer
    nodes = [node for root in trees(form.probe) for node in root.find_all(tree.node)]
    assert any(tree.where is None or tree.where(node) for node in nodes)


@named(BY_RECOGNIZER[Tokens])
def test_a_token_pattern_matches_its_probe(form):
    """In one dialect at least: sqlglot cuts some texts into other tokens in others."""
    tokens, found = form.recognizer, False
    for dialect in DIALECTS:
        cut = tokenize(form.probe, dialect)
        shape = shape_of(cut)
        for match in tokens.pattern.finditer(shape):
            assert re.search(spelled(tokens.rare or tokens.shape), shape)
            text = tokens.text
            found |= text is None or bool(text.match(form.probe, cut[match.start()].start))
        words = {token.text.upper() for token in cut}
        assert not tokens.words or words.intersection(tokens.words)
    assert found


@named(BY_RECOGNIZER[Word])
def test_a_word_is_in_its_probe(form):
    """In one dialect at least."""
    word = form.recognizer
    cut = [token for dialect in DIALECTS for token in tokenize(form.probe, dialect)]
    assert any(token.text.upper() == word.text for token in cut)


@named([form for form in FORMS.values() if form.recognizer is not None])
def test_a_form_is_reported_where_its_probe_is_rejected(form):
    """In one engine at least: in some, the probe is another valid statement or a type error."""
    rejecting = [
        dialect
        for dialect, (engine, version) in NAMES.items()
        if document(engine, version)["forms"].keys() & {form.name}
    ]
    reports = [check_sql(form.probe, dialect=dialect) for dialect in rejecting]
    assert not rejecting or any(report.errors for report in reports)


_OF_FAMILIES = (
    *("call_", "unit_", "distinct_", "unordered_", "framed_", "without_from_"),
    *("nulls_within_", "nulls_behind_"),
)
"""What the names of forms that are looked up by a word begin with."""


def test_every_form_of_the_tables_is_used():
    """A form is recognized, or the resolver or a rule names it: `Limits.negative_limit`."""
    root = Path(sqlobs.__file__).parent / "check"
    sources = "\n".join(
        path.read_text("utf-8")
        for folder in ("resolver", "rules")
        for path in (root / folder).rglob("*.py")
    )
    named_there = {
        node.attr
        for node in ast.walk(ast.parse(sources.replace("from __future__", "#")))
        if isinstance(node, ast.Attribute)
    }
    unused = [
        name
        for name, form in FORMS.items()
        if form.recognizer is None and name not in named_there and not name.startswith(_OF_FAMILIES)
    ]
    assert unused == []
